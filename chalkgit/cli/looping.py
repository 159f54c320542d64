"""A failed run in the journal: kept by whatever command is told of it, and compared with those before it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from chalkgit.answers import repair
from chalkgit.answers.tracked import Tracked
from chalkgit.cli import failing, terminal
from chalkgit.errors import ChalkError
from chalkgit.failures.reading import Run
from chalkgit.index import refresh
from chalkgit.records.record import Record, is_open
from chalkgit.store.place import Place


def tracked(
    place: Place,
    run: Run,
    ticket: str | None,
    directory: str | None,
    given: Mapping[str, Any],
    *,
    surface: str,
    looping: bool = False,
) -> Tracked:
    """The run in its loop; its own report and output are no part of what the work tree contains."""
    paths = failing.files(directory, given)
    without = [os.path.relpath(os.path.realpath(path), place.root) for path in paths]
    return Tracked(place, run, surface=surface, ticket=ticket, without=without, looping=looping)


def tell(why: str | None) -> None:
    """Say why nothing is kept, where the journal takes nothing."""
    if why is not None:
        terminal.tell(f"this is not kept in the journal: {why}")


def open_lessons(place: Place) -> list[Record]:
    try:
        return repair.once(lambda rebuild: _read(place, rebuild))
    except ChalkError as error:
        terminal.tell(f"open lessons are not compared: {error.message}")
        return []


def _read(place: Place, rebuild: bool) -> list[Record]:
    table = refresh.up_to_date(place, rebuild=rebuild, words=False).table
    paths = [row[0] for row in table.rows("select path from files where kind = 'lesson'")]
    found = [Record(fields, path) for path, fields in table.fields(paths).items()]
    return [record for record in found if is_open(record)]
