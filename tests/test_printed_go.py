"""What go test, gotestsum, go vet and go build print is read as what failed, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import go

GO = """\
    # example.com/crate/glue [example.com/crate/glue.test]
    glue/x_test.go:3:27: wet declared but not used
    glue/x_test.go:3:35: undefined: Dry
    FAIL\texample.com/crate/glue [build failed]
    ?   \texample.com/crate/cart\t[no test files]
    2026/11/30 19:29:59 starting
    2026/11/30 19:29:59 no database
    FAIL\texample.com/crate/exit\t0.003s
    panic: in goroutine

    goroutine 7 [running]:
    example.com/crate/gor.TestG.func1()
    \t/srv/crate/gor/x_test.go:3 +0x27
    created by example.com/crate/gor.TestG
    \t/srv/crate/gor/x_test.go:3 +0x25
    FAIL\texample.com/crate/gor\t0.008s
    --- FAIL: TestP (0.00s)
        --- FAIL: TestP/inner (0.00s)
    panic: assignment to entry in nil map [recovered]
    \tpanic: assignment to entry in nil map

    goroutine 19 [running]:
    FAIL\texample.com/crate/pan\t0.005s
    Error: not really
    --- FAIL: TestOuter (0.00s)
        --- FAIL: TestOuter/a_b (0.00s)
            x_test.go:4: got 3, want 4
                more
        --- FAIL: TestOuter/in (0.00s)
            --- FAIL: TestOuter/in/deep (0.00s)
                x_test.go:4: deep broke
    --- FAIL: TestOwn (0.00s)
        x_test.go:5: connecting to shelf
        x_test.go:6: shelf: no such crate
        x_test.go:7: giving up
    --- FAIL: TestPlain (0.00s)
    --- FAIL: ExampleX (0.00s)
    got:
    a
    want:
    b
    FAIL
    FAIL\texample.com/crate/sub\t0.006s
    ok  \texample.com/crate/fine\t0.001s
    FAIL
"""
GO_TOLD = {
    "example.com/crate/glue": "glue/x_test.go:3:27: wet declared but not used",
    "example.com/crate/exit": "no database",
    "example.com/crate/gor::TestG": "panic: in goroutine",
    "example.com/crate/pan::TestP/inner": "panic: assignment to entry in nil map [recovered]",
    "example.com/crate/sub::TestOuter/a_b": "x_test.go:4: got 3, want 4",
    "example.com/crate/sub::TestOuter/in/deep": "x_test.go:4: deep broke",
    "example.com/crate/sub::TestOwn": "x_test.go:6: shelf: no such crate",
    "example.com/crate/sub::TestPlain": None,
    "example.com/crate/sub::ExampleX": "got:",
}


def test_go_tells_leaves_and_packages_that_have_no_test_to_blame() -> None:
    assert told(go.read(split(GO))) == GO_TOLD


def test_go_with_v_logs_before_it_tells_the_result() -> None:
    text = """\
        === RUN   TestFine
        Error: not really
            x_test.go:3: failed to find nothing
        --- PASS: TestFine (0.00s)
        === RUN   TestOuter
        === RUN   TestOuter/a_b
            x_test.go:4: got 3, want 4
        === RUN   TestOuter/c
        === CONT  TestOuter
            x_test.go:9: own
        --- FAIL: TestOuter (0.00s)
            --- FAIL: TestOuter/a_b (0.00s)
            --- PASS: TestOuter/c (0.00s)
        === RUN   TestFatal
        2026/11/30 19:29:59 cannot open crate
        FAIL\texample.com/crate/sub\t0.003s
        FAIL
        """
    assert told(go.read(split(text))) == {
        "example.com/crate/sub::TestOuter/a_b": "x_test.go:4: got 3, want 4"
    }
    ended = split(text)
    del ended[4:13]
    assert told(go.read(ended)) == {"example.com/crate/sub::TestFatal": "cannot open crate"}


@pytest.mark.parametrize(
    "listed",
    ["\trunning tests:\n\t\tTestSlow (1s)\n\t\tTestSlow/in (1s)\n", ""],
    ids=["since 1.20", "before"],
)
def test_a_timeout_blames_what_ran(listed: str) -> None:
    text = f"""panic: test timed out after 1s
{listed}
goroutine 19 [running]:
testing.(*M).startAlarm.func1()
\t/usr/lib/go/src/testing/testing.go:2036 +0x8e

