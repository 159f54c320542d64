"""Of the report card: whether what was shown was used, what people said of it, the decider, open lessons."""

from __future__ import annotations

from collections.abc import Mapping

from chalkgit import thresholds
from chalkgit.render.clean import line
from chalkgit.render.report_asked import surface
from chalkgit.render.report_parts import (
    NOTHING,
    ROWS,
    Cell,
    Chart,
    Figure,
    Part,
    Table,
    count,
    day,
    milliseconds,
    number,
    plural,
    word,
)
from chalkgit.render.report_time import over_time

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

_USES = {
    "cited": ("cited in a commit", "strong"),
    "adopted": ("alternative adopted", "middle"),
    "proposed_again": ("proposed again", "warm"),
    "before_fix": ("shown before a fix", "leaf"),
}
_CAME = {
    "earns its keep": ("earns its keep", "earn their keep"),
    "false alarm": ("was a false alarm", "were false alarms"),
    "shown before a fix": ("was shown before a fix and no more", "were shown before a fix and no more"),
    "never used": ("was shown often and never used", "were shown often and never used"),
    "too early to say": ("is too new to say", "are too new to say"),
}


def echo(found: Mapping[str, Any]) -> Part:
    rows = found["surfaces"]
    part = Part(
        "echo",
        f"Of {plural(found['records'], 'record')} that {'was' if found['records'] == 1 else 'were'} shown, "
        f"{number(found['used'])} {'was' if found['used'] == 1 else 'were'} used: cited in a commit, "
        f"or {'its' if found['records'] == 1 else 'with their'} alternative adopted.",
    )
    part.notes = [f"Not looked at: {note}." for note in found["notes"]]
    labels = [surface(row["surface"]) for row in rows]
    series = [(said, tone, [row[use] for row in rows]) for use, (said, tone) in _USES.items()]
    chart = Chart("echo", "What became of what was shown, by where", ROWS, labels, series)
    numbers = [
        [
            word(label),
            *(count(row[name], f"echo.surfaces.{i}.{name}") for name in ("shown", *_USES)),
        ]
        for i, (label, row) in enumerate(zip(labels, rows, strict=True))
    ]
    heads = ("where", "shown", "cited", "adopted", "again", "before a fix")
    part.notes.append(
        "“Before a fix”: a lesson was shown for a failed run, and the next run of the loop shows it fixed. "
        "Whether the lesson did it, that does not say. Loops of an experiment are left to it."
    )
    part.figures = [Figure(chart, Table("What became of what was shown", heads, numbers))]
    return part


def records(found: Mapping[str, Any]) -> Part:
    verdicts = found["verdicts"]
    listed = found["records"][: thresholds.REPORT_LISTED]
    part = Part(
        "records",
        f"Of {plural(found['count'], 'record')} that reached somebody "
        + ", ".join(f"{number(n)} {_CAME[name][n != 1]}" for name, n in verdicts.items())
        + ".",
    )
    chart = Chart(
        "records",
        "What the records that were shown came to",
        ROWS,
        list(verdicts),
        [("records", "strong", list(verdicts.values()))],
    )
    numbers = [[word(name), count(n, f"records.verdicts.{name}")] for name, n in verdicts.items()]
    part.figures = [Figure(chart, Table("Records by what they came to", ("", "records"), numbers))]
    names = ("shown", "cited", "adopted", "before_fix", "useful", "wrong")
    rows = [
        [
            _record(one),
            *(count(one[name], f"records.records.{i}.{name}") for name in names),
            word(one["verdict"], f"records.records.{i}.verdict"),
        ]
        for i, one in enumerate(listed)
    ]
    heads = ("record", "shown", "cited", "adopted", "before a fix", "useful", "wrong", "so far")
    older = sum(sum(one["earlier"].values()) for one in found["records"])
    if older:
        part.notes.append(
            f"{plural(older, 'mark')} of an earlier text of a record {'is' if older == 1 else 'are'} not "
            "counted here, as check does not: an edit begins anew."
        )
    more = found["count"] - len(listed)
    part.tables = [Table("The records that were shown most", heads, rows, named=True, more=more)]
    return part


