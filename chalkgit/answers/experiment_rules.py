"""The rules that an experiment has to keep before a word is said about an effect. Here, and nowhere else.

Each is a name, a sentence with its thresholds, and a look at the facts that says whether it is kept, with the
figures. `report` and `experiment status` list them all; until every one is kept they say *no claim*, and why.
One that time alone may still fulfil is *not yet* kept, and no more of a claim than one that is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chalkgit import thresholds
from chalkgit.answers import experiment_stats as stats
from chalkgit.answers.experiment_tally import Arm, Counts
from chalkgit.store import experiment_manifest
from chalkgit.store.experiment_manifest import Manifest

WORDS = {True: "kept", False: "broken", None: "not yet"}
AA = "a/a"  # the name of the rule that an A/A run came first
WITHIN = round(100 * thresholds.EXPERIMENT_AA)
EXCLUDED = f"{thresholds.EXPERIMENT_EXCLUDED:.0%}".replace("%", " %")


class Facts:
    """What the rules look at.

    manifest: as it was locked; trouble: what is wrong with it now, None where nothing is. counts: its loops.
    aa: the A/A run that came before, None where none did. aborted: why it was ended early by itself.
    running: whether more loops may still take part. number: 3 where it is the third of its kind here. failed:
    how many of its kind before it did not come to be calibrated, of an A/A run.
    """

    __slots__ = ("aa", "aborted", "counts", "failed", "manifest", "number", "running", "trouble")

    def __init__(
        self,
        manifest: Manifest,
        counts: Counts,
        *,
        aa: Facts | None = None,
        trouble: str | None = None,
        aborted: str | None = None,
        running: bool = False,
        number: int = 1,
        failed: int = 0,
    ) -> None:
        self.manifest = manifest
        self.counts = counts
        self.number = number
        self.failed = failed
        self.aa = aa
        self.trouble = trouble
        self.aborted = aborted
        self.running = running

    @property
    def missed(self) -> bool | None:
        """How a rule stands that there are too few loops for: not yet kept, or broken where none may come."""
        return None if self.running or any(one.waiting for one in self.counts.arms) else False

    @property
    def judged(self) -> tuple[Arm, Arm]:
        """The loops that are judged: of an A/A run all, of an experiment those that the last look sees."""
        look = self.counts.look
        return self.counts.arms if look is None or self.manifest.aa else look.arms


class Rule:
    """One rule. kept: whether it is; None where it is not yet, and may be. figures: a part of a sentence,
    which says why where it is not."""

    __slots__ = ("figures", "kept", "name", "sentence")

    def __init__(self, name: str, sentence: str, kept: bool | None, figures: str) -> None:
        self.name = name
        self.sentence = sentence
        self.kept = kept
        self.figures = figures

    def __repr__(self) -> str:
        return f"Rule({self.name}: {WORDS[self.kept]}; {self.figures})"


def locked(facts: Facts) -> Rule:
    foreign = facts.counts.foreign
    trouble = facts.trouble or (f"{_loops(foreign)} ran under another manifest" if foreign else None)
    now = (experiment_manifest.RULES, experiment_manifest.judged_by())
    if trouble is None and (facts.manifest.rules, facts.manifest.thresholds) != now:
        trouble = "the rules or their thresholds are not those it was started under"
    return Rule(
        "manifest",
        "What was decided is locked before the first loop: an edited or missing manifest ends all claims.",
        trouble is None,
        trouble or f"as it was at the start, {facts.manifest.digest[:12]}",
    )


def assigned(facts: Facts) -> Rule:
    astray = facts.counts.astray
    total = sum(one.loops for one in facts.counts.arms)
    said = f"{_loops(total)} where the seed puts {'it' if total == 1 else 'them'}"
    return Rule(
        "chance",
        "Each loop is in the arm that the manifest's seed and the loop's id give.",
        not astray,
        f"{astray} of {_loops(total)} in another arm than the seed gives" if astray else said,
    )


def injected(facts: Facts) -> Rule:
    """The nearest system's published test compared two empty arms."""
    trouble = facts.aborted
    for one in facts.counts.arms:
        if one.shown and not one.injected and one.settled:
            trouble = (
                f"aborted: nothing was injected into the arm “{one.name}” ({_loops(one.settled)}, 0 bytes)"
            )
        if not one.shown and (one.injected or one.bytes):
            was = "was" if one.injected == 1 else "were"
            trouble = f"aborted: lessons reached {_loops(one.injected)} that {was} to go without"
    reached = (f"{one.injected:,} of {_loops(one.loops)} “{one.name}”" for one in facts.counts.arms)
    return Rule(
        "injected",
        "An arm into which nothing was injected aborts the experiment, and so does a holdout into which "
        "something was.",
        trouble is None,
        trouble or f"lessons reached {' and '.join(reached)}",
    )


