"""Whether git proves that a person approved a record: by the commit that said so, never by the field.

An approval counts when all of it holds: it speaks of this exact content; the commit that wrote it is on the
first parents, itself or in what a merge brought; its author (or key) is on the list as it stood before that
commit, or before the merge; and where an agent wrote the record, it is not the agent's own word.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.records import sealing
from chalkgit.records.record import Record
from chalkgit.records.status import restriction
from chalkgit.store import approving, history, reviewers, writers
from chalkgit.store.approving import Foreseen
from chalkgit.store.writers import Writer

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.history import History
    from chalkgit.store.place import Place
    from chalkgit.store.reviewers import Reviewers
    from chalkgit.store.versions import Version

UNREVIEWED, APPROVED = "unreviewed", "approved"


class Trust:
    """state: unreviewed, approved, rejected or quarantined. why: what is wrong with an approval that is
    claimed and does not count; None where none is. by and commit: who approved, and where."""

    __slots__ = ("by", "commit", "state", "why")

    def __init__(
        self, state: str, *, why: str | None = None, by: str | None = None, commit: str | None = None
    ) -> None:
        self.state = state
        self.why = why
        self.by = by
        self.commit = commit


class Judge:
    """Judges records by the history of one revision, which is opened when a record claims approval.

    base: the list of reviewers is that of this commit, whatever the history has later: a review's.
    """

    def __init__(
        self, place: Place, *, opened: History | None = None, revision: str = "HEAD", base: str | None = None
    ) -> None:
        self.place = place
        self._history = opened
        self._revision = revision
        self._base = base
        self._lists: writers.Lists | None = None

    def of(self, record: Record) -> Trust:
        """The trust in a record as it stands in the work tree or at the end of the history."""
        state = restriction(record)
        if state is not None:
            return Trust(state)
        if not sealing.claims_approval(record):
            return Trust(UNREVIEWED)
        if not sealing.fits(record):
            return Trust(UNREVIEWED, why="it was approved, and edited since")
        try:
            return self._proven(record)
        except ChalkError as error:
            return Trust(UNREVIEWED, why=f"who approved it cannot be told: {error.message}")

    def at(self, version: Version) -> Trust:
        """The trust in one version of the history, as of its commit."""
        fields = self.history.fields(version.blob)
        if fields is None:
            return Trust(UNREVIEWED)
        record = Record(fields)
        state = restriction(record)
        if state is not None or not sealing.claims_approval(record):
            return Trust(state or UNREVIEWED)
        if not sealing.fits(record):
            return Trust(UNREVIEWED, why="it was approved, and edited since")
        try:
            return self._proven(record, version.seq)
        except ChalkError as error:
            return Trust(UNREVIEWED, why=f"who approved it cannot be told: {error.message}")

    def refuses_person(self, record: Record, name: str, email: str, *, commits: bool = False) -> Foreseen:
        """What can be told of an approval by this person before there is a commit: whether it would not
        count, and whether it has to be signed. commits: git is to commit it at once, as it is set up."""
        lists = writers.Lists(self.history)
        listed = lists.at(self.history.tip) if self.history.tip else reviewers.Reviewers()
        if not listed.people:
            return Foreseen(
                "no reviewers are listed in .lessons/config.yaml, as it is committed",
                "list them there under reviewers, and commit that",
            )
        agent = record.part("by", "agent")
        recorded = self._recorded(record, self.history.versions(record.id)) if agent else []
        unproven = bool(agent) and (
            not recorded or any(email.casefold() == other.email.casefold() for other in recorded)
        )
        found = approving.foreseen(self.place, listed, name, email, unproven=unproven, commits=commits)
        if agent and Writer("", name, email).is_agent(str(agent)):
            return Foreseen(f"{agent} wrote the record, and cannot approve it", "a listed person approves it")
        return found

    @property
    def history(self) -> History:
        if self._history is None:
            self._history = history.opened(self.place, self._revision)
        return self._history

    def _proven(self, record: Record, until: int | None = None) -> Trust:
        versions = [v for v in self.history.versions(record.id) if until is None or v.seq <= until]
        approving = self._approving(record, versions)
        if approving is None:
            return Trust(UNREVIEWED, why="its approval is not committed yet")
        moment = self.history.moments()[approving.seq]
        if moment.edge:
            return Trust(
                UNREVIEWED, why=f"this clone does not reach back to who approved it ({history.DEEPEN})"
            )
        if self._lists is None:
            self._lists = writers.Lists(self.history)
        listed = self._lists.at(self._base) if self._base else self._lists.before(moment)
        found = writers.of_review(self.history, moment, approving, record)
        whys = [] if found else ["it was written in a merge, and nobody can be told to have written it"]
        for writer in found:
            why = self._refused(record, writer, listed, versions)
            if why is None:
                return Trust(APPROVED, by=f"{writer.author} <{writer.email}>", commit=writer.oid)
            whys.append(why)
        return Trust(UNREVIEWED, why=f"its approval does not count: {whys[0]}")

    def _approving(self, record: Record, versions: list[Version]) -> Version | None:
        """The version that brought the review as it stands; None where no commit has it."""
        said = record.get("review")
        newest = versions[0] if versions else None
        if newest is None or (self.history.fields(newest.blob) or {}).get("review") != said:
            return None
        found = newest
        for version in versions:
            if version.blob is None:
                continue  # gone or damaged for a while: who brings it back has reviewed nothing
            if (self.history.fields(version.blob) or {}).get("review") != said:
                break
            found = version
        return found

    def _refused(
        self, record: Record, writer: Writer, listed: Reviewers, versions: list[Version]
    ) -> str | None:
        if not listed.people:
            return "no reviewers are listed in .lessons/config.yaml before it"
        signature = writer.signature(self.place) if listed.needs_signature else None
        why = listed.refuses(writer.author, writer.email, signature)
        if why is not None:
            return why
        agent = record.part("by", "agent")
        if not agent:
            return None
        if writer.is_agent(str(agent)):
            return f"{agent} wrote the record, and cannot approve it"
        recorded = self._recorded(record, versions)
        if not recorded or any(writer.email.casefold() == other.email.casefold() for other in recorded):
            signed = writer.signature(self.place)
            if not any(one.signs(signed) for one in listed.people):
                return (
                    f"{agent} wrote the record, and it was committed as {writer.email}, who approves it: "
                    "only a signature tells the person from the agent"
                )
        return None

    def _recorded(self, record: Record, versions: list[Version]) -> list[Writer]:
        """Who committed the content that is approved: every commit that changed more than the review.

        [] where of one nobody can be told, so that it may have been anybody.
        """
        found = []
        for version in versions:
            if version.blob is None or version.names == ["review"] or not version.events:
                continue
            wrote = writers.of_content(self.history, self.history.moments()[version.seq], version)
            if not wrote and version.names:
                return []
            found += wrote
        return found
