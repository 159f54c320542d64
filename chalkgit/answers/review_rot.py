"""Records that speak of what is there no longer: files, commits, versions, or a time that is over.

A record in the change is asked for all of it; one that the change only touches for what the change took away.
"""

from __future__ import annotations

import os
import re

from chalkgit import times
from chalkgit.answers import dependencies, reopening, then
from chalkgit.answers.dependencies import LOCKS, NEEDS, Dependencies
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import called, named, some
from chalkgit.index.moves import batches
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import git, renames

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from chalkgit.answers.review_sides import Sides
    from chalkgit.answers.review_touches import Touched

# A commit's name and no number: a ticket's has digits alone.
_COMMIT = re.compile(r"(?:commit )?((?=[0-9a-f]*[a-f])[0-9a-f]{7,64}|[0-9a-f]{40}|[0-9a-f]{64})")
SAID = 2  # what one message holds; more are its details
_MANIFESTS = {*LOCKS, *NEEDS}


class Rot:
    """What is wrong with one record, each in words, with the field that says it."""

    __slots__ = ("fields", "mend", "path", "record", "words")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.path: str | None = None  # the file that the change edits, where not the record's own
        self.words: list[str] = []
        self.fields: list[str] = []
        self.mend: str | None = None

    def add(self, field: str, words: str, mend: str | None = None) -> None:
        self.words.append(words)
        self.fields.append(field)
        self.mend = self.mend or mend


def findings(sides: Sides, touching: Sequence[Touched], skipped: list[str]) -> Iterator[Finding]:
    """Takes what is gone out of `touching`, so that nothing is told twice."""
    rots = {record.id: Rot(record) for record in _own(sides)}
    _times(sides, rots)
    _files(sides, rots)
    _commits(sides, rots, skipped)
    for one in touching:
        gone = _lost(sides, one)
        if gone:
            rot = rots.setdefault(one.record.id, Rot(one.record))
            rot.add(
                "files", f"this change deletes {some(gone)}", f"chalkgit settle {one.record.id} --by COMMIT"
            )
            one.edits = [edit for edit in one.edits if not any(renames.within(edit.path, g) for g in gone)]
    _versions(sides, rots, skipped)
    for rot in rots.values():
        if rot.words:
            yield _finding(sides, rot)


def _finding(sides: Sides, rot: Rot) -> Finding:
    record = rot.record
    few = len(rot.words) <= SAID
    said = "; ".join(rot.words) if few else f"{rot.words[0]}; and {len(rot.words) - 1} more"
    return Finding(
        "rots",
        rot.path or record.path,
        f"{named(record)}: {said}",
        line=sides.line(record, *rot.fields) if rot.path is None else None,
        record=record.id,
        title=called(record),
        details=() if few else rot.words,
        mend=rot.mend,
    )


def _own(sides: Sides) -> list[Record]:
    """The records in the change that a reader would be shown, or would be had their time not passed."""
    found = (sides.after[i] for i in sides.edited if i in sides.after)
    shown = (None, "open", "expired", "not valid yet")
    return [r for r in found if excluded(r, now=sides.now, superseded=sides.replaced) in shown]


def _new(sides: Sides, record: Record, field: str) -> bool:
    """Whether the change wrote this field."""
    before = sides.before.get(record.id)
    return before is None or before.get(field) != record.get(field)


def _times(sides: Sides, rots: dict[str, Rot]) -> None:
    for rot in rots.values():
        record = rot.record
        start, end = record.text("valid-from"), record.text("valid-until")
        if end is None or not (_new(sides, record, "valid-until") or _new(sides, record, "valid-from")):
            continue
        if start is not None and times.parse(end) <= times.parse(start):
            rot.add("valid-until", f"it is never valid: it ends {end}, and begins {start}")
        elif times.parse(end) <= sides.now:
            rot.add("valid-until", f"it is over already: valid-until {end} has passed")


def _files(sides: Sides, rots: dict[str, Rot]) -> None:
    wanted: dict[str, list[Rot]] = {}
    for rot in rots.values():
        before = sides.before.get(rot.record.id)
        known = before.items("files") if before is not None else []
        for name in rot.record.items("files"):
            path = _path(name)
            if path is not None and (name not in known or _left(sides, path)):
                wanted.setdefault(path, []).append(rot)
    there = _there(sides, list(wanted))
    for path, owners in wanted.items():
        for rot in owners if path not in there else ():
            moved = next((e.path for e in sides.edits if e.old == path and e.path != path), None)
            gone = f"is {moved} now" if moved else "is not there"
            rot.add("files", f"it names {path}, which {gone}")


def _path(name: str) -> str | None:
    """The path that a name is; None for a glob and a bare name."""
    path = renames.plain(name)
    return path if path is not None and "/" in name and not any(c in "*?[" for c in path) else None


def _left(sides: Sides, path: str) -> bool:
    return any(renames.within(e.old, path) for e in sides.edits if e.after is None or e.old != e.path)


