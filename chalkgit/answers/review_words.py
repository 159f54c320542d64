"""How a review names records and quotes what differs: short, on one line, and never a secret."""

from __future__ import annotations

from chalkgit.answers.nudges import short
from chalkgit.answers.review_secrets import bare_name
from chalkgit.failures.secrets import masked
from chalkgit.records.record import Record, title
from chalkgit.thresholds import REVIEW_CONTEXT, REVIEW_QUOTED

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Difference = tuple[str, Any, Any]

KINDS = {"dead-end": "dead end", "lesson": "lesson", "procedure": "procedure"}


def called(record: Record) -> str:
    """The record's title, without what has the shape of a secret."""
    return short(masked(title(record)))


def named(record: Record) -> str:
    """`k7q2abcd “cache the parsed manifest”`"""
    return f"{record.id} “{called(record)}”"


def quoted(value: Any, most: int = REVIEW_QUOTED, name: str = "") -> str:
    """A value as one line of bounded length; lists by their commas. name: what the value is of."""
    said = _under(name, told(value))
    return said if len(said) <= most else said[: most - 1] + "…"


def told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{bare_name(str(name))} {_under(str(name), told(part))}" for name, part in value.items()
        )
    if isinstance(value, list):
        return ", ".join(map(told, value))
    return " ".join(str(value).split())


def _under(name: str, said: str) -> str:
    """What stands under a name, masked: it may be the name that tells a secret, as in `api-key: …`."""
    start = f"{name}: " if name else ""
    clean = masked(start + said)
    return clean.removeprefix(start) if clean.startswith(start) else masked(said)


def changed(before: Any, after: Any, name: str = "") -> str:
    """`old → new`: of lists what came and went, of a long text the part that differs. name: of the field."""
    if before is None:
        return f"now {quoted(after, name=name)}"
    if after is None:
        return f"no longer {quoted(before, name=name)}"
    if isinstance(before, list) and isinstance(after, list):
        return _lists(before, after)
    if isinstance(before, dict) and isinstance(after, dict):
        names = dict.fromkeys([*before, *after])
        differing = [n for n in names if before.get(n) != after.get(n)]
        return "; ".join(
            f"{bare_name(str(n))} {changed(before.get(n), after.get(n), str(n))}" for n in differing
        )
    return _texts(_under(name, told(before)).split(), _under(name, told(after)).split())


def some(values: Iterable[str], most: int = 3) -> str:
    """`a, b, c and 4 more`"""
    listed = list(values)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more:,} more" if more > 0 else "")


def _lists(before: list[Any], after: list[Any]) -> str:
    came = [quoted(value) for value in after if value not in before]
    went = [quoted(value) for value in before if value not in after]
    if not came and not went:
        return "in another order"
    parts = [f"without {some(went)}"] if went else []
    return ", ".join([*parts, *([f"with {some(came)}"] if came else [])])


def _texts(before: list[str], after: list[str]) -> str:
    if before == after:
        return "in other blanks"
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    return f"{_part(before, head, tail)} → {_part(after, head, tail)}"


def _common(before: list[str], after: list[str]) -> int:
    pairs = zip(before, after, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))


def _part(words: list[str], head: int, tail: int) -> str:
    """What differs with a few words around it, cut in its middle where it is long."""
    start, end = max(head - REVIEW_CONTEXT, 0), len(words) - max(tail - REVIEW_CONTEXT, 0)
    said = " ".join(words[start:end])
    if len(said) > REVIEW_QUOTED:
        said = f"{said[: REVIEW_QUOTED // 2]} … {said[-REVIEW_QUOTED // 2 :]}"
    return f"“{'… ' * (start > 0)}{said}{' …' * (end < len(words))}”"