def outcomes(facts: Facts) -> Rule:
    bare = facts.counts.bare
    counted = sum(one.counted for one in facts.counts.arms)
    return Rule(
        "outcomes",
        "An outcome is what the loop's next run shows: the failure gone, fewer tests failing, files "
        "changed. An exit code alone is none.",
        not bare,
        f"of {_loops(bare)} only an exit code is known"
        if bare
        else f"{_loops(counted)} with such an outcome",
    )


def exclusions(facts: Facts) -> Rule:
    most = thresholds.EXPERIMENT_EXCLUDED
    # of either arm: a tenth of all may be the half of a small one
    over = [one for one in facts.judged if one.out > most * one.settled]
    told = ", ".join(_excluded(one) for one in over or facts.judged)
    return Rule(
        "exclusions",
        f"Where more than {EXCLUDED} of an arm's loops are excluded, the experiment is void.",
        not over,
        f"void: {told}" if over else told,
    )


def large(facts: Facts) -> Rule:
    first, last = (size for size, _ in stats.looks(facts.manifest.size))
    have = [one.counted for one in facts.counts.arms]
    names = [f"{one.counted:,} {one.name}" for one in facts.counts.arms]
    figures = f"{' and '.join(names)}, of {first:,} for a direction and {last:,} to decide"
    waiting = sum(one.settled for one in facts.counts.arms) - facts.counts.seen
    if facts.counts.look is None and min(have) >= first:
        figures += f"; {_loops(waiting)} began after one whose outcome may still come"
    return Rule(
        "size",
        f"At least {thresholds.EXPERIMENT_DIRECTION} loops an arm for a direction, and the size planned, at "
        f"least {thresholds.EXPERIMENT_DECISION}, to decide; no look but these two.",
        True if facts.counts.look is not None else facts.missed,
        figures if facts.counts.look is not None else f"too few: {figures}",
    )


def large_aa(facts: Facts) -> Rule:
    least = thresholds.EXPERIMENT_AA_LOOPS
    names = [f"{one.counted:,} {one.name}" for one in facts.counts.arms]
    kept = enough(facts)
    return Rule(
        "size",
        f"An A/A run has at least {least} loops an arm.",
        kept or facts.missed,
        ("" if kept else "too few: ") + f"{' and '.join(names)}, of {least}",
    )


def within(facts: Facts) -> Rule:
    sentence = f"Two arms that were treated alike differ by at most {WITHIN} points."
    if not enough(facts):
        figures = f"nothing is compared before each arm has {thresholds.EXPERIMENT_AA_LOOPS} loops"
        return Rule("within", sentence, facts.missed, figures)
    one, other = facts.counts.arms
    if stats.within((one.fixed, one.counted), (other.fixed, other.counted)):
        return Rule("within", sentence, True, apart(facts))
    # by chance most honest ones are further apart before they have the size that was planned
    planned = min(one.counted, other.counted) >= facts.manifest.size
    return Rule("within", sentence, False if planned else facts.missed, f"{apart(facts)}; {advice(facts)}")


