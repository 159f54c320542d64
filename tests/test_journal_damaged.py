"""Whatever is in the journal's place, and whatever the disk does: rows are lost, and never an answer."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from faults import Count, failing, until_it_passes
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from pool import output
from repository import Repo

from chalkgit import thresholds
from chalkgit.cli import crash
from chalkgit.store import journal, journal_file, ledger, questions
from chalkgit.store.journal import Showing
from chalkgit.store.questions import Asked

ROUTE = "cache the parsed manifest between runs"


@pytest.fixture(name="ruled")
def ruled_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="the tests went stale", files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    return repo


# --- what may be in its place ---------------------------------------------------------------------


def _folder_in_its_place(file: Path) -> None:
    file.mkdir()


def _no_database(file: Path) -> None:
    file.write_bytes(b"no database at all" * 300)


def _triggers(file: Path) -> None:
    """It would grow without end, if it were used."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("create table asked (id text, at integer)")
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i, i from n"
        database.execute(f"create trigger more after insert on asked begin insert into asked {endless}; end")


def _rules(file: Path) -> None:
    """A row would be counted through before it is written."""
    endless = "(length(hex(randomblob(100000000))) > 0)"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        columns = ", ".join(f"{name} {kind}" for name, kind in ledger.TABLES["asked"].items())
        database.execute(f"create table asked ({columns}, check ({' and '.join([endless] * 20)}))")


def _fifo_beside_it(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("create table asked (id text, at integer)")
    os.mkfifo(f"{file}-journal")


def _views(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
        database.execute(f"create view runs as {endless}")


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a link to a file": lambda file: file.symlink_to(file.parent.parent / "config"),
    "a link to nothing": lambda file: file.symlink_to(file.parent / "nothing"),
    "a folder": _folder_in_its_place,
    "no database": _no_database,
    "an empty file": Path.touch,
    "triggers": _triggers,
    "views": _views,
    "rules": _rules,
    "a FIFO beside it": _fifo_beside_it,
}


@pytest.mark.parametrize("what", IN_ITS_PLACE)
def test_whatever_is_in_its_place_answers_are_the_same(ruled: Repo, chalk: Inside, what: str) -> None:
    ruled.write("out.txt", output())
    questions_ = [("check", ROUTE), ("at", "src/a.py"), ("recall", "--output", "out.txt")]
    good = [chalk(*words) for words in questions_]
    file = Path(journal_file.path(ruled.place))
    shutil.rmtree(file.parent)
    file.parent.mkdir(mode=0o700)
    IN_ITS_PLACE[what](file)
    config = (ruled.root / ".git/config").read_bytes()
    for words, answer in zip(questions_, good, strict=True):
        found = chalk(*words)
        assert (found.code, found.out) == (answer.code, answer.out)
        assert "Traceback" not in found.err
    for words in (("journal", "status"), ("doctor",), ("journal", "off"), ("journal", "on")):
        assert chalk(*words).code == 0, words
    assert (ruled.root / ".git/config").read_bytes() == config
    assert not list(file.parent.glob("nothing"))
    taken = what in ("no database", "an empty file", "triggers", "views", "rules", "a FIFO beside it")
    assert bool(asked(ruled)) == taken


def test_a_damaged_journal_is_no_export_and_says_what_helps(ruled: Repo, chalk: Inside) -> None:
    chalk("check", ROUTE)
    assert chalk("journal", "export").code == 0
    Path(journal_file.path(ruled.place)).write_bytes(b"no database at all" * 300)
    for words in (("journal", "export"), ("journal", "prune", "--keep", "0")):
        result = chalk(*words)
        assert result.code == 2
        assert "hint: chalkgit doctor" in result.err
    assert "cannot be read" in chalk("journal", "status").out


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES], ids=os.strerror)
def test_a_disk_that_takes_nothing_costs_the_rows_and_no_answer(
    ruled: Repo, chalk: Inside, number: int
) -> None:
    good = chalk("check", ROUTE)
    shutil.rmtree(Path(journal_file.path(ruled.place)).parent)

    def run(n: int) -> Count:
        with failing(n, number) as count:
            place = ruled.place
            refused = questions.keep(place, [Asked("check", "check", verdict="clear")])
        assert (refused is not None) == count.failed
        if not count.failed:
            assert len(asked(ruled)) == 1
        return count

    assert until_it_passes(run) >= 1
    shutil.rmtree(Path(journal_file.path(ruled.place)).parent)
    with failing(-1, number):
        assert chalk("check", ROUTE)[:2] == good[:2]
    assert asked(ruled) == []
    assert chalk("check", ROUTE) == good
    assert len(asked(ruled)) == 1


