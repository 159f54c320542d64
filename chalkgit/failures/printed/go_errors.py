"""The error of a failing Go test, package or build: which of its lines a person would read first."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures.run import Failure

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
CRASHES = ("panic: ", "fatal error: ", "unexpected fault address")
_LOGGED = re.compile(r"\s+(\S{1,300}\.(?:go|s|y)):\d{1,9}:(?: |$)")
_TESTIFY = re.compile(r"\s+Error:\s+(\S.*)$")
_RUNNING = re.compile(r"\s+((?:Test|Fuzz|Benchmark|Example)\S{0,1000}) \(\d[\dms.h]{0,20}\)$")
_FRAME = re.compile(
    r"(?:created by )?\S{0,500}?\.((?:Test|Fuzz|Benchmark"
    r"|Example)\w{0,500})(?:\.func\d[\d.]{0,20})?(?:\(| in |$)"
)
# t.Log's lines look as t.Error's do. Of several the first that speaks of an error is taken, else the
# first that does not tell of progress.
_ERROR_WORDS = re.compile(
    r"(?i)error|fail|unexpected|expect|want|\bgot\b|mismatch|equal|invalid|can ?not|can't|could not"
    r"|unable|missing|problem"
    r"|wrong|broke|lost|refused|time[ds]? ?out|deadline|exceeded|denied|no such|not found|should|must"
    r"|assert|\bdiff|bad\b"
    r"|unknown|\bnil\b|leak|corrupt|panic|abort|closed|reject|violat|does(?:n't| not)|did(?:n't| not)"
    r"|is not|isn't"
)
_PROGRESS = re.compile(
    r"(?i)(?:re)?(?:connect|try|start|wait|run|load|listen|creat|send|process|us|open|clos|seed|setup"
    r"|setting|attempt)"
    r"(?:ing|ed|ying|up)?\b"
)
_SURFACE = ("exit status ", "FAIL", "PASS", "coverage: ", "ok ", "testing: warning: ")
_COMMAND = re.compile(
    r"go: (?!downloading |finding |found |added |upgraded |warning|to add |creating |extracting )(?=.*\S)"
)


def of_test(lines: Sequence[str], owned: Sequence[int], race: int | None) -> tuple[str | None, list[str]]:
    """A test's error of its own lines: a crash, a race, else what it logged."""
    for at in owned:
        if lines[at].startswith(CRASHES):
            return text.clean(lines[at]), _crash_detail(lines, at)
    if race is not None:
        return lines[race], _following(lines, range(race + 1, min(race + 12, len(lines))))
    logged = [at for at in owned if _LOGGED.match(lines[at])]
    if logged:
        return _of_log(lines, _picked(lines, logged), owned)
    told = [
        lines[at].strip() for at in owned if not lines[at].startswith(_SURFACE) and "--- " not in lines[at]
    ]
    for at, line in enumerate(told):
        if line in ("got:", "want:", "panic:"):
            return line, told[at + 1 : at + 1 + DETAIL_LINES]
    last = [line for line in told if line]
    return (text.clean(last[-1]), []) if last else (None, [])


def of_package(
    lines: Sequence[str], output: Sequence[int], races: Sequence[int]
) -> tuple[str | None, list[str], int]:
    """The error of a package without a failing test, its details, and where it stands: a crash, else
    the last line."""
    for at in output:
        if lines[at].startswith(CRASHES):
            return text.clean(lines[at]), _crash_detail(lines, at), at
    if races:
        return (
            lines[races[0]],
            _following(lines, range(races[0] + 1, min(races[0] + 12, len(lines)))),
            races[0],
        )
    told = [at for at in output if not lines[at].startswith(_SURFACE)]
    told = told or [at for at in output if lines[at].startswith("exit status ")]
    return (text.clean(lines[told[-1]]), [], told[-1]) if told else (None, [], len(lines))


def of_build(lines: Sequence[str], told: Sequence[int]) -> tuple[str | None, list[str]]:
    """The compiler's or vet's first complaint about a package."""
    return lines[told[0]].strip(), [lines[at].strip() for at in told[1 : 1 + DETAIL_LINES]]


def of_command(lines: Sequence[str]) -> Failure | None:
    """What the go command itself complains of, before it compiles anything."""
    for at, line in enumerate(lines):
        if line.startswith("go: ") and _COMMAND.match(line):
            return Failure("", line, _following(lines, range(at + 1, min(at + 4, len(lines)))))
    return None


def parents(tests: Iterable[str]) -> set[str]:
    """Those that have subtests among these: `["A", "A/b"]` -> `{"A"}`; before `::` is no subtest."""
    found = set()
    for test in tests:
        start = test.rfind("::") + 1
        while (cut := test.rfind("/", start)) >= 0 and (test := test[:cut]) not in found:
            found.add(test)
    return found


def running(lines: Sequence[str], start: int, package: str) -> list[str]:
    """The tests that ran when the package at `start` ended: as a timeout lists them, else the first a
    stack names."""
    listed: dict[str, None] = {}
    framed: dict[str, None] = {}
    for line in lines[start : start + 2_000]:
        if line.startswith("FAIL"):
            break
        if found := _RUNNING.match(line):
            listed[found[1]] = None
        elif not line.startswith(("\t", " ", "testing.", "runtime.")) and (frame := _FRAME.match(line)):
            framed[frame[1]] = None
    if listed:
        above = parents(listed)
        return [test for test in listed if test not in above]
    together = start < len(lines) and "timed out" in lines[start]
    return list(framed) if together else list(framed)[:1]


def _crash_detail(lines: Sequence[str], at: int) -> list[str]:
    end = next(
        (i for i in range(at + 1, min(at + 10, len(lines))) if lines[i].startswith("goroutine ")), at + 1
    )
    return _following(lines, range(at + 1, end))


def _picked(lines: Sequence[str], logged: Sequence[int]) -> int:
    if len(logged) == 1:
        return logged[0]
    said = {at: lines[at].split(":", 2)[-1].strip() for at in logged}
    for at in logged:
        if not said[at] or _ERROR_WORDS.search(said[at]):
            return at
    return next((at for at in logged if not _PROGRESS.match(said[at])), logged[0])


def _of_log(lines: Sequence[str], at: int, owned: Sequence[int]) -> tuple[str, list[str]]:
    """One entry of a test's log: its line and the more indented ones after it."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    entry = []
    for i in range(at + 1, min(at + 60, len(lines))):
        if not lines[i].startswith(" " * (indent + 4)) or "--- " in lines[i][:100]:
            break
        entry.append(i)
    for place, i in enumerate(entry):
        if found := _TESTIFY.match(lines[i]):
            rest = [lines[j].strip() for j in entry[place + 1 :]]
            ends = [j for j, line in enumerate(rest) if line.startswith("Test:")]
            return f"Error: {found[1].strip()}", rest[: ends[0] if ends else None][:DETAIL_LINES]
    told = _following(lines, entry, most=60)
    changed = [line for line in told if line.startswith(("-", "+"))]
    return lines[at].strip(), (changed or told)[:DETAIL_LINES]


def _following(lines: Sequence[str], places: Iterable[int], most: int = DETAIL_LINES) -> list[str]:
    return [told for at in places if (told := lines[at].strip())][:most]
