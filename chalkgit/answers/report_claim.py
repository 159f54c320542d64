"""What an experiment may claim, as a report tells it: one line, and each rule with its figures.

No share of fixed loops and no difference is told until every rule is kept.
"""

from __future__ import annotations

from datetime import datetime

from chalkgit import times
from chalkgit.answers import experiment, experiment_stats
from chalkgit.answers.experiment import Result
from chalkgit.answers.experiment_tally import Arm
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any


def section(place: Place, now: datetime) -> dict[str, Any]:
    found = experiment.standing(place, now)
    results = (found.experiment, found.aa)
    return {
        "data": any(result is not None for result in results),
        "missing": (found.hint or experiment.FIRST) if results == (None, None) else None,
        "hint": found.hint,
        "line": found.line,
        "claims": found.experiment is not None
        and found.line == found.experiment.line
        and _allowed(found.experiment),
        "running": found.running,
        "problem": found.trouble,
        "experiment": None if found.experiment is None else _result(found.experiment),
        "aa": None if found.aa is None else _result(found.aa),
    }


def _allowed(result: Result) -> bool:
    # of an A/A run what it is for may be told: how far apart its arms are
    told = result.difference is not None or result.facts.manifest.aa
    return told and all(rule.kept for rule in result.rules)


def _result(result: Result) -> dict[str, Any]:
    manifest, allowed = result.facts.manifest, _allowed(result)
    return {
        "id": manifest.id,
        "since": times.day(times.parse(manifest.started)),
        "size": manifest.size,
        "holdout": manifest.holdout,
        "number": result.facts.number,
        "failed_before": result.facts.failed,
        "verdict": result.verdict,
        "line": result.line,
        "decided": result.decided,
        "difference": _interval(result.difference) if allowed else None,
        "arms": [_arm(arm, allowed=allowed) for arm in result.facts.counts.arms],
        "judged": [_arm(arm, allowed=True) for arm in result.facts.judged] if allowed else None,
        "rules": [
            {"name": r.name, "rule": r.sentence, "kept": r.kept, "figures": r.figures} for r in result.rules
        ],
    }


def _arm(arm: Arm, *, allowed: bool) -> dict[str, Any]:
    low, high = experiment_stats.wilson(arm.fixed, arm.counted)
    return {
        "name": arm.name,
        "loops": arm.loops,
        "counted": arm.counted,
        "waiting": arm.waiting,
        "excluded": arm.out,
        "injected": arm.injected,
        "fixed": arm.fixed if allowed else None,
        "low": round(low, 4) if allowed else None,
        "high": round(high, 4) if allowed else None,
    }


def _interval(found: tuple[float, float, float] | None) -> dict[str, float] | None:
    if found is None:
        return None
    return dict(zip(("value", "low", "high"), (round(share, 4) for share in found), strict=True))
