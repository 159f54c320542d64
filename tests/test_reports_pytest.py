"""What pytest's JUnit XML has of its own: escaped characters, and a module called like its test."""

from __future__ import annotations

import pytest

from chalkgit.failures import reports


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ValueError: #x1F6A2 sank", "ValueError: \U0001f6a2 sank"),
        ("ValueError: #x1B[31mred#x1B[0m", "ValueError: red"),
        ("ValueError: #x0E01 and #x07FFA1", "ValueError: \u0e01 and \u07ffA1"),
    ],
)
def test_pytests_escapes_are_characters_again(written: str, read: str) -> None:
    report = (
        '<testsuites><testsuite name="pytest"><testcase classname="t" name="test_a">'
        f'<failure message="{written}">{written}</failure></testcase></testsuite></testsuites>'
    )
    (failure,) = reports.read(report.encode()).failures
    assert failure.error == read


def test_a_module_with_the_name_of_its_test_stays_in_the_id() -> None:
    report = (
        '<testsuites><testsuite name="pytest"><testcase classname="test_a" name="test_a">'
        '<failure message="ValueError: x">E   ValueError: x</failure></testcase></testsuite></testsuites>'
    )
    (failure,) = reports.read(report.encode()).failures
    assert failure.test == "test_a::test_a"
