"""The journal's rows of a report: those of its window, and the days, weeks, months or years it is told in.

A table that cannot be read raises ChalkError, each time it is asked for. A row whose time cannot be (whoever
can write the file can put anything there) is left out, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from chalkgit import thresholds, times
from chalkgit.store import ledger
from chalkgit.store.place import Place

Row = dict[str, Any]

DAY_MS = 24 * 3600 * 1000
_AHEAD_MS = DAY_MS  # another machine's clock, or a zone that changed


class Rows:
    """The tables of one journal from `since` to `until`, in milliseconds since 1970.

    strange: how many rows were left out, by table, since their time cannot be.
    """

    __slots__ = ("_place", "since", "strange", "until")

    def __init__(self, place: Place, since: int, until: int) -> None:
        self._place = place
        self.since = max(since, 0)
        self.until = until
        self.strange: dict[str, int] = {}

    def of(self, table: str, *columns: str) -> list[Row]:
        """Its rows, oldest first, each with `at` too."""
        names = ("at", *columns)
        found = ledger.read(self._place, table, names, "at is null or at >= ?", (self.since,))
        rows = [dict(zip(names, row, strict=True)) for row in found]
        sound = [row for row in rows if self._sound(row["at"])]
        self.strange[table] = len(rows) - len(sound)
        return sound

    def _sound(self, at: Any) -> bool:
        return isinstance(at, int) and 0 < at <= self.until + _AHEAD_MS


class Buckets:
    """unit: day, week, month or year. starts: the first day of each, as it is written, oldest first."""

    __slots__ = ("_firsts", "starts", "unit")

    def __init__(self, unit: str, firsts: Sequence[date]) -> None:
        self.unit = unit
        self._firsts = firsts
        self.starts = [first.isoformat() for first in firsts]

    def start(self, at: int) -> str:
        """The bucket of an instant; what lies outside is in the first or the last."""
        day = _day(at)
        return next((one.isoformat() for one in reversed(self._firsts) if one <= day), self.starts[0])


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
