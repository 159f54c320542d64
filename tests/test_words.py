"""Text as words: every script, every name, any size; the query language of the index is data."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from repository import Repo

from chalkgit import thresholds
from chalkgit.index import words
from chalkgit.index.lexical import Document, Lexical

QUERIES = [
    'route:"x" AND body:*',
    "(((",
    "path:*",
    "+warm -cache",
    "a^9 OR b~2",
    "[a TO z]",
    "\\",
    '"',
    "*",
    "NOT cache",
    "body:IN [warm cache]",
    "/re.*/",
]


def index_of(*texts: str) -> Lexical:
    made = Lexical(None)
    made.write((), [Document(str(n), text) for n, text in enumerate(texts)])
    return made


def found(index: Lexical, text: str) -> list[str]:
    return [path for path, _ in index.search(text, 99)]


@pytest.mark.parametrize(
    ("said", "asked", "other"),
    [
        ("the parseHTTPHeader function", "parse header", "gravel hats"),
        ("parse the http header", "parseHTTPHeader", "nothing"),
        ("snake_case_name here", "snake case", "snack curse"),
        ("use pytest-xdist", "pytestxdist", "py"),
        ("GitHub actions", "github", "hubris"),
        ("write it in go", "go", "gone"),
        ("run npm", "npm", "nym"),
        ("an api", "api", "pia"),
        ("in c++ only", "C++", "see"),
        ("in c# only", "C#", "sea"),
        ("naïve café", "naive cafe", "knave"),
        ("Ünïcode ＦＵＬＬ width", "unicode full", "funnel"),
        ("ﬁle ligature", "file", "flea"),
        ("caching the manifests", "cache manifest", "clutch"),
        ("缓存已解析的清单", "解析清单", "数据"),
        ("キャッシュを温める", "キャッシュ", "ツリー"),
        ("แคชรายการ", "แคช", "ฟกด"),
        ("кэшировать манифест", "манифест", "дерево"),
        ("캐시 데우기", "캐시", "나무"),
        ("Don't repeat it", "don't repeat", "reap"),
        ("v1.10 broke", "1.10", "2"),
        ("the 🙈 emoji test", "emoji", "emotive"),
    ],
)
def test_words_are_found_as_people_write_them(said: str, asked: str, other: str) -> None:
    index = index_of(said, "an unrelated sentence on gardens")
    assert found(index, asked) == ["0"]
    assert "0" not in found(index, other)


@pytest.mark.parametrize("slip", ["manifset", "maniest", "manifesst", "manitest"])
def test_one_slip_in_a_long_word_is_forgiven(slip: str) -> None:
    index = index_of("cache the manifest", "warm the queue")
    assert found(index, slip) == ["0"]
    assert words.close("manifest", slip)
    assert found(index, slip[::-1]) == []


def test_a_slip_in_a_short_word_is_another_word() -> None:
    index = index_of("run npm")
    assert found(index, "nmp") == []
    assert not words.close("npm", "nmp")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("cache", "cache", True),
        ("cache", "caches", True),
        ("cache", "cahce", True),
        ("cache", "xache", True),
        ("cache", "cach", True),
        ("cache", "caxhx", False),
        ("cache", "cachesx", False),
        ("abc", "abd", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_close_is_one_slip_and_symmetric(a: str, b: str, same: bool) -> None:
    assert words.close(a, b) == words.close(b, a) == same


@pytest.mark.parametrize("text", QUERIES)
def test_the_query_language_is_data(text: str) -> None:
    index = index_of("warm the cache", "sort the queue")
    for path in found(index, text):
        assert path == "0"
    assert ("warm" in text or "cache" in text) == bool(found(index, text))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "...", "\x00\x01\x1b[31m", "🙈", "\ud800", "\u200b"])
def test_a_proposal_without_words_finds_nothing(text: str) -> None:
    assert found(index_of("warm the cache"), text) == []


def test_only_stop_words_are_words_where_there_is_nothing_else() -> None:
    index = index_of("to be or not to be", "warm the cache")
    assert index.content("to be or not") == ["to", "be", "or", "not"]
    assert found(index, "or not") == ["0"]
    assert index.content("the cache") == ["cach"]


def test_control_characters_part_words_and_hide_nothing() -> None:
    index = index_of("warm\x1b[31m the\x00cache\x07")
    assert found(index, "cache") == ["0"]
    assert found(index, "warm\x07cache") == ["0"]


def test_an_empty_index_answers() -> None:
    assert found(Lexical(None), "warm the cache") == []
    assert found(index_of("", " "), "warm the cache") == []


def test_equal_hits_come_in_the_order_of_their_paths() -> None:
    index = index_of(*["warm the cache"] * 5)
    assert found(index, "cache") == ["0", "1", "2", "3", "4"]


def test_what_was_taken_out_is_found_no_more() -> None:
    index = index_of("warm the cache", "sort the queue")
    index.write(["0"], [Document("2", "prune the cache")])
    assert (found(index, "cache"), found(index, "warm"), index.count) == (["2"], [], 2)
    index.write(["2"], [Document("2", "prune the tree")])
    assert (found(index, "cache"), found(index, "prune"), index.count) == ([], ["2"], 2)


@pytest.mark.parametrize(
    "text",
    [
        "warm the cache " * 70_000,
        " ".join(f"word{n}" for n in range(110_000)),
        "x" * 1_000_000,
        "缓存" * 170_000,
        "aB" * 500_000,
        "a_" * 500_000,
        "a-" * 500_000,
    ],
    ids=["repeated", "distinct", "one word", "unspaced", "seams", "joined", "dashed"],
)
def test_a_proposal_of_a_megabyte_is_answered_in_time(text: str) -> None:
    index = index_of("warm the cache", *[f"record {n} on word{n}x" for n in range(300)])
    started = time.monotonic()
    assert "0" in found(index, "warm " + text)
    assert time.monotonic() - started < 5


def test_a_record_of_the_largest_size_is_indexed_and_found() -> None:
    text = " ".join(f"word{n}" for n in range(thresholds.RECORD_BYTES // 9)) + " lastword"
    index = index_of(text, "y" * thresholds.RECORD_BYTES)
    assert found(index, "lastword") == ["0"]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.text(max_size=60))
@example("\ud800 cache")
@example("İ ı ſ ß ﷺ")
def test_any_text_is_analysed_alike_by_index_and_proposal(text: str) -> None:
    index = index_of(text)
    asked = index.content(text)
    for word in asked[:9]:
        assert index.frequency(word) == 1, word
    assert found(index, text) == (["0"] if asked else [])


def test_a_question_longer_than_any_plan_is_answered_through_the_command(repo: Repo) -> None:
    for n in range(20):
        repo.record(
            route=f"warm the cache number {n}", observation=" ".join(f"word{m}" for m in range(n, n + 60))
        )
    text = "warm the cache number 3 " + " ".join(f"word{n}" for n in range(11_000))
    started = time.monotonic()
    result = repo.run("check", "--here", "-", stdin=text)
    assert result.code in (0, 1)
    assert "20 records searched" in result.out
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("text", [*QUERIES, "$(touch ran)", "`touch ran`", "\x1b[31mcache", "a\nb"])
def test_a_proposal_is_data_through_the_command(repo: Repo, text: str) -> None:
    repo.record(route="warm the cache")
    result = repo.run("check", "--here", "--", text)
    assert result.code in (0, 1)
    assert "Traceback" not in result.err
    assert "\x1b" not in result.out
    assert not os.path.exists(repo.root / "ran")
