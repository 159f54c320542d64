"""Records of a change that repeat or contradict others: each pair once, against all that may be recalled.

A pair that said the same before is not this change's.
"""

from __future__ import annotations

from chalkgit.answers import ages, curate_pairs
from chalkgit.answers.finding import Finding
from chalkgit.answers.review_words import called, named
from chalkgit.index import texts
from chalkgit.records.record import Record

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.answers.curate_pairs import Pair
    from chalkgit.answers.review_sides import Sides
    from chalkgit.answers.semantic import Semantic

# What makes a record the like of another, or its opposite.
_BEARING = ("route", "observation", "trap", "alternative", "lesson", "resolution", "failure", "kind", "tags")
_BOUND = (
    "degree",
    "action",
    "files",
    "depends-on",
    "valid-from",
    "valid-until",
    "retired",
    "settled",
    "review",
)


def findings(sides: Sides, semantic: Semantic | None, skipped: list[str]) -> Iterator[Finding]:
    """skipped grows by why meaning took no part, where it would have."""
    records = [
        sides.after[i] for i in sides.changed if i in sides.after and _says_other(sides, sides.after[i])
    ]
    if not records:
        return
    mine = {record.id for record in records}
    age = ages.Ages(sides.place, sides.compared.head)
    for pair in curate_pairs.near(sides.index, records, sides.now, semantic):
        if _of_one_chain(sides, pair):
            continue
        # what the change adds is younger than what the base has, whatever way it came here
        older, newer = sorted((pair.record, pair.other), key=lambda r: (_is_new(sides, r), age(r)))
        # told at the record that the change brings; of two, at the younger
        record, other = (newer, older) if newer.id in mine else (older, newer)
        if pair.against is not None:
            yield _contradicts(sides, pair, record, other)
        elif pair.kind != curate_pairs.ALTERNATIVE:
            mend = f"chalkgit supersede {older.id} --by {newer.id}"
            yield _repeats(sides, pair, record, other, mend)
    if semantic is not None and semantic.skipped and any(r.kind in texts.CHECKED for r in records):
        skipped.append(f"whether records mean the same: words alone were compared, {semantic.skipped}")


def _says_other(sides: Sides, record: Record) -> bool:
    before = sides.before.get(record.id)
    return before is None or any(before.get(n) != record.get(n) for n in (*_BEARING, *_BOUND))


def _is_new(sides: Sides, record: Record) -> bool:
    return record.id in sides.changed and record.id not in sides.before


def _of_one_chain(sides: Sides, pair: Pair) -> bool:
    """Whether one replaces the other, which may not be committed yet."""
    one, other = pair.record.id, pair.other.id
    return one in sides.replaced or other in sides.replaced


def _contradicts(sides: Sides, pair: Pair, record: Record, other: Record) -> Finding:
    message = f"{named(record)} contradicts {named(other)}: {pair.against}"
    return _finding(sides, "contradicts", pair, record, message, None)


def _repeats(sides: Sides, pair: Pair, record: Record, other: Record, mend: str) -> Finding:
    nearly = "" if pair.kind == curate_pairs.EXACT else "nearly "
    message = f"{named(record)} says {nearly}what {named(other)} says"
    return _finding(sides, "repeats", pair, record, message, mend)


def _finding(sides: Sides, rule: str, pair: Pair, record: Record, message: str, mend: str | None) -> Finding:
    return Finding(
        rule,
        record.path,
        message,
        line=sides.line(record, "route", "lesson"),
        record=record.id,
        title=called(record),
        details=[] if pair.kind == curate_pairs.EXACT else [f"{pair.why}; confidence {pair.confidence:.2f}"],
        mend=mend,
        weight=pair.confidence,
    )
