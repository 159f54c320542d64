"""Records whose files have changed or are gone, for a whole store: one walk, one listing of files.

`drift` says the same of one ruling at a time, and follows renames; here it is counted.
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterable, Mapping, Sequence

from chalkgit import thresholds
from chalkgit.answers import globs
from chalkgit.records.record import Record
from chalkgit.store import git, moments, renames
from chalkgit.store.place import Place


class Walk:
    """The newest commits of HEAD: which touched what, and which come before which.

    `whole` is False where there are older ones that were not looked at.
    """

    def __init__(self, place: Place, wanted: Iterable[str]) -> None:
        self._root = place.root
        self._touched = dict.fromkeys(wanted, 0)
        self._number: dict[str, int] = {}
        shape = ("--topo-order", "-z", "--name-only", "--no-renames", "--no-ext-diff")
        most = thresholds.CURATE_DRIFT_WALK
        line = f"--format={renames.MARK}%H %P"
        code, out, _ = git.ask(place.root, "log", *shape, f"-n{most}", line, "HEAD", "--")
        parents = self._read(os.fsdecode(out) if code == 0 else "", moments.boundary(place))
        self.whole = len(parents) < most
        self._before = self._ancestors(parents)
        self._oids = sorted(self._number)

    def _read(self, said: str, edge: set[str]) -> list[list[str]]:
        parents: list[list[str]] = []
        hidden = False
        for token in said.split("\0"):
            name = token.lstrip("\n")
            if name.startswith(renames.MARK):
                commit, *above = name.removeprefix(renames.MARK).split()
                self._number[commit] = len(parents)
                parents.append(above)
                hidden = commit in edge  # a shallow clone ends here: it looks as if it had made all files
            elif name and not hidden:
                self._note(name, 1 << (len(parents) - 1))
        return parents

    def _note(self, name: str, bit: int) -> None:
        if name in self._touched:
            self._touched[name] |= bit
        at = name.rfind("/")
        while at > 0:
            if name[:at] in self._touched:
                self._touched[name[:at]] |= bit
            at = name.rfind("/", 0, at)

    def _ancestors(self, parents: list[list[str]]) -> list[int]:
        """Each commit and all before it, as bits; children come first in the order of git."""
        before = [0] * len(parents)
        for number in range(len(parents) - 1, -1, -1):
            bits = 1 << number
            for parent in parents[number]:
                at = self._number.get(parent)
                bits |= before[at] if at is not None else 0
            before[number] = bits
        return before

    def since(self, commit: str, paths: Sequence[str]) -> tuple[int, bool] | None:
        """(commits since that touched any of the paths, whether these are all), None where HEAD lacks it."""
        at = bisect.bisect_left(self._oids, commit)
        found = at < len(self._oids) and self._oids[at].startswith(commit)
        if not found and self.whole:
            return None
        touched = 0
        for path in paths:
            touched |= self._touched.get(path, 0)
        before = self._before[self._number[self._oids[at]]] if found else 0
        return (touched & ~before).bit_count(), found


def drifted(place: Place, records: Sequence[Record]) -> list[tuple[Record, int, bool]]:
    """(record, commits that touched its files since it was written, whether these are all), most first."""
    named = {record.id: _exact(place, record) for record in records if _commit(record)}
    asked = [record for record in records if named.get(record.id)]
    if not asked:
        return []
    walk = Walk(place, {path for record in asked for path in named[record.id]})
    counted, lost = [], []
    for record in asked:
        found = walk.since(_commit(record), named[record.id])
        if found is None:
            lost.append(record)
        else:
            counted.append((record, *found))
    counted += [(r, n, True) for r, n in _elsewhere(place, lost[: thresholds.CURATE_DRIFT_ASKED], named)]
    kept = [row for row in counted if row[1] >= thresholds.CURATE_DRIFT_COMMITS]
    return sorted(kept, key=lambda row: (-row[1], row[0].id))


def _elsewhere(
    place: Place, records: Sequence[Record], named: Mapping[str, Sequence[str]]
) -> list[tuple[Record, int]]:
    """The same for records whose commit HEAD does not have: rebased, squashed, of another branch."""
    found = []
    for first in range(0, len(records), thresholds.DRIFT_AT_ONCE):
        part = records[first : first + thresholds.DRIFT_AT_ONCE]
        # what a rebase carried over is left out, as `drift` does
        shape = ("log", "--no-merges", "--cherry-pick", "--right-only", "--format=%H", "--end-of-options")
        logs = [git.start(place.root, *shape, f"{_commit(r)}...HEAD", "--", *named[r.id]) for r in part]
        for record, log in zip(part, logs, strict=True):
            code, out, _ = log.output()
            found += [(record, len(out.split()))] if code == 0 else []
    return found


def _commit(record: Record) -> str:
    """The commit it was written at, "" where the text can be none: git sees no other."""
    text = (record.text("at-commit") or "").lower()
    return text if 4 <= len(text) <= 64 and all(c in "0123456789abcdef" for c in text) else ""


def _exact(place: Place, record: Record) -> list[str]:
    """The plain paths among its files that are there; what is gone is no drift, and globs are many files."""
    names = (renames.plain(path) for path in record.items("files") if "/" in path)
    return [name for name in names if name and os.path.lexists(os.path.join(place.root, name))]


class Files:
    """What the work tree has: the files git knows of, and those that are there."""

    def __init__(self, place: Place) -> None:
        self._root = place.root
        listed = git.ask(
            place.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name"
        )[1]
        self._paths = sorted({name for name in os.fsdecode(listed).split("\0") if name})
        self._names = {path.rsplit("/", 1)[-1] for path in self._paths}
        self._tops = {path.split("/", 1)[0] for path in self._paths}
        self._known: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether a record's name for files means any file: a path, a folder, a glob, a bare name."""
        if name not in self._known:
            self._known[name] = self._is_there(name) or (
                any(c in "*?[" for c in name) and self._globbed(name)
            )
        return self._known[name]

    def _is_there(self, name: str) -> bool:
        plain = renames.plain(name)
        if plain is None:
            return True  # it names nothing in a repository, and so nothing that could be missed
        if "/" not in name and (plain in self._names or plain in self._tops):
            return True
        at = bisect.bisect_left(self._paths, plain)
        near = self._paths[at : at + 1]  # a folder's first file sorts right behind it, or a little further
        if near and renames.within(near[0], plain):
            return True
        at = bisect.bisect_left(self._paths, plain + "/")
        below = self._paths[at : at + 1]
        return bool(below and below[0].startswith(plain + "/")) or os.path.lexists(f"{self._root}/{plain}")

    def _globbed(self, glob: str) -> bool:
        bare = glob.removeprefix("./")
        if "/" not in bare and not glob.startswith("./"):
            return any(globs.matches(bare, name) for name in self._names)
        sign = next(at for at, c in enumerate(bare) if c in "*?[")
        head = bare[:sign]
        at = bisect.bisect_left(self._paths, head)
        while at < len(self._paths) and self._paths[at].startswith(head):
            if globs.matches(glob, self._paths[at]):
                return True
            at += 1
        return False


def orphaned(place: Place, records: Sequence[Record]) -> list[tuple[Record, dict[str, str]]]:
    """(record, where history took its files) of the records that list files of which none is there."""
    files = Files(place)
    found = [r for r in records if r.items("files") and not any(map(files.has, r.items("files")))]
    exact = [path for r in found for path in r.items("files") if "/" in path and not set("*?[") & set(path)]
    asked = list(dict.fromkeys(exact))[: thresholds.LOST_AT_ONCE]
    moved = renames.follow(place.root, asked, "HEAD")
    return [(r, {path: moved[path] for path in r.items("files") if path in moved}) for r in found]
