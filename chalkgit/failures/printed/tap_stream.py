"""TAP (Test Anything Protocol) as it is: `ok` and `not ok`, YAML blocks, comments after results, subtests.

A subtest is indented; its name stands before it ("# Subtest: name", `not ok 1 - name {`) and in its result.
"""

from __future__ import annotations

import itertools
import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RESULT = re.compile(r"(\s*)(not )?ok\b(?: (\d{1,9}))?(?: -)?(?: (.*))?$")
_PLAN = re.compile(r"\s*1\.\.\d{1,9}\b")
_COUNT = re.compile(r"# (?:tests|pass|fail|skip|skipped|todo|ok|time|failed|duration_ms)\b")
_VALUE = re.compile(r"(\w{1,40}):(?: (.*))?$")
_NESTED = re.compile(r"(name|message): (.*)$")
_FILE = re.compile(r"\S+\.[cm]?[jt]sx?$")
_TIME = re.compile(r"\s+# (?:time|duration)=\S+$")
_DIRECTIVE = re.compile(r"\s#\s*(todo|skip)\b", re.IGNORECASE)
_COMPARED = ("operator", "expected", "actual", "wanted", "got", "found")
_BLOCK_TEXT = ("|-", "|", ">-", ">", "|+")


class Result:
    """One `ok` or `not ok`: the names around it and its own, its number, comments, and what its YAML says."""

    __slots__ = ("comments", "number", "ok", "path", "values")

    def __init__(self, path: list[str], number: str, *, ok: bool) -> None:
        self.path = path
        self.number = number
        self.ok = ok
        self.comments: list[str] = []
        self.values: dict[str, str] = {}


def results(lines: Sequence[str]) -> Iterator[Result]:
    """Every result in the order it was printed; tests that a result holds come before it."""
    suites: list[tuple[int, str]] = []
    current: Result | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        text = line.lstrip()
        deep = len(line) - len(text)
        if text.startswith(("ok", "not ok")) and (match := _RESULT.match(line)):
            if current:
                yield current
            name = _TIME.sub("", _unescaped(match[4] or "").removesuffix(" {").strip())
            suites = [suite for suite in suites if suite[0] < deep]
            ok = not match[2] or bool(_DIRECTIVE.search(line))
            current = Result([title for _, title in suites] + [name], match[3] or "", ok=ok)
            if (match[4] or "").endswith(" {"):
                suites.append((deep, name))
        elif text.startswith("# Subtest: "):
            suites = [suite for suite in suites if suite[0] < deep]
            suites.append((deep, text[len("# Subtest: ") :]))
        elif text == "---" and current:
            at = _yaml(lines, at, deep, current.values)
        elif current and text.startswith("#"):
            if not _COUNT.match(text):
                current.comments.append(text[1:])
        elif (
            current and text and deep and not _PLAN.match(text) and len(current.comments) < blocks.BLOCK_LINES
        ):
            current.comments.append(text)  # mocha and others write what failed without a mark
    if current:
        yield current


def _yaml(lines: Sequence[str], at: int, deep: int, values: dict[str, str]) -> int:
    """Put the scalars of a result's YAML block into `values`; where it ends."""
    key = ""
    end = blocks.until(lines, at, lambda line: blocks.indent(line) == deep and line.strip() == "...")
    base = next((blocks.indent(line) for line in lines[at:end] if line.strip()), deep)  # tape's are deeper
    for line in lines[at:end]:
        text = line.strip()
        if blocks.indent(line) == base and (match := _VALUE.match(text)):
            key, value = match[1], (match[2] or "").strip()
            values.setdefault(key, "" if value in _BLOCK_TEXT else _scalar(value))
        elif key and not values[key] and (match := _NESTED.match(text)):
            values.setdefault(f"{key}.{match[1]}", _scalar(match[2]))  # vitest
        elif key and len(values[key]) < 2_000:
            values[key] += ("\n" if values[key] else "") + text
    return end + 1


def _scalar(value: str) -> str:
    if value[:1] == '"' and value.count('"') == 1:
        return value[1:]  # goes on in the next line
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        inner = value[1:-1]
        return (
            inner.replace("''", "'") if value[0] == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
        )
    return value


def _unescaped(name: str) -> str:
    return name.replace("\\#", "#") if "\\" in name else name


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests of a stream of TAP; None where there is no plan or no result."""
    planned = resulted = False
    for line in lines:
        if not planned and (line.startswith("TAP version ") or ("1.." in line and _PLAN.match(line))):
            planned = True
        elif not resulted and "ok" in line:
            resulted = line.startswith(("ok ", "not ok ", "Bail out!")) and _RESULT.match(line) is not None
        if planned and resulted:
            break
    if not (planned and resulted):
        return None
    found = [_failure(result) for result in leaves(lines)]
    bail = next((line for line in lines if line.startswith("Bail out!")), None)
    if bail:
        found.append(Failure("", bail.removeprefix("Bail out!").strip() or bail))
    return Reading("tap", blocks.once(found))


def failed(lines: Sequence[str]) -> Iterator[Result]:
    """The results that are not ok, in the order they were printed."""
    return (result for result in results(lines) if not result.ok)


def leaves(lines: Sequence[str]) -> Iterator[Result]:
    """The failed results that hold no failed result of their own."""
    found = list(itertools.islice(failed(lines), blocks.FAILURES))
    holding = {tuple(result.path[:deep]) for result in found for deep in range(1, len(result.path))}
    return (result for result in found if tuple(result.path) not in holding)


def _failure(result: Result) -> Failure:
    path = [title for title in result.path if title] or [result.number]
    if len(path) == 1 and " > " in path[0]:
        path = path[0].split(" > ")
    test = naming.vitest(path[0], path[1:]) if _FILE.match(path[0]) else naming.node(path)
    message = result.values.get("error.message")
    if message:
        return blocks.failure(test, f"{result.values.get('error.name', 'Error')}: {message}".splitlines())
    told = result.values.get("message") or result.values.get("error") or ""
    if told:
        return blocks.failure(test, told.splitlines())
    comments = [line.strip() for line in result.comments if line.strip()]
    if len(comments) > 1 and comments[1].endswith(": " + comments[0]):
        comments = comments[1:]  # the message, and then again with its class
    end = blocks.until(comments, 0, blocks.js_frame)
    shown = [f"{key}: {result.values[key]}" for key in _COMPARED if key in result.values]
    return blocks.failure(test, comments[:end] or shown)
