"""Who changed what when: every version, every change of the reviewers' list, and what of it was rewritten."""

from __future__ import annotations

from chalkgit.answers.chronicle import Chronicle
from chalkgit.errors import UnknownPast
from chalkgit.store import checkpoints, signatures
from chalkgit.store.checkpoints import Rewritten
from chalkgit.store.lists import Change, Lists
from chalkgit.store.reviewers import Reviewers

__all__ = ["SIGNATURES", "Audit", "Change", "Rewritten"]

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.chronicle import Chapter
    from chalkgit.store.history import History, Moment

# git's letters, in words
SIGNATURES = {
    "G": "good",
    "U": "good, by a key that nobody vouches for",
    "B": "bad",
    "X": "good, and expired",
    "Y": "good, by a key that has expired",
    "R": "good, by a key that was revoked",
    "E": "cannot be checked",
    "N": "none",
}


class Audit:
    """chapters and listings, the newest first; rewritten: what is gone; untold: why nothing could be kept."""

    __slots__ = ("chapters", "cut", "listings", "rewritten", "signed", "untold")

    def __init__(self, history: History, since: float | None) -> None:
        self.untold = checkpoints.keep(history)
        self.cut = history.cut
        whole = Chronicle(history).chapters()
        self.chapters: list[Chapter] = [
            c for c in whole if since is None or c.moment is None or c.moment.at >= since
        ]
        self.listings: list[Change] = [
            one for one in Lists(history).changes() if since is None or one.moment.at >= since
        ]
        self.rewritten = [
            one for one in checkpoints.rewritten(history.place) if since is None or one.found >= since
        ]
        self.signed: dict[str, str] = {}

    def verify(self, history: History) -> None:
        """Have git check every signature, some processes each: by a key that was listed then, or by whose."""
        lists = Lists(history)
        for chapter in self.chapters:
            moment = chapter.made
            if moment is not None and moment.signed and moment.oid not in self.signed:
                found = signatures.of(history.place, moment.oid)
                said = SIGNATURES.get(found.state, found.state)
                if found.good and any(one.has_key(found) for one in _before(lists, moment).people):
                    said = "good, by a listed key"
                elif found.good and found.signer:
                    said = f"good, by {found.signer}"
                self.signed[moment.oid] = said

    def signature(self, moment: Moment | None) -> str:
        """none, signed (and not checked), or what git said of it; unknown where the commit is."""
        if moment is not None and moment.edge:
            return "unknown"
        if moment is None or not moment.signed:
            return "none"
        return self.signed.get(moment.oid, "not checked")


def _before(lists: Lists, moment: Moment) -> Reviewers:
    try:
        return lists.before(moment)
    except UnknownPast:
        return Reviewers()  # whose key it is, is told by nobody's list
