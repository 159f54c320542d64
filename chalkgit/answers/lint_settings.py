"""What is wrong with `.lessons/config.yaml`, whatever it speaks of: each thing with its line."""

from __future__ import annotations

import os
from difflib import get_close_matches

from chalkgit import settings
from chalkgit.answers.lint_places import line
from chalkgit.errors import ChalkError, Problem
from chalkgit.store import policy, reviewers, worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from chalkgit.store.place import Place

_PATH = worktree.CONFIG


def findings(place: Place) -> list[Problem]:
    if not os.path.lexists(os.path.join(place.root, _PATH)):
        return []
    try:
        text = worktree.read(place, _PATH).decode("utf-8", "replace")
    except ChalkError as error:
        return [_unread(error)]
    return of_text(text)


def of_text(text: str) -> list[Problem]:
    """The same of a version of the file."""
    try:
        said = settings.parsed(text, _PATH)
    except ChalkError as error:
        return [_unread(error)]
    found = [
        Problem(_PATH, line(text, key), f"`{key}` is no setting: {near[0]}, perhaps?", fatal=False)
        for key in said
        if key not in policy.SETTINGS and (near := get_close_matches(key, policy.SETTINGS, 1, 0.7))
    ]
    for key, item, wrong in (*_hooks(said), *_people(said), *_words(said)):
        found.append(Problem(_PATH, line(text, key, item), wrong.message, wrong.hint, fatal=False))
    return found


def _unread(error: ChalkError) -> Problem:
    where, _, number = (error.where or _PATH).rpartition(":")
    at = int(number) if where == _PATH and number.isdecimal() else None
    return Problem(_PATH, at, error.message, error.hint)


# Each gives (key, what stands under it, what is wrong with that).


def _hooks(said: Any) -> Iterator[tuple[str, str | None, ChalkError]]:
    for part, wrong in policy.take(policy.Hooks(), said.get("hooks"), _PATH):
        yield "hooks", None if part == "hooks" else f"{part}:", wrong


def _people(said: Any) -> Iterator[tuple[str, str | None, ChalkError]]:
    try:
        entries = reviewers.entries(said, _PATH)
    except ChalkError as error:
        entries = []
        yield "reviewers", None, error
    for one in entries:
        try:
            reviewers.entry(one, _PATH)
        except ChalkError as error:
            yield "reviewers", _first(one), error


def _words(said: Any) -> Iterator[tuple[str, str | None, ChalkError]]:
    try:
        reviewers.signed(said, _PATH)
    except ChalkError as error:
        yield "require-signature", None, error
    for key, look in (("show-unreviewed", policy.surfaces), ("fingerprint", policy.switched)):
        try:
            if said.get(key) is not None:
                look(said[key], _PATH)
        except ChalkError as error:
            yield key, _first(policy.unknown(said[key])) if key == "show-unreviewed" else None, error


def _first(said: Any) -> str | None:
    """A piece of what was said, as the file has it."""
    if isinstance(said, dict):
        said = next(iter(said), None)
    return said if isinstance(said, str) and said else None
