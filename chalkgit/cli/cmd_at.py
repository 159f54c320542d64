"""`chalkgit at`: the rulings that name these files."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import asking


@click.command("at")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--valid-at", metavar="DATE", help="What held in the world then.")
@click.option("--known-at", metavar="REV|DATE", help="What this repository knew then.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, paths: tuple[str, ...], **given: Any) -> int:
    """Show the rulings on these files, newest first, with what has moved since."""
    return asking.at(directory, paths, **given)
