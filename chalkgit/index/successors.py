"""Which records replace others by now: a successor takes effect once it is committed.

HEAD's version of its file must name the old id. Where HEAD has the very content that the table was read
from, nothing is parsed: HEAD moves with every commit, and a hook waits for this.
"""

from __future__ import annotations

import os

from chalkgit.errors import ChalkError
from chalkgit.store import git, place
from chalkgit.store.renames import COMMAND_LINE

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalkgit.index.generation import Index

    Statement = tuple[str, Sequence[Sequence[object]]]
    Row = tuple[str, str, str]  # the old id, the new one, and the new one's file


def stored(index: Index) -> list[Row]:
    return [(r[0], r[1], r[2]) for r in index.table.rows("select old, new, path from successors")]


def judged(
    index: Index, rows: Sequence[Row], blobs: Mapping[str, str | None], *, again: bool = True
) -> list[Statement]:
    """What to write so that `effective` holds at HEAD. blobs: path to git's id for what was read there.

    again: `rows` are all there are; else new ones, and the others were judged by this HEAD.
    """
    commit = place.head(index.place) or ""
    by_path: dict[str, set[str]] = {}
    for old, _, path in rows:
        by_path.setdefault(path, set()).add(old)
    committed = _committed(index, by_path, blobs, commit) if rows and commit else {}
    effective = [(old, new, path) for old, new, path in rows if old in committed.get(path, ())]
    return [
        *([("update successors set effective = ? where 1", [(0,)])] if again else ()),
        ("update successors set effective = 1 where old = ? and new = ? and path = ?", effective),
        ("insert or replace into meta values ('successors-head', ?)", [(commit,)]),
    ]


def again(index: Index) -> None:
    """Judge all by the HEAD of now; ChalkError where the disk takes no writes."""
    rows = stored(index)
    found = index.table.some("select path, blob from files where path in", sorted({row[2] for row in rows}))
    index.table.write(judged(index, rows, dict(found)))


def _committed(
    index: Index, by_path: Mapping[str, set[str]], blobs: Mapping[str, str | None], commit: str
) -> dict[str, set[str]]:
    """Path to the ids that HEAD's version of the record supersedes."""
    wanted = sorted(by_path)
    held = _in_head(index, wanted, commit)
    same = {path for path in wanted if path in held and held[path] == blobs.get(path)}
    found = {path: by_path[path] for path in same}
    others = [path for path in wanted if path in held and path not in same]
    if others:
        from chalkgit.store import snapshot

        try:
            asked = others if len(others) <= COMMAND_LINE else [place.LESSONS]
            tree = snapshot.of_paths(index.place, commit, asked)
        except ChalkError:
            return found  # HEAD cannot be read: what it replaces, if anything, still stands
        found.update({r.path: set(r.items("supersedes")) for r in tree.records.values() if r.path in others})
    return found


def _in_head(index: Index, paths: Sequence[str], commit: str) -> dict[str, str]:
    asked = paths if len(paths) <= COMMAND_LINE else [place.LESSONS]
    code, out, _ = git.ask(index.place.root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *asked)
    rows = [row.split("\t", 1) for row in os.fsdecode(out).split("\0") if row] if code == 0 else []
    return {path: about.split(" ")[2] for about, path in rows}
