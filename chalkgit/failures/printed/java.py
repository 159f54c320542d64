"""What Maven, Gradle and Ant print of JUnit and TestNG tests, and of builds that fail before.

Surefire and failsafe tell each failure below the class that ran (`method(Case)`, since 3.0 `Case.method`),
with `<<< FAILURE!` or `<<< ERROR!` at the end of the line.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import ant, blocks, gradle
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEVEL = re.compile(r"\[(?:INFO|ERROR|WARNING|FATAL|DEBUG)\] ?")
_RUNNING = re.compile(r"Running ((?:[\w$]+\.)*[\w$]+)$")
_IN = re.compile(r" --? in ([\w.$]+)$")
_ENDED = re.compile(r"(?P<title>\S.*?) (?:--| ) ?Time elapsed: [\d.,]+ (?:s|sec|ms)\s+<<< (?:FAILURE|ERROR)!")
_OLD = re.compile(r"(?P<method>\S.*)\((?P<case>[\w$.]+)\)$")
_DOTTED = re.compile(r"(?P<case>(?:[\w$]+\.)*[A-Z][\w$]*)(?:\.(?P<method>[a-z_$]\S.*))?$")
_SUMMED = re.compile(r"Tests run: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}")
_COUNTED = re.compile(
    r"(?P<case>[A-Z][\w$]*(?:\.[A-Z][\w$]*)*)\.(?P<method>[\w$]+)(?::\d{1,9})?(?:->\S+)? (?P<error>.*)$"
)
_COUNTED_OLD = re.compile(r"(?P<method>\S+)\((?P<case>[\w$.]+)\): (?P<error>.*)$")
_CRASHED = re.compile(r"(?:[\w$]+\.)+[\w$]+$")
_COMPILER = re.compile(r"\S.*\.(?:java|kt|groovy|scala):(?:\[\d{1,9}(?:,\d{1,9})?\]|\d{1,9}(?::\d{1,9})?:) ")
_FORK = (
    "The forked VM terminated",
    "There was a timeout or other error in the fork",
    "ExecutionException",
    "Error occurred in starting fork",
)
_NOT_TOLD = (
    "COMPILATION ERROR",
    "Tests run:",
    "Failures:",
    "Errors:",
    "->",
    "Please refer",
    "Re-run Maven",
    "To see the full",
    "For more information",
    "[Help",
    "BUILD",
)


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that Maven, Gradle or Ant printed; None where this is the output of none of them."""
    kind = ""
    for line in lines:
        if line.startswith("["):
            if line.startswith(("[INFO] ", "[ERROR] ", "[FATAL] ")):
                kind = "maven"
                break
        elif "<<< " in line and _ENDED.match(line.strip()):
            kind = "maven"
            break
        elif line.startswith(("> Task :", "FAILURE: Build failed with an exception")) or gradle.FAILED.match(
            line
        ):
            kind = "gradle"
            break
        elif line.startswith(("Buildfile: ", "Testsuite: ")) or line.strip().startswith("[junit] "):
            kind = "ant"
            break
    if not kind:
        return None
    if kind == "gradle":
        return gradle.read(lines)
    return ant.read(lines) if kind == "ant" else _maven(lines)


def _maven(lines: Sequence[str]) -> Reading | None:
    plain = [_LEVEL.sub("", line, count=1) if line.startswith("[") else line for line in lines]
    found = blocks.once(_failures(lines, plain)) or blocks.once(_counted(plain))
    found = blocks.once([*found, *_crashed(plain)])
    if not found:
        found = blocks.once(_stopped(lines, plain))
    if not found and not any("BUILD " in line for line in plain):
        return None
    return Reading("surefire", found, complete=any("BUILD " in line for line in plain))


