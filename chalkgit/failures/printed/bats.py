"""What bats prints, as TAP or pretty: `not ok 2 name` or `✗ name`, where it failed, what the test printed."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TAP = re.compile(r"(not )?ok \d{1,9} (?:- )?(.*)$")
# the pretty formatter writes over its line: ` name 2/10 in 1 sec ✗ name`
_PRETTY = re.compile(r"(?:\s*|\s.*?\d{1,9}/\d{1,9}(?: in \d{1,9} sec)?\s*)✗ (.*)$")
_PASSED = re.compile(r"(?:\s{0,3}|\s.*?\d{1,9}/\d{1,9}(?: in \d{1,9} sec)?\s*)[✓-] ")
_SOURCE = re.compile(r"\s*(\S+\.bats): line \d{1,9}: ")
_FILE = re.compile(r"(?:\(|\s|^)in (?:test )?file (.+?), line \d{1,9}\)?$")
_TEST_FILE = re.compile(r"in test file (.+?), line \d{1,9}\)?$")
_COMMAND = re.compile(r"\s*`.*' failed(?: with status \d{1,3}| due to timeout)?$")
_FROM = re.compile(r"\s*\((?:in|from) ")
_TIMED = re.compile(
    r"(?: in \d{1,9} ?(?:ms|sec)| \[\d{1,9}(?: ms)?\]| \[timeout: [^\]]*\]|\s+# timeout after \S+)$"
)
_COUNTS = re.compile(r"\d{1,9} tests?, \d{1,9} failures?")
_NAME = re.compile(r"\S+\.bats$")
_SETUP_FILE = "setup_file failed"
_YAML = ("---", "message: |", "...")
_WARNING = "bats warning: "


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that bats printed; None where this is not its output."""
    placed = pretty = False
    for line in lines:
        if ", line " in line and (" in test file " in line or "(in test file " in line or "in file " in line):
            placed = placed or _FILE.search(line) is not None
        elif "✗ " in line or "✓ " in line:
            pretty = True
        elif ".bats" in line:
            placed = placed or _NAME.match(line.strip()) is not None or ".bats: line " in line
    if not placed or not (pretty or any(line.startswith(("not ok ", "ok ")) for line in lines)):
        return None
    return Reading("bats", blocks.once(_failures(lines)))


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    heading = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        name = _failed(line)
        if name is None:
            if line.endswith(".bats") and _NAME.match(line.strip()):
                heading = line.strip()
            continue
        end = blocks.until(lines, at, _ends)
        block = [
            text[1:] if text.startswith("#") else text for text in lines[at:end] if text.strip() not in _YAML
        ]
        while (plain := _TIMED.sub("", name)) != name:
            name = plain
        yield _one(_file(block) or heading, name, block)
        at = end


def _failed(line: str) -> str | None:
    if line.startswith("not ok ") and (match := _TAP.match(line)):
        return None if " # todo" in line.lower() or " # skip" in line.lower() else match[2]
    if "✗ " in line and (match := _PRETTY.match(line)):
        return match[1]
    return None


def _ends(line: str) -> bool:
    if line.startswith(("not ok ", "ok ", "1..")) or ("✗ " in line and _PRETTY.match(line)):
        return True
    if ("✓ " in line or "- " in line) and _PASSED.match(line):
        return True
    return _COUNTS.match(line) is not None or (line.endswith(".bats") and _NAME.match(line) is not None)


def _file(block: Sequence[str]) -> str:
    for line in block:
        if ", line " in line and (match := _TEST_FILE.search(line)):
            return match[1]
    return next((match[1] for line in block if ".bats: line " in line and (match := _SOURCE.match(line))), "")


def _one(file: str, name: str, block: Sequence[str]) -> Failure:
    """What the test printed is its error; the failed command where it printed nothing or took too long."""
    at = 0
    while at < len(block) and (_FROM.match(block[at]) or ", line " in block[at] or not block[at].strip()):
        at += 1
    command = list(block[at : at + 1]) if at < len(block) and _COMMAND.match(block[at]) else []
    printed = [
        line for line in block[at + len(command) :] if line.strip() and not line.strip().startswith(_WARNING)
    ]
    if command and command[0].endswith(" due to timeout"):
        printed = []
    # its report has the file below the folder that all files of the run share, so the folder tells nothing
    file = file.rpartition("/")[2]
    return blocks.failure(naming.file_case(file, "" if name == _SETUP_FILE else name), [*printed, *command])
