"""Records that people marked wrong, and those that were shown often and never used: with why, in words.

Both are of this machine. What is not known is a note, and accuses no record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chalkgit import times
from chalkgit.answers import echo, echo_unused
from chalkgit.answers.sources import Source
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.store import feedback, ledger


def wrong(index: Index, living: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Those that interrupt nobody here any more, and everybody elsewhere."""
    paths = {record.id: record.path for record in living}
    hashes = index.table.hashes(list(paths.values()))
    marks = feedback.marks(index.place, paths, lambda ids: {i: hashes.get(paths[i], "") for i in ids})
    for record in living:
        one = marks.get(record.id)
        if one is not None and one.silenced:
            said = _because(index, record.id, hashes.get(record.path, ""))
            times_of = f"{one.wrong} time{'s' if one.wrong != 1 else ''}"
            yield record, f"marked wrong {times_of} and useful {one.useful} on this machine{said}"


def _because(index: Index, record_id: str, content: str) -> str:
    """Why, in the words of whoever gave the last reason."""
    columns, where = ("who", "because"), "id = ? and hash = ? and word = ? and because is not null"
    try:
        rows = ledger.read(index.place, "feedback", columns, where, (record_id, content, feedback.WRONG))
    except ChalkError:
        return ""  # a journal of an earlier version has no reasons
    return f"; {rows[-1][0] or 'somebody'}: {rows[-1][1]}" if rows else ""


def unused(index: Index, living: Sequence[Record], notes: list[str]) -> list[tuple[Record, str]]:
    """Those of these that nobody ever used, by the journal and git. notes: takes what is not known."""
    by_id = {record.id: record for record in living}
    try:
        looked = echo.look(index.place, None, [Source(index, elsewhere=False, label="", hidden=set())])
        found = [one for one in echo_unused.of(index.place, looked) if one.id in by_id]
    except ChalkError as error:
        notes.append(f"what was shown and never used is not known: {error.message}")
        return []
    if found:
        notes.append(
            "used or not: a record that kept somebody from a dead end leaves no trace; chalkgit feedback "
            "ID useful tells of it"
        )
        notes += [f"used or not: {note}" for note in looked.notes]
    return [(by_id[one.id], _why(one)) for one in found]


def _why(one: echo_unused.Unused) -> str:
    since = times.day(times.of_milliseconds(one.since))
    return (
        f"shown {one.shown} times since {since} on this machine ({', '.join(one.surfaces)}); no commit since "
        "cites it or does what it says to do instead, no fix came right after, and nobody called it useful"
    )
