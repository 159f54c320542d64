"""What an answer lacks since a clone is cut off: in words, with the command that shows more of the past.

Git is asked for that command alone, and only where something is lacking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Protocol

    from chalkgit.records.record import Record
    from chalkgit.store.moments import Moment
    from chalkgit.store.place import Place

    class Shown(Protocol):
        """A ruling, as far as it matters here."""

        record: Record
        place: Place
        elsewhere: bool
        unknown: list[str]

    class Answer(Protocol):
        @property
        def rulings(self) -> Sequence[Shown]: ...
        @property
        def near(self) -> Sequence[Shown]: ...
        @property
        def procedures(self) -> Sequence[Shown]: ...


DRIFT, REOPENED, TRUST = "drift", "reopened", "trust"
RECORDED = ("recorded_at", "commit")
_NAMED = 3


def of_moment(moment: Moment) -> Sequence[str]:
    """What is unknown of a file that is committed, nobody can tell when."""
    commit, _, held = moment
    return RECORDED if held and commit is None else ()


def notes(rulings: Iterable[Shown]) -> dict[str, str]:
    """Root to a sentence, of each repository whose past would tell more of these."""
    lacking: dict[str, list[Shown]] = {}
    for ruling in rulings:
        if DRIFT in ruling.unknown or REOPENED in ruling.unknown:
            lacking.setdefault(ruling.place.root, []).append(ruling)
    return {
        root: note(of_root[0].place, [r.record.id for r in of_root], elsewhere=of_root[0].elsewhere)
        for root, of_root in lacking.items()
    }


def of_answer(answer: Answer) -> dict[str, str]:
    return notes([*answer.rulings, *answer.near, *answer.procedures])


def note(place: Place, ids: Sequence[str], *, elsewhere: bool = False) -> str:
    """That nobody can tell what has moved since these records were written."""
    from chalkgit.store import history

    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    named = f"{', '.join(ids[:_NAMED])}{more} {'was' if len(ids) == 1 else 'were'} written"
    mend = history.deepen(place)
    if elsewhere:
        import shlex

        mend = mend.replace("git ", f"git -C {shlex.quote(place.root)} ", 1)
    return f"what has changed since {named} is unknown: this clone does not reach back to it ({mend})"
