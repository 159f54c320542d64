"""The moment that an answer speaks of: one line of text, or the JSON that stands under `as_of`."""

from __future__ import annotations

from chalkgit import times
from chalkgit.render.clean import line

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.as_of import AsOf


def sentence(as_of: AsOf) -> str:
    """“As known at abc1234 (2026-05-02T12:00:00Z), valid at 2026-06-01.”"""
    parts = []
    if as_of.commit is not None:
        parts.append(f"as known at {as_of.commit[:12]} ({as_of.committed})")
    elif as_of.known_at is not None:
        parts.append(f"as known at {line(as_of.known_at)}, before the first commit")
    if as_of.valid_at is not None:
        parts.append(f"valid at {line(as_of.valid_at)}")
    said = ", ".join(parts)
    return f"{said[0].upper()}{said[1:]}."


def as_json(as_of: AsOf) -> dict[str, str | None]:
    """What was asked, and what it means."""
    return {
        "known_at": as_of.known_at,
        "commit": as_of.commit,
        "valid_at": times.iso(as_of.now) if as_of.valid_at is not None else None,
    }
