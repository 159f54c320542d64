"""`chalkgit hooks install`: git's hooks, an editor's or an agent's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from chalkgit.cli import terminal
from chalkgit.store import place as places

if TYPE_CHECKING:
    from chalkgit.doors.setup.git import Outcome


@click.command("install")
@click.option("--editor", metavar="NAME", help="Print the settings for this editor instead.")
@click.option("--write", is_flag=True, help="With --editor: write them where they can be written.")
@click.option("--agent", metavar="NAME", help="Merge into this coding agent's settings instead.")
@click.pass_obj
def command(directory: str | None, /, editor: str | None, write: bool, agent: str | None) -> int:
    """Have git show rulings as you commit. What is there is kept, and run."""
    place = places.find(directory)
    if editor is None and agent is None:
        from chalkgit.doors.setup import git

        code = told(git.install(place))
        if not os.path.isdir(place.lessons):
            terminal.tell("no .lessons/ here yet, so there is nothing to show (hint: chalkgit init)")
        return code
    lines: list[str] = []
    if editor is not None:
        from chalkgit.doors.setup import editors

        lines += editors.install(place, editor, write)
    if agent is not None:
        from chalkgit.doors.setup import agents

        lines += agents.install(place, agent)
    for said in lines:
        terminal.out(said)
    return 0


def told(outcome: Outcome) -> int:
    """Print what was done; 2 where something is left for the user to do, which stderr says."""
    for said in outcome.done:
        terminal.out(said)
    terminal.finish()
    for said in outcome.left:
        terminal.tell(said)
    return 2 if outcome.left else 0