def calibrated(facts: Facts) -> Rule:
    sentence = (
        f"An A/A run came first, its arms within ±{WITHIN} points over at least "
        f"{thresholds.EXPERIMENT_AA_LOOPS} loops each; the last one counts."
    )
    if facts.aa is None:
        return Rule(AA, sentence, False, "no A/A run came before it")
    broken = next((rule for rule in judged(facts.aa) if not rule.kept), None)
    if broken is None:
        return Rule(AA, sentence, True, apart(facts.aa) + tries(facts.aa))
    return Rule(AA, sentence, broken.kept, f"the A/A run before it does not count: {broken.figures}")


OF_EXPERIMENT: tuple[Callable[[Facts], Rule], ...] = (
    locked,
    assigned,
    injected,
    calibrated,
    outcomes,
    exclusions,
    large,
)
OF_AA: tuple[Callable[[Facts], Rule], ...] = (
    locked,
    assigned,
    injected,
    outcomes,
    exclusions,
    large_aa,
    within,
)


def judged(facts: Facts) -> list[Rule]:
    """Every rule, kept, not yet or broken."""
    return [rule(facts) for rule in (OF_AA if facts.manifest.aa else OF_EXPERIMENT)]


def enough(facts: Facts) -> bool:
    """Whether an A/A run has the loops at which its arms may be compared."""
    return min(one.counted for one in facts.counts.arms) >= thresholds.EXPERIMENT_AA_LOOPS


def tries(facts: Facts) -> str:
    """What was tried before it, as the end of a sentence: each try is one more chance to be lucky."""
    kind = "A/A run" if facts.manifest.aa else "experiment"
    said = "" if facts.number == 1 else f"; {kind} number {facts.number} here"
    alike = facts if facts.manifest.aa else facts.aa
    if alike is not None and alike.failed:
        runs = "A/A run" if alike.failed == 1 else "A/A runs"
        said += f"; {alike.failed} {runs} before the last did not pass"
    return said


def apart(facts: Facts) -> str:
    """How far apart the arms of an A/A run are."""
    one, other = facts.counts.arms
    if not (one.counted and other.counted):
        return "nothing to compare yet"
    points = 100 * abs(one.fixed / one.counted - other.fixed / other.counted)
    shares = (f"{arm.fixed:,} of {arm.counted:,} fixed in {arm.name}" for arm in (one, other))
    return f"{points:.2f} points apart ({', '.join(shares)})"


def advice(facts: Facts) -> str:
    """How large an A/A run has to be, and what one of this size was worth."""
    one, other = facts.counts.arms
    counted = one.counted + other.counted
    rate = (one.fixed + other.fixed) / counted if counted else 0.5
    share = facts.manifest.holdout
    smaller = max(min(one.counted, other.counted), 1)
    miss = stats.missed(rate, smaller, smaller / max(counted, 2))
    alike = one.counted == other.counted
    have = f"{smaller:,} an arm" if alike else f"{one.counted:,} and {other.counted:,} loops"
    return (
        f"with {have} {miss:.0%} of honest runs miss by chance; about "
        f"{about(stats.needed(rate, share)):,} in the smaller arm make that one in twenty"
    ).replace("%", " %")


def about(loops: int) -> int:
    """Two digits of it: the rest depends on a rate that is known roughly."""
    unit: int = 10 ** max(len(str(loops)) - 2, 0)
    return round(loops / unit) * unit


def _excluded(one: Arm) -> str:
    share = one.out / one.settled if one.settled else 0.0
    why: Iterable[str] = (f"{count} {reason}" for reason, count in one.excluded.items())
    part = f"{share:.0%}".replace("%", " %") + (f": {', '.join(why)}" if one.out else "")
    return f"{one.name} {one.out:,} of {_loops(one.settled)} ({part})"


def _loops(count: int) -> str:
    return f"{count:,} loop" if count == 1 else f"{count:,} loops"
