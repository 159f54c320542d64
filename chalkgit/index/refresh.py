"""Derived data follows the files: an exact look, then only what changed, under one lock.

Where nothing can be written (a read-only checkout, a full disk) the answer comes from the files, in
memory, and says so. Reading, parsing and tantivy are imported only when something changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index.generation import TABLE, WORDS, Index, current, put_back, withdraw
from chalkgit.index.table import Damaged, Table
from chalkgit.store import worktree
from chalkgit.store.place import Place

Progress = Callable[[int, int], None]


def up_to_date(place: Place, progress: Progress | None = None, *, rebuild: bool = False) -> Index:
    """The index of a place, refreshed to its work tree. Raises NoStore where there is no store."""
    looked = worktree.look(place)
    if not rebuild:
        index = current(place)
        if index is not None and _fresh(index, looked):
            return index
    try:
        return _refreshed(place, progress, rebuild)
    except (OSError, ChalkError) as error:
        return in_memory(place, looked, error)


def in_memory(place: Place, looked: dict[str, int], why: Exception) -> Index:
    """The same answers from the files alone, for a git directory that takes no writes."""
    from chalkgit.index.lexical import Lexical

    index = Index(place, Table(":memory:", create=True), None, Lexical(None))
    _apply(index, looked, dict.fromkeys(looked, ""), None, fresh=True)
    reason = why.message if isinstance(why, ChalkError) else getattr(why, "strerror", None) or str(why)
    index.unwritten = f"the index cannot be written ({reason}): answered from the files, which is slower"
    return index


def of_revision(place: Place, revision: str) -> Index:
    """The records of a commit, in memory: what the repository knew then."""
    from chalkgit.index import rows
    from chalkgit.index.lexical import Lexical

    index = Index(place, Table(":memory:", create=True), None, Lexical(None))
    change = rows.of_revision(index, revision)
    index.words.write((), change.documents)
    index.table.write(change.statements())
    return index


def _fresh(index: Index, looked: dict[str, int]) -> bool:
    try:
        unsure = worktree.UNSURE in looked.values()
        return not unsure and index.table.looks() == looked and not index.successors_moved()
    except Damaged:
        return False


def _refreshed(place: Place, progress: Progress | None, rebuild: bool) -> Index:
    from chalkgit.index import lexical

    os.makedirs(place.derived, exist_ok=True)
    with _locked(place):
        looked = worktree.look(place)  # again: another process may have refreshed meanwhile
        index = None if rebuild else current(place)
        if index is not None:
            try:
                _bring(index, looked, progress)
                return index
            except (Damaged, lexical.Damaged):
                index.table.close()
        return _rebuilt(place, looked, progress)


def _bring(index: Index, looked: dict[str, int], progress: Progress | None) -> None:
    """Apply what changed since the last look to an existing generation."""
    from chalkgit.index import lexical

    if index.words.count != int(index.table.meta("documents") or -1):
        raise lexical.Damaged("the count of documents differs from the manifest's")
    seen = index.table.looks()
    changes = dict.fromkeys((path for path in seen if path not in looked), "gone")
    for path, signature in looked.items():
        if signature == worktree.UNSURE or seen.get(path) != signature:
            changes[path] = ""
    _apply(index, looked, changes, progress)


def _rebuilt(place: Place, looked: dict[str, int], progress: Progress | None) -> Index:
    from chalkgit.index.lexical import Lexical

    name = "g" + os.urandom(6).hex()
    folder = os.path.join(place.derived, name)
    os.makedirs(folder)
    words = Lexical(os.path.join(folder, WORDS), create=True)
    index = Index(place, Table(os.path.join(folder, TABLE), create=True), folder, words)
    _apply(index, looked, dict.fromkeys(looked, ""), progress, fresh=True)
    _sweep(place, name)
    return index


def _apply(
    index: Index,
    looked: dict[str, int],
    changes: dict[str, str],
    progress: Progress | None,
    *,
    fresh: bool = False,
) -> None:
    """Read the changed files, then write words, table and manifest in that order."""
    from chalkgit.index import rows

    change = rows.read(index, looked, changes, progress)
    if not change.touches_words and not fresh:
        # signatures and successors alone: one transaction of the table, the words stay as they are
        index.table.write(change.statements())
        return
    if index.folder is not None:
        withdraw(index.place)
    index.words.write(change.removed, change.documents)
    stamp = f"{time.time_ns()}-{os.urandom(4).hex()}"
    index.table.write([*change.statements(), *rows.stamped(stamp, index.words.count)])
    if index.folder is not None:
        put_back(index, stamp)


def _sweep(place: Place, keep: str) -> None:
    """Remove older generations; a process that still has one open keeps its files until it ends."""
    import shutil

    for name in os.listdir(place.derived):
        if len(name) == len(keep) and name.startswith("g") and name != keep:
            shutil.rmtree(os.path.join(place.derived, name), ignore_errors=True)


@contextmanager
def _locked(place: Place) -> Iterator[None]:
    import fcntl

    handle = os.open(os.path.join(place.derived, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        deadline = time.monotonic() + thresholds.LOCK_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ChalkError("another process holds the index's lock") from None
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)
