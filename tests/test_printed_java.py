"""What Maven, Gradle and Ant print of a failed run is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import java

MAVEN = """\
    [INFO] Scanning for projects...
    [INFO] Running shop.CrateTest
    [ERROR] Tests run: 4, Failures: 3, Errors: 1, Time elapsed: 0.2 s <<< FAILURE! - in shop.CrateTest
    [ERROR] counts(shop.CrateTest)  Time elapsed: 0.03 s  <<< FAILURE!
    java.lang.AssertionError: expected:<3> but was:<4>
    \tat shop.CrateTest.counts(CrateTest.java:12)

    [ERROR] doubles(int)[2]  Time elapsed: 0.01 s  <<< FAILURE!
    java.lang.AssertionError:

    Expected: is <3>
         but: was <4>
    \tat shop.CrateTest.doubles(CrateTest.java:15)

    [ERROR] opens  Time elapsed: 0.01 s  <<< ERROR!
    java.lang.IllegalStateException: stuck
    \tat shop.CrateTest$Lid.opens(CrateTest.java:20)
    Caused by: java.io.IOException: inner

    [INFO] Running shop.HookTest
    [ERROR] shop.HookTest  Time elapsed: 0 s  <<< ERROR!
    java.lang.IllegalStateException: no broker
    \tat shop.HookTest.before(HookTest.java:5)

    [ERROR] shop.NewTest.closes -- Time elapsed: 0.020 s <<< FAILURE!
    org.opentest4j.AssertionFailedError: expected: <3> but was: <4>
    \tat shop.NewTest.closes(NewTest.java:9)

    [INFO] Results:
    [ERROR] Failures:
    [ERROR]   CrateTest.counts:12 expected:<3> but was:<4>
    [ERROR] Tests run: 5, Failures: 3, Errors: 2, Skipped: 0
    [INFO] BUILD FAILURE
    [ERROR] Failed to execute goal org.apache.maven.plugins:surefire:2.22.3:test: There are failures.
    """


def test_surefire_tells_class_and_method_in_all_its_forms() -> None:
    reading = java.read(split(MAVEN))
    assert told(reading) == {
        "shop.CrateTest::counts": "java.lang.AssertionError: expected:<3> but was:<4>",
        "shop.CrateTest::doubles(int)[2]": "java.lang.AssertionError:",
        "shop.CrateTest$Lid::opens": "java.lang.IllegalStateException: stuck",
        "shop.HookTest": "java.lang.IllegalStateException: no broker",
        "shop.NewTest::closes": "org.opentest4j.AssertionFailedError: expected: <3> but was: <4>",
    }
    assert reading is not None
    assert reading.failures[1].detail == ("Expected: is <3>", "but: was <4>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[INFO] Compiling\n[ERROR] COMPILATION ERROR : \n[ERROR] /srv/T.java:[12,5] cannot find symbol\n"
            "  symbol: class B\n[INFO] BUILD FAILURE\n",
            {"": "/srv/T.java:[12,5] cannot find symbol"},
        ),
        (
            "[INFO] x\n[ERROR] Crashed tests:\n[ERROR] shop.CrateTest\n[ERROR] The forked VM terminated "
            "without properly saying goodbye. VM crash or System.exit called?\n[INFO] BUILD FAILURE\n",
            {
                "shop.CrateTest": "The forked VM terminated without properly saying goodbye. "
                "VM crash or System.exit called?"
            },
        ),
        (
            "[INFO] Results:\n[ERROR] Failures: \n[ERROR]   CrateTest.counts:12 expected:<3> but was:<4>\n",
            {"CrateTest::counts": "expected:<3> but was:<4>"},
        ),
        (
            "CrateTest > Lid > opens() FAILED\n    java.lang.IllegalStateException: stuck\n"
            "        at CrateTest.java:14\n\n2 tests completed, 1 failed\n\n> Task :test FAILED\n",
            {"CrateTest$Lid::opens": "java.lang.IllegalStateException: stuck"},
        ),
        (
            "> Task :compileTestJava FAILED\n/srv/T.java:12: error: cannot find symbol\n",
            {"": "/srv/T.java:12: error: cannot find symbol"},
        ),
        (
            "Buildfile: /srv/build.xml\n    [junit] Testsuite: shop.CrateTest\n"
            "    [junit] Testcase: opens took 0 sec\n    [junit] \tCaused an ERROR\n    [junit] null\n"
            "    [junit] java.lang.NullPointerException\n"
            "    [junit] \tat shop.CrateTest.opens(Unknown Source)\n    [junit] Test shop.CrateTest FAILED\n",
            {"shop.CrateTest::opens": "java.lang.NullPointerException"},
        ),
    ],
    ids=["compiler", "fork", "summary", "gradle", "gradle compiler", "ant"],
)
def test_builds_of_java_tell_what_they_can(text: str, expected: dict[str, str]) -> None:
    assert told(java.read(text.splitlines())) == expected


@given(st.lists(st.sampled_from(sorted(set(split(MAVEN)))), max_size=80))
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    reading = java.read(mixed)
    assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
