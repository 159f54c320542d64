"""`chalkgit tried`: a dead end."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import times
from chalkgit.answers import nudges, twins
from chalkgit.cli import asking, options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.records import fields, oneline


@click.command("tried")
@click.argument("route")
@click.option("--because", metavar="WHY", help="What happened, and why that rules it out.")
@options.record_options(options.DEAD_END)
@click.pass_obj
def command(directory: str | None, /, route: str, because: str | None, **given: Any) -> int:
    """Record a dead end: ROUTE, in the words one would propose it in, and why it did not work.

    ROUTE may also be one line, "route: … | observation: … | layer: …".
    """
    written = {"route": route, "observation": because} if because else _typed(route)
    if not written.get("observation"):
        asking.check(directory, route, as_json=given["as_json"])
        raise ChalkError(
            "not recorded: --because is missing, and a dead end without its reason convinces nobody",
            hint=command_line("tried", route, "--because", "what happened, and why that rules it out"),
        )
    session = Session(directory)
    values = {"kind": options.DEAD_END, **written, **options.collected(session.place, given)}
    now = times.system_clock()
    twin = session.look(lambda index: twins.of(index, str(written["route"]), now))
    before = session.look(lambda index: index)
    record = session.add(values)
    for question in nudges.questions(record, session.place):
        terminal.tell(question)
    if twin is None:
        for question in nudges.about_others(record, before, now):
            terminal.tell(question)
    else:
        terminal.tell(
            f"{twin.id} says nearly the same: chalkgit show {twin.id}, "
            f"or chalkgit supersede {twin.id} --by {record.id}"
        )
    return done(session, record, "tried", given)


def _typed(line: str) -> dict[str, Any]:
    """The fields of one line; a word outside its enumeration is dropped on reading, and refused here."""
    read = oneline.parse(line)
    for segment in line.split(" | ") if read.get("observation") else ():
        name, _, word = (part.strip() for part in segment.partition(":"))
        field = fields.BY_NAME.get(name.lower())
        words = field.words.get(options.DEAD_END, ()) if field and field.name in oneline.KEYS else ()
        if words and word not in words:
            raise ChalkError(
                f"“{word}” is no {name.lower()}: one of {', '.join(words)}", hint="chalkgit tried --help"
            )
    return read
