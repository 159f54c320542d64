"""What people said of records that they were shown, wrong or useful, as the journal keeps it.

A person's last word on a record as it stands counts: an edit makes it another one, of which nobody has said
anything. What cannot be read says nothing, and costs nothing.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import journal_file, ledger, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from chalkgit.store.place import Place

    Row = tuple[object, ...]

WRONG, USEFUL = "wrong", "useful"
WORDS = (WRONG, USEFUL)
_AT_ONCE = 500  # SQLite takes 999 values in one statement


class Marks:
    """How many people say wrong, and how many useful, of one record as it stands."""

    __slots__ = ("useful", "wrong")

    def __init__(self, wrong: int = 0, useful: int = 0) -> None:
        self.wrong = wrong
        self.useful = useful

    @property
    def silenced(self) -> bool:
        """Whether it interrupts nobody any more."""
        return self.wrong - self.useful >= thresholds.FEEDBACK_SILENT

    def __bool__(self) -> bool:
        return bool(self.wrong or self.useful)


def marks(
    place: Place, ids: Iterable[str], hashes: Callable[[Sequence[str]], Mapping[str, str]]
) -> dict[str, Marks]:
    """Id to its marks, for those of these records that have any. One read, and no error.

    hashes: the content hashes of some of them, by id; asked for those alone that somebody spoke of.
    """
    rows = _read(place, list(dict.fromkeys(ids)))
    if not rows:
        return {}
    current = hashes(sorted({str(row[0]) for row in rows}))
    return counted(row for row in rows if row[1] == current.get(str(row[0])))


def counted(rows: Iterable[Row]) -> dict[str, Marks]:
    """rows: (id, hash, word, who), the oldest first; the last word of each person on each record counts."""
    last: dict[tuple[str, object], object] = {}
    for record_id, _, word, who in rows:
        if isinstance(record_id, str) and word in WORDS:
            last[record_id, who] = word
    found: dict[str, Marks] = {}
    for (record_id, _), word in last.items():
        one = found.setdefault(record_id, Marks())
        one.wrong += word == WRONG
        one.useful += word == USEFUL
    return found


def _read(place: Place, ids: Sequence[str]) -> list[Row]:
    if not ids or not journal_file.exists(place):
        return []
    found: list[Row] = []
    try:
        database = journal_file.opened(place)
        try:
            for at in range(0, len(ids), _AT_ONCE):
                some = ids[at : at + _AT_ONCE]
                within = ", ".join("?" * len(some))
                query = f"select id, hash, word, who from feedback where id in ({within}) order by rowid"
                found += database.execute(query, some).fetchall()
        finally:
            database.close()
    except (sqlite.Error, OSError, UnicodeEncodeError):
        return []  # no such table, where nobody ever said anything
    return found


def keep(
    place: Place, record_id: str, content: str, word: str, who: str | None, because: str | None, at: int
) -> str | None:
    """Keep one word; where the record was shown last. ChalkError where it cannot be kept."""
    refuse_off(place)
    try:
        surface = shown_last(place, record_id)
    except ChalkError:
        surface = None  # a damaged journal is put aside and begun again
    row: dict[str, ledger.Value] = {"at": at, "id": record_id, "hash": content, "word": word, "who": who}
    refused = ledger.add(place, {"feedback": [{**row, "surface": surface, "because": because}]})
    if refused is not None:
        raise ChalkError(
            f"what you say of {record_id} was not kept: {refused}",
            where=journal_file.path(place),
            hint="chalkgit doctor",
        )
    return surface


def withdraw(place: Place, record_id: str, who: str | None) -> int:
    """Take back what this person said of a record, of its earlier states too; how many words that were."""
    refuse_off(place)
    if not ledger.read(place, "feedback", ("id",), "id = ? and who is ?", (record_id, who)):
        return 0
    return ledger.change(place, "delete from feedback where id = ? and who is ?", (record_id, who))


def refuse_off(place: Place) -> None:
    """ChalkError where the journal is switched off, for then nothing is kept."""
    if ledger.is_off(place):
        raise ChalkError(
            "the journal is off here, and feedback is kept in it: nothing was changed",
            hint="chalkgit journal on",
        )


def shown_last(place: Place, record_id: str) -> str | None:
    """The surface where a record was shown last; None where it was not."""
    rows = ledger.read(place, "shown", ("surface",), "id = ?", (record_id,))
    surface = rows[-1][0] if rows else None
    return surface if isinstance(surface, str) else None
