"""What a change does to records: each in one line, and nothing where nothing is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import review_claims
from chalkgit.answers.review_words import changed
from chalkgit.records.record import Record
from chalkgit.store import snapshot, writes

ROUTE = "cache the parsed manifest between runs"


def edit(repo: Repo, record: Record, **fields: Any) -> None:
    there = snapshot.of_work_tree(repo.place).records[record.id]
    writes.change(repo.place, there, {name.replace("_", "-"): value for name, value in fields.items()})


def rewrite(repo: Repo, path: str, old: str, new: str) -> None:
    file = repo.root / path
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_comments_and_spelling_change_nothing_and_one_word_does(repo: Repo, chalk: Inside) -> None:
    record = repo.record(degree="contradicted")
    base = repo.commit()
    rewrite(repo, record.path, "kind: dead-end", "# seen in CI\nkind: 'dead-end'")
    repo.commit()
    assert told.findings(chalk, base) == []
    rewrite(repo, record.path, "contradicted", "partial")
    repo.commit()
    assert told.rules(chalk, base) == {
        "weakens": [f"weakens {record.id} “{ROUTE}”: degree contradicted → partial"]
    }


def test_a_file_that_moved_is_no_deletion_and_no_new_record(repo: Repo, chalk: Inside) -> None:
    record, other = repo.record(), repo.record(route="another one", observation="that is deleted")
    base = repo.commit()
    repo.git("mv", record.path, f".lessons/elsewhere.{record.id}.yaml")
    repo.commit()
    assert told.rules(chalk, base) == {"moves": [f"moves {record.id} “{ROUTE}” here from {record.path}"]}
    (repo.root / other.path).unlink()
    edit(repo, record, degree="partial")
    repo.commit()
    said = told.rules(chalk, base)
    assert sorted(said) == ["corrects", "deletes"]  # moved and edited: the edit is what counts
    assert said["corrects"] == [f"corrects {record.id} “{ROUTE}”: degree now partial"]


def test_a_deleted_record_is_told_without_a_command_that_brings_it_back(repo: Repo, chalk: Inside) -> None:
    record = repo.record(path=".lessons/odd name's.yaml")
    base = repo.commit()
    (repo.root / record.path).unlink()
    repo.commit()
    (found,) = told.of(chalk, base, "deletes")
    assert (found["path"], found["mend"]) == (record.path, None)


@pytest.mark.parametrize(
    ("old", "new", "rule", "said"),
    [
        ({"degree": "contradicted"}, {"degree": "unstable"}, "weakens", "degree contradicted → unstable"),
        ({"degree": "unstable"}, {"degree": "partial"}, "weakens", "degree unstable → partial"),
        ({"degree": "inconclusive"}, {"degree": "partial"}, "strengthens", "degree inconclusive → partial"),
        ({"degree": "partial"}, {"degree": None}, "corrects", "degree no longer partial"),
        ({}, {"degree": "partial"}, "corrects", "degree now partial"),
        ({"scope": "general"}, {"scope": "version-bound"}, "weakens", "scope general → version-bound"),
        ({}, {"scope": "local"}, "weakens", "scope not said → local"),
        ({"scope": "local"}, {"scope": None}, "strengthens", "scope local → not said"),
        ({"scope": "local"}, {"scope": "version-bound"}, "strengthens", "scope local → version-bound"),
        ({}, {"scope": "general"}, "corrects", "scope now general"),
        ({"action": "abandon"}, {"action": "retry"}, "weakens", "action abandon → retry"),
        (
            {"action": "narrow-scope"},
            {"action": "change-method"},
            "strengthens",
            "action narrow-scope → change-method",
        ),
        ({}, {"valid_until": "2099-01-01"}, "weakens", "valid-until not said → 2099-01-01"),
        ({"valid_until": "2099"}, {"valid_until": "2098-05"}, "weakens", "valid-until 2099 → 2098-05"),
        ({"valid_until": "2098"}, {"valid_until": None}, "strengthens", "valid-until 2098 → not said"),
        ({"valid_from": "2020"}, {"valid_from": "2021"}, "weakens", "valid-from 2020 → 2021"),
        ({}, {"valid_from": "2021"}, "corrects", "valid-from now 2021"),
        ({"files": ["src/", "a/b.c"]}, {"files": ["a/b.c"]}, "weakens", "files without src/"),
        (
            {"files": ["src/*.py"]},
            {"files": ["src/a.py"]},
            "weakens",
            "files without src/*.py, with src/a.py",
        ),
        ({"files": ["src/a.py"]}, {"files": ["src/"]}, "strengthens", "files without src/a.py, with src/"),
        ({"files": ["a/a.py"]}, {"files": ["b/b.py"]}, "corrects", "files without a/a.py, with b/b.py"),
        ({}, {"depends_on": {"django": "4.2"}}, "weakens", "depends-on now django 4.2"),
        (
            {"depends_on": {"django": "4.2"}},
            {"depends_on": None},
            "strengthens",
            "depends-on no longer django 4.2",
        ),
        (
            {"depends_on": {"django": "4.2"}},
            {"depends_on": {"django": "5.0"}},
            "corrects",
            "depends-on django “4.2” → “5.0”",
        ),
        ({"tags": ["a"]}, {"tags": ["a", "b"]}, "corrects", "tags with b"),
    ],
)
def test_a_field_that_claims_less_weakens_and_one_that_claims_more_strengthens(
    repo: Repo, chalk: Inside, old: dict[str, Any], new: dict[str, Any], rule: str, said: str
) -> None:
    for name in ("src/a.py", "a/b.c", "a/a.py", "b/b.py"):
        repo.write(name, "there\n")
    record = repo.record(**old)
    base = repo.commit()
    edit(repo, record, **new)
    repo.commit()
    (found,) = told.findings(chalk, base)
    assert (found["rule"], found["message"]) == (rule, f"{rule} {record.id} “{ROUTE}”: {said}")


def test_every_degree_scope_and_action_has_its_place() -> None:
    from chalkgit.records import fields

    assert set(review_claims.DEGREES) == set(fields.DEGREES)
    assert set(review_claims.SCOPES) == {*fields.SCOPES, *fields.LESSON_SCOPES}
    assert set(review_claims.ACTIONS) == set(fields.ACTIONS)


def test_what_weakens_and_strengthens_is_one_finding_with_both(repo: Repo, chalk: Inside) -> None:
    record = repo.record(degree="contradicted", scope="local")
    base = repo.commit()
    edit(repo, record, degree="partial", scope="general", observation="only half of it failed")
    repo.commit()
    weakens, corrects = told.findings(chalk, base)
    assert weakens["message"] == f"weakens {record.id} “{ROUTE}” in degree, and strengthens it in scope"
    assert weakens["details"] == ["weaker: degree contradicted → partial", "stronger: scope local → general"]
    assert weakens["line"] == 7
    assert corrects["rule"] == "corrects"


@pytest.mark.parametrize(
    ("closed", "opened", "why"),
    [
        ({"retired": {"because": "no need"}}, {"retired": None}, "retired (no need)"),
        ({"settled": "v2"}, {"settled": None}, "settled (v2)"),
        ({"review": {"state": "rejected", "because": "no"}}, {"review": None}, "rejected (no)"),
        ({"valid_until": "2020-01-01"}, {"valid_until": "2099-01-01"}, "expired"),
    ],
)
def test_what_could_not_be_recalled_and_may_be_now_is_reopened(
    repo: Repo, chalk: Inside, closed: dict[str, Any], opened: dict[str, Any], why: str
) -> None:
    record = repo.record(**closed)
    base = repo.commit()
    edit(repo, record, tags=["closed", "still"])
    repo.commit()
    assert told.ids(chalk, base, "reopens") == []
    edit(repo, record, **opened)
    repo.commit()
    assert told.rules(chalk, base)["reopens"] == [f"reopens {record.id} “{ROUTE}”: it was {why}"]


def test_what_loses_its_only_successor_is_reopened(repo: Repo, chalk: Inside) -> None:
    old, other = repo.record(), repo.record(route="another", observation="replaced as well")
    new = repo.record(route="hash the manifest", observation="too slow", supersedes=[old.id, other.id])
    base = repo.commit()
    edit(repo, new, supersedes=[old.id])
    repo.commit()
    (found,) = told.of(chalk, base, "reopens")
    assert (found["record"], found["path"]) == (other.id, other.path)
    assert found["message"] == f"reopens {other.id} “another”: it was superseded by {new.id}"


def test_a_record_that_takes_anothers_place_says_so_once(repo: Repo, chalk: Inside) -> None:
    old, kept = repo.record(), repo.record(route="stays", observation="as it is")
    base = repo.commit()
    new = repo.record(route="hash the manifest", observation="too slow", supersedes=[old.id])
    repo.commit()
    assert told.rules(chalk, base) == {
        "supersedes": [f"adds the dead end {new.id} “hash the manifest”, in place of {old.id} “{ROUTE}”"]
    }
    base = repo.commit()
    edit(repo, kept, supersedes=[new.id])
    repo.commit()
    assert told.rules(chalk, base) == {
        "supersedes": [f"{kept.id} “stays” takes the place of {new.id} “hash the manifest”"]
    }


def test_an_open_lesson_is_resolved_once_and_corrected_later(repo: Repo, chalk: Inside) -> None:
    lesson = repo.record("lesson", failure={"error": "E: pool drained"})
    base = repo.commit()
    edit(repo, lesson, resolution="stop the workers first", resolved_by="Bo")
    resolved = repo.commit()
    assert told.rules(chalk, base) == {
        "resolves": [f"resolves {lesson.id} “E: pool drained”: stop the workers first"]
    }
    edit(repo, lesson, resolution="stop the writers first")
    repo.commit()
    assert list(told.rules(chalk, resolved)) == ["corrects"]


def test_a_damaged_record_is_told_with_its_line_and_an_old_damage_is_not(repo: Repo, chalk: Inside) -> None:
    old, new = repo.record(), repo.record(route="another", observation="which breaks now")
    rewrite(repo, old.path, "kind: dead-end", "kind: dead-end\nlayer: nowhere")
    base = repo.commit()
    rewrite(repo, old.path, "kind: dead-end", "kind: dead-end\n# a comment moves the line")
    rewrite(repo, new.path, "kind: dead-end", "kind: dead-end\nkind: dead-end")
    repo.commit()
    (found,) = told.findings(chalk, base)
    assert (found["rule"], found["path"], found["line"]) == ("damaged", new.path, 4)
    assert found["message"] == "cannot be read: “kind” stands there twice"
    rewrite(repo, old.path, "layer: nowhere", "degree: nearly")
    repo.commit()
    said = told.rules(chalk, base)["damaged"]
    assert any(words.startswith("is not read whole: “nearly” is no degree") for words in said)


def test_a_second_file_of_one_id_is_damage(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    base = repo.commit()
    repo.write(".lessons/copy.yaml", (repo.root / record.path).read_bytes())
    copied = repo.commit()
    (found,) = told.findings(chalk, base)
    assert (found["rule"], found["path"]) == ("damaged", ".lessons/copy.yaml")
    assert found["mend"] == "chalkgit fmt --new-id .lessons/copy.yaml"
    repo.write("a.py", "a\n")
    repo.commit()
    assert told.findings(chalk, copied) == []


def test_a_file_that_only_looks_like_a_record_is_told(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    record = repo.record(path=".lessons/a.yml")
    repo.commit()
    assert [(f["rule"], f["path"]) for f in told.findings(chalk, base)] == [("damaged", record.path)]


def test_odd_names_are_data(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    odd = [
        ".lessons/-x.yaml",
        ".lessons/a b\n::error::c.yaml",
        ".lessons/:(glob)*.yaml",
        ".lessons/ü\udcff.yaml",
    ]
    records = [repo.record(path=path, route=f"number {n}", observation="odd") for n, path in enumerate(odd)]
    repo.write("src/-rf", "a\n")
    repo.commit()
    assert told.ids(chalk, base, "adds") == sorted(record.id for record in records[:3])
    assert [f["rule"] for f in told.findings(chalk, base) if f["record"] is None] == ["damaged"]
    assert not [row for row in chalk("review", base).out.splitlines() if row.startswith("::")]


def test_a_successor_counts_though_it_is_not_committed(repo: Repo, chalk: Inside) -> None:
    old = repo.record(files=["src/a.py"])
    alive = repo.record(route="another", observation="about the file", files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    repo.commit()
    repo.record(route="hash the manifest", observation="slow", supersedes=[old.id])
    repo.write("src/a.py", "b\n")
    found = chalk.json("review")["findings"]
    assert [f["record"] for f in found if f["rule"] == "touches"] == [alive.id]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a b c", "a x c", "“a b c” → “a x c”"),
        (
            "one two three four five six",
            "one two three four five 6",
            "“… three four five six” → “… three four five 6”",
        ),
        (["a", "b"], ["b", "a"], "in another order"),
        ("a  b", "a b", "in other blanks"),
        ({"name": "Ada"}, {"name": "Ada", "agent": "bot"}, "agent now bot"),
        (None, "x " * 200, "now " + ("x " * 200)[:119] + "…"),
    ],
)
def test_only_what_differs_is_quoted(before: Any, after: Any, said: str) -> None:
    assert changed(before, after) == said


def test_a_large_difference_is_cut() -> None:
    said = changed("start " + "old " * 500 + "end", "start " + "new " * 500 + "end")
    assert len(said) < 300
    assert said.startswith("“start old old")
    assert said.endswith("new end”")


def test_the_index_that_is_kept_is_left_as_it_was(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    repo.record()
    base = repo.commit()
    repo.record(route="another", observation="one")
    repo.commit()
    before = sorted(repo.root.rglob(".git/chalkgit/manifest.json"))
    assert told.ids(chalk, base, "adds") != []
    assert sorted(repo.root.rglob(".git/chalkgit/manifest.json")) == before
