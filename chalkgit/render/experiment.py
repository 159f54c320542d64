"""Where a repository's experiments stand, as text and as JSON: each rule kept, not yet or broken; one line.

How many loops of an arm were fixed is told only once every rule is kept, and only of those that a look saw.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import experiment as experiments
from chalkgit.answers import experiment_stats as stats
from chalkgit.answers.experiment_rules import WORDS
from chalkgit.render.clean import line
from chalkgit.render.text import plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.experiment import Result, Standing
    from chalkgit.answers.experiment_tally import Arm
    from chalkgit.render.text import Style


def text(found: Standing, style: Style = plain) -> str:
    rows = [style(line(found.line), "bold")]
    for result in (found.experiment, found.aa):
        if result is not None:
            rows += ["", *_block(result, found, style)]
    if found.hint is not None:
        rows += [] if found.experiment is None and found.aa is None else [""]
        rows.append(f"hint: {found.hint}")
    return "\n".join(rows)


def as_json(found: Standing) -> dict[str, Any]:
    return {
        "running": found.running,
        "line": found.line,
        "trouble": found.trouble,
        "hint": found.hint,
        "experiment": None if found.experiment is None else result(found.experiment),
        "aa": None if found.aa is None else result(found.aa),
    }


def result(one: Result) -> dict[str, Any]:
    look = one.facts.counts.look
    return {
        **experiments.locked(one.facts.manifest),
        "ended": None if one.kept is None or one.kept.ended is None else _instant(one.kept.ended),
        "ended_because": None if one.kept is None else one.kept.why,
        "number": one.facts.number,
        "failed_before": one.facts.failed,
        "verdict": one.verdict,
        "line": one.line,
        "why": one.why,
        "decided": one.decided,
        "look": None if look is None else {"size": look.size, "final": look.final, "z": look.z},
        "difference": _interval(one.difference),
        "fewer_failing": _interval(one.fewer),
        "arms": [_arm(arm) for arm in one.facts.counts.arms],
        "looked_at": [{**_arm(arm), **_shares(arm)} for arm in one.facts.judged] if one.shares else None,
        "rules": [{name: getattr(rule, name) for name in rule.__slots__} for rule in one.rules],
    }


def _block(one: Result, found: Standing, style: Style) -> list[str]:
    told = one.facts.manifest
    kind = "A/A run" if told.aa else "experiment"
    rows = [style(f"{kind} {told.id}", "bold") + f"  {_state(one, found.running)}"]
    if told.aa or (one.line != found.line and found.trouble is None):
        rows.append(f"  {line(one.line)}")
    if one.facts.number > 1 and not told.aa:
        rows.append(f"  it is number {one.facts.number} here: one in twenty claims what is not there")
    rows += [f"  {_arm_line(arm, one.shares)}" for arm in one.facts.judged]
    if one.fewer is not None:
        rows.append(f"  beside it: {_fewer(one.fewer)}; nothing is claimed of this")
    for rule in one.rules:
        word = WORDS[rule.kept]
        shown = word if rule.kept is not False else style(word, "bold")
        rows.append(f"  {shown}{' ' * (9 - len(word))}{rule.name}: {line(rule.figures)}")
        rows.append(style(f"           {rule.sentence}", "dim"))
    return rows


def _state(one: Result, running: str | None) -> str:
    told = one.facts.manifest
    since = f"since {times.day(times.parse(told.started))}"
    share = f"{told.holdout:.0%} ".replace("%", " %") + (
        "in arm a, nothing is withheld" if told.aa else "go without lessons"
    )
    if told.id == running:
        return f"runs {since}; {share}"
    if one.kept is not None and one.kept.ended is not None:
        why = f" ({line(one.kept.why)})" if one.kept.why else ""
        return f"{since} until {_instant(one.kept.ended)[:10]}{why}; {share}"
    return f"{since}; {share}"


def _arm_line(one: Arm, shares: bool) -> str:
    said = f"{one.name:<8} {one.counted:,} of {one.loops:,} loops count"
    if one.waiting:
        said += f", {one.waiting:,} wait for their outcome"
    if not (shares and one.counted):
        return said
    low, high = stats.wilson(one.fixed, one.counted)
    rate = f"{one.fixed / one.counted:.0%} (95 %: {low:.0%} to {high:.0%})".replace("%", " %")
    return f"{said}; {one.fixed:,} fixed, {rate}".replace("  %", " %")


def _fewer(found: tuple[float, float, float]) -> str:
    difference, low, high = (experiments.points(share) for share in found)
    return f"fewer tests failed in {difference} points more of the loops with lessons ({low} to {high})"


def _arm(one: Arm) -> dict[str, Any]:
    names = ("name", "loops", "counted", "waiting", "injected", "bytes")
    return {**{name: getattr(one, name) for name in names}, "excluded": dict(one.excluded)}


def _shares(one: Arm) -> dict[str, Any]:
    low, high = stats.wilson(one.fixed, one.counted)
    return {
        "fixed": one.fixed,
        "fewer": one.fewer,
        "rate": round(one.fixed / one.counted, 4) if one.counted else None,
        "interval": [round(low, 4), round(high, 4)],
    }


def _interval(found: tuple[float, float, float] | None) -> dict[str, float] | None:
    if found is None:
        return None
    return dict(zip(("value", "low", "high"), (round(share, 4) for share in found), strict=True))


def _instant(milliseconds: int) -> str:
    from datetime import UTC, datetime

    try:
        return times.iso(datetime.fromtimestamp(milliseconds / 1000, UTC))
    except (ValueError, OverflowError, OSError):  # whoever can write the journal can put anything there
        return "unknown"
