"""Which record files name a path: by the path itself, a folder above it, a glob, or a bare name."""

from __future__ import annotations

import time

from chalkgit.answers import globs

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalkgit.index.table import Table


def files(
    table: Table, asked: Mapping[str, Sequence[str]], seconds: float | None = None
) -> dict[str, list[str]]:
    """Record file to the paths among `asked` that it names; each path comes with its earlier names.

    OutOfTime where comparing globs takes longer than `seconds`.
    """
    owners: dict[str, list[str]] = {}
    for path, earlier in asked.items():
        for name in dict.fromkeys([path, *earlier]):
            owners.setdefault(name, []).append(path)
    by_path: dict[str, list[str]] = {}
    by_name: dict[str, list[str]] = {}
    for name in owners:
        parts = name.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        for key in dict.fromkeys([name, *above, *(folder + "/" for folder in above), name + "/"]):
            by_path.setdefault(key, []).append(name)
        # a bare name is any file of that name; the same word can be a folder of the root
        for key in dict.fromkeys([parts[-1], parts[0]]):
            by_name.setdefault(key, []).append(name)
    found: dict[str, dict[str, None]] = {}
    hits = [(file, by_path[key]) for file, key in table.named(list(by_path), "path")]
    hits += [(file, by_name[key]) for file, key in table.named(list(by_name), "name")]
    ended = _compare(table.globs(), list(owners), hits, seconds)
    for file, names in hits:
        for name in names:
            found.setdefault(file, {}).update(dict.fromkeys(owners[name]))
    by_file = {file: [path for path in asked if path in paths] for file, paths in found.items()}
    if not ended:
        raise OutOfTime(by_file)
    return by_file


class OutOfTime(Exception):
    """Not all globs were compared; `files` is what was found by then."""

    def __init__(self, files: dict[str, list[str]]) -> None:
        super().__init__()
        self.files = files


def _compare(
    rows: Sequence[tuple[str, str]],
    names: list[str],
    hits: list[tuple[str, list[str]]],
    seconds: float | None,
) -> bool:
    """Add what the globs match; whether there was time for all of them."""
    until = None if seconds is None else time.monotonic() + seconds
    for file, glob in rows:
        matched = []
        for name in names:
            if until is not None and time.monotonic() > until:
                return False
            if globs.matches(glob, name):
                matched.append(name)
        if matched:
            hits.append((file, matched))
    return True
