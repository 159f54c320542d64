"""The same failure has one fingerprint, another failure another, and nothing known none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.failures import fingerprint, rules

TESTS = ["tests.test_cart::test_total", "tests.test_cart::test_empty"]
FIRST = st.one_of(
    st.sampled_from(
        [
            "Expected: 3",
            "expect(received).toBe(expected)",
            "WARNING: DATA RACE",
            "AssertionError",
            "java.lang.AssertionError:",
            "no file '/srv/ci/shop/a.csv'",
            "GET http://ann:s3cret9@shop/a failed",
            "-----BEGIN PRIVATE " + "KEY-----",
            "thrown: Object {",
        ]
    ),
    st.text(max_size=30),
)
DETAIL = st.lists(
    st.one_of(
        FIRST,
        st.sampled_from(
            [
                "",
                "Received: 5",
                "- 3",
                "+ 4",
                "@@ @@",
                "at a (b.js:1:2)",
                "shop.Get()",
                "password='hunter22'",
                "MIIEowIBAAKCAQEA0Z3VS5",
            ]
        ),
    ),
    max_size=8,
)


def test_it_names_the_version_of_the_rules_and_does_not_depend_on_the_order_of_tests() -> None:
    one = fingerprint.of(TESTS, "ValueError: no quantity")
    assert re.fullmatch(rf"{rules.VERSION}:[0-9a-f]{{32}}", one.value or "")
    assert one == fingerprint.of([*reversed(TESTS), TESTS[0]], "ValueError: no quantity")
    assert one.value != fingerprint.of(TESTS[:1], "ValueError: no quantity").value
    assert one.value != fingerprint.of(TESTS, "ValueError: no price").value
    assert one.why is None


def test_it_is_the_same_on_every_machine_and_in_every_version_of_python() -> None:
    # a value that changed here changed for every stored lesson: the rules need a new version then
    assert fingerprint.of(TESTS, "ValueError: no quantity").value == "v1:4e85200540cd51ce2fabf7048d3dbee6"


def test_two_runs_of_one_failure_on_two_machines_have_the_same() -> None:
    one = fingerprint.of(
        ["test_cart::test_day[2026-11-30]"], "no file '/srv/ci/shop/a.csv' at 08:22:34", root="/srv/ci/shop"
    )
    other = fingerprint.of(
        ["test_cart::test_day[2025-01-02]"],
        "no file '/home/ann/shop/a.csv' at 23:05:01",
        root="/home/ann/shop",
    )
    assert one == other
    assert one.normalized == "no file 'a.csv' at <time>"


def test_the_values_below_a_line_without_one_count() -> None:
    first = "expect(received).toBe(expected) // Object.is equality"
    three, four = (fingerprint.of(TESTS, first, [f"Expected: {n}", "Received: 5"]) for n in (3, 4))
    assert three.value != four.value
    assert three.normalized == f"{first}\nExpected: 3\nReceived: 5"
    frames = ["Expected: 3", "Received: 5", "at run (a.js:1:2)", "at b (c.js:3:4)"]
    assert fingerprint.of(TESTS, first, frames) == three


@pytest.mark.parametrize("error", [None, "", "  ", "\x00\x1b"])
def test_where_nothing_is_known_there_is_none(error: str | None) -> None:
    found = fingerprint.of([], error, exit_code=1)
    assert (found.value, found.why) == (None, "neither a failing test nor an error is known")
    assert fingerprint.of([""], error).value is None
    assert fingerprint.of(TESTS, error).value is not None


@pytest.mark.parametrize(
    "error", ["AssertionError", "exit status 1", "WARNING: DATA RACE", "assert False", "Expected: 3"]
)
def test_a_generic_error_alone_has_none_but_with_its_test_it_has(error: str) -> None:
    assert fingerprint.of([], error).value is None
    assert "any failure" in (fingerprint.of([], error).why or "")
    assert fingerprint.of(TESTS, error).value is not None
    assert fingerprint.of([], "error[E0433]: cannot find type `Basket`").value is not None


def test_a_line_without_a_value_is_specific_with_its_values() -> None:
    assert fingerprint.of([], "Expected: 3", ["Actual: 4"]).value is not None


def test_without_an_error_the_signal_tells_crashes_apart() -> None:
    segfault, abort = (fingerprint.of(TESTS, None, exit_code=code) for code in (139, 134))
    assert segfault.value != abort.value
    assert segfault == fingerprint.of(TESTS, None, exit_code=-11)
    assert fingerprint.of(TESTS, "boom", exit_code=1) == fingerprint.of(TESTS, "boom", exit_code=2)


@given(
    st.lists(st.text(max_size=12), max_size=3), st.none() | FIRST, DETAIL, st.none() | st.integers(-20, 255)
)
def test_what_a_record_keeps_is_enough_to_compute_it_anew(
    tests: list[str], error: str | None, detail: list[str], exit_code: int | None
) -> None:
    root = "/srv/ci/shop"
    kept = fingerprint.stored(error, detail, root)
    masked = [rules.mask_id(test, root) for test in tests]
    assert fingerprint.of(tests, error, detail, exit_code=exit_code, root=root) == fingerprint.of_record(
        masked, kept, exit_code
    )
    if kept is not None:
        first, *rest = kept.split("\n")
        assert fingerprint.stored(first, rest) == kept
        assert all(line == line.strip() and line.isprintable() and line for line in kept.split("\n"))


def test_a_record_keeps_the_line_as_it_was_but_neither_root_nor_secret() -> None:
    line = "12:31:12 GET http://ann:s3cret9@shop/a of /srv/ci/shop/a.csv:3"
    assert (
        fingerprint.stored(line, ["at x"], "/srv/ci/shop")
        == "12:31:12 GET http://ann:<secret>@shop/a of a.csv:3"
    )
    assert fingerprint.stored("Expected: 3", ["", "Actual: 4"]) == "Expected: 3\nActual: 4"
    assert fingerprint.stored("boom", ["Actual: 4"]) == "boom"
    assert fingerprint.stored(None) is None


def test_fingerprints_compare_by_what_they_say() -> None:
    one = fingerprint.of(TESTS, "boom")
    assert one != "boom"
    assert len({one, fingerprint.of(TESTS, "boom")}) == 1
    assert str(one.value) in repr(one)
