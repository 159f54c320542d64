"""`go test -json`: a line an event, other lines among them."""

from __future__ import annotations

import bisect
import json
import re

from chalkgit import thresholds
from chalkgit.failures import lines, naming
from chalkgit.failures.printed import go_errors
from chalkgit.failures.reports.case import first
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OUTPUT_LINES = thresholds.GO_OUTPUT_LINES
FAILURES = thresholds.REPORT_FAILURES
EVENT_CHARACTERS = thresholds.GO_EVENT_CHARACTERS
_STATES = (
    "=== RUN",
    "=== PAUSE",
    "=== CONT",
    "=== NAME",
    "--- FAIL",
    "--- PASS",
    "--- SKIP",
    "--- BENCH",
    "FAIL",
    "ok  \t",
    "PASS",
    "exit status ",
)
_BUILD = re.compile(r"^[\w./@\\-]{1,400}\.go:\d{1,7}(?::\d{1,7})?: ")


def read(text: str) -> Reading | None:
    """None where no line is such an event."""
    run = _Run()
    known = False
    whole = True
    for line in text.split("\n"):
        line = line.strip()
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line[:EVENT_CHARACTERS])
        except (ValueError, RecursionError):
            whole = False
            continue
        if isinstance(event, dict) and isinstance(event.get("Action"), str):
            known = True
            run.add(event)
    return Reading("go", run.failures(), complete=whole and run.ended) if known else None


class _Run:
    def __init__(self) -> None:
        self._output: dict[tuple[str, str], list[str]] = {}
        self._state: dict[tuple[str, str], str] = {}
        self._build: dict[str, list[str]] = {}
        self._builds: dict[str, str] = {}

    def add(self, event: dict[str, object]) -> None:
        action = event["Action"]
        if action in ("build-output", "build-fail"):
            kept = self._build.setdefault(str(event.get("ImportPath", "")), [])
            if len(kept) < OUTPUT_LINES:
                kept.append(str(event.get("Output", "")))
            return
        key = (str(event.get("Package", "")), str(event.get("Test", "")))
        if action == "output":
            kept = self._output.setdefault(key, [])
            if len(kept) < OUTPUT_LINES:
                kept.append(str(event.get("Output", "")))
        elif action in ("run", "start", "fail", "pass", "skip"):
            # the last counts: a test that was run again and passed did not fail
            self._state[key] = str(action)
            if action in ("pass", "skip"):
                self._output.pop(key, None)
            if action == "fail" and event.get("FailedBuild"):
                self._builds[key[0]] = str(event["FailedBuild"])

    @property
    def ended(self) -> bool:
        """Whether each package that began came to its end."""
        packages = {package for package, _ in self._state}
        return all(self._state.get((package, ""), "run") not in ("run", "start") for package in packages)

    def failures(self) -> list[Failure]:
        failing = {key for key, state in self._state.items() if key[1] and self._failed(key, state)}
        found = [
            Failure(naming.go(package, test), *pick(self._lines((package, test))))
            for package, test in leaves(sorted(failing))[:FAILURES]
        ]
        blamed = {package for package, _ in failing}
        for (package, test), state in self._state.items():
            if not test and state == "fail" and package not in blamed:
                found.append(Failure(naming.go(package), *self._package(package)))
        if not found:
            # `go vet` and builds that belong to no package of this run
            found = [Failure(naming.go(path), *build(_split(output))) for path, output in self._build.items()]
        return found

    def _failed(self, key: tuple[str, str], state: str) -> bool:
        # a panic or os.Exit ends the package while its test runs
        return state == "fail" or (state == "run" and self._state.get((key[0], "")) == "fail")

    def _lines(self, key: tuple[str, str]) -> list[str]:
        return _split(self._output.get(key, ()))

    def _package(self, package: str) -> tuple[str | None, list[str]]:
        built = self._build.get(self._builds.get(package, ""))
        if built is None:
            built = next((out for path, out in self._build.items() if naming.go(path) == package), None)
        if built:
            return build(_split(built))
        return pick(self._lines((package, "")), package=True)


def leaves(tests: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of sorted tests, each with its package, those that hold no other of them."""
    found = []
    for package, test in tests:
        at = bisect.bisect_left(tests, (package, test + "/"))
        if at == len(tests) or tests[at][0] != package or not tests[at][1].startswith(test + "/"):
            found.append((package, test))
    return found


def _split(output: Iterable[str]) -> list[str]:
    return [line[: lines.LINE_CHARACTERS].rstrip() for line in "".join(output).splitlines()]


def build(shown: Sequence[str]) -> tuple[str | None, list[str]]:
    """The first error of a compiler's output, after the `# package` line."""
    kept = [line for line in shown if line.strip() and not line.startswith("# ")]
    place = next((at for at, line in enumerate(kept) if _BUILD.match(line.removeprefix("vet: "))), 0)
    return first(kept, place)


def pick(shown: Sequence[str], *, package: bool = False) -> tuple[str | None, list[str]]:
    """Of what one test (or a package) printed: the crash, the race, or what the first t.Error says."""
    owned = [at for at, line in enumerate(shown) if line.strip() and not line.lstrip().startswith(_STATES)]
    if not any(line.startswith("goroutine ") for line in shown):
        # behind a crash stand the goroutines: else a program printed a line like one
        owned = [at for at in owned if not shown[at].startswith(go_errors.CRASHES)]
    races = [at for at in owned if shown[at].startswith("WARNING: DATA RACE")]
    if package:
        error, detail, _ = go_errors.of_package(shown, owned, races)
        return error, detail
    return go_errors.of_test(shown, owned, races[0] if races else None)
