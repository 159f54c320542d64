"""`chalkgit hooks`: have git, editors and agents run `chalkgit hook`, or not any more."""

from __future__ import annotations

import click

from chalkgit.cli.app import Commands


class Installers(Commands):
    """A file a command: hooks_<name>."""

    names = ("install", "uninstall", "status")
    prefix = "hooks"


@click.command("hooks", cls=Installers)
def command() -> None:
    """Install chalkgit where you work: git, editors, coding agents."""
