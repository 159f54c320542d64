"""What differs between the records of two trees: by id, whatever their files are called."""

from __future__ import annotations

from chalkgit.records import changes
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.store.snapshot import Snapshot


class Difference:
    """One record before and after; None where a tree does not have it. events: of `changes.EVENTS`."""

    __slots__ = ("after", "before", "events")

    def __init__(self, before: Record | None, after: Record | None, events: list[str]) -> None:
        self.before = before
        self.after = after
        self.events = events

    @property
    def record(self) -> Record:
        """The later one of the two."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def changed(self) -> list[tuple[str, Any, Any]]:
        if self.before is None or self.after is None:
            return []
        return changes.differences(self.before.fields, self.after.fields)


def differences(before: Snapshot, after: Snapshot) -> list[Difference]:
    """By path, of those that differ. A file that cannot be read any more is `damaged`, not deleted."""
    broken = {problem.path for problem in after.problems if problem.fatal}
    was, now = successors(before), successors(after)
    found = []
    for record_id in {**before.records, **after.records}:
        old, new = before.records.get(record_id), after.records.get(record_id)
        if old is None:
            events = [changes.RECORDED]
        elif new is None:
            events = [changes.DAMAGED if old.path in broken else changes.DELETED]
        else:
            events = changes.events(old.fields, new.fields)
            events += [changes.RENAMED] if old.path != new.path else []
            if was.get(record_id) != now.get(record_id):
                events.append(changes.SUPERSEDED if record_id in now else changes.REOPENED)
        if events:
            found.append(Difference(old, new, events))
    return sorted(found, key=lambda one: (one.record.path, one.record.id))


def successors(seen: Snapshot) -> dict[str, str]:
    """Id to its successor in a tree; of several, the first by id."""
    pairs = sorted((r.id, old) for r in seen.records.values() for old in r.items("supersedes"))
    return {old: new for new, old in reversed(pairs)}
