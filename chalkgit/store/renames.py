"""Where a path went: renames that git can tell of, committed or staged, followed to a file that is there.

A path is data: never an option, never a pattern, any bytes but NUL. One walk over history a missing path;
each further rename of a chain walks only what came after the rename before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from chalkgit.store import git
from chalkgit.thresholds import PATH_BYTES, RENAME_LIMIT, RENAME_STEPS

Pair = tuple[str, str, bool]  # old, new, and whether the content stayed the same
Step = tuple[str | None, str, bool]  # the commit (None: staged), the new path, whether the content stayed

COMMAND_LINE = 200  # paths that a command line surely has room for
MARK = "//"  # begins no path that git stores, so it tells a commit's line from its paths


def follow(root: str, paths: Sequence[str], head: str, *, tree: bool = False) -> dict[str, str]:
    """Path to where history took it, for those that left the work tree by renames; deleted ones are absent.

    What is only staged, or only gone from the work tree, is undone with a checkout and does not count.
    tree: the paths are none of `head`'s tree, and that alone says what is there.
    """
    missing = [p for p in dict.fromkeys(paths) if plain(p) and (tree or not os.path.lexists(f"{root}/{p}"))]
    if not missing:
        return {}
    traces = {path: Trace(root, path, head, committed=True, tree=tree) for path in missing}
    ends = {path: trace.steps(()) for path, trace in traces.items()}
    return {path: steps[-1][1] for path, steps in ends.items() if steps}


def plain(path: str) -> str | None:
    """The path as git names it, without `./` and a final slash; None for what names no repository path."""
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        return None
    path = path.removeprefix("./").rstrip("/") if not path.startswith("/") else ""
    if not path or "\0" in path or size > PATH_BYTES or ".." in path.split("/"):
        return None
    return path


def staged(root: str) -> git.Child:
    """The renames in the index, under way; `pairs` reads them."""
    return git.start(
        root, "diff-index", "-M", f"-l{RENAME_LIMIT}", "-z", "--name-status", "--cached", "HEAD", "--"
    )


def pairs(child: git.Child) -> list[Pair]:
    code, out, _ = child.output()
    return list(_renames(out)) if code == 0 else []


def absent(root: str, paths: Sequence[str]) -> git.Child:
    """Paths of the index with their tag, under way; `hidden` reads them."""
    return git.start(root, "ls-files", "-z", "-t", "--", *paths)


def hidden(child: git.Child) -> list[str]:
    """Those that a sparse checkout left out: not in the work tree, and not gone either."""
    code, out, _ = child.output()
    entries = os.fsdecode(out).split("\0") if code == 0 else []
    return [entry[2:] for entry in entries if entry.startswith("S ")]


def in_head(root: str, paths: Sequence[str]) -> git.Child:
    """Which of the paths HEAD has, under way; `all_there` reads it. It reads no index, unlike `staged`."""
    return git.start(root, "ls-tree", "-z", "--name-only", "HEAD", "--", *filter(plain, paths))


def all_there(child: git.Child, paths: Sequence[str]) -> bool:
    """Whether HEAD has all of them: then none of them is the new name of a file."""
    code, out, _ = child.output()
    return code == 0 and set(os.fsdecode(out).split("\0")).issuperset(paths)


def in_tree(root: str, revision: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that a revision's tree has, files and folders."""
    if not paths:
        return set()
    plain_ones = {path: name for path in paths if (name := plain(path))}
    code, out, _ = git.ask(root, "ls-tree", "-z", "--name-only", revision, "--", *plain_ones.values())
    names = set(os.fsdecode(out).split("\0")) if code == 0 else set()
    # of a folder that is asked for beside a file in it, git lists the file alone
    above = {"/".join(name.split("/")[:depth]) for name in names for depth in range(1, name.count("/") + 1)}
    return {path for path, name in plain_ones.items() if name in names or name in above}


def within(name: str, path: str) -> bool:
    return name == path or name.startswith(path + "/")


class Trace:
    """The search for one path, under way; `steps` waits for it and may be called once.

    `since` bounds the search to the commits of `head` that it does not reach. `committed`: a name that only
    the work tree has lost is there. `tree`: `head`'s tree says what is there, and not the work tree.
    """

    __slots__ = ("_child", "_committed", "_head", "_root", "_tree", "path")

    def __init__(
        self,
        root: str,
        path: str,
        head: str,
        since: str | None = None,
        *,
        committed: bool = False,
        tree: bool = False,
    ) -> None:
        self._committed, self._tree = committed, tree
        self._root, self._head, self.path = root, head, path.removeprefix("./").rstrip("/")
        self._child = self._last(self.path, since)

    def steps(self, renamed: Sequence[Pair]) -> list[Step]:
        """The renames that lead to a file that is there; empty when it was deleted or git cannot say."""
        steps: list[Step] = []
        name, child = self.path, self._child
        while True:
            step = _step(name, child, renamed)
            if step is None:
                return []
            commit, name, _ = step
            steps.append(step)
            if self._there(name):
                return steps
            if commit is None or len(steps) == RENAME_STEPS:
                return []
            child = self._last(name, commit)

    def _last(self, name: str, since: str | None) -> git.Child:
        """The last commit that touched the name, with all it renamed: a removal, as the name is gone."""
        span = self._head if since is None else f"{since}..{self._head}"
        shape = (
            "-z",
            "-1",
            "--no-merges",
            "--no-follow",
            "--full-diff",
            "--name-status",
            f"--format={MARK}%H",
        )
        return git.start(
            self._root, "log", *shape, "-M", f"-l{RENAME_LIMIT}", "--end-of-options", span, "--", name
        )

    def _there(self, name: str) -> bool:
        if self._tree:
            return bool(in_tree(self._root, self._head, [name]))
        if os.path.lexists(os.path.join(self._root, name)) or hidden(absent(self._root, [name])):
            return True
        return self._committed and bool(in_tree(self._root, self._head, [name]))


def _step(name: str, child: git.Child, renamed: Sequence[Pair]) -> Step | None:
    code, out, _ = child.output()
    found = _destination(name, renamed)
    if found:
        return None, *found
    head, _, rest = out.partition(b"\0")
    if code != 0 or not head:
        return None
    found = _destination(name, list(_renames(rest.removeprefix(b"\n"))))
    return (head.decode("ascii", "replace").removeprefix(MARK), *found) if found else None


def _renames(data: bytes) -> Iterator[Pair]:
    """The renames in `--name-status -z`: R100 old new, and one path after any other letter."""
    tokens = iter(os.fsdecode(data).split("\0"))
    for status in tokens:
        if status[:1] in ("R", "C"):
            old, new = next(tokens, ""), next(tokens, "")
            if status[0] == "R" and new:
                yield old, new, status == "R100"
        else:
            next(tokens, None)


def _destination(name: str, renamed: Sequence[Pair]) -> tuple[str, bool] | None:
    """Where the name went; of a folder, where all of its files went."""
    for old, new, same in renamed:
        if old == name:
            return new, same
    inside = [(old[len(name) :], new, same) for old, new, same in renamed if within(old, name)]
    folders = {new.removesuffix(rest) if new.endswith(rest) else "" for rest, new, _ in inside}
    folder = folders.pop() if len(folders) == 1 else ""
    return (folder, all(same for _, _, same in inside)) if folder else None
