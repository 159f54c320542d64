"""Text as the words that are compared: one analysis for the index, the proposal and the record.

Names are taken apart (`parseHTTPHeader` → parse, http, header; `snake_case`, `pytest-xdist`) and kept
whole beside, short names (go, npm, c++) stay, scripts without spaces become pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata

# lower-to-upper, and the last capital of a run before a lower-case letter
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*")
# Han, kana and Thai: written without spaces between words
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def parts(text: str) -> str:
    """The text with every compound name taken apart, ready for the analyser."""
    if not text.isascii():
        # an argument that was not UTF-8 holds lone surrogates, which no analyser takes
        text = text.encode("utf-8", "replace").decode()
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = _UNSPACED.sub(_pairs, text)
    return _SEAM.sub(" ", text).replace("_", " ")


def wholes(text: str) -> list[str]:
    """The compound names of a text, joined (`GitHub` → GitHub, `pytest-xdist` → pytestxdist)."""
    found = []
    for name in _NAME.findall(text):
        joined = name.replace("_", "").replace("-", "").replace(".", "")
        if len(joined) != len(name) or _SEAM.search(name):
            found.append(joined)
    return found


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    if len(text) < 2:
        return f" {text} "
    return " " + " ".join(text[i : i + 2] for i in range(len(text) - 1)) + " "


def close(a: str, b: str) -> bool:
    """Whether two words of four letters and more differ by one slip: a letter more, less, other, or
    two neighbours swapped."""
    if a == b:
        return True
    if min(len(a), len(b)) < 4 or abs(len(a) - len(b)) > 1:
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
