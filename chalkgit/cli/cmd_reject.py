"""`chalkgit reject`: a record is wrong, and is never recalled."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import options, reviewing


@click.command("reject")
@click.argument("record_id", metavar="ID")
@reviewing.because_option
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str, because: str | None, **given: Any) -> int:
    """Reject a record: it is never recalled again, from now on and by anybody's word.

    The file stays, and `show` tells why. `chalkgit approve ID --withdraw` takes that back.
    """
    return reviewing.restricted(directory, record_id, "rejected", because, given)
