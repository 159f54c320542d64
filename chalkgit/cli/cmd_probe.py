"""`chalkgit probe`: is the cause still there? The one command that runs what a record names, after asking."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from chalkgit import thresholds
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session, command_line
from chalkgit.errors import ChalkError
from chalkgit.failures import lines
from chalkgit.records import fields
from chalkgit.records.record import Record, person, title
from chalkgit.records.status import restriction
from chalkgit.render.clean import line
from chalkgit.store import probing
from chalkgit.store.probing import Origin, Outcome

_CODES = {probing.PASS: 0, probing.FAIL: 1, probing.COULD_NOT_RUN: 2}


@click.command("probe")
@click.argument("record_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Run it without asking.")
@click.option(
    "--seconds",
    type=click.IntRange(1, probing.SECONDS_MOST),
    default=probing.SECONDS,
    show_default=True,
    metavar="N",
    help="How long it may take.",
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, record_id: str, yes: bool, seconds: int, as_json: bool) -> int:
    """Run the command of a record that fails until its cause is gone, after showing it and asking.

    It runs in the root of the work tree. Exit code 0: it passes. 1: it fails, so the cause is still there.
    2: it could not run, or was not run. Nothing else ever runs a probe.
    """
    session = Session(directory)
    record = session.found(record_id)
    probe = probing.stored(session.place, record.path)
    if probe is None:
        hint = command_line("correct", record.id, "--probe") + " COMMAND"
        raise ChalkError(f"{record.id} has no probe", hint=hint)
    origin = probing.origin(session.place, record.path)
    for row in _question(record, probe, origin, session.place.root, seconds):
        terminal.say(row)
    _refuse(record, probe)
    if not (yes or _agreed(record)):
        terminal.say("Not run.")
        return 2
    outcome = probing.run(session.place, probe, seconds)
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, **_as_json(record, probe, origin, outcome, session)})
    else:
        for row in _verdict(record, outcome):
            terminal.out(row)
    return _CODES[outcome.word]


def _refuse(record: Record, probe: str) -> None:
    """ChalkError for a probe that is not to be run, whatever is said."""
    state = restriction(record)
    if state is not None:
        raise ChalkError(f"the probe is not run: {record.id} is {state}", hint=f"chalkgit show {record.id}")
    why = probing.refused(probe)
    if why is not None:
        hint = command_line("correct", record.id, "--probe") + " COMMAND"
        raise ChalkError(f"the probe is not run: it {why}", where=record.path, hint=hint)


def _agreed(record: Record) -> bool:
    """What the person says; ChalkError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        raise ChalkError(
            "nobody can be asked here, so nothing was run",
            hint=f"read the command, then {command_line('probe', record.id, '--yes')}",
        )
    terminal.say("Run it? [y/N]", end=" ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _question(record: Record, probe: str, origin: Origin, root: str, seconds: int) -> list[str]:
    """What one has to know before saying yes."""
    rows = [
        f"{record.kind} {record.id}: {line(title(record))[: thresholds.BRIEF_CHARACTERS]}",
        f"  by: {line(person(record.get('by')) or 'nobody named')}",
        f"  file: {line(record.path)}, {line(_told(origin))}",
        f"  runs in: {line(root)}, for at most {seconds} s",
        f"  command: {probing.shown(probe)}",
    ]
    foreign = sorted({c for c in probe if not c.isascii()})
    if foreign:
        names = ", ".join(f"U+{ord(c):04X}" for c in foreign[:8])
        rows.append(f"  mind: it holds characters beyond ASCII, which may look like others: {names}")
    if not (origin.own and origin.same):
        rows.append("  mind: it is not known to be yours; a probe is a program, and may do anything you may")
    return rows


def _told(origin: Origin) -> str:
    if origin.commit is None:
        return "not committed"
    whom = "you" if origin.own else f"{origin.author}, not by you"
    committed = f"committed by {whom} on {origin.when} ({origin.commit[:12]})"
    return committed if origin.same else f"changed since it was {committed}"


def _verdict(record: Record, outcome: Outcome) -> list[str]:
    rows = [f"  {row}" for row in _output(outcome)]
    rows.append(f"{outcome.word}: {line(outcome.why)}")
    if outcome.word == probing.PASS and record.get("settled") is None:
        if record.kind in fields.BY_NAME["settled"].kinds:
            rows.append(f"hint: {command_line('settle', record.id, '--by')} COMMIT")
        else:
            rows.append(
                f"hint: {command_line('retire', record.id, '--because')} {shlex.quote('its probe passes')}"
            )
    return rows


def _output(outcome: Outcome) -> list[str]:
    """The last lines of what it said, harmless to show; the first is … where there were more."""
    said = [row for row in map(_row, outcome.output.decode("utf-8", "replace").split("\n")) if row]
    kept = said[-thresholds.OUTPUT_LINES :]
    return ["…", *kept] if outcome.cut or len(said) > len(kept) else kept


def _row(said: str) -> str:
    row = line(lines.plain(said[: 4 * thresholds.BRIEF_CHARACTERS]))
    return row if len(row) <= thresholds.BRIEF_CHARACTERS else row[: thresholds.BRIEF_CHARACTERS - 1] + "…"


def _as_json(
    record: Record, probe: str, origin: Origin, outcome: Outcome, session: Session
) -> dict[str, Any]:
    return {
        "id": record.id,
        "probe": probe,
        "root": session.place.root,
        "by": person(record.get("by")),
        "commit": origin.commit,
        "author": origin.author,
        "committed": origin.same,
        "outcome": outcome.word,
        "why": outcome.why,
        "exit_code": outcome.code,
        "seconds": round(outcome.seconds, 3),
        "output": _output(outcome),
    }
