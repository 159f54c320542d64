"""Derived data follows the files: an exact look, then only what changed, under one lock.

Where nothing can be written (a read-only checkout, a full disk) the answer comes from the files, in
memory, and says so. Reading, parsing and tantivy are imported only when something changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index.generation import MANIFEST, TABLE, WORDS, Index, current, put_back, withdraw
from chalkgit.index.table import Damaged, Table
from chalkgit.store import worktree
from chalkgit.store.ahead import Ahead, state, vouch
from chalkgit.store.lock import Lock
from chalkgit.store.place import Place
from chalkgit.store.worktree import Look

Progress = Callable[[int, int], None]
GENERATION = 13  # g and twelve hexadecimal digits


def up_to_date(
    place: Place, progress: Progress | None = None, *, rebuild: bool = False, ahead: Ahead | None = None
) -> Index:
    """The index of a place, refreshed to its work tree. Raises NoStore where there is no store."""
    place.require_store()
    index = None if rebuild else current(place)
    if index is not None and _vouched_for(index, ahead):
        return index
    looked = worktree.look(place)
    if index is not None and _fresh(index, looked):
        _remember(index, looked)
        return index
    try:
        return _refreshed(place, progress, rebuild)
    except (OSError, ChalkError) as error:
        return in_memory(place, looked, error)


def in_memory(place: Place, looked: Look, why: Exception) -> Index:
    """The same answers from the files alone, for a git directory that takes no writes."""
    from chalkgit.index.lexical import Lexical

    index = Index(place, Table(":memory:", create=True), None, Lexical(None))
    _apply(index, looked, dict.fromkeys(looked.paths, ""), None, fresh=True)
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


def _vouched_for(index: Index, begun: Ahead | None) -> bool:
    """Whether git's stat cache says that nothing moved since it vouched for all records."""
    try:
        known = index.table.clean()
        if known is None or index.successors_moved():
            return False
        begun = begun or Ahead(index.place)
        return bool(known[0]) and state(index.place, known[0]) == known[1] and begun.unchanged()
    except Damaged:
        return False


def _remember(index: Index, looked: Look) -> None:
    """Keep the state at which git vouches for the records, where it does and the disk takes it."""
    if index.folder is None:
        return
    try:
        found = vouch(index.place, looked, index.table.clean())
        if found is not None:
            row = ("\0".join(found[0]), found[1])
            index.table.write(
                [("delete from clean where ?", [(1,)]), ("insert into clean values (?, ?)", [row])]
            )
    except (OSError, ChalkError, Damaged):
        pass  # the exact look decides again next time


def _fresh(index: Index, looked: Look) -> bool:
    try:
        if not looked.sure or index.successors_moved():
            return False
        seen = index.table.looked()
        # a file system may list the same folder in another order
        return seen == looked.packed() or worktree.unpacked(*seen) == looked.by_path()
    except Damaged:
        return False


def _refreshed(place: Place, progress: Progress | None, rebuild: bool) -> Index:
    from chalkgit.index import lexical

    os.makedirs(place.derived, exist_ok=True)
    with lock(place):
        looked = worktree.look(place)  # again: another process may have refreshed meanwhile
        index = None if rebuild else current(place)
        if index is not None:
            try:
                _bring(index, looked, progress)
                return index
            except (Damaged, lexical.Damaged, ValueError):
                index.table.close()
        return _rebuilt(place, looked, progress)


def _bring(index: Index, looked: Look, progress: Progress | None) -> None:
    """Apply what changed since the last look to an existing generation."""
    from chalkgit.index import lexical

    if index.words.count != int(index.table.meta("documents") or -1):
        raise lexical.Damaged("the count of documents differs from the manifest's")
    seen, now = worktree.unpacked(*index.table.looked()), looked.by_path()
    changes = dict.fromkeys((path for path in seen if path not in now), "gone")
    for path, signature in now.items():
        if signature == worktree.UNSURE or seen.get(path) != signature:
            changes[path] = ""
    _apply(index, looked, changes, progress)


def _rebuilt(place: Place, looked: Look, progress: Progress | None) -> Index:
    from chalkgit.index import lexical
    from chalkgit.index.lexical import Lexical

    withdraw(place)
    name = "g" + os.urandom(6).hex()
    folder = os.path.join(place.derived, name)
    os.makedirs(folder)
    try:
        words = Lexical(os.path.join(folder, WORDS), create=True)
        index = Index(place, Table(os.path.join(folder, TABLE), create=True), folder, words)
        _apply(index, looked, dict.fromkeys(looked.paths, ""), progress, fresh=True)
    except (Damaged, lexical.Damaged) as error:  # new, and unusable: the disk takes no writes
        _sweep(place, "")
        raise ChalkError(str(error)) from error
    except BaseException:
        _sweep(place, "")
        raise
    _sweep(place, name)
    return index


def _apply(
    index: Index,
    looked: Look,
    changes: dict[str, str],
    progress: Progress | None,
    *,
    fresh: bool = False,
) -> None:
    """Read the changed files, then write words, table and manifest in that order."""
    from chalkgit.index import rows

    change = rows.read(index, changes, progress)
    change.looks = looked.packed()
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
    """Remove the other generations and what a crash left of a manifest; a process that still has one open
    keeps its files until it ends."""
    import shutil

    for name in os.listdir(place.derived):
        if name != keep and name[:1] == "g" and len(name) == GENERATION:
            shutil.rmtree(os.path.join(place.derived, name), ignore_errors=True)
        elif name.startswith(f".{MANIFEST}.") and name.endswith(".tmp"):
            os.unlink(os.path.join(place.derived, name))


def lock(place: Place) -> Lock:
    """One refresh at a time in a work tree."""
    file = os.path.join(place.derived, "lock")
    return Lock(file, thresholds.LOCK_SECONDS, "another process holds the index's lock")
