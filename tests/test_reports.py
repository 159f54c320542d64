"""What a failed run's report and output say failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.errors import ChalkError
from chalkgit.failures import reports
from chalkgit.failures.run import Reading

FAILED = '<testcase classname="a.T" name="{}"><failure message="lost {}">lost {}</failure></testcase>'
WHOLE = (
    "<testsuites><testsuite name='s'>{}<testcase classname='a.T' name='ok'/></testsuite></testsuites>".format(
        "".join(FAILED.format(name, name, name) for name in ("x", "y", "z"))
    )
)


def outcome(data: bytes) -> Reading | str:
    """What was read, or the word of why not."""
    try:
        return reports.read(data)
    except ChalkError as error:
        return error.message


def names(data: bytes) -> list[str]:
    return [failure.test for failure in reports.read(data).failures]


def test_a_whole_report_is_read_in_its_order() -> None:
    reading = reports.read(WHOLE.encode())
    assert reading.complete
    assert [(failure.test, failure.error) for failure in reading.failures] == [
        ("a.T::x", "lost x"),
        ("a.T::y", "lost y"),
        ("a.T::z", "lost z"),
    ]
    assert reports.read(b"<testsuite tests='0' failures='1'/>").failures == ()


@pytest.mark.parametrize(
    "data",
    [
        ("\ufeff" + WHOLE).encode(),
        WHOLE.encode("utf-16"),
        WHOLE.encode("utf-16-le"),
        b"> npm test\n" + WHOLE.encode(),
        b"\n <?xml version='1.0'?>" + WHOLE.encode(),
        WHOLE.replace("lost y", "lost & \xfc", 1).encode("latin-1"),
        WHOLE.replace("lost y", "\x1b[31mlost\x00 y", 1).encode(),
        WHOLE.replace("lost y", "&#x1B;[31mlost &#0; y", 1).encode(),
        WHOLE.replace("lost y", "lost <anonymous> & <b", 2).encode(),
        WHOLE.replace("lost y", "lost &nbsp; y", 2).encode(),
        WHOLE.replace(">lost y", "><![CDATA[a & <b> lost y]]>").encode(),
        b"<?xml version='1.0' encoding='zip'?>" + WHOLE.encode(),
        WHOLE.replace("testsuite", "j:testsuite")
        .replace("<j:testsuites>", "<j:testsuites xmlns:j='x'>")
        .encode(),
    ],
)
def test_what_a_writer_did_wrong_costs_no_test(data: bytes) -> None:
    reading = reports.read(data)
    assert [failure.test for failure in reading.failures] == ["a.T::x", "a.T::y", "a.T::z"]
    assert reading.complete


def test_colours_leave_nothing_behind() -> None:
    for colour in ("\x1b[31m", "&#27;[31m", "&#x1b;[31m"):
        text = WHOLE.replace("lost y", f"{colour}lost y")
        assert reports.read(text.encode()).failures[1].error == "lost y"


def test_documents_that_were_appended_are_all_read() -> None:
    other = "<?xml version='1.0'?><testsuite>" + FAILED.format("w", "w", "w") + "</testsuite>"
    reading = reports.read((WHOLE + "\n" + other + other).encode())
    assert [failure.test for failure in reading.failures] == [
        "a.T::x",
        "a.T::y",
        "a.T::z",
        "a.T::w",
        "a.T::w",
    ]
    assert reading.complete
    cut = reports.read((WHOLE + other[:-20]).encode())
    assert [failure.test for failure in cut.failures][:3] == ["a.T::x", "a.T::y", "a.T::z"]
    assert not cut.complete
    assert names((WHOLE + "<coverage/>").encode()) == ["a.T::x", "a.T::y", "a.T::z"]


@given(st.integers(0, len(WHOLE) - 1))
def test_of_a_report_that_was_cut_every_whole_testcase_counts(at: int) -> None:
    whole = WHOLE[:at].count("</testcase>")
    read = outcome(WHOLE[:at].encode())
    if isinstance(read, str):
        assert whole == 0
    else:
        assert [failure.test for failure in read.failures] == ["a.T::x", "a.T::y", "a.T::z"][:whole]
        assert not read.complete


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!DOCTYPE html><html><body>502</body></html>", "an HTML page"),
        ("<html><body>502</body></html>", "an HTML page"),
        ("<coverage line-rate='1'/>", "begins with <coverage>"),
        ('<!DOCTYPE a [<!ENTITY b "bb">]><testsuite/>', "declares a document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>', "declares a document type"),
        ("<", "ends before its first test"),
        ("<?xml version='1.0'?>", "ends before its first test"),
    ],
)
def test_xml_that_is_no_report_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(ChalkError, match=said) as caught:
        reports.read(text.encode())
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_entities_are_refused_before_any_is_expanded() -> None:
    bombs = "".join(f'<!ENTITY b{i} "{f"&b{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<!DOCTYPE a [<!ENTITY b0 "lol">{bombs}]><testsuite name="&b11;"/>'
    with pytest.raises(ChalkError, match="declares a document type"):
        reports.read(bomb.encode())


def test_deep_nesting_costs_no_recursion_and_has_an_end() -> None:
    inner = FAILED.format("x", "x", "x")
    deep = "<testsuite name='s'>" * 5_000 + inner + "</testsuite>" * 5_000
    assert names(deep.encode()) == ["a.T::x"]
    endless = reports.read(("<testsuite>" + inner + "<a>" * 150_000).encode())
    assert [failure.test for failure in endless.failures] == ["a.T::x"]
    assert not endless.complete


def test_a_suite_that_failed_outside_of_its_tests_is_told_by_its_name() -> None:
    reading = reports.read(
        b"<testsuites><testsuite name='s'><error message='no db'/></testsuite></testsuites>"
    )
    assert [(failure.test, failure.error) for failure in reading.failures] == [("s", "no db")]


def test_of_a_report_that_is_too_large_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "REPORT_BYTES", WHOLE.index('name="z"'))
    reading = reports.read(WHOLE.encode())
    assert [failure.test for failure in reading.failures] == ["a.T::x", "a.T::y"]
    assert not reading.complete


@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            "<testsuites>|<testsuite name='s'>|<testcase name='a' classname='b'>|<failure message='m'>|"
            "</failure>|"
            "</testcase>|</testsuite>|</testsuites>|<![CDATA[|]]>|&|&#27;|&amp;|<|>|E   x|panicked at |"
            "=== RUN|<!--|"
            "-->|<?xml version='1.0'?>|<!DOCTYPE a>|<system-out>|</system-out>|<skipped/>|\x00|\x1b[|"
            "\ufeff".split("|")
        ),
        max_size=30,
    ).map(lambda parts: "".join(parts).encode())
)
def test_any_bytes_end_in_a_reading_or_a_plain_word(data: bytes) -> None:
    read = outcome(data)
    if isinstance(read, str):
        assert "\n" not in read
    else:
        assert all("\n" not in (failure.error or "") for failure in read.failures)
