"""Whether a ruling claims more or less than before: how sure, how far, until when, and of which files.

What was left open before, and is said now, is no stronger and no weaker: it is a correction.
"""

from __future__ import annotations

from chalkgit import times
from chalkgit.answers import globs
from chalkgit.answers.review_words import changed

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Fields = Mapping[str, Any]

# By how much of the route they rule out: unstable rules all of it out for whoever needs it to work each time,
# partial leaves a part that works, inconclusive leaves everything.
DEGREES = ("inconclusive", "partial", "unstable", "contradicted")
# absent: recalled anywhere, as what is general is
SCOPES = ("local", "repo", "version-bound", "general")
ACTIONS = ("retry", "narrow-scope", "change-method", "abandon")
FIELDS = ("degree", "scope", "action", "valid-from", "valid-until", "files", "depends-on")


class Claims:
    """weaker and stronger: the fields that make it so, each with what it says of them."""

    __slots__ = ("stronger", "weaker")

    def __init__(self) -> None:
        self.weaker: dict[str, str] = {}
        self.stronger: dict[str, str] = {}


def compared(before: Fields, after: Fields) -> Claims:
    found = Claims()
    for name in FIELDS:
        old, new = before.get(name), after.get(name)
        by = 0 if old == new else _by(name, old, new)
        if by:
            (found.stronger if by > 0 else found.weaker)[name] = _said(name, old, new)
    return found


def strength(degree: str | None) -> int:
    """For sorting: how much a ruling of this degree rules out; one that does not say is taken for sure."""
    return DEGREES.index(degree) if degree in DEGREES else len(DEGREES) - 1


def _by(name: str, old: Any, new: Any) -> int:
    """Below 0: it claims less; above: more."""
    if name == "degree":
        return _ranked(DEGREES, old, new)
    if name == "scope":
        return _ranked(SCOPES, old or "general", new or "general")
    if name == "action":
        return _ranked(ACTIONS, old, new)
    if name == "valid-until":
        return _later(old, new)
    if name == "valid-from":
        # the day it was found out, where there was none: no narrowing
        return -_later(old, new) if old and new else 0
    if name == "files":
        return _wider(old, new) if isinstance(old, list) and isinstance(new, list) else 0
    return _fewer(old or {}, new or {})


def _ranked(words: Sequence[str], old: Any, new: Any) -> int:
    return words.index(new) - words.index(old) if old in words and new in words else 0


def _later(old: Any, new: Any) -> int:
    """1 where the date has moved on, or is gone: it holds for longer."""
    dates = [times.parse(one) if isinstance(one, str) and times.is_date(one) else None for one in (old, new)]
    start, end = dates
    if start == end:
        return 0
    if start is None or end is None:
        return 1 if end is None else -1
    return 1 if end > start else -1


def _wider(old: list[str], new: list[str]) -> int:
    kept, covered = _covers(old, new), _covers(new, old)
    return 0 if kept == covered else -1 if kept else 1


def _covers(wide: list[str], narrow: list[str]) -> bool:
    """Whether every name is, or lies in, one of the wide ones."""
    return all(any(globs.matches(one, name.removeprefix("./")) for one in wide) for name in narrow)


def _fewer(old: Any, new: Any) -> int:
    """Each version that it is bound to narrows it."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return 0
    came, went = new.keys() - old.keys(), old.keys() - new.keys()
    return 0 if bool(came) == bool(went) else -1 if came else 1


def _said(name: str, old: Any, new: Any) -> str:
    if name in ("degree", "scope", "action", "valid-from", "valid-until"):
        return f"{name} {old or 'not said'} → {new or 'not said'}"
    return f"{name} {changed(old, new)}"
