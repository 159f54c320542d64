"""Who wrote a JUnit report: the names and attributes that a writer gives every testcase, then its text."""

from __future__ import annotations

import re

from chalkgit.failures.reports.case import Case, told

_EXUNIT = re.compile(r"^\s{0,8}\d{1,6}\) (?:test|doctest|property) ")
_LINE = re.compile(r"^.{1,400}:\d{1,9}$")
_JAVA_FRAME = re.compile(r"^[ \t]{0,16}at [\w.$/@]{1,300}\(", re.MULTILINE)
_LUA_PLACE = re.compile(r"^(\S{1,400}\.(?:lua|moon)):\d{1,9}: ")
_NODE_TYPES = (
    "testCodeFailure",
    "testTimeoutFailure",
    "cancelledByParent",
    "hookFailed",
    "multipleResolves",
    "uncaughtException",
    "unhandledRejection",
    "subtestsFailed",
    "testAborted",
)


def _begins(case: Case) -> str:
    return case.text.lstrip()[:200]


def _tool(case: Case) -> str:
    return case.root.get("name", "")


def pytest(case: Case) -> bool:
    if _tool(case) == "pytest tests" or case.suite == "pytest":
        return True
    return (
        case.text.startswith("E   ")
        or "\nE   " in case.text
        or case.message.startswith(("failed on setup with", "collection failure"))
    )


def jest(case: Case) -> bool:
    return (
        _tool(case) == "jest tests"
        or "/node_modules/jest-" in case.text
        or case.classname == "Test suite failed to run"
    )


def vitest(case: Case) -> bool:
    return _tool(case) == "vitest tests" or "\n ❯ " in case.text


def mocha(case: Case) -> bool:
    return "Mocha Tests" in (_tool(case), case.suite) or "/node_modules/mocha/" in case.text


def node(case: Case) -> bool:
    return "[ERR_TEST_FAILURE]" in case.text or (case.classname == "test" and case.type in _NODE_TYPES)


def playwright(case: Case) -> bool:
    return case.type == "FAILURE" and " › " in case.text[:500]


def rspec(case: Case) -> bool:
    return case.suite.startswith("rspec") or _begins(case).startswith("Failure/Error")


def go(case: Case) -> bool:
    if "go" in case.properties or _begins(case).startswith(("=== RUN", "--- FAIL: ")):
        return True
    if case.name in ("[build failed]", "[setup failed]"):
        return True
    return case.message.startswith("Failed") and (".go:" in case.text or "panic: " in case.text)


def gtest(case: Case) -> bool:
    if _tool(case) == "AllTests" or (case.attributes.get("status") == "run" and "result" in case.attributes):
        return True
    first = told(case.message)[:1]
    return bool(first) and first[0].startswith("unknown file") and "C++ exception" in case.message


def phpunit(case: Case) -> bool:
    return ("assertions" in case.attributes and "class" in case.attributes) or case.type.startswith(
        "PHPUnit\\"
    )


def ctest(case: Case) -> bool:
    return (
        case.attributes.get("status") in ("run", "fail", "notrun", "disabled") and case.classname == case.name
    )


def catch2(case: Case) -> bool:
    return case.classname.endswith(".global") or _begins(case).startswith("FAILED:")


def rust(case: Case) -> bool:
    return (
        "panicked at " in case.text
        or "panicked at " in case.message
        or "panicked at " in case.out
        or "nextest" in _tool(case)
    )


def exunit(case: Case) -> bool:
    return case.classname.startswith("Elixir.") or _EXUNIT.match(case.text) is not None


def bats(case: Case) -> bool:
    return case.classname.endswith(".bats") or case.suite.endswith(".bats")


def tap(case: Case) -> bool:
    if not case.name:
        return case.message.startswith("Dubious, test returned ")
    return case.message.startswith("not ok ") or _begins(case).startswith("not ok ")


def minitest(case: Case) -> bool:
    if "lineno" in case.attributes and "assertions" in case.attributes:
        return True
    return case.type.startswith("Minitest::")


def busted(case: Case) -> bool:
    return _LINE.match(case.classname) is not None or _LUA_PLACE.match(case.text) is not None


def ant(case: Case) -> bool:
    return "ant" in case.properties


def java(case: Case) -> bool:
    return _JAVA_FRAME.search(case.text) is not None and not case.classname.endswith((".js", ".ts"))


def python(case: Case) -> bool:
    return "Traceback (most recent call last):" in case.text
