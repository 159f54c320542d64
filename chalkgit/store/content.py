"""What a work tree contains, as one word: equal words mean equal files, whatever is staged or committed.

It is the hash of the list that `git write-tree` would make a tree of after `git add --all`: the index's
entries, in their place the work tree's own content where git says that a file differs, and every file that
git neither knows nor ignores. Nothing is written: no object, no lock, no index.

Left out are the records (writing one down changes no outcome) and, of what git does not know, the caches that
runners and interpreters leave behind; `without` names more: the report and the output of the run itself.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time

from chalkgit import thresholds
from chalkgit.store import git
from chalkgit.store.place import LESSONS, Place, at_root, head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SECONDS = thresholds.CONTENT_SECONDS
FILES = thresholds.CONTENT_FILES
# folders of what is made anew in every run, where no .gitignore names them
CACHES = frozenset(
    "__pycache__ .pytest_cache .hypothesis .mypy_cache .ruff_cache .tox .nox .nyc_output .gradle "
    "node_modules .phpunit.cache .jest-cache .eggs .coverage .phpunit.result.cache coverage".split()
)
_ENTRIES = ("ls-files", "--stage", "-z")
_DIFFERING = ("diff-files", "--name-only", "--ignore-submodules=dirty", "-z")
_UNKNOWN = ("ls-files", "--others", "--exclude-standard", "-z")


def identity(place: Place, without: Sequence[str] = ()) -> str | None:
    """The word for what is there now; None where git cannot tell, or not in time.

    without: paths from the root that are left out. A file that is larger than `WATCH_BYTES` counts by its
    size and time; a submodule by the commit that is checked out in it; what git ignores does not count.
    """
    until = time.monotonic() + SECONDS
    begun = [git.Child(place.root, args, roomy=True) for args in (_ENTRIES, _DIFFERING, _UNKNOWN)]
    entries, differing, unknown = [_answer(child, until) for child in begun]
    if entries is None or differing is None or unknown is None:
        return None
    left_out = {os.path.normpath(path) for path in without}
    known = dict(_entries(entries))
    own = [path for path in unknown if not CACHES.intersection(path.split("/"))]
    looked = [path for path in {*differing, *own} if not _beside(path, left_out)]
    if len(looked) > FILES:
        return None
    for path in looked:
        if time.monotonic() > until:
            return None
        known[path] = _now(place, path, known.get(path, ""))
    whole = hashlib.sha256()
    for path in sorted(known):
        if known[path] and not _beside(path, left_out):
            whole.update(f"{known[path]} {path}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()[:32]


def _answer(child: git.Child, until: float) -> list[str] | None:
    try:
        code, out, _ = child.output(max(until - time.monotonic(), 0.0))
    except TimeoutError:
        return None
    return [name for name in os.fsdecode(out).split("\0") if name] if code == 0 else None


def _entries(rows: Sequence[str]) -> list[tuple[str, str]]:
    """(path, "mode blob"); the last of an unmerged path's, which is among the differing anyhow."""
    found = []
    for row in rows:
        about, path = row.split("\t", 1)
        found.append((path, about.rsplit(" ", 1)[0]))
    return found


def _beside(path: str, left_out: Collection[str]) -> bool:
    return path.startswith(LESSONS + "/") or any(
        path == one or path.startswith(one + "/") for one in left_out
    )


def _now(place: Place, path: str, entry: str) -> str:
    """ "mode blob" as git would stage it; "" where nothing is there."""
    file = os.path.join(place.root, path)
    try:
        status = os.lstat(file)
        if stat.S_ISLNK(status.st_mode):
            return f"120000 {_blob(os.fsencode(os.readlink(file)), entry)}"
        if stat.S_ISDIR(status.st_mode):
            if not (path.endswith("/") or entry.startswith("160000")):
                return ""  # a folder in a file's place: what it holds is listed by itself
            inside = at_root(file)  # a submodule, or a repository that git does not know
            return f"160000 {head(inside) if inside else None}"
        mode = "100755" if status.st_mode & 0o100 else "100644"
        if not stat.S_ISREG(status.st_mode) or status.st_size > thresholds.WATCH_BYTES:
            return f"{mode} {status.st_size} {status.st_mtime_ns}"
        with open(file, "rb") as opened:
            return f"{mode} {_blob(opened.read(), entry)}"
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"unreadable {error.errno}"


def _blob(data: bytes, entry: str) -> str:
    # a repository of SHA-256 has longer names
    digest = hashlib.sha256 if len(entry.partition(" ")[2]) == 64 else hashlib.sha1
    return digest(b"blob %d\0" % len(data) + data).hexdigest()
