"""Whether git proves that a person approved a record: by the commit that said so, never by the field.

An approval counts when all of it holds: it speaks of this exact content; the commit that wrote it is on the
first parents, itself or in what a merge brought; its author (or key) is on the list as it stood before that
commit, or before the merge; and where an agent wrote the record, it is not the agent's own word. Where this
clone lacks what would tell, that is said, and no approval is called false.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.records import sealing
from chalkgit.records.record import Record
from chalkgit.records.status import restriction
from chalkgit.store import approving, git, history, reviewers, writers
from chalkgit.store.approving import Foreseen
from chalkgit.store.brought import Writer
from chalkgit.store.lists import Lists
from chalkgit.thresholds import BROUGHT_FILES

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.history import History, Moment
    from chalkgit.store.place import Place
    from chalkgit.store.reviewers import Reviewers
    from chalkgit.store.versions import Version

UNREVIEWED, APPROVED = "unreviewed", "approved"
_MERGED = "it was written in a merge, and nobody can be told to have written it"
_MOVED = (
    "it stood in the repository before, where who moves, restores or mends it has reviewed nothing; or its "
    f"commit changes more than {BROUGHT_FILES:,} files, of which that cannot be told"
)


class Trust:
    """state: unreviewed, approved, rejected or quarantined. why: what is wrong with an approval that is
    claimed and does not count; None where none is. by and commit: who approved, and where. unseen: whether
    it counts is unknown here, and this command shows more. note: what is wrong with the list it is judged
    by."""

    __slots__ = ("by", "commit", "note", "state", "unseen", "why")

    def __init__(
        self,
        state: str,
        *,
        why: str | None = None,
        by: str | None = None,
        commit: str | None = None,
        unseen: str | None = None,
        note: str | None = None,
    ) -> None:
        self.state = state
        self.why = why
        self.by = by
        self.commit = commit
        self.unseen = unseen
        self.note = note


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
        self._lists: Lists | None = None
        self._at_base: Lists | None = None

    def of(self, record: Record) -> Trust:
        """The trust in a record as it stands in the work tree or at the end of the history."""
        state = restriction(record)
        if state is not None:
            return Trust(state)
        if not sealing.claims_approval(record):
            return Trust(UNREVIEWED)
        if not sealing.fits(record):
            return Trust(UNREVIEWED, why="it was approved, and edited since")
        return self._judged(record)

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
        return self._judged(record, version.seq)

    def refuses_person(self, record: Record, name: str, email: str, *, commits: bool = False) -> Foreseen:
        """What can be told of an approval by this person before there is a commit: whether it would not
        count, and whether it has to be signed. commits: git is to commit it at once, as it is set up."""
        listed = self.lists.last()
        if not listed.people:
            return Foreseen(
                "no reviewers are listed in .lessons/config.yaml, as it is committed",
                reviewers.uncommitted(self.place),
            )
        agent = record.part("by", "agent")
        unseen = None
        try:
            recorded = self._recorded(record, self.history.versions(record.id)) if agent else []
        except UnknownPast as error:
            recorded, unseen = [], error
        unproven = bool(agent) and (
            not recorded or any(email.casefold() == other.email.casefold() for other in recorded)
        )
        found = approving.foreseen(self.place, listed, name, email, unproven=unproven, commits=commits)
        if agent and Writer("", name, email).is_agent(str(agent)):
            return Foreseen(f"{agent} wrote the record, and cannot approve it", "a listed person approves it")
        return found if unseen is None or found.why is None else Foreseen(unseen.message, unseen.hint)

    @property
    def history(self) -> History:
        if self._history is None:
            self._history = history.opened(self.place, self._revision)
        return self._history

    @property
    def lists(self) -> Lists:
        if self._lists is None:
            self._lists = Lists(self.history)
        return self._lists

    @property
    def trouble(self) -> str | None:
        """What is wrong with the list of reviewers at the end of the history."""
        return self.lists.trouble(len(self.history.moments()))

    def _judged(self, record: Record, until: int | None = None) -> Trust:
        try:
            return self._proven(record, until)
        except UnknownPast as error:
            why = f"{error.message} ({error.hint})" if error.hint else error.message
            return Trust(UNREVIEWED, why=why, unseen=error.hint or history.DEEPEN)
        except ChalkError as error:
            return Trust(UNREVIEWED, why=f"who approved it cannot be told: {error.message}")

    def _proven(self, record: Record, until: int | None = None) -> Trust:
        versions = [v for v in self.history.versions(record.id) if until is None or v.seq <= until]
        approving = self._approving(record, versions)
        if approving is None:
            return Trust(UNREVIEWED, why="its approval is not committed yet")
        moment = self.history.moments()[approving.seq]
        if moment.edge or self._may_be_restored(approving, versions):
            raise self.history.unseen("who approved it")
        writer = writers.of_review(self.history, moment, approving, record)
        listed, note = self._listed(moment)
        if writer is None:
            why: str | None = _MERGED if len(moment.parents) > 1 else _MOVED
        else:
            why = self._refused(record, writer, listed, versions)
        if writer is None or why is not None:
            return Trust(UNREVIEWED, why=f"its approval does not count: {why}", note=note)
        return Trust(APPROVED, by=f"{writer.author} <{writer.email}>", commit=writer.oid, note=note)

    def _listed(self, moment: Moment) -> tuple[Reviewers, str | None]:
        """The list that an approval in this commit is judged by, and what is wrong with it."""
        if self._base is None:
            return self.lists.before(moment), self.lists.trouble(moment.seq - 1)
        if self._at_base is None:
            code, _, _ = git.ask(self.place.root, "cat-file", "-e", f"{self._base}^{{commit}}")
            # before the first commit there is no list, and no approval that could count
            self._at_base = Lists(history.opened(self.place, self._base if code == 0 else "HEAD"))
        return self._at_base.last(), self._at_base.trouble(len(self._at_base.history.moments()))

    def _may_be_restored(self, version: Version, versions: list[Version]) -> bool:
        """Whether a record that looks new may have been there before this clone begins, and gone since."""
        return self.history.cut and version is versions[-1]

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
        unseen = None
        try:
            recorded = self._recorded(record, versions)
        except UnknownPast as error:
            recorded, unseen = [], error
        if not recorded or any(writer.email.casefold() == other.email.casefold() for other in recorded):
            signed = writer.signature(self.place)
            if not any(one.signs(signed) for one in listed.people):
                if unseen is not None:
                    raise unseen
                return (
                    f"{agent} wrote the record, and it was committed as {writer.email}, who approves it: "
                    "only a signature tells the person from the agent"
                )
        return None

    def _recorded(self, record: Record, versions: list[Version]) -> list[Writer]:
        """Who committed the content that is approved: every commit that changed more than the review.

        [] where of one nobody can be told, so that it may have been anybody.
        """
        found = self._wrote_damaged(versions)
        for n, version in enumerate(versions):
            if version.blob is None or not version.events:
                continue
            older = next((one for one in versions[n + 1 :] if one.blob is not None), None)
            if older is not None and self._seal(older) == self._seal(version):
                continue  # reviewed, moved, restored, or written otherwise: it says the same
            if self._may_be_restored(version, versions):
                raise self.history.unseen("who wrote it")
            wrote = writers.of_content(self.history, self.history.moments()[version.seq], version)
            if not wrote:
                return []
            found += wrote
        return found

    def _seal(self, version: Version) -> str | None:
        fields = self.history.fields(version.blob)
        return sealing.seal(Record(fields)) if fields is not None else None

    def _wrote_damaged(self, versions: list[Version]) -> list[Writer]:
        """Who committed the record's file in a state that is no version of it: it could not be read."""
        known = {version.seq for version in versions}
        paths = {version.path for version in versions if version.path is not None}
        query = "select seq from touched where path = ? and blob is not null"
        seqs = {int(seq) for path in sorted(paths) for (seq,) in self.history.table.rows(query, path)}
        moments = self.history.moments()
        return [
            writers.author(self.history, moments[seq])
            for seq in sorted(seqs - known)
            if seq < max(known, default=0)
        ]