def alarms(found: Mapping[str, Any], unit: str) -> Part:
    share = found["wrong_share"]
    shared = "" if share is None else f" ({100 * share:.0f} % false alarms)"
    part = Part(
        "alarms",
        f"{number(found['wrong'])} marked wrong and {number(found['useful'])} useful{shared}.",
    )
    series = (("wrong", "wrong", "warm"), ("useful", "useful", "strong"))
    title = "What people said of what they were shown"
    part.figures = [over_time(found["buckets"], unit, "alarms", title, series, "alarms.buckets.{}")]
    said = [
        [
            word(surface(one["surface"])),
            *(count(one[name], f"alarms.surfaces.{i}.{name}") for name in ("wrong", "useful")),
        ]
        for i, one in enumerate(found["surfaces"])
    ]
    marked = found["marked"][: thresholds.REPORT_LISTED]
    rows = [
        [
            _record(one),
            day(one["at"], f"alarms.marked.{i}.at"),
            word(surface(one["surface"])),
            word(one["who"], f"alarms.marked.{i}.who"),
        ]
        for i, one in enumerate(marked)
    ]
    more = found["wrong"] - len(marked)
    heads = ("record", "when", "where", "who")
    part.tables = [Table("By where it was shown", ("where", "wrong", "useful"), said)]
    part.tables += [Table("Marked wrong, the newest first", heads, rows, named=True, more=more)]
    return part


def decider(found: Mapping[str, Any]) -> Part:
    part = Part(
        "decider",
        f"{plural(found['requests'], 'request')}, {plural(found['answers'], 'answer')}, "
        f"{number(found['yes'])} of them yes. {number(found['judged'])} were judged, "
        f"{number(found['right'])} of these right.",
    )
    if found["ms"]["median"] is not None:
        felt = [milliseconds(round(found["ms"][name])) for name in ("median", "p90")]
        part.lede += f" Half of the requests took {felt[0]}, nine of ten {felt[1]}."
    names = {
        "requests": "requests",
        "answers": "answers",
        "yes": "said yes",
        "judged": "judged",
        "right": "right",
    }
    values = [found[name] for name in names]
    chart = Chart("decider", "What was asked of it", ROWS, list(names.values()), [("", "strong", values)])
    rows = [[word(said), count(found[name], f"decider.{name}")] for name, said in names.items()]
    part.figures = [Figure(chart, Table("What was asked of it", ("", "number"), rows))]
    for gate in found["gates"]:
        state = "it may act" if gate["met"] else f"it does not act: {gate['why']}"
        if gate["left_out"]:
            state += f" ({number(gate['left_out'])} more about the same records left out)"
        part.notes.append(
            f"The model {word(gate['model']).text} at {word(gate['url']).text}: {word(state).text}."
        )
    if found["troubles"]:
        told = ", ".join(f"{word(why).text} ({number(n)})" for why, n in found["troubles"].items())
        part.notes.append(f"No answer, and why: {told}.")
    return part


def lessons(found: Mapping[str, Any]) -> Part:
    listed = found["lessons"][: thresholds.REPORT_LISTED]
    oldest = found["oldest_days"]
    since = "" if oldest is None else f", the oldest for {plural(oldest, 'day')}"
    part = Part(
        "lessons",
        f"{plural(found['open'], 'lesson')} open{since}; {number(found['resolved'])} resolved.",
    )
    ages = [_age(one) for one in found["ages"]]
    drawn = [("lessons", "strong", [one["lessons"] for one in found["ages"]])]
    numbers = [
        [word(age), count(one["lessons"], f"lessons.ages.{i}.lessons")]
        for i, (age, one) in enumerate(zip(ages, found["ages"], strict=True))
    ]
    table = Table("Open lessons, by how long", ("open for", "lessons"), numbers)
    part.figures = [Figure(Chart("lessons", "Open lessons, by how long", ROWS, ages, drawn), table)]
    rows = [
        [
            _record(one),
            word(one["ticket"], f"lessons.lessons.{i}.ticket"),
            count(one["days"], f"lessons.lessons.{i}.days"),
        ]
        for i, one in enumerate(listed)
    ]
    more = found["open"] - len(listed)
    part.tables = [Table("The oldest", ("lesson", "ticket", "days"), rows, named=True, more=more)]
    return part


def _record(one: Mapping[str, Any]) -> Cell:
    """A record as people know it: what it is called, and its id."""
    title = one["title"]
    return Cell(NOTHING if title is None else _short(line(title)), also=line(one["id"]))


def _short(title: str) -> str:
    return title if len(title) <= thresholds.REPORT_TITLE else title[: thresholds.REPORT_TITLE - 1] + "…"


def _age(one: Mapping[str, Any]) -> str:
    return f"over {one['from']} days" if one["to"] is None else f"{one['from']} to {one['to'] - 1} days"
