"""The kept table of history: extended, damaged, made by others, rewritten, and never a wrong answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from repository import Repo
from telling import change, records_fixture, said, table  # noqa: F401

from chalkgit import thresholds
from chalkgit.records.record import Record
from chalkgit.store import history, history_file, history_growth, sqlite
from chalkgit.store.history_table import HistoryTable


def flipped(data: bytes, first: int, last: int) -> bytes:
    return data[:first] + bytes(byte ^ 0x55 for byte in data[first:last]) + data[last:]


def test_damage_anywhere_is_seen_and_the_table_made_anew(repo: Repo, records: list[Record]) -> None:
    right = said(repo)
    assert history_file.read(repo.place) is not None
    whole = table(repo).read_bytes()
    size = len(whole)
    for first in range(0, size, 61):
        table(repo).write_bytes(flipped(whole, first, min(first + 1 + first % 90, size)))
        assert history_file.read(repo.place) is None
    for damaged in (
        b"",
        whole[:5],
        whole[: size // 2],
        whole[:-1],
        whole + b"x",
        b"\0" * size,
        flipped(whole, 0, size),
        flipped(whole, size - 8, size),
        whole[:4096] * (size // 4096),
    ):
        table(repo).write_bytes(damaged)
        assert said(repo) == right
        assert table(repo).read_bytes() == whole


def other_tables(script: str) -> bytes:
    made = HistoryTable()
    made.index()
    made.db.executescript(script)
    return made.image()


@pytest.mark.parametrize(
    "script",
    [
        "drop table versions",
        "update meta set value = '0' where key = 'format'",
        "drop table contents; create view contents as with recursive n(x) as "
        "(select 1 union all select x + 1 from n) select x as blob, x as fields, x as problem from n",
        "create trigger t after insert on commits begin delete from versions; end",
    ],
)
def test_a_table_that_another_program_made_is_none(repo: Repo, records: list[Record], script: str) -> None:
    right = said(repo)
    for made, usable in ((other_tables(""), True), (other_tables(script), False)):
        table(repo).write_bytes(made + history_file._sum(made))
        assert (history_file.read(repo.place) is not None) is usable
        assert said(repo) == right


@pytest.mark.parametrize("kind", ["link", "folder linked", "fifo", "folder", "no folder"])
def test_what_is_no_plain_file_is_neither_read_nor_written_through(
    repo: Repo, records: list[Record], tmp_path: Path, kind: str
) -> None:
    right = said(repo)
    derived, file = table(repo).parent, table(repo)
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "link":
        file.rename(outside / "history.db")
        file.symlink_to(outside / "history.db")
    elif kind == "folder linked":
        shutil.rmtree(derived)
        derived.symlink_to(outside)
    elif kind == "no folder":
        shutil.rmtree(derived)
        derived.write_text("a file")
    else:
        file.unlink()
        (os.mkfifo if kind == "fifo" else os.mkdir)(file)
    before = {entry.name: entry.read_bytes() for entry in outside.iterdir()}
    assert history_file.read(repo.place) is None
    assert said(repo) == right
    assert {entry.name: entry.read_bytes() for entry in outside.iterdir()} == before
    kept = kind in ("link", "fifo")
    assert (history_file.read(repo.place) is not None) is kept
    assert (history.opened(repo.place).unkept is None) is kept


def test_a_new_commit_reads_what_it_touches_and_no_more(
    repo: Repo, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.opened(repo.place)
    change(repo, records[5], layer="design")
    repo.commit()
    read = []
    real = HistoryTable.versions

    def spied(self: HistoryTable, *args: object) -> object:
        found = real(self, *args)  # type: ignore[arg-type]
        read.extend(found)
        return found

    monkeypatch.setattr(HistoryTable, "versions", spied)
    told = history.opened(repo.place)
    assert {version.id for version in read} <= {records[n].id for n in (4, 5, 6)}
    monkeypatch.undo()
    assert told.versions(records[5].id)[0].events == ["corrected"]
    assert len(told.versions()) == 12 + 12 + 12 + 1  # recorded, corrected, superseded, and this one


@pytest.mark.parametrize("how", ["amend", "reset"])
def test_what_was_rewritten_leaves_the_file_too(repo: Repo, records: list[Record], how: str) -> None:
    record = repo.record(route="log in", observation="the password is hunter2correct")
    repo.commit()
    history.opened(repo.place)
    assert b"hunter2correct" in table(repo).read_bytes()
    if how == "amend":
        change(repo, record, observation="the password is gone")
        repo.git("commit", "-qa", "--amend", "-m", "amended")
    else:
        repo.git("reset", "-q", "--hard", "HEAD~1")
    history.opened(repo.place)
    assert b"hunter2correct" not in table(repo).read_bytes()
    assert history_file.read(repo.place) is not None


def test_a_table_that_would_be_too_large_is_not_kept_and_not_read(
    repo: Repo, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = said(repo)
    monkeypatch.setattr(thresholds, "HISTORY_BYTES", table(repo).stat().st_size - 1)
    assert history_file.read(repo.place) is None
    assert "more than" in str(history.opened(repo.place).unkept)
    assert said(repo) == right


def test_an_sqlite_that_cannot_serialize_keeps_the_same_table(repo: Repo, records: list[Record]) -> None:
    made = HistoryTable()
    history_growth.follow(made, repo.place, repo.git("rev-parse", "HEAD"))

    class Old:
        backup: Callable[..., None] = made.db.backup

    image = sqlite.image(Old())  # type: ignore[arg-type]
    database = sqlite.connect(":memory:", isolation_level=None)
    sqlite._from_file(database, image)
    query = "select * from versions"
    found, other = database.execute(query).fetchall(), HistoryTable(image).rows(query)
    database.close()
    assert found == other == made.rows(query) != []
