"""What minitest and test-unit print: `1) Failure:`, `Case#test [file:line]:` and the message.

Rails prints the same blocks without the number while the tests run; test-unit a rule, `Failure: test(Case)`
and the code around the line. A Ruby program that ended by an exception before its tests is read here too.
"""

from __future__ import annotations

import re
from functools import partial

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COUNTS = re.compile(r"\d{1,9} (?:runs|tests), \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors")
_HEADS = ("Failure:", "Error:", "Skipped:")
_NUMBERED = re.compile(r"\s*\d{1,9}\) (Failure|Error|Skipped):$")
_NAME = re.compile(r"(?P<case>[A-Z]\S*(?: \S+)*?)#(?P<name>\S.*?)(?: \[(?P<where>[^\]]*)\])?:(?: \S.*)?$")
_UNIT = re.compile(r"(?P<head>Failure|Error): (?P<name>.+?)\((?P<case>[A-Z][\w:]*)\)(?::(?P<rest>.*))?$")
_UNIT_FRAME = re.compile(r"\S+\.rb:\d+:in ")
_UNIT_CODE = re.compile(r"\s*(?:=>)?\s*\d{1,9}: ")
_REPORTER = re.compile(r"\s*(?:FAIL|ERROR) (?P<case>[A-Z][\w:]*)#(?P<name>\S.*?) \(\d[\d.]*s\)$")
_CRASH = re.compile(r".{0,400}?\.rb>?:\d{1,9}:in [`'].{1,200}?': .*\([A-Z][\w:]*\)$")
_SYNTAX = re.compile(r"(?:\S+: )?\S+\.rb:\d{1,9}: syntax error")
_COMMANDS = ("rails test ", "bin/rails test ", "bin/test ", "rake test ")
_FRAME = re.compile(r"\s{4,}\S+:\d{1,9}:in ")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that minitest or test-unit printed; None where this is the output of neither."""
    counted = any(" assertions, " in line and _COUNTS.search(line) for line in lines)
    headed = any("Failure:" in line or "Error:" in line for line in lines)
    found = list(_failures(lines)) if headed else []
    found += list(_reporter(lines)) if counted and not found else []
    if not counted and not found:
        return _crash(lines)
    return Reading("minitest", blocks.once(found), complete=counted)


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if "Failure" not in line and "Error" not in line:
            continue
        numbered = ") " in line and _NUMBERED.match(line)
        if numbered or line in _HEADS:
            if at + 1 < len(lines) and (match := _NAME.match(lines[at + 1].strip())):
                end = blocks.until(lines, at + 2, _ends)
                yield blocks.failure(naming.minitest(match["case"], match["name"]), lines[at + 2 : end])
        elif line.startswith(("Failure: ", "Error: ")) and (match := _UNIT.match(line)):
            yield _unit(match, lines[at + 1 : blocks.until(lines, at + 1, _ruled)])


def _ends(line: str) -> bool:
    if not line[:1].isspace():
        return (
            line in _HEADS
            or line == "---Backtrace---"
            or line.startswith(_COMMANDS)
            or (" assertions, " in line and bool(_COUNTS.match(line)))
        )
    return _FRAME.match(line) is not None or _NUMBERED.match(line) is not None


def _ruled(line: str) -> bool:
    return line.startswith("=====")


def _unit(match: re.Match[str], block: Sequence[str]) -> Failure:
    """test-unit: the message stands after the name, or below the place and the code around it."""
    test = naming.minitest(match["case"], match["name"])
    if match["rest"] is not None:
        end = blocks.until(block, 0, lambda line: _UNIT_FRAME.match(line) is not None)
        return blocks.failure(test, [match["rest"], *block[:end]])
    message = [line for line in block if not _UNIT_FRAME.match(line) and not _UNIT_CODE.match(line)]
    return blocks.failure(test, message)


def _reporter(lines: Sequence[str]) -> Iterator[Failure]:
    """minitest-reporters: ` FAIL CartTest#test_checks_out (0.01s)`, the message below it, deeper."""
    for at, line in enumerate(lines):
        if "#" in line and (match := _REPORTER.match(line)):
            deep = blocks.indent(line)
            end = blocks.until(lines, at + 1, partial(_outdented, deep))
            yield blocks.failure(naming.minitest(match["case"], match["name"]), lines[at + 1 : end])


def _outdented(deep: int, line: str) -> bool:
    return bool(line) and blocks.indent(line) <= deep


def _crash(lines: Sequence[str]) -> Reading | None:
    for at, line in enumerate(lines):
        if ".rb" not in line:
            continue
        if line.endswith(")") and _CRASH.match(line):
            return Reading("ruby", [blocks.failure("", [line])], complete=False)
        if _SYNTAX.match(line):
            return Reading("ruby", [blocks.failure("", lines[at : at + 6])], complete=False)
    return None
