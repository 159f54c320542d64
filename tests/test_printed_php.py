"""What PHPUnit and Pest print is read as the tests that failed and why."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import phpunit

PHPUNIT = """\
    PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

    .EFFS                                                               5 / 5 (100%)

    Time: 00:00.022, Memory: 6.00 MB

    There was 1 error:

    1) App\\Tests\\CrateTest::testOpens
    RuntimeException: stuck
    second line

    /srv/shop/tests/CrateTest.php:8

    --

    There were 2 failures:

    1) App\\Tests\\CrateTest::testRows with data set "a (b)" (1, 'x')
    Failed asserting that 4 is identical to 3.

    /srv/shop/tests/CrateTest.php:12

    2) App\\Tests\\CrateTest::testRows with data set #1 (array(1, 2))
    Failed asserting that two arrays are equal.
    --- Expected
    +++ Actual
    @@ @@
    -    'a' => 1
    +    'a' => 2

    /srv/shop/tests/CrateTest.php:12

    --

    There was 1 risky test:

    1) App\\Tests\\CrateTest::testEmpty
    This test did not perform any assertions

    ERRORS!
    Tests: 5, Assertions: 2, Errors: 1, Failures: 2, Risky: 1.
    """
TESTDOX = """\
    PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

    Crate (App\\Tests\\Crate)
     ✔ Starts empty
     ✘ Opens
       │
       │ RuntimeException: stuck
       │ second line
       │
       │ /srv/shop/tests/CrateTest.php:8
       │

     ✘ Rows with data set "a (b)"
       │
       │ Failed asserting that 4 is identical to 3.
       │

    FAILURES!
    Tests: 3, Assertions: 2, Failures: 2.
    """
TRIGGERED = """\
    PHPUnit 11.0.1 by Sebastian Bergmann and contributors.

    1 test triggered 1 PHP warning:

    1) /srv/shop/tests/CrateTest.php:8
    Undefined variable $lid

    Triggered by:

    * CrateTest::testOpens
      /srv/shop/tests/CrateTest.php:6

    OK, but there were issues!
    Tests: 1, Assertions: 1, Warnings: 1.
    """
PEST = """\
       FAIL  Tests\\Unit\\CrateTest
      ⨯ it opens                                                         0.01s
      ────────────────────────────────────────────────────────────────────────
       FAILED  Tests\\Unit\\CrateTest > it opens                RuntimeException
      lid is stuck

      at tests/Unit/CrateTest.php:8
    """


def test_phpunit_tells_errors_and_failures_and_of_a_data_set_the_name_alone() -> None:
    reading = phpunit.read(split(PHPUNIT))
    assert told(reading) == {
        "App.Tests.CrateTest::testOpens": "RuntimeException: stuck",
        'App.Tests.CrateTest::testRows with data set "a (b)"': "Failed asserting that 4 is identical to 3.",
        "App.Tests.CrateTest::testRows with data set #1": "Failed asserting that two arrays are equal.",
    }
    assert reading is not None
    assert reading.failures[-1].detail[-1] == "+    'a' => 2"


def test_testdox_tells_the_tests_of_the_plain_output() -> None:
    plain, dox = told(phpunit.read(split(PHPUNIT))), told(phpunit.read(split(TESTDOX)))
    assert len(dox) == 2
    assert dox.items() <= plain.items()


def test_a_warning_is_read_where_nothing_else_failed() -> None:
    assert told(phpunit.read(split(TRIGGERED))) == {"CrateTest::testOpens": "Undefined variable $lid"}
    assert "App.Tests.CrateTest::testEmpty" not in told(phpunit.read(split(PHPUNIT)))


def test_pest_tells_class_and_sentence() -> None:
    assert told(phpunit.read(split(PEST))) == {"Tests.Unit.CrateTest::it opens": "lid is stuck"}


LINES = sorted({line for text in (PHPUNIT, TESTDOX, TRIGGERED, PEST) for line in split(text)})


@given(st.lists(st.sampled_from(LINES), max_size=80))
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    reading = phpunit.read(mixed)
    assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
