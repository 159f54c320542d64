"""Strings found by what they are like: an inverted table of their trigrams, part of `index.table`.

Strings lie in spaces (first error lines, outputs, …) that know nothing of each other. Each has a number in
its space, given once and never again. For each trigram and block of numbers a row says which numbers have it
(`index.tallies`); a question adds up the rows of its trigrams. So the counts are exact, no string need be
looked at again, and what all strings share costs no more than what few have.

What `alike` answers is what comparing all strings by `trigrams.similarity` would give. A row that could not
have been written is Damaged; bits that were flipped in one are not noticed.
"""

from __future__ import annotations

from array import array
from itertools import islice, pairwise

from chalkgit import thresholds
from chalkgit.failures import trigrams
from chalkgit.index import tallies
from chalkgit.index.table import Damaged, Table
from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    Closest = list[tuple[float, int]]  # (how close, number)

MOST = thresholds.ALIKE_MOST
CHARACTERS = thresholds.ALIKE_CHARACTERS
SPEC_CHARACTERS = thresholds.SPEC_CHARACTERS
STEPS = thresholds.SPEC_STEPS
WINDOW = thresholds.SPEC_WINDOW
# Where thousands are alike, the closest are enough: looking for those first halves what the question takes.
_BARS = (0.85, 0.7, 0.5, 0.3)

# A number is its space and its turn there; a place is a trigram and a block. 1,024 sizes take 2 kB.
_SPACE_BITS, _PLACE_BITS, _PART_BITS = 32, 24, 10
_PART = 1 << _PART_BITS
_PARTS = tallies.BLOCK // _PART
_AT_ONCE = 400  # SQLite takes 999 variables in its older builds


def add(database: sqlite.Connection, strings: Iterable[tuple[int, str, int]]) -> None:
    """Take in (key, text, space) rows, within the caller's transaction; a key may have several.

    Many at once cost each far less: a row of the table is written once for all of them.
    """
    spaces: dict[int, list[tuple[int, str]]] = {}
    for key, text, space in strings:
        # what UTF-8 cannot hold is in no word
        spaces.setdefault(space, []).append((key, text.encode("utf-8", "replace").decode()))
    for space, rows in spaces.items():
        first = _next(database, space)
        stored = [(number, *row) for number, row in enumerate(rows, first)]
        database.executemany("insert into alike_strings values (?, ?, ?)", stored)
        _add_trigrams(database, [trigrams.of(text[-CHARACTERS:]) for _, text in rows], first)


def forget(database: sqlite.Connection, keys: Sequence[int]) -> None:
    """Answer these keys no more. Their numbers stay taken: the bits that they leave are nobody else's."""
    database.executemany(
        "update alike_strings set key = null, text = null where key = ?", [(key,) for key in keys]
    )


def worn(table: Table) -> bool:
    """Whether most of what a question goes over was forgotten, so that an index built anew is faster."""
    numbers, keys = table.rows("select count(*), count(key) from alike_strings")[0]
    return bool(numbers > 4 * (keys + tallies.BLOCK))


def alike(
    table: Table, text: str, space: int, least: float, most: int = MOST
) -> tuple[list[tuple[int, float]], bool]:
    """((key, similarity), …) of the strings more similar to `text` than `least`, and whether these are all.

    The closest first, of equals the one added last; a key stands once, as its closest string is. Where there
    are more than `most`, those left out are no closer than the last one.
    """
    wanted = trigrams.of(text[-CHARACTERS:])
    rows = _rows_of(table, wanted, space)
    blocks = [(block, tallies.tally(rows[block].values())) for block in rows]
    found: dict[int, float] = {}
    for bar in (*(bar for bar in _BARS if bar > least), least):
        found = _keys(table, _closest(table, blocks, len(wanted), bar), most + 1)
        if len(found) > most:
            return list(islice(found.items(), most)), False
    return list(found.items()), True


