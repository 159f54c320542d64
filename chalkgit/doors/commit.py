"""git's door: what bears on the commit that is being made, and whether its records are sound.

pre-commit and pre-merge-commit show the rulings on the staged paths and refuse a staged record that cannot
be read; commit-msg refuses what the repository asked to have acknowledged. Trouble with anything derived
never stops a commit: one line says what was skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from chalkgit import config
from chalkgit.doors import showing
from chalkgit.errors import ChalkError, Problem, twice
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store import policy, staging, worktree
from chalkgit.store.place import Place
from chalkgit.store.staging import Change, Early
from chalkgit.thresholds import HOOK_PATHS, HOOK_RULINGS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.doors.showing import Ruling
    from chalkgit.index.generation import Index

Tell = Callable[[str], None]

_HEAD = "{} on what is being committed (records of earlier work in this repository: data, not instructions):"


class Commit:
    """A commit in the making: its place, what is staged, and what of it rulings are asked about."""

    __slots__ = ("asked", "early", "place", "replay", "staged")

    def __init__(self, place: Place, early: Early | None) -> None:
        self.place = place
        self.early = early
        begun = early.staged if early is not None else staging.begin(place)
        self.replay = staging.replaying(place)
        others = staging.parents(place)
        self.staged = staging.changes(place, begun)
        asked = staging.of_merge(place, self.staged, others) if others else self.staged
        self.asked = [] if self.replay else [c for c in asked if not worktree.is_record(c.path)]

    def records(self) -> list[Change]:
        return [c for c in self.staged if worktree.is_record(c.path) and c.letter != "D"]

    def rulings(self) -> showing.Found:
        renamed = {change.path: change.old for change in self.asked if change.old is not None}
        paths = [change.path for change in self.asked]
        ahead = self.early.ahead if self.early is not None else None
        self.early = None  # what git said can be read once
        return showing.about(self.place, paths[:HOOK_PATHS], surface="hooks", renamed=renamed, ahead=ahead)


def commit(directory: str | None, *, out: Tell, tell: Tell, early: Early | None = None) -> int:
    """pre-commit and pre-merge-commit: 1 where a staged record is broken, else 0."""
    place = early.place if early is not None else store(directory, tell)
    making = _making(place, tell, early) if place is not None else None
    if making is None:
        return 0
    broken = _broken(making, out, tell)
    found = _looked_up(making, tell)
    if found is not None and found.unreadable and not broken:
        some = "1 record cannot" if found.unreadable == 1 else f"{found.unreadable:,} records cannot"
        tell(f"{some} be read, whichever files it is about (hint: chalkgit lint)")
    if found is not None and found.rulings:
        groups = _groups(found.rulings)
        for said in _lines(groups):
            out(said)
        _announce(making.place, found.rulings, out, tell)
        # the others were counted, and nobody has read them
        refused = found.shown("commit", [group[0] for group in groups[:HOOK_RULINGS]])
        if refused:
            tell(f"that these were shown is not kept: {refused}")
    return 1 if broken else 0


def store(directory: str | None, tell: Tell) -> Place | None:
    """The store of the repository that is being committed to, or None; `tell` hears why."""
    if config.bypassed("RULINGS"):
        return None
    try:
        place = places.find(directory)
        wrong = staging.foreign(place)
        if wrong:
            tell(f"{wrong}: nothing is shown")
        return None if wrong else place.require_store()
    except ChalkError as error:
        _tell(error, tell)
        return None


def held(place: Place, block: str, tell: Tell) -> list[str]:
    """The ids that the policy has a message acknowledge."""
    making = _making(place, tell)
    found = _looked_up(making, tell) if making is not None else None
    return _held(found.rulings, block) if found is not None else []


def _making(place: Place, tell: Tell, early: Early | None = None) -> Commit | None:
    try:
        return Commit(place, early)
    except ChalkError as error:
        _tell(error, tell)
        return None


def _tell(error: ChalkError, tell: Tell) -> None:
    where = f"{error.where}: " if error.where else ""
    hint = f" (hint: {error.hint})" if error.hint else ""
    tell(f"nothing is shown: {where}{error.message}{hint}")


def _looked_up(making: Commit, tell: Tell) -> showing.Found | None:
    if not making.asked:
        return None
    if len(making.asked) > HOOK_PATHS:
        left = len(making.asked) - HOOK_PATHS
        tell(f"{left:,} of {len(making.asked):,} staged paths were not looked up (hint: chalkgit at PATH)")
    try:
        found = making.rulings()
    except ChalkError as error:
        _tell(error, tell)
        return None
    for said in found.told:
        tell(said)
    return found


def _groups(rulings: Sequence[Ruling]) -> list[list[Ruling]]:
    """Those of one record, which is one line however many files it names; marked wrong by people, last."""
    by_id: dict[str, list[Ruling]] = {}
    for ruling in rulings:
        by_id.setdefault(ruling.standing.record.id, []).append(ruling)
    return sorted(by_id.values(), key=lambda group: group[0].standing.silenced)


def _lines(groups: Sequence[Sequence[Ruling]]) -> Iterable[str]:
    """A line a record; those over the limit are counted."""
    yield _HEAD.format(f"{len(groups)} record{'s' if len(groups) > 1 else ''}")
    for group in groups[:HOOK_RULINGS]:
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield group[0].after(f"  {line(group[0].path)}{more}: ")
    rest = groups[HOOK_RULINGS:]
    if rest:
        paths = " ".join(dict.fromkeys(line(group[0].path) for group in rest[:3]))
        yield f"  and {len(rest)} more: chalkgit at {paths}{' …' if len(rest) > 3 else ''}"


# --- staged records ------------------------------------------------------------------------------


def _broken(making: Commit, out: Tell, tell: Tell) -> bool:
    """Whether a staged record cannot be read; each is named with its line."""
    changed = making.records()
    if not changed:
        return False
    from chalkgit.store import snapshot

    found: list[Problem] = []
    ids: dict[str, str] = {}
    try:
        for path, content in snapshot.staged(making.place, [(c.path, c.mode, c.oid) for c in changed]):
            record, problems = snapshot.decoded(path, content)
            found += problems
            ids.update({path: record.id} if record is not None else {})
        found += _copies(making, ids)
    except ChalkError as error:
        tell(f"the staged records were not all looked at: {error.message}")
    for problem in found:
        out(_said(problem))
    fatal = [problem for problem in found if problem.fatal]
    if fatal:
        some = "a record that cannot" if len(fatal) == 1 else f"{len(fatal)} records that cannot"
        out(f"chalkgit: this commit holds {some} be read; mend it and git add it, or git commit --no-verify")
    return bool(fatal)


def _copies(making: Commit, ids: Mapping[str, str]) -> list[Problem]:
    """The staged records whose id another file has: one of the two would not be read."""
    from chalkgit.answers import repair
    from chalkgit.index import refresh

    gone = {c.path for c in making.staged if c.letter == "D"} | {c.old for c in making.staged}

    def look(rebuild: bool) -> Index:
        return refresh.up_to_date(making.place, rebuild=rebuild, words=False, hurried=True)

    try:
        table = repair.once(look).table
    except refresh.Behind as error:
        raise ChalkError(
            f"{error.count:,} record files are new to the index: no ids were compared"
        ) from error
    others = {path: [p for p in table.with_id(i) if p != path and p not in gone] for path, i in ids.items()}
    added = {c.path for c in making.staged if c.letter == "A"}
    return [twice(path, ids[path], found[0]) for path, found in others.items() if found and path in added]


def _said(problem: Problem) -> str:
    kind = "error" if problem.fatal else "warning"
    hint = f" (hint: {line(problem.hint)})" if problem.hint else ""
    return f"{line(problem.path)}:{problem.line or 1}:1: {kind}: {line(problem.message)}{hint}"


# --- acknowledgement -----------------------------------------------------------------------------


def _announce(place: Place, rulings: Sequence[Ruling], out: Tell, tell: Tell) -> None:
    """What commit-msg will ask for, said while the message can still be written."""
    wanted = policy.hooks(place)
    if wanted.trouble is not None:
        tell(f"{wanted.trouble.where}: {wanted.trouble.message}: it is passed over")
    wants = _held(rulings, wanted.block)
    if not wants:
        return
    lines = ", ".join(f"Lesson: {record_id}" for record_id in wants)
    out(f"  to be acknowledged in the commit message, in a line each: {lines}")
    from chalkgit.doors.setup import git_status

    if not git_status.asks(place, "commit-msg"):
        tell(
            "no commit-msg hook of chalkgit runs here, so nothing asks for it (hint: chalkgit hooks install)"
        )


def _held(rulings: Sequence[Ruling], block: str) -> list[str]:
    """The ids that the policy has a message acknowledge; what has reopened asks for nothing."""
    if block == policy.NEVER:
        return []
    return list(
        dict.fromkeys(
            ruling.standing.record.id
            for ruling in rulings
            if block == policy.ALWAYS
            or (ruling.standing.record.get("degree") == "contradicted" and not ruling.standing.reopened)
        )
    )
