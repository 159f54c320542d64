"""`chalkgit list`: the records of this store."""

from __future__ import annotations

import os

import click

from chalkgit import times
from chalkgit.answers import catalogue
from chalkgit.cli import terminal
from chalkgit.cli.writing import Session
from chalkgit.records import fields
from chalkgit.store import place as places

STATES = (
    "active",
    "open",
    "superseded",
    "retired",
    "settled",
    "rejected",
    "quarantined",
    "expired",
    "not valid yet",
)


@click.command("list")
@click.option("--kind", type=click.Choice(fields.KINDS), help="Those of this kind.")
@click.option("--status", type=click.Choice(STATES), help="Those in this state.")
@click.option("--file", metavar="PATH", help="Those that name this file.")
@click.option("--tag", metavar="WORD", help="Those with this tag.")
@click.option(
    "--trust",
    type=click.Choice(["unreviewed", "rejected", "quarantined"]),
    help="Those a person has reviewed so, or not at all.",
)
@click.option("--notes", is_flag=True, help="The working notes of this machine instead.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(
    directory: str | None,
    /,
    kind: str | None,
    status: str | None,
    file: str | None,
    tag: str | None,
    trust: str | None,
    notes: bool,
    as_json: bool,
) -> int:
    """List the records, whatever their state, newest first."""
    session = Session(directory)
    session.tell_problems()
    path = places.path_in(session.place, file, os.path.abspath(directory or ".")) if file else None
    records = session.notes() if notes else session.records()
    now = times.system_clock()
    found = session.look(lambda index: catalogue.entries(index, list(records.values()), now))
    found = catalogue.chosen(found, kind=kind, status=status, file=path, tag=tag, trust=trust)
    if as_json:
        from chalkgit.render import json

        terminal.out(json.text({"version": json.VERSION, "records": [json.entry(e) for e in found]}))
    else:
        from chalkgit.render import records as rendered

        terminal.out(rendered.table(found, terminal.style()))
    return 0
