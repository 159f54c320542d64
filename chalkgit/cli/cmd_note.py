"""`chalkgit note`: a working note, local, never committed."""

from __future__ import annotations

import os
from typing import Any

import click

from chalkgit import ids, times
from chalkgit.cli import options, terminal
from chalkgit.cli.writing import Session
from chalkgit.records import codec, notes, oneline
from chalkgit.records.record import Record
from chalkgit.store import atomic, worktree, writes
from chalkgit.store.place import head


@click.command("note")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.pass_obj
def command(directory: str | None, /, text: str, as_json: bool) -> int:
    """Keep a working note on this machine. It counts in check when it says that something failed."""
    session = Session(directory)
    fields: dict[str, Any] = {
        "id": ids.mint(session.ids()),
        "kind": options.DEAD_END,
        **oneline.parse(text),
        "by": options.collected(session.place, {}).get("by"),
        "at-commit": head(session.place),
        "valid-from": times.day(times.system_clock()),
    }
    note = Record({name: value for name, value in fields.items() if value})
    writes.refuse(note)
    path = f"{worktree.NOTES}/{note.id}.yaml"
    atomic.folder(session.place.common_dir, os.path.relpath(session.place.notes, session.place.common_dir))
    atomic.create(worktree.file_of(session.place, path), codec.encode(note))
    if not notes.admitted(note):
        terminal.tell("kept; it names no failure, so check will not show it")
    if as_json:
        from chalkgit.render import json

        terminal.answer({"version": json.VERSION, "id": note.id, "counts": notes.admitted(note)})
    else:
        terminal.out(f"{note.id} (working note; chalkgit promote {note.id} makes a record of it)")
    return 0
