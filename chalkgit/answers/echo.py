"""Was a record that was shown ever used? Cited in a commit, its alternative adopted, its route asked again.

    for row in echo.of(place): row.id, row.surface, row.shown, row.cited

Of git and the journal, and never by our own header words. A commit counts where it was made after the record
was shown, once, for the surface where it was shown last before. A commit of records alone is bookkeeping, and
counts for nothing. Who was kept from a dead end leaves no trace: a record without an echo may have helped.
Beside that stands, for a lesson, how many fixes came right after it was shown; that is no use, nor a cause.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from chalkgit import thresholds, times
from chalkgit.answers import echo_adopted, echo_fixed, repair, report_activity, sources
from chalkgit.answers.report_rows import Rows
from chalkgit.answers.sources import Source
from chalkgit.records import trailers
from chalkgit.records.record import Record, title
from chalkgit.store import difference, messages, questions
from chalkgit.store.messages import Commit
from chalkgit.store.place import Place

# Where a record is shown because somebody proposed its route, and only then.
_PROPOSED = ("@prompt", "@message")


class Row:
    """One record at one surface. title: None for a record that no store has any more. shown: how often;
    first_shown, last_shown: milliseconds since 1970. before_fix: failed runs it was shown for that the next
    run shows fixed. Showings in loops of an experiment are in neither: what came of them is its own to tell,
    and held against no record."""

    __slots__ = (
        "adopted",
        "before_fix",
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
        self.before_fix = 0
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
    __slots__ = ("at", "proposed", "row", "run")

    def __init__(self, at: int, row: Row, proposed: bool, run: str | None) -> None:
        self.at = at
        self.row = row
        self.proposed = proposed
        self.run = run


def of(place: Place, since: int | None = None) -> list[Row]:
    """Of what was shown since so many milliseconds. ChalkError where journal, git or the store give none."""
    return look(place, since).rows


def look(
    place: Place,
    since: int | None = None,
    asked: Sequence[Source] | None = None,
    rows: Rows | None = None,
) -> Looked:
    """The same, with what could not be looked at. asked: the stores, rows: the journal's rows, where somebody
    has them already."""
    read = rows or Rows(place, since or 0, times.milliseconds(times.system_clock()))
    shown = _shown(read)
    found = Looked()
    if not shown:
        return found
    _before_fix(shown, echo_fixed.fixed_runs(place, read))
    if asked is not None:
        return _looked(place, shown, asked, found)

    def opened(rebuild: bool) -> Looked:
        stores = sources.opened(place.require_store(), here=False, tell=lambda said: None, rebuild=rebuild)
        again = _shown(read) if rebuild else shown
        if rebuild:
            _before_fix(again, echo_fixed.fixed_runs(place, read))
        return _looked(place, again, stores, Looked())

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


def _shown(rows: Rows) -> dict[str, list[_Showing]]:
    """Id to its showings, the oldest first."""
    asked = rows.of("asked", "id", "kind", "verdict", "run")
    tried = {row["id"] for row in asked if _was_tried(row)}
    runs = {row["id"]: row["run"] for row in asked if row["run"]}
    held = rows.held.out["shown"]
    found: dict[str, list[_Showing]] = {}
    made: dict[tuple[str, str], Row] = {}
    for one in sorted(report_activity.records(rows), key=lambda one: one["at"]):
        name, surface = str(one["id"]), str(one["surface"] or "unknown")
        row = made.setdefault((name, surface), Row(name, surface, None))
        row.shown += one["asked"] not in held
        row.first_shown, row.last_shown = row.first_shown or one["at"], one["at"]
        proposed = one["path"] in _PROPOSED or (one["path"] == questions.ON_CHECK and one["asked"] in tried)
        found.setdefault(name, []).append(_Showing(one["at"], row, proposed, runs.get(one["asked"])))
    return found


def _was_tried(row: Mapping[str, Any]) -> bool:
    return bool(row["kind"] == questions.CHECK and row["verdict"] == "tried")


def _before_fix(shown: Mapping[str, Sequence[_Showing]], fixed: set[str]) -> None:
    """A run that two surfaces showed it for counts once, for the last of them."""
    for showings in shown.values():
        last = {one.run: one.row for one in showings if one.run in fixed}
        for row in last.values():
            row.before_fix += 1


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
    names = sorted(known)
    for commit in commits:
        named = set(trailers.whole(commit.message))
        for word in trailers.acknowledged(commit.message):
            named.update(_meant(word, names))
        for name in sorted(named & shown.keys()):
            row = _before(shown[name], (commit.at + thresholds.ECHO_LATE_SECONDS) * 1000)
            if row is not None:
                found.setdefault(commit.oid, []).append(row)
    return found


def _meant(word: str, known: Sequence[str]) -> list[str]:
    """The one record that a prefix of four letters and more stands for. known: in order."""
    at = bisect_left(known, word)
    found = [name for name in known[at : at + 2] if name.startswith(word)]
    return found if len(found) == 1 and len(word) >= trailers.SHORTEST else []


def _adopting(
    place: Place,
    commits: Sequence[Commit],
    shown: Mapping[str, Sequence[_Showing]],
    known: Mapping[str, tuple[Source, Record]],
    notes: list[str],
) -> dict[str, list[Row]]:
    """Commit to where the records whose alternative it took up were shown last before, all of it after that:
    what a commit's own hook showed came too late for it."""
    looked = _Alternatives(known)
    firsts = sorted(shown[i][0].at for i in looked.told)
    found: dict[str, list[Row]] = {}
    read = 0
    for commit in commits:
        until = commit.at * 1000 - 1
        before = bisect_right(firsts, until)  # so many were shown by then
        if not before:
            continue
        left = {i: row for i in looked.in_message(commit.message) if (row := _before(shown[i], until))}
        if before > len(left) and read < thresholds.ECHO_ADDED_COMMITS:
            read += 1
            lines = looked.in_lines(_added(place, commit))
            left |= {i: row for i in lines if i not in left and (row := _before(shown[i], until))}
        elif before > len(left) and read == thresholds.ECHO_ADDED_COMMITS:
            read += 1
            notes.append(f"of commits before the newest {read - 1:,} the messages alone were looked at")
        if left:
            found[commit.oid] = [left[i] for i in sorted(left, key=looked.order.__getitem__)]
    return found


