"""The loops of an experiment, counted: arm by arm, over all of them and at the looks that were planned.

Each look takes the shortest beginning of the experiment in which every arm has so many loops with an outcome.
So both arms come from the same days, whatever share each has: where a team gets better with time, the first
hundred of a small arm would be later ones than the first hundred of a large arm. And a loop that still waits
for its outcome ends what a look can see, so that what was seen once is seen again.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.answers import experiment_stats as stats
from chalkgit.store import experiments, loops
from chalkgit.store.experiment_manifest import WITH, A, B, Manifest, arm
from chalkgit.store.experiments import Trial

WINDOW = thresholds.LOOP_SECONDS * 1000
NO_OUTCOME = "without an outcome"
UNTOLD = "of which nobody said what reached the reader"
NOT_SHOWN = "in which nothing reached the reader"
SPOILT = {
    experiments.LATE: "that lessons reached after the end",
    experiments.UNSEEN: "open while the journal was off",
}


class Arm:
    """One arm's loops, as counts.

    loops: all. counted: those with an outcome that count; fixed, fewer: of these, those whose failure was
    gone with something changed, and in which fewer tests failed. waiting: those whose outcome may still come.
    excluded: why, and how many. injected: those that lessons reached. bytes: of these lessons.
    """

    __slots__ = ("bytes", "counted", "excluded", "fewer", "fixed", "injected", "loops", "name", "waiting")

    def __init__(
        self,
        name: str,
        counted: int = 0,
        fixed: int = 0,
        *,
        injected: int = 0,
        bytes: int = 0,
        excluded: int = 0,
    ) -> None:
        self.name = name
        self.loops = counted + excluded
        self.counted = counted
        self.fixed = fixed
        self.fewer = 0
        self.waiting = 0
        self.injected = injected
        self.bytes = bytes
        self.excluded = {NO_OUTCOME: excluded} if excluded else {}

    @property
    def out(self) -> int:
        """How many are excluded."""
        return sum(self.excluded.values())

    @property
    def settled(self) -> int:
        return self.counted + self.out

    @property
    def shown(self) -> bool:
        """Whether its loops are to be shown lessons."""
        return self.name in (WITH, A, B)

    def copy(self) -> Arm:
        made = Arm(self.name)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made.excluded = dict(self.excluded)
        return made


class Look:
    """What one of the two looks sees. size: loops that every arm has at least. final: whether it decides."""

    __slots__ = ("arms", "final", "size", "z")

    def __init__(self, size: int, z: float, final: bool, arms: tuple[Arm, Arm]) -> None:
        self.size = size
        self.z = z
        self.final = final
        self.arms = arms


class Counts:
    """arms: all loops so far. look: the last look that could be taken, None before the first.

    astray: loops that are not in the arm that the seed gives. foreign: loops of another manifest. bare:
    loops whose next run is known by an exit code alone. seen: loops before the first that still waits.
    """

    __slots__ = ("arms", "astray", "bare", "foreign", "look", "seen")

    def __init__(
        self,
        arms: tuple[Arm, Arm],
        look: Look | None = None,
        *,
        astray: int = 0,
        foreign: int = 0,
        bare: int = 0,
    ) -> None:
        self.arms = arms
        self.look = look
        self.astray = astray
        self.foreign = foreign
        self.bare = bare
        self.seen = sum(one.settled for one in arms)


def count(trials: Sequence[Trial], manifest: Manifest, now: int) -> Counts:
    """The loops of an experiment at `now` (milliseconds since 1970), which are in order."""
    names = manifest.arms
    found = Counts((Arm(names[0]), Arm(names[1])))
    early = (Arm(names[0]), Arm(names[1]))
    looks = list(stats.looks(manifest.size))
    blocked = False
    for trial in trials:
        found.foreign += trial.digest != manifest.digest
        found.astray += trial.arm != arm(manifest, trial.loop)
        found.bare += trial.again is not None and trial.gone is None
        if trial.arm not in names:
            continue  # astray, as was counted
        at = names.index(trial.arm)
        waits = _waits(trial, now)
        _add(found.arms[at], trial, waits)
        blocked = blocked or waits
        if blocked or not looks:
            continue
        _add(early[at], trial, waits)
        while looks and min(one.counted for one in early) >= looks[0][0]:
            size, z = looks.pop(0)
            found.look = Look(size, z, not looks, (early[0].copy(), early[1].copy()))
    found.seen = sum(one.settled for one in early)
    return found


def _add(one: Arm, trial: Trial, waits: bool) -> None:
    one.loops += 1
    # in a holdout the least trace is a leak
    leaked = bool(trial.given or trial.bytes or trial.spoilt == experiments.LEAKED)
    one.injected += bool(trial.given and trial.bytes) if one.shown else leaked
    one.bytes += trial.bytes or 0
    if waits:
        one.waiting += 1
        return
    why = _excluded(trial, one.shown)
    if why is not None:
        one.excluded[why] = one.excluded.get(why, 0) + 1
        return
    one.counted += 1
    one.fixed += loops.fixed(trial.gone, trial.changed, trial.fewer)
    one.fewer += bool(trial.fewer)


def _waits(trial: Trial, now: int) -> bool:
    return trial.again is None and trial.spoilt is None and trial.at + WINDOW > now


def _excluded(trial: Trial, shown: bool) -> str | None:
    if trial.spoilt in SPOILT:
        return SPOILT[trial.spoilt]
    if trial.gone is None:
        return NO_OUTCOME
    if trial.given is None:
        return UNTOLD
    return NOT_SHOWN if shown and not (trial.given and trial.bytes) else None
