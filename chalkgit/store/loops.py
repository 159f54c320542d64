"""The loops of a work tree: to which one a run belongs, and what it shows of the run before it.

A loop is the runs of one ticket in one work tree, each within a day of the one before; a run that passes
ends it. A run that two commands are told of is one run: of the same bytes, or of the same failure within two
minutes, where the second command was told of nothing since. What comes of a run is what the next one shows:

- gone: it did not fail in the same way.
- fewer: fewer tests failed.
- changed: the work tree had other content.

What nobody can tell is None. An exit code alone is no outcome.
"""

from __future__ import annotations

import time

from chalkgit import thresholds
from chalkgit.store import ledger, questions, runs

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalkgit.store.place import Place
    from chalkgit.store.questions import Asked
    from chalkgit.store.runs import Past

DETAIN = "detain"
_LOOKED = 8  # rows: the run before, and those of commands that were told of the same


class Step:
    """A run and its place in its loop.

    before: the run before it, None where it is the loop's first. told: whether another command was told of
    this very run.
    """

    __slots__ = ("before", "past", "place", "told")

    def __init__(self, place: Place, past: Past, before: Past | None, *, told: bool) -> None:
        self.place = place
        self.past = past
        self.before = before
        self.told = told

    @property
    def kept(self) -> bool:
        """Whether the run is one to keep: one that passed is where it ends a loop."""
        return not self.past.passed or self.before is not None


def step(place: Place, past: Past) -> Step:
    """Where a run stands; `past` gets its ids, and nothing is kept yet."""
    known = _open(place, past.ticket, past.at)
    again = _told(past, known)
    past.run = again.run if again is not None else ledger.new_id()
    past.loop = known[0].loop if known else past.run
    before = next((one for one in known if one.run != past.run and one.tells), None)
    return Step(place, past, before, told=again is not None)


def is_open(place: Place, ticket: str | None = None) -> bool:
    """Whether a run failed here, within a day, and none has passed since: a cheap look."""
    return bool(_open(place, ticket, time.time_ns() // 1_000_000))


def failing(place: Place, ticket: str | None = None) -> tuple[str, ...]:
    """The tests that failed in the last run of the loop that is open; () where none is, or none is known."""
    known = _open(place, ticket, time.time_ns() // 1_000_000)
    return next((one.tests for one in known if one.tells), ())


def _open(place: Place, ticket: str | None, at: int) -> list[Past]:
    """The last rows of the loop that is open, newest first."""
    found = runs.newest(place, ticket, _LOOKED)
    first = found[0] if found else None
    since = at - thresholds.LOOP_SECONDS * 1000
    if first is None or first.loop is None or first.passed or not since < first.at <= at:
        return []
    return [one for one in found if one.loop == first.loop]


def _told(past: Past, known: Sequence[Past]) -> Past | None:
    """The row of this very run, where another command was told of it: by the same bytes, or of the same
    failure of the same files, or of the same failure just now. Detaining the same bytes again is no run."""
    if past.passed:
        return None
    same_tree = [one for one in known if past.tree is not None and past.tree == one.tree]
    for one in known:
        read = past.digest is not None and past.digest == one.digest
        other = past.surface != one.surface or past.surface == DETAIN
        if one.run is not None and read and (other or one in same_tree):
            return one
    # the last run alone, and not by the command that told of it: that one was run again
    last = [one for one in known if one.run is not None and one.run == known[0].run]
    if any(_command(one) == _command(past) for one in last):
        return None
    since = past.at - thresholds.TOLD_SECONDS * 1000
    # what the second is told writes is often in the work tree: `pytest > run.log || chalkgit recall …`
    near = (one for one in last if one in same_tree or one.at >= since)
    return next((one for one in near if runs.same(past, one)), None)


def _command(past: Past) -> str:
    return "recall" if past.surface == "loop" else past.surface


# --- what comes of a run --------------------------------------------------------------------------


def outcome(step: Step) -> dict[str, bool | None] | None:
    """What this run shows of the one before: gone, fewer, changed; None where it shows nothing."""
    before, past = step.before, step.past
    if before is None or step.told or not past.tells:
        return None
    fewer = None
    if past.failing is not None:
        fewer = past.passed or (None if before.failing is None else past.failing < before.failing)
    changed = None if None in (before.tree, past.tree) else before.tree != past.tree
    return {"gone": _gone(before, past), "fewer": fewer, "changed": changed}


def fixed(gone: bool | None, changed: bool | None, fewer: bool | None) -> bool:
    """Whether the failure was gone, not by running the same files again, and not for as many others."""
    return bool(gone) and changed is not False and fewer is not False


def _gone(before: Past, past: Past) -> bool | None:
    if past.passed:
        return True
    prints = before.fingerprint is not None and past.fingerprint is not None
    if prints or (before.tests and past.tests):
        return not runs.same(before, past)
    return True if before.error and past.error and before.error != past.error else None


def keep(
    step: Step,
    *,
    found: int | None = None,
    given: int | None = None,
    size: int | None = None,
    asked: Sequence[Asked] = (),
) -> str | None:
    """Keep the run, with the question about it, all or none; why not, where that could not be.

    found, given, size: lessons found for it, those that reached the reader, and their bytes.
    """
    past = step.past
    past.found, past.given, past.bytes = found, given, size
    more = {"runs": [runs.row(step.place, past)]} if step.kept else {}
    for one in asked:
        one.run = past.run if step.kept else None
    return questions.keep(step.place, asked, more)
