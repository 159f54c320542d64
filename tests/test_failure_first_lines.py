"""First lines that say nothing of their own: joined with the lines that do, and never evidence alone."""

from __future__ import annotations

import pytest

from chalkgit.failures import rules

VALUE_FREE = {  # a runner's first line, the lines that follow, and those of them that hold the values
    "expect(received).toBe(expected) // Object.is equality": (
        [
            "",
            "Expected: 3",
            "Received: 5",
            "    at Object.toBe (test/cart.test.js:6:37)",
            "at run (a.js:1:2)",
        ],
        ["Expected: 3", "Received: 5"],
    ),
    "expect(jest.fn()).toHaveBeenCalledWith(...expected)": (
        ["- Expected", "+ Received", "", '- "a",', '+ "b",', "", "Number of calls: 1", "  4 | test("],
        ['- "a",', '+ "b",'],
    ),
    "thrown: Object {": (['  "code": 7,', "}", "", "  2 | describe("], ['"code": 7,']),
    "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:": (
        ["", "4 !== 3", "", "    at TestContext.<anonymous> (file:///a/b.js:7:26)", "code: 'ERR_ASSERTION',"],
        ["4 !== 3"],
    ),
    "Expected values to be strictly equal:": (
        ["", "4 !== 3", "", "+ expected - actual", "-4", "+3"],
        ["4 !== 3"],
    ),
    "Expected values to be strictly deep-equal:": (
        ["+ actual - expected", "", "  {", "+   a: 1", "-   a: 2", "  }"],
        ["+ a: 1", "- a: 2"],
    ),
    "assertion `left == right` failed: total": (
        ["  left: 4", " right: 3", "note: run with `RUST_BACKTRACE=1` environment variable"],
        ["left: 4", "right: 3"],
    ),
    "cart_test.cc:14: Failure": (
        [
            "Expected equality of these values:",
            "  c.name()",
            '    Which is: "a"',
            '  "b"',
            "cart_test.cc:15: Failure",
            "x",
        ],
        ["c.name()", 'Which is: "a"', '"b"'],
    ),
    "t.cc:5: FAILED:": (
        ["  REQUIRE( n == 3 )", "with expansion:", "  4 == 3", "at t.cc:5"],
        ["REQUIRE( n == 3 )", "4 == 3"],
    ),
    "cart_test.go:6: mismatch (-want +got):": (["  int(", "- \t3,", "+ \t4,", "  )"], ["- 3,", "+ 4,"]),
    "Not equal:": (["expected: 3", "actual  : 4", "Test:       TestCheckout"], ["expected: 3", "actual : 4"]),
    "Expected": (["    <int>: 4", "to equal", "    <int>: 3"], ["<int>: 4", "to equal", "<int>: 3"]),
    "Failed test 'checks out'": (
        ["at t/cart.t line 3.", "got: '4'", "expected: '3'", "Looks like you failed 1 test of 2."],
        ["got: '4'", "expected: '3'"],
    ),
    "Failed asserting that two arrays are equal.": (
        [
            "--- Expected",
            "+++ Actual",
            "@@ @@",
            " Array (",
            "-    'a' => 1",
            "+    'a' => 2",
            " )",
            "/t/CartTest.php:8",
        ],
        ["- 'a' => 1", "+ 'a' => 2"],
    ),
    "java.lang.AssertionError:": (
        ["Expected: is <3>", "     but: was <4>", "\tat shop.CartTest.total(CartTest.java:9)"],
        ["Expected: is <3>", "but: was <4>"],
    ),
    "AssertionError: Regex pattern did not match.": (
        ["  Regex: 'a'", "  Input: 'b'"],
        ["Regex: 'a'", "Input: 'b'"],
    ),
    "AssertionError: expected call not found.": (
        ["Expected: add(3)", "  Actual: add(4)"],
        ["Expected: add(3)", "Actual: add(4)"],
    ),
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Order": (
        ["quantity", "  Input should be a valid integer"],
        ["quantity", "Input should be a valid integer"],
    ),
    "expected: 3": (
        ["     got: 5", "", "(compared using ==)", "# ./spec/cart_spec.rb:9:in `block'"],
        ["got: 5"],
    ),
    "Expected: 3": (["  Actual: 4"], ["Actual: 4"]),
    "-- values do not equal --": (["expected : 3", "actual   : 4", "--"], ["expected : 3", "actual : 4"]),
    "Assertion with == failed": (
        ["code:  assert 4 == 3", "left:  4", "right: 3", "stacktrace:", "test/cart_test.exs:5: (test)"],
        ["code: assert 4 == 3", "left: 4", "right: 3"],
    ),
    "spec/cart_spec.lua:5: Expected objects to be equal.": (
        ["Passed in:", "(number) 4", "Expected:", "(number) 3"],
        ["(number) 4", "(number) 3"],
    ),
    "WARNING: DATA RACE": (
        [
            "Write at 0x00c00001a298 by goroutine 9:",
            "  shop.Add()",
            "      /a/b.go:6 +0x39",
            "Previous read at 0x1:",
            "  shop.Get()",
        ],
        ["shop.Add()", "shop.Get()"],
    ),
}


