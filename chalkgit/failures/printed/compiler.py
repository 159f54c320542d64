"""What C and C++ compilers, linkers and cmake print of a build that ended before any test could run."""

from __future__ import annotations

import re

from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_GCC = re.compile(r"\S.*?:\d{1,9}(?::\d{1,9})?: (?:fatal )?error: ")
_MSVC = re.compile(r"\S.*?\(\d{1,9}(?:,\d{1,9})?\)\s?: (?:fatal )?error [A-Z]{1,4}\d{1,5}: ")
_LINKER = (
    "undefined reference to ",
    "multiple definition of ",
    "cannot find -l",
    "Undefined symbols for architecture",
)
_CMAKE = re.compile(r"CMake Error(?: at .+?:\d{1,9} .*)?:?(?: .*)?$")
_LAST = ("collect2: error: ", "make: *** ", "ninja: error: ", "ninja: build stopped")


def read(lines: Sequence[str]) -> Reading | None:
    """The first error of a build; None where none is printed."""
    for at, line in enumerate(lines):
        if "rror" in line:
            if (": error: " in line or "fatal error: " in line) and _GCC.match(line):
                return _told([line, *_notes(lines, at + 1)])
            if ": error " in line and _MSVC.match(line.strip()):
                return _told([line])
            if line.startswith("CMake Error") and _CMAKE.match(line):
                # the place stands in the first line, the message below it
                end = blocks.until(lines, at + 1, lambda after: bool(after) and not after.startswith(" "))
                block = lines[at + 1 : end]
                return _told(block if any(map(str.strip, block)) else [line])
        elif ("undefined" in line or "multiple" in line or "cannot" in line or "Undefined" in line) and any(
            words in line for words in _LINKER
        ):
            return _told([line])
    last = next((line for line in lines if line.startswith(_LAST)), None)
    return _told([last]) if last else None


def _told(block: Sequence[str]) -> Reading:
    return Reading("compiler", [blocks.failure("", block)], complete=False)


def _notes(lines: Sequence[str], start: int) -> Sequence[str]:
    """The lines a compiler adds to an error, without the code and its marks."""
    return [line for line in lines[start : start + 4] if "note: " in line]
