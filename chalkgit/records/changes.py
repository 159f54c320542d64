"""What became of a record between two of its versions: the events, and the fields that differ."""

from __future__ import annotations

from chalkgit.records.fields import ORDER

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Fields = Mapping[str, Any]

RECORDED, RESTORED, CORRECTED, RENAMED = "recorded", "restored", "corrected", "renamed"
RETIRED, SETTLED, REVIEWED, RESOLVED = "retired", "settled", "reviewed", "resolved"
SUPERSEDED, REOPENED, DELETED, DAMAGED = "superseded", "reopened", "deleted", "damaged"
EVENTS = (
    RECORDED,
    CORRECTED,
    RETIRED,
    SUPERSEDED,
    SETTLED,
    REVIEWED,
    RESOLVED,
    RENAMED,
    REOPENED,
    DELETED,
    RESTORED,
    DAMAGED,
)

# The fields that have an event of their own; a difference in any other one corrects the record.
_OWN = ("retired", "settled", "review", "resolution", "resolved-by", "lesson", "distilled-by")


def differences(before: Fields, after: Fields) -> list[tuple[str, Any, Any]]:
    """(field, before, after) in the table's order; None where a side does not have it."""
    names = sorted({*before, *after}, key=lambda name: (ORDER.get(name, len(ORDER)), name))
    return [(n, before.get(n), after.get(n)) for n in names if before.get(n) != after.get(n)]


def events(before: Fields, after: Fields) -> list[str]:
    """What happened to a record whose fields were and are these, in a fixed order."""
    changed = {name for name, _, _ in differences(before, after)}
    found = set()
    for name, event in (("retired", RETIRED), ("settled", SETTLED)):
        if name in changed:
            found.add(event if name not in before else REOPENED if name not in after else CORRECTED)
    if "review" in changed:
        found.add(REVIEWED)
    if changed & {"resolution", "lesson"}:
        found.add(RESOLVED if _is_open(before) and not _is_open(after) else CORRECTED)
        changed -= {"resolved-by", "distilled-by"}
    if changed & {"resolved-by", "distilled-by"} or any(name not in _OWN for name in changed):
        found.add(CORRECTED)
    return [event for event in EVENTS if event in found]


def _is_open(fields: Fields) -> bool:
    return fields.get("kind") == "lesson" and not (fields.get("resolution") or fields.get("lesson"))
