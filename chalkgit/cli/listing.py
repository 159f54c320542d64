"""One store whose records are all read, at the moment that was asked about: for `list` and `export`."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from chalkgit import times
from chalkgit.answers import repair, stored
from chalkgit.answers.as_of import AsOf
from chalkgit.cli import asking, terminal
from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.store import place as places
from chalkgit.store import stores
from chalkgit.store.place import Place

T = TypeVar("T")


class Listed:
    """The store of a directory; its damaged records are told when it is opened. `now`: by valid time."""

    def __init__(self, directory: str | None, known_at: str | None, valid_at: str | None) -> None:
        self.place: Place = places.find(directory)
        self.as_of: AsOf | None = asking.as_of(self.place, known_at, valid_at)
        self.now: datetime = self.as_of.now if self.as_of is not None else times.system_clock()
        self._index: Index | None = None
        self._past = known_at is not None
        terminal.tell_problems(self.look(stored.problems))

    def look(self, at: Callable[[Index], T]) -> T:
        """What `at` finds in the index, which is rebuilt where it turns out damaged."""
        return repair.once(lambda rebuild: at(self._opened(rebuild)))

    def _opened(self, rebuild: bool) -> Index:
        if self._index is None or rebuild:
            if self.as_of is not None and self._past:
                self._index = asking.past(self.place, self.as_of, here=True)
            else:
                report = asking.progress("indexing")
                self._index = refresh.up_to_date(self.place, report, rebuild=rebuild, words=False)
        return self._index


def store(directory: str | None, named: str) -> str:
    """The root of one of the user's stores, by its path or the beginning of its folder's name."""
    roots = stores.roots()
    path = os.path.realpath(os.path.join(os.path.abspath(directory or "."), os.path.expanduser(named)))
    same = [root for root in roots if named and os.path.realpath(root) == path]
    found = same or [root for root in roots if named and os.path.basename(root).startswith(named)]
    exact = [root for root in found if os.path.basename(root) == named]
    chosen = same or (exact if len(exact) == 1 else found)
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise ChalkError(f"“{named}” may be any of {', '.join(chosen)}", hint="chalkgit list --store PATH")
    raise ChalkError(f"“{named}” is none of your stores", hint="chalkgit stores list")
