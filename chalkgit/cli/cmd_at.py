"""`chalkgit at`: the rulings that name these files."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import asking, moment


@click.command("at")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@moment.options
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], **given: Any) -> int:
    """Show the rulings on these files, newest first, with what has moved since."""
    return asking.at(directory, paths, **given)
