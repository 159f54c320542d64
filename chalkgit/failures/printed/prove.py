"""What prove prints: `#   Failed test 'name'`, `#   at t/file.t line 3.`, then the Test Summary Report."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COUNTS = re.compile(r"Files=\d{1,9}, Tests=\d{1,9}, ")
_NAMED = re.compile(r"(\s*)#\s+Failed (?:\(TODO\) )?test(?: '(.*)')?(?: (at (.+?) line \d{1,9}\.?))?$")
_PLACE = re.compile(r"\s*#\s+(?:in |at )(?:.*\bat )?(\S+) line \d{1,9}\.?$")
_REPORT = re.compile(r"(\S.*?)\s+\(Wstat: (\d{1,9})(?: \([^)]*\))?,? Tests: (\d{1,9}),? Failed: (\d{1,9})\)")
_FAILED = re.compile(r"\s+Failed tests?:\s+(.*)$")
_DIED = re.compile(r".* at (\S+) line \d{1,9}[.,]")
_HEAD = re.compile(r"(\S.*?) \.{2,}")
_SUMMARY = "Test Summary Report"
_MOST_TESTS = thresholds.PROVE_TESTS
_BAILED = "FAILED--Further testing stopped"
# the last also of a test file that is run without prove
_MARKS = (_SUMMARY, "Dubious, test returned ", _BAILED, "# Looks like you failed ")
_ASIDE = ("# Looks like ", "# Subtest: ")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that prove printed; None where this is not its output."""
    counted = any(line.startswith("Files=") and _COUNTS.match(line) for line in lines)
    if not counted and not any(line.startswith(_MARKS) for line in lines):
        return None
    found = blocks.once(_failures(lines))
    found += _files(lines, {one.test.partition("::")[0] for one in found})
    return Reading("prove", found, complete=counted)


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    numbers = _numbers(lines)
    seen: dict[str, int] = {}
    for file, name, message in _named(lines):
        place = seen.setdefault(file, 0)
        seen[file] += 1
        if not name and place < len(numbers.get(file, ())):
            name = numbers[file][place]  # a test without a name
        yield blocks.failure(naming.file_case(file, name), message)


def _named(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """File, name and message of each failed test of the outermost level; a subtest's error is its first inner
    one, which is printed before it."""
    inner: list[list[str]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if "Failed " not in line or (match := _NAMED.match(line)) is None or "(TODO)" in line:
            continue
        end = blocks.until(
            lines, at, lambda after: not after.lstrip().startswith("#") or _NAMED.match(after) is not None
        )
        block = [line.strip(), *lines[at:end]]
        file = match[4] or next((found[1] for text in block[1:4] if (found := _PLACE.match(text))), "")
        at = end
        if match[1]:
            inner.append(_message(block))
            continue
        told = inner[0] if inner else _message(block)
        inner = []
        if file:
            yield file, match[2] or "", told


def _numbers(lines: Sequence[str]) -> dict[str, list[str]]:
    """Of each file the numbers of its failed tests, as the summary has them: `Failed tests:  2-7, 9`."""
    found: dict[str, list[str]] = {}
    file = ""
    for line in lines:
        if "(Wstat: " in line and (match := _REPORT.match(line)):
            file = naming.slashed(match[1])
        elif file and line.startswith("  Failed test") and (match := _FAILED.match(line)):
            for part in match[1].split(","):
                first, _, last = part.strip().partition("-")
                if first.isdecimal() and (last or first).isdecimal():
                    most = min(int(last or first), int(first) + _MOST_TESTS)
                    found.setdefault(file, []).extend(map(str, range(int(first), most + 1)))
    return found


def _message(block: Sequence[str]) -> list[str]:
    """Without the place and the counts."""
    return [line for line in block if not _PLACE.match(line) and not line.strip().startswith(_ASIDE)]


def _files(lines: Sequence[str], told: set[str]) -> Iterator[Failure]:
    """Of the summary the files whose failure no test told: they died, or did not run the planned tests."""
    bailed = next((line for line in lines if line.startswith(_BAILED)), None)
    start = next((at for at, line in enumerate(lines) if line.startswith(_SUMMARY)), len(lines))
    died = _died(lines[:start])
    for at in range(start, len(lines)):
        match = _REPORT.match(lines[at]) if "(Wstat: " in lines[at] else None
        if match is None or naming.slashed(match[1]) in told:
            continue
        last = blocks.until(lines, at + 1, lambda line: not line.startswith("  "))
        said = [text.strip() for text in lines[at + 1 : last]]
        end = died.get(match[1])
        signal = [line for line in said if line.startswith("Non-zero wait status: ")]
        reason = [line.removeprefix("Parse errors: ") for line in said if line.startswith("Parse errors")]
        if bailed and reason and not end:
            reason, bailed = [bailed], None
        yield blocks.failure(naming.slashed(match[1]), [end] if end else signal or reason or said)
    if bailed and start == len(lines):
        yield Failure("", bailed)


def _died(lines: Sequence[str]) -> dict[str, str]:
    """What perl or Test::More said when a file ended: the first message that names a place in it, else what
    stands before the end that Test::More tells, above the file's own line."""
    found: dict[str, str] = {}
    for at, line in enumerate(lines):
        if (
            " line " in line
            and not line.lstrip().startswith(("#", "BEGIN failed"))
            and (match := _DIED.match(line))
        ):
            found.setdefault(match[1], line)
        elif (
            " .." in line
            and (match := _HEAD.match(line))
            and match[1] not in found
            and (said := _above(lines, at))
        ):
            found[match[1]] = said
    return found


def _above(lines: Sequence[str], at: int) -> str:
    start = at
    while start > 0 and at - start < blocks.BLOCK_LINES and lines[start - 1].startswith("# "):
        start -= 1
    said = lines[start:at]
    if start > 0 and any(line.startswith("# Looks like your test exited") for line in said):
        before = lines[start - 1]
        if before and not before.startswith(("ok ", "not ok ", "1..", "Failed ", "All ", "Dubious")):
            return before
    return next((line for line in said if line.startswith("# Looks like you planned")), "")
