"""Records that the words do not hold yet, scored as if they did.

An edit becomes a row of the table; writing it to tantivy too would have the next question wait for the disk
ten times. Until there are many, the few are compared one by one, with BM25 as tantivy computes it.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Tokens = Callable[[str], Sequence[str]]

K1, B = 1.2, 0.75  # tantivy's own, which its `Query.explain` tells


class Late:
    """Files that changed since the words were written: what the words say of `paths` holds no more.

    rows: (path, text), None where the path only leaves. tokens: the words of a text as the index takes them.
    """

    __slots__ = ("_counts", "_lengths", "paths")

    def __init__(self, rows: Iterable[tuple[str, str | None]], tokens: Tokens) -> None:
        self.paths: list[str] = []
        self._counts: dict[str, dict[str, int]] = {}
        self._lengths: dict[str, float] = {}
        for path, text in rows:
            self.paths.append(path)
            if text is None:
                continue
            counts: dict[str, int] = {}
            said = tokens(text)
            for word in said:
                counts[word] = counts.get(word, 0) + 1
            self._counts[path] = counts
            self._lengths[path] = _as_kept(len(said))

    @property
    def count(self) -> int:
        """How many of them are records."""
        return len(self._counts)

    def frequency(self, word: str) -> int:
        """How many of them hold the word."""
        return sum(word in counts for counts in self._counts.values())

    def holding(self, word: str) -> list[str]:
        return [path for path, counts in self._counts.items() if word in counts]

    def bm25(self, path: str, word: str, weight: float, average: float) -> float:
        """What the word adds to a record's score; weight: its inverse document frequency."""
        count = self._counts[path][word]
        norm = K1 * (1 - B + B * self._lengths[path] / average)
        return weight * (1 + K1) * count / (count + norm)

    def average(self) -> float:
        return sum(self._lengths.values()) / (len(self._lengths) or 1) or 1.0


def rarity(frequency: float, total: float) -> float:
    """BM25's weight of a word that so many of `total` documents hold."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def _as_kept(length: int) -> float:
    """A document's length as tantivy keeps it in a byte: exact up to 40, then eight steps to each double."""
    if length <= 40:
        return length
    below, step = 40, 2
    while length >= below + 8 * step:
        below += 8 * step
        step *= 2
    return below + (length - below) // step * step
