"""`chalkgit quarantine`: a record is put aside until somebody has looked at it."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import options, reviewing


@click.command("quarantine")
@click.argument("record_id", metavar="ID")
@reviewing.because_option
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str, because: str | None, **given: Any) -> int:
    """Put a record aside: it is not recalled until somebody has looked at it.

    The file stays, and `show` tells why. `chalkgit approve ID --withdraw` takes that back.
    """
    return reviewing.restricted(directory, record_id, "quarantined", because, given)
