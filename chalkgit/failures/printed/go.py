"""What `go test` prints, plain and with -v, and gotestsum in its formats; `go build` and `go vet` too.

Only leaves are told: a test whose subtest failed is left out. A package that did not build or load is
its own id. One that ended without a failing test has the tests that its stack or its -v lines name as
running, else is its own id too.
"""

from __future__ import annotations

import itertools
import re

from chalkgit.failures import naming
from chalkgit.failures.printed import go_errors
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_RESULT = re.compile(r" {0,80}--- (FAIL|PASS|SKIP|BENCH): (\S{1,1000}) \((?:\d[\d.]{0,20}s|unknown)\)$")
_PACKAGE = re.compile(
    r"(FAIL|ok|\?)[ \t]{1,8}([^\s\[(]{1,500})(?:[ \t]{1,8}(\d[\d.]{0,20}s|\(cached\)|\[.{1,100}))?"
)
_HEADER = re.compile(r"# (\[?[\w.~-]{1,200}(?:/[\w.~-]{1,200}){0,30}\]?)(?: \[\S{1,500}\])?$")
_SOURCE = re.compile(r"(?:vet: )?(\S{1,500}\.go):\d{1,9}(?::\d{1,9})?: ")
_SUMMED = re.compile(
    r"=== FAIL: (\S{1,500}) (\S{0,1000})(?: \(re-run \d{1,4}\))? \((?:\d[\d.]{0,20}s|unknown)\)$"
)
_FAILED = ("[build failed]", "[setup failed]")


class _Tests:
    """The tests of one package, in the order they were told, each with the lines that are its own."""

    def __init__(self) -> None:
        self.owned: dict[str, list[int]] = {}
        self.failed: dict[str, int] = {}  # test: where it says so
        self.running: dict[str, None] = {}
        self.output: list[int] = []
        self.races: list[int] = []

    def own(self, test: str, at: int) -> None:
        self.owned.setdefault(test, []).append(at)

    def leaves(self) -> list[str]:
        parents = go_errors.parents(self.failed)
        return [test for test in self.failed if test not in parents]


