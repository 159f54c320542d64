"""Values as canonical YAML, written so that YAML 1.1, YAML 1.2 and we read the same strings.

No YAML library is asked: PyYAML's emitter does not carry comments and leaves “1e3” and “=” unquoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chalkgit import thresholds
from chalkgit.records.fields import BY_NAME, FIELDS, PERSON

if TYPE_CHECKING:
    from typing import Any

SCHEMA_FILE = "record.schema.json"
STEP = 2

_TOP = tuple(field.name for field in FIELDS)
_PERSON = ("name", "agent")

# U+0085, U+2028 and U+2029 end a line in YAML 1.1 and not in 1.2; U+FEFF, U+FFFE and U+FFFF are no
# characters of libyaml. All are written as escapes.
# (A class of the few excluded compiles in a tenth of the time that one of all the others takes.)
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_STARTS = re.compile(r"[^\W_]|[/_(]|\.(?![.\s])")
# Numbers, sexagesimals and dates of either version, and more: a quote too many does no harm.
_NUMBER = re.compile(r"[-+.]?\d[\d_.,:xXoObBeEtTzZa-fA-F+\- ]*\Z")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan"))
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\t": "\\t",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


class Noted:
    """A value with its comments: full lines `above` it, and one at its `side`; each with its “#”."""

    __slots__ = ("above", "side", "value")

    def __init__(self, value: Any, above: Iterable[str] = (), side: str = "") -> None:
        self.value = value
        self.above = list(above)
        self.side = side

    def saying(self, value: Any) -> Noted:
        return Noted(value, self.above, self.side)


def modeline(path: str) -> str:
    """The line that tells an editor where the schema lies, seen from `path`."""
    parts = path.split("/")
    depth = len(parts) - 2 - parts.index(".lessons") if ".lessons" in parts[:-1] else 1
    return f"# yaml-language-server: $schema={'../' * depth or './'}{SCHEMA_FILE}"


def document(fields: Mapping[str, Any]) -> str:
    """All fields in canonical order, each on lines of its own."""
    lines = [line for name in ordered("", fields) for line in entry(name, fields[name])]
    return "".join(line + "\n" for line in lines)


def ordered(owner: str, names: Iterable[str]) -> list[str]:
    """The names in the table's order, then the unknown ones by alphabet; `owner` is the field around."""
    place = {name: at for at, name in enumerate(_first(owner))}
    return sorted(names, key=lambda name: (place.get(name, len(place)), name))


def entry(name: str, value: Any, column: int = 0, owner: str = "", *, keep: bool = True) -> list[str]:
    """The lines of one field, indented to `column`."""
    return _opened(f"{_short(name)}:", value, column, f"{owner}.{name}".lstrip("."), keep)


def item(value: Any, column: int, owner: str = "", *, keep: bool = True) -> list[str]:
    """The lines of one item of a list."""
    return _opened("-", value, column, owner, keep)


def block(value: Any, column: int, owner: str = "", *, keep: bool = True) -> tuple[str, list[str]]:
    """What follows the colon on its line, and the lines below; `column` is that of the key.

    keep=False: no “|+”, whose value would take in blank lines that follow.
    """
    if value is None:
        return "", []
    if isinstance(value, str):
        return _text(value, column + STEP, keep)
    if not value:
        return ("{}" if isinstance(value, dict) else "[]"), []
    if isinstance(value, dict):
        names = ordered(owner, value)
        entries = [entry(name, value[name], column + STEP, owner, keep=keep) for name in names]
    else:
        entries = [item(one, column + STEP, owner, keep=keep) for one in value]
    return "", [line for lines in entries for line in lines]


def _first(owner: str) -> tuple[str, ...]:
    if not owner:
        return _TOP
    field, _, part = owner.partition(".")
    if field not in BY_NAME:
        return ()
    shape = BY_NAME[field].parts.get(part) if part else BY_NAME[field].shape
    return _PERSON if shape == PERSON else () if part else tuple(BY_NAME[field].parts)


def _opened(opening: str, value: Any, column: int, owner: str, keep: bool) -> list[str]:
    noted = value if isinstance(value, Noted) else Noted(value)
    head, tail = block(noted.value, column, owner, keep=keep)
    first = " ".join(part for part in (opening, head) if part)
    first += f"  {noted.side}" if noted.side else ""
    return [" " * column + line for line in (*noted.above, first)] + tail


def _text(text: str, column: int, keep: bool) -> tuple[str, list[str]]:
    if "\n" in text and _fits_block(text) and (keep or not text.endswith("\n\n")):
        return _literal(text, column)
    if len(text) > thresholds.FOLD_AT and not _UNPRINTABLE.search(text):
        lines = _folded(text, thresholds.FOLD_AT - column)
        if len(lines) > 1:
            return ">-", [" " * column + line for line in lines]
    return _short(text), []


def _fits_block(text: str) -> bool:
    """Whether a literal block says exactly this: a last line of blanks alone is read in two ways."""
    last = text.rstrip("\n").rsplit("\n", 1)[-1]
    return bool(last.strip(" \t")) and not _UNPRINTABLE.search(text.replace("\n", " ").replace("\t", " "))


def _literal(text: str, column: int) -> tuple[str, list[str]]:
    lines = text.split("\n")
    indicator = str(STEP) if not lines[0] or lines[0][0] in " \t" else ""
    chomping = "-"
    if lines[-1] == "":
        lines.pop()
        chomping = "+" if lines[-1] == "" else ""
    return f"|{indicator}{chomping}", [" " * column + line if line else "" for line in lines]


def _folded(text: str, width: int) -> list[str]:
    """Lines broken at single blanks between words; one line where that cannot be said exactly."""
    if text[0] == " " or text[-1] == " ":
        return [text]
    lines: list[str] = []
    start = 0
    while len(text) - start > width:
        at = _blank(text, start, width)
        if at < 0:
            break
        lines.append(text[start:at])
        start = at + 1
    return [*lines, text[start:]]


def _blank(text: str, start: int, width: int) -> int:
    """The last single blank within the width, else the first one beyond."""
    at = text.rfind(" ", start + 1, start + width + 1)
    while at > start and " " in (text[at - 1], text[at + 1]):
        at = text.rfind(" ", start + 1, at)
    if at > start:
        return at
    at = text.find(" ", start + width)
    while at >= 0 and " " in (text[at - 1], text[at + 1]):
        at = text.find(" ", at + 1)
    return at


def _short(text: str) -> str:
    if _UNPRINTABLE.search(text):
        return '"' + "".join(map(_escaped, text)) + '"'
    if _is_plain(text):
        return text
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def _is_plain(text: str) -> bool:
    return bool(
        _STARTS.match(text)
        and text[-1] not in " :"
        and ": " not in text
        and " #" not in text
        and text.lower() not in _WORDS
        and not _NUMBER.match(text)
    )


def _escaped(character: str) -> str:
    if character in _ESCAPES or not _UNPRINTABLE.match(character):
        return _ESCAPES.get(character, character)
    code = ord(character)
    return f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}"
