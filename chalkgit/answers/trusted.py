"""The trust in what is about to be shown: git is asked about records that claim an approval alone."""

from __future__ import annotations

from chalkgit.errors import ChalkError
from chalkgit.records.sealing import claims_approval

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.records.record import Record
    from chalkgit.store.approvals import Trust
    from chalkgit.store.place import Place


class Withheld:
    """What a surface's policy leaves out; which records those were is kept.

    place: whose policy it is. A working note is nobody's to review. trouble: why the policy cannot be read;
    then nothing is left out, and all is labelled.
    """

    def __init__(self, place: Place, surface: str, trusted: Trusted | None = None) -> None:
        from chalkgit.store import policy

        self.trouble: ChalkError | None = None
        self._wanted = False
        try:
            self._wanted = policy.withholds(place, surface)
        except ChalkError as error:
            self.trouble = error
        self._trusted = trusted or Trusted()
        self.ids: set[str] = set()

    def shows(self, place: Place, record: Record) -> bool:
        """Whether a record of that repository is shown here, being recalled otherwise."""
        if not self._wanted or record.path.startswith("@notes/"):
            return True
        if self._trusted.state(place, record) == "approved":
            return True
        self.ids.add(record.id)
        return False

    @property
    def told(self) -> str | None:
        """What is to be said of what was left out, or of why nothing could be."""
        return self.sentence(len(self.ids))

    def sentence(self, count: int) -> str | None:
        """The same, where so many of what was left out would have been shown."""
        if self.trouble is not None:
            where = f"{self.trouble.where}: " if self.trouble.where else ""
            return f"{where}{self.trouble.message}; unreviewed records are shown"
        if not count:
            return None
        one = count == 1
        return (
            f"{count:,} unreviewed {'record is' if one else 'records are'} not shown here "
            "(show-unreviewed in .lessons/config.yaml)"
        )


class Trusted:
    """One for an answer: a repository's history is opened once. revision: as of which commit."""

    def __init__(self, revision: str = "HEAD") -> None:
        self._revision = revision
        self._judges: dict[str, object] = {}

    def of(self, place: Place, record: Record) -> Trust:
        from chalkgit.store import approvals

        judge = self._judges.get(place.root)
        if judge is None:
            judge = self._judges[place.root] = approvals.Judge(place, revision=self._revision)
        assert isinstance(judge, approvals.Judge)
        return judge.of(record)

    def state(self, place: Place, record: Record) -> str:
        """unreviewed, approved, rejected or quarantined."""
        if not claims_approval(record):
            from chalkgit.records.status import trust

            return trust(record)
        return self.of(place, record).state
