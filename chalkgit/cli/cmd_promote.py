"""`chalkgit promote`: a working note becomes a record."""

from __future__ import annotations

import os
from typing import Any

import click

from chalkgit import times
from chalkgit.answers import nudges
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, done
from chalkgit.store import worktree, writes


@click.command("promote")
@click.argument("note")
@click.option("--because", metavar="WHY", help="What happened, where the note does not say it apart.")
@options.record_options(options.DEAD_END)
@click.pass_obj
def command(directory: str | None, /, note: str, because: str | None, **given: Any) -> int:
    """Make a dead end of a working note. It keeps its id; the note is gone once the record is written."""
    session = Session(directory)
    found = session.found(note, notes=True)
    fields = {
        **found.fields,
        **options.collected(
            session.place, {**given, "valid_from": given["valid_from"] or found.text("valid-from")}
        ),
    }
    if found.get("by"):
        fields["by"] = found.get("by")
    if because:
        fields["observation"] = because
    before = session.look(lambda index: index)
    record = writes.put(session.place, found.changed(fields).at(""))
    os.unlink(worktree.file_of(session.place, found.path))
    for question in (
        *nudges.questions(record, session.place),
        *nudges.about_others(record, before, times.system_clock()),
    ):
        terminal.tell(question)
    return done(session, record, "promote", given)