def _failures(lines: Sequence[str], plain: Sequence[str]) -> Iterator[Failure]:
    case = ""
    for at, line in enumerate(plain):
        if line.startswith("Running "):
            match = _RUNNING.match(line)
            case = match[1] if match else case
        elif line.startswith("Tests run:"):
            match = _IN.search(line)  # with -q nothing else names the class
            case = match[1] if match else case
        elif "<<< " in line and (match := _ENDED.match(line.strip())):
            end = blocks.until(lines, at + 1, _ends)
            title = match["title"].strip()
            named = _nested(title, case, lines[at + 1 : end + 40])
            yield blocks.failure(_id(title, named or case), lines[at + 1 : end])


def _ends(line: str) -> bool:
    text = line.strip()
    return text.startswith(("at ", "... ", "Caused by: ", "[")) and (
        not text.startswith("[") or _LEVEL.match(text) is not None
    )


def _nested(title: str, case: str, block: Sequence[str]) -> str:
    """The class of a test inside of the one that ran: surefire 2 names the method, a frame the class."""
    method = title.partition("(")[0].partition("{")[0].partition("[")[0]
    start, end = f"at {case}$", f".{method}("
    for line in block:
        text = line.strip()
        if text.startswith(start) and end in text:
            named = text[len("at ") :].partition(end)[0]
            return named if ".lambda$" not in named else ""
        if text.startswith("["):
            break
    return ""


def _id(title: str, case: str) -> str:
    """`checksOut(shop.CartTest)`, `shop.CartTest.checksOut`, `shop.CartTest$Inner.sum(int)[2]`, `checksOut`,
    `shop.CartTest`, below `Running shop.CartTest`."""
    if case and title == case:
        return case
    if case and title.startswith((case + ".", case + "$")):
        inner, _, method = title[len(case) :].partition(".")
        return naming.java(case + inner, method)
    if (match := _OLD.match(title)) and (not case or match["case"] == case or "." in match["case"]):
        # the class of a parameter stands in the same brackets, but has no dot or is not the class that ran
        return naming.java(match["case"], match["method"])
    if match := _DOTTED.match(title):
        return naming.java(match["case"], match["method"] or "")
    return naming.java(case, title)


def _counted(plain: Sequence[str]) -> Iterator[Failure]:
    """The summary's list, which cuts long messages: read where the failures themselves are not printed (`-q`,
    `redirectTestOutputToFile`, an output cut at its beginning)."""
    within = False
    for line in plain:
        text = line.strip()
        if text in ("Failures:", "Errors:", "Failed tests:", "Tests in error:"):
            within = True
        elif text.startswith("Failed tests: "):
            within = True
            text = text.removeprefix("Failed tests: ").strip()
        elif _SUMMED.match(text):
            within = False
        if not within or not text:
            continue
        match = _COUNTED_OLD.match(text) or _COUNTED.match(text)
        if match:
            yield Failure(naming.java(match["case"], match["method"]), match["error"].removeprefix("» "))


def _crashed(plain: Sequence[str]) -> Iterator[Failure]:
    """The classes that ran when the fork ended: `Crashed tests:`, then one a line."""
    start = next((at for at, line in enumerate(plain) if line.startswith("Crashed tests:")), len(plain))
    reason = next(
        (line[line.index(word) :] for line in plain for word in _FORK if word in line), None
    )  # without the exception's class, which some of these lines lack
    for line in plain[start + 1 : start + 1 + blocks.BLOCK_LINES]:
        if not _CRASHED.match(line.strip()):
            return
        yield blocks.failure(line.strip(), [reason] if reason else [])


def _stopped(lines: Sequence[str], plain: Sequence[str]) -> Iterator[Failure]:
    """What ended the build before or outside of a test: the compiler, the fork, a dependency, the POM."""
    errors = [
        at
        for at, line in enumerate(lines)
        if line.startswith(("[ERROR] ", "[FATAL] ")) or ": error: " in line
    ]
    told = [at for at in errors if plain[at].strip() and not plain[at].strip().startswith(_NOT_TOLD)]
    at = next((at for at in errors if _COMPILER.match(plain[at])), told[0] if told else None)
    if at is not None:
        yield blocks.failure("", [plain[at], *plain[at + 1 : blocks.until(lines, at + 1, _leveled)]])


def _leveled(line: str) -> bool:
    return line.startswith("[")
