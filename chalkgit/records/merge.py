"""Three versions of a record's fields made one: what one side changed wins, what both changed is told.

Each field comes back as a pair: what it says where ours is chosen, and what where theirs is. They are equal
where nothing is left to choose. Changing the sides changes the pair's order and the order of a list's items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalkgit.records.fields import BY_NAME, LINES, PARTS, VERSIONS
from chalkgit.records.shapes import normal

if TYPE_CHECKING:
    from typing import Any

_NOTHING: Mapping[str, Any] = {}
_RESTRICTIONS = ("rejected", "quarantined")
# What the first one says is about the second: chosen together, or a note would get another's author.
_ABOUT = {"resolved-by": "resolution", "distilled-by": "lesson", "truncated": "raw"}


def values(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A file's fields so that those which mean the same are equal; what has no value is absent."""
    given = {name: _without_nothing(value) for name, value in plain.items() if value is not None}
    # `normal` also gives an entry the route that its raw text holds, which is not in the file
    made = normal(given)
    return {name: made[name] for name in given}


def fields(
    base: Mapping[str, Any] | None, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Each field's pair, in the order of ours and then of theirs; None is absent. No base: both added it."""
    base = base if base is not None else _NOTHING
    names = [name for name in (*ours, *theirs) if name != "review"]
    pairs = {name: _three(name, base.get(name), ours.get(name), theirs.get(name)) for name in names}
    for name, about in _ABOUT.items():
        if about in pairs and pairs[about][0] != pairs[about][1] and name in pairs:
            pairs[name] = ours.get(name), theirs.get(name)
    if "review" in ours or "review" in theirs:
        sides = (ours, theirs)
        voided = [any(pair != (side.get(name),) * 2 for name, pair in pairs.items()) for side in sides]
        pairs["review"] = _review(base.get("review"), ours.get("review"), theirs.get("review"), voided)
    return pairs


def _three(name: str, base: Any, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if theirs in (ours, base):
        return ours, ours
    if ours == base:
        return theirs, theirs
    shape = _shape(name)
    if shape == LINES and all(map(_is_lines, (base, ours, theirs))):
        merged = _as_sets(name, base or [], ours or [], theirs or []) or None
        return merged, merged
    together = isinstance(ours, dict) and isinstance(theirs, dict) and isinstance(base or {}, dict)
    if shape in (VERSIONS, PARTS, "") and together:
        return _parts(name, base or {}, ours, theirs)
    return ours, theirs


def _parts(
    name: str, base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[Any, Any]:
    pairs = {
        part: _three(f"{name}.{part}", base.get(part), ours.get(part), theirs.get(part))
        for part in dict.fromkeys((*ours, *theirs))
    }
    one, other = ({part: pair[at] for part, pair in pairs.items() if pair[at] is not None} for at in (0, 1))
    return one or None, other or None


def _as_sets(name: str, base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Without what either side removed, with what either side added; ours' order, then what theirs added."""
    kept = [item for item in ours if item in theirs or item not in base]
    added = dict.fromkeys(item for item in theirs if item not in ours and item not in base)
    # test ids are written sorted, and stay so
    ordered = name == "failure.tests" and ours == sorted(ours) and theirs == sorted(theirs)
    return sorted([*kept, *added]) if ordered else [*kept, *added]


def _review(base: Any, ours: Any, theirs: Any, voided: list[bool]) -> tuple[Any, Any]:
    """One saying, never put together of two. A restriction that a side set wins over any approval.

    voided: whether what ours, and theirs, was about is not what the merge makes. An approval lifts an older
    restriction only where it speaks of exactly what comes out; else the restriction stays.
    """
    for mine, other, is_void in ((ours, theirs, voided[1]), (theirs, ours, voided[0])):
        if _is_restricted(mine) and not _is_restricted(other):
            lifted = mine == base and not (is_void and other is not None)
            return (other, other) if lifted else (mine, mine)
    return (theirs, theirs) if ours == base else (ours, ours if theirs == base else theirs)


def _is_restricted(review: Any) -> bool:
    return isinstance(review, dict) and str(review.get("state")).strip() in _RESTRICTIONS


def _shape(name: str) -> str:
    """The shape of a field, or of `field.part`; "" for one that is not known."""
    top, _, part = name.partition(".")
    if top not in BY_NAME:
        return ""
    return BY_NAME[top].parts.get(part, "") if part else BY_NAME[top].shape


def _is_lines(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _without_nothing(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_nothing(inner) for name, inner in value.items() if inner is not None}
