"""What a writing command says of an approval that it voids: whose it was, and what makes it count again."""

from __future__ import annotations

from chalkgit.records import sealing
from chalkgit.records.record import Record
from chalkgit.store import approvals
from chalkgit.store.place import Place

_PENDING = "its approval is not committed yet"


def told(place: Place, was: Record, record: Record) -> str | None:
    """One line; None where no approval is lost. was: the record before; nothing is committed yet."""
    if not sealing.claims_approval(was) or not sealing.fits(was) or sealing.fits(record):
        return None
    trust = approvals.Judge(place).of(was)
    if trust.state != approvals.APPROVED and not trust.unseen and trust.why != _PENDING:
        return None  # it never counted
    by = f" by {trust.by}" if trust.by else ""
    return f"the approval of {record.id}{by} speaks of it as it was, and counts {_again(was, record)}"


def _again(was: Record, record: Record) -> str:
    """When it would count again; closing commands are taken back, and the content is what was approved."""
    for name, command in (("retired", "--unretire"), ("settled", '--settled ""')):
        if record.get(name) is not None and was.get(name) is None:
            return f"again only where that is taken back: chalkgit correct {record.id} {command}"
    return f"no longer; a listed reviewer can approve it as it is now: chalkgit approve {record.id}"
