"""Which failed runs were fixed by the next run of their loop, so that a lesson stood before a fix.

No cause is claimed: lessons are shown where something similar failed before, and many failures are fixed
anyway.

Loops that take part in an experiment are none of this, of either arm: whoever could count them here would
have its outcome before its time.
"""

from __future__ import annotations

from chalkgit.answers import report_past
from chalkgit.answers.report_rows import Rows
from chalkgit.store import loops
from chalkgit.store.place import Place
from chalkgit.store.runs import Past


def fixed_runs(place: Place, rows: Rows) -> set[str]:
    """The ids of the failed runs that the next run of their loop shows fixed."""
    found: set[str] = set()
    for loop, runs in report_past.loops(report_past.every(rows)).items():
        if loop in rows.held.out["runs"]:
            continue
        for number, run in enumerate(runs, 1):
            after = next((one for one in runs[number:] if one.tells), None)
            if not run.passed and after is not None and _fixed(place, run, after):
                found.add(str(run.run))
    return found


def _fixed(place: Place, run: Past, after: Past) -> bool:
    shows = loops.outcome(loops.Step(place, after, run, told=False))
    return shows is not None and loops.fixed(**shows)
