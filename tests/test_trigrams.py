"""Trigrams as pg_trgm has them: values below are those of PostgreSQL 15.18, pg_trgm 1.6, UTF-8, C.UTF-8."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.failures import letters, trigrams

# a, b, similarity(a, b), word_similarity(a, b)
ROWS = [
    ("", "", 0.0, 0.0),
    ("", "word", 0.0, 0.0),
    ("!?", "...", 0.0, 0.0),
    ("a", "a", 1.0, 1.0),
    ("a", "b", 0.0, 0.0),
    ("word", "two words", 0.36363637, 0.80000001),
    ("cat", "cats", 0.5, 0.75),
    ("ABC", "abc", 1.0, 1.0),
    ("cart is empty", "the cart is empty today", 0.60869563, 1.0),
    ("KeyError: 'sku'", "KeyError: 'price'", 0.47368422, 0.69230771),
    ("connection refused", "dial tcp: connect: connection refused (10.0.0.7:5432)", 0.46341464, 1.0),
    ("Cannot find module './cart'", "Error: Cannot find module '../src/cart'", 0.6875, 0.86363637),
    ("abc abc abc", "abc", 1.0, 1.0),
    ("ab ba", "abba", 0.375, 0.375),
    ("aaaa", "aaaaaaaa", 1.0, 1.0),
    ("one two three", "three two one", 1.0, 1.0),
    ("snake_case", "snake case", 1.0, 1.0),
    ("x-y", "x y", 1.0, 1.0),
    ("1.25.3", "1.25.4", 0.55555558, 0.71428573),
    ("0x7ffd", "7ffd", 0.33333334, 0.42857143),
    ("naïve", "naive", 0.33333334, 0.33333334),
    ("Größe", "GRÖSSE", 0.30000001, 0.5),
    ("GRÖẞE", "größe", 1.0, 1.0),
    ("İzmir", "izmir", 1.0, 1.0),
    ("ΛΌΓΟΣ", "λόγος", 0.5, 0.66666669),
    ("дата не найдена", "Дата НЕ найдена!", 1.0, 1.0),
    ("設定が見つかりません", "設定ファイルが見つかりません", 0.52941179, 0.63636363),
    ("नहीं मिला", "नहीं", 0.5, 0.5),
    ("ไม่พบไฟล์", "ไม่พบ", 0.5, 0.55555558),
    ("m²", "m2", 0.25, 0.5),
    ("¾ full", "3/4 full", 0.55555558, 1.0),
    ("Ⅻ", "xii", 0.0, 0.0),
    ("٤٢ errors", "42 errors", 0.53846157, 0.69999999),
    ("Ⓐ", "ⓐ", 1.0, 1.0),
    ("cafe\u0301", "café", 0.42857143, 0.60000002),
    ("a\u200db", "ab", 0.16666667, 0.25),
    ("🙂 ok", "ok", 1.0, 1.0),
    ("tab\tbed", "tab bed", 1.0, 1.0),
    (
        "total price",
        "The price of the cart is the total of its items; a total price is shown below.",
        0.25531915,
        1.0,
    ),
    ("b a b", "a b a b c a b b a", 0.66666669, 1.0),
    ("abc def", "abx abc xyz def abc q def", 0.5, 1.0),
    ("abcabd", "abdabc abc abd", 0.5, 0.625),
    ("xyz", "x xy xyz yz z xyzz", 0.33333334, 1.0),
    ("retry limit", "limits of retries: the limit is retried until the retry limit", 0.33333334, 1.0),
]
WORDS = st.text("ab c1é漢", max_size=30)


def as_float4(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def stretches(a: str, b: str) -> float:
    """pg_trgm's search for the most similar stretch, place by place."""
    wanted, text = trigrams.of(a), trigrams.sequence(b)
    last: dict[int, int] = {}
    lower, best = 0, 0.0

    def similar(begin: int) -> float:
        inside = {trigram for trigram, place in last.items() if place >= begin}
        return as_float4(len(inside & wanted) / len(inside | wanted))

    for end, trigram in enumerate(text):
        if not last and trigram not in wanted:
            continue
        if not last:
            lower = end
        last[trigram] = end
        if trigram in wanted:
            begin = max(range(lower, end + 1), key=lambda place: (similar(place), -place))
            best, lower = max(best, similar(begin)), begin
            last = {kept: place for kept, place in last.items() if place >= lower}
    return best


