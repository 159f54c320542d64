"""How alike two texts are by their trigrams: exactly what PostgreSQL's pg_trgm 1.6 says, in C.UTF-8.

A word is a run of letters and digits, in lower case, with two blanks before it and one after; its trigrams
are its windows of three characters. One of three bytes is itself; any other is hashed to three bytes as
pg_trgm does it, so that the same trigrams collide. Every trigram is an integer of 24 bits.

Similarities are float4, as PostgreSQL computes them: 0.6 as float4 is above 0.6.
"""

from __future__ import annotations

from itertools import islice
from struct import pack, unpack

from chalkgit import thresholds
from chalkgit.failures import letters

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence, Set

_BLANK = 32
_ASCII = bytes(ord(chr(i).lower()) if chr(i).isalnum() and i < 128 else _BLANK for i in range(256))


def of(text: str) -> frozenset[int]:
    """The trigrams of a text, in time linear in its length."""
    return frozenset(sequence(text))


def sequence(text: str) -> list[int]:
    """The trigrams of a text in its order, each as often as it is there."""
    if text.isascii():
        padded = b"  " + b"  ".join(text.encode().translate(_ASCII).split()) + b" "
        # between two words are two blanks: a window that ends in both is of neither
        return [
            x << 16 | y << 8 | z
            for x, y, z in zip(padded, padded[1:], padded[2:], strict=False)
            if z != _BLANK or y != _BLANK
        ]
    lower = {ord(c): _lower(c) if letters.is_letter(c) else " " for c in set(text)}
    codes = [ord(c) for c in "  " + "  ".join(text.translate(lower).split()) + " "]
    windows = list(zip(codes, codes[1:], codes[2:], strict=False))
    known = {window: _packed(*window) for window in set(windows)}
    return [known[window] for window in windows if window[1:] != (_BLANK, _BLANK)]


def similarity(a: str, b: str) -> float:
    """Of all trigrams of both, the share that both have: 0 to 1."""
    ours, theirs = of(a), of(b)
    common = len(ours & theirs)
    return share(common, len(ours) + len(theirs) - common)


def alike(a: str, b: str) -> bool:
    return similarity(a, b) > thresholds.ERROR_ALIKE


def word_similarity(a: str, b: str) -> float:
    """The similarity of `a` with the part of `b` that is most like it, of those that pg_trgm tries: 0 to 1.

    Not symmetric. See `extent_similarity` for what it costs.
    """
    return extent_similarity(of(a), sequence(b))


def word_alike(a: str, b: str) -> bool:
    wanted, found = of(a), sequence(b)
    # no part of b has more of them than the whole
    if not share(len(wanted.intersection(found)), len(wanted)) > thresholds.SPEC_ALIKE:
        return False
    return extent_similarity(wanted, found) > thresholds.SPEC_ALIKE


def share(part: int, whole: int) -> float:
    """part / whole as float4; 0 of nothing."""
    return float4(part / whole) if whole else 0.0


def float4(value: float) -> float:
    found: float = unpack("f", pack("f", value))[0]
    return found


def extent_similarity(wanted: Set[int], text: Sequence[int]) -> float:
    """The greatest similarity of `wanted` with a stretch of `text`, of those that pg_trgm tries.

    Cost: for each place of `text` that holds a wanted trigram, at most the distinct trigrams of the stretch
    up to there. For a usual line that is a microsecond a place; for a hostile one of 2,000 characters in
    24,000 it was three seconds, so whoever compares what others wrote gives `bounded_extent` a limit.
    """
    return bounded_extent(wanted, text, None)[0]


def bounded_extent(wanted: Set[int], text: Sequence[int], limit: int | None) -> tuple[float, int]:
    """(similarity, steps): where more steps than `limit` were taken, that of the stretches tried until then.

    It tries each trigram of `wanted` in the text as the end of a stretch; the beginning only ever moves on,
    to where the stretch is most similar. What the stretch has is kept by where it was last, so that moving
    the beginning goes over distinct trigrams alone.
    """
    size = len(wanted)
    last: dict[int, None] = {}  # the distinct trigrams of the stretch, the one seen longest ago first
    common = 0  # of these, those that are wanted
    best, steps = 0.0, len(text)
    for trigram in text:
        if trigram not in wanted:
            if last:
                last.pop(trigram, None)
                last[trigram] = None
            continue
        common += trigram not in last
        last.pop(trigram, None)
        last[trigram] = None
        passed, common, closest, looked = _beginning(wanted, last, common, size)
        for gone in list(islice(last, passed)):
            del last[gone]
        best = max(best, closest)
        steps += looked
        if limit is not None and steps > limit:
            break
    return best, steps


def _beginning(
    wanted: Set[int], last: dict[int, None], common: int, size: int
) -> tuple[int, int, float, int]:
    """Where the stretch that ends here begins best.

    (how many of the oldest to leave out, how many wanted ones stay, the similarity then, how many were looked
    at)
    """
    others = len(last) - common
    closest = share(common, size + others)
    kept, left, passed, position = common, common, 0, 0
    for position, trigram in enumerate(last, 1):
        if trigram in wanted:
            left -= 1
            if left / size <= closest:  # what is left could not be more similar, had it nothing else
                break
            continue
        others -= 1
        found = left / (size + others)
        # rounding keeps the order: only what is greater may be greater as float4
        if found > closest and (rounded := float4(found)) > closest:
            closest, kept, passed = rounded, left, position
    return passed, kept, closest, position


def _lower(character: str) -> str:
    """One character for one, as C's towlower; the one that Python makes two of is the Turkish İ."""
    return character.lower()[0]


def _packed(x: int, y: int, z: int) -> int:
    if x < 128 and y < 128 and z < 128:
        return x << 16 | y << 8 | z
    return int.from_bytes(_legacy_crc(f"{chr(x)}{chr(y)}{chr(z)}".encode()).to_bytes(4, "little")[:3])


def _legacy_crc(data: bytes) -> int:
    """PostgreSQL's CRC of old: the table of the reflected CRC-32, gone through as if it were the other."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _crc_entry((crc >> 24 ^ byte) & 0xFF) ^ crc << 8 & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


_table: list[int] = []


def _crc_entry(index: int) -> int:
    if not _table:
        for value in range(256):
            for _ in range(8):
                value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
            _table.append(value)
    return _table[index]
