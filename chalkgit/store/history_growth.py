"""Bring a history table to a tip: extended by the new commits alone, and what is no longer on the first
parents taken out with the commits that brought it. A table that was extended says what a new one would.

Raises UnknownPast where this clone lacks what it would have to read; the table is of no use then.
"""

from __future__ import annotations

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.store import firstparents, git, moments, snapshot
from chalkgit.store.history_table import HistoryTable, Standing
from chalkgit.store.versions import Fold, Nothing
from chalkgit.store.worktree import is_record, nameable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chalkgit.store.firstparents import Chain, Commit, Touch
    from chalkgit.store.place import Place


def behind(table: HistoryTable, place: Place, tip: str) -> bool:
    return table.tip != tip or _deepened(table, place)


def follow(table: HistoryTable, place: Place, tip: str) -> None:
    """Make it the history of `tip`."""
    table.db.execute("begin")
    chain = _new(table, place, tip)
    base = _base(table, chain, tip) if chain is not None else None
    if chain is None or base is None:
        chain, base = firstparents.chain(place, tip), 0
        table.say("cut", "1" if chain.cut else "0")
        table.say("lost", _lost(place, chain))
    table.say("edges", _edges(place))
    table.drop(base)
    _take(table, place, chain, base)
    table.say("tip", tip)
    table.db.execute("commit")
    table.index()


def _new(table: HistoryTable, place: Place, tip: str) -> Chain | None:
    """What `tip` has beyond the commit that the table reaches; None where all has to be read again."""
    if not table.tip or _deepened(table, place):
        return None
    try:
        return firstparents.chain(place, tip, table.tip)
    except ChalkError:
        return None  # it was pruned after a rewrite, say


def _base(table: HistoryTable, chain: Chain, tip: str) -> int | None:
    """The place of the commit that the new ones follow; None where the table has no such one."""
    follows = chain.commits[-1].parents[:1] if chain.commits else [tip]
    rows = table.rows("select seq from commits where oid = ?", *follows) if follows else []
    return int(rows[0][0]) if rows else None


def _take(table: HistoryTable, place: Place, chain: Chain, base: int) -> None:
    commits, cut = chain.commits, chain.cut and base == 0
    seqs = {commit.oid: base + n for n, commit in enumerate(reversed(commits), 1)}
    _put_commits(table, commits, seqs, base)
    fold = Fold(table.fields, Standing(table) if base else Nothing())
    for part in firstparents.touches(place, commits, cut):
        _read(table, place, [touch for _, touches in part for touch in touches])
        for commit, touches in part:
            seq = seqs[commit.oid]
            named = [touch for touch in touches if nameable(touch.path)]
            table.add(fold.step(seq, named))
            files = [(seq, t.path, (fold.held[t.path] or ("",))[0], t.blob) for t in named]
            table.put("insert into touched values (?, ?, ?, ?)", files)


def _put_commits(table: HistoryTable, commits: Sequence[Commit], seqs: dict[str, int], base: int) -> None:
    rows = table.rows("select latest from commits where seq = ?", base)
    latest = int(rows[0][0]) if rows else 0
    values = []
    for commit in reversed(commits):
        # a commit was not made before its parent was: clocks may be wrong, ancestry is not
        latest = max(latest, commit.at)
        about = (commit.author, commit.email, commit.subject, int(commit.signed))
        values.append((seqs[commit.oid], commit.oid, commit.at, latest, *about, " ".join(commit.parents)))
    table.put("insert into commits values (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def _read(table: HistoryTable, place: Place, touches: Sequence[Touch]) -> None:
    """The contents that the table does not have yet, as fields or as what is wrong with them."""
    import json

    wanted = {t.blob: t.path for t in touches if t.blob and t.mode.startswith("100") and is_record(t.path)}
    known = "select 1 from contents where blob = ?"
    paths = {blob: path for blob, path in wanted.items() if not table.rows(known, blob)}
    values: list[tuple[str, str | None, str | None]] = []
    for blob, content in _contents(place, paths):
        record, problems = snapshot.decoded(paths[blob], content)
        fields = record.fields if record is not None else None
        said = json.dumps(fields) if fields is not None else None
        table.remember(blob, fields)
        values.append((blob, said, None if fields is not None else problems[0].message))
    table.put("insert or replace into contents values (?, ?, ?)", values)


def _contents(place: Place, paths: dict[str, str]) -> Iterator[tuple[str, snapshot.Content]]:
    """The contents of these blobs, none of which may be missing: what it said is unknown, and not nothing."""
    try:
        for blob, content in snapshot.blobs(place, paths):
            if isinstance(content, UnknownPast):
                raise content
            yield blob, content
    except ChalkError as error:
        said = f"the history of the records is unknown: {error.message}"
        raise UnknownPast(said, where=error.where, hint=firstparents.mending(place)) from error


def _deepened(table: HistoryTable, place: Place) -> bool:
    """Whether history that was cut off may go on by now."""
    if not table.cut:
        return False
    lost = table.meta("lost")
    return table.meta("edges") != _edges(place) or bool(lost and _there(place, lost))


def _lost(place: Place, chain: Chain) -> str:
    """The parent that a chain is cut off from because it is not there."""
    beyond = chain.commits[-1].parents[0] if chain.cut else ""
    return beyond if beyond and not _there(place, beyond) else ""


def _there(place: Place, oid: str) -> bool:
    return git.ask(place.root, "--no-replace-objects", "cat-file", "-e", oid)[0] == 0


def _edges(place: Place) -> str:
    """All that hides a commit's parents: where a shallow clone ends, and grafts."""
    return " ".join(sorted(moments.boundary(place))) + "\n" + moments.grafted(place)
