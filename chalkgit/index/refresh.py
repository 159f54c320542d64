"""Derived data follows the files: an exact look, then only what changed, under one lock.

Where nothing can be written (a read-only checkout, a full disk) the answer comes from the files, in
memory, and says so. Reading, parsing and tantivy are imported only when something changed.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import vouching
from chalkgit.index.generation import (
    MANIFEST,
    TABLE,
    WORDS,
    Index,
    current,
    is_generation,
    put_back,
    withdraw,
)
from chalkgit.index.table import Damaged, Table
from chalkgit.store import worktree
from chalkgit.store.ahead import Ahead
from chalkgit.store.place import Place
from chalkgit.store.worktree import Look

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chalkgit.index.texts import Document
    from chalkgit.store.lock import Lock

    Statement = tuple[str, Sequence[Sequence[object]]]
    Progress = Callable[[int, int], None]


class Behind(Exception):
    """What a hurried question is told: so many files would have to be read first.

    index: the one that is there, behind the files; None where there is none. why: the disk takes no other.
    """

    def __init__(self, index: Index | None, count: int, why: str | None = None) -> None:
        super().__init__(count)
        self.index = index
        self.count = count
        self.why = why


def up_to_date(
    place: Place,
    progress: Progress | None = None,
    *,
    rebuild: bool = False,
    ahead: Ahead | None = None,
    words: bool = True,
    hurried: bool = False,
) -> Index:
    """The index of a place, refreshed to its work tree. Raises NoStore where there is no store.

    words: whether its words are asked. Where not, any number of changes may wait to be written to them.
    hurried: somebody waits, so that reading more than a few hundred files raises Behind.
    """
    place.require_store()
    most = thresholds.HURRIED_FILES if hurried else None
    index = looked = None
    try:
        index = None if rebuild else current(place, hurried=hurried)
        moved = vouching.moved(index, ahead) if index is not None else None
        if moved is None:
            looked = worktree.look(place)
            if index is not None and _fresh(index, looked):
                _remember(index, looked)
                moved = {}
        if index is not None and moved is not None:
            return _in_step(index, moved, words, most)
        os.makedirs(place.derived, exist_ok=True)
        if os.path.islink(place.derived):
            raise ChalkError("a symbolic link, which is not followed")
        with lock(place, most):
            known = None if rebuild else current(place, hurried=hurried)
            return _whole(place, progress, known, words, most)
    except (OSError, ChalkError) as error:
        looked = looked or worktree.look(place)
        if most is not None and len(looked.paths) > most:
            raise Behind(index, len(looked.paths), _reason(error)) from error
        return in_memory(place, looked, error)


def _in_step(index: Index, moved: dict[str, str], words: bool, most: int | None) -> Index:
    """An index whose table lacks these changes alone, with them and, where asked, its words."""
    if index.successors_moved() and not moved:
        from chalkgit.index import successors

        successors.again(index)
    if not moved and not (words and _overdue(index, index.table.pending_count())):
        return index
    with lock(index.place, most):
        now = current(index.place, hurried=most is not None)
        if now is None or now.table.meta("edition") != index.table.meta("edition"):
            return _whole(index.place, None, now, words, most)  # another process was here
        try:
            if moved:
                _apply(now, None, moved, None, words=words)
            elif _overdue(now, now.table.pending_count()):
                _catch_up(now)
            return now
        except (Damaged, ValueError):
            now.table.close()
            return _whole(index.place, None, None, words, most)


def in_memory(place: Place, looked: Look, why: Exception) -> Index:
    """The same answers from the files alone, for a git directory that takes no writes."""
    from chalkgit.index.lexical import Lexical

    index = Index(place, Table(":memory:", create=True), None, Lexical(None))
    _apply(index, looked, dict.fromkeys(looked.paths, ""), None, fresh=True, words=True)
    what = f"the index cannot be written ({_reason(why)})"
    index.unwritten = f"{what}: answered from the files, which is slower"
    return index


def _reason(why: Exception) -> str:
    return why.message if isinstance(why, ChalkError) else getattr(why, "strerror", None) or str(why)


def of_revision(place: Place, revision: str | None, *, words: bool = True) -> Index:
    """The records of a commit, in memory: what the repository knew then; None: before the first, nothing.

    words: whether its words are asked. Raises UnknownPast where this clone does not have all of them.
    """
    from chalkgit.index import past

    index = Index(place, Table(":memory:", create=True), None, past.words() if words else None)
    past.fill(index, revision, words=words)
    return index


def _remember(index: Index, looked: Look) -> None:
    """Keep for what git vouches of the records, where it does and the disk takes it."""
    if index.folder is None:
        return
    try:
        vouching.remember(index, looked)
    except (OSError, ChalkError, Damaged):
        pass  # the exact look decides again next time


def _fresh(index: Index, looked: Look) -> bool:
    try:
        if not looked.sure or index.table.since_look():
            return False
        seen = index.table.looked()
        # a file system may list the same folder in another order
        return seen == looked.packed() or worktree.unpacked(*seen) == looked.by_path()
    except Damaged:
        return False


def _whole(
    place: Place, progress: Progress | None, index: Index | None, words: bool, most: int | None
) -> Index:
    """After an exact look, under the lock: another process may have refreshed meanwhile."""
    looked = worktree.look(place)
    if index is not None:
        try:
            changes = _differences(index, looked)
            if most is not None and len(changes) > most:
                raise Behind(index, len(changes))
            _apply(index, looked, changes, progress, words=words)
            _remember(index, looked)
            return index
        except (Damaged, ValueError):
            index.table.close()
    if most is not None and len(looked.paths) > most:
        raise Behind(None, len(looked.paths))
    index = _rebuilt(place, looked, progress)
    _remember(index, looked)
    return index


def _differences(index: Index, looked: Look) -> dict[str, str]:
    """What changed since the last look: "gone", or "" for what has to be read."""
    seen, now = worktree.unpacked(*index.table.looked()), looked.by_path()
    seen.update(dict.fromkeys(index.table.since_look(), worktree.UNSURE))
    changes = dict.fromkeys((path for path in seen if path not in now), "gone")
    for path, signature in now.items():
        if signature == worktree.UNSURE or seen.get(path) != signature:
            changes[path] = ""
    return changes


def _rebuilt(place: Place, looked: Look, progress: Progress | None) -> Index:
    from chalkgit.index.lexical import Lexical

    withdraw(place)
    name = "g" + os.urandom(6).hex()
    folder = os.path.join(place.derived, name)
    os.makedirs(folder)
    try:
        words = Lexical(os.path.join(folder, WORDS), create=True)
        index = Index(place, Table(os.path.join(folder, TABLE), create=True), folder, words)
        _apply(index, looked, dict.fromkeys(looked.paths, ""), progress, fresh=True, words=True)
    except Damaged as error:  # new, and unusable: the disk takes no writes
        _sweep(place, "")
        raise ChalkError(str(error)) from error
    except BaseException:
        _sweep(place, "")
        raise
    _sweep(place, name)
    return index


def _apply(
    index: Index,
    looked: Look | None,
    changes: dict[str, str],
    progress: Progress | None,
    *,
    words: bool,
    fresh: bool = False,
) -> None:
    """Read the changed files, then write words, table and manifest in that order, or the table alone."""
    from chalkgit.index import rows

    change = rows.read(index, changes, progress, fresh=fresh)
    if looked is not None:
        change.looks = looked.packed()
    else:
        change.doubtful = vouching.doubting(index, list(changes))
    if not fresh and not (words and _overdue(index, len(change.removed) + index.table.pending_count())):
        # one transaction of the table: the words stay as they are, and what they lack is kept
        index.table.write([*change.statements(), *change.pending()])
        return
    from chalkgit.index.texts import Document

    pending, gone = dict(index.table.pending()), set(change.removed)
    late = [Document(path, body) for path, body in pending.items() if body is not None and path not in gone]
    removed = [] if fresh else [*change.removed, *pending]
    _write(index, removed, [*change.documents, *late], change.statements())


def _overdue(index: Index, late: int) -> bool:
    """Whether so many changes should be written to the words, rather than be compared one by one."""
    documents = int(index.table.meta("documents") or 0)
    return late > min(thresholds.LATE_RECORDS, documents // thresholds.LATE_SHARE)


def _catch_up(index: Index) -> None:
    """Let the words take in what they lack."""
    from chalkgit.index.texts import Document

    pending = index.table.pending()
    documents = [Document(path, body) for path, body in pending if body is not None]
    _write(index, [path for path, _ in pending], documents, [])


def _write(
    index: Index, removed: Sequence[str], documents: Sequence[Document], statements: Sequence[Statement]
) -> None:
    from chalkgit.index import rows

    if index.folder is not None:
        withdraw(index.place)
    index.words.write(dict.fromkeys(removed), documents)
    stamp = f"{time.time_ns()}-{os.urandom(4).hex()}"
    index.table.write([*statements, *rows.stamped(stamp, index.words.written)])
    if index.folder is not None:
        put_back(index, stamp)


def _sweep(place: Place, keep: str) -> None:
    """Remove the other generations and what a crash left of a manifest; a process that still has one open
    keeps its files until it ends."""
    import shutil

    for name in os.listdir(place.derived):
        path = os.path.join(place.derived, name)
        if name != keep and is_generation(name):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        elif name.startswith(f".{MANIFEST}.") and name.endswith(".tmp"):
            os.unlink(os.path.join(place.derived, name))


def lock(place: Place, hurried: int | None = None) -> Lock:
    """One refresh at a time in a work tree."""
    from chalkgit.store.lock import Lock

    file = os.path.join(place.derived, "lock")
    seconds = thresholds.LOCK_SECONDS if hurried is None else thresholds.HURRIED_SECONDS
    return Lock(file, seconds, "another process holds the index's lock")