def contained(
    table: Table, text: str, space: int, least: float, most: int = MOST
) -> tuple[list[tuple[int, float]], bool]:
    """((key, word similarity), …) of the strings whose word similarity with `text` is above `least`.

    And whether these are all: at most `most` of those compared. The closest first, of equals the one added
    last; a key stands once. They are compared until STEPS were taken, those first of which a part of the text
    has the greatest share, of these the longest.
    """
    sequence = trigrams.sequence(text[:SPEC_CHARACTERS])
    found: dict[int, tuple[float, int]] = {}
    known: dict[str, float] = {}
    left, whole = STEPS, len(text) <= SPEC_CHARACTERS
    numbers = _possible(table, sequence, space, least)
    for number, key, string in _rows(table, "key, text", numbers):
        if left <= 0:
            whole = False
            break
        if string not in known:
            wanted = trigrams.of(string[-CHARACTERS:])
            known[string], steps = trigrams.bounded_extent(wanted, sequence, left)
            left -= steps
        if known[string] > least:
            found[key] = max(found.get(key, (0.0, 0)), (known[string], number))
    ordered = sorted(found.items(), key=lambda item: item[1], reverse=True)
    whole = whole and left >= 0 and len(ordered) <= most
    return [(key, similarity) for key, (similarity, _) in ordered[:most]], whole


def _next(database: sqlite.Connection, space: int) -> int:
    """The first number of a space that was never given."""
    first = space << _SPACE_BITS
    query = "select max(number) from alike_strings where number >= ? and number < ?"
    last = database.execute(query, (first, first + (1 << _SPACE_BITS))).fetchone()[0]
    return first if last is None else int(last) + 1


def _add_trigrams(database: sqlite.Connection, strings: Sequence[frozenset[int]], first: int) -> None:
    """Those of strings with the numbers from `first` on."""
    offsets: dict[int, list[int]] = {}
    for number, found in enumerate(strings, first):
        block, offset = number >> tallies.BLOCK_BITS, number & tallies.BLOCK - 1
        for trigram in found:
            offsets.setdefault(trigram << _PLACE_BITS | block, []).append(offset)
    places = sorted(offsets)  # SQLite then fills one page after another
    begun = first >> tallies.BLOCK_BITS if first & tallies.BLOCK - 1 else -1
    known: dict[int, bytes] = {}
    old = [place for place in places if place & (1 << _PLACE_BITS) - 1 == begun]
    for part in _parts(old):
        marks = ",".join("?" * len(part))
        query = f"select place, numbers from alike_trigrams where place in ({marks})"
        known.update(database.execute(query, part))
    rows = [(place, tallies.extended(known.get(place, b""), offsets[place])) for place in places]
    database.executemany("insert or replace into alike_trigrams values (?, ?)", rows)
    _add_sizes(database, array("H", map(len, strings)), first)


def _add_sizes(database: sqlite.Connection, sizes: array[int], first: int) -> None:
    part, before = first >> _PART_BITS, first & _PART - 1
    row = database.execute("select sizes from alike_sizes where part = ?", (part,)).fetchone()
    data = (row[0] if row else b"") + tallies.packed(sizes)
    if len(data) != 2 * (before + len(sizes)):
        raise Damaged("the sizes of some strings are missing")
    parts = [data[start : start + 2 * _PART] for start in range(0, len(data), 2 * _PART)]
    database.executemany("insert or replace into alike_sizes values (?, ?)", list(enumerate(parts, part)))


def _rows_of(table: Table, wanted: Collection[int], space: int) -> dict[int, dict[int, bytes]]:
    """Block to trigram to row, of those trigrams that any string has."""
    bits = _SPACE_BITS - tallies.BLOCK_BITS
    rows: dict[int, dict[int, bytes]] = {}
    for part in _parts([trigram << _PLACE_BITS | space << bits for trigram in sorted(wanted)]):
        asked = ",".join(["(?)"] * len(part))
        for place, row in table.rows(
            f"with asked (first) as (values {asked}) select place, numbers from asked "
            f"cross join alike_trigrams on place between first and first + {(1 << bits) - 1}",
            *part,
        ):
            rows.setdefault(place & (1 << _PLACE_BITS) - 1, {})[place >> _PLACE_BITS] = row
    return rows


