"""Whether lessons help: what an experiment may claim, in words, or why it may claim nothing.

`judge` makes of facts a result: every rule, kept, not yet or broken, and one line. It is a claim only where
all rules are kept and the interval of the difference does not hold zero; *no signal* where they are kept and
it does; else *no claim*, and why. Harm is named as plainly as help.
"""

from __future__ import annotations

from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers import experiment_rules as rules
from chalkgit.answers import experiment_stats as stats
from chalkgit.answers import experiment_tally as tally
from chalkgit.answers.experiment_rules import Facts, Rule
from chalkgit.answers.experiment_tally import Arm, Counts
from chalkgit.store import experiment_file, experiments
from chalkgit.store.experiment_file import Kept
from chalkgit.store.experiment_manifest import Manifest
from chalkgit.store.place import Place

NO_CLAIM, NO_SIGNAL, HELPS, HARMS, CALIBRATED = "no claim", "no signal", "helps", "harms", "calibrated"
VERDICTS = (NO_CLAIM, NO_SIGNAL, HELPS, HARMS, CALIBRATED)

NEVER = "no experiment was run here"
STOP = "chalkgit experiment stop"
AA_FIRST = (  # what makes an experiment that may be quoted
    f"chalkgit experiment start --aa, after at least {thresholds.EXPERIMENT_AA_LOOPS} loops an arm (about "
    f"{rules.about(stats.needed(0.5)):,} are planned) {STOP}"
)
FIRST = f"{AA_FIRST}, then chalkgit experiment start"
# beside every comparison of loops that no experiment drew
CONFOUNDING = (
    "Lessons appear only where something similar failed before, so loops with lessons are other loops than "
    "those without: a difference between them says nothing about what the lessons did. Only an experiment, "
    "in which chance decides, can say that."
)


class Result:
    """What one experiment, or A/A run, comes to.

    verdict: one of VERDICTS. line: the sentence that may be quoted. why: what keeps it from a claim, None
    where nothing does. decided: whether the look that the verdict comes from was the last. difference: of the
    shares fixed, with minus without, and its interval, 95 % over both looks; None until every rule is kept.
    fewer: the same of loops in which fewer tests failed; it is shown, and nothing is claimed of it. kept: as
    the journal has it, None where it comes from no journal.
    """

    __slots__ = (
        "decided",
        "difference",
        "facts",
        "fewer",
        "kept",
        "line",
        "rules",
        "verdict",
        "why",
    )

    def __init__(self, facts: Facts, found: list[Rule]) -> None:
        self.facts = facts
        self.rules = found
        self.verdict = NO_CLAIM
        self.line = ""
        self.why: str | None = None
        self.decided = False
        self.difference: tuple[float, float, float] | None = None
        self.fewer: tuple[float, float, float] | None = None
        self.kept: Kept | None = None

    @property
    def shares(self) -> bool:
        """Whether the shares of loops that were fixed may be told: two arms' beside each other are an effect.
        Of an A/A run they may once it has its loops, since nothing is withheld in it."""
        if self.facts.manifest.aa:
            return rules.enough(self.facts)
        return all(rule.kept for rule in self.rules)


def judge(facts: Facts) -> Result:
    """Every rule, and the line."""
    result = Result(facts, rules.judged(facts))
    broken = next((rule for rule in result.rules if not rule.kept), None)
    if broken is not None:
        _nothing(result, broken.figures)
    elif facts.manifest.aa:
        result.verdict = CALIBRATED
        apart = f"{rules.apart(facts)}, within ±{rules.WITHIN}"
        result.line = f"the A/A run passes: {apart}{rules.tries(facts)}"
    else:
        _weighed(result, facts.counts)
    return result


def _nothing(result: Result, why: str) -> None:
    result.verdict, result.why, result.line = NO_CLAIM, why, f"no claim: {why}"


def _weighed(result: Result, counts: Counts) -> None:
    """All rules are kept: what the last look shows."""
    look = counts.look
    assert look is not None  # or the rule of size is broken
    one, other = look.arms
    found = stats.newcombe((one.fixed, one.counted), (other.fixed, other.counted), look.z)
    difference, low, high = found
    seen = f"95 %: {{}}; {_share(one)} with, {_share(other)} without"
    result.decided = look.final
    if low <= 0 <= high:
        between = seen.format(f"between {_less(low)} and {_more(high)} points more often")
        if not look.final:
            _nothing(result, f"no direction at {look.size:,} loops an arm ({between}); {_planned(result)}")
            return
        result.verdict = NO_SIGNAL
        result.line = f"no signal: with or without lessons, what is seen is what chance gives ({between})"
    else:
        helps = difference > 0
        result.verdict = HELPS if helps else HARMS
        ends = sorted((abs(low), abs(high)))
        ranged = seen.format(f"{points(ends[0])} to {points(ends[1])} points")
        word = "more" if helps else "less"
        said = f"with lessons {points(abs(difference))} points {word} often fixed ({ranged})"
        said = said if helps else f"lessons do harm: {said}"
        result.line = said if look.final else f"a direction, no decision: {said}; {_planned(result)}"
    result.line += rules.tries(result.facts)  # a claim without it would be one of several
    result.difference = found
    result.fewer = stats.newcombe((one.fewer, one.counted), (other.fewer, other.counted), look.z)


