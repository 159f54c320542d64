"""A review as a comment on a pull request: short, bounded, and no record's text has any say in it.

Stored text makes no link, image, mention, reference, HTML or layout: it is quoted as code, else escaped.
The first line is always the same, so that a program finds its comment again and replaces it.
"""

from __future__ import annotations

import re

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
from chalkgit.thresholds import MARKDOWN_BYTES, REVIEW_SECTION

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.finding import Finding, Review

MARKER = "<!-- chalkgit review -->"
HEADING = "### What this change does to the lessons"
_APART = "&#8203;"  # nothing to see; a forge finds no mention, reference or address across it
# A backslash would not keep `$` from mathematics, nor a backtick from closing code.
_SIGNS = {sign: "\\" + sign for sign in r"\*_[]~"}
_SIGNS |= {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "&#96;", "$": "<span>$</span>"}
# What forges see after Markdown was read: @name, #1, GH-1, !1, &1, %1, ~label, :smile:, addresses.
_REFERENCE = re.compile(
    r"[@#](?=\S)|GH(?=-\d)|[!&%~$](?=\w)|:(?=//)|:(?=[\w+-]+:)|www(?=\.)|(?:mailto|xmpp)(?=:)",
    re.I,
)


def markdown(review: Review) -> str:
    if not review.findings:
        return "\n".join([MARKER, HEADING, "", NOTHING, *_skipped(review), ""])
    asked = f"{code(review.asked)} ({code(compared(review))})"
    summary = f"**{tally(review.findings)}**; {records(review)}. Compared: {asked}."
    lines = [MARKER, HEADING, "", summary]
    end = [*_skipped(review), "", f"<sub>{QUOTED}</sub>", ""]
    rest = f"{count(len(review.findings), 'more finding')}: {code(command(review))} tells all."
    size = _size([*lines, *end, "", rest])
    told = 0
    named: set[str] = set()
    for name, findings in sections(review):
        head = ["", f"#### {name}", ""]
        size += _size(head)
        for number, finding in enumerate(findings[:REVIEW_SECTION]):
            rows = _finding(finding, named)
            size += _size(rows)
            if size > MARKDOWN_BYTES:
                break
            lines += rows if number else [*head, *rows]
            told += 1
    if told < len(review.findings):
        left = count(len(review.findings) - told, "more finding")
        lines += ["", f"{left}: {code(command(review))} tells all."]
    return "\n".join([*lines, *end])


def prose(text: object) -> str:
    """The text as words, of which neither Markdown nor a forge makes anything."""
    parts: list[str] = []
    last = 0
    one = cut(text)
    for found in _REFERENCE.finditer(one):
        parts += [_escaped(one[last : found.end()]), _APART]
        last = found.end()
    return "".join([*parts, _escaped(one[last:])])


def code(text: object) -> str:
    """The text as code, fenced by more backticks than it has in a row."""
    one = cut(text)
    if not one:
        return "(empty)"
    fence = "`" * (max((len(run) for run in re.findall("`+", one)), default=0) + 1)
    pad = " " if one.startswith("`") or one.endswith("`") else ""
    return f"{fence}{pad}{one}{pad}{fence}"


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)


def _finding(finding: Finding, named: set[str]) -> list[str]:
    lines = [f"- **{finding.rule.name}** {code(place(finding))}: {prose(finding.message)}"]
    lines += [f"  - {code(row)}" for row in details(finding, named)]
    return [*lines, f"  - mend: {code(shown(finding.mend))}"] if finding.mend else lines


def _skipped(review: Review) -> list[str]:
    return [row for text in skipped(review) for row in ("", prose(text))]


def _size(lines: list[str]) -> int:
    """In bytes, with the ends of the lines: no way to count characters gives more."""
    return sum(len(row.encode("utf-8", "surrogatepass")) + 1 for row in lines)
