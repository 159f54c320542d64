"""Where a repository is: its work tree, its git directories, and the folders chalkgit keeps in them.

The plain cases are read from the files, since a `git rev-parse` costs a third of a bare interpreter; git
itself is asked where the environment or the ownership makes it the judge.
"""

from __future__ import annotations

import os

from chalkgit import config
from chalkgit.errors import ChalkError, NoStore
from chalkgit.store import git

LESSONS = ".lessons"


class NoRepository(ChalkError):
    """git finds no repository here."""


class Place:
    """Absolute paths of one work tree.

    git_dir is this work tree's own, common_dir the one all work trees share.
    """

    __slots__ = ("common_dir", "git_dir", "root")

    def __init__(self, root: str, git_dir: str, common_dir: str) -> None:
        self.root = root
        self.git_dir = git_dir
        self.common_dir = common_dir
        git.disarm(root, [os.path.join(common_dir, "config"), os.path.join(git_dir, "config.worktree")])

    @property
    def lessons(self) -> str:
        return os.path.join(self.root, LESSONS)

    @property
    def derived(self) -> str:
        """Derived data of this work tree: may be lost at any moment."""
        return os.path.join(self.git_dir, "chalkgit")

    @property
    def notes(self) -> str:
        """Working notes: local, shared by all work trees; beside derived data, which may be deleted."""
        return os.path.join(self.common_dir, "chalkgit-notes")

    def require_store(self) -> Place:
        """This place, when it has a `.lessons/` folder of its own."""
        if os.path.islink(self.lessons):
            raise ChalkError(f"{LESSONS} is a symbolic link, which is not followed", where=self.root)
        if not os.path.isdir(self.lessons):
            raise NoStore(f"no {LESSONS}/ here", where=self.root, hint="chalkgit init")
        return self


