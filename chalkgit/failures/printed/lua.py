"""What busted prints: its terminal handlers (utf, plain), and its TAP and gtest forms, which name the
file."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures import naming
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
_COUNTS = re.compile(r"\d{1,9} success(?:es)? / \d{1,9} failures? / \d{1,9} errors? / \d{1,9} pending")
_TITLE = re.compile(r"(?:Failure|Error) (?:->|→) (\S.{0,1000}?)(?: @ (\d{1,9}))?$")
_TAP_PLACE = re.compile(r"# (\S.{0,500}?) @ \d{1,9}$")
_TAP_MESSAGE = "# Failure message: "
_GTEST = re.compile(
    r"\[ {1,2}(?:FAILED|ERROR) {1,3}\] (\S.{0,500}?) @ \d{1,9}: (.{1,1000}?)(?: \([\d.]{1,20} ms\))?$"
)
_LOAD = re.compile(r"(\S{1,500}\.(?:lua|moon|fnl|tl)):\d{1,9}: ")
_ENDS = (
    "stack traceback:",
    "Failure -> ",
    "Failure → ",
    "Error -> ",
    "Error → ",
    "Pending -> ",
    "Pending → ",
)


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a run of busted; None where this is none."""
    failures: list[Failure] = []
    told: set[str] = set()  # by the gtest form, which sums up at its end
    seen = False
    for at, line in enumerate(lines):
        first = line[:1]
        if first in "FE" and first and (title := _TITLE.match(line)):
            seen = True
            failures.append(_terminal(lines, at, title[1], placed=title[2] is not None))
        elif first == "#" and line.startswith(_TAP_MESSAGE):
            if failure := _tap(lines, at):
                failures.append(failure)
        elif first == "[" and (found := _GTEST.match(line)):
            if (name := _id(found[1], found[2])) not in told:
                told.add(name)
                failures.append(Failure(name, *_gtest(lines, at)))
        elif " pending" in line and _COUNTS.search(line):
            seen = True
    return Reading("busted", failures, complete=seen or bool(failures)) if seen or failures else None


def _id(file: str, name: str) -> str:
    """A file that did not load is told as `suite FILE`, or by its name alone."""
    return naming.file_case(file, "" if name in (file, f"suite {file}") else name)


def _terminal(lines: Sequence[str], at: int, place: str, *, placed: bool) -> Failure:
    following = list(lines[at + 1 : at + 40])
    if not placed:  # a file that did not parse, or nothing to run
        found = _LOAD.match(place)
        return Failure(naming.file_case(found[1], "") if found else "", place)
    name = following[0] if following else ""
    return Failure(_id(place, name), *_told(following[1:]))


def _tap(lines: Sequence[str], at: int) -> Failure | None:
    place = _TAP_PLACE.match(lines[at - 1]) if at else None
    if place is None or at < 2 or not lines[at - 2].startswith("not ok "):
        return None
    name = lines[at - 2].partition(" - ")[2]
    marked = [lines[at][len(_TAP_MESSAGE) :]]
    for line in lines[at + 1 : at + 40]:
        if not line.startswith("#"):
            break
        marked.append(line[2:])
    return Failure(_id(place[1], name), *_told(marked))


def _gtest(lines: Sequence[str], at: int) -> tuple[str | None, list[str]]:
    start = next(
        (i for i in range(at - 1, max(-1, at - 200), -1) if lines[i].startswith("[")), max(-1, at - 200)
    )
    return _told(list(lines[start + 1 : at]) or list(lines[at + 1 : at + 40]))


def _told(following: Sequence[str]) -> tuple[str | None, list[str]]:
    told: list[str] = []
    for line in following:
        if line.startswith(_ENDS) or (not line.strip() and told) or len(told) > DETAIL_LINES:
            break
        if line.strip():
            told.append(line.strip())
    return (text.clean(told[0]), told[1 : 1 + DETAIL_LINES]) if told else (None, [])
