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
_TABLE.update(dict.fromkeys([0x200B, 0x2060, 0xFEFF, *range(0xE0000, 0xE0080)], "\ufffd"))
_TABLE.update(dict.fromkeys(range(0xD800, 0xE000), "\ufffd"))  # what was no UTF-8 in a path


def line(text: object) -> str:
    """The text on one line, harmless to show."""
    return " ".join(str(text).translate(_TABLE).split())