def _planned(result: Result) -> str:
    return f"it is decided at {result.facts.manifest.size:,}"


def points(share: float) -> str:
    """A share as percentage points: 12, and 0.3 where it is less than one."""
    return f"{100 * share:.0f}" if abs(share) >= 0.01 else f"{100 * share:.1g}"


def _less(low: float) -> str:
    return f"{points(-low)} points less" if low < 0 else "0"


def _more(high: float) -> str:
    return points(max(high, 0.0))


def _share(one: Arm) -> str:
    return f"{one.fixed:,} of {one.counted:,}"


# --- of a repository ------------------------------------------------------------------------------


class Standing:
    """Where a repository stands: its newest experiment, its newest A/A run, and which of them runs.

    trouble: why nobody can tell whether one runs; then nothing may be quoted. hint: what to do now, None
    where nothing is to be done.
    """

    __slots__ = ("aa", "experiment", "hint", "running", "trouble")

    def __init__(
        self,
        experiment: Result | None,
        aa: Result | None,
        running: str | None,
        trouble: str | None,
        hint: str | None = None,
    ) -> None:
        self.hint = hint
        self.experiment = experiment
        self.aa = aa
        self.running = running
        self.trouble = trouble

    @property
    def line(self) -> str:
        """The one sentence about an effect that may be printed."""
        if self.trouble is not None:
            return f"no claim: {self.trouble}"
        if self.aa is not None and self.aa.facts.manifest.id == self.running:
            return f"no claim: an A/A run is in progress: {_far(self.aa.facts)}"
        return f"no claim: {NEVER}" if self.experiment is None else self.experiment.line


def _far(facts: Facts) -> str:
    """How many loops an A/A run has: first of those that it must have, then of those planned."""
    one, other = facts.counts.arms
    of = facts.manifest.size if rules.enough(facts) else thresholds.EXPERIMENT_AA_LOOPS
    return f"{one.counted:,} and {other.counted:,} of {of:,} loops"


def standing(place: Place, now: datetime) -> Standing:
    """What this repository's experiments come to. ChalkError where the journal cannot be read."""
    every = experiment_file.every(place)
    running, trouble = experiment_file.state(place, every)
    stops = running is not None or trouble is not None
    at = int(now.timestamp() * 1000)
    newest = {
        aa: [one for one in every if one.manifest is not None and one.manifest.aa is aa]
        for aa in (True, False)
    }
    found: dict[bool, Result | None] = {True: None, False: None}
    for aa, kept in newest.items():
        if kept:
            result = judge(_facts(place, kept[-1], every, at, running))
            result.kept = kept[-1]
            found[aa] = result
    if every and every[-1].manifest is None:
        trouble = trouble or f"experiment {every[-1].id}: {every[-1].trouble}"
    hint = STOP if stops else None if every else FIRST
    alike = found[True]
    if alike is not None and alike.facts.manifest.id == running:
        least, size = thresholds.EXPERIMENT_AA_LOOPS, alike.facts.manifest.size
        better = f", better the {size:,} that are planned" if size > least else ""
        hint = f"{STOP}, once each arm has at least {least} loops{better}"
    return Standing(found[False], found[True], running, trouble, hint)


def _facts(place: Place, kept: Kept, every: list[Kept], now: int, running: str | None = None) -> Facts:
    assert kept.manifest is not None
    counts = tally.count(experiments.trials(place, kept.id), kept.manifest, now)
    aborted = kept.why if kept.why and kept.why.startswith(experiment_file.ABORTED) else None
    before = None if kept.manifest.aa else _aa_before(kept, every)
    aa = None if before is None else _facts(place, before, every, now)
    # one whose manifest is damaged counts as an experiment
    older = [
        one
        for one in every[: every.index(kept)]
        if (one.manifest is not None and one.manifest.aa) is kept.manifest.aa
    ]
    return Facts(
        kept.manifest,
        counts,
        aa=aa,
        trouble=kept.trouble,
        aborted=aborted,
        running=kept.id == running,
        number=len(older) + 1,
        failed=sum(not _passed(place, one, now) for one in older) if kept.manifest.aa else 0,
    )


def _passed(place: Place, kept: Kept, now: int) -> bool:
    """Whether an A/A run of before came to be calibrated."""
    return judge(_facts(place, kept, [kept], now)).verdict == CALIBRATED


def _aa_before(kept: Kept, every: list[Kept]) -> Kept | None:
    """The last A/A run that had ended when an experiment began."""
    runs = [
        one
        for one in every[: every.index(kept)]
        if one.manifest is not None and one.manifest.aa and one.ended is not None and one.ended <= kept.at
    ]
    return runs[-1] if runs else None


def locked(manifest: Manifest) -> dict[str, str | float | bool]:
    """What a manifest fixes, as people are told."""
    names = ("id", "aa", "holdout", "size", "started", "digest")
    return {name: getattr(manifest, name) for name in names}
