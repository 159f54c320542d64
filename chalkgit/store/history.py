"""What the repository knew when: every version of every record, along the first parents of a revision.

`opened` gives the history of HEAD from the table that is kept, brought up to it first; that of another
revision is read beside it and not kept. A commit's moment never lies before its parent's: where a clock was
wrong, it is as late as the latest before it.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

from chalkgit import times
from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import firstparents, git, history_file, history_growth, moments, snapshot
from chalkgit.store.history_table import HistoryTable, Unusable
from chalkgit.store.place import Place, head
from chalkgit.store.proofs import Proofs

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from chalkgit.store.versions import Version

DEEPEN = "git fetch --unshallow"


class Moment:
    """A commit of the history. at: when it was made, by its committer's clock. latest: the latest such time
    among it and all before it. edge: history is cut off here, so that what it holds was recorded no later
    than that, and nobody can tell when or by whom."""

    __slots__ = ("_parents", "at", "author", "edge", "email", "latest", "oid", "seq", "signed", "subject")

    def __init__(self, row: Sequence[Any], *, edge: bool) -> None:
        self.seq, self.oid, self.at, self.latest, self.author, self.email, self.subject, signed = row[:8]
        self.signed = bool(signed)
        self._parents: str = row[8]
        self.edge = edge

    @property
    def parents(self) -> list[str]:
        return self._parents.split()

    @property
    def recorded_at(self) -> str | None:
        """The committer's time in UTC; None where it is unknown when the clone's oldest content came."""
        return None if self.edge else times.iso(datetime.fromtimestamp(self.at, UTC))


class History:
    """The versions along the first parents of `tip`, the newest first; `cut` where it is not whole.

    unkept: why the table could not be kept, so that the next one to ask reads the same again.
    """

    def __init__(self, place: Place, table: HistoryTable, unkept: str | None = None) -> None:
        self.unkept = unkept
        self.place = place
        self.table = table
        self.tip = table.tip
        self.cut = table.cut
        self._moments: dict[int, Moment] | None = None
        self._edges: set[str] | None = None
        self._deepening: str | None = None
        self.brought: dict[str, Any] = {}  # of each merge that was asked about, what it brought
        self.proofs = Proofs(place)

    def moments(self) -> Mapping[int, Moment]:
        """Place in the order of ancestry to the commit; the oldest is 1."""
        if self._moments is None:
            columns = "seq, oid, at, latest, author, email, subject, signed, parents"
            rows = self.table.rows(f"select {columns} from commits order by seq")
            cut = self.cut
            self._moments = {row[0]: Moment(row, edge=cut and row[0] == 1) for row in rows}
        return self._moments

    @property
    def edges(self) -> set[str]:
        """The commits, on the first parents or beside them, at which this clone is cut off."""
        if self._edges is None:
            self._edges = moments.boundary(self.place)
        return self._edges

    @property
    def deepening(self) -> str:
        """The command that shows more of it."""
        if self._deepening is None:
            self._deepening = deepen(self.place)
        return self._deepening

    @property
    def lacks(self) -> str | None:
        """What is unknown of it since this clone is cut off, in words."""
        if self.cut:
            return f"history is cut off in this clone: older versions are unknown ({self.deepening})"
        if self.edges:
            said = "merged branches are cut off in this clone"
            return f"{said}: who wrote what they brought may be unknown ({self.deepening})"
        return None

    def unseen(self, what: str) -> UnknownPast:
        return UnknownPast(f"this clone does not reach back to {what}", hint=self.deepening)

    def versions(self, record_id: str | None = None) -> list[Version]:
        """All of them, or one record's, the newest first."""
        found = self.table.versions("id = ?", record_id) if record_id else self.table.versions()
        return found[::-1]

    def fields(self, blob: str | None) -> Mapping[str, Any] | None:
        return self.table.fields(blob)

    def ids(self) -> list[str]:
        return [row[0] for row in self.table.rows("select distinct id from versions order by id")]

    def place_of(self, oid: str) -> int | None:
        rows = self.table.rows("select seq from commits where oid = ?", oid)
        return int(rows[0][0]) if rows else None

    def as_of(self, seq: int) -> dict[str, Version]:
        """The last version of each record up to a commit; of those whose file is gone by then, none."""
        latest = {version.id: version for version in self.table.versions("seq <= ?", seq)}
        return {record_id: version for record_id, version in latest.items() if version.path is not None}


def opened(place: Place, revision: str = "HEAD") -> History:
    """The history of a revision; of a branch without a commit it is empty."""
    if revision == "HEAD":
        tip = head(place)
    else:
        tip = snapshot.resolve(place, revision, commit=True)
    if tip is None:
        return History(place, HistoryTable())
    kept = history_file.read(place)
    if kept is not None:
        try:
            return _brought(place, kept, tip, keep=revision == "HEAD")
        except Unusable:
            pass  # whoever made it made it wrong
    return _brought(place, HistoryTable(), tip, keep=True)


def _brought(place: Place, table: HistoryTable, tip: str, *, keep: bool) -> History:
    unkept = None
    if history_growth.behind(table, place, tip):
        history_growth.follow(table, place, tip)
        unkept = history_file.keep(place, table) if keep else None
    return History(place, table, unkept)


def known_at(place: Place, text: str) -> str | None:
    """The commit that a `--known-at` REV or DATE means; a date, on the first parents of HEAD.

    None: there was no commit yet, so that nothing was known. UnknownPast where this clone cannot tell.
    """
    if not times.is_date(text):
        return _revision(place, text)
    return last_before(opened(place), times.end(text), text)


def last_before(history: History, instant: datetime, text: str) -> str | None:
    """The last commit that was there at an instant: up to it none was made later, by any clock.

    text: the instant as it was asked for. UnknownPast where history is cut off later than that.
    """
    query = "select oid from commits where latest <= ? order by seq desc limit 1"
    rows = history.table.rows(query, instant.timestamp())
    if not rows and history.cut:
        raise UnknownPast(
            f"this clone does not reach back to {text}: what was known then is unknown",
            hint=deepen(history.place),
        )
    return str(rows[0][0]) if rows else None


def deepen(place: Place) -> str:
    """What shows more of a history that is cut off."""
    if shallow(place):
        return DEEPEN
    if os.path.isfile(moments.grafts(place)):
        return "git replace --convert-graft-file"
    return firstparents.mending(place)


def _revision(place: Place, text: str) -> str:
    try:
        return snapshot.resolve(place, text, commit=True)
    except ChalkError:
        if not shallow(place):
            raise ChalkError(
                f"“{text}” is no revision of this repository, and no date",
                hint="write a revision, or YYYY, YYYY-MM, YYYY-MM-DD or an ISO 8601 instant",
            ) from None
        raise UnknownPast(f"“{text}” is no revision that this shallow clone can see", hint=DEEPEN) from None


def shallow(place: Place) -> bool:
    return git.run(place.root, "rev-parse", "--is-shallow-repository").strip() == b"true"
