"""The versions of records as `log` and `show` tell them: what happened, when git learned it, and by whom.

The newest first, in the order of ancestry; what is not committed stands before all that is.
"""

from __future__ import annotations

import os

from chalkgit.errors import UnknownPast
from chalkgit.records import changes
from chalkgit.records.record import Record, title
from chalkgit.records.sealing import claims_approval
from chalkgit.records.status import restriction
from chalkgit.store import approvals, git, snapshot, versions, worktree, writers
from chalkgit.store.place import LESSONS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from chalkgit.store.brought import Writer
    from chalkgit.store.history import History, Moment
    from chalkgit.store.place import Place
    from chalkgit.store.versions import Version

    Fields = Mapping[str, Any]

COMMITTED, UNCOMMITTED, UNKNOWN = "committed", "uncommitted", "unknown"


class Chapter:
    """One version of one record. moment: its commit, None while it is not committed.

    fields: what the record says then; of one that is gone or damaged, what it said last. changed: (field,
    before, after) of those that differ from the version before.
    """

    __slots__ = ("_before", "_chronicle", "_fields", "moment", "version")

    def __init__(self, chronicle: Chronicle, version: Version, moment: Moment | None) -> None:
        self._chronicle = chronicle
        self.version = version
        self.moment = moment

    @property
    def fields(self) -> Fields:
        return self._chronicle.fields(self.version.last_readable) or {}

    @property
    def record(self) -> Record:
        return Record(self.fields, self.version.path or self.version.old_path or "")

    @property
    def changed(self) -> list[tuple[str, Any, Any]]:
        before = self._chronicle.fields(self.version.before)
        if before is None or self.version.blob is None or self.version.events[:1] == [changes.RECORDED]:
            return []
        return changes.differences(before, self.fields)

    @property
    def made(self) -> Moment | None:
        """The commit that made it; None where none did, and where nobody can tell which."""
        return self.moment if self.moment is not None and not self.moment.edge else None

    @property
    def no_later_than(self) -> str | None:
        """The commit at which this clone begins, where that is all that is known of when it was made."""
        return self.moment.oid if self.moment is not None and self.moment.edge else None

    @property
    def state(self) -> str:
        """committed, uncommitted, or unknown: it came before this clone reaches back."""
        if self.moment is None:
            return UNCOMMITTED
        return UNKNOWN if self.moment.edge else COMMITTED

    @property
    def recorded_at(self) -> str | None:
        return self.moment.recorded_at if self.moment is not None else None

    @property
    def trust(self) -> approvals.Trust:
        return self._chronicle.trust(self)

    @property
    def writers(self) -> list[Writer]:
        """Who made it: of a merge, the commits it brought; a git call for each merge. Nobody while it is not
        committed, and where this clone cannot tell."""
        return self._chronicle.writers(self)


