"""What a helper keeps between two questions: the stores opened, their words and vectors, and the model.

`opened` stands in for `asking.opened`: the same stores in the same state, without opening them where nothing
moved. It declines what takes long, and what has something to say besides the answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from chalkgit import thresholds, times
from chalkgit.answers import deciding, repair, sources
from chalkgit.answers.check import Checker
from chalkgit.answers.semantic import Semantic
from chalkgit.answers.sources import Source
from chalkgit.answers.trusted import Withheld
from chalkgit.doors import serve_inotify, serve_signs
from chalkgit.doors.serve_drift import Drift
from chalkgit.doors.serve_learned import Learned
from chalkgit.errors import ChalkError
from chalkgit.store import place as places
from chalkgit.store.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chalkgit.doors.serve_signs import Sign
    from chalkgit.store.ahead import Ahead

    Tell = Callable[[str], None]


class Declined(Exception):
    """The process that asks had better answer by itself; why, for whoever debugs a helper."""


class Kept:
    """The state of one work tree's helper. Use it from one thread.

    `tell` hears what a question's process would say about its stores. `looking`: None where the system tells
    of every write, else why the files are looked at for each question.
    """

    def __init__(self, place: Place, tell: Tell) -> None:
        self.place = place
        self._tell = tell
        self.looking: str | None = None
        self._environment: list[bytes] = []
        self._folders: serve_inotify.Folders | None = None
        self._watched: list[str] = []
        self._moved_at = 0.0
        self._sign: Sign | None = None
        self._looked = 0.0
        self._unready = 0.0
        self._stores: list[Place] = []
        self._sources: list[Source] | None = None
        self._alone = False
        self._semantic: Semantic | None = None
        self._model: Sign | None = None
        self._loaded: Semantic | None = None
        self._loaded_as: Sign | None = None
        self._drift = Drift()
        self._learned = Learned(place)
        self._checkers: dict[tuple[bool, bool], Checker] = {}

    @property
    def handle(self) -> int | None:
        """What can be read when something moved."""
        return self._folders.handle if self._folders is not None else None

    @property
    def loaded(self) -> str | None:
        """The model that is in memory."""
        loaded = self._loaded
        return loaded.model if loaded is not None and loaded._embedder is not None else None

    def opened(
        self,
        directory: str | None,
        *,
        lexical: bool = False,
        here: bool = False,
        ahead: Ahead | None = None,
        rebuild: bool = False,
    ) -> Checker:
        """As `asking.opened`; Declined where the process has to do that."""
        if rebuild:
            raise Declined("the index is damaged")
        place = places.find(directory)
        if (place.root, place.git_dir, place.common_dir) != self._paths():
            raise Declined("another work tree")
        now = times.system_clock()
        if not lexical and deciding.configured() is not None:
            raise Declined("a decider may be asked, which takes its own time")
        if not lexical and time.monotonic() < self._unready:
            raise Declined("vectors were missing a moment ago")
        if not self._holds():
            self.forget()
        asked = self._asked(here, self._tell)
        checker = self._checkers.get((lexical, here))
        if not lexical and self._model != serve_signs.of_model():
            checker = None
        if checker is None:
            semantic = Semantic(lexical=True) if lexical else self._with_meaning(asked)
            checker = Checker(place, asked, semantic, now)
            checker.drifted, checker.learned = self._drift.measure, self._learned.of
            if self._sources is not None:
                self._checkers[lexical, here] = checker
        checker.now = now
        checker.withheld = Withheld(place, "check")  # the policy and HEAD may have moved
        return checker

    def environment(self, variables: list[bytes]) -> None:
        """The environment of the question that comes: under another one, nothing is known."""
        self._environment = variables

    def forget(self) -> None:
        """Let the stores go; the model stays."""
        self._sources, self._sign, self._semantic, self._model = None, None, None, None
        self._checkers.clear()

    def stirred(self) -> None:
        """An event came: what was seen is old, and is looked at again when it is quiet."""
        if self._folders is not None and self._folders.moved():
            self._moved_at = time.monotonic()
            self.forget()

    def wait(self) -> float | None:
        """Seconds until `rest` has something to do."""
        if self._learned.behind:
            return 0.0
        if self.looking is not None or not self._looked:
            return None
        at = self._moved_at + thresholds.HELPER_QUIET_SECONDS if self._moved_at else 0.0
        return max((at or self._looked + thresholds.HELPER_LOOK_SECONDS) - time.monotonic(), 0.0)

    def rest(self) -> None:
        """While nobody asks: look, and let the index follow. It is never heard: the next question meets the
        same and says so."""
        if self._learned.behind:
            self._learned.follow()
            return
        if self.wait() != 0.0:
            return
        self._moved_at, self._looked = 0.0, time.monotonic()
        self.forget()
        self.prepare(lexical=self._loaded is None)

    def prepare(self, *, lexical: bool) -> None:
        """Open what the first question will need."""
        try:
            repair.once(lambda rebuild: self._prepare(lexical, rebuild))
        except (Declined, ChalkError, OSError):
            self.forget()

    def _prepare(self, lexical: bool, rebuild: bool) -> None:
        if rebuild:
            raise Declined("the index is damaged")
        asked = self._asked(False, _unheard)
        self._learned.follow()
        if not lexical:
            self._with_meaning(asked)

    def _paths(self) -> tuple[str, str, str]:
        return self.place.root, self.place.git_dir, self.place.common_dir

    def _holds(self) -> bool:
        if self._folders is None or self._folders.moved() or self.looking is not None:
            return False
        if self._sources is None or self._sign != self._now(serve_signs.of_listing(self.place)):
            return False
        # a commit makes successors of records take effect, and changes nothing else here
        return not any(source.index.successors_moved() for source in self._sources)

    def _now(self, listing: Sign) -> Sign:
        environment = serve_signs.of_environment(self._environment)
        return environment, listing, serve_signs.of_stores(self._stores)

    def _asked(self, here: bool, tell: Tell) -> list[Source]:
        if self._sources is not None and (here or not self._alone):
            return self._sources[:1] if here else self._sources
        self.forget()
        # signs first, what they speak of then: what moves in between is seen by the next question
        listing = serve_signs.of_listing(self.place)
        try:
            self._stores = serve_signs.asked(self.place)
        except serve_signs.Vanished as error:
            raise Declined(f"{error} is gone") from error
        self._sign = self._now(listing)
        self._drift.of(self._stores)
        self._watch()
        told: list[str] = []

        def heard(message: str) -> None:
            told.append(message)
            tell(message)

        found = sources.opened(self.place.require_store(), here=here, tell=heard, report=_brief)
        self._looked = time.monotonic()
        known = {place.root for place in self._stores}
        # what was told has to be told with the next answer too, so that one opens them again
        if self.looking is None and not told and all(source.place.root in known for source in found):
            self._sources, self._alone = found, here
        return found

    def _watch(self) -> None:
        """Be told of writes from now on: what moved before is seen by the look that follows."""
        tops = [place.lessons for place in self._stores if os.path.isdir(place.lessons)]
        tops += dict.fromkeys(place.notes for place in self._stores if os.path.isdir(place.notes))
        folders = self._folders
        if folders is not None:
            folders.moved()
            if tops == self._watched and not folders.restructured:
                return
            folders.close()
        self._folders, self._watched = None, tops
        try:
            self._folders, self.looking = serve_inotify.Folders(tops), None
        except serve_inotify.Untold as error:
            self.looking = str(error)

    def _with_meaning(self, asked: list[Source]) -> Semantic:
        """The semantic arm over these stores, with the model that is loaded already where it is the same."""
        sign = serve_signs.of_model()
        semantic = self._semantic if self._model == sign else None
        if semantic is None:
            semantic = Semantic(lexical=False)
            if self._loaded is not None and self._loaded_as == sign:
                semantic._embedder = self._loaded._embedder
            elif self._loaded is not None:
                self._loaded = None
        if semantic.ran:
            # whatever the model's loading and at most one batch a store take; more vectors are declined
            self._unready = time.monotonic() + thresholds.HELPER_AGAIN_SECONDS
            semantic.prepare(asked, None, _batch)
            self._unready = 0.0
            if semantic.unwritten or not semantic.ran:
                raise Declined(semantic.unwritten or str(semantic.skipped))
            self._loaded, self._loaded_as = semantic, sign
        if self._sources is not None:
            self._semantic, self._model = semantic, sign
        return semantic


def _unheard(message: str) -> None:
    raise Declined(message)


def _brief(done: int, total: int) -> None:
    """Work that a process shows the progress of is left to that process."""
    if total >= thresholds.PROGRESS_FROM:
        raise Declined(f"{total} records have changed")


def _batch(done: int, total: int) -> None:
    if done < total:
        raise Declined(f"{total} vectors are missing")
