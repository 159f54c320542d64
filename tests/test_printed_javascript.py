"""What jest and vitest print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from printing import split, told

from chalkgit.failures.printed import jest, vitest

JEST = """\
    PASS test/till.test.js
    FAIL test/crate.test.js (5.1 s, 40 MB heap size)
      ● Console

        console.log
          ● not › a failure

          at Object.log (test/crate.test.js:2:30)

      ● crate › inner › halves 8 to 3

        expect(received).toBe(expected) // Object.is equality

        Expected: 3
        Received: 4

          2 |   test("halves", () => {
        > 3 |     expect(8 / 2).toBe(3);
            |                   ^

          at Object.toBe (test/crate.test.js:3:19)

      ● ships alone

        RangeError: line one
        line two

          at Object.<anonymous> (test/crate.test.js:9:9)

    FAIL  unit  test/broken.test.js
      ● Test suite failed to run

        Jest encountered an unexpected token

        Jest failed to parse a file. This happens e.g. when your code uses non-standard syntax.

        Details:

        SyntaxError: /srv/shop/test/broken.test.js: Unexpected token (1:10)

        > 1 | const x = ;
            |           ^

          at constructor (node_modules/@babel/parser/lib/index.js:356:19)

    FAIL test/gone.test.js
      ● Test suite failed to run

        at last the store is gone

          1 | throw new Error("at last the store is gone");

          at Object.<anonymous> (test/gone.test.js:1:7)

    Test Suites: 3 failed, 1 passed, 4 total
    Tests:       2 failed, 5 passed, 7 total
    """


def test_jest_tells_tests_by_their_titles_and_files_that_do_not_load_by_their_path() -> None:
    reading = jest.read(split(JEST))
    assert reading is not None
    assert reading.complete
    assert told(reading) == {
        "crate inner halves 8 to 3": "expect(received).toBe(expected) // Object.is equality",
        "ships alone": "RangeError: line one",
        "test/broken.test.js": "SyntaxError: /srv/shop/test/broken.test.js: Unexpected token (1:10)",
        "test/gone.test.js": "at last the store is gone",
    }


def test_the_code_around_a_failure_is_no_detail_of_it() -> None:
    reading = jest.read(split(JEST))
    assert reading is not None
    assert [failure.detail for failure in reading.failures[:2]] == [
        ("Expected: 3", "Received: 4"),
        ("line two",),
    ]


def test_what_jest_tells_twice_counts_once() -> None:
    head, block = JEST.split("    Test Suites:")[0], JEST.split("● ships alone")[1].split("FAIL")[0]
    again = (
        head + "    Summary of all failing tests\n    FAIL test/crate.test.js\n      ● ships alone\n" + block
    )
    reading = jest.read(split(again + "    Test Suites: 3 failed\n"))
    assert told(reading) == told(jest.read(split(JEST)))
    assert reading is not None
    assert len(reading.failures) == 4


def test_a_title_that_holds_jests_separator_is_told_apart_by_the_tree() -> None:
    block = "\n  ● crate › a › b\n\n    boom\n\n      at f (x.js:1:2)\n"
    tree = "FAIL x.js\n  crate\n    ✕ a › b (1 ms)\n"
    assert list(told(jest.read(split("FAIL x.js\n" + block)))) == ["crate a b"]
    assert list(told(jest.read(split(tree + block)))) == ["crate a › b"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '  ●  process.exit called with "3"\n\n    > 9 |  process.exit(3);\n',
            'process.exit called with "3"',
        ),
        ('● Unrecognized CLI Parameter:\n\n  Unrecognized option "bad".\n', 'Unrecognized option "bad".'),
    ],
)
def test_a_run_that_jest_could_not_end_has_an_error_and_no_test(text: str, error: str) -> None:
    assert told(jest.read(text.splitlines())) == {"": error}


VITEST = """\

     RUN  v3.2.4 /srv/shop

    stdout | test/crate.test.ts > crate
     FAIL  test/fake.test.ts > fake
    Error: not this

     ❯ test/crate.test.ts (4 tests | 3 failed) 9ms
         × halves 6ms

    ⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

     FAIL  test/broken.test.ts [ test/broken.test.ts ]
    Error: Cannot find module './nope.js'
     ❯ test/broken.test.ts:1:1

    ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 3 ⎯⎯⎯⎯⎯⎯⎯

     FAIL  |unit| test/crate.test.ts > crate > inner > halves 8 to 3
    AssertionError: expected 4 to be 3 // Object.is equality

    - Expected
    + Received

    - 3
    + 4

     ❯ test/crate.test.ts:3:19
          1| code

     FAIL  test/crate.test.ts > first
     FAIL  test/crate.test.ts > second
    Error: shared
     ❯ test/crate.test.ts:5:9

    ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[3/3]⎯

     Test Files  2 failed (2)
    """


def test_vitest_tells_tests_below_their_file_and_nothing_that_a_test_printed() -> None:
    reading = vitest.read(split(VITEST))
    assert told(reading) == {
        "test/broken.test.ts": "Error: Cannot find module './nope.js'",
        "test/crate.test.ts::crate > inner > halves 8 to 3": (
            "AssertionError: expected 4 to be 3 // Object.is equality"
        ),
        "test/crate.test.ts::first": "Error: shared",
        "test/crate.test.ts::second": "Error: shared",
    }
    assert reading is not None
    assert reading.root == "/srv/shop"


def test_an_error_outside_of_vitests_tests_is_read_where_none_failed() -> None:
    text = """\
         RUN  v3.2.4 /srv/shop
        ⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

        Vitest caught 1 unhandled error during the test run.
        This might cause false positive tests.

        ⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
        Error: lost promise
         ❯ test/crate.test.ts:10:46
        """
    assert told(vitest.read(split(text))) == {"": "Error: lost promise"}
