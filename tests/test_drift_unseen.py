"""Where a clone is cut off, that nobody can tell what moved since is said, and costs nothing elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import drift
from chalkgit.records.record import Record

ROUTE, UNSHALLOW = "cache the index in memory", "git fetch --unshallow"
LACKS = "is unknown: this clone does not reach back to it"


@pytest.fixture(name="record")
def record_fixture(repo: Repo) -> Record:
    """A record that a file reopens, which two commits have changed since."""
    repo.write("src/idx.py", "a")
    at = repo.commit()
    fields: dict[str, Any] = {
        "files": ["src/idx.py"],
        "reopens-when": ["file:src/idx.py changes"],
        "at-commit": at,
    }
    record = repo.record(route=ROUTE, observation="stale answers", **fields)
    repo.commit()
    for text in "bc":
        repo.write("src/idx.py", text)
        repo.commit(text)
    return record


def cloned(repo: Repo, folder: Path, depth: int) -> Inside:
    repo.git("clone", "-q", "--depth", str(depth), repo.root.as_uri(), str(folder))
    return Inside(folder, pytest.MonkeyPatch())


@pytest.mark.parametrize("question", [("at", "src/idx.py"), ("check", ROUTE)], ids=["at", "check"])
def test_a_shallow_clone_says_that_what_moved_since_is_unknown(
    repo: Repo, chalk: Inside, record: Record, tmp_path: Path, question: tuple[str, str]
) -> None:
    clone = cloned(repo, tmp_path / "clone", 1)
    result = clone(*question, "--json")
    assert f"what has changed since {record.id} was written {LACKS} ({UNSHALLOW})" in result.err
    (row,) = json.loads(result.out)["rulings"]
    assert (row["drift"], row["reopened"]) == (None, None)
    assert sorted(row["unknown"]) == ["commit", "drift", "recorded_at", "reopened"]
    said = clone(*question).out
    assert "reopened: unknown, as this clone is cut off" in said
    assert "since:    unknown, as this clone is cut off" in said
    result = chalk(*question, "--json")
    (row,) = json.loads(result.out)["rulings"]
    assert row["unknown"] == []
    assert row["drift"] == "2 commits since have touched src/idx.py"
    assert row["reopened"] == "src/idx.py has changed since"
    assert LACKS not in result.err
    # what a shallow clone can see it says
    row = json.loads(cloned(repo, tmp_path / "deep", 4)(*question, "--json").out)["rulings"][0]
    assert (row["reopened"], row["drift"] is not None) == ("src/idx.py has changed since", True)


def test_a_batch_says_it_once_and_each_answer_says_it_of_its_own(
    repo: Repo, record: Record, tmp_path: Path
) -> None:
    other = repo.record(
        route="poll the queue", files=["src/idx.py"], **{"at-commit": record.get("at-commit")}
    )
    repo.commit()
    clone = cloned(repo, tmp_path / "clone", 1)
    result = clone("check", "--batch", "-", stdin=f"{ROUTE}\npoll the queue\n")
    assert result.err.count(LACKS) == 1
    rows = [json.loads(line)["rulings"][0] for line in result.out.splitlines()]
    assert [row["id"] for row in rows] == [record.id, other.id]
    assert all("drift" in row["unknown"] for row in rows)


def test_list_and_show_say_that_a_reopening_is_unknown(
    repo: Repo, chalk: Inside, record: Record, tmp_path: Path
) -> None:
    clone = cloned(repo, tmp_path / "clone", 1)
    for question in (("list",), ("show", record.id)):
        assert LACKS in clone(*question).err
        assert "reopened" in clone.json(*question)["records"][0]["unknown"]
        assert chalk(*question).err == ""
        assert chalk.json(*question)["records"][0]["reopened"] == "src/idx.py has changed since"


def test_a_rule_that_is_met_is_told_beside_one_that_nobody_can_tell(
    repo: Repo, record: Record, tmp_path: Path
) -> None:
    rules = ["file:src/idx.py changes", "date:2026-01-01"]
    both = repo.record(route="both", **{"at-commit": record.get("at-commit"), "reopens-when": rules})
    repo.commit()
    (row,) = cloned(repo, tmp_path / "clone", 1).json("show", both.id)["records"]
    assert row["reopened"] == "2026-01-01 has come"
    assert "reopened" not in row["unknown"]


def test_an_unknown_commit_of_a_whole_clone_is_no_edge(repo: Repo, record: Record) -> None:
    root, nowhere = str(repo.root), "0" * 39 + "1"
    assert drift.measure(root, [(nowhere, ["src/idx.py"])]) == [None]
    assert drift.touched(root, nowhere, "src/idx.py") is False
    assert drift.touched(root, record.text("at-commit"), "src/idx.py") is True


def test_a_graft_hides_what_moved_since(repo: Repo, record: Record) -> None:
    root, asked = str(repo.root), [(record.text("at-commit"), ["src/idx.py"])]
    assert drift.measure(root, asked) == ["2 commits since have touched src/idx.py"]
    repo.write(".git/info/grafts", repo.git("rev-parse", "HEAD") + "\n")
    assert drift.measure(root, asked) == [drift.UNSEEN]
    assert drift.touched(root, record.text("at-commit"), "src/idx.py") is None


def test_a_whole_clone_is_asked_nothing_more(
    repo: Repo, chalk: Inside, record: Record, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from chalkgit.store import history

    asked: list[str] = []
    deepen = history.deepen

    def counted(place: object) -> str:
        asked.append(str(place))
        return deepen(place)  # type: ignore[arg-type]

    monkeypatch.setattr(history, "deepen", counted)
    assert chalk("at", "src/idx.py").code == 0
    assert chalk("check", ROUTE).code == 1
    assert asked == []
    cloned(repo, tmp_path / "clone", 1)("at", "src/idx.py")
    assert len(asked) == 1
