"""What GoogleTest prints: `[ RUN      ]`, what failed, `[  FAILED  ]`; a test that never ends crashed."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RUN, _OK, _FAILED, _SKIPPED = "[ RUN      ] ", "[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "
_ENDS = (_OK, _FAILED, _SKIPPED)
_NAME = re.compile(r"(?P<suite>\S+)\.(?P<name>[^\s.,]+)(?=$|[ ,])")
_PLACE = re.compile(r"(?:.{1,400}:\d{1,9}|unknown file): Failure$|.{1,400}\(\d{1,9}\): error: ?.*$")
_UNKNOWN = "unknown file"
# What the C and C++ libraries and the sanitizers print before they end a process.
_DYING = (
    "  what():  ",
    "Assertion ",
    ": Assertion `",
    "ERROR: AddressSanitizer",
    "ERROR: LeakSanitizer",
    "WARNING: ThreadSanitizer",
    "runtime error: ",
    "free(): ",
    "malloc(): ",
    "double free or corruption",
    "corrupted size vs. prev_size",
    "*** stack smashing detected ***",
    "*** buffer overflow detected ***",
    "terminate called ",
    "pure virtual method called",
)


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that a GoogleTest program printed; None where this is not its output."""
    begun = ended = False
    for line in lines:
        if line.startswith("["):
            if line.startswith((_RUN, _FAILED)):
                begun = True
            elif line.startswith("[==========] "):
                ended = ended or " ran. (" in line
                begun = True
    if not begun:
        return None
    return Reading("gtest", failures(lines), complete=ended)


def failures(lines: Sequence[str]) -> list[Failure]:
    """The failing tests of a GoogleTest program's output, which may stand inside of another's."""
    return blocks.once(_failures(lines))


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    test, start = "", 0
    suite = ""
    outside: list[str] = []  # printed while no test ran: a suite's set-up, or all there is with --gtest_brief
    told: dict[str, list[str]] = {}
    for at, line in enumerate(lines):
        if line.startswith(_RUN):
            if test:
                yield _crashed(test, lines[start:at])
            if any(map(_place, outside)):
                told[suite] = outside
            test, start, outside = line[len(_RUN) :].strip(), at + 1, []
        elif test and _ended(line, test):
            if _FAILED in line:
                # a last line without its end may have the mark behind it
                yield _failed(_id(test), [*lines[start:at], line.partition(_FAILED)[0]])
            test = ""
        elif line.startswith(_FAILED) and not test:
            if ": SetUpTestSuite" in line:
                suite = line[len(_FAILED) :].partition(":")[0].strip()
                yield _failed(suite, told.get(suite, outside))
            elif match := _NAME.match(line[len(_FAILED) :]):
                yield _failed(naming.gtest(match["suite"], match["name"]), outside)
                outside = []
        elif line.startswith("[----------] "):
            suite, outside = line.rpartition(" from ")[2].partition(",")[0].strip(), []
        elif not test and len(outside) < blocks.BLOCK_LINES:
            outside.append(line)
    if test:
        yield _crashed(test, lines[start : start + blocks.BLOCK_LINES])


def _place(line: str) -> bool:
    """Whether a line begins a failure: `cart_test.cc:14: Failure`, of MSVC `cart_test.cc(14): error: x`."""
    return (line.endswith(": Failure") or "): error:" in line) and _PLACE.match(line) is not None


def _id(test: str) -> str:
    suite, _, name = test.partition(", where ")[0].rpartition(".")
    return naming.gtest(suite, name)


def _ended(line: str, test: str) -> bool:
    if "[ " not in line:
        return False
    return any(mark + test in line for mark in _ENDS)


def _failed(test: str, block: Sequence[str]) -> Failure:
    start = next((at for at, line in enumerate(block) if _place(line)), len(block))
    if start == len(block):
        return blocks.failure(test, last_words(block))
    if block[start].startswith(_UNKNOWN):
        start += 1  # an exception: the next line tells which
    end = blocks.until(block, start + 1, lambda line: _place(line) or line == "Stack trace:")
    return blocks.failure(test, block[start:end])


def _crashed(test: str, block: Sequence[str]) -> Failure:
    """A test that ended the process: the last words of the library that did it, where there are any."""
    return blocks.failure(_id(test) or test, last_words(block))


def last_words(block: Sequence[str]) -> list[str]:
    """From the line on with which a library or sanitizer ended a process; nothing where none did."""
    for at, line in enumerate(block):
        if any(word in line for word in _DYING):
            if (
                line.startswith("terminate called ")
                and at + 1 < len(block)
                and block[at + 1].startswith("  what()")
            ):
                return [block[at + 1], line]
            return list(block[at : at + 6])
    return []
