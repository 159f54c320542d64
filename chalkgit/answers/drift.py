"""What has happened to a ruling's files since it was written, in words.

No claim is made where git cannot tell: an unknown commit, or no commit at all. Where that is so because this
clone is cut off, UNSEEN says it. Globs and bare names are skipped, since a bare name means any file of that
name; a path with glob characters that is there (`pages/[id].tsx`) is a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from chalkgit.store import git, renames
from chalkgit.thresholds import DRIFT_AT_ONCE, DRIFT_SENTENCES, DRIFT_TRACED

UNSEEN = ""  # nothing is said, as with None: it lies beyond where this clone is cut off

Ask = tuple[str | None, Sequence[str]]
Touches = dict[str, list[str]]  # path to the commits that touched it


def measure(root: str, asks: Sequence[Ask], until: str | None = None) -> list[str | None]:
    """For each commit and its paths what moved since, None or UNSEEN; all git calls start before one is
    awaited.

    until: the commit whose tree says what is there and where the history ends; None: HEAD and the work tree.
    """
    words: list[str | None] = []
    for first in range(0, len(asks), DRIFT_AT_ONCE):
        words += _wave(root, asks[first : first + DRIFT_AT_ONCE], until)
    return words


def touched(root: str, at_commit: str | None, path: str, until: str | None = None) -> bool | None:
    """Whether a commit since touched the path, or it is gone; False where git cannot tell, None where that is
    because this clone is cut off."""
    at, name = _commit(at_commit), renames.plain(path)
    if at is None or name is None:
        return False
    look, shallow = _Look(root, at, [name], until), _shallow(root)
    cut = _cut(root, shallow)
    touches = look.touches(cut)
    if touches is None:
        return None if cut else False
    return bool(touches[name]) or look.lost(name)


def _wave(root: str, asks: Sequence[Ask], until: str | None) -> list[str | None]:
    looks = [_begin(root, at, paths, until) for at, paths in asks]
    if not any(looks):
        return [None] * len(looks)
    shallow = _shallow(root)
    lost = until is None and any(look and look.missing for look in looks)
    staged = renames.staged(root) if lost else None
    cut, renamed = _cut(root, shallow), renames.pairs(staged) if staged else []
    return [look.words(cut, renamed) if look else None for look in looks]


def _begin(root: str, at_commit: str | None, paths: Sequence[str], until: str | None) -> _Look | None:
    at = _commit(at_commit)
    named = [name for path in paths if (name := _exact(root, path, until))] if at else []
    return _Look(root, at, list(dict.fromkeys(named)), until, trace=True) if at and named else None


def _commit(text: str | None) -> str | None:
    """The text where it can be nothing but a commit's name: git sees no other."""
    fits = text is not None and 4 <= len(text) <= 64 and all(c in "0123456789abcdefABCDEF" for c in text)
    return text if fits else None


def _exact(root: str, path: str, until: str | None) -> str | None:
    name = renames.plain(path)
    if name is None or "/" not in path:
        return None
    globbed = any(c in "*?[" for c in name)
    return None if globbed and not _there(root, [name], until) else name


def _there(root: str, paths: Sequence[str], until: str | None) -> set[str]:
    """Those that are there, in the work tree or in the commit's."""
    if until is not None:
        return renames.in_tree(root, until, paths)
    return {path for path in paths if os.path.lexists(os.path.join(root, path))}


def _shallow(root: str) -> git.Child:
    return git.start(root, "rev-parse", "--is-shallow-repository", "--git-path", "info/grafts")


def _cut(root: str, shallow: git.Child) -> bool:
    """Whether git shows commits without the parents that they have."""
    said, _, grafts = os.fsdecode(shallow.output()[1]).partition("\n")
    return said == "true" or os.path.isfile(os.path.join(root, grafts.removesuffix("\n")))


