"""lint names what is wrong with records, file and line, and nothing that is a person's own choice."""

from __future__ import annotations

import shutil

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_a_key_that_is_nearly_a_field_is_named_and_one_of_somebodys_own_is_not(
    repo: Repo, chalk: Inside
) -> None:
    repo.record(route="a route", observaton="misspelt", team="payments", observation="it broke")
    found = chalk("lint")
    assert found.code == 1
    assert "observaton is no field: observation, perhaps?" in found.out
    assert "payments" not in found.out
    assert "team" not in found.out


def test_a_record_that_is_never_valid_is_named_and_refused_on_writing(repo: Repo, chalk: Inside) -> None:
    record = repo.record(
        **{"route": "a route", "observation": "b", "valid-from": "2027", "valid-until": "2026"}
    )
    assert (
        f"{record.path}:7: is never valid: valid-until 2026 is not after valid-from 2027" in chalk("lint").out
    )
    args = ("tried", "a", "--because", "b", "--valid-from", "2027")
    assert chalk(*args, "--valid-until", "2026").code == 2
    assert chalk(*args, "--valid-until", "2028").code == 0


def test_the_copy_of_a_record_is_the_one_that_is_told_to_take_another_id(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a route", observation="b")
    copy = ".lessons/dead-ends/a-copy.yaml"
    shutil.copy(repo.root / record.path, repo.root / copy)
    found = chalk("lint").out
    assert found.startswith(f"{copy}:2: has the id {record.id}, which {record.path} has too")
    assert f"chalkgit fmt --new-id {copy}" in found
    assert chalk("fmt", "--new-id", copy).code == 0
    assert chalk("lint").code == 0


def test_lint_can_be_asked_about_some_files_alone(repo: Repo, chalk: Inside) -> None:
    good = repo.record(route="a route", observation="b")
    repo.write(".lessons/dead-ends/bad.yaml", "id: [\n")
    assert chalk("lint", good.path).code == 0
    assert chalk("lint", ".lessons/dead-ends/bad.yaml").code == 1
    assert chalk("lint", ".lessons").code == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hooks:\n  blok: always\n", "`hooks.blok` is no setting (block, check-message)"),
        ("hook:\n  block: always\n", "`hook` is no setting: hooks, perhaps?"),
        ("hooks:\n  block: allways\n", "`hooks.block` is “allways”"),
        ("hooks:\n  check-message: maybe\n", "`hooks.check-message` is “maybe”"),
        ("hooks: [\n", ".lessons/config.yaml:"),
    ],
)
def test_the_settings_of_the_repository_are_looked_at_too(
    repo: Repo, chalk: Inside, text: str, said: str
) -> None:
    assert chalk("lint").code == 0
    repo.write(".lessons/config.yaml", text)
    done = chalk("lint")
    assert done.code == 1
    assert said in done.out
    repo.write(".lessons/config.yaml", "hooks:\n  block: never\n  check-message: no\nmine: 1\n")
    assert chalk("lint").code == 0


def test_the_last_line_says_what_was_looked_at(repo: Repo, chalk: Inside) -> None:
    one = repo.record(route="a route", observation="b")
    repo.record(route="another", observation="b")
    config = ".lessons/config.yaml"
    for paths, said in (
        ([], "2 records, nothing wrong"),
        ([one.path], f"1 record of {one.path}, nothing wrong"),
        ([one.path, config], f"1 record and the settings, of {one.path}, {config}, nothing wrong"),
        ([".lessons/dead-ends"], "2 records of .lessons/dead-ends, nothing wrong"),
        ([".lessons/lessons/none.yaml"], "0 records of .lessons/lessons/none.yaml, nothing wrong"),
        (["a", "b", "c", "d", "e"], "0 records of a, b, c and 2 more, nothing wrong"),
    ):
        done = chalk("lint", *paths)
        assert (done.code, done.err.splitlines()[-1]) == (0, f"chalkgit: {said}")
    assert "chalkgit: nowhere.yaml is not there" in chalk("lint", "nowhere.yaml").err
    assert "is not there" not in chalk("lint", one.path).err


def test_the_root_as_a_path_is_all_of_it(repo: Repo, chalk: Inside) -> None:
    repo.record(route="a route", observation="b")
    assert "1 record and the settings, of ., nothing wrong" in chalk("lint", ".").err
    repo.write(".lessons/dead-ends/bad.yaml", "id: [\n")
    assert chalk("lint", ".").code == 1
    assert chalk("lint", "..", cwd=repo.root / ".lessons").code == 1


def test_what_shows_among_several_records_is_named_with_its_line(repo: Repo, chalk: Inside) -> None:
    first = repo.record(route="a", observation="b", ref="jira:1", path=".lessons/dead-ends/a.yaml")
    second = repo.record(
        route="c", observation="d", ref="jira:1", observaton="e", supersedes=[first.id, "zzzzzzzz"]
    )
    rows = (repo.root / second.path).read_text().splitlines()
    repo.git("add", "-A")
    for args in ((), ("--staged",)):
        found = chalk.json("lint", *args, code=1)["findings"]
        assert [(one["path"], rows[one["line"] - 1].strip()) for one in found] == [
            (second.path, "ref: jira:1"),
            (second.path, "- zzzzzzzz"),
            (second.path, "observaton: e"),
        ]
    chalk("correct", second.id, "--supersedes", first.id, "--ref", "jira:2")
    repo.write(second.path, (repo.root / second.path).read_text().replace("observaton: e\n", ""))
    assert chalk("lint").code == 0
