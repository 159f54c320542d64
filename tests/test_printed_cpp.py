"""What GoogleTest, ctest, Catch2, doctest and compilers print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import catch2, compiler, ctest, gtest

GTEST = """\
    [==========] Running 5 tests from 3 test suites.
    [----------] Global test environment set-up.
    [----------] 1 test from Broken
    crate_test.cc:17: Failure
    Failed
    no broker

    [ RUN      ] Broken.A
    crate_test.cc:17: Skipped

    [  SKIPPED ] Broken.A (0 ms)
    [----------] 3 tests from CrateTest
    [ RUN      ] CrateTest.Counts
    [  FAILED  ] Not.This
    some log: error: no failure
    crate_test.cc:14: Failure
    Expected equality of these values:
      crate.count()
        Which is: 4
      3
    crate_test.cc:15: Failure
    Value of: crate.open()
    [  FAILED  ] CrateTest.Counts (0 ms)
    [ RUN      ] CrateTest.Throws
    unknown file: Failure
    C++ exception with description "stuck" thrown in the test body.
    [  FAILED  ] CrateTest.Throws (1 ms)
    [ RUN      ] Qty/P.Doubles/1
    crate_test.cc:22: Failure
    Expected: (GetParam() * 2) < (6), actual: 6 vs 6
    [  FAILED  ] Qty/P.Doubles/1, where GetParam() = 3 (0 ms)
    [----------] Global test environment tear-down
    [==========] 5 tests from 3 test suites ran. (2 ms total)
    [  FAILED  ] 3 tests, listed below:
    [  FAILED  ] CrateTest.Counts
    [  FAILED  ] CrateTest.Throws
    [  FAILED  ] Qty/P.Doubles/1, where GetParam() = 3
    [  FAILED  ] Broken: SetUpTestSuite or TearDownTestSuite
    """
CRASHED = """\
    [==========] Running 2 tests from 1 test suite.
    [ RUN      ] CrateTest.Starts
    [       OK ] CrateTest.Starts (0 ms)
    [ RUN      ] CrateTest.Counts
    """


def test_googletest_tells_the_first_failure_of_each_test_and_of_a_suites_set_up() -> None:
    reading = gtest.read(split(GTEST))
    assert told(reading) == {
        "CrateTest.Counts": "crate_test.cc:14: Failure",
        "CrateTest.Throws": 'C++ exception with description "stuck" thrown in the test body.',
        "Qty/P.Doubles/1": "crate_test.cc:22: Failure",
        "Broken": "crate_test.cc:17: Failure",
    }
    assert reading is not None
    assert reading.failures[0].detail == (
        "Expected equality of these values:",
        "crate.count()",
        "Which is: 4",
        "3",
    )


@pytest.mark.parametrize(
    ("last", "error"),
    [
        ("bash: line 9: 20035 Segmentation fault      ./crate_test", None),
        (
            "terminate called after throwing an instance of 'std::runtime_error'\n      what():  stuck",
            "what():  stuck",
        ),
        (
            "crate_test: crate_test.cc:9: void f(): Assertion `lid' failed.",
            "crate_test: crate_test.cc:9: void f(): Assertion `lid' failed.",
        ),
    ],
)
def test_the_test_that_began_and_never_ended_is_the_one_that_crashed(last: str, error: str | None) -> None:
    reading = gtest.read(split(CRASHED + last))
    assert told(reading) == {"CrateTest.Counts": error}
    assert reading is not None
    assert not reading.complete


CTEST = """\
    Test project /srv/shop/build
        Start 1: CrateTest.Starts
    1/6 Test #1: CrateTest.Starts .................   Passed    0.00 sec
        Start 2: CrateTest.Waits
    2/6 Test #2: CrateTest.Waits ..................***Timeout   2.01 sec
    [ RUN      ] CrateTest.Waits
        Start 3: CrateTest.Counts
    3/6 Test #3: CrateTest.Counts .................***Failed    0.01 sec
    [ RUN      ] CrateTest.Counts
    crate_test.cc:14: Failure
    Value of: crate.open()
    [  FAILED  ] CrateTest.Counts (0 ms)

        Start 4: a b/c
    4/6 Test #4: a b/c ............................***Failed    0.01 sec
    opening
    error: lid is stuck
    closing

        Start 5: crashes
    5/6 Test #5: crashes ..........................***Exception: SegFault  0.10 sec
    opening

        Start 6: missing
    Could not find executable crate
    Looked in the following places:
    crate
    6/6 Test #6: missing ..........................***Not Run   0.00 sec

    17% tests passed, 5 tests failed out of 6

    The following tests FAILED:
    \t  2 - CrateTest.Waits (Timeout)
    \t  3 - CrateTest.Counts (Failed)
    \t  4 - a b/c (Failed)
    \t  5 - crashes (SEGFAULT)
    \t  6 - missing (Not Run)
    Errors while running CTest
    """


def test_ctest_tells_what_the_test_printed_or_how_ctest_says_it_ended() -> None:
    assert told(ctest.read(split(CTEST))) == {
        "CrateTest.Waits": "2/6 Test #2: CrateTest.Waits ..................***Timeout   2.01 sec",
        "CrateTest.Counts": "crate_test.cc:14: Failure",
        "a b/c": "error: lid is stuck",
        "crashes": "5/6 Test #5: crashes ..........................***Exception: SegFault  0.10 sec",
        "missing": "Could not find executable crate",
    }


CATCH = """\

    ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    crate is a Catch2 v3.4.0 host application.
    Run with -? for options

    Randomness seeded to: 123
    -------------------------------------------------------------------------------
    counts
    -------------------------------------------------------------------------------
    crate.cc:4
    ...............................................................................

    crate.cc:5: FAILED:
      REQUIRE( got == 3 )
    with expansion:
      4 == 3

    -------------------------------------------------------------------------------
    opens
      a long section name that goes on and on until it is broken by the console at
      eighty columns
      deep
    -------------------------------------------------------------------------------
    crate.cc:9
    ...............................................................................

    crate.cc:11: FAILED:
    due to unexpected exception with message:
      stuck

    ===============================================================================
    test cases: 2 | 2 failed
    """
DOCTEST = """\
    [doctest] doctest version is "2.4.9"
    ===============================================================================
    crate.cc:4:
    TEST SUITE: crates
    TEST CASE:  counts
      sub

    crate.cc:7: ERROR: CHECK( got == 3 ) is NOT correct!
      values: CHECK( 4 == 3 )

    ===============================================================================
    [doctest] test cases: 1 | 0 passed | 1 failed | 0 skipped
    """


def test_catch2_tells_test_and_sections_below_the_program() -> None:
    reading = catch2.read(split(CATCH))
    long = "a long section name that goes on and on until it is broken by the console at eighty columns"
    assert told(reading) == {
        "crate.global::counts": "crate.cc:5: FAILED:",
        f"crate.global::opens/{long}/deep": "crate.cc:11: FAILED:",
    }
    assert reading is not None
    assert reading.failures[0].detail == ("REQUIRE( got == 3 )", "with expansion:", "4 == 3")


def test_doctest_tells_test_and_subcase_below_the_file() -> None:
    expected = {"crate.cc::counts/sub": "crate.cc:7: ERROR: CHECK( got == 3 ) is NOT correct!"}
    assert told(catch2.read(split(DOCTEST))) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a.cc: In function 'f':\na.cc:10:3: error: 'B' is no type\n", "a.cc:10:3: error: 'B' is no type"),
        (
            "a.cc:(.text+0xb1): undefined reference to `f()'\n",
            "a.cc:(.text+0xb1): undefined reference to `f()'",
        ),
        ("a.cpp(10,3): error C2065: 'B': undeclared\n", "a.cpp(10,3): error C2065: 'B': undeclared"),
        ("CMake Error at CMakeLists.txt:3 (find_package):\n  No Lid found\n\nx\n", "No Lid found"),
        ("make: *** [Makefile:3: all] Error 2\n", "make: *** [Makefile:3: all] Error 2"),
    ],
)
def test_a_build_that_failed_has_an_error_and_no_test(text: str, error: str) -> None:
    assert told(compiler.read(split(text))) == {"": error}
    assert compiler.read(split("a.cc:10: all is well, no error here\n")) is None


TEXTS = (GTEST, CRASHED, CTEST, CATCH, DOCTEST)
LINES = sorted({line for text in TEXTS for line in split(text)})


@given(st.lists(st.sampled_from(LINES), max_size=80))
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    for reader in (gtest, ctest, catch2, compiler):
        reading = reader.read(mixed)
        assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
