"""The loops that take part in an experiment: what each was given, and what came of it. Local, as the journal.

A loop takes part from its first failed run for which lessons were found: chance, not a person, then says
whether it is shown them. What is withheld is written down before it is withheld, so that nothing is withheld
that is not counted; where the journal takes no writes, or the manifest is not as it was locked, the loop is
shown its lessons and is no part of anything.

    entry = experiments.enter(place, loop, run, found)                  after the lessons were found
    if entry is not None and entry.withheld: …                          say so, and show none
    if entry is not None: experiments.injected(place, loop, given, size)   after that, 0 and 0 if withheld
    else: experiments.reached(place, loop)     where lessons were shown all the same
    experiments.outcome(place, loop, gone, fewer, changed, failing)     at the loop's next run, before `enter`
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import experiment_file, experiment_manifest, ledger
from chalkgit.store.experiment_manifest import WITH, WITHOUT, Manifest, arm

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

# Why a loop that was to go without tells nothing: lessons reached it before its outcome while the experiment
# ran, or after it had ended; or the journal was switched off meanwhile, and nobody can tell.
LEAKED, LATE, UNSEEN = "leaked", "ended", "off"
_LEAK = "aborted: lessons reached a loop that was to go without"
_WINDOW = thresholds.LOOP_SECONDS * 1000


class Entry:
    """What to do with the lessons of a run: arm None, show them, and say the trouble where there is some.

    experiment: its id, None where nobody can tell.
    """

    __slots__ = ("arm", "experiment", "trouble")

    def __init__(self, experiment: str | None, arm: str | None, trouble: str | None = None) -> None:
        self.experiment = experiment
        self.arm = arm
        self.trouble = trouble

    @property
    def withheld(self) -> bool:
        return self.arm == WITHOUT


class Trial:
    """One loop that takes part.

    at: when its first run with lessons failed, milliseconds since 1970. found: lessons found for that run.
    given, bytes: what of them reached the reader; None where nobody told. again: when the loop's next run
    came, None while there was none; what that showed: gone (it did not fail in the same way), fewer (fewer
    tests failed), changed (the work tree had changed), each None where nobody can tell. spoilt: LEAKED, LATE
    or UNSEEN; None where all went as it should.
    """

    __slots__ = (
        "again",
        "arm",
        "at",
        "bytes",
        "changed",
        "digest",
        "fewer",
        "found",
        "given",
        "gone",
        "loop",
        "spoilt",
    )

    def __init__(
        self,
        loop: str,
        arm: str,
        digest: str,
        at: int,
        found: int | None = None,
        given: int | None = None,
        bytes: int | None = None,
        again: int | None = None,
        gone: bool | None = None,
        fewer: bool | None = None,
        changed: bool | None = None,
        spoilt: str | None = None,
    ) -> None:
        self.loop = loop
        self.arm = arm
        self.digest = digest
        self.at = at
        self.found = found
        self.given = given
        self.bytes = bytes
        self.again = again
        self.gone = gone
        self.fewer = fewer
        self.changed = changed
        self.spoilt = spoilt


def running(place: Place) -> Manifest | None:
    """The experiment that runs, None where none does. ChalkError where its manifest is not as it was locked,
    or the journal cannot tell: then nothing may be withheld, and nothing quoted."""
    if not os.path.lexists(experiment_file.path(place)) or ledger.is_off(place):
        return None
    experiment, state = experiment_file.pointed(place)
    if state == experiment_file.ENDED:
        return None
    where = experiment_manifest.path(place, experiment)
    kept = experiment_file.kept(place, experiment)
    if kept is None:
        said = f"experiment {experiment} is not in the journal"
        raise ChalkError(f"{said}, so nothing is withheld", where=where, hint="chalkgit experiment stop")
    if kept.ended is not None:
        return None
    if kept.trouble is not None or kept.manifest is None:
        said = f"experiment {experiment}: {kept.trouble or 'its manifest is damaged'}"
        raise ChalkError(f"{said}; nothing is withheld", where=where, hint="chalkgit experiment stop")
    return kept.manifest


def lately(place: Place) -> bool:
    """Whether one runs, as it should or not, or ended within a day: its loops may wait for their outcome."""
    try:
        since = time.time() - os.lstat(experiment_file.path(place)).st_mtime
        return not ledger.is_off(place) and (
            since < thresholds.LOOP_SECONDS or experiment_file.pointed(place)[1] == experiment_file.RUNNING
        )
    except FileNotFoundError:
        return False
    except (OSError, ChalkError):
        return True


def enter(place: Place, loop: str, run: str, found: int, at: int | None = None) -> Entry | None:
    """What an experiment has to say of lessons that were found for a run of this loop; None where none runs,
    or the loop takes no part: its lessons are shown.

    It takes none where lessons were found for a run of it before, this one told of by another command among
    them, and where the journal does not take it down. Never raises.
    """
    try:
        manifest = running(place)
    except ChalkError as error:
        return Entry(None, None, error.message)
    if manifest is None or found <= 0:
        return None
    chosen = arm(manifest, loop)
    try:
        of_loop = "experiment = ? and loop = ?"
        if ledger.read(place, "trials", ("arm",), of_loop, (manifest.id, loop)):
            return Entry(manifest.id, chosen)
        if ledger.read(place, "runs", ("run",), "loop = ? and found > 0", (loop,)):
            return None
    except ChalkError as error:
        return Entry(
            manifest.id, None, f"the loop takes no part in experiment {manifest.id}: {error.message}"
        )
    row: dict[str, ledger.Value] = {
        "at": _now() if at is None else at,
        "experiment": manifest.id,
        "digest": manifest.digest,
        "loop": loop,
        "run": run,
        "arm": chosen,
        "found": found,
    }
    refused = ledger.add(place, {"trials": [row]})
    if refused is not None:
        return Entry(manifest.id, None, f"the loop takes no part in experiment {manifest.id}: {refused}")
    return Entry(manifest.id, chosen)


def injected(place: Place, loop: str, given: int, size: int) -> None:
    """Say what reached the reader after `enter`: so many lessons, of so many bytes; 0 and 0 where they were
    withheld. An arm that turns out to be what it should not be ends the experiment. Never raises."""
    try:
        manifest = running(place)
        if manifest is None:
            return
        where = "experiment = ? and loop = ? and given is null and again is null"
        statement = f"update trials set given = ?, bytes = ? where {where}"
        if ledger.change(place, statement, (given, size, manifest.id, loop)):
            _abort_where_empty(place, manifest, arm(manifest, loop), given, size)
    except (ChalkError, OverflowError):
        return


def reached(place: Place, loop: str) -> None:
    """Say that lessons were shown to a loop though no experiment said so: one that is to go without, and
    waits for its outcome, is spoilt. That ends the experiment where it still runs. Never raises.

    So it is where its manifest was put away for a while, or `enter` could not read the journal.
    """
    if not os.path.lexists(experiment_file.path(place)) or ledger.is_off(place):
        return
    try:
        waits = "loop = ? and arm = ? and again is null"
        rows = ledger.read(place, "trials", ("experiment", "spoilt"), waits, (loop, WITHOUT))
        for experiment in {str(name) for name, spoilt in rows if spoilt is None}:
            kept = experiment_file.kept(place, experiment)
            ended = kept is not None and kept.ended is not None
            _spoil(place, LATE if ended else LEAKED, f"{waits} and experiment = ?", loop, WITHOUT, experiment)
            if not ended:
                experiment_file.stop(place, _LEAK, only=experiment)
    except ChalkError:
        return


def unseen(place: Place) -> None:
    """Say that from now on nobody sees what reaches the loops that wait for their outcome. ChalkError where
    that cannot be written down."""
    if os.path.lexists(experiment_file.path(place)) and not ledger.is_off(place):
        since = _now() - _WINDOW
        _spoil(place, UNSEEN, "again is null and at > ?", since)


def _spoil(place: Place, why: str, where: str, *values: ledger.Value) -> None:
    statement = f"update trials set spoilt = ? where {where}"
    ledger.change(place, statement, (why, *values), grown="trials")


def outcome(
    place: Place,
    loop: str,
    gone: bool | None,
    fewer: bool | None = None,
    changed: bool | None = None,
    failing: int | None = None,
    at: int | None = None,
) -> None:
    """Say what the next run of a loop showed, where the loop waits for that; else nothing happens.

    gone None, a run of which nothing but an exit code is known, is no outcome. Never raises.
    """
    if gone is None or not os.path.lexists(experiment_file.path(place)) or ledger.is_off(place):
        return
    at = _now() if at is None else at
    shown = (int(gone), *(None if one is None else int(one) for one in (fewer, changed)), failing)
    try:
        ledger.change(
            place,
            "update trials set again = ?, gone = ?, fewer = ?, changed = ?, failing = ? "
            "where loop = ? and again is null and at between ? and ?",
            (at, *shown, loop, at - _WINDOW, at),
        )
    except (ChalkError, OverflowError):
        return


def _abort_where_empty(place: Place, manifest: Manifest, chosen: str, given: int, size: int) -> None:
    """End an experiment that can tell nothing: a holdout that was not held out, or an arm without lessons."""
    why = None
    if chosen == WITHOUT:
        if given or size:
            why = _LEAK
    elif not (given and size):
        of_arm = ("experiment = ? and arm = ?", (manifest.id, chosen))
        rows = ledger.read(place, "trials", ("given", "bytes"), *of_arm)
        if len(rows) >= thresholds.EXPERIMENT_EMPTY and not any(n and b for n, b in rows):
            why = f"aborted: nothing was injected into any loop of the arm “{chosen}”"
    if why is not None:
        experiment_file.stop(place, why, only=manifest.id)


def drawn(place: Place) -> set[str]:
    """The loops that took part in experiments, whenever that was; not those of A/A runs, in which nothing is
    withheld. ChalkError where the journal cannot be read."""
    rows = ledger.read(place, "trials", ("loop",), "arm in (?, ?)", (WITH, WITHOUT))
    return {str(loop) for (loop,) in rows}


def trials(place: Place, experiment: str) -> list[Trial]:
    """Its loops, in the order in which they began; a loop that two processes wrote down at once is one.

    ChalkError where the journal cannot be read.
    """
    columns = (
        *("loop", "arm", "digest", "at", "spoilt"),
        *("found", "given", "bytes", "again", "gone", "fewer", "changed"),
    )
    found: dict[str, Trial] = {}
    for row in ledger.read(place, "trials", columns, "experiment = ?", (experiment,)):
        loop, chosen, digest, at, spoilt, *rest = row
        if not (isinstance(loop, str) and isinstance(chosen, str) and isinstance(at, int)):
            continue  # no row of ours
        numbers = [value if isinstance(value, int) else None for value in rest]
        trial = Trial(loop, chosen, str(digest), at, spoilt=None if spoilt is None else str(spoilt))
        trial.found, trial.given, trial.bytes, trial.again = numbers[:4]
        trial.gone, trial.fewer, trial.changed = (None if one is None else one != 0 for one in numbers[4:])
        found.setdefault(loop, trial)
    return sorted(found.values(), key=lambda trial: trial.at)


def _now() -> int:
    return time.time_ns() // 1_000_000
