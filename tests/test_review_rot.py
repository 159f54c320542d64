"""What a change leaves behind: records of files, commits, versions, ids and times that are not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from test_review_changes import edit

LOCK = 'version = 1\n[[package]]\nname = "django"\nversion = "{}"\n'


def said(chalk: Inside, base: str, rule: str = "rots") -> list[str]:
    """The messages without the records that they name."""
    return [words.partition("”: ")[2] or words for words in told.rules(chalk, base).get(rule, [])]


def test_a_new_record_that_names_what_is_not_there_has_aged(repo: Repo, chalk: Inside) -> None:
    repo.write("src/a.py", "a\n")
    base = repo.commit()
    repo.record(files=["src/a.py", "src/", "*.go", "reader.go", "src/*.c", "./src/a.py"])
    repo.commit()
    assert told.of(chalk, base, "rots") == []
    lost = repo.record(route="another", observation="why", files=["src/b.py", "src/a.py", "gone/"])
    repo.commit()
    (found,) = told.of(chalk, base, "rots")
    assert (found["record"], found["path"], found["line"]) == (lost.id, lost.path, 6)
    assert said(chalk, base) == ["it names src/b.py, which is not there; it names gone, which is not there"]


def test_a_file_that_was_missing_before_is_not_this_changes(repo: Repo, chalk: Inside) -> None:
    record = repo.record(files=["src/gone.py"])
    base = repo.commit()
    edit(repo, record, observation="other words")
    repo.commit()
    assert list(told.rules(chalk, base)) == ["corrects"]
    edit(repo, record, files=["src/gone.py", "src/other.py"])
    repo.commit()
    assert said(chalk, base) == ["it names src/other.py, which is not there"]


def test_a_file_that_the_change_deletes_ages_its_rulings_and_a_move_does_not(
    repo: Repo, chalk: Inside
) -> None:
    for name in "abcd":
        repo.write(f"src/{name}.py", "".join(f"{name} {n}\n" for n in range(9)))
    exact = repo.record(route="exact", observation="why", files=["src/a.py", "src/b.py"])
    folder = repo.record(route="folder", observation="why", files=["src/"])
    moved = repo.record(route="moved", observation="why", files=["src/c.py"])
    base = repo.commit()
    (repo.root / "src/a.py").unlink()
    repo.git("mv", "src/c.py", "src/e.py")
    repo.commit()
    assert told.ids(chalk, base, "rots") == [exact.id]
    assert told.ids(chalk, base, "touches") == sorted([folder.id, moved.id])  # exact is told once
    assert said(chalk, base) == ["this change deletes src/a.py"]
    for name in "bde":
        (repo.root / f"src/{name}.py").unlink()
    repo.commit()
    assert told.ids(chalk, base, "rots") == sorted([exact.id, folder.id, moved.id])
    assert told.ids(chalk, base, "touches") == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"valid_until": "2020-01-01"}, ["it is over already: valid-until 2020-01-01 has passed"]),
        (
            {"valid_from": "2099-02", "valid_until": "2099-01"},
            ["it is never valid: it ends 2099-01, and begins 2099-02"],
        ),
        ({"valid_from": "2020", "valid_until": "2099"}, []),
        ({"evidence": ["abcdef0"]}, ["its evidence names abcdef0, which is no commit here"]),
        ({"evidence": ["1234567", "PR 12", "https://example.org/abcdef0", "tests/a.py::b", "decade"]}, []),
        ({"at_commit": "f" * 40}, []),  # a squash or a rebase takes that commit away
        ({"scope": "version-bound", "depends_on": {"django": "5.1"}}, []),
        (
            {"scope": "version-bound", "depends_on": {"django": "4.2"}},
            ["django 4.2 when it was recorded, 5.1 in uv.lock now"],
        ),
        (
            {"reopens_when": ["library:django>=5.0"]},
            ["it is open again from the start: django is 5.1 in uv.lock (reopens when library:django>=5.0)"],
        ),
        ({"reopens_when": ["library:django>=6.0", "file:a.py changes"]}, []),
    ],
)
def test_a_new_record_is_asked_for_its_time_commits_and_versions(
    repo: Repo, chalk: Inside, fields: dict[str, Any], words: list[str]
) -> None:
    repo.write("uv.lock", LOCK.format("5.1"))
    base = repo.commit()
    repo.record(**fields)
    repo.commit()
    assert said(chalk, base) == words


def test_commits_that_are_there_are_found_however_they_are_written(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    record = repo.record(evidence=[base, base[:10], f"commit {base[:12]}"], at_commit=base[:8])
    repo.commit()
    assert told.findings(chalk, base) == told.of(chalk, base, "adds")
    edit(repo, record, evidence=[base, "0" * 39 + "a"])
    repo.commit()
    assert said(chalk, base) == ["its evidence names 000000000000, which is no commit here"]


def test_a_shallow_clone_accuses_no_commit(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    first = repo.commit("first")
    repo.commit("second")
    repo.record(evidence=[first])
    repo.commit("third")
    where = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth", "2", repo.root.as_uri(), str(where))
    found = chalk.json("review", "HEAD~1", cwd=where)
    assert [f["rule"] for f in found["findings"]] == ["adds"]
    assert "whether commits that records name are there: this clone is not whole" in found["skipped"]
    assert told.findings(chalk, "HEAD~1") == told.of(chalk, "HEAD~1", "adds")


def test_a_dependency_that_the_change_moves_ages_and_reopens_what_is_bound_to_it(
    repo: Repo, chalk: Inside
) -> None:
    repo.write("uv.lock", LOCK.format("4.2"))
    bound = repo.record(route="bound", observation="why", scope="version-bound", depends_on={"django": "4.2"})
    old = repo.record(route="old", observation="why", scope="version-bound", depends_on={"django": "3.2"})
    waits = repo.record(route="waits", observation="why", reopens_when=["library:django>=5.0"])
    repo.record(route="met", observation="why", reopens_when=["library:django>=4.0"])
    base = repo.commit()
    repo.write("a.py", "a\n")
    repo.commit()
    assert told.findings(chalk, base) == []
    repo.write("uv.lock", LOCK.format("5.1"))
    repo.commit()
    assert told.ids(chalk, base, "rots") == [bound.id]
    assert told.ids(chalk, base, "reopens") == [waits.id]
    assert {f["path"] for f in told.findings(chalk, base)} == {"uv.lock"}
    assert old.id not in {f["record"] for f in told.findings(chalk, base)}


def test_a_ruling_that_waits_for_a_file_is_reopened_by_its_change_once(repo: Repo, chalk: Inside) -> None:
    repo.write("src/a.py", "a\n")
    start = repo.commit()
    when = ["file:src/a.py changes"]
    waits = repo.record(
        route="waits", observation="why", reopens_when=when, at_commit=start, files=["src/a.py"]
    )
    base = repo.commit()
    repo.write("src/a.py", "b\n")
    first = repo.commit()
    (found,) = told.findings(chalk, base)  # and `touches` does not say it again
    assert (found["rule"], found["record"], found["path"]) == ("reopens", waits.id, "src/a.py")
    assert found["message"] == f"this change reopens {waits.id} “waits”: src/a.py changes here"
    assert found["mend"] == f'chalkgit retire {waits.id} --because "…"'
    assert found["details"] == [
        f"where it holds all the same: chalkgit correct {waits.id} --reopens-when RULE"
    ]
    repo.write("src/a.py", "c\n")
    repo.commit()
    assert [f["rule"] for f in told.findings(chalk, first)] == ["touches"]  # it was open before


def test_references_that_lead_nowhere_are_told_where_they_are_made(repo: Repo, chalk: Inside) -> None:
    record, other = repo.record(), repo.record(route="another", observation="why", supersedes=["n0where0"])
    base = repo.commit()
    edit(repo, other, tags=["a"])
    edit(repo, record, supersedes=["n0where1"])
    repo.commit()
    assert told.ids(chalk, base, "dangles") == [record.id]
    edit(repo, record, supersedes=None)
    file = repo.root / record.path
    file.write_text(file.read_text() + "settled: no-such-tag\n")
    repo.commit()
    (found,) = told.of(chalk, base, "dangles")
    assert found["message"].endswith(" is settled by no-such-tag, which is no commit here")
    edit(repo, record, settled=base)
    repo.commit()
    assert told.of(chalk, base, "dangles") == []


def test_a_circle_and_a_fork_are_told_by_the_change_that_closes_them(repo: Repo, chalk: Inside) -> None:
    one = repo.record(route="one", observation="why")
    two = repo.record(route="two", observation="why", supersedes=[one.id])
    base = repo.commit()
    edit(repo, one, supersedes=[two.id])
    closed = repo.commit()
    (words,) = told.rules(chalk, base)["dangles"]
    assert "closes a circle of supersession (" in words
    assert words.endswith("none of these is ever recalled")
    edit(repo, one, tags=["a"])
    repo.commit()
    assert "dangles" not in told.rules(chalk, closed)
    edit(repo, one, supersedes=None)
    base = repo.commit()
    three = repo.record(route="three", observation="why", supersedes=[one.id])
    repo.commit()
    (found,) = told.of(chalk, base, "contradicts")
    assert found["record"] == three.id
    assert found["message"].endswith(f"supersedes {one.id}, and so does {two.id} “two”: which of them holds?")
