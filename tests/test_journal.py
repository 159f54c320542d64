"""The journal of showings: once a session and file, private, bounded, and never in the way."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from repository import Repo

from chalkgit import thresholds
from chalkgit.store import journal, journal_file, ledger
from chalkgit.store.journal import Showing

SHOWN = Showing("src/a.py", "k7q2m9xd", "hash", 80)


def test_what_a_session_was_shown_is_known_to_that_session_and_file_alone(repo: Repo) -> None:
    assert journal.record(repo.place, "vim:1", "save", [SHOWN]) is None
    assert journal.seen(repo.place, "vim:1", ["src/a.py", "src/b.py"]) == {SHOWN.key}
    assert journal.seen(repo.place, "vim:2", ["src/a.py"]) == set()
    assert journal.seen(repo.place, "vim:1", ["src/b.py"]) == set()


def test_its_showings_are_counted_and_none_can_be_where_it_is_damaged(repo: Repo) -> None:
    assert journal.count(repo.place) == 0
    for session in ("a", "b"):
        journal.record(repo.place, session, "save", [SHOWN])
    assert journal.count(repo.place) == 2
    Path(journal_file.path(repo.place)).write_bytes(b"no database at all" * 100)
    assert journal.count(repo.place) is None


def test_an_unknown_session_was_shown_nothing(repo: Repo) -> None:
    journal.record(repo.place, None, "save", [SHOWN])
    assert journal.seen(repo.place, None, ["src/a.py"]) == set()


def test_it_is_private_and_in_the_common_git_directory(repo: Repo) -> None:
    journal.record(repo.place, "s", "save", [SHOWN])
    file = Path(journal_file.path(repo.place))
    assert file == repo.root / ".git" / "chalkgit-journal" / "journal.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_damaged_journal_is_put_aside_and_shows_once_more(repo: Repo) -> None:
    journal.record(repo.place, "s", "save", [SHOWN])
    file = Path(journal_file.path(repo.place))
    file.write_bytes(b"no database at all" * 100)
    assert journal.seen(repo.place, "s", ["src/a.py"]) == set()
    assert journal.record(repo.place, "s", "save", [SHOWN]) is None
    assert journal.seen(repo.place, "s", ["src/a.py"]) == {SHOWN.key}
    assert file.with_name("journal.db.damaged").exists()


def test_a_link_in_its_place_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.root / ".git" / "chalkgit-journal").symlink_to(outside)
    assert "symbolic link" in (journal.record(repo.place, "s", "save", [SHOWN]) or "")
    assert list(outside.iterdir()) == []


def test_a_journal_that_cannot_be_written_says_why(repo: Repo) -> None:
    repo.write(".git/chalkgit-journal", "a file in the place of its folder")
    assert "exists" in (journal.record(repo.place, "s", "save", [SHOWN]) or "").lower()
    assert journal.seen(repo.place, "s", ["src/a.py"]) == set()


def test_the_oldest_go_when_it_is_full(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ledger.BOUNDS, "shown", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 10)
    for number in range(45):
        journal.record(repo.place, "s", "save", [Showing(f"src/{number}.py", "k7q2m9xd", "h", 1)])
    with sqlite3.connect(journal_file.path(repo.place)) as database:
        (count,) = database.execute("select count(*) from shown").fetchone()
    database.close()
    assert 20 <= count <= 30
    assert journal.seen(repo.place, "s", ["src/44.py"])
    assert not journal.seen(repo.place, "s", ["src/0.py"])


def test_many_writers_at_once_lose_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 20)
    failed = []

    def write(name: str) -> None:
        for number in range(20):
            failed.append(journal.record(repo.place, name, "save", [Showing(f"{number}", "id", "h", 1)]))

    threads = [threading.Thread(target=write, args=(f"s{number}",)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [why for why in failed if why] == []
    paths = [str(number) for number in range(20)]
    assert all(len(journal.seen(repo.place, f"s{number}", paths)) == 20 for number in range(5))
