"""What `cargo test` and cargo-nextest print, doc tests and compile errors included.

A test's path stands after the binary that the Running line names. A failed compilation names no test:
its error is the first, but an unresolved name before a wrong type, since older compilers stop after the
names.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import rust_errors
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_RUNNING = re.compile(r"\s*Running (?:(?:unittests )?(\S.{0,500}?) \()?(\S{1,500}?)\)?$")
_FAILED = re.compile(r"test (\S.{0,1000}?)(?: - should panic)? \.\.\. FAILED")
_CRASHED = re.compile(r"test (\S.{0,1000}?)(?: - should panic)? \.\.\. error: test failed, to rerun pass ")
_SECTION = re.compile(r"---- (\S.{0,1000}?) std(?:out|err) ----$")
_NEXTEST = re.compile(
    r" {0,40}(?:TRY \d{1,3} )?(FAIL|SIG[A-Z]{2,8}|TIMEOUT|ABORT|EXECFAIL|LEAK-FAIL|XFAIL|PASS"
    r"|FLAKY \d{1,3}/\d{1,3})"
    r" \[ *>?[\d.]{1,20}s\] (?:\( *\d{1,9}/\d{1,9}\) )?(\S{1,300}) (\S.{0,1000})$"
)
_RERUN = re.compile(r"to rerun pass `(?:-p \S{1,200} )?--(?:test|bin|example|bench) (\S{1,200})`")
_SIGNS = (
    "   Compiling ",
    "    Finished ",
    "     Running ",
    "   Doc-tests ",
    "error: could not compile ",
    "test result: ",
)
_NO_TESTS = ("main", "<unnamed>")
_COUNT = re.compile(r"running \d{1,9} tests?$")


class _Scan:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.is_rust = False
        self.complete = False
        self.binary = ""
        self.failed: dict[tuple[str, str], None] = {}  # (binary, test), in the order they were told
        self.sections: dict[tuple[str, str], tuple[int, int]] = {}
        self.nextest: dict[tuple[str, str], str] = {}
        self.panics: dict[
            tuple[str, str], int
        ] = {}  # (binary, thread): its first; under "" whatever the binary
        self.overflowed: list[tuple[str, str, int]] = []
        self.errors: list[int] = []
        self.crashed: tuple[str, str, int] | None = (
            None  # with one thread the test that ended the process is known
        )
        self._open: tuple[str, str] | None = None
        self._listing = False
        self._unnamed = True

    def scan(self) -> None:
        for at, line in enumerate(self.lines):
            first = line[:1]
            if first == " ":
                self._indented(line, at)
                continue
            self._listing = False
            if first == "t":
                self._test(line, at)
            elif first == "-" and (section := _SECTION.match(line)):
                self._close(at)
                self._open = (self.binary, section[1])
                self.sections.setdefault(self._open, (at + 1, len(self.lines)))
                self.is_rust = True
            elif first == "f" and line == "failures:":
                self._close(at)
                self._unnamed = self._unnamed or not self.binary
                self._listing = True
            elif first == "e" and line.startswith(("error:", "error[")):
                if self._open is None:
                    self.errors.append(at)
                if " to rerun pass `" in line:
                    self._close(at)
                    rerun = _RERUN.search(line)
                    self._rename(rerun[1].replace("-", "_") if rerun else " ")
                self.is_rust = self.is_rust or line.startswith(_SIGNS) or line.startswith("error[E0")
            elif first == "r" and _COUNT.match(line):
                self.is_rust = True
        self._close(len(self.lines))

    def _test(self, line: str, at: int) -> None:
        if line.startswith("test ") and (failed := _FAILED.match(line)):
            self.failed.setdefault((self.binary, failed[1]))
            self.is_rust = True
        elif line.startswith("test ") and (crashed := _CRASHED.match(line)):
            self.crashed = (self.binary, crashed[1], at)
            self.errors.append(at)
            self.is_rust = True
        elif line.startswith("test result: "):
            self._close(at)
            self.is_rust = self.complete = True
        elif line.startswith("thread '"):
            self._thread(line, at)

    def _thread(self, line: str, at: int) -> None:
        if panic := rust_errors.PANIC.match(line):
            self.panics.setdefault((self.binary, panic[1]), at)
            self.panics.setdefault(("", panic[1]), at)
            self.is_rust = True
        elif line.endswith("has overflowed its stack") and (name := line.split("'")[1]) not in _NO_TESTS:
            self.overflowed.append((self.binary, name, at))
            self.is_rust = True

    def _indented(self, line: str, at: int) -> None:
        if line.startswith(_SIGNS[:4]):
            self.is_rust = True
            found = _RUNNING.match(line)
            if line.startswith("   Doc-tests "):
                self.binary = line.split()[-1]
            elif found:
                self.binary = naming.cargo(found[2], "")
        elif self._listing and line.startswith("    ") and line[4:5].strip():
            self.failed.setdefault((self.binary, line.strip()))
        elif "s] " in line and (found := _NEXTEST.match(line)):
            self.is_rust = True
            self.nextest[found[2], found[3]] = found[1]
        elif " panicked at " in line:
            self._thread(line.lstrip(), at)

    def _close(self, at: int) -> None:
        if self._open is not None:
            self.sections[self._open] = (self.sections[self._open][0], at)
        self._open = None

    def _rename(self, name: str) -> None:
        """-q tells no Running lines; the line after a failed binary names it, but not a library (a blank)."""
        if self._unnamed:
            self._unnamed = False
            self.failed = {(known or name, test): None for known, test in self.failed}
            self.sections = {(known or name, test): span for (known, test), span in self.sections.items()}


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a run of cargo's; None where this is none."""
    scan = _Scan(lines)
    scan.scan()
    if not scan.is_rust:
        return None
    bad = {known for known, word in scan.nextest.items() if word != "PASS" and not word.startswith("FLAKY")}
    failures = _nextest(scan, bad) if bad else [_failure(scan, *known) for known in scan.failed]
    failures = [*failures, *_crashes(scan)] or _without_test(scan)
    return Reading("cargo", failures, complete=scan.complete or bool(failures))


