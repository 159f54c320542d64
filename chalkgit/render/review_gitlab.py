"""A review as GitLab's code quality report: every finding, each with a name of its own that stays.

GitLab compares the names of two branches to tell what is new, and shows one of those that are equal.
"""

from __future__ import annotations

from chalkgit.answers.finding import ERROR, NOTE, WARNING
from chalkgit.render.review_parts import cut, fingerprints, ordered, path, written

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.finding import Finding, Review

_SEVERITY = {NOTE: "info", WARNING: "minor", ERROR: "critical"}


def gitlab(review: Review) -> str:
    findings = ordered(review)
    names = fingerprints(findings)
    return written([_issue(finding, name) for finding, name in zip(findings, names, strict=True)])


def _issue(finding: Finding, name: str) -> dict[str, Any]:
    mend = f" (to mend it: {cut(finding.mend)})" if finding.mend else ""
    return {
        "description": cut(finding.message) + mend,
        "check_name": finding.rule.name,
        "fingerprint": name,
        "severity": _SEVERITY[finding.level],
        "location": {"path": path(finding), "lines": {"begin": finding.line or 1}},
    }
