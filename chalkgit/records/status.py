"""The one predicate for what may be recalled, used by every surface.

`excluded` names the state that keeps a record from being recalled; None means it may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from chalkgit import times
from chalkgit.records.record import Record, is_open

NOTHING_SUPERSEDED: Mapping[str, str] = {}


def excluded(record: Record, *, now: datetime, superseded: Mapping[str, str]) -> str | None:
    """Why this record is never recalled at `now`, in words; None when it may be.

    superseded: id to the id that replaces it, of the successors that are committed.
    """
    if record.get("retired") is not None:
        return "retired"
    if record.get("settled") is not None:
        return "settled"
    if record.id in superseded:
        return f"superseded by {superseded[record.id]}"
    if restriction(record) is not None:
        return restriction(record)
    start, end = record.text("valid-from"), record.text("valid-until")
    if not times.holds(None, end, now):
        return "expired"
    if not times.holds(start, None, now):
        return "not valid yet"
    if is_open(record):
        return "open"
    return None


def restriction(record: Record) -> str | None:
    """rejected or quarantined: counts as written, without proof and whatever was edited since."""
    state = record.part("review", "state")
    return state if state in ("rejected", "quarantined") else None


def trust(record: Record) -> str:
    """unreviewed, rejected or quarantined. An approval counts only as git proves it, never as claimed."""
    return restriction(record) or "unreviewed"


def status(record: Record, *, now: datetime, superseded: Mapping[str, str]) -> str:
    """One word for `list` and `show`: active, open, or the state that excludes the record."""
    why = excluded(record, now=now, superseded=superseded)
    return "active" if why is None else why.split(" by ")[0]