goroutine 5 [sleep]:
time.Sleep(0x4a817c800)
example.com/crate.TestSlow(0xc000007520?)
\t/srv/crate/x_test.go:6 +0x25
FAIL\texample.com/crate\t1.012s
"""
    leaf = "example.com/crate::TestSlow" + ("/in" if listed else "")
    assert told(go.read(split(text))) == {leaf: "panic: test timed out after 1s"}


def test_a_race_is_told_as_one_and_by_whom() -> None:
    text = """\
        --- FAIL: TestFirst (0.00s)
            x_test.go:3: wrong crate
        ==================
        WARNING: DATA RACE
        Read at 0x00c00001a298 by goroutine 9:
          example.com/crate.TestRace.func1()
              /srv/crate/x_test.go:6 +0x39

        ==================
        --- FAIL: TestRace (0.00s)
            testing.go:1319: race detected during execution of test
        FAIL
        FAIL\texample.com/crate\t0.052s
        """
    found = go.read(split(text))
    assert told(found) == {
        "example.com/crate::TestFirst": "x_test.go:3: wrong crate",
        "example.com/crate::TestRace": "WARNING: DATA RACE",
    }
    assert found is not None
    assert found.failures[1].detail[1] == "example.com/crate.TestRace.func1()"


def test_testify_and_go_cmp_tell_values_in_the_lines_after() -> None:
    text = """\
        --- FAIL: TestA (0.00s)
            x_test.go:9:\x20
                \tError Trace:\t/srv/crate/x_test.go:9
                \tError:      \tNot equal:\x20
                \t            \texpected: 3
                \t            \tactual  : 5
                \tTest:       \tTestA
        --- FAIL: TestB (0.00s)
            x_test.go:6: mismatch (-want +got):
                  int(
                - \t3,
                + \t4,
                  )
        FAIL
        FAIL\texample.com/crate\t0.012s
        """
    found = go.read(split(text))
    assert found is not None
    first, second = found.failures
    assert (first.error, first.detail) == ("Error: Not equal:", ("expected: 3", "actual  : 5"))
    assert (second.error, second.detail) == ("x_test.go:6: mismatch (-want +got):", ("- \t3,", "+ \t4,"))


def test_gotestsum_leaves_the_module_out_where_nothing_else_tells_it() -> None:
    text = """\
        ✖  exit (6ms)
        ✖  sub (8ms)

        === Skipped
        === SKIP: sub TestSkip (0.00s)
            x_test.go:6: later

        === Failed
        === FAIL: exit  (0.00s)
        2026/11/30 19:30:06 no database
        FAIL\texample.com/crate/exit\t0.006s

        === FAIL: sub TestOuter/a_b (0.00s)
            x_test.go:4: got 3, want 4
            --- FAIL: TestOuter/a_b (0.00s)

        === FAIL: sub TestOuter (0.00s)

        === FAIL: sub TestG (unknown)
        panic: in goroutine

        DONE 15 tests, 1 skipped, 4 failures in 1.415s
        """
    expected = {
        "example.com/crate/exit": "no database",
        "example.com/crate/sub::TestOuter/a_b": "x_test.go:4: got 3, want 4",
        "example.com/crate/sub::TestG": "panic: in goroutine",
    }
    assert told(go.read(split(text))) == expected
    alone = told(go.read([line for line in split(text) if not line.startswith("FAIL\t")]))
    assert list(alone) == ["exit", "sub::TestOuter/a_b", "sub::TestG"]


def test_go_vet_and_go_itself_are_read_too() -> None:
    vet = "# example.com/crate/vet\n# [example.com/crate/vet]\nvet/x_test.go:3:27: fmt.Printf format %d"
    assert told(go.read(split(vet))) == {"example.com/crate/vet": "vet/x_test.go:3:27: fmt.Printf format %d"}
    assert told(go.read(["go: cannot find main module, but found .git/config in /srv"])) == {
        "": "go: cannot find main module, but found .git/config in /srv"
    }
    assert go.read(["go: downloading example.com/lid v1.2.0", "# A heading", "- FAIL: no"]) is None


@given(st.lists(st.sampled_from([*GO.split("\n"), "=== Failed", "=== FAIL: a b (0.00s)", "=== RUN   TestA"])))
def test_parts_of_outputs_in_any_order_are_read(parts: list[str]) -> None:
    go.read(split("\n".join(parts)))


def test_other_texts_are_none_of_go() -> None:
    for text in (
        "1 failing",
        "FAILED tests/a.py::b",
        "FAIL test/a.test.js",
        "test passed ... ok",
        "ok 1 - a",
        "",
    ):
        assert go.read(split(text)) is None
    assert go.read(split(GO)) is not None
