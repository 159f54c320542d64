"""`chalkgit hook commit-msg`: what has to be acknowledged, and the message as a proposal."""

from __future__ import annotations

import click

from chalkgit.cli import terminal
from chalkgit.doors import message


@click.command("commit-msg")
@click.argument("file", metavar="FILE")
@click.pass_obj
def command(directory: str | None, /, file: str) -> int:
    """Ask for the trailers `Lesson: <id>` that hooks.block wants; 1 where one is missing."""
    return message.message(directory, file, out=terminal.show, tell=terminal.tell)
