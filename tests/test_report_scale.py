"""The report of a large journal, and of one that is held: each table is read once, and waited for once."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from typing import Any

import echoing
import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import DAY, HOUR, NOW, keep, run
from repository import Repo

from chalkgit import thresholds, times
from chalkgit.answers import echo, echo_adopted, report, report_activity, report_rows
from chalkgit.answers.report_rows import Rows
from chalkgit.errors import ChalkError
from chalkgit.store import journal_extent, journal_file, ledger, sqlite

CHECK: dict[str, Any] = {"kind": "check", "surface": "check", "verdict": "clear", "ms": 7}


# --- a journal that another process holds -----------------------------------------------------------


@pytest.fixture(name="waits")
def waits_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each opening of the journal would wait."""
    found: list[float] = []
    real, file = sqlite.connect, journal_file.path(repo.place)

    def connect(name: Any, timeout: float = 5.0, **more: Any) -> Any:
        if name == file:
            found.append(timeout)
        return real(name, timeout=timeout, **more)

    monkeypatch.setattr(sqlite, "connect", connect)
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 0.05)
    journal_file._locked.clear()
    return found


def test_a_report_waits_once_for_whoever_holds_the_journal_and_each_section_says_so(
    repo: Repo, chalk: Inside, waits: list[float]
) -> None:
    repo.record("lesson", failure={"error": "E: pool drained"}, resolution="stop the workers")
    repo.commit()
    keep(repo, asked=[CHECK], runs=[run("a", "a", 1)])
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        database.execute("begin exclusive")
        waits.clear()
        found = chalk.json("report")
        assert [seconds for seconds in waits if seconds] == [0.05]
        assert len(waits) > 5
    told = {name: found[name]["trouble"] for name in report.SECTIONS}
    assert [name for name, trouble in told.items() if not trouble] == ["lessons"]
    assert all("database is locked" in trouble for name, trouble in told.items() if name != "lessons")
    assert found["journal"]["trouble"] == "the journal cannot be read: database is locked"
    assert found["whole"] is False
    again = chalk.json("report")
    assert (again["whole"], again["activity"]["questions"]["check"]) == (True, 1)


