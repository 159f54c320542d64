"""`chalkgit hook pre-commit`: the rulings on the staged paths."""

from __future__ import annotations

import click

from chalkgit.cli import terminal
from chalkgit.doors import commit


@click.command("pre-commit")
@click.pass_obj
def command(directory: str | None, /) -> int:
    """Show the rulings on what is staged; 1 where a staged record cannot be read."""
    return commit.commit(directory, out=terminal.show, tell=terminal.tell)
