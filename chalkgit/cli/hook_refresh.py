"""`chalkgit hook refresh`: what post-merge, post-checkout and post-rewrite run in the background."""

from __future__ import annotations

import click

from chalkgit.doors import background


@click.command("refresh")
@click.pass_obj
def command(directory: str | None, /) -> int:
    """Bring derived data up to date, and print nothing."""
    return background.refreshed(directory)
