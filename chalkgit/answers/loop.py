"""Where somebody stands who runs failing tests again and again: one word for the last run, and why.

The words, in the order in which they are looked for. *The same failure* is an equal fingerprint, or, where
one of the two has none, the same failing tests with the same normalised error. Only earlier runs of the same
ticket in the same work tree count, and of those only the ones of the last day.

- no_change: the same failure as in the run before, and the same content of the work tree: running it again
  will not help.
- spinning: the same failure for the third time or more, with changes in between each time; or it alternates
  with another one (A B A B). What is changed does not reach the cause.
- improving: the tests that fail are a proper part of those that failed in the run before.
- repeat: the same failure as in an earlier run, in spite of what was changed (or may have been: where the
  content of the work tree is not known).
- deja_vu: new in this loop, but the same failure is an open lesson of another ticket in this repository, not
  older than 30 days, and its tests are known.
- first: none of these, so it is the first time that this loop meets it.

It is shown, and nothing is done about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

from chalkgit import thresholds, times
from chalkgit.failures import fingerprint
from chalkgit.failures.reading import Run
from chalkgit.index import lessons
from chalkgit.records.record import Record
from chalkgit.records.status import NOTHING_SUPERSEDED, excluded
from chalkgit.store import loops
from chalkgit.store.runs import Past, same

FIRST, REPEAT, NO_CHANGE = "first", "repeat", "no_change"
IMPROVING, SPINNING, DEJA_VU = "improving", "spinning", "deja_vu"
WORDS = (FIRST, REPEAT, NO_CHANGE, IMPROVING, SPINNING, DEJA_VU)

WINDOW_SECONDS = thresholds.LOOP_SECONDS
SPINNING_TIMES = thresholds.SPINNING_TIMES
DEJA_VU_DAYS = thresholds.DEJA_VU_DAYS


class Verdict:
    """word: one of WORDS. why: a sentence about it. ticket: of the open lesson, where it is deja_vu.

    times: how often this failure was met in this loop, this run counted.
    """

    __slots__ = ("ticket", "times", "why", "word")

    def __init__(self, word: str, why: str, times: int, ticket: str | None = None) -> None:
        self.word = word
        self.why = why
        self.times = times
        self.ticket = ticket

    def __repr__(self) -> str:
        return f"Verdict({self.word}: {self.why})"


def past(surface: str, run: Run, *, ticket: str | None, tree: str | None) -> Past:
    """A run that was read, as the journal keeps it."""
    return Past(
        surface,
        ticket=ticket,
        fingerprint=run.fingerprint,
        error=run.normalized,
        tests=run.tests,
        tree=tree,
        code=run.exit_code,
        digest=run.digest,
        failing=0 if run.passed else None,
    )


def verdict(
    run: Past, earlier: Sequence[Past], open_lessons: Sequence[Record], now: datetime | None = None
) -> Verdict:
    """What to call `run`.

    earlier: `runs.earlier(place, run.ticket)` as it was before `run` was kept, newest first. open_lessons:
    records of this repository; those that are not open are passed over. now: `run.at` where it is None.
    """
    since = run.at - WINDOW_SECONDS * 1000
    loop: list[Past] = []
    for past in earlier:
        ours = past.ticket == run.ticket and since < past.at <= run.at
        if ours and not any(_is_it(other, past) for other in (run, *loop)):
            loop.append(past)
    met = 1 + sum(1 for past in loop if same(run, past))
    before = loop[0] if loop else None
    again = before is not None and same(run, before)
    if before is not None and again and run.tree is not None and run.tree == before.tree:
        why = "the same failure, and no file was changed since the run before: running it again will not help"
        return Verdict(NO_CHANGE, why, met)
    if _attempts(run, loop) >= SPINNING_TIMES:
        return Verdict(
            SPINNING, f"this failure for the {_th(met)} time: the changes do not reach its cause", met
        )
    if _alternates(run, loop):
        why = "two failures in turn, for the second time: what mends the one brings back the other"
        return Verdict(SPINNING, why, met)
    if before is not None and set(run.tests) < set(before.tests) and run.tests:
        why = f"{len(run.tests)} of the {len(before.tests)} tests that failed in the run before are left"
        return Verdict(IMPROVING, why, met)
    if met > 1:
        return Verdict(REPEAT, _repeated(run, before if again else None), met)
    ticket = _elsewhere(run, open_lessons, now or datetime.fromtimestamp(run.at / 1000, UTC))
    if ticket is not None:
        return Verdict(DEJA_VU, f"the same failure is open under ticket {ticket}", met, ticket)
    return Verdict(FIRST, _new(run, before), met)


def _is_it(run: Past, past: Past) -> bool:
    """Whether it is this very run, which another command was told of before: detained, then asked about."""
    if past.surface == run.surface != loops.DETAIN:  # asked again of the same files: it was run again
        return False
    if past.run is not None and past.run == run.run:
        return True
    return past.digest is not None and past.digest == run.digest


def _attempts(run: Past, loop: Sequence[Past]) -> int:
    """How often this failure was met with something changed since the last time, this run counted."""
    met = [run, *(past for past in loop if same(run, past))]
    # a run that `recall` or `detain` was told of has no tree: that nothing is known is no change
    known = [run for run in met if run.tree is not None]
    changed = (new.tree != old.tree for new, old in pairwise(known))
    return 1 + sum(changed)


def _alternates(run: Past, loop: Sequence[Past]) -> bool:
    """A B A B, the last being `run`."""
    if len(loop) < 3 or same(run, loop[0]):
        return False
    return same(run, loop[1]) and same(loop[0], loop[2])


def _repeated(run: Past, before: Past | None) -> str:
    if before is None:
        return "this failure was left behind, and is back"
    if run.tree is None or before.tree is None:
        return "the same failure as in the run before; whether files changed in between is not known"
    return "the same failure as in the run before: what was changed in between does not touch it"


def _new(run: Past, before: Past | None) -> str:
    if run.fingerprint is None and not run.tests:
        return "too little is known of this failure to tell whether it was met before"
    return "no earlier run of the last day" if before is None else "another failure than in the runs before"


def _elsewhere(run: Past, lessons: Sequence[Record], now: datetime) -> str | None:
    """The ticket of the newest open lesson about the same failure."""
    if not run.tests:
        return None
    found = []
    for record in lessons:
        ticket, since = record.part("failure", "ticket"), record.text("valid-from") or ""
        if not ticket or ticket == run.ticket or not times.is_date(since):
            continue
        if excluded(record, now=now, superseded=NOTHING_SUPERSEDED) != "open":
            continue
        if times.age_days(since, now) <= DEJA_VU_DAYS and _is_about(record, run):
            found.append((since, str(ticket)))
    return max(found)[1] if found else None


def _is_about(record: Record, run: Past) -> bool:
    """Whether a lesson is about this failure: by what its writer's rules made of it, or by those of today."""
    tests, error = record.part("failure", "tests"), record.part("failure", "error")
    code = lessons.number(record.part("failure", "exit-code"))
    if not tests:
        return False
    if run.fingerprint is not None and run.fingerprint == record.part("failure", "fingerprint"):
        return True
    found = fingerprint.of_record(tests, error, code)
    return same(
        run, Past("detain", fingerprint=found.value, error=found.normalized, tests=sorted(tests), at=0)
    )


def _th(count: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th") if count % 100 not in (11, 12, 13) else "th"
    return f"{count}{ending}"
