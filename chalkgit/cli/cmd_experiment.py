"""`chalkgit experiment`: whether lessons help, found out by withholding some of them at random."""

from __future__ import annotations

import click

from chalkgit import thresholds, times
from chalkgit.answers import experiment, experiment_rules, experiment_stats
from chalkgit.cli import terminal
from chalkgit.store import experiment_file, ledger
from chalkgit.store import place as places
from chalkgit.store.experiment_manifest import Manifest
from chalkgit.store.place import Place

_LEAST = thresholds.EXPERIMENT_HOLDOUT_LEAST


@click.group("experiment")
def command() -> None:
    """Find out whether lessons help: by chance some loops go without; `report` says what came of it.

    A loop is the failed runs of one ticket, each within a day of the one before.
    """


@command.command()
@click.option(
    "--holdout",
    type=click.FloatRange(_LEAST, 1 - _LEAST),
    metavar="SHARE",
    help="The share of loops that go without lessons: .2 if absent, and .5 in an A/A run, which takes none.",
)
@click.option(
    "--aa",
    is_flag=True,
    help="An A/A run: two arms alike, nothing withheld. An experiment without one before is not quoted.",
)
@click.option(
    "--size",
    type=click.IntRange(thresholds.EXPERIMENT_DECISION),
    metavar="N",
    help="Loops an arm at which it is decided: 100 if absent, and what is needed in an A/A run.",
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def start(directory: str | None, /, holdout: float | None, aa: bool, size: int | None, as_json: bool) -> int:
    """Start one. What is decided now (share, size, seed, rules) is locked, and cannot be changed later."""
    place = places.find(directory)
    share = holdout or (0.5 if aa else thresholds.EXPERIMENT_HOLDOUT)
    planned = size or (experiment_stats.needed(0.5, share) if aa else thresholds.EXPERIMENT_DECISION)
    manifest = experiment_file.start(place, holdout=share, size=planned, aa=aa)
    _warned(place, manifest)
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, **experiment.locked(manifest)})
    else:
        terminal.out(_started(manifest))
    return 0


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def status(directory: str | None, /, as_json: bool) -> int:
    """Say how it stands, and list each rule as kept, not yet or broken. It is no gate: exit 0."""
    from chalkgit.render import experiment as rendered

    place = places.find(directory)
    found = experiment.standing(place, times.system_clock())
    if found.running is not None and ledger.is_off(place):
        terminal.tell("the journal is switched off, so no loop takes part and nothing is withheld")
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, **rendered.as_json(found)})
    else:
        terminal.out(rendered.text(found, terminal.style()))
    return 0


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def stop(directory: str | None, /, as_json: bool) -> int:
    """End the one that runs: every loop is shown its lessons again. What was found stays."""
    from chalkgit.render import experiment as rendered

    place = places.find(directory)
    ended = experiment_file.stop(place)
    found = experiment.standing(place, times.system_clock())
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, "stopped": ended, **rendered.as_json(found)})
    else:
        results = (found.experiment, found.aa)
        line = next((one.line for one in results if one and one.facts.manifest.id == ended), found.line)
        terminal.out(f"experiment {ended} has ended; {line}")
    return 0


def _warned(place: Place, manifest: Manifest) -> None:
    """Say so where nothing of it will be quoted, whatever comes of it."""
    found = experiment.standing(place, times.system_clock()).experiment
    if manifest.aa or found is None:
        return
    broken = next((rule for rule in found.rules if rule.name == experiment_rules.AA and not rule.kept), None)
    if broken is not None:
        terminal.tell(
            "lessons will be withheld from now on, and nothing of it will be quoted: "
            f"{broken.figures}; {experiment.STOP} ends it (hint: {experiment.STOP}, then "
            f"{experiment.AA_FIRST}, then chalkgit experiment start)"
        )


def _started(manifest: Manifest) -> str:
    share = f"{manifest.holdout:.0%} of the loops with lessons".replace("%", " %", 1)
    if manifest.aa:
        what = f"A/A run {manifest.id}: {share} are in arm a, the others in b, and nothing is withheld"
        return f"{what}; let it run to {manifest.size:,} loops an arm"
    return (
        f"experiment {manifest.id}: {share} go without them; it is decided at {manifest.size:,} loops an arm"
    )