def test_what_would_be_lost_is_waited_for_and_so_is_a_lock_of_long_ago(
    repo: Repo, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(repo, asked=[CHECK])
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        database.execute("begin exclusive")
        waits.clear()
        for _ in range(2):
            with pytest.raises(ChalkError, match="locked"):
                ledger.read(repo.place, "asked", ("at",))
            assert "locked" in (ledger.add(repo.place, {"asked": [CHECK]}) or "")
        assert waits == [0.05, 0.05, 0.0, 0.05]
        monkeypatch.setattr(thresholds, "JOURNAL_LOCKED_SECONDS", 0.0)
        waits.clear()
        with pytest.raises(ChalkError, match="locked"):
            ledger.read(repo.place, "asked", ("at",))
        assert waits == [0.05]


# --- each table once --------------------------------------------------------------------------------


def test_a_table_is_read_once_whoever_asks_for_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(repo, asked=[CHECK, {**CHECK, "at": None}], shown=[{"id": "a", "surface": "at", "session": "s"}])
    counts: list[str] = []
    real = ledger.read

    def counted(place: Any, table: str, *more: Any, **also: Any) -> Any:
        counts.append(table)
        return real(place, table, *more, **also)

    monkeypatch.setattr(ledger, "read", counted)
    rows = Rows(repo.place, 0, NOW)
    buckets = report_rows.buckets(NOW - DAY, NOW)
    assert report_activity.section(rows, buckets)["questions"]["check"] == 1
    assert report_activity.waits(rows)["all"]["median"] == 7
    assert [row.shown for row in echo.look(repo.place, asked=[], rows=rows).rows] == [1]
    assert sorted(table for table in counts if table in ("asked", "shown")) == ["asked", "shown"]
    assert rows.strange["asked"] == 1
    # what nobody foresaw is read all the same
    counts.clear()
    assert rows.of("asked", "root")[0]["root"] is None
    assert rows.of("asked", "kind")[0]["kind"] == "check"
    assert counts == ["asked"]


def test_a_table_that_cannot_be_read_is_told_each_time_and_read_once(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def fails(place: Any, table: str, *more: Any, **also: Any) -> Any:
        read.append(table)
        raise ChalkError(f"{table} cannot be read")

    monkeypatch.setattr(ledger, "read", fails)
    rows = Rows(repo.place, 0, NOW)
    for _ in range(3):
        with pytest.raises(ChalkError, match="asked cannot be read"):
            rows.of("asked", "kind")
    assert read == ["asked"]


# --- more than the journal keeps --------------------------------------------------------------------


def test_of_more_rows_than_the_journal_keeps_the_newest_are_told_and_the_others_counted(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(repo, asked=[{**CHECK, "at": NOW - hours * HOUR} for hours in range(40, 0, -1)])
    found = chalk.json("report")
    assert (found["journal"]["beyond"], found["activity"]["questions"]["check"]) == (0, 40)
    assert found["journal"]["begins"] == report_rows.instant(NOW - 40 * HOUR)
    monkeypatch.setitem(ledger.BOUNDS, "asked", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 5)
    found = chalk.json("report")
    assert (found["journal"]["beyond"], found["activity"]["questions"]["check"]) == (15, 25)
    assert found["journal"]["begins"] == report_rows.instant(NOW - 25 * HOUR)
    assert sum(one["verdicts"]["clear"] for one in found["activity"]["buckets"]) == 25


def test_how_far_a_journal_goes_back_is_what_its_rows_say(repo: Repo) -> None:
    assert journal_extent.extent(repo.place, NOW).begins is None
    drawn = random.Random(3)
    times_of = [drawn.choice((NOW - drawn.randrange(1, DAY), NOW + 9 * DAY, 0, -5)) for _ in range(200)]
    keep(repo, asked=[{**CHECK, "at": at} for at in times_of], feedback=[{"at": NOW - 2 * DAY, "id": "a"}])
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        database.execute("insert into asked (at) values ('soon'), (x'01'), (1.5), (null)")
    found = journal_extent.extent(repo.place, NOW)
    assert found.begins == NOW - 2 * DAY
    assert found.strange == sum(not 0 < at <= NOW for at in times_of) + 4
    assert (found.beyond, found.trouble) == (0, None)


@pytest.mark.parametrize("days", [3, 60, 500, 9000])
def test_every_instant_is_in_the_last_bucket_that_began_before_it(days: int) -> None:
    found = report_rows.buckets(NOW - days * DAY, NOW)
    drawn = random.Random(days)
    for _ in range(300):
        at = NOW - drawn.randrange(-3 * DAY, (days + 5) * DAY)
        day = times.of_milliseconds(at).date().isoformat()
        assert found.start(at) == max((one for one in found.starts if one <= day), default=found.starts[0])
    edge = times.milliseconds(times.parse(found.starts[-1] + "T00:00:00Z"))
    assert found.start(edge) == found.starts[-1]
    assert found.start(edge - 1) == found.starts[-2]
    assert times.of_milliseconds(edge) - times.of_milliseconds(edge - 1) == timedelta(milliseconds=1)


# --- the echo ---------------------------------------------------------------------------------------


def test_the_words_of_a_message_are_looked_for_once_whatever_number_of_records_asks(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = echo_adopted._words

    def counted(words: Any, text: str) -> set[str]:
        read.append(text)
        return real(words, text)

    monkeypatch.setattr(echo_adopted, "_words", counted)

    every = [echoing.ruled(repo) for _ in range(13)]
    commits = [echoing.commit(repo, monkeypatch, f"{word}: {echoing.INSTEAD}", hours=-2) for word in "ab"]
    echoing.show(repo, every[0], hours=-3)
    assert list(echoing.uses(repo).values()) == [(1, 0, len(commits), 0)]
    few = len(read)
    assert few >= len(commits)
    for record in every[1:]:
        echoing.show(repo, record, hours=-3)
    read.clear()
    assert list(echoing.uses(repo).values()) == [(1, 0, len(commits), 0)] * 13
    assert len(read) == few


def _before(ats: Sequence[int], until: int) -> int | None:
    return next((at for at in reversed(ats) if at <= until), None)


def test_the_last_showing_before_is_found_among_many() -> None:
    drawn = random.Random(5)
    for _ in range(200):
        ats = sorted(drawn.randrange(50) for _ in range(drawn.randrange(1, 9)))
        rows = [echo.Row("a", str(at), None) for at in ats]
        showings = [echo._Showing(at, row, False, None) for at, row in zip(ats, rows, strict=True)]
        until = drawn.randrange(-2, 55)
        found = echo._before(showings, until)
        assert (None if found is None else int(found.surface)) == _before(ats, until)


def test_a_beginning_stands_for_one_record_or_none() -> None:
    known = sorted(("abcd2222", "abcd3333", "bcde2222", "zzzz2222"))
    for word, meant in (
        ("bcde", ["bcde2222"]),
        ("bcde2222", ["bcde2222"]),
        ("abcd", []),
        ("abcd3", ["abcd3333"]),
        ("bcd", []),
        ("yyyy", []),
        ("zzzz22223", []),
    ):
        assert echo._meant(word, known) == meant
