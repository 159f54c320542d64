"""What the repository knew when, along the first parents of HEAD."""

from __future__ import annotations

from datetime import datetime

from chalkgit import times
from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import git, snapshot
from chalkgit.store.place import Place


def known_at(place: Place, text: str) -> str:
    """The commit that a `--known-at` REV or DATE means, on the first parents of HEAD."""
    if not times.is_date(text):
        return _revision(place, text)
    # the first moment after the asked day: what was committed on that day was known on it
    instant = times.iso(times.end(text))
    code, out, _ = git.ask(place.root, "rev-list", "-1", "--first-parent", f"--before={instant}", "HEAD")
    if code == 0 and out.strip():
        return out.decode().strip()
    if _shallow(place):
        raise UnknownPast(
            f"this clone does not reach back to {text}: what was known then is unknown",
            hint="git fetch --unshallow",
        )
    raise ChalkError(f"this repository has no commit up to {text}", hint="git log --first-parent")


def _revision(place: Place, text: str) -> str:
    try:
        return snapshot.resolve(place, text, commit=True)
    except ChalkError:
        if not _shallow(place):
            raise
        raise UnknownPast(
            f"“{text}” is no revision that this shallow clone can see",
            hint="git fetch --unshallow",
        ) from None


def _shallow(place: Place) -> bool:
    return git.run(place.root, "rev-parse", "--is-shallow-repository").strip() == b"true"


def versions(place: Place, path: str) -> list[dict[str, str]]:
    """The commits that changed one record file, newest first: commit, when, author, subject."""
    shape = "--format=%H%x00%cI%x00%an%x00%s"
    code, out, _ = git.ask(place.root, "log", "--first-parent", "--follow", shape, "--", path)
    rows = out.decode("utf-8", "replace").split("\n")[:-1] if code == 0 else []
    found = []
    for row in rows:
        commit, instant, author, subject = row.split("\0", 3)
        when = times.iso(datetime.fromisoformat(instant))
        found.append({"commit": commit, "recorded_at": when, "author": author, "subject": subject})
    return found