class _Alternatives:
    """What records say to do instead, all of them asked at once by the words that they look for.

    told: id to what it says, where that is enough to be looked for. order: id to its place among them.
    """

    def __init__(self, known: Mapping[str, tuple[Source, Record]]) -> None:
        made = {
            i: echo_adopted.Alternative(source.index.words, record)
            for i, (source, record) in known.items()
            if record.text("alternative")
        }
        self.told = {i: one for i, one in made.items() if one.telling}
        self.order = {i: number for number, i in enumerate(self.told)}
        self._words = next((known[i][0].index.words for i in self.told), None)
        self._by_word: dict[str, list[str]] = {}
        for i, one in self.told.items():
            for word in one.words:
                self._by_word.setdefault(word, []).append(i)

    def in_message(self, text: str) -> list[str]:
        if self._words is None:
            return []
        message = echo_adopted.Message(self._words, text)
        return [i for i in self._near(message.said) if self.told[i].in_message(message)]

    def in_lines(self, runs: Sequence[Sequence[str]]) -> list[str]:
        if self._words is None:
            return []
        added = echo_adopted.Added(self._words, runs)
        return [i for i in self._near(added.said) if self.told[i].in_lines(added)]

    def _near(self, said: set[str]) -> set[str]:
        """Those that share a word with what was said."""
        return {i for word in said for i in self._by_word.get(word, ())}


def _added(place: Place, commit: Commit) -> list[list[str]]:
    try:
        return difference.added(place, commit.oid, thresholds.ECHO_ADDED_MOST)
    except TimeoutError:
        return []


def _before(showings: Sequence[_Showing], until: int) -> Row | None:
    """Where it was shown last up to then."""
    at = bisect_right(showings, until, key=attrgetter("at"))
    return showings[at - 1].row if at else None