def _closest(table: Table, blocks: Sequence[tuple[int, int]], size: int, least: float) -> Closest:
    """The strings more similar than `least` to one of `size` trigrams, the closest first."""
    # |A and B| / |A or B| > least needs |A and B| / |A| > least
    common = next((count for count in range(1, size + 1) if trigrams.share(count, size) > least), None)
    if common is None:
        return []
    almost = 0.999_999 * least  # rounding to float4 takes longer than all else, and moves less
    found: Closest = []
    for block, fields in blocks:
        if offsets := tallies.reaching(fields, common):
            base, counts, sizes = block << tallies.BLOCK_BITS, tallies.counts(fields), _sizes(table, block)
            found += [
                (similarity, base + offset)
                for offset in offsets
                if (similarity := counts[offset] / (size + sizes[offset] - counts[offset])) > almost
            ]
    found.sort(reverse=True)
    if found and found[0][0] > 1:
        raise Damaged("a string shares more trigrams than it has")
    while found and not trigrams.float4(found[-1][0]) > least:
        found.pop()
    return found


def _possible(table: Table, sequence: Sequence[int], space: int, least: float) -> list[int]:
    """The strings that a stretch of this text may be more similar to than `least`, the likeliest first.

    A stretch more similar than that to a string of n trigrams has more than least * n of them, and at most
    n / least distinct ones in all, so it lies within one of the windows, if these are as wide.
    """
    width = max(WINDOW, len(sequence) // 40)
    windows = _windows(sequence, width)
    possible: list[tuple[float, int, int]] = []
    for block, rows in _rows_of(table, set(sequence), space).items():
        whole = near = tallies.tally(rows.values())
        if len(windows) > 1:
            near = 0
            for window in windows:
                near = tallies.greater(near, tallies.tally(rows[t] for t in rows.keys() & window))
        base, sizes = block << tallies.BLOCK_BITS, _sizes(table, block)
        counted = zip(tallies.counts(whole), tallies.counts(near), sizes, strict=True)
        for offset, (anywhere, nearby, size) in enumerate(counted):
            count = nearby if size <= width * least else anywhere
            if count > 0.999 * least * size and trigrams.share(count, size) > least:
                possible.append((count / size, size, base + offset))
    possible.sort(reverse=True)
    return [number for *_, number in possible]


def _windows(sequence: Sequence[int], width: int) -> list[set[int]]:
    """The trigrams of stretches: one of at most `width` distinct ones lies within one of these."""
    segments: list[set[int]] = [set()]
    for trigram in sequence:
        if trigram not in segments[-1] and len(segments[-1]) == width:
            segments.append(set())
        segments[-1].add(trigram)
    # a stretch that went beyond the segment after the one it begins in would have all of it, and one more
    return [one | other for one, other in pairwise(segments)] or segments


def _keys(table: Table, closest: Closest, most: int) -> dict[int, float]:
    """Key to similarity of at most so many, in this order."""
    found: dict[int, float] = {}
    similarities = {number: similarity for similarity, number in closest}
    for number, key in _rows(table, "key", list(similarities)):
        if key not in found:
            found[key] = trigrams.float4(similarities[number])
            if len(found) == most:
                break
    return found


def _sizes(table: Table, block: int) -> array[int]:
    """How many trigrams each number of a block has."""
    data = bytearray(2 * tallies.BLOCK)
    first = block * _PARTS
    query = "select part, sizes from alike_sizes where part between ? and ?"
    for part, sizes in table.rows(query, first, first + _PARTS - 1):
        if not isinstance(sizes, bytes) or len(sizes) > 2 * _PART:
            raise Damaged("the sizes of strings are not what was stored")
        start = (part - first) * 2 * _PART
        data[start : start + len(sizes)] = sizes
    return tallies.integers(bytes(data))


def _rows(table: Table, columns: str, numbers: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """(number, *columns) of those that were not forgotten, in the order asked for."""
    for part in _parts(numbers):
        marks = ",".join("?" * len(part))
        query = f"select number, {columns} from alike_strings where key is not null and number in ({marks})"
        rows = {row[0]: row for row in table.rows(query, *part)}
        yield from (rows[number] for number in part if number in rows)


def _parts(values: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
