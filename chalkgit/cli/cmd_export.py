"""`chalkgit export`: records as JSON rows that `import` reads."""

from __future__ import annotations

import sys

import click

from chalkgit import times
from chalkgit.answers.stored import superseded
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session
from chalkgit.records.status import excluded


@click.command("export")
@click.option(
    "--all", "everything", is_flag=True, help="Also what may not be recalled: retired, open, expired …"
)
@click.option("--oneline", is_flag=True, help="Dead ends alone, in the one-line form.")
@click.pass_obj
def command(directory: str | None, /, everything: bool, oneline: bool) -> int:
    """Write the records to standard output, one JSON row each."""
    from chalkgit.records import oneline as form
    from chalkgit.render import clean, json

    session = Session(directory)
    session.tell_problems()
    replaced, now = session.look(superseded), times.system_clock()
    for record in session.records().values():
        if not everything and excluded(record, now=now, superseded=replaced) is not None:
            continue
        if not oneline:
            terminal.out(json.line(record.fields))
        elif record.kind == "dead-end":
            row = form.write(record.fields)
            terminal.out(clean.line(row) if sys.stdout.isatty() else row)
    return 0