def _lost(sides: Sides, one: Touched) -> list[str]:
    """The files and folders that the record names and that the change took away, no rename among it."""
    deleted = [edit.path for edit in one.edits if edit.after is None]
    named_ones = [path for name in one.names if (path := _path(name)) is not None]
    gone = [path for path in named_ones if any(renames.within(edit, path) for edit in deleted)]
    there = _there(sides, gone)
    moved = [edit.old for edit in one.edits if edit.after is not None and edit.old != edit.path]
    return [path for path in gone if path not in there and not any(renames.within(m, path) for m in moved)]


def _there(sides: Sides, paths: Sequence[str]) -> set[str]:
    """Those that are there after the change."""
    root, compared = sides.place.root, sides.compared
    if compared.head is not None:
        return {path for part in batches(paths) for path in renames.in_tree(root, compared.head, part)}
    found: set[str] = set()
    for part in batches(paths):
        # what a sparse checkout left out is in the index, and there
        code, out, _ = git.ask(root, "ls-files", "-z", "--", *part)
        listed = os.fsdecode(out).split("\0") if code == 0 else []
        found |= {path for path in part if any(renames.within(one, path) for one in listed)}
    if compared.staged:
        return found
    deleted = {edit.path for edit in sides.edits if edit.after is None}
    return {p for p in paths if os.path.lexists(os.path.join(root, p)) or (p in found and p not in deleted)}


def _commits(sides: Sides, rots: dict[str, Rot], skipped: list[str]) -> None:
    """The commits that a record names and this repository does not have."""
    asked: list[tuple[Rot, str]] = []
    for rot in rots.values():
        record = rot.record
        before = sides.before.get(record.id)
        known = before.items("evidence") if before is not None else []
        # not at-commit: each squash and rebase of a branch takes away the commit that a record was written at
        said = [text for text in record.items("evidence") if text not in known]
        found = (_COMMIT.fullmatch(text.strip().lower()) for text in said)
        asked += [(rot, match[1]) for match in found if match is not None]
    missing = lost_commits(sides, [commit for _, commit in asked], skipped)
    for rot, commit in asked:
        if commit in missing:
            rot.add("evidence", f"its evidence names {commit[:12]}, which is no commit here")


def lost_commits(sides: Sides, names: Iterable[str], skipped: list[str]) -> set[str]:
    """Those that are no commits here; where the clone is not whole nobody can tell, and it is said once."""
    wanted = sorted(set(names))
    if not wanted:
        return set()
    asked = "".join(f"{name}^{{commit}}\n" for name in wanted).encode()
    lines = git.run(sides.place.root, "cat-file", "--batch-check=%(objectname)", stdin=asked).split(b"\n")
    missing = {name for name, line in zip(wanted, lines, strict=False) if line.endswith(b" missing")}
    if missing and _partial(sides):
        words = "whether commits that records name are there: this clone is not whole"
        skipped += [] if words in skipped else [words]
        return set()
    return missing


def _partial(sides: Sides) -> bool:
    from chalkgit.store import history

    return history.shallow(sides.place) or b"promisor" in git.configuration(sides.place.common_dir)


def manifests(sides: Sides) -> list[str]:
    """The edited files that tell versions."""
    paths = [edit.path for edit in sides.edits]
    return [p for p in paths if p in _MANIFESTS or (p.startswith("requirements") and p.endswith(".txt"))]


def before_and_after(sides: Sides) -> tuple[Dependencies, Dependencies]:
    root, compared = sides.place.root, sides.compared
    after = then.dependencies(root, compared.head) if compared.head else Dependencies(root)
    return then.dependencies(root, compared.base), after


def _versions(sides: Sides, rots: dict[str, Rot], skipped: list[str]) -> None:
    """Of records in the change, what moved since; of all others, what this change moves."""
    was, now = before_and_after(sides)
    for rot in [rot for rot in rots.values() if rot.record.id in sides.edited]:
        if _new(sides, rot.record, "depends-on") or _new(sides, rot.record, "scope"):
            _stale(rot, dependencies.stale(rot.record, now, None, sides.now))
            before = sides.before.get(rot.record.id)
            if before is None and (met := _met(rot.record, now, sides)):
                rot.add("reopens-when", f"it is open again from the start: {met}")
    if manifests(sides):
        for record in sides.after.values():
            if record.get("depends-on") is None or record.id in sides.edited:
                continue
            if excluded(record, now=sides.now, superseded=sides.replaced) is not None:
                continue
            moved = dependencies.stale(record, now, None, sides.now)
            if moved and dependencies.stale(record, was, None, sides.now) is None:
                rot = rots.setdefault(record.id, Rot(record))
                rot.path = rot.path or manifests(sides)[0]
                _stale(rot, moved)
    skipped += [f"versions: {problem}" for problem in now.problems]


def _stale(rot: Rot, moved: str | None) -> None:
    if moved:
        rot.add("depends-on", moved)


def _met(record: Record, now: Dependencies, sides: Sides) -> str | None:
    return reopening.met(record, dependencies=now, now=sides.now, touched=lambda commit, path: False)
