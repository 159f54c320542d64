"""Record ids: eight random base-32 characters, minted once, free of kind and content.

Crockford's alphabet in lower case, without i, l, o and u. The first character is a letter, so that no
YAML reader takes an id for a number (`12345678`, `1e345678`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable

from chalkgit.errors import ChalkError

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 8
SHORTEST = 4
PATTERN = f"^[a-hjkmnp-tv-z][{ALPHABET}]{{{LENGTH - 1}}}$"

_LETTERS = ALPHABET[10:]


def is_id(text: str) -> bool:
    return len(text) == LENGTH and text[0] in _LETTERS and all(c in ALPHABET for c in text)


def mint(taken: Container[str], random: Callable[[int], bytes] = os.urandom) -> str:
    """A new id that is not in `taken`."""
    while True:
        first, *rest = random(LENGTH)
        # 22 letters do not divide 256; the bias of a fraction of a bit is of no matter to an identity
        new = _LETTERS[first % len(_LETTERS)] + "".join(ALPHABET[b % 32] for b in rest)
        if new not in taken:
            return new


def resolve(prefix: str, known: Iterable[str], describe: Callable[[str], str] = str) -> str:
    """The one known id that starts with `prefix` (at least four characters)."""
    prefix = prefix.strip().lower()
    if len(prefix) < SHORTEST:
        raise ChalkError(
            f"“{prefix}” is too short for an id: give at least {SHORTEST} characters", hint="chalkgit list"
        )
    found = sorted(i for i in known if i.startswith(prefix))
    if not found:
        raise ChalkError(f"no record has the id “{prefix}”", hint="chalkgit list")
    if len(found) > 1:
        listed = ", ".join(describe(i) for i in found[:8])
        more = f" and {len(found) - 8} more" if len(found) > 8 else ""
        raise ChalkError(f"“{prefix}” is ambiguous: {listed}{more}", hint="give more characters of the id")
    return found[0]