class _Look:
    """The git calls about one ruling, under way: `touches` comes first, and each may be called once."""

    __slots__ = ("_at", "_hidden", "_log", "_root", "_traces", "_tree", "_until", "_was", "missing", "paths")

    def __init__(
        self, root: str, at: str, paths: Sequence[str], until: str | None, *, trace: bool = False
    ) -> None:
        self._root, self._at, self._until, self.paths = root, at, until, paths
        there = _there(root, paths, until)
        self.missing = [path for path in paths if path not in there]
        # `...` with --cherry-pick leaves out what a rebase carried over; for an ancestor it is `..`
        self._log = _log(root, f"{at}...{until or 'HEAD'}", paths, "--cherry-pick", "--right-only")
        self._tree = self._hidden = None
        if self.missing:
            self._tree = git.start(root, "ls-tree", "-z", "--name-only", at, "--", *self.missing)
            # a sparse checkout hides nothing from a commit's tree
            self._hidden = renames.absent(root, self.missing) if until is None else None
        self._traces = {path: self._trace(path) for path in (self.missing[:DRIFT_TRACED] if trace else ())}
        self._was: set[str] = set()

    def _trace(self, path: str) -> renames.Trace:
        until = self._until
        return renames.Trace(self._root, path, until or "HEAD", self._at, tree=until is not None)

    def touches(self, cut: bool) -> Touches | None:
        """The commits since, by path; None when no claim can be made."""
        touches = _touches(self._log, self.paths, cut)
        if self._tree:
            code, out, _ = self._tree.output()
            self._was = set(os.fsdecode(out).split("\0")) if code == 0 else set()
        if self._hidden:
            left_out = renames.hidden(self._hidden)
            self.missing = [p for p in self.missing if not any(renames.within(h, p) for h in left_out)]
        return touches

    def lost(self, path: str) -> bool:
        """Whether a path of the ruling's commit is there no longer."""
        return path in self.missing and path in self._was

    def words(self, cut: bool, renamed: Sequence[renames.Pair]) -> str | None:
        touches = self.touches(cut)
        steps = {path: trace.steps(renamed) for path, trace in self._traces.items()}
        if touches is None:
            return UNSEEN if cut else None
        moved = [p for p in self.paths if touches[p] or self.lost(p)]
        said = [self._sentence(p, touches[p], steps, renamed) for p in moved[:DRIFT_SENTENCES]]
        more = len(moved) - len(said)
        return "; ".join(said) + (f" and {more} more" if more else "") or None

    def _sentence(
        self,
        path: str,
        commits: list[str],
        steps: dict[str, list[renames.Step]],
        renamed: Sequence[renames.Pair],
    ) -> str:
        if path not in self.missing:
            return f"{_since(commits)} touched {path}"
        if path not in steps:
            steps[path] = self._trace(path).steps(renamed)
        if not steps[path]:
            return f"{path} is gone"
        edits = self._edits(commits, steps[path])
        moved = f"{path} moved to {steps[path][-1][1]}"
        return f"{moved}, and {_since(edits)} touched it" if edits else moved

    def _edits(self, commits: list[str], steps: list[renames.Step]) -> list[str]:
        """The commits that changed a moved file under any of its names; a mere rename changes nothing."""
        first = steps[0][0]
        names = [name for _, name, _ in steps]
        span = f"{first}..{self._until or 'HEAD'}"
        later = _touches(_log(self._root, span, names), names, False) if first else None
        every = dict.fromkeys([*commits, *(c for found in (later or {}).values() for c in found)])
        mere = {commit for commit, _, same in steps if same}
        return [commit for commit in every if commit not in mere]


def _since(commits: Sequence[str]) -> str:
    return "1 commit since has" if len(commits) == 1 else f"{len(commits)} commits since have"


def _log(root: str, span: str, paths: Iterable[str], *options: str) -> git.Child:
    shape = ("-z", "--name-only", "--no-renames", "--no-merges", "--no-follow")
    line = f"--format={renames.MARK}%H %P"
    return git.start(root, "log", *shape, line, *options, "--end-of-options", span, "--", *paths)


def _touches(log: git.Child, paths: Iterable[str], cut: bool) -> Touches | None:
    """The commits by path; None when git failed, or where this clone hides the parents of one of them."""
    code, out, _ = log.output()
    if code != 0:
        return None
    touches: Touches = {path: [] for path in paths}
    commit, begun = "", False
    for token in os.fsdecode(out).split("\0"):
        if token.startswith(renames.MARK):
            commit, _, parents = token.removeprefix(renames.MARK).partition(" ")
            begun = True
            if cut and not parents:
                return None
        elif token:
            name = token.removeprefix("\n") if begun else token
            begun = False
            _note(touches, name, commit)
    return touches


def _note(touches: Touches, name: str, commit: str) -> None:
    for path, commits in touches.items():
        if renames.within(name, path) and commits[-1:] != [commit]:
            commits.append(commit)
