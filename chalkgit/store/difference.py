"""What changed since a commit, as text and in bounds: for whoever is to say what the fix was.

Only text that git itself renders: external diffs and text conversion are off, as are content filters
(`git.disarm`), and no submodule's work tree is looked into. The records are left out: they are no fix.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git, snapshot
from chalkgit.store.place import LESSONS, Place, head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DIFF_LINES = thresholds.DIFF_LINES
_LINE_CHARACTERS = thresholds.DIFF_LINE_CHARACTERS
_SECONDS = thresholds.DIFF_SECONDS
_BYTES = thresholds.DIFF_BYTES
_NAMED = thresholds.DIFF_NAMED

_SHAPE = (
    *git.NO_HOOKS,
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--no-relative",
    "--ignore-submodules=dirty",
    "--submodule=short",
)
# the one call that leaves the records out needs a pathspec that is a pattern
_PATTERNS = tuple(word for word in git.QUIET if word != "--literal-pathspecs")


class Difference:
    """base: the commit it begins at, None where there is none. lines: at most DIFF_LINES, each cut.

    left_out: in words, what is not among them; "" where all is. files: how many text files changed.
    """

    __slots__ = ("base", "files", "left_out", "lines")

    def __init__(
        self, base: str | None, lines: Sequence[str] = (), left_out: str = "", files: int = 0
    ) -> None:
        self.base = base
        self.lines = list(lines)
        self.left_out = left_out
        self.files = files


def since(place: Place, commit: str | None, most: int = DIFF_LINES) -> Difference:
    """From `commit` (HEAD where this clone does not have it) to the work tree, staged or not.

    Files with few changes come first, so that no lockfile crowds out the fix.
    """
    base = _base(place, commit)
    if base is None:
        return Difference(None)
    deadline = time.monotonic() + _SECONDS
    try:
        counted, binary = _counted(place, base)
        lines, whole = _text(place, base, counted, most, deadline)
    except TimeoutError:
        return Difference(base, left_out=f"git took longer than {_SECONDS:.0f} s")
    return Difference(base, lines, _left_out(counted[whole:], binary), len(counted))


def added(place: Place, oid: str, most: int) -> list[list[str]]:
    """The runs of lines that a commit added, at most `most` lines of its text; none of a merge.

    TimeoutError where git takes longer than it may.
    """
    shape = (
        "diff-tree",
        "-r",
        "-p",
        "--root",
        "--no-commit-id",
        "--unified=0",
        *_SHAPE[len(git.NO_HOOKS) + 1 :],
    )
    words = (*shape, oid, "--", ".", f":(exclude,top){LESSONS}")
    lines, _ = _Text(place.root, words, quiet=_PATTERNS).lines(most, _SECONDS)
    runs: list[list[str]] = [[]]
    for said in lines:
        if said.startswith("+") and not said.startswith("+++ "):
            runs[-1].append(said[1:])
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _base(place: Place, commit: str | None) -> str | None:
    if commit and len(commit) >= 7 and all(c in "0123456789abcdef" for c in commit):
        try:
            return snapshot.resolve(place, commit, commit=True)
        except ChalkError:
            pass  # rebased away, or cut off by a shallow clone
    return head(place)


def _counted(place: Place, base: str) -> tuple[list[tuple[int, str]], list[str]]:
    """(changed lines, path) of the text files, the fewest first; and the paths of the others."""
    words = (*_SHAPE, "--numstat", "-z", base, "--", ".", f":(exclude,top){LESSONS}")
    code, out, _ = git.Child(place.root, words, quiet=_PATTERNS).output(_SECONDS)
    counted, binary = [], []
    for row in out.split(b"\0") if code == 0 else ():
        added, _, rest = row.partition(b"\t")
        gone, _, name = rest.partition(b"\t")
        if name and added.isdigit() and gone.isdigit():
            counted.append((int(added) + int(gone), os.fsdecode(name)))
        elif name:
            binary.append(os.fsdecode(name))
    return sorted(counted), binary


def _text(
    place: Place, base: str, counted: Sequence[tuple[int, str]], most: int, deadline: float
) -> tuple[list[str], int]:
    """The lines, and how many of the files are there whole."""
    lines: list[str] = []
    for number, (_, path) in enumerate(counted):
        child = _Text(place.root, (*_SHAPE, "--unified=3", base, "--", path))
        found, whole = child.lines(most - len(lines), deadline - time.monotonic())
        lines += found
        if not whole or len(lines) >= most:
            return lines, number + whole
    return lines, len(counted)


def _left_out(rest: Sequence[tuple[int, str]], binary: Sequence[str]) -> str:
    named = [f"{path} ({count:,} changed lines)" for count, path in rest] + [f"{p} (no text)" for p in binary]
    more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
    return ", ".join(named[:_NAMED]) + more


class _Text(git.Child):
    """One file's difference, which is read no further than it is wanted."""

    __slots__ = ()

    def lines(self, most: int, seconds: float) -> tuple[list[str], bool]:
        """At most `most` lines, and whether that is all; TimeoutError where git takes longer."""
        import select

        deadline = time.monotonic() + seconds
        poll = select.poll()
        # what it says on stderr is a line at most: a pipe holds that until it ends
        poll.register(self._out, select.POLLIN)
        data = b""
        ended = False
        try:
            while not ended and data.count(b"\n") <= most and len(data) <= _BYTES:
                if not poll.poll(max(deadline - time.monotonic(), 0) * 1000):
                    raise TimeoutError(f"git diff took longer than {seconds:.1f} s")
                more = os.read(self._out, 1 << 16)
                data += more
                ended = not more
        finally:
            self._end((self._out, self._err))
        found = data.decode("utf-8", "replace").removesuffix("\n").split("\n") if data else []
        return [_cut(line.rstrip("\r")) for line in found[:most]], ended and len(found) <= most


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_CHARACTERS else line[: _LINE_CHARACTERS - 1] + "…"
