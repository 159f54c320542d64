"""The stores one question is put to: this work tree first, its siblings, then the user's other ones.

An id known here, in any state, is answered by this work tree alone: siblings and other clones add only
ids unknown here. A store that has vanished is told once and forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from chalkgit.answers import stored
from chalkgit.errors import ChalkError, NoStore
from chalkgit.index import refresh, texts
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.store import place as places
from chalkgit.store import stores
from chalkgit.store.ahead import Ahead
from chalkgit.store.place import Place

Tell = Callable[[str], None]


class Source:
    """One store: its index, and whether and how it is not this one. `hidden` ids are answered before it."""

    __slots__ = ("elsewhere", "hidden", "index", "label", "superseded")

    def __init__(self, index: Index, *, elsewhere: bool, label: str, hidden: set[str]) -> None:
        self.index = index
        self.elsewhere = elsewhere
        self.label = label
        self.hidden = hidden
        self.superseded = stored.superseded(index)

    @property
    def place(self) -> Place:
        return self.index.place

    def count(self) -> int:
        """How many records that `check` asks are its own to answer."""
        table = self.index.table
        if not self.hidden:
            return table.count(texts.CHECKED)
        ids = table.some("select distinct id from files where kind in", texts.CHECKED)
        return len({row[0] for row in ids} - self.hidden)

    def records(self, paths: list[str]) -> list[Record]:
        """The records at these paths, those answered by an earlier source left out."""
        return [record for record in stored.read(self.index, paths) if record.id not in self.hidden]


def opened(
    place: Place,
    *,
    here: bool,
    tell: Tell,
    report: refresh.Progress | None = None,
    ahead: Ahead | None = None,
    rebuild: bool = False,
    words: bool = True,
) -> list[Source]:
    """This store and, unless `here`, the others that can be read; `tell` hears why one cannot.

    words: whether their words are asked.
    """
    own = refresh.up_to_date(place, report, rebuild=rebuild, ahead=ahead, words=words)
    if own.unwritten:
        tell(own.unwritten)
    sources = [Source(own, elsewhere=False, label="", hidden=set())]
    others = [] if here else _others(place, tell)
    if others:
        known = set(own.table.ids())
        for other, elsewhere, label in others:
            index = _index(other, tell, report, rebuild, words)
            if index is not None:
                sources.append(Source(index, elsewhere=elsewhere, label=label, hidden=known))
                known = known | set(index.table.ids())
    return sources


def _index(
    place: Place, tell: Tell, report: refresh.Progress | None, rebuild: bool, words: bool
) -> Index | None:
    try:
        return refresh.up_to_date(place, report, rebuild=rebuild, words=words)
    except NoStore:
        return None
    except ChalkError as error:
        tell(f"{place.root} was not asked: {error.message}")
        return None


def _others(place: Place, tell: Tell) -> list[tuple[Place, bool, str]]:
    """(place, elsewhere, label) of sibling work trees and the user's other stores, each once."""
    found = {place.root: (place, False, "")}
    for sibling in places.siblings(place):
        found[sibling.root] = (sibling, False, f"sibling work tree {os.path.basename(sibling.root)}")
    for root in stores.roots():
        try:
            other = places.at_root(root)
        except ChalkError as error:  # another user's, say: git refuses it
            tell(f"{root} was not asked: {error.message}")
            continue
        if other is None and _is_there(root):
            tell(f"{root} was not asked: it cannot be read as a repository")
        elif other is None:
            _forget(root, tell)
        elif not os.path.isdir(other.lessons):
            tell(f"{root} has no {places.LESSONS}/ in what is checked out there, and was not asked")
        elif other.common_dir == place.common_dir:
            continue  # this repository: its work trees are siblings
        else:
            found.setdefault(other.root, (other, True, os.path.basename(other.root)))
    del found[place.root]
    return list(found.values())


def _is_there(root: str) -> bool:
    """Whether something may be there that cannot be read now: a permission or a mount may come back."""
    try:
        return os.path.lexists(root) and (not os.access(root, os.X_OK) or os.path.lexists(f"{root}/.git"))
    except OSError:
        return True


def _forget(root: str, tell: Tell) -> None:
    try:
        stores.forget(root)
    except ChalkError as error:
        tell(f"{root} is no repository any more, and could not be forgotten: {error.message}")
    else:
        tell(f"{root} is no repository any more, and is forgotten")
