"""One run from its report, its output, or both; and what is said where one of them is no use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit import thresholds
from chalkgit.failures import fingerprint, reading

ERROR = "ValueError: pool 4 is drained"


def report(*names: str, error: str = ERROR) -> bytes:
    cases = "".join(
        f'<testcase classname="tests.test_pool" name="{name}">'
        f'<failure message="{error}">E   {error}</failure></testcase>'
        for name in names
    )
    return (
        f'<testsuites><testsuite name="pytest">{cases}<testcase name="ok"/></testsuite></testsuites>'.encode()
    )


def output(*names: str, error: str = ERROR) -> bytes:
    rows = [f"FAILED tests/test_pool.py::{name} - {error}" for name in names]
    return "\n".join(
        ["=== short test summary info ===", *rows, f"=== {len(names)} failed in 1s ==="]
    ).encode()


BOTH = ("tests.test_pool::test_a", "tests.test_pool::test_b")


def test_report_and_output_of_one_run_agree() -> None:
    runs = [
        reading.read(report("test_b", "test_a"), None, exit_code=1),
        reading.read(None, output("test_a", "test_b"), exit_code=1),
        reading.read(report("test_b", "test_a"), output("test_a", "test_b"), exit_code=1),
    ]
    assert {run.tests for run in runs} == {BOTH}
    assert {run.error for run in runs} == {ERROR}
    assert len({run.fingerprint for run in runs}) == 1
    assert [run.notes for run in runs] == [(), (), ()]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (b"", "the report is not read"),
        (b"<html><body>502</body></html>", "the report is not read: the report is an HTML page"),
        (report()[:-30], "the report ends before its end, but the run ended with 1"),
        (report(), "the report shows no failure, but the run ended with 1"),
        (report("test_c"), "the report names other tests than the output"),
        (report("test_a", "test_b")[:-60], "the report ends before its end"),
        (b'<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', "document type"),
    ],
)
def test_a_report_that_is_no_use_is_said_and_the_output_read(told: bytes, said: str) -> None:
    run = reading.read(told, output("test_a", "test_b"), exit_code=1)
    assert run.tests == BOTH
    assert run.error == ERROR
    assert len(run.notes) == 1
    assert said in run.notes[0]


def test_a_report_that_is_much_older_than_the_output_is_of_another_run() -> None:
    told, said = report("test_a"), output("test_a", "test_b")
    assert reading.read(told, said, exit_code=1).notes == ()
    run = reading.read(told, said, exit_code=1, late=True)
    assert run.tests == BOTH
    assert "much older" in run.notes[0]


def test_a_run_that_did_not_fail_has_no_failure() -> None:
    run = reading.read(report(), b"all is well\n", exit_code=0)
    assert (run.tests, run.error, run.fingerprint, run.notes) == ((), None, None, ())


def test_an_output_that_names_more_than_the_report_is_believed() -> None:
    run = reading.read(report("test_a"), output("test_a", "test_b"), exit_code=1)
    assert (run.tests, run.notes) == (BOTH, ())


def test_spellings_of_one_test_are_not_another_run() -> None:
    """A name that the report spells otherwise than the output stays the report's."""
    told = report("test_a").replace(b"tests.test_pool", b"sub.tests.test_pool")
    run = reading.read(told, output("test_a"), exit_code=1)
    assert (run.tests, run.notes) == (("sub.tests.test_pool::test_a",), ())
    assert run.error == ERROR


def test_a_package_that_failed_as_a_whole_is_no_other_run_than_one_of_its_tests() -> None:
    events = [
        {"Action": "fail", "Package": "example.com/pool", "Test": "TestDrain"},
        {"Action": "fail", "Package": "example.com/pool"},
    ]
    told = "\n".join(map(json.dumps, events)).encode()
    said = b"2026/01/02 15:04:05 no pool\nFAIL\texample.com/pool\t0.1s\nFAIL\n"
    run = reading.read(told, said, exit_code=1)
    assert run.tests == ("example.com/pool::TestDrain",)
    assert run.notes == ()


def test_paths_are_told_from_the_root_that_is_known() -> None:
    error = "FileNotFoundError: no file '/srv/ci/pool/data/menu.toml'"
    said = output("test_a", error=error)
    told = b"rootdir: /srv/ci/pool\n" + said
    assert reading.read(None, said).text == error
    assert reading.read(None, said, root="/srv/ci/pool").text == "FileNotFoundError: no file 'data/menu.toml'"
    assert reading.read(None, told).text == "FileNotFoundError: no file 'data/menu.toml'"
    # the run of another machine, looked at in a repository here
    assert reading.read(None, told, here="/srv/mine").text == "FileNotFoundError: no file 'data/menu.toml'"
    # a folder of this repository is where it ran: paths stay those of the repository
    here = reading.read(None, told, here="/srv/ci").text
    assert here == "FileNotFoundError: no file 'pool/data/menu.toml'"


def test_the_end_of_an_output_is_kept_without_what_is_blank() -> None:
    run = reading.read(None, b"a\n" * 100 + b"last\n\n\n")
    assert len(run.tail) == 40
    assert run.tail[-1] == "last"


PARTS = (
    report("test_a"),
    output("test_a"),
    b"<testsuite>",
    b"E   ValueError: no\n",
    b'{"numFailedTests": 1}',
    b"Traceback (most recent call last):\n",
    b"--- FAIL: TestA (0.00s)\n",
    b"not ok 1 - a\n",
    b"\x00\xff\xfe",
    b"\x1b[31m",
)
BYTES = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PARTS), max_size=6).map(b"".join))


@given(st.none() | BYTES, st.none() | BYTES, st.none() | st.integers(-300, 300))
def test_any_bytes_end_in_a_run(told: bytes | None, said: bytes | None, code: int | None) -> None:
    run = reading.read(told, said, exit_code=code)
    assert (run.fingerprint is None) == (run.why is not None)
    again = fingerprint.of_record(run.tests, run.text, run.exit_code)
    assert (again.value, again.normalized) == (run.fingerprint, run.normalized)


def test_what_is_not_read_for_being_too_much_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said = b"a\n" * 50 + output("test_a", "test_b", "test_c")
    assert reading.read(None, said).notes == ()
    with monkeypatch.context() as patched:
        patched.setattr(thresholds, "RUN_LINES", 40)
        assert (
            "the output has 54 lines: 40 at its beginning and end are read" in reading.read(None, said).notes
        )
    with monkeypatch.context() as patched:
        patched.setattr(thresholds, "PRINTED_FAILURES", 3)
        assert reading.read(None, said).notes == ("3 failures are read, and there may be more",)
        patched.setattr(thresholds, "REPORT_FAILURES", 2)
        assert reading.read(report("test_a", "test_b"), None).notes == (
            "2 failures are read, and there may be more",
        )
