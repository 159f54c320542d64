"""Which records a reader would not find, though they are there: `lint --findable`.

Each record is asked for twice, by its whole route and by its route with every third word that carries meaning
left out, as `check` asks: that is all it costs, two questions a record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chalkgit import thresholds
from chalkgit.answers.check import Checker
from chalkgit.answers.nudges import short
from chalkgit.answers.sources import Source
from chalkgit.errors import Problem
from chalkgit.index import texts
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import worktree

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.answers.ruling import Ruling

    Report = Callable[[int, int], None]


def findings(checker: Checker, wanted: Callable[[str], bool], report: Report | None = None) -> list[Problem]:
    """One finding a record of this work tree that would not be found, in the order of their paths.

    wanted: of the path of a record, whether to ask for it; the others are still what it may be lost among.
    """
    source = checker.sources[0]
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in may_be_recalled(checker, source):
        groups.setdefault((record.kind, " ".join(texts.route(record).casefold().split())), []).append(record)
    asked = [group for group in groups.values() if any(wanted(record.path) for record in group)]
    found = []
    for number, group in enumerate(asked, 1):
        problem = _twins(group) if len(group) > 1 else _lost(checker, source, group[0])
        if problem is not None:
            found.append(problem)
        if report is not None:
            report(number, len(asked))
    return sorted(found, key=lambda problem: problem.path)


def may_be_recalled(checker: Checker, source: Source) -> list[Record]:
    """The records that `check` asks and may show, by their paths; working notes left out."""
    found = source.records(sorted(source.index.table.ids().values()))
    return [
        record
        for record in found
        if record.kind in texts.CHECKED
        and not record.path.startswith(worktree.NOTES + "/")
        and excluded(record, now=checker.now, superseded=source.superseded) is None
    ]


def ranked(checker: Checker, source: Source, proposal: str) -> list[Ruling]:
    """What may be recalled of one store for a proposal, the best first."""
    reading = checker.semantic.read(proposal) if checker.semantic.ran else None
    found = [ruling for ruling in checker.candidates(source, proposal, reading) if not ruling.barred]
    return sorted(found, key=lambda ruling: (-ruling.order, ruling.record.id))


def before(found: Sequence[Ruling], record: Record) -> list[Ruling] | None:
    """Those of the record's kind that come before it, None where it is not found at all."""
    kind = [ruling for ruling in found if ruling.record.kind == record.kind]
    own = next((ruling for ruling in kind if ruling.record.id == record.id), None)
    return None if own is None else [ruling for ruling in kind if ruling.order > own.order]


def fewer(source: Source, route: str) -> str:
    """A route with every third word that carries meaning left out."""
    words, kept, count = source.index.words, [], 0
    for word in route.split():
        count += any(not words.stopped(part) for part in words.analyse(word))
        if count % 3 == 0 and count:
            count = 0
            continue
        kept.append(word)
    return " ".join(kept)


def _twins(group: Sequence[Record]) -> Problem:
    first, second, *more = group
    others = f", and so have {len(more)} more" if more else ""
    return Problem(
        first.path,
        None,
        f"has the same route as {second.id} ({second.path}){others}",
        f"chalkgit supersede {first.id} --by {second.id}, or say what sets it apart: {_reworded(first)}",
        fatal=False,
    )


def _lost(checker: Checker, source: Source, record: Record) -> Problem | None:
    route = texts.route(record)
    words = source.index.words
    if all(words.stopped(word) for word in words.analyse(route)):
        message = "has a route without one word to be found by"
        return Problem(record.path, None, message, _reworded(record), fatal=False)
    shorter = fewer(source, route)
    asked = {"": route} if shorter == route else {"": route, " in fewer words": shorter}
    beaten = {how: before(ranked(checker, source, text), record) for how, text in asked.items()}
    for how, better in beaten.items():
        said = f"own route{how}"
        if better is None:
            return Problem(record.path, None, f"is not found by its {said}", _reworded(record), fatal=False)
        if len(better) >= thresholds.AMONG:
            message = (
                f"is not among the first {thresholds.AMONG} for its {said}: {_named(better[0])} is first"
            )
            return Problem(record.path, None, message, _reworded(record), fatal=False)
    leaders = [better[0] for better in beaten.values() if better]
    if len(leaders) < len(asked) or len({leader.record.id for leader in leaders}) > 1:
        return None
    message = f"is behind {_named(leaders[0])} for its own route" + ", whole and in fewer words" * (
        len(asked) > 1
    )
    hint = f"{_reworded(record)}, or chalkgit supersede {record.id} --by {leaders[0].record.id}"
    return Problem(record.path, None, message, hint, fatal=False)


def _named(ruling: Ruling) -> str:
    return f"{ruling.record.id} (“{short(texts.route(ruling.record))}”)"


def _reworded(record: Record) -> str:
    return f'chalkgit correct {record.id} --route "…"'
