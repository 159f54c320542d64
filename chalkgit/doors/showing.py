"""What every door does: look up the rulings on some files, leave out what its session saw, and keep count.

    found = showing.about(place, paths, surface="agent", session="claude:7f3a")
    for ruling in found.rulings: print(ruling.text)
    found.shown("agent")

The journal is asked before a line is made, and written after the lines were printed. A session that is not
known was shown nothing.
"""

from __future__ import annotations

from chalkgit import config
from chalkgit.answers import repair
from chalkgit.answers.standing import Standing, marked, reopen, standing, trust
from chalkgit.index import moves, refresh
from chalkgit.index.generation import Index
from chalkgit.store import renames
from chalkgit.store.place import Place, path_in
from chalkgit.thresholds import BRIEF_CHARACTERS, GLOB_SECONDS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from chalkgit.store import journal
    from chalkgit.store.ahead import Ahead


class Ruling:
    """One line about one file: `text` is at most 240 characters and ends in the record's id."""

    __slots__ = ("path", "standing", "text")

    def __init__(self, path: str, found: Standing) -> None:
        self.path = path
        self.standing = found
        self.text = _brief(found, BRIEF_CHARACTERS)

    def after(self, lead: str) -> str:
        """The line with what leads it in: as long as `text` may be, all in all, while half is left of it."""
        room = max(BRIEF_CHARACTERS - len(lead), BRIEF_CHARACTERS // 2)
        return lead + _brief(self.standing, room)

    @property
    def key(self) -> journal.Key:
        return self.path, self.standing.record.id, self.standing.hash


class Found:
    """The rulings to show now, by path and then the newest first.

    told: what stderr should hear; unreadable: how many record files say nothing, since they are damaged.
    began: when somebody began to wait, the process's start where it is None.
    """

    __slots__ = ("_place", "_session", "began", "rulings", "told", "unreadable")

    def __init__(self, place: Place, session: str | None, rulings: list[Ruling]) -> None:
        self._place = place
        self._session = session
        self.began: float | None = None
        self.rulings = rulings
        self.unreadable = 0
        self.told: list[str] = []

    def shown(self, surface: str, rulings: Sequence[Ruling] | None = None) -> str | None:
        """Keep that these (else all) reached the reader; why not, where the journal takes nothing."""
        kept = self.rulings if rulings is None else rulings
        if not kept:
            return None
        from chalkgit.store import journal

        showings = [journal.Showing(*ruling.key, len(ruling.text.encode())) for ruling in kept]
        return keep(self._place, self._session, surface, showings, self.began)


def keep(
    place: Place,
    session: str | None,
    surface: str,
    showings: Sequence[journal.Showing],
    began: float | None = None,
) -> str | None:
    """Keep what was shown unasked, after it was; why not, where the journal takes nothing."""
    from chalkgit.store import questions

    asked = questions.Asked(questions.RULINGS, surface, session=session, showings=showings, began=began)
    return questions.keep(place, [asked])


def about(
    place: Place,
    paths: Sequence[str],
    *,
    surface: str,
    session: str | None = None,
    ahead: Ahead | None = None,
    renamed: Mapping[str, str] | None = None,
) -> Found:
    """What stands about these repository paths, but what this session was shown about them already.

    surface: one of `policy.SURFACES`. renamed: new path to old of what is staged, where the caller has asked
    git already. Raises NoStore where there is no `.lessons/`. Nothing at all where RULINGS is switched off.
    """
    if config.bypassed("RULINGS") or not paths:
        return Found(place, session, [])
    place.require_store()

    def look(rebuild: bool) -> tuple[Index, list[Standing]]:
        few = len(paths) <= renames.COMMAND_LINE
        known = renames.in_head(place.root, paths) if renamed is None and few else None
        index, behind[:] = _index(place, rebuild, None if rebuild else ahead)
        pairs = [(old, new, False) for new, old in (renamed or {}).items()]
        if renamed is None and not (known is not None and renames.all_there(known, paths)):
            pairs = renames.pairs(renames.staged(place.root))
        asked = moves.earlier_names(index, paths, pairs, hurried=True)
        return index, standing(index, asked, seconds=GLOB_SECONDS)

    behind: list[str] = []
    try:
        index, stand = repair.once(look)
    except refresh.Behind as error:
        found = Found(place, session, [])
        found.told = [_behind(place, error)]
        return found
    trouble: list[str] = []
    stand = marked(place, trust(index, stand, surface, trouble)) if stand else stand
    seen = _seen(place, session, paths) if stand else set()
    pairs = [
        (path, one)
        for path in dict.fromkeys(paths)
        for one in stand
        if path in one.paths and (path, one.record.id, one.hash) not in seen
    ]
    reopen(index, [one for _, one in pairs])
    found = Found(place, session, [Ruling(path, one) for path, one in pairs])
    found.unreadable = sum(bool(row[4]) for row in index.table.problems())
    found.told = [*behind, *trouble, *_missing(index)]
    return found


def _missing(index: Index) -> Iterator[str]:
    """What this answer does not hold, and why."""
    if index.unwritten:
        yield index.unwritten
    if index.uncompared:
        yield "not all globs were compared in the time there was: rulings may be missing here"
    if index.unsearched:
        from chalkgit.doors import background

        background.start(index.place)
        yield "history is long: rulings by the earlier names of moved files may be missing here"


def _index(place: Place, rebuild: bool, ahead: Ahead | None) -> tuple[Index, list[str]]:
    """The index, and what is to be said of it; Behind where there is none yet."""
    try:
        return refresh.up_to_date(place, rebuild=rebuild, ahead=ahead, words=False, hurried=True), []
    except refresh.Behind as error:
        if error.index is None:
            raise
        return error.index, [_behind(place, error)]


def _behind(place: Place, error: refresh.Behind) -> str:
    if error.why is not None:
        return f"{error.count:,} records were not looked up: the index cannot be written ({error.why})"
    from chalkgit.doors import background

    background.start(place)
    how = "as they were" if error.index is not None else "not shown"
    return f"{error.count:,} record files are new to the index, which is being written: they are {how} here"


def _seen(place: Place, session: str | None, paths: Sequence[str]) -> set[journal.Key]:
    from chalkgit.store import journal

    return journal.seen(place, session, paths)


def _brief(found: Standing, room: int) -> str:
    from chalkgit.render import brief  # nothing to show is nothing to render, and the common case

    return brief.text(
        found.record, reopened=found.reopened, trust=found.trust, silenced=found.silenced, room=room
    )


def repository_paths(place: Place, paths: Sequence[str], directory: str) -> list[str]:
    """Paths as typed in `directory`, relative to the root; ChalkError for one outside."""
    return [path_in(place, path, directory) for path in paths]
