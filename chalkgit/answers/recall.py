"""The lessons for a failed run, or for what is about to be built: a ladder, at most three.

1. The same fingerprint in this repository: never displaced.
2. A first error line that is alike, in any of the user's stores; of older lessons of this repository that
   hold no error line, their output; below those, failing tests in common with lessons of this repository.
3. Before any failure: words of the specification.

Where the user has a decider that may act, and there are 30 resolved lessons, what is not the same failure is
shown only where it says that the lesson applies: found by step 2, or beyond it

4. by the same failure in other words, and
5. by an error line that is less alike.

Within a step the closest first, then the newest. Open, retired and all other records that `status.excluded`
names are never among them, nor lessons of scope repo from another repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial

from chalkgit import thresholds
from chalkgit.answers import deciding
from chalkgit.answers.sources import Source
from chalkgit.answers.trusted import Trusted
from chalkgit.errors import ChalkError
from chalkgit.index import lessons, refresh
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.status import excluded

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.deciding import Decided
    from chalkgit.answers.trusted import Withheld
    from chalkgit.failures.reading import Run

FINGERPRINT, ERROR, OUTPUT, TESTS, SPEC = "fingerprint", "error", "output", "tests", "spec"
MEANING, DECIDER = "meaning", "decider"
STEPS = {FINGERPRINT: 1, ERROR: 2, OUTPUT: 2, TESTS: 2, SPEC: 3, MEANING: 4, DECIDER: 5}


class Lesson:
    """A lesson that was found: by what (one of STEPS), how close (0 to 1), and in which store.

    decided: how sure a decider is that it applies, where it was followed in that.
    """

    __slots__ = ("by", "decided", "record", "similarity", "source")

    def __init__(self, record: Record, by: str, similarity: float, source: Source) -> None:
        self.record = record
        self.by = by
        self.similarity = similarity
        self.source = source
        self.decided: float | None = None

    @property
    def step(self) -> int:
        return STEPS[self.by]

    @property
    def trust(self) -> str:
        return Trusted(self.source.index.commit or "HEAD").state(self.source.place, self.record)


class Recalled:
    """What the ladder gave. skipped: what was not compared, in words. decider: None where there is none."""

    __slots__ = ("decider", "lessons", "skipped")

    def __init__(
        self, found: Sequence[Lesson], skipped: Sequence[str], decider: Decided | None = None
    ) -> None:
        self.lessons = list(found)
        self.skipped = list(skipped)
        self.decider = decider


Found = Iterable[tuple[str, float]]  # path and closeness, in one store
Look = Callable[[Index, int], lessons.Close]  # and how many at most
Tell = Callable[[str], None]
_PARTLY = "more lessons are alike than were compared: some may be missing"


class Ladder:
    """The steps, over stores that are open. fingerprints: False where the configuration says off.

    withheld: what the policy leaves out.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        now: datetime,
        *,
        tell: Tell,
        fingerprints: bool = True,
        report: refresh.Progress | None = None,
        withheld: Withheld | None = None,
    ) -> None:
        self._withheld = withheld
        self._sources = list(sources)
        self._now = now
        self._fingerprints = fingerprints
        self._skipped: list[str] = []
        for source in self._sources:
            try:
                lessons.fill(source.index, report)
            except ChalkError as error:  # another process writes for long, the disk is full
                tell(f"the newest lessons of {source.place.root} are not compared: {error.message}")

    def run(self, run: Run, *, same: bool = False) -> Recalled:
        """For a failed run. same: the first step alone."""
        found: list[Lesson] = []
        if not self._fingerprints:
            self._skipped.append("fingerprints are switched off: failures are compared by their text")
        elif run.fingerprint is not None:
            value = run.fingerprint
            self._climb(found, FINGERPRINT, self._own, lambda source: self._same(source, value))
        if same:
            return self._recalled(found)
        wanted = [lessons.likeness(text) for text in (run.normalized, *run.others)]
        lines = list(dict.fromkeys(filter(None, wanted)))
        self._compare(found, ERROR, self._sources, [self._error(line) for line in lines])
        # the line alone: at this threshold the ends of any two outputs of one runner are alike
        said = lines[0] if lines else lessons.last_line(run.tail)
        if said:
            self._compare(found, OUTPUT, self._own, [self._output(said)])
        if run.tests:
            # another repository's test of that name is another test
            tests = run.tests
            self._climb(found, TESTS, self._own, lambda source: lessons.with_tests(source.index, tests))
        decider = None if self._past else deciding.configured()
        if decider is None:
            return self._recalled(found)
        decided, chosen = self._decided(decider, run, found, lines)
        if decided.told is not None:
            self._skipped.append(decided.told)
        return self._recalled(chosen, decided)

    def spec(self, spec: str) -> Recalled:
        """For what is about to be built, as a specification has it."""
        most = thresholds.SPEC_CHARACTERS
        if len(spec) > most:
            self._skipped.append(f"the first {most:,} characters of the specification are compared")
        text, found = spec[:most], list[Lesson]()
        least = thresholds.SPEC_ALIKE
        self._compare(found, SPEC, self._sources, [lambda i, most: lessons.spoken_of(i, text, least, most)])
        return self._recalled(found)

    def _recalled(self, found: list[Lesson], decider: Decided | None = None) -> Recalled:
        if self._withheld is not None and self._withheld.told:
            self._skipped.append(self._withheld.told)
        return Recalled(found[: thresholds.RECALLED], self._skipped, decider)

    def _decided(
        self, decider: deciding.Decider, run: Run, found: list[Lesson], lines: Sequence[str]
    ) -> tuple[Decided, list[Lesson]]:
        """What the decider said, and what is shown then: what the ladder gave, unless it may act."""
        if decider.idle is not None:
            return decider.idle, found
        from chalkgit.answers import deciding_recall, deciding_state

        same = [lesson for lesson in found if lesson.by == FINGERPRINT][: thresholds.RECALLED]
        if len(same) == thresholds.RECALLED:
            return decider.unasked(), found  # nothing displaces these
        count, least = deciding_recall.resolved(self._sources, self._now), thresholds.DECIDER_LESSONS
        if count < least:
            return decider.unasked(f"there are {count} of the {least} resolved lessons it takes"), found
        # what is only asked about, and left out by the policy, nobody missed
        missed = set(self._withheld.ids) if self._withheld is not None else set()
        asked = self._candidates(run, found, lines)
        if self._withheld is not None:
            self._withheld.ids &= missed
        if not asked:
            return decider.unasked(), found
        records = [lesson.record for lesson in asked]
        place = self._sources[0].place
        decided = decider.ask(place, deciding.RECALL, deciding_state.recall(run, records), records)
        if not decided.acts:
            return decided, found
        for lesson in asked:
            lesson.decided = decided.probabilities[lesson.record.id]
        chosen = [lesson for lesson in asked if decided.yes(lesson.record)]
        chosen.sort(key=lambda lesson: lesson.decided or 0.0, reverse=True)
        kept = [*same, *chosen][: thresholds.RECALLED]
        left = sum(
            lesson.decided is not None and not decided.yes(lesson.record)
            for lesson in found[: thresholds.RECALLED]
        )
        if left:
            self._skipped.append(f"{left} that came near left out: the decider does not find that they apply")
        return decided, kept

    def _candidates(self, run: Run, found: list[Lesson], lines: Sequence[str]) -> list[Lesson]:
        """What the decider is asked about, beyond the same failure: the likeliest first."""
        most = thresholds.DECIDER_CANDIDATES
        rung = [lesson for lesson in found if lesson.by != FINGERPRINT]
        known = [lesson for lesson in found if lesson.by == FINGERPRINT]
        if len(rung) < most:
            looks = [self._error(line, thresholds.DECIDER_ALIKE) for line in lines]
            look = partial(_union, looks, thresholds.ALIKE_MOST, [])
            rung += self._rung([*known, *rung], DECIDER, self._sources, look)
        if len(rung) < most:
            from chalkgit.answers import deciding_recall

            meant = deciding_recall.Meant(run)
            rung += self._rung([*known, *rung], MEANING, self._sources, meant.close)
            if meant.trouble is not None:
                self._skipped.append(meant.trouble)
        return rung[:most]

    @property
    def _past(self) -> bool:
        """Whether it is asked what was known at a commit: nobody decides in hindsight."""
        return self._sources[0].index.commit is not None

    @property
    def _own(self) -> list[Source]:
        """This repository: its work tree and its siblings."""
        return [source for source in self._sources if not source.elsewhere]

    @staticmethod
    def _same(source: Source, value: str) -> Found:
        return [(path, 1.0) for path in lessons.with_fingerprint(source.index, value)]

    @staticmethod
    def _error(line: str, least: float = thresholds.ERROR_ALIKE) -> Look:
        return lambda index, most: lessons.alike_error(index, line, least, most)

    @staticmethod
    def _output(line: str) -> Look:
        return lambda index, most: lessons.alike_output(index, line, thresholds.OUTPUT_ALIKE, most)

    def _compare(
        self, found: list[Lesson], by: str, sources: Sequence[Source], looks: Sequence[Look]
    ) -> None:
        """Append those that are alike to any of what is looked for."""
        most = thresholds.ALIKE_MOST
        while True:
            partly: list[bool] = []
            before = len(found)
            self._climb(found, by, sources, partial(_union, looks, most, partly))
            # those that may not be recalled (superseded, expired) may have taken the places of others
            if not partly or len(found) >= thresholds.RECALLED or by == SPEC or most > thresholds.ALIKE_FAR:
                break
            del found[before:]
            most *= 16
        # of lines the closest were compared; of a specification's phrases those with most words in it
        if partly and (by == SPEC or len(found) < thresholds.RECALLED):
            self._skipped.append(_PARTLY)

    def _climb(
        self, found: list[Lesson], by: str, sources: Sequence[Source], look: Callable[[Source], Found]
    ) -> None:
        """Append what one rung gives, until there are enough."""
        if len(found) < thresholds.RECALLED:
            found += self._rung(found, by, sources, look)

    def _rung(
        self, found: list[Lesson], by: str, sources: Sequence[Source], look: Callable[[Source], Found]
    ) -> list[Lesson]:
        """What is found so and was not found before: the closest first, then the newest."""
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
        return rung

    def _may(self, record: Record, source: Source) -> bool:
        if source.elsewhere and record.text("scope") == "repo":
            return False
        if excluded(record, now=self._now, superseded=source.superseded) is not None:
            return False
        return self._withheld is None or self._withheld.shows(source.place, record)


def _union(looks: Sequence[Look], most: int, partly: list[bool], source: Source) -> Found:
    """What any of these finds in one store; `partly` grows where one did not look at all there are."""
    rows: dict[str, float] = {}
    for look in looks:
        more, whole = look(source.index, most)
        for path, similarity in more:
            rows[path] = max(similarity, rows.get(path, 0.0))
        if not whole:
            partly.append(True)
    return rows.items()
