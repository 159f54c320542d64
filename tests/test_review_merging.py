"""How a change makes git merge records: told where it is no longer chalkgit's way, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

ROOT, OURS = ".gitattributes", ".lessons/.gitattributes"
LINE = "*.yaml text eol=lf merge=chalkgit diff=chalkgit"
UNION = "which keeps the lines of both sides, and no record stays readable so"


@pytest.fixture(name="base")
def base_fixture(repo: Repo) -> str:
    """Two records, and the attributes as `init` writes them."""
    assert LINE in (repo.root / OURS).read_text()
    repo.record(id="aaaaaaaa", path=".lessons/dead-ends/one.aaaaaaaa.yaml")
    repo.record("procedure", id="bbbbbbbb", path=".lessons/procedures/two.bbbbbbbb.yaml")
    return repo.commit("base")


def append(repo: Repo, path: str, text: str) -> None:
    file = repo.root / path
    repo.write(path, (file.read_text() if file.exists() else "") + text)


def as_they_are(repo: Repo) -> None:
    """Commit the attributes alone: of records git would run the filter, or change the encoding."""
    repo.git("add", "--", ROOT, OURS)
    repo.git("commit", "-qm", "attributes")


def merges(chalk: Inside, base: str) -> list[tuple[str, int | None, str]]:
    return [(f["path"], f["line"], f["message"]) for f in told.of(chalk, base, "merges")]


def said(value: str, means: str, which: str = "records", was: str = "merge=chalkgit") -> str:
    return f"changes how git merges {which}: {was} → {value}, {means}"


@pytest.mark.parametrize(
    ("text", "value", "means"),
    [
        ("*.yaml merge=union\n", "merge=union", UNION),
        ("*.yaml merge=text\n", "merge=text", "which merges lines, not fields"),
        ("*.yaml merge\n", "merge", "which merges lines, not fields"),
        ("*.yaml -merge\n", "-merge", "which merges nothing and leaves a conflict"),
        ("*.yaml binary\n", "-merge", "which merges nothing and leaves a conflict"),
        ("*.yaml merge=mine\n", "merge=mine", "a merge that is not chalkgit's"),
        ("*.yaml !merge\n", "no word of it", "so git merges lines, not fields"),
        ('"*.yaml" merge=union\n', "merge=union", UNION),
        (
            "dead-ends/** merge=union\nprocedures/*.yaml merge=union\nlessons/* merge=union\n",
            "merge=union",
            UNION,
        ),
    ],
)
def test_another_merge_for_records_is_told_where_it_is_asked_for(
    repo: Repo, chalk: Inside, base: str, text: str, value: str, means: str
) -> None:
    append(repo, OURS, text)
    repo.commit()
    line = len((repo.root / OURS).read_text().splitlines()) - text.count("\n") + 1
    assert merges(chalk, base) == [(OURS, line, said(value, means))]
    assert chalk("review", base).code == 1
    assert chalk("review", base, "--fail-on", "error").code == 0


@pytest.mark.parametrize(
    ("text", "value", "means"),
    [
        ("*.yaml filter=lfs\n", "filter=lfs", "so a command makes other bytes of them than git keeps"),
        (
            "*.yaml working-tree-encoding=UTF-16\n",
            "working-tree-encoding=UTF-16",
            "so their files are not UTF-8, and nobody reads them",
        ),
        ("*.yaml ident\n", "ident", "so git writes over `$Id$` in them"),
        ("[attr]kept filter=lfs\n*.yaml kept\n", "filter=lfs", "so a command makes other bytes of them"),
    ],
)
def test_what_makes_the_file_of_a_record_another_than_git_keeps_is_told(
    repo: Repo, chalk: Inside, base: str, text: str, value: str, means: str
) -> None:
    append(repo, ROOT, "*.png filter=lfs\n*.txt working-tree-encoding=UTF-16 ident\n")
    append(repo, OURS, "*.yaml -ident !filter working-tree-encoding=utf-8\n")
    quiet = repo.commit()
    assert told.rules(chalk, base) == {}
    append(repo, ROOT, text)
    repo.write(OURS, f"{LINE}\n")  # nothing nearer says otherwise
    as_they_are(repo)
    ((path, line, message),) = merges(chalk, quiet)
    assert (path, line) == (ROOT, 3)
    assert message.startswith("changes how git keeps records: ")
    assert f" → {value}, {means}" in message
    assert chalk("review", quiet).code == 1


def test_attributes_that_do_not_concern_records_say_nothing(repo: Repo, chalk: Inside, base: str) -> None:
    append(repo, ROOT, "*.md merge=union\nCHANGELOG* merge=union\n*.yaml -diff\n/docs/** merge=union\n")
    append(repo, OURS, "# merge=union is never right\n*.yaml -whitespace\nREADME merge=union\n*.txt binary\n")
    repo.write("docs/.gitattributes", "*.yaml merge=union\n")
    repo.commit()
    assert told.rules(chalk, base) == {}
    append(repo, OURS, "*.yaml merge=union\n")
    repo.commit()
    assert list(told.rules(chalk, base)) == ["merges"]


def test_the_root_counts_where_nothing_nearer_speaks(repo: Repo, chalk: Inside, base: str) -> None:
    repo.write(ROOT, "*.yaml merge=union\n")
    covered = repo.commit()
    assert merges(chalk, base) == []  # .lessons/.gitattributes is nearer, and wins
    (repo.root / OURS).unlink()
    repo.commit()
    assert merges(chalk, covered) == [(OURS, None, said("merge=union", UNION))]
    assert merges(chalk, base) == [(ROOT, 1, said("merge=union", UNION))]


def test_a_macro_of_the_root_is_seen_through(repo: Repo, chalk: Inside, base: str) -> None:
    repo.write(ROOT, "[attr]both merge=union\n")
    repo.commit()
    assert merges(chalk, base) == []
    append(repo, OURS, "*.yaml both\n")
    repo.commit()
    assert [message for _, _, message in merges(chalk, base)] == [said("merge=union", UNION)]


def test_a_folder_below_and_a_single_record_are_told_by_number(repo: Repo, chalk: Inside, base: str) -> None:
    repo.write(".lessons/dead-ends/.gitattributes", "one* merge=union\n")
    repo.commit()
    (found,) = told.of(chalk, base, "merges")
    assert found["message"] == said("merge=union", UNION, "1 of 2 records")
    assert found["details"] == ["for .lessons/dead-ends/one.aaaaaaaa.yaml"]
    assert (found["path"], found["line"]) == (".lessons/dead-ends/.gitattributes", 1)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (OURS, "k* merge=union\n"),
        (OURS, "team/*.yaml merge=union\n"),
        (OURS, "[xy]*.yaml merge=union\n"),
        (ROOT, ".lessons/team/** merge=union\n"),
        (".lessons/team/.gitattributes", "*.yaml merge=union\n"),
        (".lessons/team/.gitattributes", "/k?*.yaml merge=union\n"),
    ],
)
def test_a_rule_that_waits_for_records_to_come_is_told(
    repo: Repo, chalk: Inside, base: str, path: str, text: str
) -> None:
    append(repo, path, text)
    repo.commit()
    found = [message for _, _, message in merges(chalk, base)]
    if path == ROOT:  # the nearer line wins
        assert found == []
    else:
        assert found == [said("merge=union", UNION, "records that may come")]


@pytest.mark.parametrize("text", ["", "*.yaml text eol=lf diff\n"])
def test_taking_the_line_away_is_told(repo: Repo, chalk: Inside, base: str, text: str) -> None:
    repo.write(OURS, text)
    repo.commit()
    (found,) = merges(chalk, base)
    assert found == (OURS, 1, said("no word of it", "so git merges lines, not fields"))


def test_taking_the_file_away_is_told_and_taking_the_store_away_is_not(
    repo: Repo, chalk: Inside, base: str
) -> None:
    (repo.root / OURS).unlink()
    repo.commit()
    assert merges(chalk, base) == [(OURS, None, said("no word of it", "so git merges lines, not fields"))]
    repo.git("rm", "-qr", ".lessons")
    repo.commit()
    assert merges(chalk, base) == []


def test_a_way_back_to_chalkgits_merge_says_nothing(repo: Repo, chalk: Inside, base: str) -> None:
    renewed = (repo.root / OURS).read_text()
    repo.write(OURS, "*.yaml merge=union\n")
    worse = repo.commit()
    repo.write(OURS, renewed)
    repo.commit()
    assert told.rules(chalk, worse) == {}
    repo.write(OURS, "*.yaml merge=text\n")
    repo.commit()
    assert merges(chalk, worse) == [
        (OURS, 1, said("merge=text", "which merges lines, not fields", was="merge=union"))
    ]


def test_an_edit_that_leaves_the_bad_line_as_it_was_says_nothing(
    repo: Repo, chalk: Inside, base: str
) -> None:
    append(repo, OURS, "*.yaml merge=union\n")
    there = repo.commit()
    append(repo, OURS, "*.txt text\n")
    repo.git("mv", OURS, ".lessons/dead-ends/.gitattributes")
    repo.git("mv", ".lessons/dead-ends/.gitattributes", OURS)
    repo.commit()
    assert merges(chalk, base) != []
    assert merges(chalk, there) == []


def test_what_is_staged_and_what_is_not_are_told_apart(repo: Repo, chalk: Inside, base: str) -> None:
    repo.write(".lessons/dead-ends/.gitattributes", "* merge=union\n")
    in_work_tree = chalk.json("review", code=1)["findings"]
    assert [found["rule"] for found in in_work_tree] == ["merges"]
    assert chalk.json("review", "--staged")["findings"] == []
    repo.git("add", "-A")
    repo.write(".lessons/dead-ends/.gitattributes", "")
    assert [f["rule"] for f in chalk.json("review", "--staged", code=1)["findings"]] == ["merges"]
    assert chalk.json("review")["findings"] == []


def test_what_the_users_own_settings_say_is_no_part_of_the_change(
    repo: Repo, chalk: Inside, base: str, tmp_path: Path
) -> None:
    mine = tmp_path / "attributes"
    mine.write_text("*.yaml merge=mine\n")
    repo.git("config", "--global", "core.attributesFile", str(mine))
    repo.write(".git/info/attributes", "*.yaml merge=text\n")
    append(repo, OURS, "*.txt text\n")
    quiet = repo.commit()
    assert merges(chalk, base) == []
    append(repo, OURS, "*.yaml merge=union\n")
    repo.commit()
    assert merges(chalk, quiet) == [(OURS, 5, said("merge=union", UNION))]


def test_a_hook_that_git_gives_its_index_asks_the_same(repo: Repo, chalk: Inside, base: str) -> None:
    append(repo, OURS, "*.yaml merge=union\n")
    head = repo.commit()
    env = {"GIT_DIR": str(repo.root / ".git"), "GIT_INDEX_FILE": str(repo.root / ".git/index")}
    before = os.stat(env["GIT_INDEX_FILE"])
    result = chalk("review", base, env=env)
    assert "[merges]" in result.out
    assert os.stat(env["GIT_INDEX_FILE"]).st_ino == before.st_ino
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("rev-parse", "HEAD") == head


def test_what_nobody_can_judge_is_told_and_not_passed_over(repo: Repo, chalk: Inside, base: str) -> None:
    append(repo, OURS, "# padding\n" * 60_000 + "*.yaml merge=union\n")
    repo.commit()
    (found,) = merges(chalk, base)
    assert found[2].startswith("may change how git merges records: ")
    repo.git("checkout", "-q", base, "--", OURS)
    repo.git("commit", "-qm", "as it was")
    assert merges(chalk, base) == []
    for number in range(101):
        repo.write(f".lessons/{number}/.gitattributes", "*.md text\n")
    repo.commit()
    assert "there are 102 files of attributes" in merges(chalk, base)[0][2]


def test_a_link_in_place_of_attributes_is_read_by_nobody(repo: Repo, chalk: Inside, base: str) -> None:
    repo.write("bad", "*.yaml merge=union\n")
    (repo.root / ".lessons/dead-ends/.gitattributes").symlink_to("../../bad")
    repo.commit()
    assert merges(chalk, base) == []
    (repo.root / OURS).unlink()
    (repo.root / OURS).symlink_to("../bad")
    repo.commit()
    assert [m for _, _, m in merges(chalk, base)] == [
        said("no word of it", "so git merges lines, not fields")
    ]


def test_the_name_of_a_driver_is_shown_as_data(repo: Repo, chalk: Inside, base: str) -> None:
    append(repo, OURS, "*.yaml merge=AKIA" + "Z7Q4M2XW9K3LP8VN\n")
    repo.commit()
    for format in ("text", "markdown", "github", "sarif", "rdjson", "gitlab"):
        out = chalk("review", base, "--format", format).out
        assert "merges" in out
        assert "Z7Q4M2XW" not in out


@pytest.mark.parametrize("text", ["*.yaml merge=union\n", "*.md merge=union\n", "d*.yaml -merge\n"])
def test_git_itself_agrees(repo: Repo, chalk: Inside, base: str, text: str) -> None:
    append(repo, OURS, text)
    repo.commit()
    paths = (".lessons/dead-ends/one.aaaaaaaa.yaml", ".lessons/procedures/two.bbbbbbbb.yaml")
    rows = repo.git("check-attr", "merge", "--", *paths).splitlines()
    changed = [row for row in rows if not row.endswith(": chalkgit")]
    message = "".join(m for _, _, m in merges(chalk, base))
    assert bool(changed) == (message != "" and "may come" not in message)
