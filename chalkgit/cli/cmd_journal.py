"""`chalkgit journal`: what this machine kept of questions, showings and runs, in its owner's hands."""

from __future__ import annotations

from datetime import timedelta

import click

from chalkgit import thresholds, times
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.render import json
from chalkgit.render.clean import line
from chalkgit.store import journal_care
from chalkgit.store import place as places
from chalkgit.store.place import Place

_JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")


@click.group("journal")
def command() -> None:
    """What was asked, shown and run here, as this machine keeps it: private, bounded, never committed and
    never sent anywhere."""


@command.command("status")
@_JSON
@click.pass_obj
def status(directory: str | None, /, as_json: bool) -> int:
    """Say whether it is on, and how much it holds."""
    found = journal_care.state(places.find(directory))
    since = times.iso(times.of_milliseconds(found.since)) if found.since is not None else None
    if as_json:
        facts = {"state": found.state, "path": found.path, "bytes": found.bytes, "since": since}
        terminal.answer({"version": json.VERSION, **facts, "tables": found.tables})
        return 0
    terminal.out(f"{found.state}: {line(found.path)}")
    if found.tables is None:
        terminal.out("it cannot be read; the next thing to keep puts it aside and begins another")
    for table, rows in (found.tables or {}).items():
        terminal.out(f"  {table:<12} {rows:>8,}")
    if since is not None:
        terminal.out(f"  since {since}, {found.bytes:,} bytes")
    return 0


@command.command("export")
@click.option("--since", metavar="DATE", help="Leave out what is older.")
@click.option("--json", "as_json", is_flag=True, help="One object; a line a row if absent.")
@click.pass_obj
def export(directory: str | None, /, since: str | None, as_json: bool) -> int:
    """Print every row, a JSON object a line with its `table`. Nothing else ever takes it off this machine."""
    begin = times.milliseconds(times.asked(since, "--since")) if since is not None else 0
    found = journal_care.rows(places.find(directory), begin)
    if as_json:
        tables: dict[str, list[object]] = {}
        for table, row in found:
            tables.setdefault(table, []).append(row)
        terminal.answer({"version": json.VERSION, "tables": tables})
        return 0
    for table, row in found:
        terminal.out(json.line({"table": table, **row}))
    return 0


@command.command("prune")
@click.option("--before", metavar="DATE", help="Delete what is older.")
@click.option("--keep", metavar="N", type=click.IntRange(min=0), help="Keep the newest N rows of each table.")
@_JSON
@click.pass_obj
def prune(directory: str | None, /, before: str | None, keep: int | None, as_json: bool) -> int:
    """Delete old rows for good; what experiments found, or a running one needs, stays."""
    if (before is None) == (keep is None):
        day = times.day(times.system_clock() - timedelta(days=thresholds.STALE_DAYS))
        raise ChalkError(
            "what is to go? --before or --keep is needed, one of them",
            hint=f"chalkgit journal prune --before {day}",
        )
    end = times.milliseconds(times.asked(before, "--before")) if before is not None else None
    place = places.find(directory)
    lost = journal_care.prune(place, before=end, keep=keep)
    if as_json:
        terminal.answer({"version": json.VERSION, "pruned": lost})
    elif lost:
        terminal.out("deleted: " + ", ".join(f"{rows:,} of {table}" for table, rows in lost.items()))
    else:
        terminal.out("nothing was that old")
    if not as_json:
        _say_kept(place)
    return 0


def _say_kept(place: Place) -> None:
    """What no pruning deletes: or an A/A run would be forgotten, and a third experiment called the first."""
    found = journal_care.state(place).tables or {}
    if any(found.get(table) for table in journal_care.FOUND):
        rows = ", ".join(f"{found.get(table, 0):,} of {table}" for table in journal_care.FOUND)
        terminal.out(f"kept: {rows}; what experiments found stays, and the runs that a running one stands on")


@command.command("off")
@click.pass_obj
def off(directory: str | None, /) -> int:
    """Keep nothing from now on, in any work tree of this repository; say what remains."""
    place = places.find(directory)
    journal_care.switch(place, on=False)
    found = journal_care.state(place)
    terminal.out("The journal is off: from now on nothing is kept. A ruling may be shown again in one")
    terminal.out("session, loops are not recognised, and no experiment can run.")
    rows = sum(found.tables.values()) if found.tables else 0
    if rows or found.bytes:
        what = f"{rows:,} rows remain" if found.tables is not None else "A file that cannot be read remains"
        terminal.out(f"{what} in {line(found.path)}: chalkgit journal prune --keep 0 deletes them,")
        terminal.out("but for what experiments found; deleting the file deletes all.")
    return 0


@command.command("on")
@click.pass_obj
def on(directory: str | None, /) -> int:
    """Keep what is asked and shown again."""
    place = places.find(directory)
    journal_care.switch(place, on=True)
    terminal.out(f"The journal is on: {line(journal_care.state(place).path)}")
    return 0
