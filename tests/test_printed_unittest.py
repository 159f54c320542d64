"""What unittest prints is read as the tests that failed and why; so are Python's tracebacks anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from printing import split, told

from chalkgit.failures.printed import python, tracebacks

CASE = """\
import unittest
class TestLid(unittest.TestCase):
    def test_equal(self):
        "The lid fits."
        self.assertEqual({"a": 1}, {"a": 2})
    def test_chain(self):
        try:
            {}["lid"]
        except KeyError as error:
            raise RuntimeError("no lid") from error
    def test_sub(self):
        with self.subTest(i=1):
            self.assertIn("a", "bcd")
    @unittest.expectedFailure
    def test_unexpected(self):
        pass
class TestShelf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no shelf")
    def test_x(self):
        pass
"""


@pytest.mark.parametrize("options", [[], ["-v"], ["-b"]])
def test_unittest_names_module_class_and_method(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "test_lid.py").write_text(CASE, "utf-8")
    (tmp_path / "test_gone.py").write_text("import crates_of_nobody\n", "utf-8")
    command = [sys.executable, "-m", "unittest", *options]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    found = told(python.read(split(ran.stderr)))
    if sys.version_info < (3, 12) and "-v" not in options:  # only told in the count
        found["test_lid.TestLid::test_unexpected"] = None
    assert found == {
        "test_lid.TestLid::test_equal": "AssertionError: {'a': 1} != {'a': 2}",
        "test_lid.TestLid::test_chain": "RuntimeError: no lid",
        "test_lid.TestLid::test_sub (i=1)": "AssertionError: 'a' not found in 'bcd'",
        "test_lid.TestLid::test_unexpected": None,
        "test_lid.TestShelf::setUpClass": "OSError: no shelf",
        "unittest.loader._FailedTest::test_gone": "ModuleNotFoundError: No module named 'crates_of_nobody'",
    }


def test_unittest_before_3_11_left_the_method_out_of_the_brackets() -> None:
    text = f"""\
        {"=" * 70}
        FAIL: test_fits (crate.tests.TestLid)
        {"-" * 70}
        Traceback (most recent call last):
          File "/srv/crate/tests.py", line 6, in test_fits
            self.fail("too small")
        AssertionError: too small

        {"-" * 70}
        Ran 1 test in 0.001s

        FAILED (failures=1)
        """
    assert told(python.read(split(text))) == {"crate.tests.TestLid::test_fits": "AssertionError: too small"}
    assert told(python.read(split(text.replace("FAIL: ", "SKIP: ")))) == {}


def test_the_last_exception_of_a_chain_is_found_at_any_indent() -> None:
    chain = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    {}[1]",
        "KeyError: 1",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in f',
        "    raise ValueError",
        "ValueError: at last",
        "with a second line",
        "",
        "Traceback (most recent call last):",
        '  File "b.py", line 3, in g',
        "OSError: of another",
    ]
    for indent in ("", "    ", "  | "):
        found = tracebacks.last_exception([indent + line for line in chain], 0, len(chain))
        assert found == chain.index("ValueError: at last")
    assert tracebacks.last_exception(chain[:3], 0, 3) is None
