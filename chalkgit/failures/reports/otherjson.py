"""The JSON of rspec, mocha, Playwright and pytest-json-report."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import naming
from chalkgit.failures.reports import firsts
from chalkgit.failures.reports.case import Case, first, told
from chalkgit.failures.reports.documents import dicts, words
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LOADING = re.compile(r"^An error occurred while loading (.{1,400}?)\.?$")
_SEVERAL = re.compile(r"^Got \d{1,6} (?:failures?|other errors?)\b")
_NUMBER = re.compile(r"^\s*\d{1,6}(?:\.\d{1,6})?\) ")
SUITES = thresholds.REPORT_SUITES


def rspec(document: Mapping[str, object], *, complete: bool = True) -> Reading:
    """`rspec --format json`: failed examples, and what failed outside of them."""
    found = [rspec_example(example) for example in dicts(document.get("examples")) if _is(example, "failed")]
    for message in _list(document.get("messages")):
        if words(message).lstrip().startswith("An error occurred "):
            found.append(_outside(words(message)))
    return Reading("rspec", found, complete=complete)


def rspec_example(example: Mapping[str, object]) -> Failure:
    """One example of the document."""
    exception = example.get("exception")
    exception = exception if isinstance(exception, dict) else {}
    message, thrown = words(exception.get("message")), words(exception.get("class"))
    test = naming.rspec(words(example.get("file_path")), words(example.get("full_description")))
    if thrown.endswith("PendingExampleFixedError"):
        return Failure(
            test, f"Expected pending '{words(example.get('pending_message'))}' to fail. No error was raised."
        )
    if not message.strip():
        return Failure(test, f"{thrown}:" if thrown else None)
    if _SEVERAL.match(message):
        if "Failure/Error:" in message:
            return Failure(test, *firsts.rspec_text(message))
        inner = [_NUMBER.sub("", line) for line in told(message)]
        return Failure(test, *first(inner, 1))
    return Failure(test, *first(message))


def _outside(message: str) -> Failure:
    shown = told(message)
    loading = next((found for line in shown[:4] if (found := _LOADING.match(line.strip()))), None)
    return Failure(naming.rspec(loading[1], "") if loading else "", *firsts.rspec_text(message))


def mocha(document: Mapping[str, object], *, complete: bool = True) -> Reading:
    """`mocha --reporter json`, hooks that failed among the failures."""
    return Reading("mocha", [mocha_test(test) for test in dicts(document.get("failures"))], complete=complete)


def mocha_test(test: Mapping[str, object]) -> Failure:
    """One failure of the document: what was thrown, as its stack begins."""
    err = test.get("err")
    err = err if isinstance(err, dict) else {}
    stack, message = words(err.get("stack")), words(err.get("message"))
    return Failure(naming.jest([words(test.get("fullTitle"))]), *first(stack or message))


def pytest(document: Mapping[str, object]) -> Reading:
    """pytest-json-report: collectors and tests, by stage."""
    found = []
    for collector in dicts(document.get("collectors")):
        if _is(collector, "failed", "outcome"):
            node, text = words(collector.get("nodeid")), words(collector.get("longrepr"))
            found.append(_pytest(node, "collection failure", text))
    for test in dicts(document.get("tests")):
        if test.get("outcome") in ("failed", "error"):
            stages = dicts([test.get(stage) for stage in ("setup", "call", "teardown")])
            failed = next((stage for stage in stages if _is(stage, "failed", "outcome")), {})
            message = "".join(words(crash.get("message")) for crash in dicts([failed.get("crash")]))
            found.append(_pytest(words(test.get("nodeid")), message, words(failed.get("longrepr"))))
    return Reading("pytest", found)


def _pytest(node: str, message: str, text: str) -> Failure:
    case = Case({}, (), {})
    case.message, case.text = message, text
    return Failure(naming.python_node(node), *firsts.pytest(case))


def playwright(document: Mapping[str, object]) -> Reading:
    """`playwright test --reporter=json`: what is not ok in the end, after any repetition."""
    return Reading("playwright", list(_playwright(dicts(document.get("suites")))))


def _playwright(suites: Sequence[Mapping[str, object]]) -> Iterator[Failure]:
    waiting: list[tuple[Mapping[str, object], tuple[str, ...]]] = [(suite, ()) for suite in reversed(suites)]
    for _ in range(SUITES):
        if not waiting:
            return
        suite, titles = waiting.pop()
        file, title = words(suite.get("file")), words(suite.get("title"))
        inner = titles if title == file else (*titles, title)
        waiting.extend((one, inner) for one in reversed(dicts(suite.get("suites"))))
        for spec in dicts(suite.get("specs")):
            if spec.get("ok") is False:
                names = [*filter(None, inner), words(spec.get("title"))]
                test = naming.vitest(words(spec.get("file")) or file, names)
                yield Failure(test, *first(_playwright_error(spec)))


def _playwright_error(spec: Mapping[str, object]) -> str:
    for test in dicts(spec.get("tests")):
        for result in dicts(test.get("results")):
            for error in dicts([result.get("error")]):
                return words(error.get("message")) or words(error.get("stack")) or words(error.get("value"))
    return ""


def _is(value: Mapping[str, object], state: str, key: str = "status") -> bool:
    return value.get(key) == state


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
