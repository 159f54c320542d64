"""What has happened to a ruling's files since it was written, kept by a helper for as long as HEAD stays.

Asking git costs a process a ruling, which walks history. The words depend on HEAD, on the ruling's commit and
paths, and on which of these are there: kept is what git said of a whole commit id, where all paths are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from chalkgit.answers import drift
from chalkgit.store import git
from chalkgit.store.place import Place, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chalkgit.answers.drift import Ask

    Key = tuple[str, tuple[str, ...]]
    State = tuple[object, ...]


class Drift:
    """`measure` is that of `answers.drift`; `forget` all that was kept."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        self._kept: dict[str, tuple[State, dict[Key, str | None]]] = {}

    def of(self, places: Sequence[Place]) -> None:
        """The stores that are asked from now on."""
        self._places = {place.root: place for place in places}
        self.forget()

    def forget(self) -> None:
        self._kept.clear()

    def measure(self, root: str, asks: Sequence[Ask]) -> list[str | None]:
        place = self._places.get(root)
        now = state(place) if place is not None else None
        if now is None:
            return drift.measure(root, asks)
        before, kept = self._kept.get(root, (None, {}))
        if before != now:
            kept = {}
        keys = [_key(root, *ask) for ask in asks]
        unknown = [ask for key, ask in zip(keys, asks, strict=True) if key is None or key not in kept]
        said = iter(drift.measure(root, unknown))
        words = [kept[key] if key is not None and key in kept else next(said) for key in keys]
        if place is not None and state(place) == now:
            for key, ask, word in zip(keys, asks, words, strict=True):
                if key is None or key in kept or _key(root, *ask) != key:
                    continue
                if word or _told(place, key):
                    kept[key] = word
            self._kept[root] = now, kept
        return words


def _told(place: Place, key: Key) -> bool:
    """Whether that nothing is said means that nothing moved: where git knows the commit and all history. (Of
    another commit a fetch may bring word, and HEAD stays.)"""
    whole = not os.path.exists(os.path.join(place.common_dir, "shallow"))
    return whole and git.ask(place.root, "cat-file", "-e", key[0] + "^{commit}")[0] == 0


def state(place: Place) -> State | None:
    """What HEAD is, where history ends, and what stands in for other objects."""
    commit = head(place)
    names = ("shallow", "packed-refs", "info/grafts", "refs/replace")
    return (commit, *(_sign(os.path.join(place.common_dir, name)) for name in names)) if commit else None


def _key(root: str, at: str | None, paths: Sequence[str]) -> Key | None:
    # of an abbreviation another object may come; and what is no commit's name is never given to git
    if at is None or len(at) not in (40, 64) or not all(c in "0123456789abcdef" for c in at):
        return None
    there = all("\0" not in path and os.path.lexists(os.path.join(root, path)) for path in paths)
    return (at, tuple(paths)) if there and paths else None


def _sign(path: str) -> tuple[int, ...]:
    try:
        seen = os.lstat(path)
    except OSError:
        return ()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
