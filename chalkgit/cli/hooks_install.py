"""`chalkgit hooks install`: git's hooks, an editor's or an agent's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from chalkgit.cli import terminal
from chalkgit.errors import ChalkError
from chalkgit.store import place as places
from chalkgit.store.place import Place

if TYPE_CHECKING:
    from chalkgit.doors.setup.git import Outcome


@click.command("install")
@click.option("--editor", metavar="NAME", help="Print the settings for this editor instead.")
@click.option("--write", is_flag=True, help="With --editor: write them where they can be written.")
@click.option("--agent", metavar="NAME", help="Merge into this coding agent's settings instead.")
@click.pass_obj
def command(directory: str | None, /, editor: str | None, write: bool, agent: str | None) -> int:
    """Have git show rulings as you commit. What is there is kept, and run."""
    if write and editor is None:
        raise ChalkError(
            "--write is for an editor's settings", hint="chalkgit hooks install --editor NAME --write"
        )
    if editor is None and agent is None:
        from chalkgit.doors.setup import drivers, git

        place = places.find(directory)
        outcome = git.install(place)
        drivers.install(place, outcome)
        code = told(outcome)
        _tell_empty(place)
        return code
    if editor is not None:
        _editor(directory, editor, write)
    if agent is not None:
        _agent(directory, agent)
    return 0


def _editor(directory: str | None, name: str, write: bool) -> None:
    from chalkgit.doors.setup import editors

    # a file of the user's own needs no repository
    for said in editors.install(None if editors.own(name) else places.find(directory), name, write):
        terminal.out(said)
    _tell_lacks(editors.lacks(name))


def _agent(directory: str | None, name: str) -> None:
    from chalkgit.doors.setup import agents, here

    name = agents.known(name)
    place = places.find(directory)
    for said in agents.install(place, name):
        terminal.out(said)
    lack = here.off_path()
    _tell_lacks([lack] if lack is not None else [])
    _tell_empty(place)


def _tell_lacks(lacks: list[tuple[str, str]]) -> None:
    for what, hint in lacks:
        terminal.tell(f"{what} (hint: {hint})")


def _tell_empty(place: Place) -> None:
    if not os.path.isdir(place.lessons):
        terminal.tell("no .lessons/ here yet, so there is nothing to show (hint: chalkgit init)")


def told(outcome: Outcome) -> int:
    """Print what was done; 2 where something is left for the user to do, which stderr says."""
    for said in outcome.done:
        terminal.out(said)
    terminal.finish()
    for said in outcome.left:
        terminal.tell(said)
    return 2 if outcome.left else 0
