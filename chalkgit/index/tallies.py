"""Which of 16,384 numbers have a trigram, as bytes; and of many trigrams how many each number has, at once.

A row is a list of offsets while few have it, then a bit for each. Rows are summed as integers of 16,384 bits,
which costs the same for a trigram that all strings have as for one that some have; the sums are fields of 16
bits in one integer. No string may have 32,768 trigrams. A row that is neither is Damaged.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter

from chalkgit.index.table import Damaged

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable

BLOCK_BITS = 14
BLOCK = 1 << BLOCK_BITS
# Bits of a block take 2 kB, which SQLite keeps in a page of its tree. Lists are counted one by one, at 40 ns:
# as bits from 512 numbers on, a table of 100,000 lines was a tenth smaller, and a question took a fifth
# longer.
_BYTES, _LISTED = BLOCK // 8, 256
_TOP = 0x8000
_EVERY = int.from_bytes(b"\1\0" * BLOCK, "little")  # 1 in each field
_TOPS = _TOP * _EVERY
_DIGITS = bytes.maketrans(b"01", b"\0\1")


def extended(row: bytes, offsets: list[int]) -> bytes:
    """A row with some numbers more, none of which it has."""
    if len(row) != _BYTES:
        listed = integers(row)
        listed.extend(offsets)
        if len(listed) < _LISTED:
            return packed(listed)
        row, offsets = bytes(_BYTES), list(listed)
    bits = bytearray(row)
    for offset in offsets:
        bits[offset >> 3] |= 1 << (offset & 7)
    return bytes(bits)


def tally(rows: Iterable[bytes]) -> int:
    """In how many of these rows each number is, as fields."""
    bits: list[int] = []
    listed = array("H")
    for row in rows:
        if isinstance(row, bytes) and len(row) == _BYTES:
            bits.append(int.from_bytes(row, "little"))
        else:
            listed.extend(integers(row))
    counts = array("H", bytes(2 * BLOCK))
    try:
        for offset, count in Counter(listed).items():
            counts[offset] = count
    except (IndexError, OverflowError) as error:
        raise Damaged("a list of numbers is not what was stored") from error
    fields = int.from_bytes(packed(counts), "little")
    for digit, column in enumerate(_columns(bits)):
        # a character for each bit, then a field for each character
        spread = format(column, "b").encode("utf-16-be").translate(_DIGITS)
        fields += int.from_bytes(spread, "big") << digit
    return fields


def reaching(fields: int, least: int) -> list[int]:
    """The offsets of the fields that are not below `least`."""
    reached = (fields + (_TOP - least) * _EVERY) & _TOPS
    found: list[int] = []
    if reached:
        tops = reached.to_bytes(2 * BLOCK, "little")[1::2]
        offset = tops.find(b"\x80")
        while offset >= 0:
            found.append(offset)
            offset = tops.find(b"\x80", offset + 1)
    return found


def greater(one: int, other: int) -> int:
    """The greater of each two fields."""
    above = ((one | _TOPS) - other) & _TOPS  # the top bit of a field is set where the first is not less
    chosen = above - (above >> 15)
    return other ^ ((one ^ other) & chosen)


def counts(fields: int) -> array[int]:
    """All fields."""
    return integers(fields.to_bytes(2 * BLOCK, "little"))


def integers(data: object) -> array[int]:
    """Integers of 16 bits, as they are stored: little-endian."""
    if not isinstance(data, bytes) or len(data) % 2:
        raise Damaged("a list of numbers is not what was stored")
    found = array("H", data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def packed(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


def _columns(rows: list[int]) -> list[int]:
    """For each position of bits how many rows have it, in binary: the last digits of all positions first.

    Three rows become a sum and a carry, until there are none, as a hardware multiplier adds.
    """
    columns = []
    while rows:
        carried = []
        while len(rows) > 1:
            x, y = rows.pop(), rows.pop()
            z = rows.pop() if rows else 0
            either = x ^ y
            rows.append(either ^ z)
            carried.append(x & y | either & z)
        columns.append(rows[0])
        rows = carried
    return columns