@pytest.mark.parametrize("first", VALUE_FREE)
def test_a_line_without_a_value_is_joined_with_the_lines_that_hold_them(first: str) -> None:
    detail, values = VALUE_FREE[first]
    assert rules.value_free(first)
    assert rules.generic(first)
    found = rules.joined(first, detail)
    assert found == values
    assert rules.joined(first, found) == found


def test_of_two_goroutines_that_raced_the_order_tells_nothing() -> None:
    one = [
        "Read at 0x1 by goroutine 9:",
        "  shop.Get()",
        "Previous write at 0x1 by goroutine 8:",
        "  shop.Add()",
    ]
    other = [
        "Write at 0x2 by goroutine 7:",
        "  shop.Add()",
        "Previous read at 0x2 by goroutine 9:",
        "  shop.Get()",
    ]
    assert rules.joined("WARNING: DATA RACE", one) == rules.joined("WARNING: DATA RACE", other)
    assert rules.joined("WARNING: DATA RACE", one[:2]) != rules.joined("WARNING: DATA RACE", other[:2])


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: no quantity",
        "assert 5 == 3",
        "AssertionError: expected 4 to equal 3",
        "java.lang.AssertionError: expected:<3> but was:<4>",
        "org.opentest4j.AssertionFailedError: expected: <3> but was: <4>",
        "error: expected expression, found `;`",
        "SyntaxError: expected ':'",
        "cart_test.go:6: first problem",
        "Failed asserting that 4 is identical to 3.",
        "panic: assignment to entry in nil map [recovered]",
        "Could not find executable nothere",
    ],
)
def test_a_line_with_a_value_of_its_own_stands_alone(line: str) -> None:
    assert not rules.value_free(line)
    assert not rules.generic(line)
    assert rules.joined(line, ["Expected: 3"]) == []


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError",
        "ValueError",
        "java.lang.NullPointerException",
        "Error",
        "Exception:",
        "FAILED",
        "Failed",
        "assert False",
        "AssertionError: assert False",
        "AssertionError: False is not true",
        "expected true to be false",
        "exit status 1",
        "Process completed with exit code 1.",
        "Command failed with exit code 2.",
        "Traceback (most recent call last):",
        "WARNING: DATA RACE",
        "make: *** [Makefile:3: test] Error 1",
        "npm ERR! Test failed.  See above for more details.",
        "error: test failed, to rerun pass `--lib`",
        "1 failed, 2 passed in 0.12s",
        "Segmentation fault (core dumped)",
    ],
)
def test_what_any_failure_may_begin_with_is_generic(line: str) -> None:
    assert rules.generic(line)
    assert not rules.generic(f"quantity {line}")
