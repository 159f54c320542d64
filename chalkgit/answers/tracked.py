"""A run that a command or a test runner told of: its loop, what an experiment withholds, and its row.

    run = tracked.Tracked(place, run, surface="recall", ticket="T-1")
    withheld = run.withheld(len(found.lessons))
    … print …
    run.keep(found=…, given=…, size=…, asked=[…])

What is kept is kept after the answer, and costs none.
"""

from __future__ import annotations

from chalkgit.answers import loop
from chalkgit.answers.loop import Verdict
from chalkgit.store import content, experiments, loops, questions, runs

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.failures.reading import Run
    from chalkgit.records.record import Record
    from chalkgit.store.experiments import Entry
    from chalkgit.store.place import Place
    from chalkgit.store.questions import Asked


class Tracked:
    """without: paths that are no part of the work tree's content: the report and the output of the run.

    looping: whether somebody asks how the loop goes. Git lists the whole work tree for its content, so that
    it is looked at for these alone, and for an experiment. trouble: why an experiment withholds nothing.
    """

    def __init__(
        self,
        place: Place,
        run: Run,
        *,
        surface: str,
        ticket: str | None = None,
        without: Sequence[str] = (),
        looping: bool = False,
    ) -> None:
        self._place = place
        self._tells = run.passed or bool(run.tests) or _failed(run)
        self._settled = False
        self._entry: Entry | None = None
        tree = None
        if self._tells and (looping or experiments.lately(place)):
            tree = content.identity(place, without)
        self._past = loop.past(surface, run, ticket=ticket, tree=tree)
        self._step = loops.step(place, self._past)

    @property
    def trouble(self) -> str | None:
        return self._entry.trouble if self._entry is not None else None

    def verdict(self, open_lessons: Sequence[Record]) -> Verdict | None:
        """What it is beside the earlier ones; None where nothing failed that anybody could tell."""
        if not self._tells or self._past.passed:
            return None
        return loop.verdict(self._past, runs.earlier(self._place, self._past.ticket), open_lessons)

    def withheld(self, found: int) -> str | None:
        """The experiment that withholds the lessons that were found, None where they are to be shown. The
        outcome of the run before is told first, since it is of what that one was given."""
        self._settle()
        past = self._past
        if not self._tells or past.passed or not found:
            return None
        assert past.loop is not None
        assert past.run is not None
        self._entry = experiments.enter(self._place, past.loop, past.run, found, past.at)
        return self._entry.experiment if self._entry is not None and self._entry.withheld else None

    def _settle(self) -> None:
        past = self._past
        seen = loops.outcome(self._step) if self._tells and not self._settled else None
        self._settled = True
        if seen is not None and past.loop is not None:
            experiments.outcome(self._place, past.loop, **seen, failing=past.failing, at=past.at)

    def keep(
        self,
        *,
        found: int | None = None,
        given: int | None = None,
        size: int | None = None,
        asked: Sequence[Asked] = (),
    ) -> str | None:
        """Keep it, with the question about it; why not, where it could not be kept.

        found, given, size: lessons found for it, those that reached the reader, and their bytes.
        """
        if not self._tells:
            return questions.keep(self._place, asked)
        self._settle()
        why = loops.keep(self._step, found=found, given=given, size=size, asked=asked)
        if self._past.loop is not None:
            if self._entry is not None and self._entry.arm is not None:
                experiments.injected(self._place, self._past.loop, given or 0, size or 0)
            elif given:
                experiments.reached(self._place, self._past.loop)
        return why


def _failed(run: Run) -> bool:
    """Whether a run without failing tests failed, as far as anybody can tell."""
    return run.exit_code != 0 and (run.error is not None or run.exit_code is not None)
