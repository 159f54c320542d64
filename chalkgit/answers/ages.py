"""Which of two records is the older: by the commit that first had it, along the first parents.

A correction makes no record younger. What no commit has yet is the youngest; of two that came in one commit
the first by id is taken for the older, so that every surface says the same.
"""

from __future__ import annotations

from chalkgit.store import history
from chalkgit.store.place import Place, head

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.records.record import Record
    from chalkgit.store.history import History

_YOUNGEST = 1 << 62


class Ages:
    """A key to sort records by, the oldest first. The history is opened when it is first asked."""

    def __init__(self, place: Place, revision: str | None = None) -> None:
        self._place = place
        # HEAD's own history is kept, and only brought up to date
        self._revision = "HEAD" if revision is None or revision == head(place) else revision
        self._history: History | None = None

    def __call__(self, record: Record) -> tuple[int, str]:
        if self._history is None:
            self._history = history.opened(self._place, self._revision)
        versions = self._history.versions(record.id)
        return (versions[-1].seq if versions else _YOUNGEST), record.id
