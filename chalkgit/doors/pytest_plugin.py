"""PYTEST_DONT_REWRITE: the lessons for a failing pytest run, in its terminal summary.

It only watches. Nothing is asked before a test failed, nothing is shown unless a lesson matched, and no
outcome, exit code or warning of the run comes from it: the question is put by a process of its own, for a
bounded time, and what goes wrong is a line under `-v`. A run that passes is told of where it ends a loop of
failing ones. Off by `-p no:chalkgit` or CHALKGIT_BYPASS_RECALL.
"""

from __future__ import annotations

import os

from chalkgit import thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

SECONDS = thresholds.PYTEST_SECONDS
TEXT_CHARACTERS = thresholds.PYTEST_TEXT_CHARACTERS
TEXTS_CHARACTERS = thresholds.PYTEST_TEXTS_CHARACTERS
FAILURES = thresholds.PYTEST_FAILURES
_ANSWER_BYTES = 1 << 18
# the child's own Python: what the tests' one was told is not for it
_NOT_OURS = ("PYTHONWARNINGS", "PYTHONDEVMODE", "PYTHONSTARTUP", "PYTHONINSPECT", "COVERAGE_PROCESS_START")
_CHILD = "import sys; sys.path.append(sys.argv[1]); from chalkgit.doors.pytest_answer import main; main()"


def pytest_configure(config: Any) -> None:
    """Begin to watch, where there is something to be said about and somebody to say it to."""
    try:
        if _is_wanted(config):
            config.pluginmanager.register(Watch(), "chalkgit-watch")
    except Exception:  # whatever it is, the tests run as they would have without us
        return


def _is_wanted(config: Any) -> bool:
    if hasattr(config, "workerinput"):  # of xdist: the controller hears of everything
        return False
    if config.option.collectonly or config.option.verbose <= -2:
        return False
    from chalkgit import config as settings

    return not settings.bypassed("RECALL") and _has_store(str(config.rootpath))


def _has_store(folder: str) -> bool:
    """Whether a folder above has records; which repository they are of is the answer's business."""
    while not os.path.isdir(os.path.join(folder, ".lessons")):
        if os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)
    return True


class Failed:
    """One failing report. word: how pytest lists it (FAILED, ERROR, SUBFAILED[]). title: of its block."""

    __slots__ = ("node", "text", "title", "word")

    def __init__(self, word: str, node: str, title: str, text: str) -> None:
        self.word = word
        self.node = node
        self.title = title
        self.text = text


class Watch:
    """What is registered with pytest. `trouble` says why there is no answer."""

    def __init__(self) -> None:
        self.failed: dict[tuple[str, str, str], Failed] = {}
        self.held = 0
        self.interrupted = False
        self.trouble: str | None = None

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._try(lambda: self._keep(of_test(report)))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._try(lambda: self._keep(of_collecting(report)))

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        # Session.Interrupted is pytest's own end of a run: errors in collecting, --stepwise
        self.interrupted = excinfo.typename != "Interrupted"

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: Any, config: Any) -> None:
        if not self.failed and int(exitstatus) == 0:
            self._try(lambda: _ended(str(config.rootpath), terminalreporter.stats.get("passed", ())))
            return
        if not self.failed or self.interrupted or int(exitstatus) not in (1, 2):
            return
        verbose = config.option.verbose
        rows: list[str] = []
        self._try(lambda: rows.extend(self._rows(config, int(exitstatus), short=verbose < 0)))
        if self.trouble is not None and verbose > 0:
            rows = [f"chalkgit: no lessons were looked up: {self.trouble}"]
        if len(rows) > 1:
            self._try(lambda: terminalreporter.section("seen before"))
        for row in rows:
            self._try(lambda row=row: terminalreporter.write_line(row))  # type: ignore[misc]

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit of a __str__ too: the run ends as it would without us
            self.trouble = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]

    def _keep(self, found: Failed) -> None:
        if len(self.failed) >= FAILURES:
            return
        # every worker of xdist tells of an error in collecting
        if self.failed.setdefault((found.word, found.node, found.title), found) is not found:
            return
        self.held += len(found.text)
        while self.held > TEXTS_CHARACTERS:
            # the first failing test by its id is the one whose error counts
            last = max((one for one in self.failed.values() if one.text), key=lambda one: one.node)
            self.held -= len(last.text)
            last.text = ""

    def _rows(self, config: Any, exitstatus: int, *, short: bool) -> list[str]:
        import json

        root = str(config.rootpath)
        told = {
            "root": root,
            "folder": str(config.invocation_params.dir),
            "exit": exitstatus,
            "output": retold(root, list(self.failed.values())),
            "short": short,
        }
        rows = json.loads(_asked(json.dumps(told).encode("ascii"), root))["rows"]
        return [str(row) for row in rows]


