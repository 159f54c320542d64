"""What failed, by the JUnit XML of each runner: the id, and the line that the runner prints first."""

from __future__ import annotations

import pytest

from chalkgit.failures import reports

PYTEST = '<testsuites name="pytest tests"><testsuite name="pytest">{}</testsuite></testsuites>'
SUREFIRE = (
    '<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="shop.CartTest">{}</testsuite>'
)


def read(text: str) -> list[tuple[str, str | None]]:
    return [(failure.test, failure.error) for failure in reports.read(text.encode()).failures]


def case(classname: str, name: str, inner: str, **attributes: str) -> str:
    more = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<testcase classname="{classname}" name="{name}"{more}>{inner}</testcase>'


@pytest.mark.parametrize(
    ("inner", "error"),
    [
        ('<failure message="assert 1 == 2">&gt;  assert\nE       assert 1 == 2</failure>', "assert 1 == 2"),
        # the last of a chain
        (
            '<failure message="ValueError: b">E   KeyError: 1\n\nDuring it\n\nE   ValueError: b\nE   '
            "c</failure>",
            "ValueError: b",
        ),
        (
            '<error message="failed on setup with &quot;OSError: no&quot;">E   OSError: no</error>',
            "OSError: no",
        ),
        ('<error message="failed on teardown with &quot;OSError: no&quot;" />', "OSError: no"),
        (
            '<error message="collection failure">a.py:1: in f\n    g(\nE     File "a.py", line 1\nE    '
            "   g(\n"
            "E        ^\nE   SyntaxError: '(' was never closed</error>",
            "SyntaxError: '(' was never closed",
        ),
        (
            '<failure message="ValueError: esc #x1B[31mred#x1B[0m">E   ValueError: esc '
            "#x1B[31mred#x1B[0m</failure>",
            "ValueError: esc red",
        ),
        (
            '<failure message="OSError: no">Traceback (most recent call last):\n  File "a.py"\n'
            "OSError: no</failure>",
            "OSError: no",
        ),
    ],
)
def test_pytest_tells_the_last_exception_as_it_is_printed(inner: str, error: str) -> None:
    assert read(PYTEST.format(case("tests.test_a", "test_b[x]", inner))) == [
        ("tests.test_a::test_b[x]", error)
    ]


def test_a_module_that_pytest_could_not_collect_is_its_own_id() -> None:
    broken = '<error message="collection failure">E   NameError: x</error>'
    assert read(PYTEST.format(case("", "tests.test_a", broken))) == [("tests.test_a", "NameError: x")]
    assert read(PYTEST.format(case("", "tests.test_a", "<skipped/>"))) == []


def test_jest_tells_titles_once_and_no_name_of_a_plain_error() -> None:
    suites = '<testsuites name="jest tests"><testsuite name="cart">{}</testsuite></testsuites>'
    failed = (
        "<failure>Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4\n    at x "
        "(a.js:1:2)</failure>"
    )
    text = suites.format(
        case("cart adds", "cart adds", failed) + case("cart", "pays", "<failure>KeyError: k</failure>")
    )
    assert read(text) == [("cart adds", "expect(received).toBe(expected)"), ("cart pays", "KeyError: k")]
    assert reports.read(text.encode()).failures[0].detail == ("Expected: 3", "Received: 4")
    loading = (
        "<error>  ● Test suite failed to run\n\n    Cannot find module './x'\n\n    at y (b.js:1:2)</error>"
    )
    assert read(suites.format(case("Test suite failed to run", "test/a.test.js", loading))) == [
        ("test/a.test.js", "Cannot find module './x'")
    ]


def test_vitest_tells_the_file_before_the_titles() -> None:
    suites = '<testsuites name="vitest tests"><testsuite name="t/a.ts">{}</testsuite></testsuites>'
    failed = '<failure message="lost" type="RangeError">\nRangeError: lost\n ❯ t/a.ts:7:5\n</failure>'
    text = suites.format(case("t/a.ts", "cart &gt; adds", failed) + case("t/a.ts", "t/a.ts", failed))
    assert read(text) == [("t/a.ts::cart > adds", "RangeError: lost"), ("t/a.ts", "RangeError: lost")]


