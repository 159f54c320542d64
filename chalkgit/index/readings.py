"""What else the words of a question may stand for among the words of the records: slips of the hand, names
that are written joined here and apart there, and beginnings.

A reading is one or more words that together stand for the word asked. A word that a record holds is never
taken for a slip of another: nothing tells `look` from a slip of `lock` where both are used.
"""

from __future__ import annotations

from itertools import pairwise

from chalkgit import thresholds
from chalkgit.index import words

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Reading = tuple[str, ...]

# Letters that may be missing or mistaken, by script; of any other, those of the word itself.
_ALPHABETS = (
    ("a", "z", "abcdefghijklmnopqrstuvwxyz"),
    ("\u03b1", "\u03c9", "".join(map(chr, range(0x3B1, 0x3CA)))),
    ("\u0430", "\u0491", "".join(map(chr, (*range(0x430, 0x450), 0x454, 0x456, 0x457, 0x491)))),
    ("\u05d0", "\u05ea", "".join(map(chr, range(0x5D0, 0x5EB)))),
    ("\u0621", "\u064a", "".join(map(chr, (*range(0x621, 0x63B), *range(0x641, 0x64B))))),
    ("\u0904", "\u094d", "".join(map(chr, range(0x904, 0x94E)))),
)


class Reader:
    """frequency: how many records hold a word. stems: written words as the index takes them, one each.
    beginning: the index's words that begin so, the most used about first; some of records that are gone."""

    __slots__ = ("_beginning", "_frequency", "_stems", "_two_slips")

    def __init__(
        self,
        frequency: Callable[[str], int],
        stems: Callable[[Iterable[str]], Sequence[str]],
        beginning: Callable[[str], Sequence[str]],
    ) -> None:
        self._frequency = frequency
        self._stems = stems
        self._beginning = beginning
        self._two_slips = thresholds.TWO_SLIPS_WORDS

    def readings(
        self, said: Sequence[tuple[str, str]], carrying: Iterable[str]
    ) -> dict[str, tuple[Reading, ...]]:
        """said: (as written, as indexed) in order. carrying: the words asked, as indexed; those that have
        no other reading are not named."""
        found: dict[str, tuple[Reading, ...]] = {}
        written = {word: form for form, word in reversed(said)}
        joined = self._joined(said)
        unknown = 0
        for word in carrying:
            others = joined.get(word, ())
            if words.is_unspaced(word):
                if len(word) == 1:
                    others = tuple((known,) for known in self._begun(word, thresholds.BEGUN_CHARACTER))
            elif not self._frequency(word) and unknown < thresholds.MEANT_WORDS:
                unknown += 1
                others = (*others, *self._meant(written.get(word, word)))
            if others:
                found[word] = others
        return found

    def _joined(self, said: Sequence[tuple[str, str]]) -> dict[str, tuple[Reading, ...]]:
        """Neighbours that a record writes as one word (`time out` → timeout)."""
        pairs = [
            (one, other, form_a + form_b)
            for (form_a, one), (form_b, other) in pairwise(said)
            if (form_a + form_b).isalnum() and not words.is_unspaced(form_a + form_b) and not form_b.isdigit()
        ][: thresholds.QUERY_WORDS]
        found: dict[str, tuple[Reading, ...]] = {}
        for (one, other, _), word in zip(pairs, self._stems(form for _, _, form in pairs), strict=True):
            if len(word) >= thresholds.JOINED_LETTERS and self._frequency(word):
                for part in (one, other):
                    found[part] = (*found.get(part, ()), (word,))
        return found

    def _meant(self, form: str) -> tuple[Reading, ...]:
        """What a word that no record holds may stand for; the first kind of reading that gives any."""
        if not thresholds.TYPO_LETTERS <= len(form) <= thresholds.TYPO_LONGEST:
            return ()
        plain = not any(c in "'+#" or c.isdigit() for c in form)  # sha256 is no slip of sha512
        one_off = edits(form) if plain else []
        stems = self._stems(one_off)
        # the first letter is rarely wrong: `auth` begins a word before it is a slip of `oauth`
        firm = (stem for other, stem in zip(one_off, stems, strict=True) if _as_begun(other, form))
        known = self._known(firm)
        if known:
            return tuple((word,) for word in known)
        split = self._split(form) if form.isalnum() else ()
        if split:
            return (split,)
        known = self._begun(form, thresholds.READINGS) or self._known(stems)
        if plain and not known and len(form) >= thresholds.TWO_SLIPS_LETTERS and self._two_slips:
            self._two_slips -= 1
            twice = {other for once in _tight(form) for other in _tight(once)}
            known = self._known(self._stems(twice)) or self._twice_off(form, set(stems))
        return tuple((word,) for word in known)

    def _known(self, candidates: Iterable[str]) -> list[str]:
        counted = [(self._frequency(word), word) for word in set(candidates) if len(word) > 1]
        # the most used first: a slip is one of a word that people use
        return [word for count, word in sorted(counted, key=lambda c: (-c[0], c[1])) if count][
            : thresholds.READINGS
        ]

    def _twice_off(self, form: str, stems: set[str]) -> list[str]:
        """Known words one slip from a word that is one slip from this; the first two letters are right."""
        near: dict[str, list[str]] = {}
        for stem in stems:
            for shorter in _without_one(stem):
                near.setdefault(shorter, []).append(stem)
        found = []
        for word in self._beginning(form[:2]):
            if len(word) >= thresholds.JOINED_LETTERS and word.isalpha():
                others = {stem for shorter in _without_one(word) for stem in near.get(shorter, ())}
                if any(words.close(word, stem) for stem in others):
                    found.append(word)
        return self._known(found)

    def _begun(self, start: str, most: int) -> list[str]:
        counted = [(self._frequency(word), word) for word in self._beginning(start)[: thresholds.BEGUN_WORDS]]
        return [word for count, word in sorted(counted, key=lambda c: (-c[0], c[1])) if count][:most]

    def _split(self, form: str) -> Reading:
        """The fewest known words of three letters and more that make up this one, or none."""
        least = thresholds.PART_LETTERS
        ends = range(least, len(form) + 1)
        spans = [(start, end) for end in ends for start in (0, *range(least, end - least + 1))]
        stems = self._stems(form[start:end] for start, end in spans)
        best: dict[int, Reading] = {0: ()}
        for (start, end), word in zip(spans, stems, strict=True):
            before = best.get(start)
            if before is None or len(before) == thresholds.PARTS or (start == 0 and end == len(form)):
                continue
            if (end not in best or len(before) + 1 < len(best[end])) and self._frequency(word):
                best[end] = (*before, word)
        return best.get(len(form), ())


def edits(word: str) -> list[str]:
    """Every word that one slip makes of this one: two neighbours swapped, a letter less, more, or another."""
    low = word[:1]
    letters = next((some for a, z, some in _ALPHABETS if a <= low <= z), "".join(sorted(set(word))))
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    made = _tight(word)
    made += [a + letter + b for a, b in cuts for letter in letters]
    made += [a + letter + b[1:] for a, b in cuts if b for letter in letters]
    return [other for other in dict.fromkeys(made) if other != word]


def _as_begun(other: str, form: str) -> bool:
    return other[0] == form[0] or other[:2] == form[1::-1]


def _tight(word: str) -> list[str]:
    """Two neighbours swapped, or a letter less."""
    at_all = range(len(word) - 1)
    made = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in at_all]
    if len(word) > thresholds.TYPO_LETTERS:
        made += [word[:at] + word[at + 1 :] for at in range(len(word))]
    return made


def _without_one(word: str) -> list[str]:
    return [word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]
