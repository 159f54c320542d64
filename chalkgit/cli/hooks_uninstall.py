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
    place = places.find(directory)
    if editor is None and agent is None:
        from chalkgit.doors.setup import git

        return told(git.uninstall(place))
    lines: list[str] = []
    if editor is not None:
        from chalkgit.doors.setup import editors

        lines += editors.uninstall(place, editor)
    if agent is not None:
        from chalkgit.doors.setup import agents

        lines += agents.uninstall(place, agent)
    for said in lines:
        terminal.out(said)
    return 0
