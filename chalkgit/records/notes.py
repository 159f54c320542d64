"""Working notes: which of them speak of a failure, and so count in `check`."""

from __future__ import annotations

import re

from chalkgit.records.record import Record

_NOT = r"(?:not|never|n['’]t)"
# What failed did so in the note's own words: each row is one way people say it.
_MARKERS = (
    r"(?:did|does|do|will|would|could|can|has|have|had|is|was)\s?" + _NOT + r" (?:\w+ )?work(?:s|ed|ing)?",
    r"never worked",
    r"fails?\b",
    r"failed\b",
    r"failing\b",
    r"vetoed",
    r"rul(?:ed|es|ing) (?:\w+ )?out",
    r"dead[- ]end",
    r"abandon(?:ed|s|ing)?",
    r"back(?:ed|s|ing) (?:\w+ )?out",
    r"block(?:ed|s) by",
    r"too (?:slow|fragile|flaky|expensive|brittle|unstable)",
    r"can(?:not|n['’]t| not)",
    r"revert(?:ed|s|ing)?",
    r"made (?:it|things|\w+) (?:much )?(?:worse|slower)",
    r"makes (?:it|things|\w+) (?:much )?(?:worse|slower)",
    r"gave up",
    r"no (?:use|good)\b",
    r"rejected",
    r"broke\b",
    r"breaks\b",
)
_MARKER = re.compile(r"\b(?:" + "|".join(_MARKERS) + r")", re.IGNORECASE)
# A marker that is undone: mended, denied, or only feared.
_UNDONE = re.compile(
    r"\b(?:fix(?:ed|es|ing)?|repair(?:ed|s)?|solv(?:ed|es)|resolv(?:ed|es)|mend(?:ed|s)?|avoid(?:ed|s|ing)?"
    r"|prevent(?:ed|s|ing)?|no longer|not|never|n['’]t|without|stopped|instead of|nothing)"
    r"(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)
_MENDED = re.compile(
    r"^[^.!?;\n]{0,60}?\b(?:is|are|was|were|got|now|been) (?:\w+ )?"
    r"(?:fixed|solved|resolved|mended|green|passing|passes)\b",
    re.IGNORECASE,
)


def has_failure_marker(text: str) -> bool:
    """Whether the note says, in explicit words, that something failed; negation is understood."""
    for found in _MARKER.finditer(text):
        sentence = re.split(r"[.!?;\n]", text[: found.start()])[-1]
        if not _UNDONE.search(sentence) and not _MENDED.match(text[found.end() :]):
            return True
    return False


def admitted(note: Record) -> bool:
    """Whether a working note counts in `check`."""
    return has_failure_marker("\n".join(filter(None, (note.text("raw"), note.text("route")))))
