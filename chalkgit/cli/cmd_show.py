"""`chalkgit show`: one record with its history."""

from __future__ import annotations

import click

from chalkgit import times
from chalkgit.answers import catalogue
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session
from chalkgit.store import history


@click.command("show")
@click.argument("record_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, record_id: str, as_json: bool) -> int:
    """Show one record, whatever its state, and the commits that changed it."""
    session = Session(directory)
    record = session.found(record_id)
    entry = catalogue.entries(session.index, [record], times.system_clock())[0]
    versions = history.versions(session.place, record.path)
    if as_json:
        from chalkgit.render import json

        row = {**json.entry(entry), "versions": versions}
        terminal.out(json.text({"version": json.VERSION, "records": [row]}))
    else:
        from chalkgit.render import records

        terminal.out(records.one(entry, versions, terminal.style()))
    return 0
