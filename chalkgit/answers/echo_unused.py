"""Records that were shown often and never used, as far as git, the journal and people tell.

A lesson that was shown before a fix is not among them: whether it was for that, nobody knows, and nobody is
to throw it away for nothing. Nor are showings held against it whose outcome is an experiment's to tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.answers import echo
from chalkgit.answers.echo import Looked, Row
from chalkgit.store import feedback, ledger
from chalkgit.store.place import Place


class Unused:
    """A record that was shown often and never used. since: the first showing, milliseconds since 1970."""

    __slots__ = ("id", "shown", "since", "surfaces", "title")

    def __init__(self, rows: Sequence[Row]) -> None:
        self.id = rows[0].id
        self.title = rows[0].title
        self.shown = sum(row.shown for row in rows)
        self.since = min(row.first_shown for row in rows)
        self.surfaces = [row.surface for row in sorted(rows, key=lambda row: (-row.shown, row.surface))]


def of(place: Place, looked: Looked | None = None) -> list[Unused]:
    """Those shown often that no commit cited or took up, that were shown before no fix, and that nobody ever
    called useful, of an earlier text neither; the most shown first."""
    by_id: dict[str, list[Row]] = {}
    for row in (looked or echo.look(place)).rows:
        by_id.setdefault(row.id, []).append(row)
    useful = {row[0] for row in ledger.read(place, "feedback", ("id",), "word = ?", (feedback.USEFUL,))}
    found = [
        Unused(rows)
        for name, rows in by_id.items()
        if not any(row.cited or row.adopted or row.before_fix for row in rows) and name not in useful
    ]
    often = [one for one in found if one.shown >= thresholds.REPORT_OFTEN]
    return sorted(often, key=lambda one: (-one.shown, one.id))
