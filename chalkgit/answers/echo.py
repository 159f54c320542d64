"""Was a record that was shown ever used? Cited in a commit, its alternative adopted, its route asked again.

    for row in echo.of(place): row.id, row.surface, row.shown, row.cited

Of git and the journal, and never by our own header words. A commit counts where it was made after the record
was shown, once, for the surface where it was shown last before. A commit of records alone is bookkeeping, and
counts for nothing. Who was kept from a dead end leaves no trace: a record without an echo may have helped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chalkgit import thresholds, times
from chalkgit.answers import echo_adopted, repair, report_activity, sources
from chalkgit.answers.report_rows import Rows
from chalkgit.answers.sources import Source
from chalkgit.records import trailers
from chalkgit.records.record import Record, title
from chalkgit.store import difference, feedback, ledger, messages, questions
from chalkgit.store.messages import Commit
from chalkgit.store.place import Place

# Where a record is shown because somebody proposed its route, and only then.
_PROPOSED = ("@prompt", "@message")


class Row:
    """One record at one surface. title: None for a record that no store has any more. shown: how often;
    first_shown, last_shown: milliseconds since 1970."""

    __slots__ = (
        "adopted",
        "cited",
        "first_shown",
        "id",
        "last_shown",
        "proposed_again",
        "shown",
        "surface",
        "title",
    )

    def __init__(self, record_id: str, surface: str, named: str | None) -> None:
        self.id = record_id
        self.surface = surface
        self.title = named
        self.shown = self.cited = self.adopted = self.proposed_again = 0
        self.first_shown = self.last_shown = 0

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Looked:
    """rows: by record, in the order they were shown first. notes: what could not be looked at, in words."""

    __slots__ = ("notes", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.notes: list[str] = []


class _Showing:
    __slots__ = ("at", "proposed", "row")

    def __init__(self, at: int, row: Row, proposed: bool) -> None:
        self.at = at
        self.row = row
        self.proposed = proposed


def of(place: Place, since: int | None = None) -> list[Row]:
    """Of what was shown since so many milliseconds. ChalkError where journal, git or the store give none."""
    return look(place, since).rows


def look(place: Place, since: int | None = None, asked: Sequence[Source] | None = None) -> Looked:
    """The same, with what could not be looked at. asked: the stores, where somebody has them open."""
    shown = _shown(place, since or 0)
    found = Looked()
    if not shown:
        return found
    if asked is not None:
        return _looked(place, shown, asked, found)

    def opened(rebuild: bool) -> Looked:
        stores = sources.opened(place.require_store(), here=False, tell=lambda said: None, rebuild=rebuild)
        return _looked(place, _shown(place, since or 0), stores, Looked())

    return repair.once(opened)


def _looked(place: Place, shown: dict[str, list[_Showing]], asked: Sequence[Source], found: Looked) -> Looked:
    known: dict[str, tuple[Source, Record]] = {}
    everything: set[str] = set(shown)
    for source in asked:
        paths = source.index.table.ids()
        everything.update(paths)
        wanted = [path for record_id, path in paths.items() if record_id in shown]
        for record in source.records(wanted):
            known.setdefault(record.id, (source, record))
    for record_id, showings in shown.items():
        named = title(known[record_id][1]) if record_id in known else None
        for row in dict.fromkeys(one.row for one in showings):
            row.title = named
            found.rows.append(row)
    first = min(showings[0].at for showings in shown.values())
    commits, whole = messages.since(place, first // 1000 - thresholds.ECHO_LATE_SECONDS)
    if not whole:
        found.notes.append(f"commits before the newest {thresholds.ECHO_COMMITS:,} were not looked at")
    _proposed_again(shown)
    cited = _citing(commits, shown, everything)
    adopted = _adopting(place, commits, shown, known, found.notes)
    records_alone = messages.of_records_alone(place, list({*cited, *adopted}))
    for use, by_commit in (("cited", cited), ("adopted", adopted)):
        for oid, rows in by_commit.items():
            for row in rows if oid not in records_alone else ():
                setattr(row, use, getattr(row, use) + 1)
    return found


def _shown(place: Place, since: int) -> dict[str, list[_Showing]]:
    """Id to its showings, the oldest first."""
    rows = Rows(place, since, times.milliseconds(times.system_clock()))
    tried = {row["id"] for row in rows.of("asked", "id", "kind", "verdict") if _was_tried(row)}
    found: dict[str, list[_Showing]] = {}
    made: dict[tuple[str, str], Row] = {}
    for one in sorted(report_activity.records(rows), key=lambda one: one["at"]):
        name, surface = str(one["id"]), str(one["surface"] or "unknown")
        row = made.setdefault((name, surface), Row(name, surface, None))
        row.shown += 1
        row.first_shown, row.last_shown = row.first_shown or one["at"], one["at"]
        proposed = one["path"] in _PROPOSED or (one["path"] == questions.ON_CHECK and one["asked"] in tried)
        found.setdefault(name, []).append(_Showing(one["at"], row, proposed))
    return found


def _was_tried(row: Mapping[str, Any]) -> bool:
    return bool(row["kind"] == questions.CHECK and row["verdict"] == "tried")


def _proposed_again(shown: Mapping[str, Sequence[_Showing]]) -> None:
    for showings in shown.values():
        for number, one in enumerate(showings):
            if one.proposed and one.at > showings[0].at:
                showings[number - 1].row.proposed_again += 1


def _citing(
    commits: Sequence[Commit], shown: Mapping[str, Sequence[_Showing]], known: set[str]
) -> dict[str, list[Row]]:
    """Commit to where the records it names were shown last before."""
    found: dict[str, list[Row]] = {}
    for commit in commits:
        named = set(trailers.whole(commit.message))
        for word in trailers.acknowledged(commit.message):
            named.update(_meant(word, known))
        for name in sorted(named & shown.keys()):
            row = _before(shown[name], (commit.at + thresholds.ECHO_LATE_SECONDS) * 1000)
            if row is not None:
                found.setdefault(commit.oid, []).append(row)
    return found


def _meant(word: str, known: set[str]) -> list[str]:
    """The one record that a prefix of four letters and more stands for."""
    found = [name for name in known if name.startswith(word)] if len(word) >= trailers.SHORTEST else []
    return found if len(found) == 1 else []


def _adopting(
    place: Place,
    commits: Sequence[Commit],
    shown: Mapping[str, Sequence[_Showing]],
    known: Mapping[str, tuple[Source, Record]],
    notes: list[str],
) -> dict[str, list[Row]]:
    """Commit to where the records whose alternative it took up were shown last before, all of it after that:
    what a commit's own hook showed came too late for it."""
    told = {i: record for i, (_, record) in known.items() if record.text("alternative")}
    looked = {i: echo_adopted.Alternative(known[i][0].index.words, record) for i, record in told.items()}
    looked = {i: one for i, one in looked.items() if one.telling}
    found: dict[str, list[Row]] = {}
    read = 0
    for commit in commits:
        rows = {i: _before(shown[i], commit.at * 1000 - 1) for i in looked}
        left = {i: row for i, row in rows.items() if row is not None}
        held = [i for i in left if looked[i].in_message(commit.message)]
        rest = [i for i in left if i not in held]
        if rest and read < thresholds.ECHO_ADDED_COMMITS:
            read += 1
            added = echo_adopted.Added(known[rest[0]][0].index.words, _added(place, commit))
            held += [i for i in rest if looked[i].in_lines(added)]
        elif rest and read == thresholds.ECHO_ADDED_COMMITS:
            read += 1
            notes.append(f"of commits before the newest {read - 1:,} the messages alone were looked at")
        if held:
            found[commit.oid] = [row for i, row in left.items() if i in held]
    return found


