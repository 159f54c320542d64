"""The report card: does it help here? Every section is there, full, empty or not readable, and says which.

A section that has no data yet says what would make some. One that cannot be told names its trouble, and the
report is not `whole`: a weaker one never looks like a full one. What is told comes from the journal of this
machine, the store's records and git; nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from chalkgit import times
from chalkgit.answers import (
    deciding_judged,
    experiment,
    report_activity,
    report_claim,
    report_records,
    report_rows,
    report_runs,
)
from chalkgit.answers.report_rows import Buckets, Rows
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.store import journal_extent, journal_file, ledger
from chalkgit.store.place import Place

Section = dict[str, Any]

# In the order of the page, each with what would make some data.
SECTIONS: Mapping[str, str] = {
    "activity": "ask chalkgit check, at or recall, or let hooks show records: chalkgit hooks install",
    "retries": "tell recall of failed runs: chalkgit recall --output FILE, or pytest's plugin",
    "experiment": experiment.FIRST,
    "echo": "records that are shown, and commits that name one: a line “Lesson: ID” in the message",
    "records": "records that are shown: chalkgit check, at or recall, or hooks: chalkgit hooks install",
    "alarms": "say so where a record was wrong, or useful: chalkgit feedback ID wrong",
    "decider": "a decider in your own settings: chalkgit decider status",
    "waits": "ask chalkgit check, at or recall, or let hooks show records: chalkgit hooks install",
    "lessons": "keep a failed run as an open lesson: chalkgit detain --output FILE",
    "failing": "tell recall of failed runs: chalkgit recall --report FILE, or pytest's plugin",
}


def card(place: Place, now: datetime, since: datetime | None, opened: Callable[[], Index]) -> dict[str, Any]:
    """All of it, as JSON has it. opened: gives the store's index, and may raise ChalkError."""
    until = int(now.timestamp() * 1000)
    rows = Rows(place, 0 if since is None else int(since.timestamp() * 1000), until, whole=False)
    journal = _journal(place, rows.latest)
    first = (
        journal["begins"] if since is None or not journal["begins"] else max(journal["begins"], rows.since)
    )
    # where it could not be told when it begins, what can be read all the same is of one time
    buckets = report_rows.buckets(until if first is None and journal["trouble"] else first, until)
    store = _Store(opened, now)
    found = {name: _told(call) for name, call in _calls(place, rows, buckets, store, now).items()}
    sections = {name: _whole(SECTIONS[name], found[name]) for name in SECTIONS}
    troubles = {name: one["trouble"] for name, one in sections.items() if one["trouble"]}
    return {
        "name": os.path.basename(place.root),
        "at": times.iso(now),
        "since": None if since is None else times.iso(since),
        "unit": buckets.unit,
        "whole": not troubles and journal["trouble"] is None,
        "journal": {**journal, "begins": _instant(journal["begins"])},
        **sections,
    }


class _Store:
    """The records of the store, read when they are first asked for; what is wrong is told each time."""

    def __init__(self, opened: Callable[[], Index], now: datetime) -> None:
        self._opened = opened
        self._now = now
        self._read: tuple[Index, dict[str, Record]] | ChalkError | None = None

    def known(self) -> dict[str, Record] | None:
        """None where they cannot be read: then records have ids and no titles."""
        try:
            return self._all()[1]
        except ChalkError:
            return None

    def lessons(self) -> Section:
        index, known = self._all()
        return report_records.open_lessons(index, known, self._now)

    def _all(self) -> tuple[Index, dict[str, Record]]:
        if self._read is None:
            try:
                index = self._opened()
                self._read = index, report_records.all_of(index)
            except ChalkError as error:
                self._read = error
        if isinstance(self._read, ChalkError):
            raise self._read
        return self._read


def _calls(
    place: Place, rows: Rows, buckets: Buckets, store: _Store, now: datetime
) -> dict[str, Callable[[], Section]]:
    echoed: list[report_records.Echoed] = []

    def echo() -> Section:
        echoed.append(report_records.echoed(place, rows))
        return report_records.echo(echoed[0])

    def keeping() -> Section:
        return report_records.keeping(rows, echoed[0] if echoed else None, store.known())

    def decider() -> Section:
        panel = deciding_judged.panel(place, rows.since)
        return {"data": bool(panel["requests"]), **panel}

    return {
        "activity": lambda: report_activity.section(rows, buckets),
        "retries": lambda: report_runs.retries(rows, buckets, place),
        "experiment": lambda: report_claim.section(place, now),
        "echo": echo,
        "records": keeping,
        "alarms": lambda: report_records.alarms(rows, buckets, store.known()),
        "decider": decider,
        "waits": lambda: report_activity.waits(rows),
        "lessons": store.lessons,
        "failing": lambda: report_runs.failing(rows),
    }


def _told(call: Callable[[], Section]) -> Section | ChalkError:
    try:
        return call()
    except ChalkError as error:
        return error


def _whole(missing: str, found: Section | ChalkError) -> Section:
    """A section with its state; one that cannot be told is nothing but its trouble."""
    if isinstance(found, ChalkError):
        where = f"{found.where}: " if found.where else ""
        return {"data": False, "missing": None, "trouble": f"{where}{found.message}"}
    return {"data": found["data"], "missing": None if found["data"] else missing, "trouble": None, **found}


def _journal(place: Place, latest: int) -> dict[str, Any]:
    """What there is of it. begins: milliseconds since 1970, of the oldest row; None where there is none."""
    extent = journal_extent.extent(place, latest)
    return {
        "path": journal_file.path(place),
        "off": ledger.is_off(place),
        "there": journal_file.exists(place),
        "begins": extent.begins,
        "left_out": extent.strange,
        "beyond": extent.beyond,
        "trouble": extent.trouble,
    }


def _instant(at: int | None) -> str | None:
    return None if at is None else report_rows.instant(at)
