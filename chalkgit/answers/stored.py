"""What one store's index says: its records, which of them are replaced, and what is wrong with its files."""

from __future__ import annotations

from chalkgit.errors import Problem
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping

    from chalkgit.index.generation import Index


def read(index: Index, paths: list[str]) -> list[Record]:
    """The records at these paths; of two files with one id the first alone counts."""
    made = [Record(fields, path) for path, fields in index.table.fields(paths).items()]
    counts = set(index.table.paths([record.id for record in made]))
    return [record for record in made if record.path in counts]


def superseded(index: Index) -> Mapping[str, str]:
    """Id to its successor, of the successors that are committed."""
    return dict(index.table.rows("select old, new from successors where effective = 1"))


def awaited(index: Index) -> list[tuple[str, str]]:
    """(id, successor) of the successors that are not committed, so that the other one stands."""
    return [
        (old, new) for old, new in index.table.rows("select old, new from successors where effective = 0")
    ]


def problems(index: Index) -> list[Problem]:
    """What is wrong with the record files of one store, twice used ids included."""
    return [
        Problem(path, line, message, hint, fatal=bool(fatal))
        for path, line, message, hint, fatal in index.table.problems()
    ]
