"""What pytest and unittest print is read as the tests that failed and why, in whatever style."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from printing import split, told

from chalkgit.failures.printed import python

SUITE = """\
import unittest

import pytest


class TestCrate:
    class TestLid:
        def test_deep(self):
            assert [1, 2] == [1, 3], "lid is off"

    def test_chain(self):
        try:
            {}["lid"]
        except KeyError as error:
            raise RuntimeError("no lid\\nsecond line") from error


@pytest.mark.parametrize("name", ["a - b", "c::d", "g [h] - i", ""])
def test_named(name):
    assert name == "crate"


@pytest.fixture
def shelf():
    raise OSError(2, "No such shelf")


@pytest.fixture
def table():
    yield
    raise RuntimeError("table is dirty")


def test_setup(shelf):
    pass


def test_both(table):
    assert len("ab") == 3


def test_loud():
    print("E   a lie\\n____ a title ____\\nFAILED tests/x.py::nope - boo")
    raise ValueError("not a crate: " + "x" * 90)


def test_silent():
    raise ValueError


def test_together():
    raise ExceptionGroup("two", [ValueError("a"), TypeError("b")])


@pytest.mark.xfail(strict=True, reason="this sample passes on purpose")
def test_unexpected():
    pass


class TestOld(unittest.TestCase):
    def test_equal(self):
        self.assertEqual("a\\nb", "a\\nc")


def test_fine():
    print("error: none")
"""
WHY = {
    "tests.test_crate.TestCrate.TestLid::test_deep": "AssertionError: lid is off",
    "tests.test_crate.TestCrate::test_chain": "RuntimeError: no lid",
    "tests.test_crate.TestOld::test_equal": "AssertionError: 'a\\nb' != 'a\\nc'",
    "tests.test_crate::test_both": "AssertionError: assert 2 == 3",
    "tests.test_crate::test_loud": "ValueError: not a crate: " + "x" * 90,
    "tests.test_crate::test_named[]": "AssertionError: assert '' == 'crate'",
    "tests.test_crate::test_named[a - b]": "AssertionError: assert 'a - b' == 'crate'",
    "tests.test_crate::test_named[c::d]": "AssertionError: assert 'c::d' == 'crate'",
    "tests.test_crate::test_named[g [h] - i]": "AssertionError: assert 'g [h] - i' == 'crate'",
    "tests.test_crate::test_setup": "FileNotFoundError: [Errno 2] No such shelf",
    "tests.test_crate::test_silent": "ValueError",
    "tests.test_crate::test_together": "ExceptionGroup: two (2 sub-exceptions)",
    "tests.test_crate::test_unexpected": "[XPASS(strict)] this sample passes on purpose",
}


@pytest.fixture(name="crate", scope="session")
def crate_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("crate")
    (root / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (root / "tests").mkdir()
    (root / "tests/test_crate.py").write_text(SUITE, "utf-8")
    return root


def run(root: Path, *options: str) -> str:
    """What the real pytest prints."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:chalkgit", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False).stdout


@pytest.mark.parametrize(
    "options",
    ["", "-q", "-v -l", "-rA", "--tb=short", "--tb=long -vv", "--color=yes", "-rN"],
)
def test_all_styles_of_pytest_tell_the_same_failures(crate: Path, options: str) -> None:
    found = python.read(split(run(crate, *options.split())))
    assert found is not None
    first: dict[str, str | None] = {}
    for failure in found.failures:  # a test that failed and was not torn down has two
        first.setdefault(failure.test, failure.error)
    if options == "-rN":  # nothing tells where the one stands that did not raise
        first["tests.test_crate::test_unexpected"] = first.pop("")
    assert first == WHY
    assert found.root == (None if options == "-q" else str(crate))
    assert found.complete


def test_native_tracebacks_name_the_last_exception(crate: Path) -> None:
    found = told(python.read(split(run(crate, "--tb=native", "-k", "chain or silent or loud"))))
    assert found == {test: why for test, why in WHY.items() if test.endswith(("chain", "silent", "loud"))}


def test_one_line_a_failure_is_enough(crate: Path) -> None:
    found = told(python.read(split(run(crate, "--tb=line", "-k", "chain or silent or loud"))))
    assert found == {test: why for test, why in WHY.items() if test.endswith(("chain", "silent", "loud"))}


def test_without_tracebacks_the_summary_tells_what_it_can(crate: Path) -> None:
    found = told(python.read(split(run(crate, "--tb=no", "-k", "chain or silent or loud"))))
    assert list(found) == [test for test in sorted(WHY) if test.endswith(("chain", "loud", "silent"))]
    assert (found["tests.test_crate::test_loud"] or "").startswith("ValueError: not a crate: xxx")


def test_a_file_that_does_not_load_is_its_own_id(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import crates_of_nobody\n", "utf-8")
    (tmp_path / "test_b.py").write_text("def test_x()\n    pass\n", "utf-8")
    found = told(python.read(split(run(tmp_path))))
    assert found == {
        "test_a": "ModuleNotFoundError: No module named 'crates_of_nobody'",
        "test_b": "SyntaxError: expected ':'",
    }


def test_a_doctest_s_expectation_is_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(
        'def f():\n    """\n    >>> f()\n    2\n    """\n    return 1\n', "utf-8"
    )
    found = python.read(split(run(tmp_path, "--doctest-modules")))
    assert told(found) == {"mod::mod.f": "Expected:"}
    assert found is not None
    assert found.failures[0].detail[:3] == ("2", "Got:", "1")


def test_options_that_are_none_and_folders_that_are_not_there(tmp_path: Path) -> None:
    found = told(python.read(split(run(tmp_path, "nowhere.py"))))
    assert found == {"": "ERROR: file or directory not found: nowhere.py"} or "" in found
    text = """\
        ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]
        pytest: error: unrecognized arguments: --lid
          inifile: None
          rootdir: /srv/crate
        """
    assert told(python.read(split(text))) == {"": "pytest: error: unrecognized arguments: --lid"}


def test_nothing_collected_is_told_as_it_was_printed(tmp_path: Path) -> None:
    (tmp_path / "test_none.py").write_text("", "utf-8")
    (line,) = told(python.read(split(run(tmp_path)))).values()
    assert line is not None
    assert line.strip("= ").startswith("no tests ran in ")


def test_a_run_that_passed_has_no_failure(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_error_path(): print('E   no')\n", "utf-8")
    assert told(python.read(split(run(tmp_path, "-v", "-s")))) == {}
    (tmp_path / "test_a.py").write_text("def test_error_path(): assert 0\n", "utf-8")
    assert told(python.read(split(run(tmp_path, "-v", "-s")))) == {"test_a::test_error_path": "assert 0"}


def test_other_texts_are_neither_s() -> None:
    for text in ("FAIL\texample.com/shop\t0.1s", "1 failing", "= a heading =", "ERROR: no such thing", ""):
        assert python.read(split(text)) is None
    assert python.read(split("=== 1 failed in 0.1s ===")) is not None
