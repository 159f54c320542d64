"""What PHPUnit and Pest print: "There was 1 failure:", `1) Case::test` and the message, or TestDox's marks.

A data set keeps its name and loses its values, as in the JUnit report: `with data set "a"`.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECTION = re.compile(
    r"(?:There (?:was|were) \d{1,9}|\d{1,9} tests? triggered \d{1,9}) "
    r"(?:PHPUnit |PHP |test runner ){0,3}(?P<kind>\w+)(?: tests?)?:$"
)
_ENTRY = re.compile(r"\d{1,9}\) (.*)$")
_TEST = re.compile(r"(?P<case>[\w\\@]+)::(?P<name>.*)$")
_DATA = re.compile(r' with data set (?:#\d{1,9}|".{0,400}?"(?= \(| with data |$))')
_PLACE = re.compile(r"(?:[A-Za-z]:)?[^\s:]\S*\.(?:php|phpt):\d{1,9}$")
_FATAL = re.compile(r"(?:PHP )?(?:Fatal|Parse) error: ")
_FAILING = ("failure", "failures", "error", "errors")
# Sections that fail a run only where a flag says so: read where nothing else failed.
_MILD = ("warning", "warnings", "risky", "deprecation", "deprecations", "notice", "notices")
_ENDS = (
    "FAILURES!",
    "ERRORS!",
    "WARNINGS!",
    "OK",
    "Tests: ",
    "Time: ",
    "There was ",
    "There were ",
    "Generated ",
)
_DOX = re.compile(r"\s+[✘x⨯] (.*)$")
_DOX_CLASS = re.compile(r"(?P<title>\S.*?)(?: \((?P<case>[\w\\]+)\))?$")
_DOX_TIME = re.compile(r" \[\d[\d.]* m?s\]$|\s+\d[\d.]*s$")
_PEST = re.compile(r"\s*FAILED\s+(?P<case>[A-Z][\w\\]*) > (?P<name>.*)$")
_SHORT = re.compile(r" {2,}\S.*$")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that PHPUnit printed; None where this is not its output."""
    mine = summed = False
    for line in lines:
        if line.startswith("PHPUnit ") and " by Sebastian Bergmann" in line:
            mine = True
        elif line.startswith(
            ("FAILURES!", "ERRORS!", "WARNINGS!", "OK (", "OK, but", "Tests: ", "  Tests:  ")
        ):
            summed = True
        elif "FAILED  " in line and " > " in line:
            mine = mine or _PEST.match(line) is not None
        elif line.startswith(("PHP Fatal error: ", "PHP Parse error: ")):
            mine = True
    if not mine:
        return None
    sections = list(_sections(lines))
    found = [failure for kind, failure in sections if kind in _FAILING]
    found = found or list(_pest(lines)) or list(_dox(lines))
    found = found or [failure for kind, failure in sections if kind in _MILD] or list(_stopped(lines))
    return Reading("phpunit", blocks.once(found), complete=summed)


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, Failure]]:
    kind = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(("There w", "1 test triggered")) or " triggered " in line:
            match = _SECTION.match(line)
            kind = match["kind"] if match else kind
        elif kind and ") " in line and (match := _ENTRY.match(line)):
            end = blocks.until(lines, at, _ends)
            if kind in _MILD and _PLACE.match(match[1]):
                yield kind, _triggered(lines[at:end])
            else:
                yield kind, blocks.failure(_test(match[1]), _message(lines[at:end]))
            at = end
        elif line.startswith(("FAILURES!", "ERRORS!", "WARNINGS!")):
            kind = ""


def _ends(line: str) -> bool:
    return (
        line == "--"
        or line.startswith(_ENDS)
        or _ENTRY.match(line) is not None
        or (" triggered " in line and _SECTION.match(line) is not None)
    )


def _test(title: str) -> str:
    match = _TEST.match(title)
    if match is None:
        return naming.squeeze(title) if "::" in title else ""
    data = _DATA.search(match["name"])
    return naming.phpunit(match["case"], match["name"][: data.end()] if data else match["name"])


def _message(block: Sequence[str]) -> Sequence[str]:
    end = blocks.until(block, 0, lambda line: _PLACE.match(line.strip()) is not None)
    return block[:end] if any(map(str.strip, block[:end])) else block


def _triggered(block: Sequence[str]) -> Failure:
    """PHPUnit 10 and later: a place, the warning, then "Triggered by:" and the tests."""
    named = next((line[2:] for line in block if line.startswith("* ")), "")
    end = blocks.until(block, 0, lambda line: line.startswith("Triggered by:"))
    return blocks.failure(_test(named), block[:end])


def _pest(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if "FAILED" in line and (match := _PEST.match(line)):
            name = _SHORT.sub("", match["name"])
            end = blocks.until(lines, at + 1, lambda after: after.strip().startswith(("at ", "────")))
            yield blocks.failure(naming.phpunit(match["case"], name), lines[at + 1 : end])


def _dox(lines: Sequence[str]) -> Iterator[Failure]:
    """TestDox tells `Cart`, `✘ Checks out` and the message behind bars."""
    title, case = "", ""
    for at, line in enumerate(lines):
        if line and not line[0].isspace() and "::" not in line and (match := _DOX_CLASS.match(line)):
            title, case = match["title"], match["case"] or ""
        elif (match := _DOX.match(line)) and title:
            end = blocks.until(
                lines, at + 1, lambda after: not after.strip().startswith(("│", "├", "┊", "┴", "┐", "╵", "╷"))
            )
            block = [text.strip().lstrip("│├┊┴┐╵╷ ") for text in lines[at + 1 : end]]
            name = _DOX_TIME.sub("", match[1])
            yield blocks.failure(_undox(title, case, name, block), _message(block))


def _undox(title: str, case: str, name: str, block: Sequence[str]) -> str:
    """`Cart`, `Checks out` -> `CartTest::testChecksOut`, as PHPUnit made the words from the names."""
    name, data = (
        (name.partition(" with ")[0], name[len(name.partition(" with ")[0]) :])
        if " with data set" in name
        else (name, "")
    )
    method = "test" + "".join(word[:1].upper() + word[1:] for word in name.split())
    if not case:
        places = [
            line.rpartition("/")[2].partition(".php")[0] for line in block if _PLACE.match(line.strip())
        ]
        case = places[-1] if places else title.replace(" ", "") + "Test"
    elif not case.endswith("Test"):
        case += "Test"
    found = _DATA.search(data)
    return naming.phpunit(case, method + (found[0] if found else ""))


def _stopped(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if " error: " in line and _FATAL.match(line):
            yield blocks.failure("", lines[at : at + 3])
            return
        if line.startswith(
            (
                "Error in bootstrap script",
                "An error occurred inside PHPUnit",
                "Message:",
                "Cannot open file",
                "Class ",
            )
        ):
            if line.startswith("An error occurred"):
                continue
            yield blocks.failure("", [line.removeprefix("Message:"), *lines[at + 1 : at + 4]])
            return