def test_mocha_tells_the_same_whichever_of_its_reporters_wrote() -> None:
    stack = "Error: lost\n    at Context.x (a.js:1:2)"
    suites = '<testsuites name="Mocha Tests"><testsuite name="cart">{}</testsuite></testsuites>'
    failed = f'<failure message="lost" type="Error"><![CDATA[{stack}]]></failure>'
    bare = case("cart", "adds", f"<failure>lost&#10;{stack}</failure>")
    xunit = f'<testsuite name="Mocha Tests">{bare}</testsuite>'
    for text in (
        suites.format(case("adds", "cart adds", failed)),
        suites.format(case("cart adds", "adds", failed)),
        xunit,
    ):
        assert read(text) == [("cart adds", "Error: lost")]


def test_node_tells_its_suites_and_what_was_thrown() -> None:
    thrown = (
        '<failure type="testCodeFailure" message="lost">\n[Error [ERR_TEST_FAILURE]: lost] {\n'
        "  code: 'ERR_TEST_FAILURE',\n  cause: TypeError [Error]: lost\n      at f (a.js:1:2) {\n  "
        "}\n}\n</failure>"
    )
    late = (
        "<failure type=\"testTimeoutFailure\">[Error [ERR_TEST_FAILURE]: x] { code: 'ERR_TEST_FAILURE', "
        "cause: 'test timed out after 9ms' }</failure>"
    )
    file = (
        "<failure type=\"testCodeFailure\">[Error: test failed] { code: 'x', cause: 'test failed' }</failure>"
    )
    text = (
        '<testsuites><testsuite name="cart"><testsuite name="deep">'
        + case("test", "takes &amp;quot;2&amp;quot;", thrown)
        + f"</testsuite></testsuite>{case('test', 'late', late)}"
        + f"{case('test', 'a.test.js', file)}</testsuites>"
    )
    assert read(text) == [
        ('cart > deep > takes "2"', "TypeError [Error]: lost"),
        ("late", "'test timed out after 9ms'"),
        ("a.test.js", None),
    ]


