"""Transaction time of record files: the commit on HEAD's first parents that last changed each.

Whether HEAD has a file as it stands is judged by content, never by git's stat cache.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from chalkgit import times
from chalkgit.errors import ChalkError
from chalkgit.store import git, worktree
from chalkgit.store.place import LESSONS, Place

# begins no path that git stores, so it tells a commit's line from its paths
MARK = "//"


Moment = tuple[str | None, str | None, bool]  # commit, instant, whether HEAD has this very content
UNCOMMITTED: Moment = (None, None, False)


def recorded(place: Place) -> dict[str, Moment]:
    """The moment of the last change of each record file that HEAD has as it stands, in one walk.

    A file that differs from HEAD's is absent. Where a shallow clone cuts history off, commit and instant are
    unknown (None), which is not the same as not committed.
    """
    shape = ("log", "--first-parent", "-m", "--name-only", "-z", f"--format={MARK}%H %cI", "--", LESSONS)
    log, tree = git.start(place.root, *shape), in_head(place, [LESSONS])
    code, out, _ = log.output()
    held = {path for path, blob in blobs(tree).items() if same(place, path, blob)}
    found: dict[str, Moment] = {}
    moment = UNCOMMITTED
    edge = boundary(place)
    for token in names(out if code == 0 else b""):
        name = token.lstrip("\n")
        if name.startswith(MARK):
            moment = moment_of(name.removeprefix(MARK), edge)
        elif name in held and name not in found:
            found[name] = moment
    return {**dict.fromkeys(held, (None, None, True)), **found}


def in_head(place: Place, paths: Sequence[str]) -> git.Child:
    """The blobs of HEAD at these paths, under way; `blobs` reads them."""
    return git.start(place.root, "ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", *paths)


def blobs(child: git.Child) -> dict[str, str]:
    code, out, _ = child.output()
    rows = (row.split("\t", 1) for row in names(out if code == 0 else b""))
    return {path: meta.split(" ")[2] for meta, path in rows}


def same(place: Place, path: str, blob: str) -> bool:
    """Whether the file's content is the blob: by content, since git's stat cache may be out of date."""
    import hashlib

    try:
        data = worktree.read(place, path)
    except ChalkError:
        return False
    digest = hashlib.sha1 if len(blob) == 40 else hashlib.sha256
    # a checkout may have made CRLF of the line ends
    forms = {data, data.replace(b"\r\n", b"\n")}
    return any(digest(b"blob %d\0" % len(form) + form).hexdigest() == blob for form in forms)


def moment_of(line: str, edge: set[str]) -> Moment:
    """The moment of a `%H %cI` line; unknown at an edge, where history is cut off."""
    commit, _, instant = line.strip().partition(" ")
    if not instant or commit in edge:
        return None, None, True
    return commit, times.of_git(instant), True


def boundary(place: Place) -> set[str]:
    """The edges: commits whose own parents git does not show, since a shallow clone ends there, or a graft
    says other ones."""
    ends = _text(os.path.join(place.common_dir, "shallow")).split()
    return {*ends, *(line.split()[0] for line in grafted(place).splitlines() if line.strip())}


def grafts(place: Place) -> str:
    return os.path.join(place.common_dir, "info", "grafts")


def grafted(place: Place) -> str:
    """What a file of grafts says; "" where there is none."""
    return _text(grafts(place)) if os.path.isfile(grafts(place)) else ""  # no FIFO, which may never open


def _text(file: str) -> str:
    try:
        with open(file, encoding="ascii", errors="replace") as handle:
            return handle.read()
    except OSError:
        return ""  # git cannot read it either


def names(out: bytes) -> list[str]:
    """What git wrote with -z, empty ones left out."""
    return [token for token in out.decode("utf-8", "surrogateescape").split("\0") if token]
