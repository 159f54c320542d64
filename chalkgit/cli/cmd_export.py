"""`chalkgit export`: records as JSON rows that `import` reads."""

from __future__ import annotations

import click

from chalkgit import times
from chalkgit.answers.sources import superseded
from chalkgit.cli import asking, terminal
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
    from chalkgit.render import json

    session = Session(directory)
    asking.tell_problems(session.index)
    replaced, now = superseded(session.index), times.system_clock()
    for record in session.records().values():
        if not everything and excluded(record, now=now, superseded=replaced) is not None:
            continue
        if not oneline:
            terminal.out(json.line(record.fields))
        elif record.kind == "dead-end":
            terminal.out(form.write(record.fields))
    return 0
