"""What differs between two versions of a record, a line a field; stored text is data."""

from __future__ import annotations

from chalkgit.records.record import person
from chalkgit.render.clean import line

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ABSENT = "none"
HASH = "review.hash"
_SHOWN = 12


def fields(changed: Sequence[tuple[str, Any, Any]], most: int | None = None) -> list[str]:
    """`name: before → after`; lists and mappings by what came and went. most: characters of a value."""
    return [text for name, before, after in changed for text in _field(name, before, after, most)]


def _field(name: str, before: Any, after: Any, most: int | None) -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        inner = dict.fromkeys([*before, *after])
        pairs = [(f"{name}.{key}", before.get(key), after.get(key)) for key in inner]
        return [text for key, old, new in pairs if old != new for text in _field(key, old, new, most)]
    if isinstance(before, list) and isinstance(after, list):
        came = [item for item in after if item not in before]
        went = [item for item in before if item not in after]
        if not came and not went:
            return [f"{line(name)}: in another order"]
        said = [f"+ {value(item, most)}" for item in came] + [f"- {value(item, most)}" for item in went]
        return [f"{line(name)}: {', '.join(said)}"]
    if name == HASH:
        before, after = _short(before), _short(after)
    return [f"{line(name)}: {value(before, most)} → {value(after, most)}"]


def value(what: Any, most: int | None = None) -> str:
    """A field's value on one line."""
    if what is None:
        return ABSENT
    if isinstance(what, dict):
        named = person(what) if set(what) <= {"name", "agent"} else None
        text = named or "; ".join(f"{key} {value(_hashless(key, inner))}" for key, inner in what.items())
    else:
        text = ", ".join(map(str, what)) if isinstance(what, list) else str(what)
    text = line(text)
    return text if most is None or len(text) <= most else text[: most - 1] + "…"


def _hashless(key: str, inner: Any) -> Any:
    return _short(inner) if HASH.endswith(f".{key}") else inner


def _short(digest: Any) -> Any:
    """A hash as far as a person compares it; `show` has the whole of it."""
    if not isinstance(digest, str):
        return digest
    kind, sign, digits = digest.rpartition(":")
    return kind + sign + digits[:_SHOWN]
