"""The journal's rows of a report: those of its window, and the days, weeks, months or years it is told in.

Each table is read once, whoever asks for it, and no further back than the journal keeps it. One that cannot
be read raises ChalkError, each time it is asked for. A row whose time cannot be (whoever can write the file
can put anything there) is left out, and counted.

What belongs to the loops of an experiment is left out where a report reads: from how often they failed, how
often they asked and how often they were shown something, the outcome of each arm can be computed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from chalkgit import thresholds, times
from chalkgit.errors import ChalkError
from chalkgit.store import experiments, ledger
from chalkgit.store.place import Place

Row = dict[str, Any]

DAY_MS = 24 * 3600 * 1000
_EPOCH = date(1970, 1, 1)
_AHEAD_MS = DAY_MS  # another machine's clock, or a zone that changed


# What the sections ask of a table, so that one read serves them all.
_ASKED: dict[str, tuple[str, ...]] = {
    "asked": ("id", "kind", "surface", "verdict", "shown", "bytes", "ms", "bypassed", "run"),
    "shown": ("id", "surface", "asked", "session", "path", "bytes"),
}


# The column of a table that says to which loop, or to which question about a run, a row belongs.
_OF_LOOPS = {"runs": "loop", "asked": "id", "shown": "asked"}


class Rows:
    """The tables of one journal from `since` to `until`, in milliseconds since 1970.

    whole: whether the rows of experiments' loops are among them. strange: how many rows were left out, by
    table, since their time cannot be.
    """

    __slots__ = ("_held", "_made", "_place", "_read", "since", "strange", "until", "whole")

    def __init__(self, place: Place, since: int, until: int, *, whole: bool = True) -> None:
        self._place = place
        self._held: _Held | None = None
        self.whole = whole
        self._read: dict[str, tuple[tuple[str, ...], list[Row] | ChalkError]] = {}
        self._made: dict[str, list[Row]] = {}
        self.since = max(since, 0)
        self.until = until
        self.strange: dict[str, int] = {}

    @property
    def latest(self) -> int:
        """The last moment that a row may be of: clocks differ."""
        return self.until + _AHEAD_MS

    def of(self, table: str, *columns: str) -> list[Row]:
        """Its rows, oldest first, each with `at` and these columns. They are shared: nobody changes them."""
        names, found = self._read.get(table, ((), []))
        if not set(columns).issubset(names) or "at" not in names:
            names = ("at", *dict.fromkeys((*_ASKED.get(table, ()), *names[1:], *columns)))
            found = self._of(table, names)
            self._read[table] = names, found
        if isinstance(found, ChalkError):
            raise found
        return found

    def once(self, what: str, make: Callable[[], list[Row]]) -> list[Row]:
        """What is made of them, made once for all sections. Shared as they are."""
        if what not in self._made:
            self._made[what] = make()
        return self._made[what]

    def _of(self, table: str, names: tuple[str, ...]) -> list[Row] | ChalkError:
        try:
            read = ledger.read(self._place, table, names, "at is null or at >= ?", (self.since,))
        except ChalkError as error:
            return error
        latest = self.latest
        sound = [row for row in read if isinstance(row[0], int) and 0 < row[0] <= latest]
        self.strange[table] = len(read) - len(sound)
        rows = [dict(zip(names, row, strict=False)) for row in sound]
        key = _OF_LOOPS.get(table)
        if self.whole or key is None:
            return rows
        try:
            held = self.held
        except ChalkError as error:
            return error
        return [row for row in rows if row[key] not in held.out[table]]

    @property
    def held(self) -> _Held:
        """What is left to experiments. ChalkError where the journal cannot be read."""
        if self._held is None:
            self._held = _Held(self._place, self.since)
        return self._held


class _Held:
    """loops: experiments' loops with a run since then. out: of each table, what its rows are left out by."""

    __slots__ = ("loops", "out")

    def __init__(self, place: Place, since: int) -> None:
        drawn = experiments.drawn(place)
        runs = ledger.read(place, "runs", ("run", "loop", "at")) if drawn else []
        free = {run for run, loop, _ in runs if loop not in drawn}
        # a run that the journal has no more may have been of such a loop
        asked = ledger.read(place, "asked", ("id", "run"), "run is not null") if drawn else []
        questions = {row for row, run in asked if run not in free}
        self.loops = {loop for _, loop, at in runs if loop in drawn and isinstance(at, int) and at >= since}
        self.out: dict[str, set[Any]] = {"runs": set(drawn), "asked": questions, "shown": set(questions)}


class Buckets:
    """unit: day, week, month or year. starts: the first day of each, as it is written, oldest first."""

    __slots__ = ("_edges", "starts", "unit")

    def __init__(self, unit: str, firsts: Sequence[date]) -> None:
        self.unit = unit
        self._edges = [(first - _EPOCH).days * DAY_MS for first in firsts]
        self.starts = [first.isoformat() for first in firsts]

    def start(self, at: int) -> str:
        """The bucket of an instant; what lies outside is in the first or the last."""
        return self.starts[max(bisect_right(self._edges, at) - 1, 0)]


def buckets(first: int | None, last: int) -> Buckets:
    """The smallest unit that tells all from `first` to `last` in not too many parts; none without a first."""
    if first is None:
        return Buckets("day", [])
    for unit, (floor, after) in _UNITS.items():
        found = [floor(_day(first))]
        while len(found) <= thresholds.REPORT_BUCKETS and after(found[-1]) <= _day(last):
            found.append(after(found[-1]))
        if len(found) <= thresholds.REPORT_BUCKETS or unit == "year":
            return Buckets(unit, found)
    raise AssertionError("the last unit is taken")


def _day(at: int) -> date:
    return times.of_milliseconds(at).date()


def _next_month(day: date) -> date:
    return (day + timedelta(days=31)).replace(day=1)


_UNITS: dict[str, tuple[Callable[[date], date], Callable[[date], date]]] = {
    "day": (lambda day: day, lambda day: day + timedelta(days=1)),
    "week": (lambda day: day - timedelta(days=day.weekday()), lambda day: day + timedelta(days=7)),
    "month": (lambda day: day.replace(day=1), _next_month),
    "year": (lambda day: day.replace(month=1, day=1), lambda day: day.replace(year=day.year + 1)),
}


def instant(at: int) -> str:
    """Milliseconds since 1970, as it is written."""
    return times.iso(times.of_milliseconds(at))


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def quantile(values: Sequence[int], part: float) -> int | None:
    """By nearest rank; None of nothing."""
    found = sorted(values)
    return found[max(-int(-part * len(found) // 1) - 1, 0)] if found else None
