"""A review as rdjson, the diagnostic format of reviewdog: every finding, each with a line.

A finding about a whole file stands at its first line: without one, reviewdog keeps it out of a pull request.
"""

from __future__ import annotations

from chalkgit.answers.finding import ERROR, NOTE, WARNING
from chalkgit.render.review_parts import ordered, path, told, written

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.finding import Finding, Review

_SEVERITY = {NOTE: "INFO", WARNING: "WARNING", ERROR: "ERROR"}


def rdjson(review: Review) -> str:
    findings = ordered(review)
    worst = {"severity": _SEVERITY[findings[0].level]} if findings else {}
    return written(
        {"source": {"name": "chalkgit"}, **worst, "diagnostics": [_diagnostic(one) for one in findings]}
    )


def _diagnostic(finding: Finding) -> dict[str, Any]:
    return {
        "message": told(finding),
        "location": {"path": path(finding), "range": {"start": {"line": finding.line or 1}}},
        "severity": _SEVERITY[finding.level],
        "code": {"value": finding.rule.name},
    }
