"""The first line of a failure as its runner prints it, from what each dialect of JUnit XML says of it.

The same failure must give the same line whether it was read from a report or from an output, so each
function here looks for the line that the runner's own output has, in the text rather than in the `message`
attribute: an XML parser makes blanks of the line ends in attributes.
"""

from __future__ import annotations

import re

from chalkgit.failures import lines, naming
from chalkgit.failures.printed import ctest as printed_ctest
from chalkgit.failures.printed import gtest as printed_gtest
from chalkgit.failures.printed import jest as printed_jest
from chalkgit.failures.printed import pytest_blocks, rust_errors
from chalkgit.failures.printed import rspec as printed_rspec
from chalkgit.failures.reports.case import Case, first, told

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    First = tuple[str | None, list[str]]

# five digits for what is beyond U+FFFF, as some versions write those too
_ESCAPED = re.compile(r"#x(1[0-9A-F]{4}|[0-9A-F]{2,4})")
_AT_LINE = re.compile(r"^(.{1,400}):(\d{1,9})$")
_AT_FILE = re.compile(r"^at (.{1,400}):(\d{1,9})$")
_CAUSE = re.compile(r"^\s*\[?cause\]?: ([^'\"`].*)$|\bcause: ('[^']*'|\"[^\"]*\"|`[^`]*`)")
_UNTOLD = ("collection failure", "test setup failure", "test teardown failure")
_RUBY_FRAME = re.compile(r"^(?:\./|/)\S{1,400}\.rb:\d{1,9}:in [`']")
_MINITEST = re.compile(r"\[\S{1,400}:\d{1,9}\]:?$|^\S{1,400}\([\w:]{1,400}\):$")
_SOURCE = "Failure/Error:"
_TAP_NAME = re.compile(r"^\d{1,9}(?: - | |$)")
_NO_CAUSES = ("test failed", "test did not finish before its parent and was cancelled")


def generic(case: Case) -> First:
    """Type and message as the text begins with them, else the message."""
    if "Traceback (most recent call last):" in case.text:
        return traceback(case.text)
    line, detail = first(case.text)
    message, more = first(case.message)
    if line is None or (message and not _begins(line, case)):
        return (message, more or detail) if message else (lines.clean(case.type) or None, [])
    return line, detail


def playwright(case: Case) -> First:
    """The text begins with the test's place and a rule."""
    shown = [line for line in told(case.text) if line.strip()]
    return first(shown, 1) if len(shown) > 1 else generic(case)


def _begins(line: str, case: Case) -> bool:
    """Whether this line of the text is the message, alone or after its type."""
    message = " ".join(case.message.split())
    line = " ".join(line.split())
    return bool(case.type and line.startswith(case.type)) or message.startswith(line) or message[:60] in line


def text(case: Case) -> First:
    """The text's first line (vitest, mocha, Java), or `type: message` where there is none."""
    line, detail = first(case.text)
    if line is not None:
        return line, detail
    message, detail = first(case.message)
    if not message or not case.type or message.startswith(case.type):
        return message or lines.clean(case.type) or None, detail
    return f"{case.type}: {message}", detail


def ant(case: Case) -> First:
    """Ant prints the message on a line of its own, and then the trace."""
    line, detail = first(case.message)
    thrown, _ = text(case)
    return (line, [*detail, thrown or ""]) if line else text(case)


def mocha(case: Case) -> First:
    """The stack's first line; mocha's own xunit reporter puts the bare message before it."""
    line, detail = text(case)
    for later in detail:
        if line and later.endswith(f"Error: {line}"):
            return first(case.text[case.text.find(later) :])
    return line, detail


def pytest(case: Case) -> First:
    """What stands behind the last `E`: of a chain of exceptions the last, of a SyntaxError not its source."""
    shown = [_unescaped(line) for line in told(case.text)]
    message = _unescaped(case.message).removesuffix('"')
    message = message.removeprefix('failed on setup with "').removeprefix('failed on teardown with "').strip()
    if case.classname == "pytest" and message == "internal error":
        return traceback(case.text)
    doctest = "DocTestFailure" in case.text or "UNEXPECTED EXCEPTION: " in case.text
    if not message or message in _UNTOLD or doctest or pytest_blocks.groups(shown, 0, len(shown)):
        error, detail = pytest_blocks.error(shown, 0, len(shown))
        return error, list(detail)
    return first(message)


def _unescaped(line: str) -> str:
    """pytest writes characters that XML has not as `#x1B`; of a line of its text the marks must stay in
    place."""
    if "#x" not in line:
        return line
    blanks = line[: len(line) - len(line.lstrip())]
    return blanks + "\n".join(map(lines.plain, _ESCAPED.sub(_character, line).splitlines()))


def _character(found: re.Match[str]) -> str:
    whole = chr(int(found[1], 16))
    if len(found[1]) == 5 and not whole.isprintable():  # `#x1B` before the text 31A
        return chr(int(found[1][:2], 16)) + found[1][2:]
    return whole


def traceback(text: str) -> First:
    """The exception that ends the chain of Python's tracebacks in a text."""
    error, detail = pytest_blocks.error(told(text), 0, len(told(text)))
    return error, list(detail)


def jest(case: Case) -> First:
    """jest prints an `Error: ` without its name; a suite that did not load is told under a title."""
    return jest_text(case.text or case.message)


