"""Disks that fail, processes that die or compete: what cannot be written is answered from memory."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from derived import agreed, derived, file_of, filled_fixture, state  # noqa: F401
from faults import Count, failing, until_it_passes
from repository import Repo

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import lexical, moves, refresh, rows, table
from chalkgit.store import worktree

ASK = (
    "import sys\nfrom chalkgit.index import refresh\nfrom chalkgit.store import place\n"
    "p = place.find(sys.argv[1])\n"
)


def test_whichever_write_fails_the_answer_is_right_and_the_next_one_is_written(filled: Repo) -> None:
    def run(n: int) -> Count:
        record = filled.record(route=f"prune the tree {n}")
        with failing(n) as count:
            index = refresh.up_to_date(filled.place)
        assert record.id in index.table.ids()
        assert state(index) == state(refresh.in_memory(filled.place, worktree.look(filled.place), OSError()))
        agreed(filled)
        return count

    assert until_it_passes(run) > 4


def test_whichever_write_fails_in_a_rebuild_nothing_is_left_lying(filled: Repo) -> None:
    def run(n: int) -> Count:
        with failing(n) as count:
            index = refresh.up_to_date(filled.place, rebuild=True)
        assert index.folder is not None or str(index.unwritten).startswith("the index cannot be written")
        assert index.table.count(("dead-end",)) == 6
        agreed(filled)
        # at most the one that could not be removed, and it goes with the next rebuild
        assert len([name for name in os.listdir(derived(filled)) if name.startswith("g")]) <= 2
        return count

    assert until_it_passes(run) > 4
    refresh.up_to_date(filled.place, rebuild=True)
    names = os.listdir(derived(filled))
    assert len([name for name in names if name.startswith("g")]) == 1
    assert not [name for name in names if name.endswith(".tmp")]


@pytest.mark.parametrize("limit", [0, 1, 4096, 20_000])
def test_a_full_disk_is_answered_from_memory(filled: Repo, limit: int) -> None:
    """No file may grow past a limit: that stops SQLite and tantivy as well."""
    filled.record(route="prune the tree")
    code = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "import sys; from chalkgit.__main__ import main\n"
        "sys.argv = ['chalkgit', 'check', 'prune the tree', '--here']; main()\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-c", code], cwd=filled.root, capture_output=True, check=False
        )
        assert done.returncode == 1, done.stderr
        assert b"(8 records searched)" in done.stdout
        assert b"Traceback" not in done.stderr
    agreed(filled)
    assert len([name for name in os.listdir(derived(filled)) if name.startswith("g")]) == 1


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="only root can mount")
@pytest.mark.parametrize("built", [True, False])
def test_a_read_only_git_directory_is_answered_from_memory(filled: Repo, built: bool) -> None:
    if not built:
        shutil.rmtree(derived(filled))
    filled.record(route="prune the tree")
    mount = "mount --bind .git .git && mount -o remount,ro,bind .git"
    ask = f"'{sys.executable}' -I -m chalkgit"
    script = f"{mount} || exit 77\n{ask} check --here 'prune the tree' && exit 1\n{ask} at src/3.py"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], cwd=filled.root, capture_output=True, text=True, check=False
    )
    if done.returncode in (1, 77) and not done.stdout:
        pytest.skip("mounting is not allowed here")
    assert "(8 records searched)" in done.stdout
    assert "number 3" in done.stdout
    assert "the index cannot be written (Read-only file system): answered from the files" in done.stderr
    assert agreed(filled).folder is not None


def test_a_write_refused_by_the_table_alone_is_answered_from_memory(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.record(route="prune the tree")
    write = table.Table.write

    def full(self: table.Table, statements: object) -> None:
        if self._db.execute("pragma database_list").fetchall()[0][2]:
            raise ChalkError("the index cannot be written: database or disk is full")
        write(self, statements)  # type: ignore[arg-type]

    monkeypatch.setattr(table.Table, "write", full)
    index = refresh.up_to_date(filled.place)
    assert "disk is full" in str(index.unwritten)
    assert index.table.count(("dead-end",)) == 7
    monkeypatch.undo()
    agreed(filled)


def test_two_processes_refresh_at_once_and_both_answer(filled: Repo) -> None:
    for rebuild in (False, True):
        for n in range(30):
            filled.record(route=f"prune the tree {n}")
        expected = len(worktree.look(filled.place).paths)
        code = f"{ASK}i = refresh.up_to_date(p, rebuild={rebuild})\nprint(len(i.table.ids()), i.words.count)"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(filled.root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            for _ in range(3)
        ]
        said = [child.communicate() for child in children]
        assert {int(out.split()[0]) for out, _ in said} == {expected}, said
    agreed(filled)


def test_a_refresh_killed_anywhere_costs_nothing(filled: Repo) -> None:
    code = f"{ASK}print('ready', flush=True)\nfrom chalkgit.index import lexical, rows\nrefresh.up_to_date(p)"
    random_ = random.Random(11)
    for n in range(8):
        for m in range(40):
            filled.record(route=f"prune the tree {n} {m}")
        child = subprocess.Popen([sys.executable, "-c", code, str(filled.root)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(random_.uniform(0, 0.16))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        agreed(filled)
    assert len([name for name in os.listdir(derived(filled)) if name.startswith("g")]) == 1


def test_a_lock_that_is_held_too_long_is_answered_from_memory(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "LOCK_SECONDS", 0.05)
    filled.record(route="prune the tree")
    with refresh.lock(filled.place):
        index = refresh.up_to_date(filled.place)
        assert "another process holds the index's lock" in str(index.unwritten)
        assert index.table.count(("dead-end",)) == 7
    agreed(filled)


def test_a_disk_that_refuses_what_is_only_kept_for_speed_changes_no_answer(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    time.sleep(0.15)
    index = agreed(filled)

    def refuse(self: object, statements: object) -> None:
        raise ChalkError("the index cannot be written: attempt to write a readonly database")

    monkeypatch.setattr(table.Table, "write", refuse)
    assert refresh.up_to_date(filled.place).folder is not None
    moves._keep(index, {}, {"a": "b"}, "x")
    assert rows.key_of("src/*.py") == ("src/*.py", "glob")


def test_a_busy_table_is_said_to_be_busy_and_not_damaged(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(file_of(filled, "table.db"))
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("begin exclusive")
    waiting = table.sqlite.connect
    monkeypatch.setattr(table.sqlite, "connect", lambda *a, **k: waiting(*a, **{**k, "timeout": 0.05}))
    index = None
    try:
        index = refresh.up_to_date(filled.place)
        assert index.table.count(("dead-end",)) == 6
    finally:
        holder.execute("rollback")
        holder.close()
    monkeypatch.undo()
    agreed(filled)


def test_words_cut_anywhere_are_damaged_and_never_a_panic(filled: Repo, tmp_path: Path) -> None:
    index = refresh.up_to_date(filled.place)
    assert index.folder is not None
    words = Path(index.folder) / "words"
    seen = set()
    for file in sorted(path for path in words.iterdir() if path.is_file()):
        length = file.stat().st_size
        for size in {0, 1, 4, 8, 9, 16, length // 2, length - 1}:
            if not 0 <= size < length:
                continue
            # a copy of its own: a file that is mapped into memory must not shrink
            cut = tmp_path / f"{file.name}-{size}"
            shutil.copytree(words, cut)
            os.truncate(cut / file.name, size)
            try:
                found = lexical.Lexical(str(cut))
                found.search("warm the cache", 9)
                found.frequency("cache")
            except lexical.Damaged as error:
                seen.add(type(error.__cause__).__name__)
    assert "PanicException" in seen  # what is translated is met here
    assert lexical.Lexical(str(words)).search("warm the cache", 9)