class _Scan:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.failures: list[Failure] = []
        self.is_go = False
        self.complete = False
        self.packages: list[str] = []
        self._builds: dict[str, list[int]] = {}
        self._told: set[str] = set()
        self._tests = _Tests()
        self._current: str | None = None
        self._verbose = False
        self._building: str | None = None
        self._race = False

    def scan(self) -> None:
        for at, line in enumerate(self.lines):
            first = line[:1]
            if self._race:
                self._race = not line.startswith("=====") and at - self._tests.races[-1] < 500
            elif first in "Fo?" and first and self._package(line):
                pass
            elif first == "=" and line.startswith(("=== RUN ", "=== CONT ", "=== NAME ", "=== PAUSE ")):
                self._run(line)
            elif "--- " in line and (found := _RESULT.match(line)):
                self._result(found[1], found[2], at)
            elif first == "#" and (header := _HEADER.match(line)):
                self._building = header[1].strip("[]")
            elif first == "W" and line == "WARNING: DATA RACE":
                self._tests.races.append(at)
                self._race = True
            elif self._building is not None and _SOURCE.match(line):
                self._builds.setdefault(naming.go(self._building), []).append(at)
                self.is_go = True
            elif "[" in line and line.endswith(_FAILED) and (cut := line.find("FAIL\t")) > 0:
                self._package(line[cut:])  # gotestsum's complaint about a line that is no event
            else:
                if first not in " \t":
                    self._building = self._building if line.startswith("note:") else None
                self._line(line, at)

    def _package(self, line: str) -> bool:
        found = _PACKAGE.match(line)
        if not found or (not found[3] and found[1] != "FAIL") or (not found[3] and "/" not in found[2]):
            return False
        if "\t" not in line[:8]:
            return False
        self.is_go = self.complete = True
        if found[1] == "FAIL":
            self.packages.append(found[2])
            self._close(found[2], found[3] or "")
        self._tests, self._current, self._verbose, self._building = _Tests(), None, False, None
        return True

    def _run(self, line: str) -> None:
        test = line.split(maxsplit=2)[-1]
        self.is_go = self._verbose = True
        if not line.startswith("=== PAUSE"):
            self._current = test
        self._tests.running.setdefault(test)

    def _result(self, word: str, test: str, at: int) -> None:
        self.is_go = True
        self._tests.running.pop(test, None)
        self._current = test
        if word == "FAIL":
            self._tests.failed[test] = at

    def _line(self, line: str, at: int) -> None:
        if not line:
            return
        crash = line.startswith(go_errors.CRASHES)
        if self._current is not None and (
            crash or self._verbose or line.startswith(("    ", "\t")) or self._current.startswith("Example")
        ):
            self._tests.own(self._current, at)
        self._tests.output.append(at)

    def _close(self, package: str, state: str) -> None:
        tests = self._tests
        if any(word in state for word in _FAILED):
            if naming.go(package) not in self._told:
                self._build(package)
            return
        leaves = tests.leaves()
        for test in leaves:
            error, detail = go_errors.of_test(self.lines, tests.owned.get(test, ()), self._raced(test))
            self.failures.append(Failure(naming.go(package, test), error, detail))
        if not leaves:
            self._crashed(package)

    def _raced(self, test: str) -> int | None:
        """The report of a race that stands before the test's end; those of earlier tests were taken."""
        owned = self._tests.owned.get(test, [])
        if not any("race detected during execution of test" in self.lines[at] for at in owned):
            return None
        races = [at for at in self._tests.races if at < self._tests.failed[test]]
        if not races:
            return None
        self._tests.races = [at for at in self._tests.races if at not in races]
        return races[0]

    def _crashed(self, package: str) -> None:
        """A package that failed with no failing test."""
        tests = self._tests
        error, detail, start = go_errors.of_package(self.lines, tests.output, tests.races)
        parents = go_errors.parents(tests.running)
        names = (
            [test for test in tests.running if test not in parents]
            or go_errors.running(self.lines, start, package)
            or [""]
        )
        self.failures += [Failure(naming.go(package, name), error, detail) for name in names]

    def _build(self, package: str) -> None:
        name = naming.go(package)
        told = self._builds.get(name) or next(iter(self._builds.values()), [])
        self._told.add(name)
        if told:
            self.failures.append(Failure(name, *go_errors.of_build(self.lines, told)))
        else:
            self.failures.append(Failure(name, *go_errors.of_package(self.lines, self._tests.output, [])[:2]))

    def rest(self) -> None:
        """What was told after the last package's line: an output that was cut off, `go build`, `go vet`."""
        if self._tests.failed:
            self._close("", "")
        if not self.failures:
            for package, told in self._builds.items():
                self.failures.append(Failure(package, *go_errors.of_build(self.lines, told)))


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a run of Go's; None where this is none."""
    summed = _summed(lines)
    scan = _Scan(lines)
    scan.scan()
    if summed is not None:
        built = [failure for failure in scan.failures if "::" not in failure.test]
        return Reading("go", _leaves([*_full(summed, scan.packages), *built]), complete=True)
    scan.rest()
    if not scan.failures and (failure := go_errors.of_command(lines)):
        return Reading("go", [failure])
    return Reading("go", scan.failures, complete=scan.complete) if scan.is_go else None


def _summed(lines: Sequence[str]) -> list[tuple[str, str, str | None, list[str]]] | None:
    """(package, test, error, detail) of each failure in gotestsum's summary; None where there is none."""
    start = next((at for at in range(len(lines) - 1, -1, -1) if lines[at] == "=== Failed"), None)
    if start is None:
        return None
    found: list[tuple[str, str, str | None, list[str]]] = []
    heads = [
        at
        for at in range(start + 1, len(lines))
        if lines[at].startswith(("=== FAIL: ", "=== Errors", "DONE "))
    ]
    for at, end in itertools.pairwise([*heads, len(lines)]):
        if head := _SUMMED.match(lines[at]):
            owned = [
                i for i in range(at + 1, end) if lines[i] and not lines[i].startswith(("=== ", "FAIL\t"))
            ]
            race = next((i for i in owned if lines[i] == "WARNING: DATA RACE"), None)
            if head[2]:
                found.append((head[1], head[2], *go_errors.of_test(lines, owned, race)))
            else:
                found.append((head[1], "", *go_errors.of_package(lines, owned, [])[:2]))
    return found


def _full(summed: Sequence[tuple[str, str, str | None, list[str]]], packages: Sequence[str]) -> list[Failure]:
    """With the module's path before the packages, where other lines tell it: the summary leaves it out."""
    short = {package for package, *_ in summed}
    modules = {whole[: -len(name)] for whole in packages for name in short if whole.endswith("/" + name)}
    module = modules.pop() if len(modules) == 1 else ""
    return [
        Failure(naming.go(package if package.startswith(module) else module + package, test), error, detail)
        for package, test, error, detail in summed
    ]


def _leaves(failures: Sequence[Failure]) -> list[Failure]:
    parents = go_errors.parents(failure.test for failure in failures)
    return [failure for failure in failures if failure.test not in parents]
