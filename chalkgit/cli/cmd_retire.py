"""`chalkgit retire`: a record is withdrawn; its file stays, as the tombstone."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import times
from chalkgit.cli import options
from chalkgit.cli.writing import Session, done, refuse_git
from chalkgit.errors import ChalkError
from chalkgit.store import writes


@click.command("retire")
@click.argument("record_id", metavar="ID")
@click.option("--because", metavar="WHY", help="Why it is withdrawn.")
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str, because: str | None, **given: Any) -> int:
    """Withdraw a record (or a working note): it is never recalled again, and says why where asked by id."""
    session = Session(directory)
    record = session.found(record_id, notes=None)
    refuse_git(record, given)
    if record.get("retired") is not None:
        raise ChalkError(f"{record.id} is retired already", hint=f"chalkgit show {record.id}")
    if not because:
        raise ChalkError(
            "not retired: --because is missing, and whoever finds the tombstone will ask",
            hint=f'chalkgit retire {record.id} --because "why it does not hold any more"',
        )
    changes = {"retired": {"because": because, "on": times.day(times.system_clock())}}
    written = writes.change(session.place, record, changes)
    return done(session, written, "retire", given, was=record)
