"""What mocha and node's own runner print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told
from test_printed_javascript import JEST, VITEST

from chalkgit.failures.printed import jest, mocha, nodetest, vitest

READERS = (jest, vitest, mocha, nodetest)


MOCHA = """\
      cart:
        ✔ starts
        1) adds up
        2) "after each" hook for "starts"

      1 passing (6ms)
      3 failing

      1) cart:
           inner
             adds up::

          AssertionError: expected 4 to equal 3
          + expected - actual

          -4
          +3

          at Context.<anonymous> (test/crate.js:6:40)

      2) cart:
           "after each" hook for "starts":
         Error: no broker
          at Context.<anonymous> (test/crate.js:5:65)

      3) alone:
         Uncaught TypeError: thrown later
          at Timeout._onTimeout (test/crate.js:9:9)
    """


def test_mocha_tells_the_titles_from_the_outermost_suite_on() -> None:
    reading = mocha.read(split(MOCHA))
    assert told(reading) == {
        "cart: inner adds up:": "AssertionError: expected 4 to equal 3",
        'cart: "after each" hook for "starts"': "Error: no broker",
        "alone": "TypeError: thrown later",
    }
    assert reading is not None
    assert reading.failures[0].detail == ()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('Error: No test files found: "spec"\n', 'Error: No test files found: "spec"'),
        (
            " Exception during run: Error: Cannot find module '../src/pay'\nRequire stack:\n- /srv/a.js\n"
            "    at Module._load (node:internal/modules/cjs/loader:1038:27)\n",
            "Error: Cannot find module '../src/pay'",
        ),
        (
            " Exception during run: file:///srv/test/a.js:1\nconst x = ;\n          ^\n\n"
            "SyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n",
            "SyntaxError: Unexpected token ';'",
        ),
    ],
)
def test_mocha_that_did_not_begin_has_an_error_and_no_test(text: str, error: str) -> None:
    assert told(mocha.read(text.splitlines())) == {"": error}


NODE = """\
    ▶ cart
      ✖ adds up (1.5ms)
        AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

        4 !== 3

            at TestContext.<anonymous> (/srv/shop/test/a.test.js:7:26)
      ✖ later (0.3ms) # TODO
        Error: not yet
    ✖ cart (3.1ms)
    ▶ hooked
      ✖ waits
        'test did not finish before its parent and was cancelled'
    ✖ hooked (1ms)

      Error: no broker
          at SuiteContext.<anonymous> (/srv/shop/test/a.test.js:9:9)
    /srv/shop/test/b.test.js:1
    const x = ;
              ^

    SyntaxError: Unexpected token ';'
        at wrapSafe (node:internal/modules/cjs/loader:1464:18)

    Node.js v20.20.2
    ✖ test/b.test.js (66ms)
      'test failed'
    ℹ tests 4
    ℹ fail 2

    ✖ failing tests:

    test at test/a.test.js:5:3
    ✖ adds up (1.5ms)
      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

      4 !== 3

          at TestContext.<anonymous> (/srv/shop/test/a.test.js:7:26) {
        code: 'ERR_ASSERTION'
      }

    test at test/a.test.js:8:3
    ✖ waits
      'test did not finish before its parent and was cancelled'

    test at test/a.test.js:8:1
    ✖ hooked (1ms)
      Error: no broker
          at SuiteContext.<anonymous> (/srv/shop/test/a.test.js:9:9)

    test at test/b.test.js:1:1
    ✖ test/b.test.js (66ms)
      'test failed'
    """
NODE_TAP = """\
    TAP version 13
    # Subtest: cart
        # Subtest: adds up
        not ok 1 - adds up
          ---
          failureType: 'testCodeFailure'
          error: |-
            Expected values to be strictly equal:

            4 !== 3

          code: 'ERR_ASSERTION'
          name: 'AssertionError'
          stack: |-
            TestContext.<anonymous> (/srv/shop/test/a.test.js:7:26)
          ...
        1..1
    not ok 1 - cart
      ---
      failureType: 'subtestsFailed'
      error: '1 subtest failed'
      ...
    1..1
    """


def test_node_tells_the_suites_of_a_failure_a_hooks_error_and_files_that_crashed() -> None:
    reading = nodetest.read(split(NODE))
    assert told(reading) == {
        "cart > adds up": "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
        "hooked > waits": "Error: no broker",
        "test/b.test.js": "SyntaxError: Unexpected token ';'",
    }


def test_node_in_tap_tells_what_its_spec_reporter_tells() -> None:
    spec, stream = nodetest.read(split(NODE)), nodetest.read(split(NODE_TAP))
    assert spec is not None
    assert stream is not None
    one, other = spec.failures[0], stream.failures[0]
    assert (one.test, one.error, one.detail) == (other.test, other.error, other.detail)
    assert len(stream.failures) == 1


@pytest.mark.parametrize("text", [JEST, VITEST, MOCHA, NODE], ids=["jest", "vitest", "mocha", "node"])
def test_a_runners_output_is_read_by_its_own_reader_alone(text: str) -> None:
    found = [reader.read(split(text)) is not None for reader in READERS]
    assert found.count(True) == 1
    assert all(reader.read(split("nothing to see\n1 error\n")) is None for reader in READERS)


@given(
    st.lists(
        st.sampled_from(sorted({line for text in (JEST, VITEST, MOCHA, NODE) for line in split(text)})),
        max_size=80,
    )
)
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    for reader in READERS:
        reading = reader.read(mixed)
        assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
