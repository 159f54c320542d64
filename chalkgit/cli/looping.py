"""A failed run in the journal: kept by whatever command is told of it, and compared with those before it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from chalkgit.answers import loop, repair
from chalkgit.answers.loop import Verdict
from chalkgit.cli import failing, terminal
from chalkgit.errors import ChalkError
from chalkgit.failures.reading import Run
from chalkgit.index import refresh
from chalkgit.records.record import Record, is_open
from chalkgit.store import content, runs
from chalkgit.store.place import Place


def kept(
    place: Place,
    run: Run,
    ticket: str | None,
    directory: str | None,
    given: Mapping[str, Any],
    *,
    surface: str,
    wanted: bool = False,
) -> Verdict | None:
    """Keep the run; where it is `wanted`, say first what it is beside the earlier ones of its ticket."""
    if not run.tests and (run.exit_code == 0 or (run.error is None and run.exit_code is None)):
        return None  # nothing failed that anybody could tell
    # git lists the whole work tree for it: only for who asks how a loop goes
    tree = _tree(place, directory, given) if wanted else None
    past = loop.past(surface, run, ticket=ticket, tree=tree)
    verdict = None
    if wanted:
        verdict = loop.verdict(past, runs.earlier(place, ticket), _open(place))
    why = runs.record(place, past)
    if why is not None:
        terminal.tell(f"the run is not kept in the journal: {why}")
    return verdict


def _tree(place: Place, directory: str | None, given: Mapping[str, Any]) -> str | None:
    """What the work tree contains, without the run's own report and output."""
    paths = failing.files(directory, given)
    return content.identity(place, [os.path.relpath(os.path.realpath(path), place.root) for path in paths])


def _open(place: Place) -> list[Record]:
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
