"""`chalkgit export`: records as JSON rows that `import` reads."""

from __future__ import annotations

import sys

import click

from chalkgit.answers import catalogue
from chalkgit.answers.stored import superseded
from chalkgit.cli import listing, moment, terminal
from chalkgit.records.status import excluded


@click.command("export")
@click.option(
    "--all", "everything", is_flag=True, help="Also what may not be recalled: retired, open, expired …"
)
@click.option("--oneline", is_flag=True, help="Dead ends alone, in the one-line form.")
@moment.options
@click.pass_obj
def command(
    directory: str | None,
    /,
    everything: bool,
    oneline: bool,
    valid_at: str | None,
    known_at: str | None,
) -> int:
    """Write the records to standard output, one JSON row each."""
    from chalkgit.records import oneline as form
    from chalkgit.render import as_of, clean, json

    listed = listing.Listed(directory, known_at, valid_at)
    if listed.as_of is not None:
        # what is on stdout is data
        terminal.tell(as_of.sentence(listed.as_of))
    replaced = listed.look(superseded)
    for record in listed.look(catalogue.records):
        if not everything and excluded(record, now=listed.now, superseded=replaced) is not None:
            continue
        if not oneline:
            terminal.out(json.line(record.fields))
        elif record.kind == "dead-end":
            row = form.write(record.fields)
            terminal.out(clean.line(row) if sys.stdout.isatty() else row)
    return 0
