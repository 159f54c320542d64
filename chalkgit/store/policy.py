"""What a repository's `.lessons/config.yaml` asks of its hooks: a policy, never a command.

    hooks:
      block: contradicted     # never (default), contradicted, or always
      check-message: true     # the commit message is checked as a proposal

The user's own settings file may say the same and wins. Reading YAML costs two bare interpreters, so the
file is parsed only where a line of it speaks of hooks.
"""

from __future__ import annotations

import os

from chalkgit import config
from chalkgit.errors import ChalkError
from chalkgit.store import worktree
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

NEVER, CONTRADICTED, ALWAYS = "never", "contradicted", "always"
BLOCKS = (NEVER, CONTRADICTED, ALWAYS)


class Hooks:
    """block: one of BLOCKS. trouble: why a file's wish is not followed, and where."""

    __slots__ = ("block", "check_message", "trouble")

    def __init__(self) -> None:
        self.block = NEVER
        self.check_message = False
        self.trouble: ChalkError | None = None


def hooks(place: Place) -> Hooks:
    found = Hooks()
    try:
        for where, said in _files(place):
            _take(found, said, where)
    except ChalkError as error:
        found.trouble = error
    return found


def _files(place: Place) -> list[tuple[str, Any]]:
    """(file, its `hooks`), the one that wins last."""
    said = []
    if os.path.lexists(os.path.join(place.root, worktree.CONFIG)):
        said.append((worktree.CONFIG, worktree.read(place, worktree.CONFIG)))
    own = os.path.join(config.home("CONFIG"), "config.yaml")
    if os.path.exists(own):
        said.append((own, worktree.read_file(os.path.realpath(own), own)))
    return [(name, _hooks(name, data)) for name, data in said if _speaks(data)]


def _speaks(data: bytes) -> bool:
    return any(b"hooks" in line and not line.lstrip().startswith(b"#") for line in data.splitlines())


def _hooks(name: str, data: bytes) -> Any:
    from chalkgit import settings

    return settings.parsed(data.decode("utf-8", "replace"), name).get("hooks")


def _take(found: Hooks, said: Any, where: str) -> None:
    if said is None:
        return
    if not isinstance(said, dict):
        raise _wrong(where, "`hooks` is no mapping (`block:`, `check-message:`)")
    block = said.get("block", found.block)
    if block not in BLOCKS:
        raise _wrong(where, f"`hooks.block` is “{block}”, not one of {', '.join(BLOCKS)}")
    found.block = block
    check = said.get("check-message", "true" if found.check_message else "false")
    if check not in ("true", "false"):
        raise _wrong(where, f"`hooks.check-message` is “{check}”, neither true nor false")
    found.check_message = check == "true"


def _wrong(where: str, what: str) -> ChalkError:
    return ChalkError(what, where=where, hint=f"edit {where}")
