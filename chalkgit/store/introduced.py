"""Which commit brought what a file says: of a merge, the one on the merged side that it comes
from; nobody, where it only moved, came back, or was written in the merge itself.

What a commit brings stood nowhere before it: in no file that it changed or took away, readable or not. So who
moves, restores, mends or uncovers what somebody else wrote has brought nothing.
"""

from __future__ import annotations

import os

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import git, snapshot
from chalkgit.store.worktree import is_record
from chalkgit.thresholds import BROUGHT_FILES

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from chalkgit.store.history import History

    Says = Callable[[bytes], bool]  # of a file's content

_MARK = "//"
_REAL = "--no-replace-objects"
# each commit beside its first parent, merges too, whatever the user's log.diffMerges says; and none left out
_CHAIN = ("--first-parent", "--diff-merges=first-parent", "--full-history", "--sparse")
_SHAPE = ("--raw", "-r", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=all")


class _Entry:
    """A file that a commit changed; old and new are blobs, "" where there is none."""

    __slots__ = ("new", "old", "path")

    def __init__(self, meta: str, path: str) -> None:
        was, now, old, new, _ = meta[1:].split(" ")
        # what was no file was no content of ours either, but a link's target is a blob like any other
        self.old = old if was.strip("0") and was != "160000" else ""
        self.new = new if now.startswith("100") else ""
        self.path = path


class Looking:
    """Looks for the commit that brought something.

    says: whether a content says it. hints: whether one may say it, readable or not. needle: what is looked
    for where the file is not at its path; one that writes it otherwise is not found, and nobody's. where: the
    folder or file that it counts in. UnknownPast where this clone does not have what would tell.
    """

    def __init__(self, history: History, says: Says, hints: Says, needle: bytes, where: str) -> None:
        self._history = history
        self._root = history.place.root
        self._says = says
        self._hints = hints
        self._needle = needle
        self._where = where
        self._told: dict[str, tuple[bool, bool]] = {}

    def found(self, commit: str, path: str) -> str | None:
        """The commit that brought what the file says as of `commit`, which changed it; None for nobody."""
        parents = self._parents(commit)
        if len(parents) < 2:
            return commit if self._brings(commit, path) else None
        for side in parents[1:]:
            brought = self._on_side(side, parents[0], path)
            if brought is not None:
                return brought
        return None

    def _brings(self, commit: str, path: str) -> bool:
        self._seen(commit)
        entries = list(_entries(self._run("diff-tree", "--root", "--no-commit-id", *_SHAPE, commit, "--")))
        if not any(entry.path == path and entry.new and self._is(entry.new) for entry in entries):
            return False
        before = {entry.old: entry.path for entry in entries if entry.old}
        if len(before) > BROUGHT_FILES:
            return False  # too many to look at: then nobody can tell that it did not stand in one of them
        self._read(before)
        return not any(self._told[blob][1] for blob in before)

    def _on_side(self, side: str, without: str, path: str) -> str | None:
        """The newest commit of a merged side, as its own first parents go, that brought it."""
        current = self._path_at(side, path)
        if current is None:
            return None
        shape = (f"--format={_MARK}%H %P", *_CHAIN, *_SHAPE)
        listed = os.fsdecode(self._run("log", *shape, side, f"^{without}", "--", self._where))
        for commit, parents, entries in _commits(listed):
            here = next((entry for entry in entries if entry.path == current), None)
            if here is None or (here.old and self._is(here.old)):
                continue
            moved = next((e for e in entries if e.path != current and e.old and self._is(e.old)), None)
            if moved is not None:
                current = moved.path
                continue
            self._seen(commit)
            return self.found(commit, current) if parents > 1 else self._one(commit, current)
        if self._history.edges:
            raise self._history.unseen("who approved it")
        return None

    def _one(self, commit: str, path: str) -> str | None:
        return commit if self._brings(commit, path) else None

    def _path_at(self, commit: str, path: str) -> str | None:
        """Where it stands in a commit: at the path, or in the one other file that says so."""
        if self._at(commit, path):
            return path
        needle = os.fsdecode(self._needle)
        words = ("grep", "-z", "-l", "-F", "-e", needle, commit, "--", self._where)
        code, out, _ = git.ask(self._root, _REAL, *words)
        names = [name.partition(":")[2] for name in os.fsdecode(out).split("\0") if name] if code == 0 else []
        names = [name for name in names if is_record(name) and self._at(commit, name)]
        return names[0] if len(names) == 1 else None

    def _at(self, commit: str, path: str) -> bool:
        code, out, _ = git.ask(self._root, _REAL, "rev-parse", "--verify", "--quiet", f"{commit}:{path}")
        return code == 0 and self._is(out.decode().strip())

    def _is(self, blob: str) -> bool:
        if blob not in self._told:
            self._read({blob: self._where})
        return self._told[blob][0]

    def _read(self, wanted: dict[str, str]) -> None:
        missing = {blob: path for blob, path in wanted.items() if blob not in self._told}
        try:
            for blob, content in snapshot.blobs(self._history.place, missing):
                if isinstance(content, UnknownPast):
                    raise content
                if isinstance(content, bytes):
                    self._told[blob] = self._says(content), self._hints(content)
                else:  # larger than any record: what is called like one may have been made so to hide it
                    self._told[blob] = False, missing[blob].endswith((".yaml", ".yml"))
        except ChalkError as error:  # of a partial clone git has no content, and gets none here
            raise UnknownPast(
                f"who approved it is unknown: {error.message}", hint=self._history.deepening
            ) from None

    def _seen(self, commit: str) -> None:
        # a commit at the edge looks as if it had made all that it holds
        if commit in self._history.edges:
            raise self._history.unseen("who approved it")

    def _parents(self, commit: str) -> Sequence[str]:
        return self._run("rev-list", "--no-walk", "--parents", commit, "--").decode().split()[1:]

    def _run(self, *words: str) -> bytes:
        code, out, err = git.ask(self._root, _REAL, *words)
        if code != 0:
            said = " ".join(err.decode("utf-8", "replace").split())
            raise UnknownPast(
                f"git cannot tell who wrote it: {said}", where=self._root, hint=self._history.deepening
            )
        return out


def _entries(out: bytes | str) -> Iterator[_Entry]:
    tokens = iter(os.fsdecode(out).split("\0"))
    for meta in tokens:
        if meta.startswith(":"):
            yield _Entry(meta, next(tokens, ""))


def _commits(listed: str) -> Iterator[tuple[str, int, list[_Entry]]]:
    """(commit, how many parents, what it changed), newest first."""
    commit, parents, entries = "", 0, list[_Entry]()
    tokens = iter(listed.split("\0"))
    for token in tokens:
        text = token.lstrip("\n")
        if text.startswith(_MARK):
            if commit:
                yield commit, parents, entries
            commit, *others = text.removeprefix(_MARK).split()
            parents, entries = len(others), []
        elif text.startswith(":"):
            entries.append(_Entry(text, next(tokens, "")))
    if commit:
        yield commit, parents, entries