@pytest.mark.parametrize(("a", "b", "similarity", "word_similarity"), ROWS)
def test_similarities_are_those_of_postgresql(
    a: str, b: str, similarity: float, word_similarity: float
) -> None:
    assert trigrams.similarity(a, b) == as_float4(similarity)
    assert trigrams.word_similarity(a, b) == as_float4(word_similarity)


def test_a_trigram_of_ascii_is_its_bytes_and_any_other_is_hashed_as_postgresql_does() -> None:
    assert trigrams.of("cat") == {int.from_bytes(t) for t in (b"  c", b" ca", b"cat", b"at ")}
    assert trigrams.of("é連") == {0xCBB43C, 0xE69B54, 0x7C7B7A}
    assert trigrams.of("naïf") == {
        0xDD7FF7,
        0x1E1177,
        0x59A8DA,
        *(int.from_bytes(t) for t in (b"  n", b" na")),
    }


def test_exactly_half_is_not_alike_and_a_trigram_more_is() -> None:
    assert trigrams.similarity("cat", "cats") == 0.5
    assert not trigrams.alike("cat", "cats")
    assert trigrams.alike("cats", "catsy")


def test_a_word_similarity_of_exactly_three_fifths_is_above_it_as_in_sql() -> None:
    assert trigrams.word_similarity("cafe\u0301", "café") == as_float4(0.6)
    assert trigrams.word_alike("cafe\u0301", "café")
    assert not trigrams.word_alike("ไม่พบไฟล์", "ไม่พบ")


def test_the_order_of_words_counts_for_the_stretch_alone() -> None:
    assert trigrams.sequence("b a") == trigrams.sequence("b") + trigrams.sequence("a")
    assert trigrams.of("b a") == trigrams.of("a b")


def test_letters_are_those_of_a_c_library() -> None:
    assert all(map(letters.is_letter, "aé漢\u0902\u0e34ⅫⒶ٤"))
    assert not any(map(letters.is_letter, "_ ²½\u0301\u200d🙂\ud800"))


def test_what_is_no_word_has_no_trigrams() -> None:
    assert [trigrams.of(text) for text in ("", " \t\n", "!?.;", "🙂", "\ud800", "\x00")] == [frozenset()] * 6
    assert trigrams.of("\ud800a\x00b") == trigrams.of("a b")


@given(WORDS, WORDS)
def test_similarity_is_the_same_both_ways_and_one_only_of_the_same_trigrams(a: str, b: str) -> None:
    similarity = trigrams.similarity(a, b)
    assert similarity == trigrams.similarity(b, a)
    assert (similarity == 1) == (trigrams.of(a) == trigrams.of(b) != frozenset())
    assert trigrams.alike(a, b) == (similarity > 0.5)


@given(WORDS, WORDS)
def test_the_stretch_is_the_one_found_place_by_place(a: str, b: str) -> None:
    assert trigrams.word_similarity(a, b) == stretches(a, b)
    assert trigrams.word_alike(a, b) == (stretches(a, b) > 0.6)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_a_similarity(a: str, b: str) -> None:
    assert 0 <= trigrams.similarity(a, b) <= 1
    assert 0 <= trigrams.word_similarity(a, b) <= 1
    assert trigrams.of(a) == set(trigrams.sequence(a))


def test_a_limit_ends_the_search_and_says_so() -> None:
    words = [f"{x}{y}" for x in "abcdefghijk" for y in "abcdefghijk"]
    wanted = trigrams.of(" ".join(words))
    text = trigrams.sequence(" ".join(f"{word} {word[::-1]}x{word}" for word in words * 4))
    whole, steps = trigrams.bounded_extent(wanted, text, None)
    part, taken = trigrams.bounded_extent(wanted, text, steps // 2)
    assert steps // 2 < taken <= steps // 2 + len(set(text)) < steps
    assert part <= whole
