"""Approvals as a change makes, loses and takes them back: believed only as git proves them.

The reviewers are those at the base of the review. What is not committed cannot be proven, and is no forgery.
"""

from __future__ import annotations

from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import called, named, quoted
from chalkgit.errors import UnknownPast
from chalkgit.records import sealing
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import approvals, approving
from chalkgit.store.place import head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.review_sides import Sides

_VERBS = {"rejected": ("rejects", "rejects"), "quarantined": ("quarantines", "puts aside")}
# what `Judge` says where nobody can tell yet
_PENDING = "its approval is not committed yet"


def findings(sides: Sides) -> Iterator[Finding]:
    judge = None
    for record_id in sides.changed:
        before, after = sides.before.get(record_id), sides.after.get(record_id)
        if after is None or (before is not None and before.fields == after.fields):
            continue
        state = after.part("review", "state")
        if state in _VERBS and (before is None or before.part("review", "state") != state):
            rule, verb = _VERBS[state]
            because = after.part("review", "because")
            why = f": {quoted(because)}" if because else ", and does not say why"
            yield _finding(sides, rule, after, f"{verb} {named(after)}{why}")
        elif sealing.claims_approval(after):
            judge = judge or _judge(sides)
            if before is None or before.get("review") != after.get("review"):
                yield from _claimed(sides, judge, after)
            else:
                yield from _stood(sides, judge, before, after)
        elif before is not None and sealing.claims_approval(before) and not _is_closed(sides, after):
            judge = judge or _judge(sides)
            by = _once_by(_earlier(judge), before) if sealing.fits(before) else None
            if by is not None:
                message = f"takes back the approval of {named(after)} by {by}"
                yield _finding(sides, "unapproves", after, message)


def _judge(sides: Sides) -> approvals.Judge:
    revision = sides.compared.head
    # HEAD's own history is kept, and only brought up to date
    here = revision is None or revision == head(sides.place)
    # the commit that both share may lie in a branch that chose its own list
    onto = sides.compared.onto
    return approvals.Judge(sides.place, revision="HEAD" if here else str(revision), base=onto)


def _earlier(judge: approvals.Judge) -> approvals.Judge:
    """Of what was approved before the change: each by the list of its own time."""
    return approvals.Judge(judge.place, opened=judge.history)


def _claimed(
    sides: Sides, judge: approvals.Judge, record: Record, *, again: bool = False
) -> Iterator[Finding]:
    """An approval that the change claims. again: it stood before, and speaks of the content once more."""
    trust = judge.of(record)
    said = "the approval of {} by {} counts again" if again else "{1} approves {0}"
    if _is_closed(sides, record) and not sealing.fits(record):
        # closing is an edit too, and nobody will meet the record as approved
        trust, said = _once(judge, record) or trust, "{1} approved {0} before it was closed"
    why = trust.why or ""
    if trust.state == approvals.APPROVED:
        said = said.format(named(record), trust.by)
        found = _finding(sides, "approves", record, said)
        found.details += [trust.note] if trust.note else []
        yield found
    elif why == _PENDING and sides.compared.head is None:
        message = (
            f"approves {named(record)}: it counts as the word of whoever commits it, where that is a reviewer"
        )
        yield _finding(sides, "approves", record, message)
    elif trust.unseen:
        # not let pass, and not called forged: another clone may know better
        why = why.removesuffix(f" ({trust.unseen})")
        raise UnknownPast(f"whether {record.id} is approved is unknown: {why}", hint=trust.unseen)
    else:
        why = why.removeprefix("its approval does not count: ")
        message = f"{named(record)} claims an approval that does not count: {why}"
        found = _finding(sides, "forged", record, message, mend=f"chalkgit approve {record.id}")
        found.details += [trust.note] if trust.note else []
        helps = approving.helps(why)
        found.details += [f"it counts when {helps}"] if helps else []
        yield found


def _stood(sides: Sides, judge: approvals.Judge, before: Record, after: Record) -> Iterator[Finding]:
    """A record whose `review` is as it was, approved, and whose other fields are not."""
    if sealing.fits(after):
        # edited back: whoever makes an old claim fit claims it
        yield from _claimed(sides, _earlier(judge), after, again=True)
    elif sealing.fits(before) and not _is_closed(sides, after):
        by = _once_by(_earlier(judge), before)
        if by is not None:
            message = f"the approval of {named(after)} by {by} counts no longer: it speaks of other content"
            found = _finding(sides, "unapproves", after, message, mend=f"chalkgit approve {after.id}")
            found.details.append("a listed reviewer can approve it as it is now")
            yield found


def _once(judge: approvals.Judge, record: Record) -> approvals.Trust | None:
    """The trust in the content that the claimed approval spoke of; None where there was no such content."""
    for version in judge.history.versions(record.id):
        fields = judge.history.fields(version.blob)
        if fields and fields.get("review") == record.get("review") and sealing.fits(Record(fields)):
            return judge.at(version)
    return None


def _once_by(judge: approvals.Judge, record: Record) -> str | None:
    """Who gave the approval that the record claimed, where it counted or nobody can tell."""
    trust = _once(judge, record)
    if trust is None or (trust.why or "").startswith("its approval does not count"):
        return None
    return trust.by or "somebody that this clone cannot tell"


def _is_closed(sides: Sides, record: Record) -> bool:
    """Whether it stays out of recall, whoever approved it."""
    return excluded(record, now=sides.now, superseded=sides.replaced) not in (None, "open", "not valid yet")


def _finding(sides: Sides, rule: str, record: Record, message: str, mend: str | None = None) -> Finding:
    line = sides.line(record, "review", "id")
    return Finding(rule, record.path, message, line=line, record=record.id, title=called(record), mend=mend)
