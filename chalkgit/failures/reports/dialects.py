"""Who wrote a JUnit report, by its own marks; what the test is called there, and where its first error line
stands.

A dialect is known from names and attributes that its writer gives every testcase, then from the text; what
nobody knows is read by the rule for all: `classname::name`, type and message.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.reports import firsts, gotest, marks
from chalkgit.failures.reports.case import Case, told
from chalkgit.failures.run import Failure

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GO_BUILDS = ("", "TestMain", "[build failed]", "[setup failed]", "Failure")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TAP_NUMBER = re.compile(r"^\d{1,6}(?: - | |$)")
_LUA_PLACE = re.compile(r"^(\S{1,400}\.(?:lua|moon)):\d{1,9}: ")


class Dialect:
    """runner: as `Reading.runner`. known: whether a testcase is of it. test: its id. error: its first
    line."""

    __slots__ = ("error", "known", "runner", "test")

    def __init__(
        self,
        runner: str,
        known: Callable[[Case], bool],
        test: Callable[[Case], str],
        error: Callable[[Case], firsts.First],
    ) -> None:
        self.runner = runner
        self.known = known
        self.test = test
        self.error = error


def of(case: Case) -> Dialect:
    """The first dialect that knows the testcase; the last knows every one."""
    return next(dialect for dialect in DIALECTS if dialect.known(case))


def failures(cases: Sequence[Case]) -> tuple[str, list[Failure]]:
    """(the runner of the first failing test, the failures). Go's parents of failing subtests are left out."""
    found: list[Failure] = []
    runner = ""
    told_suite = ""
    for case in cases:
        dialect = of(case)
        if case.kind == "skipped" and dialect.runner != "ctest":
            continue
        if dialect.runner == "tap" and not case.name and case.suite == told_suite:
            continue  # prove's word for a program whose failing tests are told already
        told_suite = case.suite
        runner = runner or dialect.runner
        test = dialect.test(case)
        error, detail = dialect.error(case)
        found.append(Failure(test, error, detail))
    return runner or "junit", _leaves(found) if runner == "go" else found


def _leaves(found: Sequence[Failure]) -> list[Failure]:
    parts = {failure.test: failure.test.partition("::") for failure in found}
    kept = set(gotest.leaves(sorted({(package, name) for package, _, name in parts.values()})))
    return [failure for failure in found if parts[failure.test][::2] in kept]


def _pytest_id(case: Case) -> str:
    if case.name.endswith(".py") and not case.classname:
        return naming.python_node(case.name)
    if (case.classname, case.name) == ("pytest", "internal"):
        return ""
    if case.classname and case.name:
        # said twice where they are equal: `test_a.py::test_a` has the classname test_a
        return f"{naming.squeeze(case.classname)}::{naming.squeeze(case.name)}"
    return naming.from_report(case.classname, case.name, (), case.file)


def _titles_id(case: Case) -> str:
    """jest and mocha: the longer of the two says both, else they are joined as they are printed."""
    classname, name = naming.squeeze(case.classname), naming.squeeze(case.name)
    if classname == "Test suite failed to run" or (not case.attributes and case.file):
        return naming.slashed(case.name or case.file)
    if not classname or classname == name or name.endswith(" " + classname) or _SCRIPT.search(classname):
        return name
    if classname.endswith(" " + name):
        return classname
    return naming.jest([classname, name])


def _vitest_id(case: Case) -> str:
    return naming.vitest(case.classname or case.suite, [case.name] if case.name else [])


def _node_id(case: Case) -> str:
    names = [*case.names, case.name] if case.name else case.names
    return naming.node([name.replace("&quot;", '"') for name in names])  # node escapes quotes twice


def _rspec_id(case: Case) -> str:
    return naming.rspec(case.file, case.name) if case.file else naming.joined(case.classname, case.name)


