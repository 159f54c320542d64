"""Records as a report tells them: what became of those that were shown, what people said, open lessons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from chalkgit import thresholds, times
from chalkgit.answers import echo as echoes
from chalkgit.answers import report_activity, stored
from chalkgit.answers.report_rows import Buckets, Row, Rows, instant, share
from chalkgit.index.generation import Index
from chalkgit.records.record import Record, is_open, title
from chalkgit.records.status import excluded
from chalkgit.store import moments, worktree
from chalkgit.store.place import Place

USES = ("cited", "adopted", "proposed_again", "before_fix")
USEFUL, WRONG = "useful", "wrong"
# what a record has come to, the first that holds
EARNS, FALSE_ALARM, FIXED = "earns its keep", "false alarm", "shown before a fix"
UNUSED, EARLY = "never used", "too early to say"


class Echoed(list[Any]):
    """Rows, and in `notes` what could not be looked at."""

    def __init__(self, rows: Iterable[Any] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(rows)
        self.notes = list(notes)


class Known(dict[str, Record]):
    """The records of a store by id, and the content hash of each."""

    hashes: Mapping[str, str] = {}


def echoed(place: Place, rows: Rows) -> Echoed:
    """Of each record and surface: shown, cited, adopted, proposed_again, before_fix, last_shown."""
    # a commit that cites a record counts wherever that was shown; how often in an experiment is not told
    looked = echoes.look(place, rows=Rows(place, rows.since, rows.until))
    return Echoed(looked.rows, looked.notes)


def echo(found: Echoed) -> dict[str, Any]:
    """The same, surface by surface, with how many records were used in any way."""
    surfaces: dict[str, list[Row]] = {}
    for row in found:
        surfaces.setdefault(str(row["surface"]), []).append(row)
    return {
        "data": bool(found),
        "notes": found.notes,
        "records": len({row["id"] for row in found}),
        "used": len({row["id"] for row in found if used(row)}),
        "surfaces": [{"surface": name, **_added(rows)} for name, rows in surfaces.items()],
    }


def used(row: Row) -> int:
    """How often a record was cited or its alternative adopted. Its route proposed again is no use of it."""
    return int(row["cited"] or 0) + int(row["adopted"] or 0)


def keeping(rows: Rows, found: Sequence[Row] | None, known: Mapping[str, Record] | None) -> dict[str, Any]:
    """Every record that was shown, what it was good for, and what to call that; the most shown first.

    found: of `echoed`, None where nobody can tell. known: the store's records, None where it is not read.
    """
    shown: Counter[str] = Counter()
    last: dict[str, int] = {}
    for row in report_activity.records(rows):
        shown[row["id"]] += 1
        last[row["id"]] = max(row["at"], last.get(row["id"], 0))
    uses: dict[str, Counter[str]] = {}
    for row in found or ():
        uses.setdefault(row["id"], Counter()).update({use: row[use] or 0 for use in USES})
    said, earlier = _said(rows, known.hashes if isinstance(known, Known) else {})
    listed = []
    for name in sorted(
        {*shown, *uses, *(about for about, _ in (*said, *earlier))}, key=lambda i: (-shown[i], i)
    ):
        record = None if known is None else known.get(name)
        one = {
            "id": name,
            "title": None if record is None else title(record),
            "kind": None if record is None else record.kind,
            "shown": shown[name],
            "last_shown": instant(last[name]) if name in last else None,
            **{use: None if found is None else uses.get(name, Counter())[use] for use in USES},
            "useful": said[name, USEFUL],
            "wrong": said[name, WRONG],
            "earlier": {word: earlier[name, word] for word in (USEFUL, WRONG)},
        }
        listed.append({**one, "verdict": _verdict(one)})
    verdicts = Counter(one["verdict"] for one in listed)
    return {
        "data": bool(listed),
        "count": len(listed),
        "verdicts": {name: verdicts[name] for name in (EARNS, FALSE_ALARM, FIXED, UNUSED, EARLY)},
        "records": listed[: thresholds.REPORT_ROWS],
    }


def alarms(rows: Rows, buckets: Buckets, known: Mapping[str, Record] | None) -> dict[str, Any]:
    """What people said of records that were shown: false alarms, and the others. The last word counts."""
    words = list(_words(rows).values())
    said = Counter(row["word"] for row in words)
    by_surface = Counter((row["surface"] or "not shown", row["word"]) for row in words)
    over_time = Counter((buckets.start(row["at"]), row["word"]) for row in words)
    newest = sorted((row for row in words if row["word"] == WRONG), key=lambda row: -row["at"])
    return {
        "data": bool(words),
        "wrong": said[WRONG],
        "useful": said[USEFUL],
        "wrong_share": share(said[WRONG], len(words)),
        "surfaces": [
            {"surface": name, "wrong": by_surface[name, WRONG], "useful": by_surface[name, USEFUL]}
            for name in sorted({surface for surface, _ in by_surface})
        ],
        "marked": [
            {
                "id": row["id"],
                "title": title(known[row["id"]]) if known is not None and row["id"] in known else None,
                "at": instant(row["at"]),
                "who": row["who"],
                "surface": row["surface"],
            }
            for row in newest[: thresholds.REPORT_ROWS]
        ],
        "buckets": [
            {"from": s, WRONG: over_time[s, WRONG], USEFUL: over_time[s, USEFUL]} for s in buckets.starts
        ],
    }


def all_of(index: Index) -> dict[str, Record]:
    """The records of a store, its working notes left out."""
    paths = sorted(index.table.ids().values())
    found = (r for r in stored.read(index, paths) if not r.path.startswith(worktree.NOTES + "/"))
    known = Known((record.id, record) for record in found)
    hashes = index.table.hashes([record.path for record in known.values()])
    known.hashes = {record.id: hashes.get(record.path, "") for record in known.values()}
    return known


def open_lessons(index: Index, known: Mapping[str, Record], now: datetime) -> dict[str, Any]:
    """Failures that nobody has said the fix of, and for how long; the oldest first."""
    replaced = stored.superseded(index)
    recorded = moments.recorded(index.place)
    listed = []
    for record in known.values():
        if is_open(record) and excluded(record, now=now, superseded=replaced) == "open":
            since = _since(record, recorded)
            days = None if since is None else max(times.age_days(since, now), 0)
            ticket = record.part("failure", "ticket")
            one = {"id": record.id, "title": title(record), "ticket": ticket, "path": record.path}
            listed.append({**one, "since": since, "days": days})
    listed.sort(key=lambda one: (one["days"] is None, -(one["days"] or 0), one["id"]))
    return {
        "data": any(record.kind == "lesson" for record in known.values()),
        "open": len(listed),
        "resolved": sum(r.kind == "lesson" and not is_open(r) for r in known.values()),
        "oldest_days": listed[0]["days"] if listed else None,
        "ages": _ages([one["days"] for one in listed if one["days"] is not None]),
        "lessons": listed[: thresholds.REPORT_ROWS],
    }


def _words(rows: Rows) -> dict[tuple[str, str, str], Row]:
    """The last word of each person on each text of each record: an edit begins anew."""
    found = rows.of("feedback", "id", "hash", "word", "who", "surface")
    said = [row for row in found if row["id"] and row["word"] in (USEFUL, WRONG)]
    return {(row["id"], row["hash"] or "", row["who"] or ""): row for row in said}


def _said(rows: Rows, hashes: Mapping[str, str]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How many say what of each record as it stands, as `check` counts it, and of its earlier texts. Where
    nobody can tell how it stands, the last text that anybody spoke of is that; a row without one counts."""
    words = _words(rows)
    latest = {about: text for about, text, _ in sorted(words, key=lambda key: words[key]["at"])}
    stands = {**latest, **{about: hashes[about] for about in latest if about in hashes}}
    now: Counter[tuple[str, str]] = Counter()
    before: Counter[tuple[str, str]] = Counter()
    for (about, text, _), row in words.items():
        (now if text in ("", stands[about]) else before)[about, row["word"]] += 1
    return now, before


def _added(found: Sequence[Row]) -> dict[str, int]:
    return {name: sum(row[name] or 0 for row in found) for name in ("shown", *USES)}


def _verdict(one: Mapping[str, Any]) -> str:
    if one["wrong"] > one["useful"]:
        return FALSE_ALARM
    if one["useful"] or one["cited"] or one["adopted"]:
        return EARNS
    if one["before_fix"]:
        return FIXED
    # what nobody can tell is not held against a record, nor what was said in favour of an earlier text
    often = one["cited"] is not None and one["shown"] >= thresholds.REPORT_OFTEN
    return UNUSED if often and not one["earlier"][USEFUL] else EARLY


def _since(record: Record, recorded: Mapping[str, moments.Moment]) -> str | None:
    """The day that it names, which is the day it failed; else when git learned of it."""
    said = record.text("valid-from")
    if said and times.is_date(said):
        return said
    return recorded.get(record.path, moments.UNCOMMITTED)[1]


def _ages(days: Sequence[int]) -> list[dict[str, Any]]:
    ends = [0, *thresholds.REPORT_AGES, None]
    return [
        {"from": low, "to": high, "lessons": sum(low <= d and (high is None or d < high) for d in days)}
        for low, high in pairwise(ends)
        if low is not None
    ]
