"""The questions: parse nothing, call the answers, render, give the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from chalkgit import config, thresholds, times
from chalkgit.cli import terminal
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.store import place as places
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.check import Answer, Checker
    from chalkgit.store.ahead import Ahead

LIMIT = 3


def at(
    directory: str | None,
    paths: Sequence[str],
    *,
    as_json: bool,
    valid_at: str | None = None,
    known_at: str | None = None,
    ahead: Ahead | None = None,
) -> int:
    """The rulings on these files: always 0, for it is no gate."""
    if config.bypassed("RULINGS"):
        return _bypassed_at(paths, as_json)
    from chalkgit.answers import at as answers
    from chalkgit.index import texts
    from chalkgit.store import renames

    place = places.find(directory)
    now = times.asked(valid_at, "--valid-at") if valid_at else times.system_clock()
    asked = [answers.repository_path(place, path, os.path.abspath(directory or ".")) for path in paths]
    staged = renames.staged(place.root)
    index = _index(place, known_at, ahead)
    tell_problems(index)
    rulings = answers.rulings(index, asked, now, staged)
    if as_json:
        from chalkgit.render import json

        terminal.out(json.text(json.at(asked, rulings, index.table.count(texts.ALL), False)))
    else:
        from chalkgit.render import text

        terminal.out(text.at(asked, rulings, terminal.style()))
    return 0


def _bypassed_at(paths: Sequence[str], as_json: bool) -> int:
    if as_json:
        from chalkgit.render import json

        terminal.out(json.text(json.at(paths, [], 0, True)))
    else:
        terminal.out("Not looked up: switched off by CHALKGIT_BYPASS_RULINGS.")
    return 0


def check(
    directory: str | None,
    proposal: str,
    *,
    as_json: bool,
    lexical: bool = False,
    here: bool = False,
    limit: int = LIMIT,
    valid_at: str | None = None,
    known_at: str | None = None,
    ahead: Ahead | None = None,
) -> int:
    """Has this been tried? 1 when it was, else 0."""
    from chalkgit.answers import check as answers

    if config.bypassed("CHECK"):
        return show(answers.bypassed(proposal), as_json)
    checker = opened(directory, lexical=lexical, here=here, valid_at=valid_at, known_at=known_at, ahead=ahead)
    return show(checker.ask(proposal, limit), as_json)


def show(answer: Answer, as_json: bool) -> int:
    """Print one answer; 1 when it was tried."""
    if as_json:
        from chalkgit.render import json

        terminal.out(json.text(json.check(answer)))
    else:
        from chalkgit.render import text

        terminal.out(text.check(answer, terminal.style()))
    return 1 if answer.verdict == "tried" else 0


def opened(
    directory: str | None,
    *,
    lexical: bool = False,
    here: bool = False,
    valid_at: str | None = None,
    known_at: str | None = None,
    patient: bool = False,
    ahead: Ahead | None = None,
) -> Checker:
    """The stores and the semantic arm, ready for proposals. `patient`: wait until all vectors are written."""
    from chalkgit.answers import sources
    from chalkgit.answers.check import Checker
    from chalkgit.answers.semantic import Semantic

    place = places.find(directory)
    now = times.asked(valid_at, "--valid-at") if valid_at else times.system_clock()
    if known_at is not None:
        past = _index(place, known_at)
        asked = [sources.Source(past, elsewhere=False, label=f"as known at {known_at}", hidden=set())]
    else:
        report = progress("indexing")
        asked = sources.opened(
            place.require_store(), here=here, tell=terminal.tell, report=report, ahead=ahead
        )
    for source in asked:
        terminal.tell_problems(sources.problems(source.index))
    semantic = Semantic(lexical=lexical)
    semantic.prepare(asked, None if patient else thresholds.FILL_SECONDS, progress("writing vectors"))
    return Checker(place, asked, semantic, now)


def tell_problems(index: Index) -> None:
    """Name the damaged records of one store on stderr."""
    from chalkgit.answers import sources

    terminal.tell_problems(sources.problems(index))


def _index(place: Place, known_at: str | None, ahead: Ahead | None = None) -> Index:
    if known_at is not None:
        from chalkgit.store import history

        return refresh.of_revision(place, history.known_at(place, known_at))
    index = refresh.up_to_date(place.require_store(), progress("indexing"), ahead=ahead)
    if index.unwritten:
        terminal.tell(index.unwritten)
    return index


def progress(what: str) -> refresh.Progress:
    """A line on stderr that counts up, on a terminal; one plain line elsewhere for long work."""
    shown = sys.stderr.isatty()
    told: list[bool] = []

    def report(done: int, total: int) -> None:
        if total < thresholds.PROGRESS_FROM:
            return
        if shown:
            end = "\n" if done >= total else ""
            print(f"\rchalkgit: {what}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)
        elif not told:
            told.append(True)
            terminal.tell(f"{what}: {total:,} records …")

    return report
