"""What bats, prove and other writers of TAP print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import bats, prove, tap

BATS = """\
    1..6
    ok 1 starts
    not ok 2 counts in 12ms
    # (in test file test/crate.bats, line 3)
    #   `[ 4 -eq 3 ]' failed
    not ok 3 opens # the lid
    # (from function `lift' in file test/lid.bash, line 7,
    #  in test file test/crate.bats, line 6)
    #   `lift' failed with status 4
    # error: lid is stuck
    ok 4 later # skip not yet
    not ok 5 waits # timeout after 1s
    # (in test file test/crate.bats, line 9)
    #   `sleep 5' failed due to timeout
    # Terminated
    not ok 6 setup_file failed
    # (from function `setup_file' in test file test/broken.bats, line 1)
    #   `false' failed
    # no broker
    # bats warning: Executed 1 instead of expected 2 tests
    """
PRETTY = """\
    crate.bats
     ✓ starts
       counts 2/6 in 0 sec ✗ counts [12]
       (in test file test/crate.bats, line 3)
         `[ 4 -eq 3 ]' failed
     ✗ opens # the lid
       (from function `lift' in file test/lid.bash, line 7,
        in test file test/crate.bats, line 6)
         `lift' failed with status 4
       error: lid is stuck
     - later (skipped: not yet)
     ✗ waits [timeout: 1s]
       (in test file test/crate.bats, line 9)
         `sleep 5' failed due to timeout
       Terminated
    broken.bats
     ✗ setup_file failed
       (from function `setup_file' in test file test/broken.bats, line 1)
         `false' failed
       no broker

    6 tests, 4 failures, 1 skipped
    """


@pytest.mark.parametrize("text", [BATS, PRETTY], ids=["tap", "pretty"])
def test_bats_tells_what_a_test_printed_or_the_command_that_failed(text: str) -> None:
    expected = {
        "crate.bats::counts": "`[ 4 -eq 3 ]' failed",
        "crate.bats::opens # the lid": "error: lid is stuck",
        "crate.bats::waits": "`sleep 5' failed due to timeout",
        "broken.bats": "no broker",
    }
    assert told(bats.read(split(text))) == told(tap.read(split(text))) == expected


PROVE = """\

    #   Failed test 'counts'
    #   at t/crate.t line 3.
    #          got: '4'
    #     expected: '3'

    #   Failed test at t/crate.t line 4.

        #   Failed test 'leaf'
        #   at t/crate.t line 6.
        # Looks like you failed 1 test of 1.

    #   Failed test 'outer'
    #   at t/crate.t line 7.

    #   Failed (TODO) test 'later'
    #   at t/crate.t line 8.
    # Looks like you failed 3 tests of 6.
    t/crate.t ..
    Dubious, test returned 3 (wstat 768, 0x300)
    Failed 3/6 subtests
    no broker
    # Looks like your test exited with 255 just after 1.
    t/die.t ....
    Dubious, test returned 255 (wstat 65280, 0xff00)
    Can't locate Lid.pm in @INC at t/lid.t line 1.
    BEGIN failed--compilation aborted at t/lid.t line 1.
    t/lid.t ....
    # Looks like you planned 3 tests but ran 1.
    t/plan.t ...

    Test Summary Report
    -------------------
    t/crate.t   (Wstat: 768 (exited 3) Tests: 6 Failed: 3)
      Failed tests:  2, 4-5
      Non-zero exit status: 3
    t/die.t     (Wstat: 65280 (exited 255) Tests: 1 Failed: 0)
      Non-zero exit status: 255
      Parse errors: No plan found in TAP output
    t/lid.t     (Wstat: 512 (exited 2) Tests: 0 Failed: 0)
      Parse errors: No plan found in TAP output
    t/plan.t    (Wstat: 65280 (exited 255) Tests: 1 Failed: 0)
      Parse errors: Bad plan.  You planned 3 tests but ran 1.
    t/segv.t    (Wstat: 11 (Signal: SEGV) Tests: 0 Failed: 0)
      Non-zero wait status: 11
    Files=5, Tests=8,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.05 cusr  0.00 csys =  0.07 CPU)
    Result: FAIL
    """


def test_prove_tells_outermost_tests_and_how_files_died() -> None:
    reading = prove.read(split(PROVE))
    assert told(reading) == {
        "t/crate.t::counts": "Failed test 'counts'",
        "t/crate.t::4": "Failed test at t/crate.t line 4.",
        "t/crate.t::outer": "Failed test 'leaf'",
        "t/die.t": "no broker",
        "t/lid.t": "Can't locate Lid.pm in @INC at t/lid.t line 1.",
        "t/plan.t": "Looks like you planned 3 tests but ran 1.",
        "t/segv.t": "Non-zero wait status: 11",
    }
    assert reading is not None
    assert reading.failures[0].detail == ("got: '4'", "expected: '3'")
    assert told(tap.read(split(PROVE))) == told(reading)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "TAP version 13\n1..2\nok 1 a\nnot ok 2 crate counts\n  stuck\n  RangeError: stuck\n"
            "      at f (a.js:6:11)\n# tests 2\n# fail 1\n",
            {"crate counts": "RangeError: stuck"},
        ),
        (
            "TAP version 13\n1..1\nnot ok 1 - a.test.js # time=3.1ms {\n    1..1\n"
            "    not ok 1 - counts # time=1ms\n        ---\n        error:\n"
            '            name: "AssertionError"\n            message: "expected 4 to be 3"\n        ...\n}\n',
            {"a.test.js::counts": "AssertionError: expected 4 to be 3"},
        ),
        (
            "TAP version 14\nnot ok 1 - should be equal\n  ---\n    operator: equal\n    expected: 3\n"
            "    actual:   4\n  ...\nok 2 x # TODO y\nnot ok 3 z # TODO w\n1..3\n",
            {"should be equal": "operator: equal"},
        ),
        ("1..2\nok 1 a\nBail out! no broker\n", {"": "no broker"}),
    ],
    ids=["mocha", "vitest", "tape", "bail out"],
)
def test_any_stream_of_tap_tells_its_failures(text: str, expected: dict[str, str]) -> None:
    assert told(tap.read(text.splitlines())) == expected


def test_a_text_without_a_plan_is_no_tap() -> None:
    assert tap.read(["not ok 1 - a"]) is None
    assert tap.read(["1..1", "not ok 1 - a"]) is not None
    assert tap.read(["1..10 of the pages", "okay"]) is None


LINES = sorted({line for text in (BATS, PRETTY, PROVE) for line in split(text)})


@given(st.lists(st.sampled_from(LINES), max_size=80))
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    reading = tap.read(mixed)
    assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
