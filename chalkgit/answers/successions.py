"""Chains of supersession: which record replaces which, and where that goes wrong.

A circle leaves nothing that may be recalled; two successors of one record leave open which of them holds.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from chalkgit import thresholds
from chalkgit.records.record import Record
from chalkgit.records.status import restriction


def chain(records: Mapping[str, Record], record_id: str) -> list[str]:
    """The ids of the record, of all that it replaces and of all that replace it, the oldest first.

    Among those that are no older than each other by id. Ids that no record has are named too. One id alone:
    nothing is superseded.
    """
    newer = successors(records)
    family = _reached(record_id, lambda i: [*_older(records, i), *newer.get(i, ())])
    done: dict[str, None] = {}
    while len(done) < len(family):
        left = sorted(i for i in family if i not in done)
        ready = [i for i in left if all(old in done for old in _older(records, i))]
        done.update(dict.fromkeys(ready or left[:1]))  # in a circle none is the oldest
    return list(done)


def successors(records: Mapping[str, Record]) -> dict[str, list[str]]:
    """Id to the ids of the records that name it as replaced, in their order."""
    found: dict[str, list[str]] = {}
    for record in sorted(records.values(), key=lambda one: one.id):
        for old in dict.fromkeys(record.items("supersedes")):
            found.setdefault(old, []).append(record.id)
    return found


def circles(records: Mapping[str, Record]) -> list[list[str]]:
    """The groups of records that replace each other in a circle, each from its smallest id on."""
    found, met = [], set[str]()
    for start in sorted(records):
        if start in met or not records[start].get("supersedes"):
            continue
        way = _back(records, start)
        if way is not None:
            found.append(way)
            met.update(way)
    return found


def forks(records: Mapping[str, Record]) -> list[tuple[str, list[str]]]:
    """(id, its successors) where more than one of them stands: neither withdrawn nor replaced itself."""
    newer = successors(records)
    found = []
    for old, names in sorted(newer.items()):
        living = [i for i in names if i != old and i not in newer and _stands(records[i])]
        if len(living) > 1:
            found.append((old, living))
    return found


def leaving(record_id: str, rest: Sequence[str]) -> str:
    """The command that leaves a record superseding these alone."""
    kept = " ".join(f"--supersedes {shlex.quote(old)}" for old in rest) or '--supersedes ""'
    return f"chalkgit correct {record_id} {kept}"


def without(records: Mapping[str, Record], record_id: str, old: str) -> str:
    """The command after which a record supersedes `old` no more, nor what is no record."""
    named = records[record_id].items("supersedes")
    return leaving(record_id, [one for one in named if one != old and one in records])


def opening(records: Mapping[str, Record], circle: Sequence[str]) -> list[str]:
    """Commands, any one of which opens a circle; of a long one, the first few."""
    links = zip(circle, [*circle[1:], circle[0]], strict=True)
    return [without(records, one, old) for one, old in links][: thresholds.CURATE_MENDS]


def joining(records: Mapping[str, Record], old: str, names: Sequence[str]) -> list[str]:
    """Commands, any one of which leaves one successor of `old`: the last of them, or each by itself."""
    *others, last = names
    chained = " && ".join(f"chalkgit supersede {other} --by {last}" for other in others)
    alone = [" && ".join(without(records, i, old) for i in names if i != kept) for kept in reversed(names)]
    return [chained, *alone[: thresholds.CURATE_MENDS]]


def _stands(record: Record) -> bool:
    return record.get("retired") is None and restriction(record) is None


def _older(records: Mapping[str, Record], record_id: str) -> list[str]:
    record = records.get(record_id)
    return [] if record is None else record.items("supersedes")


def _reached(start: str, steps: Callable[[str], Sequence[str]]) -> set[str]:
    seen, ahead = {start}, [start]
    while ahead:
        for other in steps(ahead.pop()):
            if other not in seen:
                seen.add(other)
                ahead.append(other)
    return seen


def _back(records: Mapping[str, Record], start: str) -> list[str] | None:
    """The shortest way from a record over what it replaces back to itself, None where there is none."""
    came: dict[str, str] = {}
    ahead = [start]
    for at in ahead:  # grows on the way: breadth first
        for old in _older(records, at):
            if old == start:
                way = [at]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if old in records and old not in came:
                came[old] = at
                ahead.append(old)
    return None