def _added(place: Place, commit: Commit) -> list[list[str]]:
    try:
        return difference.added(place, commit.oid, thresholds.ECHO_ADDED_MOST)
    except TimeoutError:
        return []


def _before(showings: Sequence[_Showing], until: int) -> Row | None:
    """Where it was shown last up to then."""
    return next((one.row for one in reversed(showings) if one.at <= until), None)


class Unused:
    """A record that was shown often and never used. since: the first showing, milliseconds since 1970."""

    __slots__ = ("id", "shown", "since", "surfaces", "title")

    def __init__(self, rows: Sequence[Row]) -> None:
        self.id = rows[0].id
        self.title = rows[0].title
        self.shown = sum(row.shown for row in rows)
        self.since = min(row.first_shown for row in rows)
        self.surfaces = [row.surface for row in sorted(rows, key=lambda row: (-row.shown, row.surface))]


def unused(place: Place, looked: Looked | None = None) -> list[Unused]:
    """Those shown often that no commit cited or took up, and nobody called useful; the most shown first."""
    by_id: dict[str, list[Row]] = {}
    for row in (looked or look(place)).rows:
        by_id.setdefault(row.id, []).append(row)
    useful = {row[0] for row in ledger.read(place, "feedback", ("id",), "word = ?", (feedback.USEFUL,))}
    found = [
        Unused(rows)
        for name, rows in by_id.items()
        if not any(row.cited or row.adopted for row in rows) and name not in useful
    ]
    often = [one for one in found if one.shown >= thresholds.REPORT_OFTEN]
    return sorted(often, key=lambda one: (-one.shown, one.id))
