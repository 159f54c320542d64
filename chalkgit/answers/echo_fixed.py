"""Which failed runs were fixed by the next run of their loop, so that a lesson stood before a fix.

No cause is claimed: lessons are shown where something similar failed before, and many failures are fixed
anyway.

Loops that take part in an experiment are none of this, of either arm and in A/A runs too: whoever could count
them here would have its outcome before its time.
"""

from __future__ import annotations

from chalkgit.answers import report_past
from chalkgit.answers.report_rows import Rows
from chalkgit.store import ledger, loops
from chalkgit.store.place import Place
from chalkgit.store.runs import Past


class Outcomes:
    """drawn: runs of loops that an experiment has. fixed: those that the next run of their loop shows so."""

    __slots__ = ("drawn", "fixed")

    def __init__(self, place: Place, rows: Rows) -> None:
        # whenever they began
        trials = {loop for (loop,) in ledger.read(place, "trials", ("loop",))}
        self.drawn: set[str] = set()
        self.fixed: set[str] = set()
        for loop, runs in report_past.loops(report_past.every(rows)).items():
            if loop in trials:
                self.drawn |= {str(run.run) for run in runs}
                continue
            for number, run in enumerate(runs, 1):
                after = next((one for one in runs[number:] if one.tells), None)
                if not run.passed and after is not None and _fixed(place, run, after):
                    self.fixed.add(str(run.run))


def _fixed(place: Place, run: Past, after: Past) -> bool:
    shows = loops.outcome(loops.Step(place, after, run, told=False))
    return shows is not None and loops.fixed(**shows)
