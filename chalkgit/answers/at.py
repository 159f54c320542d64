"""at: the rulings that name these files, newest first, with what has moved since.

A record names a file by its path, by a folder above it, by a glob, or by a bare name where it spelled no
folder. A file that was renamed keeps the rulings of its earlier names.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from chalkgit.answers import globs
from chalkgit.answers.ruling import Ruling, measure
from chalkgit.answers.sources import read, superseded
from chalkgit.errors import ChalkError
from chalkgit.index import moves
from chalkgit.index.generation import Index
from chalkgit.index.table import Table
from chalkgit.records.status import excluded
from chalkgit.store import git, renames
from chalkgit.store.place import Place


def repository_path(place: Place, path: str, directory: str) -> str:
    """A path as typed in `directory`, relative to the repository's root; it need not exist."""
    absolute = os.path.normpath(os.path.join(directory, path))
    inside = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
    relative = os.path.relpath(inside, place.root)
    if relative == ".." or relative.startswith("../"):
        raise ChalkError(f"{path} is outside this repository", where=place.root)
    return relative


def rulings(index: Index, paths: Sequence[str], now: datetime, staged: git.Child) -> list[Ruling]:
    """The rulings on these repository paths; each carries the `files` of them that it names.

    staged: the renames in the index, which `renames.staged` began to ask git for.
    """
    table, replaced = index.table, superseded(index)
    named: dict[str, list[str]] = {}
    for path, earlier in moves.earlier_names(index, paths, renames.pairs(staged)).items():
        for name in [path, *earlier]:
            for file in naming(table, name):
                named.setdefault(file, []).append(path)
    found = []
    for record in read(index, list(named)):
        if excluded(record, now=now, superseded=replaced) is None:
            ruling = Ruling(record, index.place)
            ruling.files = list(dict.fromkeys(named[record.path]))
            found.append(ruling)
    measure(found, index.place, now, {index.place.root: index})
    return sorted(found, key=_newest)


def naming(table: Table, path: str) -> list[str]:
    """The record files that name one path."""
    folders = path.split("/")
    above = ["/".join(folders[:depth]) for depth in range(1, len(folders))]
    keys = [path, *above, *(folder + "/" for folder in above), path + "/"]
    found = [row[0] for row in table.named(keys, "path")]
    # a bare name is any file of that name; the same word can be a folder of the root
    found += [row[0] for row in table.named(list(dict.fromkeys([folders[-1], folders[0]])), "name")]
    found += [file for file, glob in table.globs() if globs.matches(glob, path)]
    return found


def _newest(ruling: Ruling) -> tuple[bool, str, str]:
    stamp = ruling.recorded_at or ruling.when or ""
    # what is not committed yet is the newest; then by time, descending, in one order for equal ones
    return not ruling.uncommitted, "".join(chr(0x10FFF - ord(c)) for c in stamp), ruling.record.id
