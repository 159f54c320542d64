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
from chalkgit.errors import ChalkError, Problem
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
        found.trouble = _take(found, said, where) or found.trouble
    return found


def fingerprints(place: Place) -> bool:
    """Whether failures are recognised by fingerprint; ChalkError for a word that is neither on nor off."""
    found = True
    for where, said in _files(place, "fingerprint"):
        if said is not None:
            if str(said).lower() not in _FLAGS:
                raise _wrong(where, f"`fingerprint` is “{said}”, neither on nor off")
            found = _FLAGS[str(said).lower()]
    return found


def withholds(place: Place, surface: str) -> bool:
    """Whether this surface shows approved records alone; ChalkError for a word that is none of SURFACES."""
    found: tuple[str, ...] = SURFACES
    for where, said in _files(place, "show-unreviewed"):
        if said is not None:
            found = _surfaces(said, where)
    return surface not in found


def _surfaces(said: Any, where: str) -> tuple[str, ...]:
    words = [said] if isinstance(said, str) else said
    if words == [ALL]:
        return SURFACES
    if words == [NONE] or words == []:
        return ()
    if not isinstance(words, list) or any(word not in SURFACES for word in words):
        wrong = next((w for w in words if w not in SURFACES), said) if isinstance(words, list) else said
        known = ", ".join((ALL, NONE, *SURFACES))
        raise _wrong(where, f"`show-unreviewed` is “{wrong}”, not one of {known}")
    return tuple(words)


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


def _take(found: Hooks, said: Any, where: str) -> ChalkError | None:
    """Take over what is right; the first thing that is not."""
    if said is None:
        return None
    if not isinstance(said, dict):
        return _wrong(where, "`hooks` is no mapping (`block:`, `check-message:`)")
    known = ", ".join(KEYS)
    wrong = [_wrong(where, f"`hooks.{key}` is no setting ({known})") for key in said if key not in KEYS]
    block = said.get("block", found.block)
    if block in BLOCKS:
        found.block = block
    else:
        wrong.append(_wrong(where, f"`hooks.block` is “{block}”, not one of {', '.join(BLOCKS)}"))
    check = str(said.get("check-message", "true" if found.check_message else "false")).lower()
    if check in _FLAGS:
        found.check_message = _FLAGS[check]
    else:
        wrong.append(_wrong(where, f"`hooks.check-message` is “{check}”, neither true nor false"))
    return wrong[0] if wrong else None


def _wrong(where: str, what: str) -> ChalkError:
    return ChalkError(what, where=where, hint=f"edit {where}")


def lint(place: Place) -> list[Problem]:
    """What is wrong with the repository's own file, whatever it speaks of."""
    path = worktree.CONFIG
    if not os.path.lexists(os.path.join(place.root, path)):
        return []
    from difflib import get_close_matches

    from chalkgit import settings

    try:
        text = worktree.read(place, path).decode("utf-8", "replace")
        said = settings.parsed(text, path)
    except ChalkError as error:
        where, _, line = (error.where or path).rpartition(":")
        number = int(line) if where == path and line.isdecimal() else None
        return [Problem(path, number, error.message, error.hint)]
    found = [
        Problem(path, None, f"`{key}` is no setting: {near[0]}, perhaps?", fatal=False)
        for key in said
        if key not in SETTINGS and (near := get_close_matches(key, SETTINGS, 1, 0.7))
    ]
    found += _about_trust(text, said, path)
    wrong = _take(Hooks(), said.get("hooks"), path)
    flag = said.get("fingerprint")
    if flag is not None and str(flag).lower() not in _FLAGS:
        found.append(Problem(path, None, f"`fingerprint` is “{flag}”, neither on nor off", fatal=False))
    return found + ([Problem(path, None, wrong.message, wrong.hint, fatal=False)] if wrong else [])


def _about_trust(text: str, said: Any, path: str) -> list[Problem]:
    from chalkgit.store import reviewers

    found = []
    for look in (
        lambda: reviewers.parsed(text, path),
        lambda: _surfaces(said["show-unreviewed"], path) if "show-unreviewed" in said else None,
    ):
        try:
            look()
        except ChalkError as error:
            found.append(Problem(path, None, error.message, error.hint, fatal=False))
    return found