def test_a_page_that_cannot_be_written_costs_the_rows_alone(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = chalk("check", ROUTE)
    real = journal_file.opened

    def full(place: Any) -> Any:
        database = real(place)
        database.execute("pragma max_page_count = 1")
        return database

    with monkeypatch.context() as patch:
        patch.setattr(journal_file, "opened", full)
        # what fits into the pages that are there is kept
        while ledger.add(ruled.place, {"asked": [{"at": 1, "verdict": "e" * 900}]}) is None:
            assert len(rows(ruled, "asked")) < 100
        before = len(rows(ruled, "asked"))
        assert "full" in (ledger.add(ruled.place, {"runs": [{"at": 1, "error": "e" * 20_000}]}) or "")
        assert chalk("check", ROUTE) == good
    assert before <= len(rows(ruled, "asked")) <= before + 1
    assert chalk("check", ROUTE) == good


def test_a_folder_that_takes_no_writes_costs_the_rows_and_no_answer(ruled: Repo, chalk: Inside) -> None:
    good = chalk("check", ROUTE)
    folder = Path(journal_file.path(ruled.place)).parent
    shutil.rmtree(folder)
    folder.mkdir(mode=0o500)
    if os.geteuid() == 0:  # whom no mode stops, but a mount does
        ask = shlex.join([sys.executable, "-I", "-m", "chalkgit", "check", ROUTE])
        mount = f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{mount} || exit 77\n{ask}"],
            cwd=ruled.root,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 77:
            pytest.skip("mounting is not allowed here")
        assert (done.returncode, done.stdout) == (good.code, good.out)
    else:
        assert chalk("check", ROUTE) == good
    folder.chmod(0o700)
    assert asked(ruled) == []


def test_another_process_that_writes_for_long_costs_the_rows_alone(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 0.05)
    good = chalk("check", ROUTE)
    with closing(sqlite3.connect(journal_file.path(ruled.place), isolation_level=None)) as database:
        database.execute("begin immediate")
        assert chalk("check", ROUTE) == good
        assert chalk("journal", "prune", "--keep", "0").code == 2
    assert len(asked(ruled)) == 1


def test_many_questions_at_once_are_each_whole(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 30)
    refused: list[str | None] = []
    place = repo.place

    def ask(name: str) -> None:
        for number in range(15):
            shown = [Showing("@check", f"{name}{number}", "h", 2), Showing("@check", f"{name}-", "h", 1)]
            refused.append(questions.keep(place, [Asked("check", "check", session=name, showings=shown)]))

    threads = [threading.Thread(target=ask, args=(f"t{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(refused) == {None}
    assert asked(repo) == [("check", "check", None, 2)] * 90


def test_the_oldest_questions_go_and_no_others(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ledger.BOUNDS, "asked", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 10)
    for number in range(45):
        questions.keep(repo.place, [Asked("check", "check", verdict=str(number))])
    kept = [row["verdict"] for row in rows(repo, "asked")]
    assert kept == [str(number) for number in range(45 - len(kept), 45)]
    assert 20 <= len(kept) <= 30


def test_a_journal_of_an_earlier_version_keeps_its_rows_and_gains_columns(repo: Repo) -> None:
    journal_file.made(repo.place)
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        columns = "session text, path text, id text, hash text, surface text, at integer, bytes integer"
        database.execute(f"create table shown ({columns})")
        database.execute("insert into shown values ('s', 'a.py', 'k7q2m9xd', 'h', 'save', 5, 9)")
    shown = [Showing("b.py", "k7q2m9xd", "h", 7)]
    assert questions.keep(repo.place, [Asked("rulings", "save", session="s", showings=shown)]) is None
    old, new = rows(repo, "shown")
    assert (old["at"], old["asked"]) == (5, None)
    assert new["asked"] == rows(repo, "asked")[0]["id"]
    assert journal.seen(repo.place, "s", ["a.py", "b.py"]) == {
        ("a.py", "k7q2m9xd", "h"),
        ("b.py", "k7q2m9xd", "h"),
    }


def test_a_bug_in_the_journal_would_be_told(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of what is above: an error that nobody foresaw is no silence."""
    monkeypatch.setattr(ledger, "_write", lambda place, found: 1 / 0)
    monkeypatch.setattr(crash, "report", lambda: 3)
    assert chalk("check", ROUTE).code == 3
