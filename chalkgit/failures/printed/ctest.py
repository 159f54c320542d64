"""What ctest prints: `2/5 Test #2: name ...***Failed`, the output of failed tests, and the list of them."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks, catch2, gtest
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_START = re.compile(r"\s*Start\s+(\d{1,9}): (.*)$")
_RESULT = re.compile(r"\s*\d{1,9}/\d{1,9} Test\s+#(\d{1,9}): (.*)$")
_LISTED = re.compile(r"\s+(\d{1,9}) - (.*?) \(([^()]{1,60})\)(?:\s.*)?$")
_OWN = re.compile(r"(\d{1,9}): ?(.*)$")
_FAILED_LIST = "The following tests FAILED:"
_SUMMARY = re.compile(r"\d{1,3}% tests passed, ")
_ASIDE = ("Test command: ", "Working Directory: ", "Test timeout computed", "Environment variables:")
_NONE = "No tests were found!!!"
_TELLING = re.compile(
    r"(?i)error|fail|assert|exception|abort|terminat|expected|cannot|can't|could not|not found|panic"
)


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that ctest printed; None where this is not its output."""
    mine = summed = False
    for line in lines:
        if "Test project " in line or line.startswith((_NONE, _FAILED_LIST)):
            mine = True
        elif " Test " in line:
            mine = mine or ("#" in line and _RESULT.match(line) is not None)
        elif "% tests passed, " in line:
            summed = summed or _SUMMARY.match(line) is not None
    if not mine:
        return None
    found = blocks.once(_failures(lines))
    if not found and any(line.startswith(_NONE) for line in lines):
        found = [Failure("", _NONE)]
    return Reading("ctest", found, complete=summed or bool(found))


class _Test:
    """What was printed of one test: how it ended, and its output."""

    __slots__ = ("output", "result", "status")

    def __init__(self) -> None:
        self.output: list[str] = []
        self.result = ""
        self.status = ""


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    seen, listed = _tests(lines)
    names = [name for name, test in seen.items() if "***" in test.status]
    names += [name for name in listed if name not in names]
    for name in names:
        test = seen.get(name, _Test())
        yield _failure(naming.ctest(name), test, listed.get(name, ""))


def _tests(lines: Sequence[str]) -> tuple[dict[str, _Test], dict[str, str]]:
    """By name: the tests, and how the list of failed tests says that each ended."""
    tests: dict[str, _Test] = {}
    numbers: dict[str, str] = {}
    listed: dict[str, str] = {}
    current: _Test | None = None
    listing = False
    for line in lines:
        if "Start" in line and (match := _START.match(line)):
            numbers[match[1]] = match[2].strip()
            current = tests.setdefault(match[2].strip(), _Test())
        elif " Test " in line and "#" in line and (match := _RESULT.match(line)):
            name, status = _split(match[2])
            numbers[match[1]] = name
            current = tests.setdefault(name, _Test())
            current.result, current.status = line.strip(), status
        elif line.startswith(_FAILED_LIST):
            listing = True
        elif listing and (match := _LISTED.match(line)):
            listed[match[2].strip()] = match[3]
        elif "% tests passed, " in line and _SUMMARY.match(line):
            current = None
        elif ":" in line and (match := _OWN.match(line)) and match[1] in numbers:
            if not match[2].startswith(_ASIDE):
                _keep(tests[numbers[match[1]]], match[2])  # ctest -V
        elif current is not None:
            _keep(current, line)
    return tests, listed


def _keep(test: _Test, line: str) -> None:
    # a test of thousands of lines tells its failure at its end, a crash at its beginning
    test.output.append(line)
    if len(test.output) > 2 * blocks.BLOCK_LINES:
        del test.output[blocks.BLOCK_LINES // 2 : blocks.BLOCK_LINES]


def _split(text: str) -> tuple[str, str]:
    """`CartTest.ChecksOut ......***Timeout   2.01 sec` -> the name and `***Timeout   2.01 sec`."""
    dots = text.find(" ..")
    if dots < 0:
        name, marks, status = text.partition("***")
        return name.strip(". "), marks + status
    return text[:dots].strip(), text[dots:].strip(" .")


def _failure(name: str, test: _Test, listed: str) -> Failure:
    status = test.status or listed
    if "Timeout" in status or "regular expression" in status:
        return Failure(name, test.result or None)
    for inner in (gtest.failures(test.output), (catch2.read(test.output) or Reading("", ())).failures):
        told = next((one for one in inner if one.error), None)
        if told is not None:
            return Failure(name, told.error, told.detail)
    output = [line for line in test.output if line.strip()]
    if "Exception" in status or "aborted" in status:
        words = gtest.last_words(output)
        return blocks.failure(name, words) if words else Failure(name, test.result or None)
    place = next((at for at, line in enumerate(output) if _TELLING.search(line)), len(output) - 1)
    if place < 0:
        return Failure(name, test.result or None)
    return blocks.failure(name, output[place:])
