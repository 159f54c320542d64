"""`chalkgit lesson`: a resolved lesson."""

from __future__ import annotations

from typing import Any

import click

from chalkgit.answers import resolving
from chalkgit.cli import failed, failing, options, terminal
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.failures import lines
from chalkgit.failures.reading import Run
from chalkgit.records.record import Record


@click.command("lesson")
@click.argument("rule")
@click.option("--error", metavar="LINE", help="The first error line, as the run printed it.")
@failing.options(root=True)
@options.record_options(options.LESSON)
@click.pass_obj
def command(directory: str | None, /, rule: str, error: str | None, **given: Any) -> int:
    """Record a lesson: this failure is fixed so. RULE reads best as “When S, do Y, because Z”."""
    session = Session(directory)
    failure = failed.failure(_run(session, directory, error, given))
    if set(failure) <= {"exit-code"}:
        raise ChalkError(
            "not recorded: a lesson comes back by its failure, so --error, --report or --output is needed",
            hint=command_line("lesson", rule, "--error", "the first error line"),
        )
    common = options.collected(session.place, given)
    fields = {"kind": options.LESSON, "failure": failure, "resolution": rule, "lesson": rule}
    if not rule.strip():
        raise ChalkError(
            "not recorded: the rule is empty, and it is what the next one reads",
            hint=command_line("lesson", "When S, do Y, because Z", "--error", error or "LINE"),
        )
    hint = command_line("lesson", "When S, do Y, because Z", "--error", error or "LINE")
    resolving.must_say_something(rule, Record({"id": "", "failure": failure}), "rule", hint=hint)
    record = session.add({**fields, **common, **({"resolved-by": common["by"]} if "by" in common else {})})
    if resolving.leaks(rule):
        terminal.tell("the rule holds what looks like a secret, and records are committed: is it one?")
    asked = resolving.question(rule, record, "rule")
    if asked is not None:
        mend = command_line("correct", record.id, "--lesson", "When S, do Y, because Z")
        terminal.tell(f"{asked}: {mend}")
    return done(session, record, "lesson", given)


def _run(session: Session, directory: str | None, error: str | None, given: dict[str, Any]) -> Run | None:
    """The run that was given, with the error line that a person says is its."""
    root = session.place.root
    run = failing.run(directory, given, root)
    if error is None or not error.strip():
        return run
    first, *detail = [lines.clean(line) for line in error.strip().split("\n")]
    tests, tail = (run.tests, run.tail) if run else ((), ())
    return Run(tests, first, detail, exit_code=given["exit_code"], root=given["root"] or root, tail=tail)
