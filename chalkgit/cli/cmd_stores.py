"""`chalkgit stores`: the other repositories of this machine that are asked."""

from __future__ import annotations

import click

from chalkgit.cli import app, terminal
from chalkgit.render.clean import line
from chalkgit.store import stores


@click.group("stores")
def command() -> None:
    """The repositories of this machine whose records are asked too."""


@command.command("add")
@click.argument("path")
@click.pass_obj
def add(directory: str | None, /, path: str) -> int:
    """Add the repository at PATH, which has a .lessons/."""
    terminal.out(line(stores.add(app.absolute(directory, path))))
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def listed(as_json: bool) -> int:
    """List them."""
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, "stores": stores.roots()})
    else:
        for root in stores.roots():
            terminal.out(line(root))
    return 0


@command.command("remove")
@click.argument("path")
@click.pass_obj
def remove(directory: str | None, /, path: str) -> int:
    """Ask the repository at PATH no more; nothing in it is touched."""
    terminal.out(line(stores.remove(app.absolute(directory, path))))
    return 0
