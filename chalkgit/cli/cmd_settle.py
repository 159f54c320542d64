"""`chalkgit settle`: the cause is gone."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import options
from chalkgit.cli.writing import Session, done
from chalkgit.errors import ChalkError
from chalkgit.records import fields
from chalkgit.store import writes


@click.command("settle")
@click.argument("record_id", metavar="ID")
@click.option(
    "--by", "commit_name", required=True, metavar="COMMIT", help="The commit that removed the cause."
)
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str, commit_name: str, **given: Any) -> int:
    """Say which commit removed the cause: the ruling is no longer recalled."""
    session = Session(directory)
    record = session.found(record_id)
    if record.kind not in fields.BY_NAME["settled"].kinds:
        raise ChalkError(
            f"a {record.kind} has no cause to settle", hint=f"chalkgit retire {record.id} --because WHY"
        )
    commit = writes.commit_of(session.place, commit_name)
    written = writes.change(session.place, record, {"settled": commit})
    return done(session, written, "settle", given, was=record)
