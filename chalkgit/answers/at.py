"""at: the rulings that name these files, newest first, with what has moved since; what people marked wrong
comes last.

A record names a file by its path, by a folder above it, by a glob, or by a bare name where it spelled no
folder. A file that was renamed keeps the rulings of its earlier names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from chalkgit.answers import naming, stored
from chalkgit.answers.ruling import Ruling, measure
from chalkgit.index import moves
from chalkgit.index.generation import Index
from chalkgit.records.status import excluded
from chalkgit.store import feedback, git, renames

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.trusted import Withheld


def rulings(
    index: Index,
    paths: Sequence[str],
    now: datetime,
    staged: git.Child | None,
    withheld: Withheld | None = None,
) -> list[Ruling]:
    """The rulings on these repository paths; each carries the `files` of them that it names.

    staged: the renames in the index, which `renames.staged` began to ask git for; None where the index is of
    a commit. withheld: what the policy leaves out.
    """
    named = naming.files(index.table, _earlier(index, paths, staged))
    replaced = stored.superseded(index)
    found = []
    for record in stored.read(index, list(named)):
        if excluded(record, now=now, superseded=replaced) is not None:
            continue
        if withheld is None or withheld.shows(index.place, record):
            ruling = Ruling(record, index.place)
            ruling.files = named[record.path]
            found.append(ruling)
    measure(found, index.place, now, {index.place.root: index})
    _mark(index, found)
    return sorted(found, key=lambda ruling: (ruling.silenced, *_newest(ruling)))


def _mark(index: Index, found: Sequence[Ruling]) -> None:
    """What people here say of them; nothing of a past, since they said it later."""
    if index.commit is not None or not found:
        return
    paths = {ruling.record.id: ruling.record.path for ruling in found}

    def hashes(ids: Sequence[str]) -> dict[str, str]:
        by_path = index.table.hashes([paths[name] for name in ids])
        return {name: by_path.get(paths[name], "") for name in ids}

    marks = feedback.marks(index.place, paths, hashes)
    for ruling in found:
        ruling.feedback = marks.get(ruling.record.id)


def _earlier(index: Index, paths: Sequence[str], staged: git.Child | None) -> dict[str, list[str]]:
    if staged is not None:
        return moves.earlier_names(index, paths, renames.pairs(staged))
    from chalkgit.index import past

    return past.earlier_names(index, paths)


def _newest(ruling: Ruling) -> tuple[bool, str, str]:
    stamp = ruling.recorded_at or ruling.when or ""
    # what is not committed yet is the newest; then by time, descending, in one order for equal ones
    return not ruling.uncommitted, "".join(chr(0x10FFF - ord(c)) for c in stamp), ruling.record.id
