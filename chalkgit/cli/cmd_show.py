"""`chalkgit show`: one record with its history."""

from __future__ import annotations

import click

from chalkgit import times
from chalkgit.answers import catalogue
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session
from chalkgit.store import history, worktree


@click.command("show")
@click.argument("record_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, record_id: str, as_json: bool) -> int:
    """Show one record or working note, whatever its state, and the commits that changed it."""
    session = Session(directory)
    record = session.found(record_id, notes=None)
    now = times.system_clock()
    entry = session.look(lambda index: catalogue.entries(index, [record], now))[0]
    is_note = record.path.startswith(worktree.NOTES + "/")
    versions = [] if is_note else history.versions(session.place, record.path)
    if as_json:
        from chalkgit.render import json

        row = {**json.entry(entry), "versions": versions}
        terminal.out(json.text({"version": json.VERSION, "records": [row]}))
    else:
        from chalkgit.render import records

        terminal.out(records.one(entry, versions, terminal.style()))
    return 0