def jest_text(text: str) -> First:
    """The same of a failure message of `jest --json`."""
    shown = told(text)
    title = next((at for at, line in enumerate(shown[:5]) if "Test suite failed to run" in line), -1)
    shown = [line for line in shown[title + 1 :] if line.strip()]
    if shown and shown[0].lstrip().startswith("Error: ") and shown[0].strip() != "Error:":
        shown[0] = shown[0].lstrip().removeprefix("Error: ")
    failure = printed_jest.told("", shown)
    return failure.error, list(failure.detail)


def node(case: Case) -> First:
    """node:test wraps what was thrown: `cause: ` is what it prints. A file that failed tells nothing but
    that."""
    shown = told(case.text)
    for at, line in enumerate(shown):
        found = _CAUSE.search(line)
        if not found:
            continue
        if found[1] is not None:
            error, detail = first([found[1], *shown[at + 1 :]])
            return (error or "").removesuffix(" {").removesuffix(",") or None, detail
        # a cause that is a text stands in quotes, and is printed so
        quoted = found[2]
        return (None, []) if quoted[1:-1] in _NO_CAUSES else (quoted, [])
    return generic(case)


def rspec(case: Case) -> First:
    """The line that begins the message, as the text has it: below the source in question and the class.

    Of several failures of one example the report has no message but a class.
    """
    message = naming.squeeze(case.message)
    shown = [line for line in told(case.text) if not _RUBY_FRAME.match(line)]
    for at, line in enumerate(shown):
        line = naming.squeeze(line)
        if line and message.startswith(line) and not line.startswith(_SOURCE):
            return first(shown, at)
    if _SOURCE in case.text:
        return rspec_text(case.text)
    return first(shown) if any(map(str.strip, shown)) or not message.endswith("Error") else (None, [])


def rspec_text(text: str) -> First:
    """The same from what rspec prints of a failure. The formatter leaves the `# ` before a frame away."""
    failure = printed_rspec.told("", [line for line in told(text) if not _RUBY_FRAME.match(line)])
    return failure.error, list(failure.detail)


def gtest(case: Case) -> First:
    """`file:line: Failure`, then what was compared; a thrown exception has no place."""
    shown = told(case.text or case.message)
    found = _AT_LINE.match(shown[0].strip()) if shown else None
    if found:
        return f"{lines.clean(shown[0])}: Failure", first(["-", *shown[1:]])[1]
    return first(shown, 1 if shown and shown[0].startswith("unknown file") else 0)


def catch2(case: Case) -> First:
    """`file:line: FAILED:`, then the expression."""
    shown = [line.strip() for line in told(case.text)]
    places = [at for at, line in enumerate(shown) if _AT_FILE.match(line)]
    if not places:
        return generic(case)
    failed = next((at for at, line in enumerate(shown) if line == "FAILED:"), -1)
    return f"{shown[places[-1]][3:]}: FAILED:", first(["-", *shown[failed + 1 : places[-1]]])[1]


def phpunit(case: Case) -> First:
    """After the name of the test."""
    shown = told(case.text)
    named = bool(shown) and "::" in shown[0] and case.name.split(" with data")[0] in shown[0]
    line, detail = first(shown, 1 if named else 0)
    return (line, detail) if line else generic(case)


def rust(case: Case) -> First:
    """What the thread panicked with, or what the test returned."""
    shown = told(case.text) if "panicked at " in case.text else told(case.text) + told(case.out)
    error, detail = rust_errors.of_section(shown, 0, len(shown))
    return (error, detail) if error else generic(case)


def exunit(case: Case) -> First:
    """After the number and the place of the test."""
    shown = [line.strip() for line in told(case.text or case.message)]
    skip = 2 if shown and re.match(r"^\d{1,6}\) ", shown[0]) else 0
    end = shown.index("stacktrace:") if "stacktrace:" in shown else len(shown)
    return first(shown[:end], skip)


def minitest(case: Case) -> First:
    """The text tells `Failure:`, the test and its place before the message that is printed."""
    shown = [line.strip() for line in told(case.text or case.message)]
    skip = next((at + 1 for at, line in enumerate(shown[:4]) if _MINITEST.search(line)), 0)
    return first(shown, skip)


def bats(case: Case) -> First:
    """What the failing command printed, else the command."""
    shown = [line.strip() for line in told(case.text or case.message)]
    kept = [
        line
        for line in shown
        if line and not line.startswith(("(in test file", "(from function", "in test file"))
    ]
    command = next((at for at, line in enumerate(kept) if line.startswith("`") and "' failed" in line), -1)
    return first(kept, command + 1) if command + 1 < len(kept) else first(kept)


def tap(case: Case) -> First:
    """The first diagnostic; where prove kept those apart, what Test::More begins them with."""
    shown = [line for line in told(case.text) if not line.startswith(("not ok", "ok ")) and line.strip()]
    if shown:
        return first(shown)
    name = _TAP_NAME.sub("", case.name)
    return (f"Failed test '{name}'", []) if name else first(case.message)


def ctest(case: Case) -> First:
    """What the program printed of its failure, as it is found in ctest's own output; else ctest's reason.

    The report does not say whether a test failed, crashed or took too long: of GoogleTest's output, which
    does not tell either, nothing is concluded.
    """
    if case.kind == "skipped":
        name = case.out.partition("Unable to find executable: ")[2].strip()
        return (f"Could not find executable {name}", []) if name else first(case.out or case.message)
    shown = told(case.out)
    inner = printed_gtest.read(shown)
    if case.message.strip() or (inner and not any(failure.error for failure in inner.failures)):
        return first(case.message)
    result = "1/1 Test #1: test ...***Failed"
    reading = printed_ctest.read([result, *shown])
    found = next(iter(reading.failures), None) if reading else None
    return (found.error, list(found.detail)) if found and found.error != result else (None, [])
