"""A review in the format that was asked for: for a person, a comment, or a program that shows findings.

Every format is made from the same `Review`; JSON alone holds all of it, uncut.
"""

from __future__ import annotations

from chalkgit.render import json
from chalkgit.render.review_github import github
from chalkgit.render.review_gitlab import gitlab
from chalkgit.render.review_markdown import markdown
from chalkgit.render.review_rdjson import rdjson
from chalkgit.render.review_sarif import sarif
from chalkgit.render.review_text import text
from chalkgit.render.text import Style, plain

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from chalkgit.answers.finding import Finding, Review

_PROGRAMS: dict[str, Callable[[Review], str]] = {
    "markdown": markdown,
    "github": github,
    "sarif": sarif,
    "rdjson": rdjson,
    "gitlab": gitlab,
}
FORMATS = ("text", *_PROGRAMS)
# Those that have no place for what could not be looked at: it has to be said beside them.
SILENT = ("rdjson", "gitlab")


def rendered(review: Review, format: str, style: Style = plain) -> str:
    """The whole of what is printed, without the last line's end."""
    return text(review, style) if format == "text" else _PROGRAMS[format](review)


def as_json(review: Review) -> dict[str, Any]:
    return {
        "version": json.VERSION,
        "asked": review.asked,
        "base": review.base,
        "head": review.head,
        "records": {"before": review.before, "after": review.after},
        "findings": [_finding(finding) for finding in review.findings],
        "skipped": list(review.skipped),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.name,
        "level": finding.level,
        "path": finding.path,
        "line": finding.line,
        "record": finding.record or None,
        "title": finding.title or None,
        "message": finding.message,
        "details": list(finding.details),
        "mend": finding.mend,
    }
