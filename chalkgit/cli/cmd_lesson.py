"""`chalkgit lesson`: a resolved lesson."""

from __future__ import annotations

from typing import Any

import click

from chalkgit import thresholds
from chalkgit.cli import app, options
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.failures import reports


@click.command("lesson")
@click.argument("rule")
@click.option("--error", metavar="LINE", help="The first error line, as the run printed it.")
@click.option("--report", metavar="FILE", help="A JUnit XML report of the failed run.")
@click.option("--output", metavar="FILE", help="What the failed run printed; - for standard input.")
@click.option("--exit-code", metavar="N", help="What the failed run exited with.")
@options.record_options(options.LESSON)
@click.pass_obj
def command(directory: str | None, /, rule: str, **given: Any) -> int:
    """Record a lesson: this failure is fixed so. RULE reads best as “When S, do Y, because Z”."""
    failure = _failure(directory, given)
    if not failure:
        raise ChalkError(
            "not recorded: a lesson comes back by its failure, so --error, --report or --output is needed",
            hint=command_line("lesson", rule, "--error", "the first error line"),
        )
    session = Session(directory)
    common = options.collected(session.place, given)
    fields = {"kind": options.LESSON, "failure": failure, "resolution": rule, "lesson": rule}
    record = session.add({**fields, **common, **({"resolved-by": common["by"]} if "by" in common else {})})
    return done(session, record, "lesson", given)


def _failure(directory: str | None, /, given: dict[str, Any]) -> dict[str, Any]:
    failure: dict[str, Any] = {}
    if given["report"]:
        failure.update(reports.junit(app.read_text(_path(directory, given["report"]), "the report")))
    if given["output"]:
        lines = app.read_text(_path(directory, given["output"]), "the output").split("\n")
        failure["output"] = reports.tail(lines, thresholds.OUTPUT_LINES)
    if given["error"]:
        failure["error"] = "\n".join(map(reports.plain, given["error"].split("\n"))).strip()
    if given["exit_code"]:
        failure["exit-code"] = given["exit_code"]
    return {} if set(failure) <= {"exit-code"} else failure


def _path(directory: str | None, /, path: str) -> str:
    return path if path == "-" else app.absolute(directory, path)
