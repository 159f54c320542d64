"""How a pytest run ends that blames no test: usage, conftest, an error inside of it, a crash, nothing
to run."""

from __future__ import annotations

import re

from chalkgit.failures import lines as text
from chalkgit.failures import naming
from chalkgit.failures.printed import pytest_blocks, tracebacks
from chalkgit.failures.run import Failure

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERNAL = "INTERNALERROR> "
_CONFTEST = "while loading conftest "
_FATAL = "Fatal Python error: "
_TIMEOUT = "+ Timeout +"
_FRAME = re.compile(r'\s+File "([^"\n]{1,1000})", line \d{1,9},? in (\w{1,500})$')
_PROGRESS = re.compile(
    r"(\S[^:\n]{0,500}\.py)(?:::(\S{1,1000}))? [.\w]{0,500}?(?:Fatal Python|\++ Timeout|$)"
)
_CALLER = ("/_pytest/python.py", "\\_pytest\\python.py")


class Ends:
    """Where such ends stand; each is a line number or None."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.internal: int | None = None
        self.usage: int | None = None
        self.conftest: int | None = None
        self.fatal: int | None = None
        self.timeout: int | None = None
        self.complaint: int | None = None
        self.interrupted: int | None = None

    @property
    def is_pytest(self) -> bool:
        return any(at is not None for at in (self.internal, self.usage, self.conftest))

    def failure(self, root: str | None, counts: int | None) -> Failure | None:
        """What ended the run, the nearest to its cause first."""
        if self.internal is not None:
            return self._internal(self.internal)
        if self.fatal is not None:
            line = self.lines[self.fatal]
            return Failure(self._running(self.fatal, root), line[line.index(_FATAL) :])
        if self.timeout is not None:
            line = self.lines[self.timeout]
            return Failure(self._running(self.timeout, root), line[line.index("+") :])
        if self.conftest is not None:
            end = min(len(self.lines), self.conftest + 1_000)
            return Failure("", *pytest_blocks.error(self.lines, self.conftest, end))
        for at in (self.usage, self.complaint, self.interrupted):
            if at is not None:
                return Failure(
                    "",
                    self.lines[at].strip("! "),
                    [line.strip() for line in self.lines[at + 1 : at + 2] if line.strip()],
                )
        if counts is not None and "no tests" in self.lines[counts]:
            return Failure("", self.lines[counts])
        return None

    def _internal(self, start: int) -> Failure:
        told: list[str] = []
        for line in self.lines[start:]:
            if not line.startswith(_INTERNAL.rstrip()):
                break
            told.append(line[len(_INTERNAL) :])
        header = next((at for at, line in enumerate(told) if tracebacks.is_header(line)), None)
        if header is not None and (at := tracebacks.last_exception(told, header, len(told))) is not None:
            return Failure(
                "", text.clean(told[at]), tracebacks.message(told, at, len(told), pytest_blocks.DETAIL_LINES)
            )
        return Failure("", *pytest_blocks.error(told, 0, len(told)))

    def _running(self, at: int, root: str | None) -> str:
        """The id of the test that ran: of -v, or of the function that pytest called, in the file it
        told of last."""
        path = name = None
        for line in (self.lines[at], *reversed(self.lines[max(0, at - 50) : at])):
            if found := _PROGRESS.match(line):
                path, name = found[1], found[2]
                break
        if path and name:
            return naming.python_node(f"{path}::{name}")
        frames = [
            (found[1], found[2]) for line in self.lines[at + 1 : at + 400] if (found := _FRAME.match(line))
        ]
        calls = [
            i
            for i, (file, function) in enumerate(frames)
            if file.endswith(_CALLER) and function == "pytest_pyfunc_call"
        ]
        if not calls:
            return ""
        called = calls[0] - 1 if self.fatal is not None else calls[0] + 1
        if not 0 <= called < len(frames):
            return ""
        file, function = frames[called]
        if path is None or not file.replace("\\", "/").endswith("/" + path):
            path = naming.relative(file, root)
        return "" if path.startswith("/") else naming.python_node(f"{path}::{function}")


def find(lines: Sequence[str]) -> Ends:
    ends = Ends(lines)
    for at, line in enumerate(lines):
        first = line[:1]
        if first == "I" and line.startswith(_INTERNAL) and ends.internal is None:
            ends.internal = at
        elif _FATAL in line and ends.fatal is None:
            ends.fatal = at
        elif _TIMEOUT in line and line.endswith("+") and ends.timeout is None:
            ends.timeout = at
        elif _CONFTEST in line and line.endswith("'."):
            ends.conftest = at
        elif first == "E" and line.startswith("ERROR: "):
            _complaint(ends, at)
        elif first == "F" and line.startswith("FAIL Required test coverage"):
            ends.complaint = at
        elif first == "!" and line.endswith("!"):
            ends.interrupted = at
    return ends


def _complaint(ends: Ends, at: int) -> None:
    """`ERROR: usage: pytest [options] [file_or_dir]` is followed by what is wrong with it."""
    if "[file_or_dir]" not in ends.lines[at]:
        ends.complaint = at if ends.complaint is None else ends.complaint
        return
    ends.usage = next(
        (i for i in range(at + 1, min(at + 5, len(ends.lines))) if ": error: " in ends.lines[i]), at
    )
