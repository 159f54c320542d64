"""`chalkgit hook save`: the rulings on a file that an editor just saved."""

from __future__ import annotations

import click

from chalkgit.cli import terminal
from chalkgit.doors import save


@click.command("save")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--session", metavar="NAME", help="The editor's session: each ruling is shown once in it.")
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], session: str | None) -> int:
    """Show what is known about these files, a line each: path:line:col: note: text [id]."""
    return save.saved(directory, paths, session=session, out=terminal.show, tell=terminal.tell)
