"""An output becomes lines without colours, controls and CI's prefixes, indentation kept."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.failures import lines

PLAIN = """\
== test session ==

tests/test_cart.py .F

    def test_total():
>       assert total() == 3
E       assert 4 == 3
   note: kept
done in 1.20s"""

PREFIXES = {
    "GitHub Actions": "2026-11-30T08:22:34.3992383Z ",
    "gh run view --log": "build\tRun tests\t2026-11-30T08:22:34.3992383Z ",
    "Jenkins": "[2026-11-30T08:22:34.045Z] ",
    "Jenkins, clock": "08:22:34 ",
    "GitLab": "2026-11-30T08:22:34.399238Z 01O ",
    "TeamCity": "[08:22:34] :\t ",
    "docker compose": "api-1  | ",
    "docker compose, older": "api_1  | ",
    "docker compose -t": "api-1  | 2026-11-30T08:22:34.414320737Z ",
    "docker build": "#12 34.567 ",
    "turbo": "@shop/api:test: ",
    "pnpm -r": "packages/api test: ",
    "concurrently": "[0] ",
    "syslog": "Nov 30 08:22:34 ci-7 runner[4000]: ",
    "journalctl -o short-iso": "2026-11-30T08:22:34+0100 ci-7 runner[4000]: ",
    "ts": "Nov 30 08:22:34 ",
    "syslog without an id": "Nov 30 08:22:34 ci-7 docker: ",
    "foreman": "08:22:34 web.1  | ",
    "woodpecker": "[pytest:L12:3s] ",
    "lerna": "@shop/api: ",
    "yarn": "\u27a4 YN0000: [@shop/api]: ",
    "parallel --tag": "tests/api\t",
    "kubectl logs --prefix": "[pod/api-7c9d/app] ",
    "a quotation": "> ",
    "Buildkite": "\x1b_bk;t=1764490954399\x07",
    "make": "    ",
    "tabs": "\t",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_a_prefix_that_every_line_carries_is_off_and_the_indentation_stays(prefix: str) -> None:
    text = "\n".join(prefix + line for line in PLAIN.split("\n"))
    assert lines.lines(text.encode()) == PLAIN.split("\n")


def test_what_few_lines_begin_with_is_theirs() -> None:
    text = "web-1  | started\nfailing\n[0] first\nshop:test: ran\n12:00:01 begun" + "\nplain" * 9
    assert lines.lines(text.encode()) == text.split("\n")


def test_levels_of_maven_are_no_prefix() -> None:
    text = "[INFO] scanning\n[ERROR] Tests run: 1\n[INFO] \n[ERROR] failed"
    assert lines.lines(text.encode()) == [
        "[INFO] scanning",
        "[ERROR] Tests run: 1",
        "[INFO]",
        "[ERROR] failed",
    ]


def test_rustc_shows_source_with_bars_that_are_no_names_of_containers() -> None:
    text = "error: no\n  --> a.rs:1:2\n   |\n15 |     let n = ;\n   |             ^ here"
    assert lines.lines(text.encode()) == text.split("\n")


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
    ],
)
def test_what_windows_writes_is_decoded(mark: bytes, name: str) -> None:
    text = "E   ValueError: größe ✓\r\nnext\r\n"
    assert lines.lines(mark + text.encode(name)) == ["E   ValueError: größe ✓", "next", ""]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert lines.lines(b"caf\xe9 \xff\x00x") == ["caf\ufffd \ufffdx"]


def test_a_terminal_s_codes_are_off() -> None:
    data = b"\x1b[38;2;255;0;0mE\x1b[0m   \x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b(Bend\x1b[K"
    data += b"\xc2\x9b1mbold\x07\x08"
    assert lines.lines(data) == ["E   link endbold"]


def test_a_title_that_does_not_end_takes_nothing_from_the_next_line() -> None:
    assert lines.lines(b"\x1b]0;title\nnext") == ["0;title", "next"]


def test_of_an_overprinted_line_the_last_state_is_read() -> None:
    assert lines.lines(b"building 1/3\rbuilding 3/3\r\nerror: no\r\r\n") == ["building 3/3", "error: no", ""]


def test_a_line_is_cut_whether_it_is_coloured_or_not() -> None:
    plain = lines.lines(b"x" * 9_000)
    coloured = lines.lines(b"\x1b[1m" + b"x" * 9_000 + b"\x1b[0m")
    assert plain == coloured == ["x" * lines.LINE_CHARACTERS]


def test_of_too_many_lines_the_beginning_and_the_end_are_read() -> None:
    count = lines.OUTPUT_LINES + 1_000
    found = lines.lines(b"\n".join(b"line %d" % n for n in range(count)))
    assert len(found) == lines.OUTPUT_LINES
    assert found[0] == "line 0"
    assert found[-1] == f"line {count - 1}"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("E       assert 5 == 3", "assert 5 == 3"),
        ("# grep: x: No such file", "grep: x: No such file"),
        ("[ERROR] boom", "boom"),
        ("    [junit] boom", "boom"),
        ("** (RuntimeError) locked", "(RuntimeError) locked"),
        ("  │ → boom", "boom"),
        ("Uncaught TypeError: x is not a function", "TypeError: x is not a function"),
        ("api-1  | 2026-11-30T08:22:34Z E   boom", "boom"),
        ("Nov 30 08:22:34 ci-7 unit[12]: boom", "boom"),
        ("2026/11/30 08:22:34 cannot open", "cannot open"),
        ("##[error]boom", "boom"),
        ("::error file=a.py,line=3::boom", "boom"),
        ("#8 1.234 E: Unable to locate", "E: Unable to locate"),
        ("\x1b[31mboom\x1b[0m", "boom"),
        # and what only looks like a prefix
        ("[Errno 2] No such file", "[Errno 2] No such file"),
        ("ERROR: boom", "ERROR: boom"),
        ("12:34:56:78:9a:bc is no address here", "12:34:56:78:9a:bc is no address here"),
        ("EOFError", "EOFError"),
        ("** bold", "** bold"),
        ("#define X", "#define X"),
    ],
)
def test_an_error_line_is_told_without_what_stands_before_it(line: str, text: str) -> None:
    assert lines.clean(line) == text


@given(st.binary(max_size=400))
def test_any_bytes_are_lines_without_controls(data: bytes) -> None:
    for line in lines.lines(data):
        assert len(line) <= lines.LINE_CHARACTERS
        assert not any(ord(c) < 32 and c != "\t" for c in line)
        assert "\x7f" not in line


@given(st.text(max_size=200))
def test_cleaning_twice_is_cleaning_once(line: str) -> None:
    once = lines.clean(line)
    assert lines.clean(once) == once
    assert once == once.strip()
