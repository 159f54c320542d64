"""The fingerprint of a failure: equal for the same one, another for another, none where nothing is known.

It is computed from what a record keeps (the failing tests, the error as `stored` wrote it, the exit code),
so that a new version of the rules can compute it anew: of(…) == of_record(…, stored(…), …), by construction.
"""

from __future__ import annotations

import hashlib
import json

from chalkgit import thresholds
from chalkgit.failures import rules, secrets

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = 32  # of SHA-256: two failures of one repository meet by chance never
_LOOKED_AT = thresholds.FAILURE_LOOKED_AT


class Fingerprint:
    """value: `v1:` and 32 hexadecimal digits, or None. normalized: what was hashed of the error, its lines
    joined by line ends; "" where there is none. why: the reason for no value, else None.
    """

    __slots__ = ("normalized", "value", "why")

    def __init__(self, value: str | None, normalized: str, why: str | None) -> None:
        self.value = value
        self.normalized = normalized
        self.why = why

    def __repr__(self) -> str:
        return f"Fingerprint({self.value!r}, {self.normalized!r}, {self.why!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        return (self.value, self.normalized, self.why) == (other.value, other.normalized, other.why)

    def __hash__(self) -> int:
        return hash(self.value)


def of(
    tests: Sequence[str],
    error: str | None,
    detail: Sequence[str] = (),
    *,
    exit_code: int | None = None,
    root: str | None = None,
) -> Fingerprint:
    """The fingerprint of a run. error: the first line. detail: those after it. root: where it was started."""
    masked = [rules.mask_id(test, root) for test in tests]
    return of_record(masked, stored(error, detail, root), exit_code)


def stored(error: str | None, detail: Sequence[str] = (), root: str | None = None) -> str | None:
    """The error as a record keeps it: as it was printed, but relative to the root, and with secrets masked.

    One line, and where it has no value of its own the lines with them; None where there is none.
    """
    first = _shown(error or "", root)
    if not first:
        return None
    following = rules.joined(first, [_shown(line, root) for line in detail[:_LOOKED_AT]])
    return secrets.masked("\n".join([first, *following]))


def of_record(tests: Sequence[str], error_text: str | None, exit_code: int | None) -> Fingerprint:
    """The fingerprint by today's rules of what a record keeps."""
    names = sorted({name for test in tests if (name := rules.mask_id(test))})
    first, *rest = (error_text or "").split("\n")
    detail = rules.joined(first, rest[:_LOOKED_AT])
    normalized = "\n".join(filter(None, (rules.normal(line, None) for line in (first, *detail))))
    if not names and not normalized:
        return Fingerprint(None, "", "neither a failing test nor an error is known")
    if not names and not detail and rules.generic(first):
        return Fingerprint(None, normalized, "no failing test is known, and the error could be any failure's")
    known: dict[str, object] = {"tests": names, "error": normalized}
    if not normalized:
        # a crash: 139 and -11 are both signal 11
        known["exit"] = 128 - exit_code if exit_code is not None and exit_code < 0 else exit_code
    canonical = json.dumps(known, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return Fingerprint(f"{rules.VERSION}:{digest[:_DIGITS]}", normalized, None)


def _shown(line: str, root: str | None) -> str:
    """The line as a record can hold it: no controls, no blanks at its ends, bounded."""
    cut = line[: rules.LINE_CHARACTERS]
    plain = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in cut)
    return rules.relative(plain, root).strip()
