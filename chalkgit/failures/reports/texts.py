"""What the bytes of a report are as text."""

from __future__ import annotations

import codecs
import re

# What a terminal would obey: colours (CSI), titles and links (OSC), and the two-character escapes.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]?|\x9b[0-?]*[ -/]*[@-~]"
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._-]{1,40})")
# Of Python's codecs those that are character sets of reports; `zip` or `unicode_escape` are none.
_SETS = re.compile(
    r"^(?:iso-?8859|latin|windows-125|cp125|us-ascii|shift_?jis|euc-|gb|big5|koi8)", re.IGNORECASE
)


def decode(data: bytes) -> str:
    """By its mark, the zeros of UTF-16, or what its XML declares; else UTF-8, wrong bytes replaced."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    for start, name in (
        (b"<\x00", "utf-16-le"),
        (b"{\x00", "utf-16-le"),
        (b"\x00<", "utf-16-be"),
        (b"\x00{", "utf-16-be"),
    ):
        if data.startswith(start):
            return data.decode(name, "replace")
    declared = _DECLARED.match(data[:400])
    if declared and _SETS.match(declared[1].decode("ascii")):
        try:
            return data.decode(declared[1].decode("ascii"), "replace")
        except LookupError:  # a name like a character set's that is none
            return data.decode("utf-8", "replace")
    return data.decode("utf-8", "replace")


def unescaped(text: str) -> str:
    """Without what a terminal would obey."""
    return _ESCAPES.sub("", text)