def _failure(scan: _Scan, binary: str, test: str) -> Failure:
    section = scan.sections.get((binary, test))
    if section is not None:
        error, detail = rust_errors.of_section(scan.lines, *section)
    else:
        error, detail = _panicked(scan, binary, test)
    return Failure(naming.cargo(binary, test), error, detail)


def _nextest(scan: _Scan, bad: set[tuple[str, str]]) -> list[Failure]:
    """nextest runs a process a test, and shows what it printed, indented, after the line that it failed."""
    return [Failure(naming.cargo(*known), *_panicked(scan, *known)) for known in scan.nextest if known in bad]


def _panicked(scan: _Scan, binary: str, test: str) -> tuple[str | None, list[str]]:
    at = scan.panics.get((binary, test), scan.panics.get(("", test)))
    return (None, []) if at is None else rust_errors.of_panic(scan.lines, at, len(scan.lines))


def _crashes(scan: _Scan) -> list[Failure]:
    """Tests that took their process with them, where their name is told."""
    found = [Failure(naming.cargo(binary, name), scan.lines[at]) for binary, name, at in scan.overflowed]
    if scan.crashed is not None:
        binary, test, at = scan.crashed
        found.append(Failure(naming.cargo(binary, test), rust_errors.of_exit(scan.lines, at)))
    return found


def _without_test(scan: _Scan) -> list[Failure]:
    """A compilation that failed, a test binary that crashed, a program that panicked."""
    if failure := rust_errors.of_build(scan.lines, scan.errors):
        return [failure]
    for at in scan.panics.values():
        return [Failure("", *rust_errors.of_panic(scan.lines, at, len(scan.lines)))]
    return []
