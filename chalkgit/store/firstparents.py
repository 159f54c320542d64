"""The commits along the first parents of a revision, and what each changed in `.lessons/`.

Order is ancestry. History ends where a commit's own parent does not follow: at a root, or cut off (a shallow
clone, a graft, a commit that is not there), which is told and never taken for the beginning. Replacement refs
and grafts are not followed: they say what never was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from chalkgit import thresholds
from chalkgit.errors import UnknownPast
from chalkgit.store import git
from chalkgit.store.place import LESSONS, Place

_REAL = "--no-replace-objects"
# What brings the contents that a partial clone left out, of merged branches too, and changes nothing else.
FILL = "git log -p -m --full-history --output=/dev/null -- .lessons"
_LATEST = 253_402_300_799  # the last second of the year 9999: a commit may claim any number


class Commit:
    """One commit, as its object says. at: its committer's seconds since 1970. parents: all of them, in full.

    signed: it carries a signature, whatever that is worth.
    """

    __slots__ = ("at", "author", "email", "oid", "parents", "signed", "subject")

    def __init__(self, oid: str) -> None:
        self.oid = oid
        self.parents: list[str] = []
        self.at = 0
        self.author = ""
        self.email = ""
        self.subject = ""
        self.signed = False


class Chain:
    """Commits from the newest to the oldest. cut: whether history goes on beyond the last, unseen."""

    __slots__ = ("commits", "cut")

    def __init__(self, commits: list[Commit], cut: bool) -> None:
        self.commits = commits
        self.cut = cut


class Touch:
    """One path that a commit changed: blob is "" where it is gone, mode as git writes it."""

    __slots__ = ("blob", "mode", "path")

    def __init__(self, path: str, mode: str, blob: str) -> None:
        self.path = path
        self.mode = mode
        self.blob = blob


def chain(place: Place, tip: str, without: str | None = None) -> Chain:
    """The first parents of `tip`; without: a commit whose own ancestors are left out."""
    bounds = [f"^{without}"] if without else []
    # a commit-graph file may be damaged, or know commits that are gone; the objects are read anyway
    asked = ("-c", "core.commitGraph=false", _REAL, "rev-list", "--first-parent", "--header", tip, *bounds)
    code, out, err = git.ask(place.root, *asked, "--")
    commits = [_commit(raw) for raw in out.split(b"\0")[:-1]]
    if code != 0 and not without:
        # git gives up one commit before the one that it does not have
        commits += _one_by_one(place, commits[-1].parents[0] if commits else tip)
    if code != 0 and not commits:
        said = " ".join(err.decode("utf-8", "replace").split())
        raise UnknownPast(f"git cannot tell the history of {tip[:12]}: {said}", hint="git fsck")
    for number, commit in enumerate(commits):
        following = commits[number + 1].oid if number + 1 < len(commits) else None
        parent = commit.parents[0] if commit.parents else None
        if following != parent and (following is not None or not without):
            return Chain(commits[: number + 1], parent is not None)
    return Chain(commits, False)


def _one_by_one(place: Place, oid: str) -> list[Commit]:
    """The first parents from a commit on, as far as they are there."""
    found: list[Commit] = []
    while True:
        code, out, _ = git.ask(place.root, _REAL, "cat-file", "commit", oid)
        if code != 0:
            return found
        found.append(_commit(oid.encode("ascii") + b"\n" + out))
        if not found[-1].parents:
            return found
        oid = found[-1].parents[0]


def mending(place: Place) -> str:
    """What brings the objects that are missing."""
    return FILL if b"promisor" in git.configuration(place.common_dir) else "git fsck"


Touched = list[tuple[Commit, list[Touch]]]


def touches(place: Place, commits: Sequence[Commit], cut: bool) -> Iterator[Touched]:
    """What each of these changed against its first parent, from the oldest to the newest, some at a time.

    Of the oldest of a chain that is cut off, all that it holds: what of that it brought is unknown. Those
    that changed nothing are left out.
    """
    ordered = list(reversed(commits))
    if cut and ordered:
        yield [(ordered[0], _held(place, ordered[0].oid))]
        ordered = ordered[1:]
    size = thresholds.HISTORY_AT_ONCE
    parts = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    # git compares the next ones while these are read
    following = _started(place, parts[0]) if parts else None
    for number, part in enumerate(parts):
        assert following is not None
        code, out, err = following.output()
        following = _started(place, parts[number + 1]) if number + 1 < len(parts) else None
        try:
            if code != 0:
                said = " ".join(err.decode("utf-8", "replace").split())
                raise UnknownPast(
                    f"git cannot compare the trees of this history: {said}", hint=mending(place)
                )
            found = _parsed(out)
            yield [(commit, found[commit.oid]) for commit in part if commit.oid in found]
        except BaseException:
            if following is not None:
                following.output()
            raise


def _started(place: Place, commits: Sequence[Commit]) -> git.Child:
    import tempfile

    # one comparison a commit: `git log --raw -- .lessons` makes two, to choose and to show
    pairs = "".join(f"{c.oid} {c.parents[0]}\n" if c.parents else f"{c.oid}\n" for c in commits)
    shape = ("diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
    with tempfile.TemporaryFile() as file:
        file.write(pairs.encode("ascii"))
        file.seek(0)
        return git.Child(place.root, (_REAL, *shape, "--", LESSONS), file.fileno(), roomy=True)


def _held(place: Place, oid: str) -> list[Touch]:
    out = git.run(place.root, _REAL, "ls-tree", "-r", "-z", "--full-tree", oid, "--", LESSONS)
    rows = (row.split("\t", 1) for row in os.fsdecode(out).split("\0") if row)
    return [Touch(path, meta.split(" ")[0], meta.split(" ")[2]) for meta, path in rows]


def _parsed(out: bytes) -> dict[str, list[Touch]]:
    """Commit to its touches, from `commit NUL (:meta NUL path NUL)…` as -z writes it."""
    found: dict[str, list[Touch]] = {}
    touched: list[Touch] = []
    meta = ""
    for token in os.fsdecode(out).split("\0"):
        if meta:
            _, mode, _, blob, letter = meta.split(" ")
            touched.append(Touch(token, mode, "" if letter[0] == "D" else blob))
            meta = ""
        elif token.startswith(":"):
            meta = token[1:]
        elif token:
            touched = found.setdefault(token.strip(), [])
    return found


def _commit(raw: bytes) -> Commit:
    """A commit as `rev-list --header` writes it: its name, its headers, and its message indented by four.

    git has made UTF-8 of it, unless it names an encoding that nobody knows.
    """
    oid, _, rest = raw.lstrip(b"\n").partition(b"\n")
    head, _, message = rest.partition(b"\n\n")
    found = Commit(oid.decode("ascii"))
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"parent":
            found.parents.append(value.decode("ascii", "replace"))
        elif name == b"author":
            found.author, found.email = _person(value.decode("utf-8", "replace"))
        elif name == b"committer":
            found.at = _seconds(value)
        elif name in (b"gpgsig", b"gpgsig-sha256"):
            found.signed = True
    found.subject = message.strip().split(b"\n", 1)[0].strip().decode("utf-8", "replace")
    return found


def _seconds(value: bytes) -> int:
    """The time of `NAME <EMAIL> SECONDS ZONE`, within what has a date; 0 where it says none."""
    word = value.rpartition(b">")[2].strip().split(b" ")[0]
    return min(int(word[:20]), _LATEST) if word.isdigit() else 0


def _person(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("<")
    return name.strip(), rest.partition(">")[0].strip()
