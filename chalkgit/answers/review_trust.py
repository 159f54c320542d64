"""Approvals and who may give them, as a change makes them: believed only as git proves them.

The reviewers are those at the base of the review. What is not committed cannot be proven, and is no forgery.
"""

from __future__ import annotations

from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import called, named, quoted
from chalkgit.errors import ChalkError
from chalkgit.records import sealing
from chalkgit.records.record import Record
from chalkgit.store import approvals, approving, git, reviewers, snapshot, worktree
from chalkgit.store.place import head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.review_sides import Sides
    from chalkgit.store.reviewers import Reviewers

_VERBS = {"rejected": ("rejects", "rejects"), "quarantined": ("quarantines", "puts aside")}
# what `Judge` says where nobody can tell yet
_PENDING = "its approval is not committed yet"


def findings(sides: Sides) -> Iterator[Finding]:
    yield from _list(sides)
    judge = None
    for record_id in sides.changed:
        before, after = sides.before.get(record_id), sides.after.get(record_id)
        if after is None or (before is not None and before.fields == after.fields):
            continue
        state = after.part("review", "state")
        if sealing.claims_approval(after):
            judge = judge or _judge(sides)
            yield from _approved(sides, judge, after)
        elif state in _VERBS and (before is None or before.part("review", "state") != state):
            rule, verb = _VERBS[state]
            because = after.part("review", "because")
            why = f": {quoted(because)}" if because else ", and does not say why"
            yield _finding(sides, rule, after, f"{verb} {named(after)}{why}")
        elif state is None and before is not None and sealing.claims_approval(before):
            yield _finding(sides, "corrects", after, f"takes back the approval of {named(after)}")


def _judge(sides: Sides) -> approvals.Judge:
    revision = sides.compared.head
    # HEAD's own history is kept, and only brought up to date
    here = revision is None or revision == head(sides.place)
    return approvals.Judge(sides.place, revision="HEAD" if here else str(revision), base=sides.compared.base)


def _approved(sides: Sides, judge: approvals.Judge, record: Record) -> Iterator[Finding]:
    trust = judge.of(record)
    why = trust.why or ""
    if trust.state == approvals.APPROVED:
        yield _finding(sides, "approves", record, f"{trust.by} approves {named(record)}")
    elif why == _PENDING and sides.compared.head is None:
        message = (
            f"approves {named(record)}: it counts as the word of whoever commits it, where that is a reviewer"
        )
        yield _finding(sides, "approves", record, message)
    else:
        why = why.removeprefix("its approval does not count: ")
        message = f"{named(record)} claims an approval that does not count: {why}"
        found = _finding(sides, "forged", record, message, mend=f"chalkgit approve {record.id}")
        helps = approving.helps(why)
        found.details += [f"it counts when {helps}"] if helps else []
        yield found


def _finding(sides: Sides, rule: str, record: Record, message: str, mend: str | None = None) -> Finding:
    line = sides.line(record, "review", "id")
    return Finding(rule, record.path, message, line=line, record=record.id, title=called(record), mend=mend)


def _list(sides: Sides) -> Iterator[Finding]:
    """What the change does to the list of those who may approve."""
    edit = sides.config
    if edit is None or not edit.changes_content:
        return
    path = worktree.CONFIG
    try:
        after = _parsed(sides, edit.after if edit.path == path else None)
    except ChalkError as error:
        yield Finding("damaged", path, f"{path} cannot be read: {error.message}", line=1)
        return
    try:
        before = _parsed(sides, edit.before if edit.old == path else None)
    except ChalkError:
        before = reviewers.Reviewers()  # it could not be read, and listed nobody
    yield from _shown_where(sides, edit.before if edit.old == path else None, edit.after)
    if before == after:
        return
    come = [_shown(one) for one in after.people if one not in before.people]
    gone = [_shown(one) for one in before.people if one not in after.people]
    details = [*(f"may approve now: {one}" for one in come), *(f"no longer: {one}" for one in gone)]
    if before.require_signature != after.require_signature:
        needs = after.require_signature
        details.append(f"an approval {'has to be signed now' if needs else 'need not be signed any more'}")
    message = "changes who may approve records; this review goes by the list of the base"
    yield Finding("reviewers", path, message, line=_line(sides), details=details)


def _shown_where(
    sides: Sides, before: tuple[str, str] | None, after: tuple[str, str] | None
) -> Iterator[Finding]:
    """What the change does to where records that nobody approved are shown."""
    was, now = (_policy(sides, side) for side in (before, after))
    if was != now:
        message = f"changes where unreviewed records are shown: {was} → {now}"
        yield Finding("reviewers", worktree.CONFIG, message, line=1)


def _policy(sides: Sides, side: tuple[str, str] | None) -> str:
    from chalkgit import settings

    try:
        text = _text(sides, side)
        said = settings.parsed(text, worktree.CONFIG).get("show-unreviewed") if text else None
    except ChalkError:
        return "all"  # as every surface takes what cannot be read
    return quoted(", ".join(map(str, said)) if isinstance(said, list) else str(said or "all"))


def _shown(one: reviewers.Reviewer) -> str:
    return quoted(", ".join(one.parts.values()))


def _parsed(sides: Sides, side: tuple[str, str] | None) -> Reviewers:
    text = _text(sides, side)
    return reviewers.parsed(text, worktree.CONFIG) if text else reviewers.Reviewers()


def _text(sides: Sides, side: tuple[str, str] | None) -> str:
    if side is None:
        return ""
    if not side[0].startswith("100"):
        raise ChalkError("it is no file", where=worktree.CONFIG)
    if side[1]:
        return git.run(sides.place.root, "cat-file", "blob", side[1]).decode("utf-8", "replace")
    content = snapshot.content(sides.place, worktree.CONFIG)
    if isinstance(content, ChalkError):
        raise content
    return content.decode("utf-8", "replace")


def _line(sides: Sides) -> int | None:
    """Where the list stands in the file as it is now."""
    edit = sides.config
    lines = _text(sides, edit.after).split("\n") if edit is not None and edit.path == worktree.CONFIG else []
    keys = ("reviewers", "require-signature")
    return next((n for n, line in enumerate(lines, 1) if line.startswith(keys)), 1 if lines else None)
