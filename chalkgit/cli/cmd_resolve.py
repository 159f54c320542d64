"""`chalkgit resolve`: an open lesson is closed by what a person says fixed it."""

from __future__ import annotations

import sys
from typing import Any

import click

from chalkgit import times
from chalkgit.answers import distil, resolving
from chalkgit.cli import failed, options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.records import fields
from chalkgit.records.record import Record, title


@click.command("resolve")
@click.argument("record_id", metavar="[ID]", required=False)
@click.option("--ticket", metavar="T", help="Without an ID: the newest open lesson of this ticket.")
@click.option("--note", metavar="NOTE", help="What fixed it, and why.")
@click.option(
    "--rule", metavar="RULE", help="“When S, do Y, because Z”; the note if absent, or a distilled one."
)
@click.option(
    "--scope", type=click.Choice(fields.LESSON_SCOPES), help="How far it holds; anywhere if absent."
)
@click.option("--by", metavar="NAME", help="Who resolved it; git's user.name if absent.")
@click.option("--agent", metavar="NAME", help="The program that did, where one did.")
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str | None, ticket: str | None, **given: Any) -> int:
    """Close an open lesson, the newest without an ID: from now on recall brings it back.

    Where your settings name a distiller, it drafts the rule from failure, note and diff, and the rule is
    labelled as distilled; the note is the rule where that fails. A --rule is taken as it is. What says
    nothing (“flaky”, “fixed”, “ok”) is refused, and what names a symptom and no fix is asked about.
    """
    session, ticket = Session(directory), failed.ticket(ticket)
    record = _chosen(session, record_id, ticket)
    if record_id is None:
        terminal.tell(f"the newest open lesson: {title(record)}")
    note, rule = given["note"], given["rule"]
    if note is None:
        raise ChalkError(
            "not resolved: --note is missing, and what fixed it is all that the next one needs",
            hint=command_line("resolve", record.id, "--note", "When S, do Y, because Z"),
        )
    resolving.must_say_something(note, record, rule=rule is None)
    if rule is not None:
        resolving.must_say_something(rule, record, "rule")
        rule = rule.strip()
    note = note.strip()
    by = options.collected(session.place, given).get("by")
    drafted = None if rule is not None else draft(session, record, note)
    for asked in _questions(record, note, rule if rule is not None else drafted.rule if drafted else None):
        terminal.tell(asked)
    closed = resolving.close(
        session.place, record, note, by=by, rule=rule, scope=given["scope"], drafted=drafted
    )
    if drafted is not None:
        terminal.tell(distilled(closed))
    return done(session, closed, "resolve", given, was=record)


def draft(session: Session, record: Record, note: str) -> distil.Draft | None:
    """The distiller's rule; whoever waits for it at a terminal is told so."""

    def waiting(name: str) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            terminal.tell(f"{name} drafts the rule …")

    return resolving.draft(session.place, record, note, terminal.tell, waiting)


def distilled(record: Record) -> str:
    """The rule that nobody wrote, for whoever answers for it."""
    mend = command_line("correct", record.id, "--lesson", "…")
    by, rule = record.get(resolving.DISTILLED), record.get("lesson")
    return f"the rule, distilled by {by}: “{rule}”; {mend} changes it"


def _chosen(session: Session, record_id: str | None, ticket: str | None) -> Record:
    if record_id is None:
        session.tell_problems()
        records = list(session.records().values())
        now = times.system_clock()
        found = session.look(lambda index: resolving.opened(index, records, now, ticket))
        return resolving.newest(found, ticket)
    record = session.found(record_id)
    resolving.must_be_open(record)
    own = record.part("failure", "ticket")
    if ticket is not None and (own or "").casefold() != ticket.casefold():
        said = f"of ticket {own}" if own else "of no ticket"
        raise ChalkError(f"{record.id} is {said}, not of {ticket}", hint=f"chalkgit show {record.id}")
    return record


def _questions(record: Record, note: str, rule: str | None) -> list[str]:
    """What is asked about the texts that are about to be stored; nothing of it refuses them."""
    what, text = ("note", note) if rule is None else ("rule", rule)
    asked = resolving.question(text, record, what)
    mend = command_line("correct", record.id, "--lesson", "When S, do Y, because Z")
    found = [f"{asked}: {mend}"] if asked else []
    if resolving.leaks(note) or (rule and resolving.leaks(rule)):
        found.append(f"the {what} holds what looks like a secret, and records are committed: is it one?")
    return found
