"""`chalkgit import`: records from other places, each once."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import click

from chalkgit import ids, times
from chalkgit.cli import app, asking, options, terminal
from chalkgit.cli.writing import Session
from chalkgit.errors import ChalkError
from chalkgit.records import fields as table
from chalkgit.records import oneline
from chalkgit.records.record import Record
from chalkgit.store import place as places
from chalkgit.store import writes
from chalkgit.store.place import Place

# What `list` and `export` say of a record beside its fields.
_TOLD = (
    "path",
    "status",
    "trust",
    "version",
    "recorded_at",
    "commit",
    "superseded_by",
    "reopened",
    "unknown",
)


@click.command("import")
@click.argument("file")
@click.option(
    "--kind",
    type=click.Choice(table.KINDS),
    default="dead-end",
    show_default=True,
    help="Of rows without one.",
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, file: str, kind: str, as_json: bool) -> int:
    """Import FILE (- for standard input): JSON rows with the record's field names, or one entry a line.

    A row's ref makes it the same record ever after: importing twice changes nothing.
    """
    text = app.read_text(file if file == "-" else app.absolute(directory, file), "the import")
    with writes.lock(places.find(directory).require_store()):
        return _import(directory, file, text, kind, as_json)


def _import(directory: str | None, file: str, text: str, kind: str, as_json: bool) -> int:
    """Under the lock of writers, so that two imports of the same rows make them once."""
    session = Session(directory)
    taken = set(session.ids())
    refs = {str(ref): r.id for r in session.records().values() if (ref := r.get("ref"))}
    written, known, broken = 0, 0, 0
    report = asking.progress("importing")
    author = options.collected(session.place, {}).get("by")
    lines = _entries(text, file)
    for done, (number, line) in enumerate(lines, 1):
        try:
            row = _row(line.strip(), kind)
            if row.get("ref") in refs or row.get("id") in taken:
                known += 1
                continue
            record = _write(session.place, row, taken, author)
        except ChalkError as error:
            broken += 1
            terminal.tell(f"{file}:{number}: {error.message}")
            continue
        taken.add(record.id)
        if "ref" in row:
            refs[row["ref"]] = record.id
        written += 1
        report(done, len(lines))
    if as_json:
        from chalkgit.render import json as rendered

        counts = {"imported": written, "known": known, "refused": broken}
        terminal.answer({"version": rendered.VERSION, **counts})
    else:
        terminal.out(f"imported {written:,}, known already {known:,}, refused {broken:,}")
    if broken:
        raise ChalkError(
            f"{broken} of {len(lines)} entries were refused", hint="mend those lines and import again"
        )
    return 0


def _entries(text: str, file: str) -> list[tuple[int, str]]:
    """(number, entry): the lines of the file, or the rows of a JSON array."""
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ChalkError(f"is no JSON: {error}", where=file, hint="one JSON row a line") from None
        return [(n, json.dumps(row, ensure_ascii=False)) for n, row in enumerate(rows, 1)]
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _row(line: str, kind: str) -> dict[str, Any]:
    """One entry as fields; a ref of its content's hash where it brings none."""
    if line.startswith("{"):
        try:
            row = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError) as error:
            raise ChalkError(f"is no JSON row: {error}") from None
        row = {name: value for name, value in row.items() if value not in (None, "", [], {})}
        row.setdefault("kind", kind)
    else:
        row = {"kind": "dead-end", **oneline.parse(_entry(line))}
    row = {name: value for name, value in row.items() if name not in _TOLD}
    if "id" not in row:
        digest = hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        row.setdefault("ref", f"import:{digest}")
    for name in ("id", "ref", "kind"):
        if not isinstance(row.get(name, ""), str):
            raise ChalkError(f"{name} must be text")
    return row


def _entry(line: str) -> str:
    mark, _, rest = line.partition(" ")
    text = rest.strip() if mark in ("-", "*") else line
    if len(re.findall(r"[^\W\d_]{2,}", text)) < 3 or text[0] in "{}[]":
        raise ChalkError("is no entry: a JSON row, or what was tried in words, is wanted")
    return text


def _write(place: Place, row: dict[str, Any], taken: set[str], author: Any) -> Record:
    if "id" not in row:
        # what comes with an id is a record already, and stays as it is
        found = {"by": author, "valid-from": times.day(times.system_clock())}
        row = {"id": ids.mint(taken), **{name: value for name, value in found.items() if value}, **row}
    return writes.put(place, Record(row))
