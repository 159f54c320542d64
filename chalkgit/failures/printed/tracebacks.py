"""Python's tracebacks in a text: the exception that a person reads, the last of a chain.

Found by their layout alone: frames are indented, the exception stands where "Traceback" stood. So a traceback
inside of another text (a log, an exception group's box) is read alike.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER = "Traceback (most recent call last)"
_GROUP_HEADER = "Exception Group Traceback (most recent call last)"
_NEXT = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_MESSAGE_LINES = 400  # a cause is looked for as far behind an exception's first line
_FRAMES = 8_000  # lines; a recursion of a thousand frames of three is the deepest by default
_NAMED_ERROR = re.compile(
    r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Exit|Interrupt|Warning)(?::(?: |$)|$)"
)


def last_exception(lines: Sequence[str], start: int, end: int) -> int | None:
    """Where the exception stands that ends the chain of tracebacks that begins at `start`; None where
    cut off."""
    found = None
    at: int | None = start
    while at is not None:
        column = _column(lines[at])
        exception = _exception(lines, at + 1, min(end, at + _FRAMES), column)
        if exception is None:
            break
        found = exception
        at = _next(lines, exception + 1, min(end, exception + _MESSAGE_LINES), column)
    return found


def is_header(line: str) -> bool:
    return HEADER in line and line.rstrip(": ").endswith("(most recent call last)")


def exception_like(line: str) -> bool:
    """Whether the line reads as an exception of Python's printed by itself: `ValueError: no`, `shop.Gone`."""
    return bool(_NAMED_ERROR.match(line))


def message(lines: Sequence[str], exception: int, end: int, most: int) -> list[str]:
    """The lines of an exception's message after its first, stripped, at most `most`, no blank ones."""
    column = len(lines[exception]) - len(lines[exception].lstrip(" |"))
    told: list[str] = []
    for line in lines[exception + 1 : end]:
        text = line[column:].strip()
        if text.startswith(_NEXT) or is_header(line) or len(told) == most:
            break
        if text:
            told.append(text)
    return told


def _column(header: str) -> int:
    column = header.find(_GROUP_HEADER)
    return column if column >= 0 else header.find(HEADER)


def _exception(lines: Sequence[str], start: int, end: int, column: int) -> int | None:
    framed = False
    for at in range(start, end):
        body = lines[at][column:]
        if not body.strip():
            continue
        if body[0] in " \t" or body.startswith("[Previous line repeated"):
            framed = True
        elif framed or exception_like(body):
            return at
        else:
            return None
    return None


def _next(lines: Sequence[str], start: int, end: int, column: int) -> int | None:
    """Where the next traceback of the chain begins."""
    chained = False
    for at in range(start, end):
        if is_header(lines[at]):
            return at if chained and _column(lines[at]) == column else None
        if lines[at][column:].startswith(_NEXT):
            chained = True
    return None
