"""What a repository's `.lessons/config.yaml` asks of its hooks and of recall: a policy, never a command.

    hooks:
      block: contradicted     # never (default), contradicted, or always
      check-message: true     # the commit message is checked as a proposal
    fingerprint: off          # failures are recalled by their text alone
    show-unreviewed: [check]  # where records that nobody approved are shown: all (default), none, or some

Who may approve is read by `store.reviewers`, as it is committed. The user's own settings file may say the
same and wins. Reading YAML costs two bare interpreters, so a file is parsed only where a line of it speaks of
what is asked.
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
KEYS = ("block", "check-message")
SETTINGS = ("hooks", "reviewers", "require-signature", "show-unreviewed", "fingerprint")
SURFACES = ("check", "at", "recall", "hooks", "editor", "agent")
ALL, NONE = "all", "none"
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Hooks:
    """block: one of BLOCKS. trouble: why a file's wish is not followed, and where."""

    __slots__ = ("block", "check_message", "trouble")

    def __init__(self) -> None:
        self.block = NEVER
        self.check_message = False
        self.trouble: ChalkError | None = None


def hooks(place: Place) -> Hooks:
    """What the files say; where one says something else, all the rest of it holds."""
    found = Hooks()
    try:
        files = _files(place)
    except ChalkError as error:
        found.trouble = error
        return found
    for where, said in files:
        wrong = take(found, said, where)
        found.trouble = wrong[0][1] if wrong else found.trouble
    return found


def fingerprints(place: Place) -> bool:
    """Whether failures are recognised by fingerprint; ChalkError for a word that is neither on nor off."""
    found = True
    for where, said in _files(place, "fingerprint"):
        if said is not None:
            found = switched(said, where)
    return found


def switched(said: Any, where: str) -> bool:
    if str(said).lower() not in _FLAGS:
        raise _wrong(where, f"`fingerprint` is “{said}”, neither on nor off")
    return _FLAGS[str(said).lower()]


def withholds(place: Place, surface: str) -> bool:
    """Whether this surface shows approved records alone; ChalkError for a word that is none of SURFACES."""
    found: tuple[str, ...] = SURFACES
    for where, said in _files(place, "show-unreviewed"):
        if said is not None:
            found = surfaces(said, where)
    return surface not in found


def surfaces(said: Any, where: str) -> tuple[str, ...]:
    words = [said] if isinstance(said, str) else said
    if words == [ALL]:
        return SURFACES
    if words == [NONE] or words == []:
        return ()
    if not isinstance(words, list) or any(word not in SURFACES for word in words):
        known = ", ".join((ALL, NONE, *SURFACES))
        raise _wrong(where, f"`show-unreviewed` is “{unknown(said)}”, not one of {known}")
    return tuple(words)


def unknown(said: Any) -> Any:
    """Of what `show-unreviewed` says, the first that is no surface."""
    return next((w for w in said if w not in SURFACES), said) if isinstance(said, list) else said


def _files(place: Place, key: str = "hooks") -> list[tuple[str, Any]]:
    """(file, what it says under this key), the one that wins last."""
    said = []
    if os.path.lexists(os.path.join(place.root, worktree.CONFIG)):
        said.append((worktree.CONFIG, worktree.read(place, worktree.CONFIG)))
    own = os.path.join(config.home("CONFIG"), "config.yaml")
    if os.path.exists(own):
        said.append((own, worktree.read_file(os.path.realpath(own), own)))
    return [(name, _said(name, data, key)) for name, data in said if _speaks(data, key.encode())]


def _speaks(data: bytes, key: bytes) -> bool:
    return any(key in line and not line.lstrip().startswith(b"#") for line in data.splitlines())


def _said(name: str, data: bytes, key: str) -> Any:
    from chalkgit import settings

    return settings.parsed(data.decode("utf-8", "replace"), name).get(key)


def take(found: Hooks, said: Any, where: str) -> list[tuple[str, ChalkError]]:
    """Take over what is right of `hooks`; what is not, by the key that it is said of."""
    if said is None:
        return []
    if not isinstance(said, dict):
        return [("hooks", _wrong(where, "`hooks` is no mapping (`block:`, `check-message:`)"))]
    known = ", ".join(KEYS)
    wrong = [
        (key, _wrong(where, f"`hooks.{key}` is no setting ({known})")) for key in said if key not in KEYS
    ]
    block = said.get("block", found.block)
    if block in BLOCKS:
        found.block = block
    else:
        wrong.append(("block", _wrong(where, f"`hooks.block` is “{block}”, not one of {', '.join(BLOCKS)}")))
    check = str(said.get("check-message", "true" if found.check_message else "false")).lower()
    if check in _FLAGS:
        found.check_message = _FLAGS[check]
    else:
        said_of = f"`hooks.check-message` is “{check}”, neither true nor false"
        wrong.append(("check-message", _wrong(where, said_of)))
    return wrong


def _wrong(where: str, what: str) -> ChalkError:
    return ChalkError(what, where=where, hint=f"edit {where}")
