"""Text as the words that are compared: one analysis for the index, the proposal and the record.

Names are taken apart (`parseHTTPHeader` → parse, http, header; `snake_case`, `pytest-xdist`, `utf8`) and kept
whole beside, versions (3.11) stay one word, short names (go, npm, c++) stay, scripts without spaces become
pairs of characters, and what people leave out or write in two ways (accents, vowel points) is one.
"""

from __future__ import annotations

import re
import unicodedata

# Before a capital: lower-to-upper, and the last capital of a run before a lower-case letter, but not in
# `URLs`; before the number that ends a name of two letters and more, but not in `s3` and `k8s`. The character
# comes first in each pattern, and what is around it after: to look around first is slower.
_SEAM = re.compile(
    r"[A-Z0-9](?:(?<=[a-z0-9][A-Z])|(?<=[A-Z][A-Z])(?=(?!s(?![a-z]))[a-z])"
    r"|(?<=[A-Za-z][A-Za-z][0-9])(?=[0-9]*(?![a-z0-9])))"
)
# Latin, Greek and Cyrillic: the scripts whose names are joined by signs
_LETTERS = "0-9A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff"
_NAME = re.compile(f"[{_LETTERS}]+(?:[_.-][{_LETTERS}]+)*")
_ASCII_NAME = re.compile("[0-9A-Za-z]+(?:[_.-][0-9A-Za-z]+)*")
_VERSION = re.compile(r"[vV]?([0-9]+(?:\.[0-9]+)+)\Z")
_POINT = re.compile(r"\.(?<=[0-9]\.)(?=[0-9])")
# `issue#12` and `count++` are no names as `c#` and `c++` are
_SIGNS = re.compile(r"#(?<=\w\w#)|\+\+(?<=\w\w\+\+)")
# articles and pronouns before the word, as French, Italian and Catalan write them
_ELIDED = frozenset(
    "l d j m t s n c qu jusqu lorsqu puisqu quoiqu un dell nell sell coll dall all sull".split()
)
_LAST = re.compile(r"\w+\Z")
# Thai, Lao, Burmese, Khmer, Han and kana are written without spaces; Korean joins its particles to the word
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]+")
_MARKS = dict.fromkeys(range(0x300, 0x370))  # accents that have no letter of their own
_FOLDED: dict[int, int | str | None] = {
    **_MARKS,
    **dict.fromkeys((0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF)),  # invisible, inside words
    **dict.fromkeys((0x2018, 0x2019, 0x2BC), "'"),
    **str.maketrans("İёЁ", "iеЕ"),
    # Arabic: vowel points and stretching, and letters that are written in two ways
    **dict.fromkeys((0x640, 0x670, *range(0x64B, 0x660))),
    **str.maketrans("أإآٱىیةک", "ااااييهك"),
    # Hebrew points; Devanagari's nukta and the two signs of a nasal
    **dict.fromkeys((*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7, 0x93C)),
    0x901: "\u0902",
    **{zero + n: str(n) for zero in (0x660, 0x6F0, 0x966) for n in range(10)},
}


def parts(text: str) -> str:
    """The text with every compound name taken apart, ready for the analyser."""
    text = _folded(text)
    if not text.isascii():
        text = _UNSPACED.sub(_pairs, text)
    if "#" in text or "++" in text:
        text = _SIGNS.sub(" ", text)
    text = _SEAM.sub(r" \g<0>", _POINT.sub(" ", text)).replace("_", " ")
    return _without_elisions(text) if "'" in text else text


def wholes(text: str) -> list[str]:
    """The compound names of a text, joined (`GitHub` → GitHub, `pytest-xdist` → pytestxdist), and versions
    (`v3.11` → 3.11)."""
    found = []
    text = _folded(text)
    for name in (_ASCII_NAME if text.isascii() else _NAME).findall(text):
        if name.isalpha() and (name.islower() or name.istitle()):
            continue
        joined = name.replace("_", "").replace("-", "").replace(".", "")
        if len(joined) != len(name) or _SEAM.search(name):
            version = _VERSION.match(name)
            found.append(version[1] if version else joined)
    return found


def ends(text: str) -> list[str]:
    """The last characters of what is written without spaces: no pair begins with them."""
    if text.isascii():
        return []
    return [run[-1] for run in _UNSPACED.findall(_folded(text)) if len(run) > 1]


def is_unspaced(word: str) -> bool:
    return _UNSPACED.match(word) is not None


def _folded(text: str) -> str:
    if not text.isascii():
        # an argument that was not UTF-8 holds lone surrogates, which no analyser takes
        text = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode())
        text = _GREEK.sub(_unaccented, text).translate(_FOLDED)
    return text


def _without_elisions(text: str) -> str:
    said = text.split("'")
    for at in range(len(said) - 1):
        before = _LAST.search(said[at][-8:])
        if before is not None and before[0].lower() in _ELIDED and said[at + 1][:2].isalpha():
            said[at] = said[at][: -len(before[0])] + " "
        elif at < len(said) - 1:
            said[at] += "'"
    return "".join(said)


def _unaccented(run: re.Match[str]) -> str:
    return unicodedata.normalize("NFD", run.group()).translate(_MARKS)


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    if len(text) < 2:
        return f" {text} "
    return " " + " ".join(text[i : i + 2] for i in range(len(text) - 1)) + " "


def close(a: str, b: str) -> bool:
    """Whether two words of four letters and more differ by one slip: a letter more, less, other, or
    two neighbours swapped. Words with digits never do: sha256 is not sha512."""
    if a == b:
        return True
    if min(len(a), len(b)) < 4 or abs(len(a) - len(b)) > 1 or any(map(str.isdigit, a + b)):
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    return (
        rest_a[1:] == rest_b[1:]
        or rest_a[1:] == rest_b
        or rest_a == rest_b[1:]
        or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    )
