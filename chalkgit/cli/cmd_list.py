"""`chalkgit list`: the records of this store."""

from __future__ import annotations

import os

import click

from chalkgit.answers import catalogue, unseen
from chalkgit.cli import asking, listing, moment, terminal
from chalkgit.errors import ChalkError
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
@click.option(
    "--status",
    type=click.Choice(STATES),
    help="Those in this state; one that is rejected and superseded is in both.",
)
@click.option("--file", metavar="PATH", help="Those that name this file.")
@click.option("--tag", metavar="WORD", help="Those with this tag.")
@click.option(
    "--trust",
    type=click.Choice(["unreviewed", "approved", "rejected", "quarantined"]),
    help="Those a person has reviewed so, or not at all.",
)
@click.option("--store", metavar="PATH", help="Those of another store of yours: its root, or its name.")
@moment.options
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
    store: str | None,
    valid_at: str | None,
    known_at: str | None,
    notes: bool,
    as_json: bool,
) -> int:
    """List the records, whatever their state, newest first."""
    if notes and known_at is not None:
        raise ChalkError("working notes have no history: --notes or --known-at", hint="chalkgit list --notes")
    root = listing.store(directory, store) if store is not None else None
    listed = listing.Listed(root or directory, known_at, valid_at)
    # of another store a path is meant from its root
    path = places.path_in(listed.place, file, root or os.path.abspath(directory or ".")) if file else None
    found = listed.look(
        lambda index: catalogue.entries(index, catalogue.records(index, notes=notes), listed.now)
    )
    found = catalogue.chosen(found, kind=kind, status=status, file=path, tag=tag, trust=trust)
    reopened = [entry.record.id for entry in found if unseen.REOPENED in entry.unknown]
    if reopened:
        terminal.tell(unseen.note(listed.place, reopened))
    if as_json:
        from chalkgit.render import json

        rows = [json.entry(e) for e in found]
        terminal.answer({"version": json.VERSION, "records": rows, "as_of": json.as_of(listed.as_of)})
    else:
        from chalkgit.render import records as rendered

        asking.say_moment(listed.as_of)
        terminal.out(rendered.table(found, terminal.style()))
    return 0
