"""The stores one question is put to: this work tree first, its siblings, then the user's other ones.

An id known here, in any state, is answered by this work tree alone: siblings and other clones add only
ids unknown here. A store that has vanished is told once and forgotten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping

from chalkgit.errors import ChalkError, NoStore, Problem
from chalkgit.index import refresh
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
        self.superseded = superseded(index)

    @property
    def place(self) -> Place:
        return self.index.place

    def records(self, paths: list[str]) -> list[Record]:
        """The records at these paths, those answered by an earlier source left out."""
        made = (Record(json.loads(body), path) for path, body in self.index.table.bodies(paths).items())
        return [record for record in made if record.id not in self.hidden]


def superseded(index: Index) -> Mapping[str, str]:
    """Id to its successor, of the successors that are committed."""
    return dict(index.table.rows("select old, new from successors where effective = 1"))


def opened(
    place: Place,
    *,
    here: bool,
    tell: Tell,
    report: refresh.Progress | None = None,
    ahead: Ahead | None = None,
) -> list[Source]:
    """This store and, unless `here`, the others that can be read; `tell` hears why one cannot."""
    own = refresh.up_to_date(place, report, ahead=ahead)
    if own.unwritten:
        tell(own.unwritten)
    sources = [Source(own, elsewhere=False, label="", hidden=set())]
    others = [] if here else _others(place, tell)
    if others:
        known = set(own.table.ids())
        for other, elsewhere, label in others:
            source = _open(other, elsewhere, label, known, tell, report)
            if source is not None:
                sources.append(source)
                known = known | set(source.index.table.ids())
    return sources


def _open(
    place: Place, elsewhere: bool, label: str, known: set[str], tell: Tell, report: refresh.Progress | None
) -> Source | None:
    try:
        index = refresh.up_to_date(place, report)
    except NoStore:
        return None
    except ChalkError as error:
        tell(f"{place.root} was not asked: {error.message}")
        return None
    return Source(index, elsewhere=elsewhere, label=label, hidden=known)


def _others(place: Place, tell: Tell) -> list[tuple[Place, bool, str]]:
    """(place, elsewhere, label) of sibling work trees and the user's other stores, each once."""
    found = {place.root: (place, False, "")}
    for sibling in places.siblings(place):
        found[sibling.root] = (sibling, False, f"sibling work tree {os.path.basename(sibling.root)}")
    for root in stores.roots():
        other = places.at_root(root)
        if other is None or not os.path.isdir(other.lessons):
            tell(f"{root} has no {places.LESSONS}/ any more, and is forgotten")
            stores.forget(root)
        elif other.common_dir == place.common_dir:
            continue  # this repository: its work trees are siblings
        else:
            found.setdefault(other.root, (other, True, os.path.basename(other.root)))
    del found[place.root]
    return list(found.values())


def problems(index: Index) -> list[Problem]:
    """What is wrong with the record files of one store, twice used ids included."""
    return [
        Problem(path, line, message, hint, fatal=bool(fatal))
        for path, line, message, hint, fatal in index.table.problems()
    ]
