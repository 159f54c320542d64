"""forget erases a record on this machine, everywhere and for good, and a killed run is finished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forgotten import ABOUT, leaking
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME, homes_fixture, minilm_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import forgetting
from chalkgit.index import erasing as derived
from chalkgit.store import erasing, journal


@pytest.fixture(name="known")
def known_fixture(
    repo: Repo, chalk: Inside, copied_once: None, homes: Path, minilm: Path
) -> tuple[Repo, str]:
    """A repository whose index, vectors, journal and linked work tree know a record; and its id."""
    assert chalk("model", "use", str(minilm), "--name", NAME).code == 0
    repo.write("src/a.py", "1\n")
    record = repo.record(**ABOUT)
    for n in range(8):
        repo.record(route=f"sort the queue number {n}", observation="it was long")
    repo.commit()
    linked = repo.root.parent / "linked"
    repo.git("worktree", "add", "-q", str(linked))
    for root in (repo.root, linked):
        assert chalk("check", "warm the zebrafish cache", cwd=root).code == 1
    # a changed record leaves its old text in free pages and deleted documents
    assert chalk("correct", record.id, "--because", "the quokka went very stale").code == 0
    assert chalk("check", "warm the zebrafish cache").code == 1
    assert chalk("hook", "save", "src/a.py").code == 0
    showing = journal.Showing("src/a.py", record.id, "0" * 16, 20)
    assert journal.record(repo.place, "someone", "lsp", [showing]) is None
    return repo, record.id


def test_after_it_no_file_of_the_git_directory_holds_the_words(
    known: tuple[Repo, str], chalk: Inside
) -> None:
    repo, record_id = known
    before = leaking(repo.root)
    assert any("words" in name or "table.db" in name for name in before)
    assert any("worktrees" in name for name in before)
    done = chalk("forget", record_id, "--yes")
    assert done.code == 0, done
    assert leaking(repo.root) == []
    assert journal.count(repo.place) == 0
    assert chalk("check", "warm the zebrafish cache").code == 0
    assert chalk("check", "warm the zebrafish cache", cwd=repo.root.parent / "linked").code == 0
    assert leaking(repo.root) == []
    # the others are still there, and their vectors were not made anew
    assert chalk("check", "sort the queue number 3").code == 1


def test_vectors_of_the_record_are_gone_and_those_of_others_stay(
    known: tuple[Repo, str], chalk: Inside
) -> None:
    repo, record_id = known
    (rows,) = (repo.root / ".git/chalkgit/vectors").glob("*/rows")
    (data,) = (repo.root / ".git/chalkgit/vectors").glob("*/data")
    assert record_id.encode() in rows.read_bytes()
    size = data.stat().st_size
    chalk("forget", record_id, "--yes")
    assert record_id.encode() not in rows.read_bytes()
    assert 0 < data.stat().st_size < size
    assert chalk.json("check", "sort the queue number 3", code=1)["semantic"]["covered"] == 8


def test_vectors_that_a_crash_left_torn_are_taken_away_whole(known: tuple[Repo, str], chalk: Inside) -> None:
    repo, record_id = known
    (data,) = (repo.root / ".git/chalkgit/vectors").glob("*/data")
    with data.open("ab") as file:
        file.write(b"\1" * 1536)
    chalk("forget", record_id, "--yes")
    assert not data.exists()
    assert chalk.json("check", "sort the queue number 3", code=1)["semantic"]["covered"] == 8


@pytest.mark.parametrize("step", ["files", "derived", "shown"])
def test_a_run_that_is_killed_is_finished_by_the_next(
    known: tuple[Repo, str], chalk: Inside, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    repo, record_id = known
    module: Any = derived if step == "derived" else erasing
    calls: list[int] = []
    real: Callable[..., object] = getattr(module, step)

    def killed(*args: Any, **how: Any) -> object:
        calls.append(1)
        if len(calls) > 1 or step != "shown":  # the first time it counts
            raise KeyboardInterrupt
        return real(*args, **how)

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            forgetting.erase(forgetting.traces(repo.place, record_id))
    assert leaking(repo.root) != []
    assert chalk("forget", record_id, "--yes").code == 0
    assert leaking(repo.root) == []
    assert journal.count(repo.place) == 0


def test_traces_of_a_file_that_was_deleted_by_hand_are_erased_by_the_whole_id(
    known: tuple[Repo, str], chalk: Inside
) -> None:
    repo, record_id = known
    for root in (repo.root, repo.root.parent / "linked"):
        for file in root.glob(f".lessons/**/*{record_id}.yaml"):
            file.unlink()
    repo.git("rm", "-rq", "--cached", ".lessons")
    assert leaking(repo.root) != []
    assert "give all eight characters" in chalk("forget", record_id[:5], "--yes").err
    assert leaking(repo.root) != []
    assert chalk("forget", record_id, "--yes").code == 0
    assert leaking(repo.root) == []


def test_a_removed_work_tree_leaves_nothing_behind(known: tuple[Repo, str], chalk: Inside) -> None:
    repo, record_id = known
    (repo.root.parent / "linked").rename(repo.root.parent / "away")
    assert any("worktrees" in name for name in leaking(repo.root))
    assert chalk("forget", record_id, "--yes").code == 0
    assert leaking(repo.root) == []


def test_from_a_linked_work_tree_the_main_one_is_erased_too(known: tuple[Repo, str], chalk: Inside) -> None:
    repo, record_id = known
    linked = repo.root.parent / "linked"
    found = chalk.json("forget", record_id, "--yes", cwd=linked)
    assert {row["root"] for row in found["files"]} == {str(repo.root), str(linked)}
    assert leaking(repo.root) == []
    assert repo.git("status", "--porcelain", "--", ".lessons").startswith("D ")
