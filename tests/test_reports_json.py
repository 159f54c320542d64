"""What failed, by the reports that are JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.errors import ChalkError
from chalkgit.failures import reports
from chalkgit.failures.run import Reading

Told = list[tuple[str, str | None]]


def read(document: object) -> Told:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return [(failure.test, failure.error) for failure in reports.read(data).failures]


def outcome(data: bytes) -> Reading | str:
    """What was read, or the word of why not."""
    try:
        return reports.read(data)
    except ChalkError as error:
        return error.message


def go(*events: dict[str, object] | str) -> bytes:
    return "".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in events).encode()


def event(action: str, test: str = "", output: str = "", **more: object) -> dict[str, object]:
    found = {"Action": action, "Package": "acme.com/cart", "Test": test, "Output": output}
    return {key: value for key, value in found.items() if value} | more


def test_go_tells_the_leaves_that_failed_with_what_their_error_says() -> None:
    data = go(
        event("run", "TestA"),
        event("run", "TestA/x"),
        event("output", "TestA/x", "    a_test.go:6: connecting\n"),
        event("output", "TestA/x", "    a_test.go:8: got 3, want 4\n"),
        event("output", "TestA/x", "    --- FAIL: TestA/x (0.00s)\n"),
        "warning: not a line of JSON",
        event("fail", "TestA/x"),
        event("fail", "TestA"),
        event("run", "TestB"),
        event("pass", "TestB"),
        event("fail"),
    )
    assert read(data) == [("acme.com/cart::TestA/x", "a_test.go:8: got 3, want 4")]


def test_a_go_test_that_a_panic_ended_failed_and_one_that_was_repeated_did_not() -> None:
    panics = [event("output", "TestP", line) for line in ("panic: boom\n", "\n", "goroutine 7 [running]:\n")]
    assert read(go(event("run", "TestP"), *panics, event("fail"))) == [
        ("acme.com/cart::TestP", "panic: boom")
    ]
    again = [event("run", "TestF"), event("fail", "TestF"), event("run", "TestF"), event("pass", "TestF")]
    assert read(go(*again, event("pass"))) == []


def test_a_line_that_looks_like_a_panic_is_none_without_goroutines() -> None:
    output = [event("output", "T", line) for line in ("panic: said a program\n", "    a_test.go:3: lost 2\n")]
    assert read(go(*output, event("fail", "T"), event("fail"))) == [
        ("acme.com/cart::T", "a_test.go:3: lost 2")
    ]


def test_a_go_package_that_does_not_build_is_told_by_its_first_error() -> None:
    path = "acme.com/cart [acme.com/cart.test]"
    data = go(
        {"ImportPath": path, "Action": "build-output", "Output": f"# {path}\n"},
        {"ImportPath": path, "Action": "build-output", "Output": "./a_test.go:3:9: undefined: Basket\n"},
        {"ImportPath": path, "Action": "build-fail"},
        event("start"),
        event("output", "", "FAIL\tacme.com/cart [build failed]\n"),
        event("fail", FailedBuild=path),
    )
    assert read(data) == [("acme.com/cart", "./a_test.go:3:9: undefined: Basket")]


def test_a_go_run_that_was_cut_is_told_so() -> None:
    events = (event("start"), event("run", "T"), event("fail", "T"), event("fail"))
    assert reports.read(go(*events)).complete
    for cut in (go(*events[:3]), go(*events)[:-9]):
        reading = reports.read(cut)
        assert not reading.complete
        assert [failure.test for failure in reading.failures] == ["acme.com/cart::T"]


def jest(**file: object) -> dict[str, object]:
    return {"openHandles": [], "testResults": [{"name": "/srv/shop/a.test.js", "status": "failed", **file}]}


def result(message: str, *titles: str, status: str = "failed") -> dict[str, object]:
    *suites, title = titles
    return {"ancestorTitles": suites, "title": title, "status": status, "failureMessages": [message]}


def test_jest_tells_titles_and_no_name_of_a_plain_error() -> None:
    results = [
        result("Error: lost\n    at Object.x (/srv/a.js:1:2)", "cart", "adds"),
        result("TypeError: lost", "cart", "pays"),
        result("", "cart", "is empty", status="passed"),
    ]
    assert read(jest(assertionResults=results)) == [("cart adds", "lost"), ("cart pays", "TypeError: lost")]


def test_a_file_that_jest_could_not_load_is_its_own_id() -> None:
    message = (
        "  ● Test suite failed to run\n\n    Cannot find module './x' from 'a.test.js'\n\n      at "
        "f (b.js:1:2)"
    )
    assert read(jest(assertionResults=[], message=message)) == [
        ("/srv/shop/a.test.js", "Cannot find module './x' from 'a.test.js'")
    ]
    assert read(jest(assertionResults=[], status="passed")) == []


def test_vitest_tells_the_file_too() -> None:
    document = jest(assertionResults=[result("RangeError: lost\n    at x", "cart", "adds")])
    del document["openHandles"]
    assert read(document) == [("/srv/shop/a.test.js::cart > adds", "RangeError: lost")]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("total is not defined", "ReferenceError: total is not defined"),
        ("expected 4 to be 3", "AssertionError: expected 4 to be 3"),
        ("lost", "Error: lost"),
        ("Error: STACK_TRACE_ERROR\n    at task (x.js:1:2)", None),
    ],
)
def test_what_an_older_vitest_leaves_out_is_put_back_or_not_made_up(said: str, told: str | None) -> None:
    document = jest(assertionResults=[result(said, "", "adds")])
    del document["openHandles"]
    assert read(document) == [("/srv/shop/a.test.js::adds", told)]


def test_rspec_tells_failed_examples_and_files_that_did_not_load() -> None:
    example = {"full_description": "Cart adds", "file_path": "./spec/cart_spec.rb", "status": "failed"}
    thrown = {"class": "KeyError", "message": "\nkey not found: :a\n"}
    loading = (
        "\nAn error occurred while loading ./spec/pay_spec.rb.\nFailure/Error: require 'nope'\n\n"
        "LoadError:\n  cannot load such file -- nope\n# ./spec/pay_spec.rb:1:in `require'\n"
    )
    document = {
        "examples": [{**example, "exception": thrown}, {**example, "status": "passed"}],
        "messages": [loading, "No examples found."],
    }
    assert read(document) == [
        ("spec.cart_spec::Cart adds", "key not found: :a"),
        ("spec.pay_spec", "cannot load such file -- nope"),
    ]


def test_mocha_tells_what_was_thrown_as_its_stack_begins() -> None:
    err = {"message": "lost", "stack": "RangeError: lost\n    at Context.<anonymous> (a.js:1:2)"}
    tests = [{"fullTitle": "cart adds", "err": err}]
    assert read({"stats": {}, "tests": tests, "failures": tests}) == [("cart adds", "RangeError: lost")]
    assert read({"stats": {}, "tests": [], "failures": []}) == []


def test_pytest_json_report_tells_the_stage_that_failed() -> None:
    call = {
        "outcome": "failed",
        "crash": {"message": "assert 1 == 2"},
        "longrepr": ">  assert\nE  assert 1 == 2",
    }
    test = {
        "nodeid": "tests/test_a.py::test_b",
        "outcome": "failed",
        "setup": {"outcome": "passed"},
        "call": call,
    }
    collector = {"nodeid": "tests/test_c.py", "outcome": "failed", "longrepr": "E   NameError: name 'x'"}
    document = {"exitcode": 1, "tests": [test, {"outcome": "passed"}], "collectors": [collector]}
    assert read(document) == [
        ("tests.test_c", "NameError: name 'x'"),
        ("tests.test_a::test_b", "assert 1 == 2"),
    ]


def test_playwright_tells_specs_that_are_not_ok_in_the_end() -> None:
    lost = {"results": [{"error": {"message": "\x1b[31mError: lost\x1b[39m\n\nmore"}}]}
    specs = [
        {"title": "adds", "ok": False, "tests": [lost]},
        {"title": "is flaky", "ok": True, "tests": [lost]},
    ]
    suites = [{"title": "a.spec.ts", "file": "a.spec.ts", "suites": [{"title": "cart", "specs": specs}]}]
    suites[0]["suites"][0]["file"] = "a.spec.ts"  # type: ignore[index]
    assert read({"config": {}, "suites": suites}) == [("a.spec.ts::cart > adds", "Error: lost")]


def test_of_a_document_that_was_cut_what_is_whole_counts() -> None:
    results = [result("Error: lost", "cart", "adds"), result("Error: late", "cart", "pays")]
    data = json.dumps(jest(assertionResults=results)).encode()
    whole = reports.read(data)
    cut = reports.read(data[: data.index(b"late")])
    assert [failure.test for failure in whole.failures] == ["cart adds", "cart pays"]
    assert [failure.test for failure in cut.failures] == ["cart adds"]
    assert (whole.complete, cut.complete) == (True, False)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"3 passed, 1 failed", "neither XML nor JSON"),
        (b'{"total": {"lines": {}}}', "JSON of another kind"),
        (b"[" * 100_000, "JSON of another kind"),
        (b'{"testResults": ' + b"[" * 100_000, None),
    ],
)
def test_json_that_is_no_report_is_said_in_a_line(data: bytes, said: str | None) -> None:
    if said is None:
        assert reports.read(data).failures == ()
    else:
        with pytest.raises(ChalkError, match=said) as caught:
            reports.read(data)
        assert "\n" not in caught.value.message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "testResults assertionResults failureMessages ancestorTitles title status failed name "
                "message "
                "examples exception messages stats failures err stack fullTitle tests collectors exitcode "
                "outcome "
                "suites specs config ok results error Action Test Package Output fail".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(VALUES)
def test_any_document_ends_in_a_reading_or_a_plain_word(document: object) -> None:
    read = outcome(json.dumps(document).encode())
    if isinstance(read, str):
        assert "\n" not in read
    else:
        assert all(isinstance(failure.test, str) for failure in read.failures)


def test_a_name_of_slashes_alone_is_no_work() -> None:
    tests = [event("fail", "/" * 20_000 + str(at)) for at in range(200)]
    assert len(read(go(*tests, event("fail", "/" * 20_000), event("fail")))) == 201
    assert read(go(event("fail", "T"), event("fail", "T/a"), event("fail", "T-b"), event("fail"))) == [
        ("acme.com/cart::T-b", None),
        ("acme.com/cart::T/a", None),
    ]