def test_gotestsum_tells_leaves_and_what_their_errors_say() -> None:
    go = (
        '<testsuites><testsuite name="acme.com/cart"><properties><property name="go.version" '
        'value="1"/></properties>{}</testsuite></testsuites>'
    )

    def failed(name: str, text: str) -> str:
        return case("acme.com/cart", name, f'<failure message="Failed" type="">{text}</failure>')

    leaf = (
        "=== RUN   TestA/x\n    a_test.go:3: retry 1\n    a_test.go:6: got 3, want 4\n    --- "
        "FAIL: TestA/x (0.00s)\n"
    )
    text = go.format(failed("TestA", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n") + failed("TestA/x", leaf))
    assert read(text) == [("acme.com/cart::TestA/x", "a_test.go:6: got 3, want 4")]
    assert read(go.format(failed("TestMain", "panic: no\n\ngoroutine 1 [running]:\n"))) == [
        ("acme.com/cart", "panic: no")
    ]


def test_gtest_tells_the_place_and_a_thrown_exception_has_none() -> None:
    suites = '<testsuites name="AllTests"><testsuite name="Cart">{}</testsuite></testsuites>'

    def failed(name: str, message: str) -> str:
        return case(
            "Cart",
            name,
            f'<failure message="{message}" type=""><![CDATA[{message}]]></failure>',
            result="completed",
        )

    text = suites.format(
        failed("A", "a.cc:14\nExpected: 3") + failed("B", "unknown file\nC++ exception thrown")
    )
    assert read(text) == [("Cart.A", "a.cc:14: Failure"), ("Cart.B", "C++ exception thrown")]
    assert reports.read(text.encode()).failures[0].detail == ("Expected: 3",)


def test_catch2_tells_the_place_first() -> None:
    failed = (
        '<failure message="a == 3" type="REQUIRE">\nFAILED:\n  REQUIRE( a == 3 )\nwith expansion:\n'
        "  4 == 3\nat t.cc:5\n</failure>"
    )
    text = f'<testsuites><testsuite name="t">{case("t.global", "adds", failed)}</testsuite></testsuites>'
    assert read(text) == [("t.global::adds", "t.cc:5: FAILED:")]
    assert reports.read(text.encode()).failures[0].detail == (
        "REQUIRE( a == 3 )",
        "with expansion:",
        "4 == 3",
    )


def test_ctest_counts_what_it_could_not_start_and_not_what_was_skipped() -> None:
    suite = '<testsuite name="(empty)">{}</testsuite>'
    out = "<failure message=''/><system-out>loading\nerror: ledger has 2 rows\n</system-out>"
    lost = (
        "<skipped message='Unable to find executable'/><system-out>Unable to find executable: "
        "./a</system-out>"
    )
    text = suite.format(case("t", "t", out, status="fail") + case("u", "u", lost, status="notrun"))
    assert read(text) == [("t", "error: ledger has 2 rows"), ("u", "Could not find executable ./a")]
    # how it ended is not told: a program of GoogleTest that says nothing may have taken too long
    begun = "<failure message=''/><system-out>[ RUN      ] A.b\n</system-out>"
    assert read(suite.format(case("A.b", "A.b", begun, status="fail"))) == [("A.b", None)]
    assert read(suite.format(case("t", "t", "<skipped/>", status="disabled"))) == []


def test_a_java_test_that_passed_in_the_end_did_not_fail() -> None:
    text = "java.lang.AssertionError: expected:&lt;3&gt;\n\tat shop.CartTest.adds(CartTest.java:12)"
    failed = f'<failure message="expected:&lt;3&gt;" type="java.lang.AssertionError">{text}</failure>'
    flaky = failed.replace("failure", "flakyFailure")
    again = failed.replace("failure", "rerunFailure")
    told = [("shop.CartTest::adds", "java.lang.AssertionError: expected:<3>")]
    assert read(SUREFIRE.format(case("shop.CartTest", "adds()", failed + again))) == told
    assert read(SUREFIRE.format(case("shop.CartTest", "adds", flaky))) == []


def test_ant_tells_the_message_alone() -> None:
    properties = '<properties><property name="ant.version" value="1"/></properties>'
    failed = (
        '<error message="is null" type="a.NPE">a.NPE: is null\n\tat shop.CartTest.adds(Unknown '
        "Source)</error>"
    )
    assert read(SUREFIRE.format(properties + case("shop.CartTest", "adds", failed))) == [
        ("shop.CartTest::adds", "is null")
    ]


def test_rspec_tells_the_message_below_source_and_class() -> None:
    suite = '<testsuite name="rspec">{}</testsuite>'
    raised = (
        '<failure message="no&#10;db" type="IOError">Failure/Error: raise\n\nIOError:\n  no\n  db\n'
        "./spec/a_spec.rb:2:in `x'</failure>"
    )
    plain = (
        '<failure message="expected A but" type="X">Failure/Error: expect { 1 }\n  expected A but\n'
        "./spec/a_spec.rb:2</failure>"
    )
    for failed, error in ((raised, "no"), (plain, "expected A but")):
        text = suite.format(case("spec.a_spec", "Cart adds", failed, file="./spec/a_spec.rb"))
        assert read(text) == [("spec.a_spec::Cart adds", error)]


def test_phpunit_tells_the_message_below_the_name_and_no_values_in_the_id() -> None:
    name = "testRows with data set &quot;a b&quot;"
    failed = (
        f"<failure type='X'>Shop\\CartTest::{name} (1, 2)\nFailed asserting that 2 is identical to "
        f"1.\n\n/srv/a.php:8</failure>"
    )
    inner = case("Shop.CartTest", name, failed, **{"class": "Shop\\CartTest", "assertions": "1"})
    text = f'<testsuites><testsuite name="/srv/tests">{inner}</testsuite></testsuites>'
    assert read(text) == [
        ('Shop.CartTest::testRows with data set "a b"', "Failed asserting that 2 is identical to 1.")
    ]
    assert reports.read(text.encode()).failures[0].detail == ()


BATS = "(in test file a.bats, line 3)\n  `grep x' failed with status 2\ngrep: no file"
BARE = "(in test file a.bats, line 3)\n  `false' failed"
LUA = "spec/a.lua:2: Expected\nstack traceback:\n\tx"
RUST = "thread 't::adds' (7) panicked at src/lib.rs:15:30:\nlost 2\nnote: run with"
OLD_RUST = "thread 't::adds' panicked at 'lost 2', src/lib.rs:15:30"
ELIXIR = "  1) test adds (CartTest)\n     test/a.exs:5\n     ** (RuntimeError) lost\n     code: f()"
PYTHON = 'Traceback (most recent call last):\n  File "a.py", line 3, in x\n    f()\nKeyError: 1\n'

RUBY = "\nFailure:\ntest_a(CartTest) [test/cart_test.rb:7]:\nExpected: 3\n  Actual: 4\n"
WEB = "  [chromium] › a.spec.ts:3:1 › cart › adds ────\n\n    Error: lost\n"
GO = "a_test.go:6: connecting\na_test.go:7: got 3, want 4"
GO_BUILD = "# acme.com/cart\n./a.go:3:9: no X"


@pytest.mark.parametrize(
    ("suite", "classname", "name", "failed", "test", "error"),
    [
        ("a.bats", "a.bats", "adds", BATS, "a.bats::adds", "grep: no file"),
        ("a.bats", "a.bats", "adds", BARE, "a.bats::adds", "`false' failed"),
        ("Run 1", "spec/a.lua:2", "cart adds", LUA, "spec/a.lua::cart adds", "spec/a.lua:2: Expected"),
        ("shop", "shop", "t::adds", RUST, "shop::t::adds", "lost 2"),
        ("shop", "shop", "t::adds", OLD_RUST, "shop::t::adds", "lost 2"),
        ("x", "Elixir.CartTest", "test adds", ELIXIR, "CartTest::test adds", "(RuntimeError) lost"),
        ("m", "mod.C", "test_x", PYTHON, "mod.C::test_x", "KeyError: 1"),
        ("cart_t", "", "2 - adds", "not ok 2 - adds", "t/cart.t::adds", "Failed test 'adds'"),
        ("CartTest", "CartTest", "test_a", RUBY, "CartTest#test_a", "Expected: 3"),
        ("a.spec.ts", "a.spec.ts", "cart › adds", WEB, "a.spec.ts::cart › adds", "Error: lost"),
        ("acme.com/cart", "cart", "TestA", GO, "acme.com/cart::TestA", "a_test.go:7: got 3, want 4"),
        ("acme.com/cart", "acme.com/cart", "[build failed]", GO_BUILD, "acme.com/cart", "./a.go:3:9: no X"),
        ("any", "a.b", "c", "", "a.b::c", "said"),
    ],
)
def test_each_of_the_others_is_known_by_its_marks(
    suite: str, classname: str, name: str, failed: str, test: str, error: str
) -> None:
    message = {"2 - adds": "not ok 2 - adds", "TestA": "Failed"}.get(name, "said")
    kind = {"cart › adds": "FAILURE", "test_a": "Minitest::Assertion"}.get(name, "")
    inner = case(classname, name, f'<failure message="{message}" type="{kind}">{failed}</failure>')
    assert read(f'<testsuites><testsuite name="{suite}">{inner}</testsuite></testsuites>') == [(test, error)]
