"""What ExUnit and busted print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import elixir, lua

EXUNIT = """\
    warning: variable "error" is unused


      1) test totals add up (Crate.LidTest)
         test/lid_test.exs:50
         Assertion with == failed
         code:  assert Lid.total() == 4
         left:  3
         right: 4
         stacktrace:
           test/lid_test.exs:51: (test)

    .Error: noise

      2) test slow (really) (Crate.LidTest)
         test/lid_test.exs:40
         ** (ExUnit.TimeoutError) test timed out after 50ms. You can change the timeout:

           1. per test by setting "@tag timeout: x" (accepts :infinity)

         code: Process.sleep(500)
         stacktrace:
           test/lid_test.exs:41: (test)

      3) doctest Crate.Lid.add/2 (1) (Crate.LidDocTest)
         test/lid_test.exs:3
         Doctest failed

      4) Crate.AllTest: failure on setup_all callback, all tests have been invalidated
         ** (RuntimeError) all broke
         stacktrace:
           test/all_test.exs:73: Crate.AllTest.__ex_unit_setup_all_0/1

    Finished in 0.2 seconds (0.1s on load, 0.07s async, 0.00s sync)
    19 tests, 4 failures, 1 invalid
"""


def test_exunit_tells_module_and_test() -> None:
    found = elixir.read(split(EXUNIT))
    assert told(found) == {
        "Crate.LidTest::test totals add up": "Assertion with == failed",
        "Crate.LidTest::test slow (really)": (
            "(ExUnit.TimeoutError) test timed out after 50ms. You can change the timeout:"
        ),
        "Crate.LidDocTest::doctest Crate.Lid.add/2 (1)": "Doctest failed",
        "Crate.AllTest": "(RuntimeError) all broke",
    }
    assert found is not None
    assert found.failures[0].detail == ("code:  assert Lid.total() == 4", "left:  3", "right: 4")
    assert found.complete


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "** (CompileError) a.exs:5: undefined function lid/1\n    (elixir 1.14.0) lib/code.ex:1245",
            "(CompileError) a.exs:5: undefined function lid/1",
        ),
        (
            '    error: undefined variable "lid"\n    │\n  5 │ lid\n\n'
            "== Compilation error in file lib/a.ex ==\n"
            "** (CompileError) lib/a.ex: cannot compile module A (errors have been logged)",
            'error: undefined variable "lid"',
        ),
        (
            "** (SyntaxError) invalid syntax found on a.exs:6:3:\n    error: unexpected reserved word: end",
            "error: unexpected reserved word: end",
        ),
        ('** (Mix) The task "tst" could not be found', '(Mix) The task "tst" could not be found'),
    ],
)
def test_elixir_that_does_not_compile_names_no_test(text: str, error: str) -> None:
    assert told(elixir.read(text.split("\n"))) == {"": error}


BUSTED = """\
    *-*
    1 success / 1 failure / 3 errors / 1 pending : 0.008839 seconds

    Pending -> spec/lid_spec.lua @ 13
    lid later

    Failure -> spec/lid_spec.lua @ 3
    lid closes
    spec/lid_spec.lua:3: Expected objects to be equal.
    Passed in:
    (number) 5
    Expected:
    (number) 3

    Error -> spec/syn_spec.lua:1: ')' expected near '('
    spec/syn_spec.lua

    Error -> spec/lid_spec.lua @ 14
    lid inner before_each
    spec/lid_spec.lua:14: before broke
    stack traceback:
    \tspec/lid_spec.lua:14: in function <spec/lid_spec.lua:14>

    Error -> spec/load_spec.lua @ 1
    suite spec/load_spec.lua
    spec/load_spec.lua:1: module 'lid' not found:
"""
BUSTED_TOLD = {
    "spec/lid_spec.lua::lid closes": "spec/lid_spec.lua:3: Expected objects to be equal.",
    "spec/syn_spec.lua": "spec/syn_spec.lua:1: ')' expected near '('",
    "spec/lid_spec.lua::lid inner before_each": "spec/lid_spec.lua:14: before broke",
    "spec/load_spec.lua": "spec/load_spec.lua:1: module 'lid' not found:",
}


@pytest.mark.parametrize("arrow", ["->", "→"])
def test_busted_tells_file_and_test(arrow: str) -> None:
    found = lua.read(split(BUSTED.replace("->", arrow)))
    assert told(found) == BUSTED_TOLD
    assert found is not None
    assert found.failures[0].detail == ("Passed in:", "(number) 5", "Expected:", "(number) 3")


def test_busted_s_other_forms_tell_the_same() -> None:
    tap = """\
        ok 1 - lid opens
        not ok 2 - lid closes
        # spec/lid_spec.lua @ 3
        # Failure message: spec/lid_spec.lua:3: Expected objects to be equal.
        # Passed in:
        # (number) 5
        not ok 3 - suite spec/load_spec.lua
        # spec/load_spec.lua @ 1
        # Failure message: spec/load_spec.lua:1: module 'lid' not found:
        1..3
        """
    gtest = """\
        [ RUN      ] spec/lid_spec.lua @ 2: lid opens
        [       OK ] spec/lid_spec.lua @ 2: lid opens (0.04 ms)
        [ RUN      ] spec/lid_spec.lua @ 3: lid closes
        spec/lid_spec.lua:3: Expected objects to be equal.
        Passed in:
        (number) 5
        [  FAILED  ] spec/lid_spec.lua @ 3: lid closes (0.08 ms)
        [  FAILED  ] 1 test, listed below:
        [  FAILED  ] spec/lid_spec.lua @ 3: lid closes
        """
    first = dict([next(iter(BUSTED_TOLD.items()))])
    assert told(lua.read(split(gtest))) == first
    last = dict([list(BUSTED_TOLD.items())[-1]])
    assert told(lua.read(split(tap))) == first | last


def test_busted_finds_nothing_to_run() -> None:
    counts = "0 successes / 0 failures / 1 error / 0 pending : 0.0 seconds"
    assert told(lua.read([counts, "", "Error -> Cannot find file or directory: nospec"])) == {
        "": "Cannot find file or directory: nospec"
    }


@given(st.lists(st.sampled_from([*EXUNIT.split("\n"), *BUSTED.split("\n")])))
def test_parts_of_outputs_in_any_order_are_read(parts: list[str]) -> None:
    elixir.read(split("\n".join(parts)))
    lua.read(split("\n".join(parts)))


def test_other_texts_are_neither_s() -> None:
    rspec = (
        "  1) Crate counts (fast)\n     Failure/Error: x\n\nFinished in 0.1 seconds\n2 examples, 1 failure"
    )
    for text in (
        rspec,
        "not ok 1 - a\n# Failure message: x",
        "[  FAILED  ] Lid.Closes (0 ms)",
        "Error → x",
        "",
    ):
        assert elixir.read(text.split("\n")) is None
    assert lua.read(["not ok 1 - a", "# at a.js:3", "# Failure message: x"]) is None
    assert lua.read(["[  FAILED  ] Lid.Closes (0 ms)"]) is None
    assert elixir.read(split(EXUNIT)) is not None
    assert lua.read(split(BUSTED)) is not None
