"""What a change does to the lessons: the findings of every rule, and what could not be looked at.

A problem that stood before the change is not told, and nothing is told twice.
"""

from __future__ import annotations

from chalkgit.answers import (
    review_changes,
    review_config,
    review_merging,
    review_pairs,
    review_references,
    review_reopens,
    review_rot,
    review_secrets,
    review_sides,
    review_text,
    review_touches,
    review_trust,
)
from chalkgit.answers.finding import Finding, Review
from chalkgit.answers.review_words import quoted
from chalkgit.store.place import Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from chalkgit.answers.review_sides import Sides
    from chalkgit.answers.semantic import Semantic
    from chalkgit.errors import Problem

STAGED, WORK_TREE = "--staged", "--work-tree"


def of_commits(place: Place, asked: str, now: datetime, semantic: Semantic | None = None) -> Review:
    """Of BASE..HEAD: from the commit where they parted on. UnknownPast where this clone cannot tell."""
    base, head, onto = review_sides.asked(place, asked)
    review = Review(asked if ".." in asked else f"{asked}..HEAD", base, head)
    return _reviewed(
        review, review_sides.opened(place, base, head, staged=False, now=now, onto=onto), semantic
    )


def of_uncommitted(
    place: Place, now: datetime, semantic: Semantic | None = None, *, staged: bool = False
) -> Review:
    """Of what is not committed yet: all of the work tree, or what is staged."""
    base = review_sides.uncommitted(place)
    review = Review(STAGED if staged else WORK_TREE, base, None)
    return _reviewed(review, review_sides.opened(place, base, None, staged=staged, now=now), semantic)


def _reviewed(review: Review, sides: Sides, semantic: Semantic | None) -> Review:
    review.before, review.after = sides.count_before(), len(sides.after)
    skipped = review.skipped
    touched = review_touches.touched(sides, skipped)
    reopened = list(review_reopens.findings(sides, skipped))
    known = {finding.record for finding in reopened}
    judged = list(review_trust.findings(sides))
    found = [
        *_damaged(sides),
        *review_config.findings(sides),
        *review_changes.findings(sides, {finding.record for finding in judged}),
        *judged,
        *review_merging.findings(sides, skipped),
        *review_text.findings(sides),
        *review_references.findings(sides, skipped),
        *review_rot.findings(sides, touched, skipped),
        *review_pairs.findings(sides, semantic, skipped),
        *reopened,
        *review_touches.findings(sides, [t for t in touched if t.edits and t.record.id not in known]),
    ]
    review.findings = review_secrets.without(sides, _once(found))
    review.skipped = [review_secrets.bare(text) for text in skipped]
    review.sort()
    return review


def _damaged(sides: Sides) -> Iterator[Finding]:
    """What cannot be read after the change, in files that it touched or that now share an id with one."""
    # a name that is not UTF-8 is told as the table has it
    touched = {path.encode("utf-8", "backslashreplace").decode() for path in sides.contents}
    ids = {record.id for i in sides.changed if (record := sides.after.get(i)) is not None}
    shared = {path for i in ids for path in sides.index.table.with_id(i)}
    before = {(problem.path, problem.message) for problem in sides.problems_before}
    for problem in sides.problems:
        twin = problem.path in shared and (problem.hint or "").startswith("chalkgit fmt --new-id")
        if (problem.path in touched or twin) and (problem.path, problem.message) not in before:
            yield _unread(problem)
    for edit in sides.misnamed:
        message = "is not read: a record's file ends with .yaml"
        yield Finding("damaged", edit.path, message)


def _unread(problem: Problem) -> Finding:
    what = "cannot be read" if problem.fatal else "is not read whole"
    words = f"{what}: {quoted(problem.message)}"
    mend = None if (problem.hint or "").startswith("chalkgit lint") else problem.hint
    return Finding("damaged", problem.path, words, line=problem.line, mend=mend)


def _once(found: list[Finding]) -> list[Finding]:
    """One finding a record, rule and message."""
    return list({(f.rule.name, f.path, f.record, f.message): f for f in found}.values())
