"""`chalkgit works`: a procedure."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import times
from chalkgit.answers import nudges
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError


@click.command("works")
@click.argument("route")
@click.option("--mind", metavar="TRAP", help="What goes wrong on the way.")
@options.record_options(options.PROCEDURE)
@click.pass_obj
def command(directory: str | None, /, route: str, mind: str | None, **given: Any) -> int:
    """Record a procedure: ROUTE is known to work, and has this trap."""
    if not mind:
        raise ChalkError(
            "not recorded: --mind is missing, and the trap is what the next one cannot guess",
            hint=command_line("works", route, "--mind", "what goes wrong on the way"),
        )
    session = Session(directory)
    fields = {"kind": options.PROCEDURE, "route": route, "trap": mind}
    before = session.look(lambda index: index)
    record = session.add({**fields, **options.collected(session.place, given)})
    for question in (
        *nudges.questions(record, session.place),
        *nudges.about_others(record, before, times.system_clock()),
    ):
        terminal.tell(question)
    return done(session, record, "works", given)
