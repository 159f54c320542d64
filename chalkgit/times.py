"""Valid time: half-open intervals whose ends may be a year, a month, a day or an instant.

Instants are aware UTC; no local zone sneaks in. A `Clock` is passed to whatever needs "now".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from chalkgit.errors import ChalkError

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


def parse(text: str) -> datetime:
    """The first instant of a YYYY, YYYY-MM, YYYY-MM-DD or ISO 8601 instant, in UTC.

    An instant without an offset is taken as UTC. ValueError says what was wrong.
    """
    text = text.strip()
    if len(text) == 4 and text.isdecimal():
        return datetime(int(text), 1, 1, tzinfo=UTC)
    if len(text) == 7 and text[4] == "-":
        return datetime.fromisoformat(text + "-01").replace(tzinfo=UTC)
    if len(text) == 10:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    if len(text) < 16 or text[10] not in "T ":
        raise ValueError(f"“{text}” is no date: write YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant")
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def is_date(text: str) -> bool:
    try:
        parse(text)
    except (ValueError, OverflowError):
        return False
    return True


def asked(text: str, option: str) -> datetime:
    """The instant a user asked about: of a day, a month or a year, its first moment."""
    try:
        return parse(text)
    except (ValueError, OverflowError):
        raise ChalkError(
            f"{option} “{text}” is no date: write YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant",
            hint=f"{option} {day(system_clock())}",
        ) from None


def holds(start: str | None, end: str | None, at: datetime) -> bool:
    """Whether `at` lies in [start, end); an absent end is open. Unreadable dates bound nothing."""
    return (start is None or not is_date(start) or parse(start) <= at) and (
        end is None or not is_date(end) or at < parse(end)
    )


def day(instant: datetime) -> str:
    return instant.astimezone(UTC).date().isoformat()


def iso(instant: datetime) -> str:
    """2026-03-14T09:26:53Z"""
    return instant.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def milliseconds(instant: datetime) -> int:
    """Since 1970, as the journal counts."""
    return int(instant.timestamp() * 1000)


def of_milliseconds(count: int) -> datetime:
    """The other way; for what is no time of anybody's, the first or last that can be written."""
    first, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    return first + timedelta(milliseconds=min(max(count, 0), milliseconds(last)))


def of_git(text: str) -> str | None:
    """An instant as git's %cI writes it, in UTC; None for what is no date: a commit may say anything."""
    try:
        return iso(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def age_days(text: str, now: datetime) -> int:
    return (now - parse(text)) // timedelta(days=1)


def today(clock: Clock) -> date:
    return clock().astimezone(UTC).date()


def end(text: str) -> datetime:
    """The last second of what a date covers: of 2026-03, the end of March; of an instant, itself."""
    start = parse(text)
    text = text.strip()
    if len(text) == 4:
        after = start.replace(year=start.year + 1)
    elif len(text) == 7:
        after = (start + timedelta(days=32)).replace(day=1)
    elif len(text) == 10:
        after = start + timedelta(days=1)
    else:
        return start
    return after - timedelta(seconds=1)
