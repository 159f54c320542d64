"""`chalkgit approve`: a person vouches for a record's exact content."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.cli import options, reviewing, terminal
from chalkgit.cli.writing import Session
from chalkgit.errors import ChalkError
from chalkgit.store import approvals


@click.command("approve")
@click.argument("record_id", metavar="ID")
@click.option("--because", metavar="WHY", help="What it was checked against.")
@click.option("--withdraw", is_flag=True, help="Take the review away, whatever it says.")
@options.git_options
@click.pass_obj
def command(
    directory: str | None, /, record_id: str, because: str | None, withdraw: bool, **given: Any
) -> int:
    """Approve a record as it stands: any later edit makes it unreviewed again.

    It counts once you have committed it, and you are among the reviewers in .lessons/config.yaml as it was
    before. An agent cannot approve; nor can whoever committed an agent's record, unless the commit is signed.
    """
    session = Session(directory)
    record = session.found(record_id)
    reviewing.refuse_agent("approve")
    if withdraw:
        return reviewing.withdrawn(session, record, given)
    judge = approvals.Judge(session.place)
    if judge.of(record).state == approvals.APPROVED:
        raise ChalkError(f"{record.id} is approved already, as it stands", hint=f"chalkgit show {record.id}")
    reviewing.committed(session.place, record)
    if judge.trouble:
        terminal.tell(judge.trouble)
    seen = judge.refuses_person(record, *reviewing.person(session.place), commits=bool(given["commit"]))
    if seen.why is not None:
        raise ChalkError(f"not approved: {seen.why}", hint=seen.hint)
    signing = seen.signed and not seen.signs
    return reviewing.reviewed(session, record, "approved", because, given, signing=signing)
