"""What cargo and nextest print is read as the tests and builds that failed, and why."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import rust

OTHERS = ["     FAIL [ 0.1s] a b", "error: no", "test a ... error: test failed, to rerun pass `--lib`"]
CARGO = """\
       Compiling my-crate v0.1.0 (/srv/crate)
        Finished `test` profile [unoptimized + debuginfo] target(s) in 1.90s
         Running unittests src/lib.rs (target/debug/deps/my_crate-2e50b2037bf21912)

    running 8 tests
    test tests::eq ... FAILED
    test tests::error_path ... ok
    test tests::prints ... FAILED
    test tests::res ... FAILED
    test tests::sp - should panic ... FAILED
    test tests::sp2 - should panic ... FAILED
    test tests::thr ... FAILED

    failures:

    ---- tests::eq stdout ----

    thread 'tests::eq' (3039) panicked at src/lib.rs:12:23:
    assertion `left == right` failed
      left: 3
     right: 4
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

    ---- tests::prints stdout ----
    Error: fake
    thread 'tests::prints' panicked at 'line one
    line two', src/lib.rs:14:75
    stack backtrace:
       0: rust_begin_unwind

    ---- tests::res stdout ----
    Error: "no lid"

    ---- tests::sp stdout ----
    note: test did not panic as expected
    ---- tests::sp2 stdout ----

    thread 'tests::sp2' (3045) panicked at src/lib.rs:16:58:
    xyz
    note: panic did not contain expected string
          panic message: "xyz"
     expected substring: "abc"
    ---- tests::thr stdout ----

    thread '<unnamed>' (3047) panicked at src/lib.rs:17:46:
    inner

    thread 'tests::thr' (3046) panicked at src/lib.rs:17:70:
    called `Result::unwrap()` on an `Err` value: Any { .. }


    failures:
        tests::eq
        tests::prints
        tests::res
        tests::sp
        tests::sp2
        tests::thr

    test result: FAILED. 1 passed; 6 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.24s

    error: test failed, to rerun pass `--lib`
         Running tests/deep.rs (target/debug/deps/deep-c4671bcf790e5fa1)

    running 1 test

    thread 'overflows' (3064) has overflowed its stack
    fatal runtime error: stack overflow, aborting
    error: test failed, to rerun pass `--test deep`

    Caused by:
      process didn't exit successfully: `/srv/deep-c4671bcf790e5fa1` (signal: 6)
       Doc-tests my_crate

    running 1 test
    test src/lib.rs - add (line 5) ... FAILED

    failures:

    ---- src/lib.rs - add (line 5) stdout ----
    error[E0308]: mismatched types
     --> src/lib.rs:6:14

    failures:
        src/lib.rs - add (line 5)

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.39s
"""


def test_cargo_tells_the_binary_the_path_and_the_panic() -> None:
    assert told(rust.read(split(CARGO))) == {
        "my_crate::tests::eq": "assertion `left == right` failed",
        "my_crate::tests::prints": "line one",
        "my_crate::tests::res": 'Error: "no lid"',
        "my_crate::tests::sp": "note: test did not panic as expected",
        "my_crate::tests::sp2": "note: panic did not contain expected string",
        "my_crate::tests::thr": "inner",
        "deep::overflows": "thread 'overflows' (3064) has overflowed its stack",
        "my_crate::src/lib.rs - add": "error[E0308]: mismatched types",
    }


def test_a_panic_of_before_1_73_is_the_text_in_its_quotes() -> None:
    text = """\
        running 1 test
        test a ... FAILED
        ---- a stdout ----
        thread 'a' panicked at 'lid can't close', src/lib.rs:3:5
        note: run with `RUST_BACKTRACE=1`
        """
    assert told(rust.read(split(text))) == {"a": "lid can't close"}


def test_with_no_capture_the_panic_stands_among_the_results() -> None:
    text = """\
             Running unittests src/lib.rs (target/debug/deps/crate-2e50b2037bf21912)

        running 2 tests
        thread 'tests::eq' panicked at src/lib.rs:3:5:
        no lid
        test tests::eq ... FAILED
        test tests::ok ... ok

        failures:

        failures:
            tests::eq

        test result: FAILED. 1 passed; 1 failed
        """
    assert told(rust.read(split(text))) == {"crate::tests::eq": "no lid"}


def test_an_exit_in_the_only_thread_blames_the_test_that_had_begun() -> None:
    text = """\
             Running tests/boom.rs (target/debug/deps/boom-dedd4742875fcf6b)

        running 1 test
        test aborts ... error: test failed, to rerun pass `--test boom`

        Caused by:
          process didn't exit successfully: `/srv/boom` (signal: 6, SIGABRT: process abort signal)
        """
    why = "process didn't exit successfully: `/srv/boom` (signal: 6, SIGABRT: process abort signal)"
    assert told(rust.read(split(text))) == {"boom::aborts": why}
    unknown = [line.removeprefix("test aborts ... ") for line in split(text)]
    assert told(rust.read(unknown)) == {"": why}


def test_quiet_runs_name_a_binary_after_it_failed_but_never_a_library() -> None:
    text = """\
        running 1 test
        F
        failures:

        ---- tests::eq stdout ----
        thread 'tests::eq' panicked at src/lib.rs:3:5:
        no lid

        failures:
            tests::eq

        test result: FAILED. 0 passed; 1 failed
        error: test failed, to rerun pass `NAMED`
        """
    assert told(rust.read(split(text.replace("NAMED", "--lib")))) == {"tests::eq": "no lid"}
    assert told(rust.read(split(text.replace("NAMED", "-p crate --test api")))) == {
        "api::tests::eq": "no lid"
    }


def test_a_compilation_that_failed_names_the_missing_name_before_the_wrong_type() -> None:
    text = """\
           Compiling crate v0.1.0 (/srv/crate)
        warning: unused variable: `error`
        error[E0308]: mismatched types
          --> src/lib.rs:15:22
           |
        15 |         let n: u32 = "three"; let b = Lid::new();

        error[E0433]: cannot find type `Lid` in this scope
          --> src/lib.rs:15:39

        error: could not compile `crate` (lib test) due to 2 previous errors
        """
    assert told(rust.read(split(text))) == {"": "error[E0433]: cannot find type `Lid` in this scope"}
    types = text.replace("E0433", "E0599")
    assert told(rust.read(split(types))) == {"": "error[E0308]: mismatched types"}
    passed = split(text.replace("error", "note"))
    assert told(rust.read(passed)) == {}


def test_nextest_shows_each_test_s_output_indented() -> None:
    text = """\
            Starting 3 tests across 1 binary
                PASS [   0.004s] crate tests::fine
          TRY 1 FAIL [   0.004s] crate tests::flaky
          TRY 2 PASS [   0.004s] crate tests::flaky
                FAIL [   0.004s] crate::api tests::eq
          stderr ───
            thread 'tests::eq' (12) panicked at src/lib.rs:15:9:
            no lid
            note: run with `RUST_BACKTRACE=1`
             SIGABRT [   0.1s] (3/3) crate tests::aborts
             Summary [   0.006s] 3 tests run: 1 passed (1 flaky), 2 failed, 0 skipped
        error: test run failed
        """
    assert told(rust.read(split(text))) == {"crate::api::tests::eq": "no lid", "crate::tests::aborts": None}


@given(st.lists(st.sampled_from([*CARGO.split("\n"), *OTHERS])))
def test_parts_of_outputs_in_any_order_are_read(parts: list[str]) -> None:
    rust.read(split("\n".join(parts)))


def test_other_texts_are_none_of_cargo() -> None:
    for text in (
        "1 failing",
        "FAILED tests/a.py::b",
        "FAIL test/a.test.js",
        "test passed ... ok",
        "ok 1 - a",
        "",
    ):
        assert rust.read(split(text)) is None
    assert rust.read(split(CARGO)) is not None
