"""Characters with which a text reads as something it is not: told with their names, never shown.

What languages need is left alone: joiners inside words of other scripts, marks of direction beside
right-to-left letters, one variation selector after a sign, the tags of a flag.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

# Overrides, embeddings and isolates of direction; what is never seen; annotations; blank letters.
_ALWAYS = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u180e\u115f\u1160\u3164\uffa0]"
)
_MARKS = re.compile("[\u200e\u200f\u061c]")
_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f|[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|(?<=[A-Za-z ])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Between plain letters nothing joins, and nothing breaks.
_JOINERS = re.compile("(?<=[A-Za-z0-9])[\u200c\u200d\u00ad\u034f](?=[A-Za-z0-9])")
_WORD = re.compile(r"[^\W\d_]{3,}")
# Letters that look like one of a to z; a word that has others of its script too is written in that script.
_ALIKE = frozenset("аеорсухіѕјԁһӏԛԝАВЕЅІЈКМНОРСТХУοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")


def found(text: str) -> dict[str, int]:
    """What is hidden in a text, in words, and how often."""
    counts: dict[str, int] = {}
    if not text.isascii():
        for words in _each(text):
            counts[words] = counts.get(words, 0) + 1
    return counts


def plain(text: str) -> str:
    """The text without what nobody sees, and with each sign as it is read."""
    if text.isascii():
        return text
    for pattern in (_ALWAYS, _MARKS, _TAGS, _SELECTORS, _JOINERS):
        text = pattern.sub("", text)
    return unicodedata.normalize("NFKC", text)


def _each(text: str) -> Iterator[str]:
    for pattern in (_ALWAYS, _JOINERS):
        for match in pattern.finditer(text):
            yield _named(match[0])
    for line in text.split("\n"):
        if _MARKS.search(line) and not any(unicodedata.bidirectional(c) in ("R", "AL") for c in line):
            yield from (_named(match[0]) for match in _MARKS.finditer(line))
    if any(not match[0].startswith("\U0001f3f4") for match in _TAGS.finditer(text)):
        yield "tag characters, which nobody sees"
    if _SELECTORS.search(text):
        yield "variation selectors, which nobody sees"
    for match in _WORD.finditer(text):
        if not match[0].isascii() and _mixed(match[0]):
            others = ", ".join(dict.fromkeys(_named(c) for c in match[0] if c in _ALIKE))
            yield f"a word that mixes alphabets ({others})"


def _mixed(word: str) -> bool:
    rest = [c for c in word if not c.isascii()]
    return len(rest) < len(word) and all(c in _ALIKE for c in rest)


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '').lower()}".rstrip()
