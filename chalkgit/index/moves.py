"""Where the files that records name have gone, kept in the table so that `at` need not walk history.

Only paths that left the work tree are searched, each once: the answer "deleted" is asked again when a
later commit renames that very path, or when history was rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.index.table import Damaged
from chalkgit.store import git, renames
from chalkgit.store.place import head


def earlier_names(index: Index, paths: Sequence[str]) -> dict[str, list[str]]:
    """Each path to the names it had before, of those that records use and that are no file now."""
    lost = _lost(index)
    if not lost:
        return {path: [] for path in paths}
    where = _targets(index, lost)
    staged = {old: new for old, new, _ in renames.pairs(renames.staged(index.place.root))}
    where.update((old, new) for old, new in staged.items() if old in lost)
    return {path: [old for old, new in where.items() if _same_or_inside(path, new)] for path in paths}


def _lost(index: Index) -> list[str]:
    """The plain paths that records name and the work tree does not have."""
    root = index.place.root
    named = index.table.rows("select distinct key from names where form = 'path'")
    return [key for (key,) in named if not os.path.lexists(os.path.join(root, key))]


def _targets(index: Index, lost: Sequence[str]) -> dict[str, str]:
    commit = head(index.place)
    if commit is None:
        return {}
    known = dict(index.table.rows("select old, new from moved"))
    known = {old: new for old, new in known.items() if not _outdated(index, new)}
    before = index.table.meta("moves-head")
    if before != commit:
        again = _renamed_since(index.place.root, before, commit)
        known = {old: new for old, new in known.items() if new or (again is not None and old not in again)}
    asked = [path for path in lost if path not in known][: thresholds.LOST_AT_ONCE]
    if asked or before != commit:
        found = renames.follow(index.place.root, asked, commit)
        known.update((path, found.get(path, "")) for path in asked)
        _keep(index, known, commit)
    return {old: new for old, new in known.items() if new}


def _outdated(index: Index, new: str) -> bool:
    return bool(new) and not os.path.lexists(os.path.join(index.place.root, new))


def _renamed_since(root: str, before: str | None, commit: str) -> set[str] | None:
    """The old names of the renames since `before`; None when that is no ancestor any more."""
    if before is None or git.ask(root, "merge-base", "--is-ancestor", before, commit)[0] != 0:
        return None
    shape = ("-z", "-M", f"-l{thresholds.RENAME_LIMIT}", "--diff-filter=R", "--name-status", "--format=")
    code, out, _ = git.ask(root, "log", *shape, f"{before}..{commit}")
    if code != 0:
        return None
    tokens = os.fsdecode(out).split("\0")
    return {
        tokens[at + 1] for at, token in enumerate(tokens[:-1]) if token[:1] == "R" and token[1:].isdigit()
    }


def _keep(index: Index, known: dict[str, str], commit: str) -> None:
    try:
        index.table.write(
            [
                ("delete from moved where ?", [(1,)]),
                ("insert into moved values (?, ?)", list(known.items())),
                ("insert or replace into meta values ('moves-head', ?)", [(commit,)]),
            ]
        )
    except (ChalkError, Damaged):
        pass  # a disk that takes no writes, or another process writing: searched again next time


def _same_or_inside(path: str, new: str) -> bool:
    return path == new or path.startswith(new + "/")
