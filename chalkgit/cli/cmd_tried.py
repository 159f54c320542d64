"""`chalkgit tried`: a dead end."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.answers import nudges, twins
from chalkgit.cli import asking, options, terminal
from chalkgit.cli.writing import Session, done
from chalkgit.errors import ChalkError
from chalkgit.records import oneline


@click.command("tried")
@click.argument("route")
@click.option("--because", metavar="WHY", help="What happened, and why that rules it out.")
@options.record_options(options.DEAD_END)
@click.pass_obj
def command(directory: str | None, /, route: str, because: str | None, **given: Any) -> int:
    """Record a dead end: ROUTE, in the words one would propose it in, and why it did not work.

    ROUTE may also be one line, "route: … | observation: … | layer: …".
    """
    written = {"route": route, "observation": because} if because else oneline.parse(route)
    if not written.get("observation"):
        asking.check(directory, route, as_json=given["as_json"])
        raise ChalkError(
            "not recorded: --because is missing, and a dead end without its reason convinces nobody",
            hint=f'chalkgit tried "{route}" --because "what happened, and why that rules it out"',
        )
    session = Session(directory)
    fields = {"kind": options.DEAD_END, **written, **options.collected(session.place, given)}
    twin = twins.of(session.index, str(written["route"]))
    record = session.add(fields)
    for question in nudges.questions(record):
        terminal.tell(question)
    if twin is not None:
        terminal.tell(
            f"{twin.id} says nearly the same: chalkgit show {twin.id}, "
            f"or chalkgit supersede {twin.id} --by {record.id}"
        )
    return done(session, record, "tried", given)
