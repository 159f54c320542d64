"""Forgetting a record: what there is of it on this machine, and erasing that.

The order makes a killed run harmless. What can only be found by the record's own words goes first (failed
runs in the journal), then the files, from which all else would be made again, then derived data; the rest
goes by the id alone, which whoever asks again knows.
"""

from __future__ import annotations

from chalkgit.answers import successions
from chalkgit.errors import ChalkError, NoStore
from chalkgit.failures import fingerprint
from chalkgit.index import erasing as derived
from chalkgit.index import lessons, refresh
from chalkgit.records.record import Record
from chalkgit.store import erasing, snapshot, worktree, writes
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable


class Traces:
    """What there is of an id.

    record: None where no file can be read as it. held: by work tree. derived: files of derived data that name
    it; journal: its rows. history: the commits that wrote it, newest first, as {commit, on, subject}; paths:
    every path it had in them. remote: the remote-tracking branches that have it. named_by: the records of
    this work tree that name it. mends: by id, the command that takes it out of what such a record supersedes.
    """

    __slots__ = (
        "derived",
        "held",
        "history",
        "id",
        "journal",
        "mends",
        "named_by",
        "paths",
        "place",
        "record",
        "remote",
    )

    def __init__(self, place: Place, record_id: str) -> None:
        self.place = place
        self.id = record_id
        self.held: list[erasing.Held] = []
        self.record: Record | None = None
        self.named_by: list[Record] = []
        self.mends: dict[str, str] = {}
        self.derived = self.journal = 0
        self.history: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.remote: list[str] = []

    @property
    def files(self) -> list[tuple[str, str]]:
        """(root, path) of each file; a working note, which all work trees share, once."""
        found = [(held.place.root, path) for held in self.held for path in held.files]
        first = self.held[0].place.root
        return [(r, p) for r, p in found if not p.startswith(worktree.NOTES + "/") or r == first]

    @property
    def staged(self) -> list[tuple[str, str]]:
        return [(held.place.root, path) for held in self.held for path in held.staged]

    @property
    def is_note(self) -> bool:
        return self.record is not None and self.record.path.startswith(worktree.NOTES + "/")

    def __bool__(self) -> bool:
        """Whether there is anything that can be erased."""
        return bool(self.files or self.staged or self.derived or self.journal)


def traces(place: Place, record_id: str) -> Traces:
    found = Traces(place, record_id)
    found.held = [erasing.held(one, record_id) for one in erasing.work_trees(place)]
    found.record = next((held.record for held in found.held if held.record is not None), None)
    found.named_by = found.held[0].named_by
    found.mends = _mends(found)
    found.derived = sum(derived.traces(one, record_id) for one in erasing.places(place))
    found.journal = erasing.shown(place, record_id, _failures(found.record), count_only=True)
    known = sorted({path for _, path in [*found.files, *found.staged]})
    found.paths, found.history = erasing.history(place, record_id, known)
    if found.history:
        found.remote = erasing.pushed(place, found.history[-1]["commit"])
    return found


def _mends(found: Traces) -> dict[str, str]:
    """What it replaced stays replaced: its successors take that over, or it would be recalled again."""
    successors = [record for record in found.named_by if found.id in record.items("supersedes")]
    if not successors:
        return {}
    known = snapshot.of_work_tree(found.place).records
    behind = found.record.items("supersedes") if found.record is not None else []
    mends = {}
    for record in successors:
        rest = [i for i in dict.fromkeys([*record.items("supersedes"), *behind]) if i in known]
        mends[record.id] = successions.leaving(record.id, [i for i in rest if i not in (found.id, record.id)])
    return mends


def erase(found: Traces, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Erase all of it; what could not be built anew afterwards, in words. Run again, it finishes.

    ChalkError where something stays: what was erased by then is.
    """
    place = found.place
    with writes.lock(place):
        erasing.shown(place, found.id, _failures(found.record))
        for held in found.held:
            erasing.files(held)
        had = [one for one in erasing.places(place) if derived.derived(one, found.id)]
        # a door may have shown it meanwhile
        erasing.shown(place, found.id)
    trees = {one.git_dir for one in erasing.work_trees(place)}
    return [said for one in had if one.git_dir in trees and (said := _again(one, progress))]


def _again(place: Place, progress: Callable[[int, int], None] | None) -> str | None:
    """Build an index anew that was there before, so that no hook has to do without."""
    try:
        return refresh.up_to_date(place, progress).unwritten
    except NoStore:
        return None
    except ChalkError as error:
        return f"the index of {place.root} is not built yet: {error.message}"


def _failures(record: Record | None) -> list[str]:
    """What the journal keeps of failed runs like the lesson's."""
    if record is None or record.kind != "lesson":
        return []
    failed = lessons.Failed(record.fields)
    error, stated = (record.part("failure", name) for name in ("error", "fingerprint"))
    normalized = fingerprint.of_record((), error, None).normalized if isinstance(error, str) else ""
    said = [failed.computed, stated, error, normalized]
    return [text for text in dict.fromkeys(said) if isinstance(text, str) and text]
