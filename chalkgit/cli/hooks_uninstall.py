"""`chalkgit hooks uninstall`: everything as it was found."""

from __future__ import annotations

import click

from chalkgit.cli import terminal
from chalkgit.cli.hooks_install import told
from chalkgit.store import place as places


@click.command("uninstall")
@click.option("--editor", metavar="NAME", help="Remove what was written for this editor instead.")
@click.option("--agent", metavar="NAME", help="Take chalkgit out of this coding agent's settings instead.")
@click.pass_obj
def command(directory: str | None, /, editor: str | None, agent: str | None) -> int:
    """Take the git hooks away again, and put back what was there."""
    if editor is None and agent is None:
        from chalkgit.doors.setup import drivers, git

        place = places.find(directory)
        outcome = git.uninstall(place)
        drivers.uninstall(place, outcome)
        return told(outcome)
    lines: list[str] = []
    if editor is not None:
        from chalkgit.doors.setup import editors

        # a file of the user's own needs no repository
        lines += editors.uninstall(None if editors.own(editor) else places.find(directory), editor)
    if agent is not None:
        from chalkgit.doors.setup import agents

        lines += agents.uninstall(places.find(directory), agents.known(agent))
    for said in lines:
        terminal.out(said)
    return 0
