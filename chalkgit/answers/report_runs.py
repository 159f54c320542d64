"""Failed runs as a report tells them: retries with and without lessons, and tests that fail again and again.

Nothing here says what lessons do: that is the experiment's. The loops that take part in one are left to it.
"""

from __future__ import annotations

from collections import Counter

from chalkgit import thresholds
from chalkgit.answers import report_past
from chalkgit.answers.experiment import CONFOUNDING
from chalkgit.answers.report_rows import Buckets, Rows, instant, quantile, share
from chalkgit.store import loops as looping
from chalkgit.store.place import Place
from chalkgit.store.runs import Past

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

WITH, NONE = "with", "without"


class Group:
    """Failed runs that were given lessons, or for which none were found, and what the next run showed.

    followed: those with a next run that tells something. gone: the failure was another one, or none. fixed:
    gone, fewer tests failed, and the work tree had changed, or nobody can tell. fewer: fewer tests failed.
    """

    __slots__ = ("ends", "fewer", "fixed", "followed", "gone", "loops", "runs")

    def __init__(self) -> None:
        self.runs = self.followed = self.gone = self.fixed = self.fewer = self.loops = 0
        self.ends: list[int] = []

    def as_json(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "followed": self.followed,
            "gone": self.gone,
            "fixed": self.fixed,
            "fewer": self.fewer,
            "fixed_share": share(self.fixed, self.followed),
            "loops": self.loops,
            "passed": len(self.ends),
            "runs_until_passed": quantile(self.ends, 0.5),
        }


def retries(rows: Rows, buckets: Buckets, place: Place) -> dict[str, Any]:
    every = report_past.every(rows)
    groups = {WITH: Group(), NONE: Group()}
    untold, held = 0, len(rows.held.loops)
    found = report_past.loops(every)
    for runs in found.values():
        told = [_given(run) for run in runs if not run.passed]
        untold += told.count(None)
        for number, run in enumerate(runs, 1):
            kind = None if run.passed else _given(run)
            if kind is not None:
                # a run of which an exit code alone is known is no outcome
                _follow(groups[kind], place, run, next((one for one in runs[number:] if one.tells), None))
        whole = groups[WITH if WITH in told else NONE]
        if any(told):
            whole.loops += 1
            if runs[-1].passed:
                whole.ends.append(len(runs) - 1)
    failed = Counter(buckets.start(run.at) for run in every if not run.passed)
    passed = Counter(buckets.start(run.at) for run in every if run.passed)
    return {
        "data": bool(held) or any(not run.passed for run in every),
        "runs": sum(not run.passed for run in every),
        "loops": len(found),
        "with": groups[WITH].as_json(),
        "without": groups[NONE].as_json(),
        "untold": untold,
        "drawn": held,
        "beside": CONFOUNDING,
        "buckets": [{"from": s, "failed": failed[s], "passed": passed[s]} for s in buckets.starts],
    }


def failing(rows: Rows) -> dict[str, Any]:
    """Tests that failed in more than one loop, those of the most loops first."""
    every = [run for run in report_past.every(rows) if not run.passed and run.tests]
    runs: Counter[str] = Counter()
    loops: dict[str, set[str]] = {}
    seen: dict[str, tuple[int, int]] = {}
    for number, run in enumerate(every):
        for test in run.tests:
            runs[test] += 1
            loops.setdefault(test, set()).add(run.loop or run.run or str(number))
            first, last = seen.get(test, (run.at, run.at))
            seen[test] = min(first, run.at), max(last, run.at)
    again = [test for test, found in loops.items() if len(found) >= thresholds.REPORT_AGAIN]
    again.sort(key=lambda test: (-len(loops[test]), -runs[test], test))
    return {
        "data": bool(every or rows.held.loops),
        "failed": len(runs),
        "again": len(again),
        "tests": [
            {
                "test": test,
                "loops": len(loops[test]),
                "runs": runs[test],
                "first": instant(seen[test][0]),
                "last": instant(seen[test][1]),
            }
            for test in again[: thresholds.REPORT_ROWS]
        ],
    }


def _follow(group: Group, place: Place, run: Past, after: Past | None) -> None:
    group.runs += 1
    shows = None if after is None else looping.outcome(looping.Step(place, after, run, told=False))
    if shows is not None and shows["gone"] is not None:
        group.followed += 1
        group.gone += shows["gone"]
        group.fixed += looping.fixed(**shows)
        group.fewer += bool(shows["fewer"])


def _given(run: Past) -> str | None:
    """What a failed run was given; None where nobody told."""
    if run.given:
        return WITH
    return NONE if run.found == 0 else None
