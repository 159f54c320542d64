"""`chalkgit supersede`: one record replaces another."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import times
from chalkgit.answers.stored import superseded
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, done
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import writes


@click.command("supersede")
@click.argument("old", metavar="OLD")
@click.option("--by", "new", required=True, metavar="NEW", help="The record that replaces it.")
@options.git_options
@click.pass_obj
def command(directory: str | None, /, old: str, new: str, **given: Any) -> int:
    """Replace OLD by NEW. Written into NEW, and in effect once NEW is committed."""
    session = Session(directory)
    replaced, successor = session.found(old), session.found(new)
    if replaced.id == successor.id:
        raise ChalkError(
            f"{replaced.id} cannot supersede itself", hint=f"chalkgit retire {replaced.id} --because WHY"
        )
    if _replaces(session, replaced, successor):
        raise ChalkError(
            f"that would close a circle: {replaced.id} stands in place of {successor.id} already",
            hint=f"chalkgit show {replaced.id}",
        )
    now = times.system_clock()
    why = excluded(successor, now=now, superseded=session.look(superseded))
    if why is not None:
        raise ChalkError(
            f"{successor.id} is {why}: with it in its place, nothing would be recalled",
            hint=f"chalkgit retire {replaced.id} --because WHY",
        )
    ids = list(dict.fromkeys([*successor.items("supersedes"), replaced.id]))
    written = writes.change(session.place, successor, {"supersedes": ids})
    if not given["commit"]:
        terminal.tell(f"{replaced.id} stands until {written.path} is committed")
    return done(session, written, "supersede", given, was=successor)


def _replaces(session: Session, newer: Record, older: Record) -> bool:
    """Whether `newer` supersedes `older`, directly or through others."""
    by_id = {record.id: record for record in session.records().values()}
    seen, ahead = set(), [newer.id]
    while ahead:
        at = ahead.pop()
        if at not in seen and at in by_id:
            seen.add(at)
            ahead += by_id[at].items("supersedes")
    return older.id in seen
