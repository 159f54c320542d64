"""The short way in for `at` and `check` with plain arguments, without importing click.

It knows a strict subset of their options and gives None for anything else, which then goes through click:
both ways end in the same function of `cli.asking`, and a test holds that they answer alike.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from chalkgit import config
from chalkgit.store import place as places
from chalkgit.store.ahead import Ahead

_FLAGS = {"check": ("--json", "--lexical", "--here"), "at": ("--json",)}


def run(arguments: Sequence[str]) -> int | None:
    """The exit code, or None where click has to look."""
    left = list(arguments)
    directory = None
    if len(left) > 2 and left[0] == "-C":
        directory = left[1]
        del left[:2]
    command = left.pop(0) if left else ""
    if command not in _FLAGS:
        return None
    flags = [word for word in left if word in _FLAGS[command]]
    words = [word for word in left if word not in _FLAGS[command]]
    if not words or any(word.startswith("-") or not word.strip() for word in words):
        return None
    if command == "check" and len(words) != 1:
        return None
    early = _look_ahead(directory, command)
    from chalkgit.cli import asking, terminal

    terminal.begin()
    as_json = "--json" in flags
    if command == "at":
        code = asking.at(directory, words, as_json=as_json, ahead=early)
    else:
        lexical, here = "--lexical" in flags, "--here" in flags
        code = asking.check(directory, words[0], as_json=as_json, lexical=lexical, here=here, ahead=early)
    terminal.finish()
    return code


def _look_ahead(directory: str | None, command: str) -> Ahead | None:
    """A look at the records that runs beside the imports, unless the question is switched off."""
    if config.bypassed({"at": "RULINGS", "check": "CHECK"}[command]):
        return None
    place = places.find(directory)
    return Ahead(place) if os.path.isdir(place.lessons) else None
