"""The files that a change edits, as git tells of them: what each was and is, renames, and the first new line.

Paths are data: git gets them after `--`, and gives them between NULs. Nothing that attributes name is run.
"""

from __future__ import annotations

import os
import re

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store.place import Place
from chalkgit.thresholds import RENAME_LIMIT

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ATTRIBUTES = ".gitattributes"
ADDED, DELETED, MODIFIED, RENAMED, RETYPED = "A", "D", "M", "R", "T"
_SHAPE = ("-M", f"-l{RENAME_LIMIT}", "--no-abbrev", "--ignore-submodules=dirty")
_TEXT = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--diff-algorithm=default")
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)")


class Edit:
    """One file: git's letter, its path now and before (`old`), and mode and blob of both sides.

    before, after: (mode, blob), None where the side does not have the file. A blob of "" is one that git has
    not stored, of a work tree.
    """

    __slots__ = ("after", "before", "letter", "old", "path")

    def __init__(
        self,
        letter: str,
        path: str,
        old: str,
        before: tuple[str, str] | None,
        after: tuple[str, str] | None,
    ) -> None:
        self.letter = letter
        self.path = path
        self.old = old
        self.before = before
        self.after = after

    @property
    def changes_content(self) -> bool:
        """False for a mere rename and for a change of the mode alone."""
        return self.before is None or self.after is None or self.before[1] != self.after[1]

    def __repr__(self) -> str:
        return f"Edit({self.letter} {self.old} {self.path})"


def bears_on_records(path: str) -> bool:
    """Whether it is a file of attributes that git asks for a record's."""
    return path == ATTRIBUTES or (path.startswith(".lessons/") and path.endswith("/" + ATTRIBUTES))


class Compared:
    """What git is to compare: two commits or trees; head None: with the work tree, or with what is staged."""

    __slots__ = ("base", "head", "onto", "place", "staged")

    def __init__(
        self, place: Place, base: str, head: str | None, *, staged: bool = False, onto: str | None = None
    ) -> None:
        self.onto = onto or base
        self.place = place
        self.base = base
        self.head = head
        self.staged = staged

    def command(self) -> list[str]:
        if self.head is not None:
            return ["diff-tree", "-r", *_SHAPE, *_TEXT, self.base, self.head]
        if self.staged:
            return ["diff-index", "--cached", *_SHAPE, *_TEXT, self.base]
        # the porcelain, which looks whether a file of doubtful age differs
        return ["diff", *_SHAPE, *_TEXT, "-O/dev/null", self.base]


def edits(compared: Compared) -> list[Edit]:
    """All of them, in git's order; of a work tree, files that git does not know too."""
    place = compared.place
    command, *rest = compared.command()
    out = git.run(place.root, *git.NO_HOOKS, command, "--raw", "-z", *rest, "--")
    found = list(_parsed(out))
    if compared.head is None and not compared.staged:
        known = {edit.path for edit in found}
        found += [e for e in _unknown(place) if e.path not in known]
    return found


def _parsed(out: bytes) -> Iterator[Edit]:
    tokens = iter(os.fsdecode(out).split("\0"))
    for meta in tokens:
        if not meta.startswith(":"):
            continue
        was, now, old_blob, blob, letter = meta[1:].split(" ")
        old = path = next(tokens, "")
        if letter[0] in "RC":
            path = next(tokens, "")
        before = (was, old_blob) if was.strip("0") and letter[0] != "C" else None
        # an unmerged path has no content that could be read; it is no record, and says so
        after = (now, blob.strip("0") and blob) if now.strip("0") or letter[0] == "U" else None
        yield Edit(letter[0], path, old, before, after)


def _unknown(place: Place) -> list[Edit]:
    """Files that git does not track: any record, and others where they are not ignored."""
    shape = ("ls-files", "--others", "-z")
    calls = [
        git.start(place.root, *shape, "--", ".lessons"),
        git.start(place.root, *shape, "--exclude-standard"),
    ]
    names: dict[str, None] = {}
    for call in calls:
        code, out, _ = call.output()
        names.update(dict.fromkeys(os.fsdecode(out).split("\0") if code == 0 else ()))
    names.pop("", None)
    return [Edit(ADDED, name, name, None, ("100644", "")) for name in names]


def first_lines(compared: Compared, wanted: Iterable[Edit]) -> dict[str, int]:
    """Path to the first line that is new in it, of these files, where git tells it soon enough."""
    asked = list(wanted)[: thresholds.REVIEW_PLACED]
    known = [edit for edit in asked if edit.before is not None]
    found = {edit.path: 1 for edit in asked if edit.before is None}
    if not known:
        return found
    paths = dict.fromkeys(name for edit in known for name in (edit.old, edit.path))
    command = [*compared.command(), "--"]
    command[1:1] = ["--patch-with-raw", "-z", "-U0"]
    try:
        child = git.Child(compared.place.root, [*git.NO_HOOKS, *command, *paths])
        code, out, _ = child.output(thresholds.DIFF_SECONDS)
    except (TimeoutError, ChalkError):
        return found
    return found | _numbered(out) if code == 0 else found


def _numbered(out: bytes) -> dict[str, int]:
    """After the raw entries an empty one, then the patch: a section a file, in the same order.

    No line of a file begins a section: each has a sign before it.
    """
    raw, _, patch = out.partition(b"\0\0")
    listed = list(_parsed(raw + b"\0"))
    sections = re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]
    found: dict[str, int] = {}
    at = 0
    for edit in listed:
        parts = 2 if edit.letter == RETYPED else 1  # one file goes and another comes
        for section in sections[at : at + parts]:
            hunk = _HUNK.search(section)
            if hunk is not None:
                found[edit.path] = max(int(hunk[1]), 1)
        at += parts
    return found if at == len(sections) else {}


def by_path(found: Sequence[Edit]) -> Mapping[str, Edit]:
    """The files by what they are called now; of those that are gone, by what they were called."""
    return {edit.path: edit for edit in found}