def _ended(root: str, passed: Sequence[Any]) -> None:
    """Tell of a run in which nothing failed, where it may end a loop: elsewhere it costs a look."""
    if not passed or not _may_be_open(root):
        return
    from chalkgit.store import loops
    from chalkgit.store import place as places

    place = places.near(root)
    if place is not None and loops.is_open(place):
        import json

        told = {"root": root, "passed": [report.nodeid for report in passed]}
        _asked(json.dumps(told).encode("ascii"), root)


def _may_be_open(folder: str) -> bool:
    """Whether there is a journal, as far as two looks tell: where there is none, nothing is imported."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)
    git = os.path.join(folder, ".git")
    return not os.path.isdir(git) or os.path.exists(os.path.join(git, "chalkgit-journal", "journal.db"))


def of_test(report: Any) -> Failed:
    """A failing report of a test: its setup, call or teardown, or a subtest of it."""
    title = report.head_line or report.nodeid
    if hasattr(report, "context"):  # a subtest's, since pytest 9 or by pytest-subtests
        return Failed("SUBFAILED[]", report.nodeid, title, _text(report))
    if report.when == "call":
        return Failed("FAILED", report.nodeid, title, _text(report))
    return Failed("ERROR", report.nodeid, f"ERROR at {report.when} of {title}", _text(report))


def of_collecting(report: Any) -> Failed:
    """A file or folder that could not be collected."""
    return Failed("ERROR", report.nodeid, f"ERROR collecting {report.nodeid}", _text(report))


def retold(root: str, failed: list[Failed]) -> str:
    """The failures as pytest prints them, so that they are read as what it printed would be."""
    rows = [_ruled("test session starts", "="), f"rootdir: {root}"]
    for section, errors in (("ERRORS", True), ("FAILURES", False)):
        rows.append(_ruled(section, "="))
        for one in failed:
            if (one.word == "ERROR") == errors:
                rows += [_ruled(one.title, "_"), one.text]
    rows.append(_ruled("short test summary info", "="))
    for word in ("SUBFAILED[]", "FAILED", "ERROR"):
        rows += [f"{word} {one.node}" for one in failed if one.word == word]
    rows.append(_ruled(f"{len(failed)} failed in 0.00s", "="))
    return "\n".join(rows) + "\n"


def _ruled(title: str, rule: str) -> str:
    return f"{rule} {title} {rule}".center(80, rule)  # as wide as pytest's own: 80 where no terminal says


def _text(report: Any) -> str:
    # pytest takes seconds to lay out a message of millions of lines, and will do so once more for itself
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    message = str(getattr(crash, "message", ""))
    long = len(message) > TEXT_CHARACTERS
    if long:
        return "\n".join(f"E   {line}" for line in message[:TEXT_CHARACTERS].split("\n"))[:TEXT_CHARACTERS]
    text = str(report.longreprtext)
    half = TEXT_CHARACTERS // 2
    if len(text) <= 2 * half:
        return text
    # the rest of a line that was cut in two has lost its mark, and would end the error
    end = text[-half:]
    return f"{text[:half]}\n{end.partition(chr(10))[2] or end}"


def _asked(told: bytes, root: str) -> bytes:
    """What the process that looks it up says."""
    import sys

    from chalkgit.store import running

    environment = {k: v for k, v in running.own_environment(root).items() if k not in _NOT_OURS}
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    words = [sys.executable, "-P", "-W", "ignore", "-c", _CHILD, package]
    done = running.run(
        words, cwd=root, stdin=told, seconds=SECONDS, most_bytes=_ANSWER_BYTES, environment=environment
    )
    if done.trouble is not None or done.code != 0:
        said = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise RuntimeError(said or done.trouble or f"exit {done.code}")
    return done.out
