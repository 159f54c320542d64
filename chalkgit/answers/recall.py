"""The lessons for a failed run, or for what is about to be built: a ladder, at most three.

1. The same fingerprint in this repository: never displaced.
2. A first error line that is alike, in any of the user's stores (of older lessons that hold no error line,
   their output); below those, failing tests in common.
3. Before any failure: words of the specification.

Within a step the closest first, then the newest. Open, retired and all other records that `status.excluded`
names are never among them, nor lessons of scope repo from another repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.index import lessons
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.status import excluded, trust

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.failures.reading import Run

FINGERPRINT, ERROR, OUTPUT, TESTS, SPEC = "fingerprint", "error", "output", "tests", "spec"
STEPS = {FINGERPRINT: 1, ERROR: 2, OUTPUT: 2, TESTS: 2, SPEC: 3}


class Lesson:
    """A lesson that was found: by what (one of STEPS), how close (0 to 1), and in which store."""

    __slots__ = ("by", "record", "similarity", "source")

    def __init__(self, record: Record, by: str, similarity: float, source: Source) -> None:
        self.record = record
        self.by = by
        self.similarity = similarity
        self.source = source

    @property
    def step(self) -> int:
        return STEPS[self.by]

    @property
    def trust(self) -> str:
        return trust(self.record)


class Recalled:
    """What the ladder gave. skipped: what was not compared, in words."""

    __slots__ = ("lessons", "skipped")

    def __init__(self, found: Sequence[Lesson], skipped: Sequence[str]) -> None:
        self.lessons = list(found)
        self.skipped = list(skipped)


Found = Iterable[tuple[str, float]]  # path and closeness, in one store
Tell = Callable[[str], None]


class Ladder:
    """The steps, over stores that are open. fingerprints: False where the configuration says off."""

    def __init__(
        self, sources: Sequence[Source], now: datetime, *, tell: Tell, fingerprints: bool = True
    ) -> None:
        self._sources = list(sources)
        self._now = now
        self._fingerprints = fingerprints
        self._skipped: list[str] = []
        for source in self._sources:
            try:
                lessons.fill(source.index)
            except ChalkError as error:  # another process writes for long, the disk is full
                tell(f"the newest lessons of {source.place.root} are not compared: {error.message}")

    def run(self, run: Run) -> Recalled:
        """For a failed run."""
        found: list[Lesson] = []
        if self._fingerprints and run.fingerprint is not None:
            value = run.fingerprint
            here = [source for source in self._sources if not source.elsewhere]
            self._climb(
                found,
                FINGERPRINT,
                here,
                lambda s: [(p, 1.0) for p in lessons.with_fingerprint(s.index, value)],
            )
        line = lessons.likeness(run.normalized)
        if line:
            self._compare(found, ERROR, lambda i: lessons.alike_error(i, line, thresholds.ERROR_ALIKE))
        # the line alone: at this threshold the ends of any two outputs of one runner are alike
        said = line or lessons.last_line(run.tail)
        if said:
            self._compare(found, OUTPUT, lambda i: lessons.alike_output(i, said, thresholds.OUTPUT_ALIKE))
        if run.tests:
            tests = run.tests
            self._climb(found, TESTS, self._sources, lambda s: lessons.with_tests(s.index, tests))
        return Recalled(found[: thresholds.RECALLED], self._skipped)

    def spec(self, spec: str) -> Recalled:
        """For what is about to be built, as a specification has it."""
        found: list[Lesson] = []
        self._compare(found, SPEC, lambda i: lessons.spoken_of(i, spec, thresholds.SPEC_ALIKE))
        return Recalled(found[: thresholds.RECALLED], self._skipped)

    def _compare(self, found: list[Lesson], by: str, look: Callable[[Index], lessons.Close]) -> None:
        """Append those that are alike, in all stores."""

        def close(source: Source) -> Found:
            rows, whole = look(source.index)
            if not whole:
                where = source.place.root
                self._skipped.append(
                    f"more lessons of {where} are alike than were compared: some may be missing"
                )
            return rows

        self._climb(found, by, self._sources, close)

    def _climb(
        self, found: list[Lesson], by: str, sources: Sequence[Source], look: Callable[[Source], Found]
    ) -> None:
        """Append what one rung gives, until there are enough."""
        if len(found) >= thresholds.RECALLED:
            return
        known = {lesson.record.id for lesson in found}
        rung = []
        for source in sources:
            close = dict(look(source))
            rung += [
                Lesson(record, by, close[record.path], source)
                for record in source.records(list(close))
                if record.id not in known and self._may(record, source)
            ]
        rung.sort(key=lambda lesson: lesson.record.id)
        rung.sort(key=lambda lesson: lesson.record.text("valid-from") or "", reverse=True)
        rung.sort(key=lambda lesson: lesson.similarity, reverse=True)
        found += rung

    def _may(self, record: Record, source: Source) -> bool:
        if source.elsewhere and record.text("scope") == "repo":
            return False
        return excluded(record, now=self._now, superseded=source.superseded) is None
