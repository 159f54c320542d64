"""A review as annotations of GitHub Actions: workflow commands, the most important first, within the limits.

GitHub drops what is over ten of a level in silence, so it is counted here instead. No text of a record begins
a line or ends one: none can start a command, nor stop them.
"""

from __future__ import annotations

from chalkgit.answers.finding import ERROR, NOTE, WARNING
from chalkgit.render.review_parts import NOTHING, command, count, ordered, path, skipped, tally, told, visible
from chalkgit.thresholds import GITHUB_ANNOTATIONS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.finding import Finding, Review

_COMMANDS = {NOTE: "notice", WARNING: "warning", ERROR: "error"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


def github(review: Review) -> str:
    """One command a line; what could not be looked at is a line of the log, no annotation."""
    if not review.findings:
        return "\n".join([NOTHING, *skipped(review)])
    findings = ordered(review)
    kept = _kept(findings, GITHUB_ANNOTATIONS)
    if len(kept) < len(findings):  # the line that says so is a notice too
        kept = _kept(findings, GITHUB_ANNOTATIONS, notices=GITHUB_ANNOTATIONS - 1)
    lines = [_command(finding) for finding in kept]
    shown_ids = {id(finding) for finding in kept}
    left = [finding for finding in findings if id(finding) not in shown_ids]
    if left:
        more = (
            f"{count(len(left), 'more finding')} not shown here ({tally(left)}): {command(review)} tells all."
        )
        lines.append(f"::notice title=chalkgit review::{more.translate(_DATA)}")
    return "\n".join([*lines, *skipped(review)])


def _kept(findings: list[Finding], most: int, notices: int | None = None) -> list[Finding]:
    kept: list[Finding] = []
    for level in _COMMANDS:
        limit = notices if level == NOTE and notices is not None else most
        kept = [*[finding for finding in findings if finding.level == level][:limit], *kept]
    return kept


def _command(finding: Finding) -> str:
    title = f"{finding.rule.short} [{finding.rule.name}]"
    properties = {"title": title, "file": visible(path(finding)), "line": str(finding.line or 1)}
    said = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items() if value)
    return f"::{_COMMANDS[finding.level]} {said}::{told(finding).translate(_DATA)}"
