"""What git vouched for, kept beside the table: `store.ahead` asks with it whether anything moved.

The two long lists lie in a file of their own, since SQLite takes milliseconds to give back a megabyte. The
file begins with the tag that the table has too: one without the other vouches for nothing.
"""

from __future__ import annotations

import os

from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.index.table import Damaged
from chalkgit.store import ahead, atomic, worktree
from chalkgit.store.ahead import Ahead, Lists, Vouched
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.worktree import Look

FILE = "vouched"
_TAG = 16


def moved(index: Index, begun: Ahead | None) -> dict[str, str] | None:
    """The record files that changed since the table was written: "gone", or "" for what has to be read.

    None where git does not vouch for all others.
    """
    try:
        known = _known(index)
        if known is None:
            return None
        found = ahead.doubt(known, begun or Ahead(index.place))
        if found is None:
            return None
        if found.renewed is not None and _lasting(found.renewed):
            (_renew if found.renewed.lists is known.lists else _keep)(index, found.renewed)
        return ahead.changed(index.place, found.paths, index.table.hashes(list(found.paths)))
    except Damaged:
        return None


def _lasting(found: Vouched) -> bool:
    """Whether it can be told by signs next time: of a temporary index, or a young folder, it cannot."""
    return bool(found.index and found.states)


def remember(index: Index, looked: Look) -> None:
    """Compare the table with git's index, and keep for what it vouches."""
    found = ahead.vouch(index.place, looked, index.table.blobs())
    if found is not None and index.folder is not None:
        _keep(index, found)


def _keep(index: Index, found: Vouched) -> None:
    assert index.folder is not None
    lists = found.lists() or Lists(b"", b"", b"")
    tag = os.urandom(_TAG // 2).hex()
    sizes = b"%s %12d %12d " % (tag.encode(), len(lists.names), len(lists.raw))
    try:
        atomic.replace(os.path.join(index.folder, FILE), sizes + lists.names + lists.raw + lists.told)
        row = ("\0".join(found.folders), found.states, found.index, tag, "\0".join(found.doubtful))
        index.table.write(
            [
                ("delete from vouched where ?", [(1,)]),
                ("insert into vouched values (?, ?, ?, ?, ?, ?)", [(*row, _notes(index.place) or b"")]),
            ]
        )
    except (OSError, ChalkError):
        pass  # a disk that takes no writes, or another process writing: told again next time


def _renew(index: Index, found: Vouched) -> None:
    """Keep the signs of now. The lists stay as they were kept: writing 20 MB takes longer than a look."""
    row = (found.states, found.index, "\0".join(found.doubtful))
    try:
        index.table.write([("update vouched set states = ?, index_file = ?, doubtful = ?", [row])])
    except (OSError, ChalkError):
        pass  # as above


def doubting(index: Index, paths: list[str]) -> str:
    """What the table's `doubtful` is once these paths are compared by content too."""
    row = index.table.vouched()
    return "\0".join(dict.fromkeys([*_split(row[4]), *paths])) if row is not None else ""


def _known(index: Index) -> Vouched | None:
    row = index.table.vouched()
    if row is None or not row[0] or index.folder is None or row[5] != _notes(index.place):
        return None
    folders, states, index_file, tag, doubtful, _ = row
    file = os.path.join(index.folder, FILE)
    return Vouched(_split(folders), states, index_file, _split(doubtful), lambda: _lists(file, tag))


def _lists(file: str, tag: str) -> Lists | None:
    """The long lists, where the file is the one that the table means."""
    try:
        # a FIFO in its place is not waited for, a link not followed
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as opened:
            said, names, raw = opened.read(_TAG + 27).split()
            if said != tag.encode():
                return None
            return Lists(opened.read(int(names)), opened.read(int(raw)), opened.read())
    except (OSError, ValueError):
        return None


def _notes(place: Place) -> bytes | None:
    """What the look at the working notes saw; None where one may change again unseen."""
    if not os.path.isdir(place.notes):
        return b""
    notes = worktree.look_at_notes(place)
    return b"\0".join(notes.packed()) if notes.sure else None


def _split(text: str) -> list[str]:
    return text.split("\0") if text else []
