"""Stored text is data: shown on one line, with nothing in it that a terminal or a reader would obey."""

from __future__ import annotations

# Terminal controls become their visible pictures; bidirectional and zero-width controls, with which text
# can be made to read as something it is not, become the replacement character.
_TABLE: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20)}
_TABLE.update(dict.fromkeys((0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029), " "))
_TABLE[0x7F] = "\u2421"
_TABLE.update(dict.fromkeys((c for c in range(0x80, 0xA0) if c != 0x85), "\ufffd"))
_TABLE.update(
    dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C], "\ufffd")
)
_TABLE.update(dict.fromkeys([0x200B, *range(0x2060, 0x2065), 0xFEFF, *range(0xE0000, 0xE0080)], "\ufffd"))
_TABLE.update(dict.fromkeys([*range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC)], "\ufffd"))
_TABLE.update(dict.fromkeys(range(0xD800, 0xE000), "\ufffd"))  # what was no UTF-8 in a path


class _Escapes(dict[int, "int | str"]):
    """Those of the characters that JSON leaves as they are, escaped; each is made when it is first met."""

    def __missing__(self, code: int) -> int | str:
        self[code] = escaped(chr(code)) if code >= 0x7F and code in _TABLE else code
        return self[code]


_ESCAPES = _Escapes()


def escaped(character: str) -> str:
    """A character as a JSON string may write it: \\uXXXX, two of them beyond U+FFFF."""
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def json_text(text: str) -> str:
    """JSON with what a terminal would obey escaped: the same data, harmless to show."""
    return text.translate(_ESCAPES).replace("##[", "#\\u0023[")


def line(text: object) -> str:
    """The text on one line, harmless to show."""
    said = str(text)
    if not (said.isascii() and said.isprintable()):  # asking so costs a tenth of translating it
        said = said.translate(_TABLE)
    # GitHub's runner obeys `##[command]` anywhere in a line that a job prints
    return " ".join(said.split()).replace("##[", "# #[")
