"""`chalkgit hook agent`: what coding agents run at their events."""

from __future__ import annotations

import sys

import click

from chalkgit.cli import hook_agent_answer, terminal
from chalkgit.doors import agent


# An argument of a newer version, in settings that a team shares, must not read as a refused edit.
@click.command("agent", context_settings={"ignore_unknown_options": True})
@click.option("--client", metavar="NAME", help="claude-code, codex, gemini-cli, opencode or cursor.")
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="")
@click.pass_obj
def command(directory: str | None, /, client: str | None, more: tuple[str, ...]) -> int:
    """Read an agent's event as JSON on standard input; print what its model should know, as its context.

    Exits 0 whatever happens. Without --client the client is told by the event.
    """
    for word in more:
        terminal.tell(f"“{word}” means nothing to this version, and is passed over")
    if sys.stdin.isatty():
        terminal.tell("an agent's event is read from standard input, as JSON")
    ahead = agent.begun(directory)
    return hook_agent_answer.answered(agent.read(sys.stdin.buffer), client, directory, ahead)