def find(directory: str | None = None) -> Place:
    """The place of `directory` (a `-C` argument), or of the current one as git's variables say."""
    start = os.path.realpath(directory or ".")
    if not os.path.isdir(start):
        raise ChalkError(f"no such folder: {directory}", hint="chalkgit -C DIR, with a folder that is there")
    told = any(map(config.environment_value, ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")))
    if directory is None and told:
        # A hook: git's variables speak of this repository and must reach git unchanged.
        config.claim(start)
        place = _ask_git(start)
    else:
        place = _walk(start) or _ask_git(start)
    if directory is None:
        config.claim(place.root)
    return place


def near(directory: str | None = None) -> Place | None:
    """The same, by the files alone: None where git would have to be asked."""
    if any(map(config.environment_value, ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"))):
        return None
    folder = os.path.realpath(directory or ".")
    while not os.path.lexists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)
    return _open(folder, ask=False)


def store_of(folder: str) -> Place | None:
    """The place of a file's folder, where it has records; an editor or an agent opens files anywhere."""
    folder = os.path.normpath(folder)
    while not os.path.isdir(folder):  # a new file in a folder that is not there yet
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)
    try:
        place = find(folder)
    except NoRepository:
        return None
    return place if os.path.isdir(place.lessons) else None


def at_root(root: str) -> Place | None:
    """The place whose work tree is exactly `root`, or None when that is no repository any more."""
    root = os.path.realpath(root)
    try:
        found = _open(root) if os.path.isdir(root) else None
    except NoRepository:
        return None
    return found if found is not None and found.root == root else None


def path_in(place: Place, path: str, directory: str) -> str:
    """A path as typed in `directory`, relative to the repository's root; it need not exist."""
    absolute = os.path.normpath(os.path.join(directory, path))
    inside = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
    relative = os.path.relpath(inside, place.root)
    if relative == ".." or relative.startswith("../"):
        raise ChalkError(
            f"{path} is outside this repository", where=place.root, hint=f"git -C {place.root} ls-files"
        )
    return relative


def same_git_dir(root: str, git_dir: str) -> str | None:
    """None where the `.git` at `root` is that git directory, or there is none; else what it is instead."""
    dot = os.path.join(root, ".git")
    if os.path.isfile(dot):
        pointer = (_line(dot) or "").removeprefix("gitdir: ")
        dot = os.path.join(root, pointer)
    same = not os.path.exists(dot) or os.path.realpath(dot) == os.path.realpath(git_dir)
    return None if same else dot


def siblings(place: Place) -> list[Place]:
    """The other work trees of the same repository that still exist."""
    roots = []
    folder = os.path.join(place.common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        pointer = _line(os.path.join(folder, name, "gitdir"))
        if pointer is not None:
            roots.append(os.path.dirname(os.path.join(folder, name, pointer)))
    if os.path.basename(place.common_dir) == ".git":
        roots.append(os.path.dirname(place.common_dir))
    found = (_readable(root) for root in roots)
    return [p for p in found if p and p.common_dir == place.common_dir and p.root != place.root]


def _readable(root: str) -> Place | None:
    try:
        return at_root(root)
    except ChalkError:
        return None  # another user's, say: the question was put to this work tree


def head(place: Place) -> str | None:
    """The commit HEAD names, None while the branch is unborn."""
    line = _line(os.path.join(place.git_dir, "HEAD"))
    if line and not line.startswith("ref: ") and _is_oid(line):
        return line
    if line and line.startswith("ref: refs/heads/") and ".." not in line:
        oid = _line(os.path.join(place.common_dir, *line[5:].split("/"))) or _packed(place, line[5:])
        if oid and _is_oid(oid):
            return oid
    # symbolic refs of symbolic refs, the reftable format, an unborn branch
    code, out, _ = git.ask(place.root, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    return out.decode().strip() if code == 0 else None


def _packed(place: Place, ref: str) -> str | None:
    """What packed-refs says of a ref that has no file of its own, as after a `git gc`."""
    try:
        with open(os.path.join(place.common_dir, "packed-refs"), "rb") as file:
            data = file.read()
    except OSError:
        return None
    end = data.find(b" " + os.fsencode(ref) + b"\n")
    start = data.rfind(b"\n", 0, end) + 1
    return data[start:end].decode("ascii", "replace") if end > 0 else None


def _walk(start: str) -> Place | None:
    folder = start
    while True:
        found = _open(folder)
        if found is not None or os.path.dirname(folder) == folder:
            return found
        folder = os.path.dirname(folder)


def _open(root: str, *, ask: bool = True) -> Place | None:
    """The place at `root` when its `.git` is of the plain kind and ours; else git's word, if it is asked."""
    dot = os.path.join(root, ".git")
    try:
        owner = os.stat(dot).st_uid
    except OSError:
        return None
    git_dir = dot
    if not os.path.isdir(dot):
        pointer = _line(dot) or ""
        if not pointer.startswith("gitdir: "):
            return None
        git_dir = os.path.realpath(os.path.join(root, pointer.removeprefix("gitdir: ")))
    moved = b"worktree" in git.configuration(git_dir)  # core.worktree: the records lie where it says
    if owner != os.geteuid() or moved or not os.path.isfile(os.path.join(git_dir, "HEAD")):
        # git refuses another user's repository, and says how to allow it
        return _ask_git(root) if ask else None
    common = _line(os.path.join(git_dir, "commondir"))
    common_dir = os.path.realpath(os.path.join(git_dir, common)) if common else git_dir
    return Place(root, git_dir, common_dir)


def _ask_git(start: str) -> Place:
    code, out, err = git.ask(
        start,
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--absolute-git-dir",
        "--git-common-dir",
    )
    if code != 0:
        said = err.decode("utf-8", "replace")
        if "not a git repository" in said:
            raise NoRepository("not inside a git repository", where=start, hint="git init")
        if "must be run in a work tree" in said:
            raise ChalkError(
                "a bare repository has no work tree to keep lessons in",
                where=start,
                hint=f"git -C {start} worktree add DIR",
            )
        raise ChalkError(" ".join(said.split()), where=start)
    root, git_dir, common_dir = os.fsdecode(out).splitlines()
    return Place(os.path.realpath(root), git_dir, common_dir)


def _line(path: str) -> str | None:
    """The first line of a small file, None when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).rstrip("\n") or None
    except OSError:
        return None


def _is_oid(text: str) -> bool:
    return len(text) in (40, 64) and all(c in "0123456789abcdef" for c in text)
