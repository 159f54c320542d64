"""Which reader an agent's session is: a compacted conversation has lost what it was shown.

The journal keeps each compaction as a showing of nothing; what follows one is a session of another name, so
that all is said again, and once.
"""

from __future__ import annotations

from chalkgit.store import journal

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.doors.agent_event import Event
    from chalkgit.store.place import Place

_LOST = "@compacted"  # no path of a repository: each has its own number as id


def name(place: Place, event: Event) -> str | None:
    """The session's name for the journal, None where the client told none."""
    if event.session is None:
        return None
    times = len(journal.seen(place, event.session, [_LOST]))
    return f"{event.session}~{times}" if times else event.session


def begin_again(place: Place, event: Event) -> None:
    """The conversation was emptied: what it was shown it has to be shown again."""
    if event.session is not None:
        times = len(journal.seen(place, event.session, [_LOST]))
        journal.record(place, event.session, "agent", [journal.Showing(_LOST, str(times + 1), "", 0)])
