"""`chalkgit detain`: an open lesson from a failed run."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import config
from chalkgit.answers import recalling, repair
from chalkgit.answers.recall import Recalled
from chalkgit.answers.tracked import Tracked
from chalkgit.cli import failed, failing, looping, options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.doors import recalled
from chalkgit.errors import ChalkError
from chalkgit.failures.reading import Run
from chalkgit.records.record import Record, is_open
from chalkgit.render import lessons as rendered


@click.command("detain")
@failing.options(root=True)
@click.option("--ticket", metavar="T", help="The task the run was for.")
@click.option("--reason", metavar="R", help="Why it failed, in one line, as far as one knows.")
@options.record_options(options.LESSON)
@click.pass_obj
def command(directory: str | None, /, ticket: str | None, reason: str | None, **given: Any) -> int:
    """Write down a failed run as an open lesson. It is recalled once somebody resolves it.

    The same failure of the same ticket is detained once.
    """
    session, ticket = Session(directory), failed.ticket(ticket)
    run = failing.run(directory, given, session.place.root)
    failure = _failure(run, ticket, reason)
    assert run is not None
    tracked = looping.tracked(session.place, run, ticket, directory, given, surface="detain")
    _tell_resolved(_resolved(session, run), tracked)
    fields = {"kind": options.LESSON, "failure": failure, **options.collected(session.place, given)}
    known: list[Record] = []
    record = session.add(fields, lambda: _known(session, failure, known))
    if known:
        terminal.tell(f"detained already, by {record.path}")
        given = {**given, "stage": False, "commit": False}
    return _said(session, record, given)


def _failure(run: Run | None, ticket: str | None, reason: str | None) -> dict[str, Any]:
    if run is None:
        raise ChalkError(
            "not recorded: which run failed? --report or --output is needed",
            hint="chalkgit detain --output FILE --exit-code N",
        )
    if run.exit_code == 0 and not run.tests:
        raise ChalkError(
            "not recorded: this run did not fail, it ended with 0 and no test of it failed",
            hint="chalkgit detain --output FILE --exit-code N",
        )
    failure = failed.failure(run, ticket=ticket, reason=reason)
    if not set(failure) & {"tests", "error", "output", "reason"}:
        raise ChalkError(
            "not recorded: it names no failing test and no error, and a lesson comes back by these",
            hint=command_line("detain", "--output", "FILE", "--reason", "what went wrong"),
        )
    if run.fingerprint is None:
        terminal.tell(f"it has no fingerprint: {run.why}; was what it printed to stderr kept (2>&1)?")
    return failure


def _known(session: Session, failure: dict[str, Any], known: list[Record]) -> Record | None:
    """The open lesson of the same failure and ticket, if there is one; it is put into `known` too."""
    if failure.get("fingerprint") is None:
        return None
    same = [
        record
        for record in session.records().values()
        if is_open(record)
        and record.get("retired") is None
        and record.part("failure", "fingerprint") == failure["fingerprint"]
        and record.part("failure", "ticket") == failure.get("ticket")
    ]
    known += sorted(same, key=lambda record: record.id)[:1]
    return known[0] if known else None


def _resolved(session: Session, run: Run) -> Recalled:
    """The lessons of the same failure, as `recall` would show them; none where that is switched off."""
    if run.fingerprint is not None and not config.bypassed("RECALL"):
        try:
            return repair.once(
                lambda rebuild: recalling.same(session.place, run, terminal.tell, rebuild=rebuild)
            )
        except ChalkError as error:
            terminal.tell(f"whether the same failure was resolved before is not known: {error.message}")
    return Recalled([], [])


def _tell_resolved(resolved: Recalled, tracked: Tracked) -> None:
    """Name them, for did their fix not hold? An experiment that withholds lessons withholds these too. Then
    keep the run, with what was shown."""
    lessons = resolved.lessons
    for skipped in resolved.skipped:
        terminal.tell(skipped)
    if not lessons:  # which is not to say that recall finds none
        looping.tell(tracked.keep())
        return
    withheld = tracked.withheld(len(lessons))
    if tracked.trouble is not None:
        terminal.tell(tracked.trouble)
    if withheld is not None:
        terminal.tell(f"the same failure was resolved before; {rendered.withheld(len(lessons), withheld)}")
        looping.tell(tracked.keep(found=len(lessons), given=0, size=0))
        return
    said = [rendered.before(lesson) for lesson in lessons]
    for sentence in said:
        terminal.tell(sentence)
    shown = recalled.unasked(lessons, said, "detain")
    looping.tell(tracked.keep(found=len(said), given=len(said), size=recalled.size(shown), asked=[shown]))


def _said(session: Session, record: Record, given: dict[str, Any]) -> int:
    step = command_line("resolve", record.id, "--note", "what fixed it, and why")
    return done(session, record, "detain", given, step)
