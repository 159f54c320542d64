"""`chalkgit correct`: other values for the fields of a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from chalkgit import times
from chalkgit.answers import resolving
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session, command_line, done, refuse_git
from chalkgit.errors import ChalkError
from chalkgit.records import fields as table
from chalkgit.records.fields import Field
from chalkgit.records.record import Record
from chalkgit.store import writes

# What has a command of its own that can be run again, or is the record's identity.
_ELSEWHERE = ("id", "kind", "retired", "review", "failure", "raw", "truncated")
# The words of the commands that write them.
_ALSO = {
    "observation": "--because",
    "trap": "--mind",
    "alternative": "--instead",
    "files": "--file",
    "tags": "--tag",
}
_FIELDS = [field for field in table.FIELDS if field.name not in _ELSEWHERE]


def _options(function: Any) -> Any:
    for field in reversed(_FIELDS):
        name = field.name.replace("-", "_")
        many = field.shape in (table.LINES, table.VERSIONS)
        kinds = "" if field.kinds == table.ALL else f" ({', '.join(field.kinds)})"
        help_text = field.meaning[0].upper() + field.meaning[1:] + kinds + "."
        names = [f"--{field.name}", *filter(None, [_ALSO.get(field.name)])]
        function = click.option(*names, name, multiple=many, help=help_text)(function)
    return function


@click.command("correct")
@click.argument("record_id", metavar="ID")
@_options
@click.option("--unretire", is_flag=True, help="Take a retirement back.")
@click.option("--agent", help="With --by: the program that wrote it.")
@options.git_options
@click.pass_obj
def command(directory: str | None, /, record_id: str, **given: Any) -> int:
    """Set fields of a record; an empty value removes one. A list is given whole: repeat its option."""
    session = Session(directory)
    record = session.found(record_id, notes=None)
    refuse_git(record, given)
    if given["agent"] and given["by"] is None and given["resolved_by"] is None:
        by = record.get("by")
        given["by"] = (by.get("name") if isinstance(by, dict) else by) or ""
    changes = {field.name: _value(field, given) for field in _FIELDS if _was_given(field, given)}
    if given["unretire"] and record.get("retired") is not None:
        changes["retired"] = None
    if changes.get("resolution", "") is None and record.get("lesson") == record.get("resolution"):
        changes.setdefault("lesson", None)  # the note was the rule: without it the lesson is open again
    if "lesson" in changes and record.get("distilled-by") is not None:
        changes.setdefault("distilled-by", None)  # a corrected rule is a person's
    if changes.get("supersedes"):
        changes["supersedes"] = [session.found(old).id for old in changes["supersedes"]]
    if changes.get("files"):
        changes["files"] = [options.from_root(session.place, path) for path in changes["files"]]
    for name in table.COMMITS:
        if changes.get(name):
            changes[name] = writes.commit_of(session.place, changes[name])
    if not changes:
        raise ChalkError(
            "nothing to correct was given", hint=f"chalkgit correct {record.id} --observation TEXT"
        )
    for name in changes:
        if record.kind not in table.BY_NAME[name].kinds:
            raise ChalkError(f"a {record.kind} has no {name}", hint=f"chalkgit show {record.id}")
    if changes.get("ref"):
        session.refuse_ref(changes["ref"], record.id)
    if record.kind == options.LESSON:
        for question in _questions(record, changes):
            terminal.tell(question)
    return done(session, _written(session, record, changes), "correct", given, was=record)


def _questions(record: Record, changes: dict[str, Any]) -> Iterator[str]:
    """What is asked about a new rule, or a note that is the rule; one that says nothing is refused."""
    after = record.changed(changes)
    for name, what in (("lesson", "rule"), ("resolution", "note")):
        text = changes.get(name)
        if not text:
            continue
        told = name == "lesson" or after.text("lesson") is None
        hint = command_line("correct", record.id, f"--{name}", "When S, do Y, because Z")
        resolving.must_say_something(text, record, what, hint=hint, rule=told)
        asked = resolving.question(text, record, what) if told else None
        if asked is not None:
            yield f"{asked}: {hint}"


def _written(session: Session, record: Record, changes: dict[str, Any]) -> Record:
    try:
        return writes.change(session.place, record, changes)
    except ChalkError as error:
        error.hint = error.hint or next(_examples(record, changes), None)
        raise


def _examples(record: Record, changes: dict[str, Any]) -> Iterator[str]:
    """Values that the given fields may have, each as a command; then where all of them are told."""
    for name in changes:
        words = table.BY_NAME[name].words.get(record.kind, ())
        if changes[name] and words and changes[name] not in words:
            yield command_line("correct", record.id, f"--{name}", words[0])
        elif changes[name] and table.BY_NAME[name].shape == table.DATE and not times.is_date(changes[name]):
            yield command_line("correct", record.id, f"--{name}", times.day(times.system_clock()))
    yield "chalkgit correct --help"


def _was_given(field: Field, given: dict[str, Any]) -> bool:
    value = given[field.name.replace("-", "_")]
    return value is not None and value != ()


def _value(field: Field, given: dict[str, Any]) -> Any:
    value = given[field.name.replace("-", "_")]
    if field.shape == table.LINES:
        return [item for item in value if item] or None
    if field.shape == table.VERSIONS:
        return options.versions(tuple(item for item in value if item)) or None
    if field.shape == table.PERSON and given["agent"]:
        return {"name": value, "agent": given["agent"]} if value else {"agent": given["agent"]}
    return value or None
