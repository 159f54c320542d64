"""What vitest prints: `FAIL file > suite > test` under "Failed Tests" or "Failed Suites", then the error.

All its reporters for terminals (default, verbose, tree, dot, basic, minimal) end alike. Tests with the same
error are told together: several FAIL lines, then the error once.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RULE = "⎯⎯⎯"
_RUN = re.compile(r"\s*(?:RUN|DEV)\s+v\d[\w.-]*\s+(\S.*)$")
_FILE = re.compile(r"[^\s>|]*\.[cm]?[jt]sx?\b")
_ASIDE = re.compile(r"^\|[^|]{1,80}\|\s+")
_UNHANDLED = (
    "Unhandled Error",
    "Unhandled Rejection",
    "Uncaught Exception",
    "Unhandled Source Error",
    "Startup Error",
)
_HEADS = ("Failed Tests", "Failed Suites", *_UNHANDLED)
_CROSS = re.compile(r"[×✗❯]\s+(\S.*)$")
_TIME = re.compile(r"\s+\d[\d.]*\s?m?s$")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that vitest printed; None where this is not vitest's output."""
    root = None
    mine = False
    ended = False
    for line in lines:
        if " v" in line and (match := _RUN.match(line)):
            root, mine = match[1], True
        elif _RULE in line:
            mine = mine or any(word in line for word in _HEADS)
        elif "Test Files " in line:
            ended = ended or line.lstrip().startswith("Test Files ")
    if not mine:
        return None
    found = blocks.once(_failures(lines))
    named = [failure for failure in found if failure.test]
    if not named:
        named = list(_crosses(lines))
    return Reading("vitest", named or found, root=root, complete=ended)


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    # what tests print comes before the rule above the failures, and may look like one
    at = next(
        (at for at, line in enumerate(lines) if _RULE in line and any(word in line for word in _HEADS)), 0
    )
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if line.startswith("FAIL "):
            tests = [_test(line)]
            while at < len(lines) and lines[at].strip().startswith("FAIL "):
                tests.append(_test(lines[at].strip()))
                at += 1
            end = blocks.until(lines, at, _ends)
            for test in tests:
                yield blocks.failure(test, lines[at:end])
            at = end
        elif _RULE in line and any(word in line for word in _UNHANDLED):
            end = blocks.until(lines, at, _ends)
            block = [
                text for text in lines[at:end] if not text.startswith(("Vitest caught ", "This might cause "))
            ]
            if any(map(str.strip, block)):
                yield blocks.failure("", block)
            at = end


def _ends(line: str) -> bool:
    text = line.lstrip()
    return text.startswith(("❯ ", _RULE, "FAIL ", "Test Files "))


def _test(line: str) -> str:
    """The id of `FAIL  |unit| test/a.ts > cart > checks out` or of `FAIL  test/a.ts [ test/a.ts ]`."""
    title = _ASIDE.sub("", line[len("FAIL ") :].strip())
    file, *titles = title.split(" > ")
    if not titles:
        file = file.partition(" [ ")[0]
    # a project's name stands before the file since vitest 3: ` unit  test/a.test.ts`
    found = list(_FILE.finditer(file))
    return naming.vitest(found[-1][0] if found and " " in file else file, titles)


def _crosses(lines: Sequence[str]) -> Iterator[Failure]:
    """Of an output that ends before it tells failures: `× test/a.ts > cart > checks out 5ms` (verbose)."""
    for line in lines:
        text = line.strip()
        if text.startswith(("×", "✗")) and " > " in text and (match := _CROSS.match(text)):
            file, *titles = _TIME.sub("", match[1]).split(" > ")
            if _FILE.search(file):
                yield Failure(naming.vitest(file.split()[-1], titles))
