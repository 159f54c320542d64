"""A review for a person at a terminal: what was compared, what is wrong, then what the change does.

A finding is `PATH:LINE: LEVEL: MESSAGE [RULE]`, as compilers print it, so that editors and CI can pick it up.
"""

from __future__ import annotations

from chalkgit.render.review_parts import (
    NOTHING,
    QUOTED,
    command,
    compared,
    count,
    cut,
    details,
    place,
    records,
    sections,
    shown,
    skipped,
    tally,
)
from chalkgit.render.text import Style, plain
from chalkgit.thresholds import REVIEW_SECTION

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.finding import Finding, Review


def text(review: Review, style: Style = plain) -> str:
    if not review.findings:
        return "\n".join([NOTHING, *skipped(review)])
    head = f"{shown(review.asked)} ({compared(review)}): {tally(review.findings)}; {records(review)}."
    lines = [style(head, "bold")]
    left = False
    named: set[str] = set()
    for name, findings in sections(review):
        lines += ["", style(name, "bold")]
        most = len(findings) if findings[0].level == "error" else REVIEW_SECTION
        for finding in findings[:most]:
            lines += _finding(finding, style, named)
        if len(findings) > most:
            left = True
            lines.append(f"and {count(len(findings) - most, 'more finding')} of these")
    lines += ["", *skipped(review)]
    lines += [f"All of it: {command(review)}"] if left else []
    return "\n".join([*lines, QUOTED])


def _finding(finding: Finding, style: Style, named: set[str]) -> list[str]:
    rule = style(f"[{finding.rule.name}]", "dim")
    lines = [f"{place(finding)}: {finding.level}: {cut(finding.message)} {rule}"]
    lines += [f"    - {row}" for row in details(finding, named)]
    return [*lines, f"    mend: {shown(finding.mend)}"] if finding.mend else lines