def _go_id(case: Case) -> str:
    package = case.suite if case.suite and case.suite.endswith(case.classname) else case.classname
    own = case.name in _GO_BUILDS and f"--- FAIL: {case.name}" not in case.text
    return naming.go(package, "" if own else case.name)


def _phpunit_id(case: Case) -> str:
    return naming.phpunit(case.attributes.get("class") or case.classname, case.name)


def _gtest_id(case: Case) -> str:
    return naming.gtest(case.classname or case.suite, case.name)


def _catch2_id(case: Case) -> str:
    return naming.joined(case.classname, case.name)


def _file_id(case: Case) -> str:
    return naming.file_case(case.classname or case.suite, case.name)


def _tap_id(case: Case) -> str:
    """TAP::Formatter::JUnit makes `cart_t` (before its version 0.10 `t_cart_t`) of t/cart.t, and numbers the
    tests."""
    file = case.classname or case.suite
    if file.endswith("_t") and "/" not in file:
        file = f"t/{file.removeprefix('t_').removesuffix('_t')}.t"
    return naming.file_case(file, _TAP_NUMBER.sub("", case.name) or case.name)


def _busted_id(case: Case) -> str:
    """Of a hook that failed the file is known alone."""
    place = _LUA_PLACE.match(case.text)
    return naming.file_case(case.classname or (place[1] if place else ""), case.name)


def _go_error(case: Case) -> firsts.First:
    shown = told(case.text)
    crashed = any(line.startswith("goroutine ") for line in shown)
    if case.name in _GO_BUILDS and "=== RUN" not in case.text:
        built = not crashed and any(".go:" in line for line in shown)
        return gotest.build(shown) if built else gotest.pick(shown, package=True)
    if not crashed and not any(line[:1].isspace() for line in shown):
        shown = [f"    {line}" for line in shown]  # go-junit-report takes the indentation off
    return gotest.pick(shown)


def _generic_id(case: Case) -> str:
    return naming.from_report(case.classname, case.name, case.names, case.file)


DIALECTS = (
    Dialect("pytest", marks.pytest, _pytest_id, firsts.pytest),
    Dialect("jest", marks.jest, _titles_id, firsts.jest),
    Dialect("vitest", marks.vitest, _vitest_id, firsts.text),
    Dialect("node", marks.node, _node_id, firsts.node),
    Dialect("mocha", marks.mocha, _titles_id, firsts.mocha),
    Dialect("playwright", marks.playwright, _vitest_id, firsts.playwright),
    Dialect("rspec", marks.rspec, _rspec_id, firsts.rspec),
    Dialect("go", marks.go, _go_id, _go_error),
    Dialect("gtest", marks.gtest, _gtest_id, firsts.gtest),
    Dialect("ctest", marks.ctest, lambda case: naming.ctest(case.name), firsts.ctest),
    Dialect("catch2", marks.catch2, _catch2_id, firsts.catch2),
    Dialect(
        "minitest",
        marks.minitest,
        lambda case: naming.minitest(case.classname or case.suite, case.name),
        firsts.minitest,
    ),
    Dialect("phpunit", marks.phpunit, _phpunit_id, firsts.phpunit),
    Dialect("rust", marks.rust, lambda case: naming.cargo(case.classname, case.name), firsts.rust),
    Dialect("exunit", marks.exunit, lambda case: naming.exunit(case.classname, case.name), firsts.exunit),
    Dialect("bats", marks.bats, _file_id, firsts.bats),
    Dialect("tap", marks.tap, _tap_id, firsts.tap),
    Dialect("ant", marks.ant, lambda case: naming.java(case.classname, case.name), firsts.ant),
    Dialect("java", marks.java, lambda case: naming.java(case.classname, case.name), firsts.text),
    Dialect("busted", marks.busted, _busted_id, firsts.text),
    Dialect("unittest", marks.python, _generic_id, firsts.generic),
    Dialect("junit", lambda case: True, _generic_id, firsts.generic),
)
