"""What a failed run's report and output say failed."""

from __future__ import annotations

import pytest

from chalkgit.errors import ChalkError
from chalkgit.failures import reports

SUITE = """<?xml version="1.0" encoding="{encoding}"?>
<testsuites><testsuite>
  <testcase classname="tests.b" name="second"><failure message="E: b&#10;more"/></testcase>
  <testcase classname="tests.ok" name="fine"/>
  <testcase name="bare"><error type="OSError"/></testcase>
  <testcase classname="tests.s" name="skipped"><skipped message="not here"/></testcase>
  <testcase classname="tests.a" name="first[é]"><failure message="E: a"/><failure message="again"/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_the_failing_tests_are_named_sorted_once_with_the_first_message(encoding: str) -> None:
    assert reports.junit(SUITE.format(encoding=encoding)) == {
        "tests": ["bare", "tests.a::first[é]", "tests.b::second"],
        "error": "E: b",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no XML"),
        ("FAILED tests/a.py", "is no XML"),
        ("<testsuite>", "is no XML"),
        ("<testsuite><testcase name='a'/></testsuite>", "names no failing test"),
        ("<testsuite><failure message='outside'/></testsuite>", "names no failing test"),
        ('<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', "declares a document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "declares a document type"),
        ("<a>" * 100_000, "is no XML"),
    ],
)
def test_what_is_no_report_is_said(text: str, said: str) -> None:
    with pytest.raises(ChalkError, match=said):
        reports.junit(text)


def test_the_tail_of_an_output_is_what_was_to_be_read() -> None:
    lines = [
        "old",
        "\x1b[31mred\x1b[0m",
        "10 %\r20 %\rdone\r",
        "a\tb\x07",
        "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "",
    ]
    assert reports.tail(lines, 4) == "red\ndone\na\tb\nlink"
    assert reports.tail(["", ""], 4) == ""
    assert reports.tail([], 4) == ""
    assert reports.plain("\x9b31mx\u202e y  ") == "x y"