class Chronicle:
    """The chapters of one history, `uncommitted` ones of the work tree before them where they are wanted.

    unlike: what may be uncommitted, where that was asked for before.
    """

    def __init__(self, history: History, *, uncommitted: bool = True, unlike: Unlike | None = None) -> None:
        self.history = history
        self._judge = approvals.Judge(history.place, opened=history)
        self._work: dict[str, Record] = {}
        self._uncommitted = uncommitted
        self._unlike = unlike

    def chapters(self, record_id: str | None = None) -> list[Chapter]:
        moments = self.history.moments()
        found = [Chapter(self, v, moments[v.seq]) for v in self.history.versions(record_id)]
        if not self._uncommitted:
            return found
        ahead = [v for v in self._not_committed() if record_id in (None, v.id)]
        return [Chapter(self, version, None) for version in ahead] + found

    def fields(self, blob: str | None) -> Fields | None:
        if blob is not None and blob in self._work:
            return self._work[blob].fields
        return self.history.fields(blob)

    def trust(self, chapter: Chapter) -> approvals.Trust:
        if chapter.version.blob is None:
            return approvals.Trust(approvals.UNREVIEWED)
        if chapter.moment is not None:
            return self._judge.at(chapter.version)
        record = chapter.record
        if restriction(record) is None and not claims_approval(record):
            return approvals.Trust(approvals.UNREVIEWED)
        return self._judge.of(record)

    def writers(self, chapter: Chapter) -> list[Writer]:
        if chapter.made is None:
            return []
        try:
            return writers.of_version(self.history, chapter.made, chapter.version)
        except UnknownPast:
            return []

    def _not_committed(self) -> list[Version]:
        """What the work tree has that the history's end does not: a version of each such record."""
        paths = self._not_as_committed()
        if not paths:
            return []
        held = self.history.as_of(len(self.history.moments()))
        by_path = {v.path: v.id for v in held.values() if v.path is not None}
        now: dict[str, list[Record]] = {}
        damaged = set()
        for path in paths:
            if not os.path.lexists(worktree.file_of(self.history.place, path)):
                continue
            record, _ = snapshot.decoded(path, snapshot.content(self.history.place, path))
            if record is None:
                damaged.add(path)
            else:
                now.setdefault(record.id, []).append(record)
        concerned = dict.fromkeys([*now, *(by_path[path] for path in paths if path in by_path)])
        found = [self._version(i, held.get(i), now.get(i, ()), paths, damaged) for i in concerned]
        return sorted((v for v in found if v.events), key=lambda v: (v.path or v.old_path or "", v.id))

    def _not_as_committed(self) -> set[str]:
        if self._unlike is not None and self._unlike.tip != self.history.tip:
            self._unlike.dropped()  # somebody committed meanwhile
            self._unlike = None
        if self._unlike is None:
            self._unlike = Unlike(self.history.place, self.history.tip)
        return self._unlike.paths()

    def _version(
        self,
        record_id: str,
        last: Version | None,
        now: Iterable[Record],
        paths: set[str],
        damaged: set[str],
    ) -> Version:
        version = versions.Version(0, record_id)
        by_path = {record.path: record for record in now}
        kept = [last.path] if last is not None and last.path is not None and last.path not in paths else []
        counts = versions.counting(record_id, [*by_path, *kept])
        if last is not None:
            version.old_path, version.before, version.title = last.path, last.last_readable, last.title
        if counts is None:
            lost = last.path if last is not None else None
            version.path = lost if lost in damaged else None
            version.events = [changes.DAMAGED if lost in damaged else changes.DELETED]
        elif counts in by_path:
            record = by_path[counts]
            version.path, version.blob, version.title = counts, f"@{counts}", title(record)
            self._work[version.blob] = record
            before = self.fields(version.before)
            if last is None or before is None:
                gone = self.history.versions(record_id)
                version.events = [changes.RESTORED if gone else changes.RECORDED]
            else:
                version.events = changes.events(before, record.fields)
                version.names = [name for name, _, _ in changes.differences(before, record.fields)]
                if last.path != counts:
                    version.events.append(changes.RENAMED)
        return version


class Unlike:
    """Which record files may differ from a commit's: by git's stat cache, or unknown to it.

    Asked for at once, so that git looks while the history is read. tip: the commit, "" where there is none.
    """

    def __init__(self, place: Place, tip: str) -> None:
        self.tip = tip
        others = git.start(place.root, "ls-files", "--others", "-z", "--", LESSONS)
        shape = ("--raw", "-z", "--no-renames", "--no-abbrev", tip)
        against = ("diff-index", *shape) if tip else ("ls-files", "-z")
        self._asked = [git.start(place.root, *against, "--", LESSONS), others]
        self._paths: set[str] | None = None

    def paths(self) -> set[str]:
        if self._paths is None:
            # each is waited for, whatever the other one says
            answers = [child.output() for child in self._asked]
            names = [token for answer in answers for token in os.fsdecode(_said(*answer)).split("\0")]
            self._paths = {name for name in names if worktree.is_record(name) and worktree.nameable(name)}
        return self._paths

    def dropped(self) -> None:
        """Wait for git alone: nobody wants to know any more."""
        if self._paths is None:
            for child in self._asked:
                child.output()
            self._paths = set()


def _said(code: int, out: bytes, err: bytes) -> bytes:
    if code != 0:
        from chalkgit.errors import ChalkError

        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"git cannot tell what is not committed: {said}", hint="git status")
    return out
