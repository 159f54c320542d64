"""`chalkgit supersede`: one record replaces another."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, done
from chalkgit.errors import ChalkError
from chalkgit.store import writes


@click.command("supersede")
@click.argument("old", metavar="OLD")
@click.option("--by", "new", required=True, metavar="NEW", help="The record that replaces it.")
@options.git_options
@click.pass_obj
def command(directory: str | None, /, old: str, new: str, **given: Any) -> int:
    """Replace OLD by NEW. Written into NEW, and in effect once NEW is committed."""
    session = Session(directory)
    replaced, successor = session.found(old), session.found(new)
    if replaced.id == successor.id:
        raise ChalkError(f"{replaced.id} cannot supersede itself")
    if successor.id in replaced.items("supersedes"):
        raise ChalkError(
            f"{replaced.id} supersedes {successor.id} already", hint=f"chalkgit show {replaced.id}"
        )
    ids = list(dict.fromkeys([*successor.items("supersedes"), replaced.id]))
    written = writes.change(session.place, successor, {"supersedes": ids})
    if not given["commit"]:
        terminal.tell(f"{replaced.id} stands until {written.path} is committed")
    return done(session, written, "supersede", given)
