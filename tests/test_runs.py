"""The earlier failed runs of a work tree, and what makes two of its states the same."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from repository import Repo

from chalkgit import thresholds
from chalkgit.store import content, git, journal, journal_file, ledger, runs
from chalkgit.store import place as places
from chalkgit.store.journal import Showing
from chalkgit.store.runs import Past

RUN = Past("recall", ticket="T-1", fingerprint="v1:a", error="E", tests=["a::b"], tree="abc", code=1, at=5)


def _as_row(run: Past) -> tuple[object, ...]:
    return tuple(getattr(run, name) for name in Past.__slots__)


# --- runs -----------------------------------------------------------------------------------------


def test_a_run_is_read_as_it_was_kept_and_the_newest_first(repo: Repo) -> None:
    least = Past("pytest", at=6)
    odd = Past("recall", error="a\0b \udcff ünder \n", tests=["t[\udcff]", "t[\0]"], code=-9, at=7)
    for run in (RUN, least, odd):
        assert runs.record(repo.place, run) is None
    assert [_as_row(run) for run in runs.earlier(repo.place, "T-1")] == [_as_row(RUN)]
    found = runs.earlier(repo.place)
    assert [run.at for run in found] == [7, 6]
    assert _as_row(found[1]) == _as_row(least)
    assert found[0].error == "a\0b ? ünder \n"
    assert found[0].tests == ("t[\udcff]", "t[\0]")
    assert [run.at for run in runs.earlier(repo.place, most=1)] == [7]


def test_where_nothing_was_kept_there_is_nothing_and_nothing_is_made(repo: Repo) -> None:
    assert runs.earlier(repo.place) == []
    assert not Path(journal_file.path(repo.place)).exists()


def test_each_work_tree_has_its_own_runs_and_all_have_one_journal(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    other = places.find(str(tmp_path / "other"))
    runs.record(repo.place, RUN)
    assert runs.earlier(other, "T-1") == []
    runs.record(other, RUN)
    assert len(runs.earlier(other, "T-1")) == len(runs.earlier(repo.place, "T-1")) == 1
    assert journal_file.path(other) == journal_file.path(repo.place)


def test_it_is_private_and_lives_beside_the_showings(repo: Repo) -> None:
    shown = Showing("src/a.py", "k7q2m9xd", "hash", 80)
    runs.record(repo.place, RUN)
    journal.record(repo.place, "s", "save", [shown])
    runs.record(repo.place, RUN)
    file = Path(journal_file.path(repo.place))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert journal.seen(repo.place, "s", ["src/a.py"]) == {shown.key}
    assert journal.count(repo.place) == 1
    assert len(runs.earlier(repo.place, "T-1")) == 2


def test_the_oldest_go(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ledger.BOUNDS, "runs", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 10)
    for number in range(45):
        runs.record(repo.place, Past("recall", at=number))
    kept = [run.at for run in runs.earlier(repo.place, most=1_000)]
    assert kept == list(range(44, 44 - len(kept), -1))
    assert 20 <= len(kept) <= 30


def test_more_failing_tests_than_can_be_kept_are_not_known_rather_than_cut(repo: Repo) -> None:
    few, many = [f"a::test_{n}" for n in range(100)], [f"a::test_{n}" for n in range(10_000)]
    for tests in (few, many):
        assert runs.record(repo.place, Past("recall", tests=tests)) is None
    assert [run.tests for run in runs.earlier(repo.place)] == [(), tuple(few)]


def test_a_damaged_journal_is_put_aside_and_the_run_is_kept(repo: Repo) -> None:
    runs.record(repo.place, RUN)
    file = Path(journal_file.path(repo.place))
    file.write_bytes(b"no database at all" * 100)
    assert runs.earlier(repo.place, "T-1") == []
    assert runs.record(repo.place, RUN) is None
    assert len(runs.earlier(repo.place, "T-1")) == 1
    assert file.with_name("journal.db.damaged").exists()


def test_a_table_of_another_shape_is_begun_again_and_costs_no_showing(repo: Repo) -> None:
    shown = Showing("src/a.py", "k7q2m9xd", "hash", 80)
    journal.record(repo.place, "s", "save", [shown])
    with sqlite3.connect(journal_file.path(repo.place)) as database:
        database.execute("create table runs (at integer, what text)")
    database.close()
    assert runs.earlier(repo.place, "T-1") == []
    assert runs.record(repo.place, RUN) is None
    assert len(runs.earlier(repo.place, "T-1")) == 1
    assert journal.seen(repo.place, "s", ["src/a.py"]) == {shown.key}


def test_a_row_that_is_none_of_ours_is_passed_over(repo: Repo) -> None:
    for at in range(6):
        runs.record(repo.place, Past("recall", at=at, tests=["a"]))
    with sqlite3.connect(journal_file.path(repo.place)) as database:
        for at, (column, value) in enumerate(
            [("tests", "{}"), ("tests", "[1]"), ("tests", "no json"), ("tree", b"\xff"), ("code", "one")]
        ):
            database.execute(f"update runs set {column} = ? where at = ?", (value, at))
    database.close()
    assert [run.at for run in runs.earlier(repo.place)] == [5]


def test_a_link_in_the_journals_place_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.root / ".git" / "chalkgit-journal").symlink_to(outside)
    assert "symbolic link" in (runs.record(repo.place, RUN) or "")
    assert runs.earlier(repo.place, "T-1") == []
    assert list(outside.iterdir()) == []


def test_a_journal_that_cannot_be_written_says_why(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 0.05)
    runs.record(repo.place, RUN)
    with sqlite3.connect(journal_file.path(repo.place)) as database:
        database.execute("begin immediate")
        assert "locked" in (runs.record(repo.place, RUN) or "")
    database.close()
    assert len(runs.earlier(repo.place, "T-1")) == 1
    assert "INTEGER" in (runs.record(repo.place, Past("recall", code=1 << 70)) or "")


# --- the content of a work tree ---------------------------------------------------------------------


@pytest.fixture(name="tree")
def tree_fixture(repo: Repo) -> Repo:
    """A repository with a few committed files, one of them ignored."""
    for path in ("a.py", "src/b.py", "src/c.sh"):
        repo.write(path, f"{path}\n")
    repo.write(".gitignore", "build/\n")
    repo.write("build/out", "1\n")
    (repo.root / "link").symlink_to("a.py")
    repo.commit()
    return repo


def _identity(repo: Repo, *without: str) -> str:
    found = content.identity(repo.place, without)
    assert found is not None
    return found


CHANGES: dict[str, Callable[[Repo], object]] = {
    "a changed file": lambda r: r.write("a.py", "b.py\n"),
    "a new file": lambda r: r.write("new.py", "new\n"),
    "a new empty file": lambda r: r.write("new.py", ""),
    "a file that is gone": lambda r: (r.root / "a.py").unlink(),
    "a renamed file": lambda r: (r.root / "a.py").rename(r.root / "z.py"),
    "a file with its mode": lambda r: (r.root / "src/c.sh").chmod(0o755),
    "a file in a folder's place": lambda r: ((r.root / "a.py").unlink(), r.write("a.py/b", "x")),
    "a link elsewhere": lambda r: ((r.root / "link").unlink(), (r.root / "link").symlink_to("src/b.py")),
    "a link made a file": lambda r: ((r.root / "link").unlink(), r.write("link", "a.py")),
    "a name of other bytes": lambda r: Path(os.fsdecode(os.fsencode(r.root) + b"/\xff.py")).touch(),
    "a name with a line end": lambda r: (r.root / "a\nb.py").touch(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_differs_is_another_content_and_undone_the_same(tree: Repo, change: str) -> None:
    before = _identity(tree)
    CHANGES[change](tree)
    changed = _identity(tree)
    assert changed != before
    # staged or committed, it is the same content
    tree.git("add", "-A")
    assert _identity(tree) == changed
    tree.git("commit", "-q", "-m", "it")
    assert _identity(tree) == changed
    tree.git("reset", "-q", "--hard", "HEAD^")
    assert _identity(tree) == before


def test_what_is_staged_in_part_and_unstaged_changes_nothing(tree: Repo) -> None:
    tree.write("a.py", "one\n")
    tree.git("add", "a.py")
    tree.write("a.py", "two\n")
    before = _identity(tree)
    tree.git("reset", "-q")
    assert _identity(tree) == before
    tree.git("rm", "-q", "--cached", "src/b.py")
    assert _identity(tree) == before
    tree.write("a.py", "one\n")
    assert _identity(tree) != before


def test_a_touched_file_is_the_same(tree: Repo) -> None:
    before = _identity(tree)
    os.utime(tree.root / "a.py", (1, 1))
    assert _identity(tree) == before


def test_what_a_run_leaves_behind_is_no_change_and_other_files_are(tree: Repo) -> None:
    before = _identity(tree)
    for path in ("build/out", "src/__pycache__/b.pyc", ".pytest_cache/v", "node_modules/x/y.js", ".coverage"):
        tree.write(path, "2\n")
    tree.record("lesson")
    assert _identity(tree) == before
    tree.write("report.xml", "<testsuite/>")
    assert _identity(tree, "report.xml", "./out.txt") == before
    assert _identity(tree) != before


def test_another_work_tree_with_the_same_content_has_the_same_word(tree: Repo, tmp_path: Path) -> None:
    tree.git("worktree", "add", "-q", str(tmp_path / "other"))
    assert content.identity(places.find(str(tmp_path / "other"))) == _identity(tree)


def test_a_repository_without_a_commit_has_a_content_too(repo: Repo) -> None:
    before = _identity(repo)
    repo.write("a.py", "a\n")
    assert _identity(repo) != before


def test_a_conflict_is_what_the_files_say(tree: Repo) -> None:
    tree.git("checkout", "-q", "-b", "side")
    tree.write("a.py", "side\n")
    tree.commit()
    tree.git("checkout", "-q", "main")
    tree.write("a.py", "main\n")
    tree.commit()
    with pytest.raises(AssertionError):
        tree.git("merge", "-q", "side")
    before = _identity(tree)
    assert _identity(tree) == before
    tree.write("a.py", "both\n")
    resolved = _identity(tree)
    assert resolved != before
    tree.git("add", "a.py")
    assert _identity(tree) == resolved


def test_a_submodule_counts_by_its_commit(tree: Repo, another: Callable[[str], Repo]) -> None:
    other = another("other")
    other.commit()
    tree.git("submodule", "--quiet", "add", str(other.root), "sub")
    tree.commit()
    before = _identity(tree)
    inside = Repo(tree.root / "sub")
    inside.write("x", "not committed\n")
    assert _identity(tree) == before
    inside.commit()
    moved = _identity(tree)
    assert moved != before
    tree.git("add", "sub")
    assert _identity(tree) == moved


def test_a_larger_file_counts_by_its_size_and_time(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "WATCH_BYTES", 10)
    tree.write("data", "x" * 11)
    before = _identity(tree)
    assert _identity(tree) == before
    tree.write("data", "x" * 12)
    assert _identity(tree) != before


def test_nothing_of_the_users_is_touched(tree: Repo) -> None:
    tree.write("a.py", "changed\n")
    tree.write("new.py", "new\n")
    os.utime(tree.root / "src/b.py", (1, 1))
    everything = sorted(tree.root.rglob("*"))
    index = (tree.root / ".git/index").read_bytes()
    _identity(tree)
    assert sorted(tree.root.rglob("*")) == everything
    assert (tree.root / ".git/index").read_bytes() == index
    assert tree.git("diff", "--cached", "--name-only") == ""


def test_where_it_is_too_much_or_git_cannot_tell_it_is_unknown(
    tree: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(content, "FILES", 1)
        tree.write("new.py", "new\n")
        assert content.identity(tree.place) is not None
        tree.write("newer.py", "new\n")
        assert content.identity(tree.place) is None
    tree.write(".git/index", b"no index")
    assert content.identity(tree.place) is None


def test_no_child_is_left_where_git_takes_too_long(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tree.root.parent / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 100\n")
    program.chmod(0o755)
    place = tree.place
    monkeypatch.setattr(git, "_found", [str(program)])
    monkeypatch.setattr(content, "SECONDS", 0.2)
    before = time.monotonic()
    files, others = len(os.listdir("/dev/fd")), _children()
    assert content.identity(place) is None
    assert time.monotonic() - before < 20
    assert len(os.listdir("/dev/fd")) <= files  # what other tests left open may be closed meanwhile
    assert _children() <= others


def _children() -> set[str]:
    """The processes that this one started and that are there, ended or not."""
    listed = subprocess.run(["ps", "-axo", "pid=,ppid=,comm="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    return {row[0] for row in rows if row[1] == str(os.getpid()) and row[2] != "ps"}
