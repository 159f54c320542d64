"""How much of what interrupted people here they called wrong: for who measures what a model's answers mean.

A count and no calibration: proposals are not kept, so nothing says which words a record was wrong for.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.store import feedback, ledger, questions
from chalkgit.store.place import Place

_DOORS = ("@prompt", "@message")  # where nothing is shown but what was tried


class Interrupted:
    """records: how many interrupted somebody; wrong, useful: how many of these people call so, by the last
    word of each. since: milliseconds since 1970."""

    __slots__ = ("records", "since", "useful", "wrong")

    def __init__(self) -> None:
        self.records = self.wrong = self.useful = 0
        self.since: int | None = None


def interrupted(place: Place) -> Interrupted | None:
    """None where the journal cannot be read."""
    found = Interrupted()
    try:
        tried = {
            row[0]
            for row in ledger.read(
                place, "asked", ("id",), "kind = ? and verdict = 'tried'", (questions.CHECK,)
            )
        }
        shown = [
            row
            for row in ledger.read(place, "shown", ("id", "path", "asked", "at"))
            if row[0] and (row[1] in _DOORS or (row[1] == questions.ON_CHECK and row[2] in tried))
        ]
        marks = feedback.counted(ledger.read(place, "feedback", ("id", "hash", "word", "who")))
    except ChalkError:
        return None
    names = {str(row[0]) for row in shown}
    found.records = len(names)
    found.since = min((row[3] for row in shown if isinstance(row[3], int)), default=None)
    said = [marks[name] for name in names if name in marks]
    found.wrong = sum(one.silenced for one in said)
    found.useful = sum(one.useful > one.wrong for one in said)
    return found
