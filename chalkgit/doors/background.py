"""After a merge, a checkout or a rewrite: derived data follows, so that no question has to wait for it.

It runs detached and is never heard: what fails here is done again, and said, by the next question.
"""

from __future__ import annotations

import os
import sys

from chalkgit import config
from chalkgit.answers import repair
from chalkgit.errors import ChalkError
from chalkgit.index import moves, refresh
from chalkgit.store import place as places
from chalkgit.store.lock import Lock
from chalkgit.store.place import Place

_begun: dict[str, int] = {}  # what this process has started, by root: an editor's server lives long


def _under_way(root: str) -> bool:
    pid = _begun.get(root)
    try:
        return pid is not None and os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def start(place: Place) -> None:
    """Begin `refreshed` in a process of its own, which outlives this one and is heard by nobody."""
    if _under_way(place.root):
        return
    program = "from chalkgit.__main__ import main; main()"
    null = os.open(os.devnull, os.O_RDWR)
    try:
        _begun[place.root] = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-c", program, "-C", place.root, "hook", "refresh"],
            config.git_environment(place.root),
            file_actions=[(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)],
            setsid=True,
        )
    except (OSError, NotImplementedError):
        pass  # the next question that has time for it searches
    finally:
        os.close(null)


def refreshed(directory: str | None) -> int:
    if config.bypassed("RULINGS") and config.bypassed("CHECK"):
        return 0
    try:
        place = places.find(directory).require_store()
        with Lock(os.path.join(place.derived, "background.lock"), 0, "another one is at it"):
            index = repair.once(lambda rebuild: refresh.up_to_date(place, rebuild=rebuild))
            moves.earlier_names(index, [], [])
    except (ChalkError, OSError):
        pass  # the next question meets the same, and says so
    return 0
