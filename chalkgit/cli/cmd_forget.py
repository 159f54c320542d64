"""`chalkgit forget`: the one command that erases."""

from __future__ import annotations

import os
import sys

import click

from chalkgit import ids
from chalkgit.cli import asking, terminal
from chalkgit.cli.writing import Session, command_line
from chalkgit.errors import ChalkError
from chalkgit.store import erasing
from chalkgit.store import place as places
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.forgetting import Traces


@click.command("forget")
@click.argument("record_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Erase it without asking.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, record_id: str, yes: bool, as_json: bool) -> int:
    """Erase a record or working note on this machine: file, index, vectors, journal, in all work trees.

    Nothing is committed, and history keeps what it has: how that is rewritten is said. To withdraw a record
    and keep the reason, use `chalkgit retire`. With all eight characters of the id it also erases what is
    left of a record whose file is gone.
    """
    from chalkgit.answers import forgetting
    from chalkgit.render import forget, json

    place = places.find(directory)
    found = forgetting.traces(place, _id(place, directory, record_id))
    if found:
        for row in forget.question(found, asked=not yes):
            terminal.say(row)
        if not (yes or _agreed(found)):
            terminal.say("Nothing was erased.")
            return 2
    unbuilt = forgetting.erase(found, asking.progress("indexing"))
    uncommitted = erasing.in_head(place, [path for path in found.paths if _gone(place, path)])
    if as_json:
        answer = forget.as_json(found, unbuilt, uncommitted)
        terminal.answer({"version": json.VERSION, **answer})
    else:
        terminal.out(forget.done(found, unbuilt, uncommitted, asked=bool(found) and not yes))
    return 0


def _id(place: Place, directory: str | None, prefix: str) -> str:
    """The id that is meant: a whole one needs no record, for its traces may be all there is."""
    whole = prefix.strip().lower()
    if ids.is_id(whole):
        return whole
    place.require_store()
    try:
        return Session(directory).found(prefix, notes=None).id
    except ChalkError as error:
        if "no record has the id" in error.message:
            error.hint = "give all eight characters, where its file is gone already"
        elif error.where is not None:  # the file cannot be read
            error.hint = f"give all eight characters to erase it as it is, or {error.hint}"
        raise


def _agreed(found: Traces) -> bool:
    """What the person says; ChalkError where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        raise ChalkError(
            "nobody can be asked here, so nothing was erased",
            hint=f"read what it is, then {command_line('forget', found.id, '--yes')}",
        )
    terminal.say("Erase it? This cannot be taken back. [y/N]", end=" ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _gone(place: Place, path: str) -> bool:
    return not os.path.lexists(os.path.join(place.root, path))
