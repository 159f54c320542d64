"""From changed files to versions of records: what each commit did to each id, in one pass from the oldest.

An id is one record, whatever its file is called: a move is a deletion and an addition of one id in one
commit. Of two files with one id the same one counts as everywhere (`counting`).
"""

from __future__ import annotations

from chalkgit.records import changes
from chalkgit.records.record import Record, title
from chalkgit.store.worktree import is_record, nameable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from chalkgit.store.firstparents import Touch

    Fields = Mapping[str, Any]
    Lookup = Callable[[str], "Fields | None"]  # a blob's fields; None where it is no record

NOBODY: tuple[str, ...] = ()
DAMAGED_ID = ""  # what stands for the id of a file that cannot be read


class Version:
    """What one commit made of one record.

    seq: the commit's place, from the oldest. path: None where no file has the id any more. blob: the file's
    content, None where it is gone or cannot be read. before: the content of the last readable version.
    events: of `changes.EVENTS`; names: the fields that differ. by: the successor that is in effect. replaces:
    the ids it supersedes itself.
    """

    __slots__ = (
        "before",
        "blob",
        "by",
        "events",
        "id",
        "names",
        "old_path",
        "path",
        "replaces",
        "seq",
        "title",
    )

    def __init__(self, seq: int, record_id: str) -> None:
        self.seq = seq
        self.id = record_id
        self.path: str | None = None
        self.old_path: str | None = None
        self.blob: str | None = None
        self.before: str | None = None
        self.events: list[str] = []
        self.names: list[str] = []
        self.by: str | None = None
        self.title = ""
        self.replaces: Sequence[str] = NOBODY

    @property
    def last_readable(self) -> str | None:
        return self.blob or self.before


def counting(record_id: str, paths: Iterable[str]) -> str | None:
    """Of several files with one id the one that is named by it, else the first by name."""
    return min(paths, key=lambda path: (not path.endswith(f".{record_id}.yaml"), path), default=None)


class Nothing:
    """What is known before the first commit. Another one tells what a table knows."""

    def held(self, path: str) -> tuple[str, str] | None:
        """The id (DAMAGED_ID where it cannot be read) and the blob of a record's file."""
        return None

    def paths(self, record_id: str) -> set[str]:
        """The files that have an id."""
        return set()

    def latest(self, record_id: str) -> Version | None:
        return None

    def successors(self, record_id: str) -> set[str]:
        """The ids of the records, readable by now, that supersede one."""
        return set()

    def damaged(self, path: str) -> str | None:
        """The id whose last version is what this file held before it was damaged."""
        return None


class _Asked(dict[str, "Any"]):
    """What was asked for once, and what became of it since."""

    def __init__(self, ask: Callable[[str], Any]) -> None:
        self._ask = ask

    def __missing__(self, key: str) -> Any:
        self[key] = value = self._ask(key)
        return value


class Fold:
    """The state after the commits seen so far, asked for as far as the next ones concern it, and `step`."""

    def __init__(self, lookup: Lookup, before: Nothing) -> None:
        self._lookup = lookup
        self.held = _Asked(before.held)
        self.latest = _Asked(before.latest)
        self._paths = _Asked(before.paths)
        self._successors = _Asked(before.successors)
        self._damaged = _Asked(before.damaged)

    def step(self, seq: int, touches: Sequence[Touch]) -> list[Version]:
        """The versions that this commit made, by path; touches of what is no record's file are left out."""
        concerned: dict[str, None] = {}
        for touch in touches:
            if is_record(touch.path) and nameable(touch.path):
                concerned.update(dict.fromkeys(self._touch(touch)))
        concerned.pop(DAMAGED_ID, None)
        made = {record_id: self._version(seq, record_id) for record_id in concerned}
        replaced: dict[str, None] = {}
        for version in made.values():
            replaced.update(dict.fromkeys(self._unsettle(self.latest[version.id])))
        for version in made.values():
            replaced.update(dict.fromkeys(self._settle(version)))
        for record_id in replaced:
            known = self.latest[record_id]
            if record_id not in made and known is not None and known.blob is not None:
                made[record_id] = self._version(seq, record_id)
        for version in made.values():
            self._succession(version, self.latest[version.id])
        # one without an event says what the last one said, and is not kept
        found = [version for version in made.values() if version.events]
        self.latest.update((version.id, version) for version in found)
        return sorted(found, key=lambda version: (version.path or version.old_path or "", version.id))

    def _touch(self, touch: Touch) -> list[str]:
        """Take over one file; the ids that it concerns."""
        concerned = []
        damaged = self._damaged[touch.path]
        if damaged is not None:
            concerned.append(damaged)
        old = self.held[touch.path]
        if old is not None:
            self.held[touch.path] = None
            self._paths[old[0]].discard(touch.path)
            concerned.append(old[0])
        if touch.blob:
            fields = self._lookup(touch.blob) if touch.mode.startswith("100") else None
            new = str(fields["id"]) if fields is not None else DAMAGED_ID
            self.held[touch.path] = (new, touch.blob)
            self._paths[new].add(touch.path)
            concerned.append(new)
        return concerned

    def _version(self, seq: int, record_id: str) -> Version:
        last = self.latest[record_id]
        version = Version(seq, record_id)
        if last is not None:
            version.old_path, version.before, version.title = last.path, last.last_readable, last.title
        version.path = counting(record_id, self._paths[record_id])
        if version.path is None:
            self._lost(version, last)
            return version
        version.blob = self.held[version.path][1]
        fields = self._lookup(version.blob) or {}
        version.title = title(Record(fields))
        version.replaces = tuple(i for i in fields.get("supersedes") or () if isinstance(i, str))
        before = self._lookup(version.before) if version.before else None
        if last is None or before is None:
            version.events = [changes.RECORDED]
            return version
        version.events = changes.events(before, fields)
        version.names = [name for name, _, _ in changes.differences(before, fields)]
        if last.blob is None:
            version.events.append(changes.RESTORED)
        elif last.path != version.path:
            version.events.append(changes.RENAMED)
        if not version.events and last.blob != version.blob:
            version.events.append(changes.CORRECTED)  # comments, or how it is written
        return version

    def _lost(self, version: Version, last: Version | None) -> None:
        """No readable file has the id any more: it is gone, or what it had cannot be read."""
        if last is None or last.path is None:
            return
        there = self.held[last.path]
        if there is not None and there[0] == DAMAGED_ID:
            version.path = last.path
            version.events = [changes.DAMAGED] if last.blob is not None else []
        else:
            version.events = [changes.DELETED]

    def _succession(self, version: Version, last: Version | None) -> None:
        version.by = min(self._successors[version.id], default=None)
        if version.blob is None or last is None or last.by == version.by:
            return
        event = changes.REOPENED if version.by is None else changes.SUPERSEDED
        version.events += [event] if event not in version.events else []

    def _settle(self, version: Version) -> Sequence[str]:
        """Let a version count; the ids that it supersedes."""
        if version.path is not None and version.blob is None:
            self._damaged[version.path] = version.id
        if version.blob is None:
            return NOBODY
        for other in version.replaces:
            self._successors[other].add(version.id)
        return version.replaces

    def _unsettle(self, version: Version | None) -> Sequence[str]:
        """Let a version count no longer; the ids that it superseded."""
        if version is None:
            return NOBODY
        if version.path is not None and self._damaged[version.path] == version.id:
            self._damaged[version.path] = None
        if version.blob is None:
            return NOBODY
        for other in version.replaces:
            self._successors[other].discard(version.id)
        return version.replaces
