"""`chalkgit hook`: what git, editors and agents run; people run `chalkgit hooks`."""

from __future__ import annotations

import click

from chalkgit.cli.app import Commands


class Hooks(Commands):
    """A file a hook: hook_<name>."""

    names = ("pre-commit", "pre-merge-commit", "commit-msg", "refresh", "save", "agent")
    prefix = "hook"


@click.command("hook", cls=Hooks)
def command() -> None:
    """Run by git, editors and coding agents; `chalkgit hooks` installs them."""
