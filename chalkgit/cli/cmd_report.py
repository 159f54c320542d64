"""`chalkgit report`: does it help here? In the terminal, as JSON, or as one page of HTML."""

from __future__ import annotations

import os
import stat
from datetime import datetime, timedelta
from typing import Any

import click

from chalkgit import config, times
from chalkgit.answers import repair, report
from chalkgit.cli import app, asking, terminal
from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.store import atomic
from chalkgit.store import place as places
from chalkgit.store.place import Place

PRIVATE = 0o600  # as the journal: it names records, tests and people


@click.command("report")
@click.option("--since", metavar="DATE", help="From this date on; all that the journal has if absent.")
@click.option("--days", type=click.IntRange(1, 36500), metavar="N", help="The last N days.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.option("--html", "page", metavar="FILE", help="Write one self-contained page; needs chalkgit[report].")
@click.pass_obj
def command(
    directory: str | None, /, since: str | None, days: int | None, as_json: bool, page: str | None
) -> int:
    """Say whether it helps here: what was shown and used, and what an experiment may claim. It is no gate.

    It is told from the journal of this machine. Nothing is sent, and the page loads nothing.
    """
    from chalkgit.render import json

    if since and days:
        raise ChalkError("--since and --days are two beginnings", hint="chalkgit report --help")
    if as_json and page:
        raise ChalkError("--json and --html are two outputs", hint="chalkgit report --help")
    if page is not None:
        target = _target(app.absolute(directory, page))
    place = places.find(directory).require_store()
    now = times.system_clock()
    card = _card(place, now, _begin(now, since, days))
    if page is not None:
        from chalkgit.render import report_html

        data = report_html.page(card).encode("utf-8", "replace")
        atomic.replace(target, data, None if os.path.lexists(target) else PRIVATE)
        terminal.out(f"wrote {terminal_path(target)}")
    elif as_json:
        terminal.answer({"version": json.VERSION, **card})
    else:
        from chalkgit.render import report_text

        terminal.out(report_text.text(card, terminal.style()))
    return 0


def _card(place: Place, now: datetime, since: datetime | None) -> dict[str, Any]:
    def look(rebuild: bool) -> dict[str, Any]:
        def opened() -> Index:
            index = refresh.up_to_date(place, asking.progress("indexing"), rebuild=rebuild, words=False)
            if index.unwritten:
                terminal.tell(index.unwritten)
            return index

        return report.card(place, now, since, opened)

    return {**repair.once(look), "switched_off": config.switched_off()}


def _begin(now: datetime, since: str | None, days: int | None) -> datetime | None:
    if days:
        return now - timedelta(days=days)
    begin = times.asked(since, "--since") if since else None
    if begin is not None and begin > now:
        raise ChalkError(f"--since {since}: that is in the future", hint="chalkgit report --days 30")
    return begin


def _target(path: str) -> str:
    """The absolute path of a page to write, which replaces a file and nothing else."""
    target = os.path.abspath(path)
    try:
        mode = os.lstat(target).st_mode
    except OSError:
        return target
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "no file"
        raise ChalkError(f"is {kind}, and is not written over", where=target, hint="name another file")
    return target


def terminal_path(path: str) -> str:
    from chalkgit.render.clean import line

    return line(path)
