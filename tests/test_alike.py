"""The inverted table of trigrams: it finds what comparing all strings would."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalkgit.failures import trigrams
from chalkgit.index import alike, tallies
from chalkgit.index.table import Damaged, Table

Rows = Sequence[tuple[int, str, int]]
LINES = st.text("ab c1é", max_size=12)
MANY = 2 * tallies.BLOCK + 900


def empty() -> Table:
    table = Table(":memory:", create=True)
    table.write([])
    return table


def add(table: Table, rows: Rows) -> None:
    table.change(lambda database: alike.add(database, rows))


def forget(table: Table, keys: Sequence[int]) -> None:
    table.change(lambda database: alike.forget(database, keys))


def scanned(rows: Rows, text: str, space: int, least: float) -> dict[int, float]:
    found: dict[int, float] = {}
    for key, string, where in rows:
        similarity = trigrams.similarity(text, string)
        if where == space and similarity > least:
            found[key] = max(similarity, found.get(key, 0))
    return found


def spoken(rows: Rows, text: str, space: int, least: float) -> dict[int, float]:
    found: dict[int, float] = {}
    for key, string, where in rows:
        similarity = trigrams.word_similarity(string, text)
        if where == space and similarity > least:
            found[key] = max(similarity, found.get(key, 0))
    return found


def line(chance: random.Random) -> str:
    words = chance.choices(("cart", "order", "missing", "module", f"w{chance.randrange(900)}"), k=4)
    return f"Error: {' '.join(words)} {chance.randrange(50)}"


@pytest.fixture(scope="module")
def large() -> Iterator[tuple[Table, Rows]]:
    """Lines of three blocks, in parts that end within them; all have the trigrams of “error”."""
    chance = random.Random(7)
    rows = [(key, line(chance), 0) for key in range(MANY)]
    table = empty()
    for start, end in ((0, 10_000), (10_000, 10_001), (10_001, MANY)):
        add(table, rows[start:end])
    yield table, rows
    table.close()


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 9), LINES, st.integers(0, 1)), max_size=25),
    st.lists(st.integers(0, 9), max_size=3),
    LINES,
    st.sampled_from((0.1, 0.3, 0.5)),
)
def test_what_is_found_is_what_a_scan_finds(rows: Rows, gone: list[int], text: str, least: float) -> None:
    table = empty()
    for start in range(0, len(rows), 7):
        add(table, rows[start : start + 7])
    forget(table, gone)
    kept = [row for row in rows if row[0] not in gone]
    for space in (0, 1):
        found, whole = alike.alike(table, text, space, least)
        assert (dict(found), whole) == (scanned(kept, text, space, least), True)
        assert [similarity for _, similarity in found] == sorted(dict(found).values(), reverse=True)
    table.close()


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 9), LINES, st.integers(0, 1)), max_size=15),
    st.text("ab c1é", max_size=60),
    st.sampled_from((2, 6, 160)),
)
def test_what_a_text_contains_is_what_comparing_each_with_it_finds(
    rows: Rows, text: str, window: int
) -> None:
    table = empty()
    add(table, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "WINDOW", window)
        for space, least in ((0, 0.6), (1, 0.3)):
            found, whole = alike.contained(table, text, space, least)
            assert (dict(found), whole) == (spoken(rows, text, space, least), True)
            assert [similarity for _, similarity in found] == sorted(dict(found).values(), reverse=True)
    table.close()


@pytest.mark.parametrize(
    "text", ["Error: cart order missing 7", "Error: w1 w2 module cart 3", "missing", "none"]
)
@pytest.mark.parametrize("least", [0.1, 0.5])
def test_so_it_is_over_several_blocks(large: tuple[Table, Rows], text: str, least: float) -> None:
    table, rows = large
    found, whole = alike.alike(table, text, 0, least, most=MANY)
    assert whole
    assert dict(found) == scanned(rows, text, 0, least)
    assert dict(found) == {} or text != "none"


def test_of_too_many_the_closest_are_told_and_that_there_are_more(large: tuple[Table, Rows]) -> None:
    table, _ = large
    text = "Error: cart order missing 7"
    every, _ = alike.alike(table, text, 0, 0.3, most=MANY)
    for most in (1, 10, len(every) - 1):
        assert alike.alike(table, text, 0, 0.3, most=most) == (every[:most], False)
    assert alike.alike(table, text, 0, 0.3, most=len(every)) == (every, True)


def test_of_equals_the_one_added_last_comes_first() -> None:
    table = empty()
    add(table, [(5, "cart is empty", 0), (3, "cart is empty", 0)])
    add(table, [(4, "cart: is empty", 0), (9, "cart is not empty", 0)])
    assert [key for key, _ in alike.alike(table, "cart is empty", 0, 0.5)[0]] == [4, 3, 5, 9]


def test_a_key_stands_once_as_its_closest_string_is() -> None:
    table = empty()
    add(table, [(1, "cart is not empty", 0), (1, "cart is empty", 0)])
    assert alike.alike(table, "cart is empty", 0, 0.5) == ([(1, 1.0)], True)


def test_a_forgotten_key_is_found_no_more_and_may_come_back_as_another() -> None:
    table = empty()
    add(table, [(1, "cart is empty", 0), (2, "cart is empty", 0)])
    forget(table, [1])
    assert alike.alike(table, "cart is empty", 0, 0.5)[0] == [(2, 1.0)]
    forget(table, [2])
    add(table, [(1, "order was lost", 0)])
    assert alike.alike(table, "cart is empty", 0, 0.1)[0] == []
    assert alike.alike(table, "order was lost", 0, 0.5)[0] == [(1, 1.0)]


def test_an_index_is_worn_where_most_of_it_was_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "BLOCK", 2)
    table = empty()
    add(table, [(key, "", 0) for key in range(20)])
    forget(table, range(17))
    assert not alike.worn(table)
    forget(table, range(18))
    assert alike.worn(table)


def test_nothing_is_like_a_text_without_words() -> None:
    table = empty()
    add(table, [(1, "", 0), (2, "!?", 0), (3, "a", 0), (4, "\ud800", 0)])
    for text in ("", "...", "\ud800"):
        assert alike.alike(table, text, 0, 0.1) == ([], True)
        assert alike.contained(table, text, 0, 0.6) == ([], True)
    assert alike.alike(table, "A!", 0, 0.5) == ([(3, 1.0)], True)


def test_hostile_texts_are_found_as_any_others() -> None:
    table = empty()
    distinct, repeated = "".join(map(chr, range(0x4E00, 0x4E00 + 2_000))), "a" * 2_000
    output = "\n".join(f"{n} {distinct[:n]}" for n in range(200))
    add(table, [(1, distinct, 0), (2, repeated, 0), (3, output, 0), (4, distinct[::-1], 0)])
    for key, text in ((1, distinct), (2, repeated), (3, output), (4, distinct[::-1])):
        assert alike.alike(table, text, 0, 0.5) == ([(key, 1.0)], True)


def test_the_end_of_a_long_string_is_what_is_compared() -> None:
    table = empty()
    end = "z" * 50 + " cart" * (alike.CHARACTERS // 5)
    add(table, [(1, "abc" * 9_000 + end[-alike.CHARACTERS :], 0)])
    assert alike.alike(table, "order " + end[-alike.CHARACTERS :], 0, 0.9)[0] == [(1, 1.0)]


def test_a_specification_that_takes_too_long_is_compared_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    table = empty()
    spec = "the cart must never be empty, and the order total is shown"
    add(table, [(1, "cart must never be empty", 0), (2, "order total", 0), (3, "a price per item", 0)])
    assert alike.contained(table, spec, 0, 0.6) == ([(2, 1.0), (1, 1.0)], True)
    assert alike.contained(table, spec, 0, 0.6, most=1) == ([(2, 1.0)], False)
    monkeypatch.setattr(alike, "STEPS", 100)
    assert alike.contained(table, spec, 0, 0.6) == ([(1, 1.0)], False)


def test_what_was_not_written_so_is_damaged() -> None:
    for broken in (
        "update alike_trigrams set numbers = x'ffff' || numbers",  # becomes text
        "update alike_trigrams set numbers = x'ffff'",  # no such offset
        "update alike_trigrams set numbers = x'000000'",
        "update alike_trigrams set numbers = null",
        "update alike_sizes set sizes = x'0100'",
        "update alike_sizes set sizes = zeroblob(4000)",
        "update alike_sizes set sizes = 7",
    ):
        table = empty()
        add(table, [(1, "cart is empty", 0)])
        assert alike.alike(table, "cart is empty", 0, 0.5)[0] == [(1, 1.0)]
        table.write([(broken, [()])])
        with pytest.raises(Damaged):
            alike.alike(table, "cart is empty", 0, 0.5)
        table.close()


def test_strings_are_not_added_to_what_lost_some() -> None:
    table = empty()
    add(table, [(1, "cart is empty", 0)])
    table.write([("delete from alike_sizes", [()])])
    with pytest.raises(Damaged):
        add(table, [(2, "cart is full", 0)])
    table.close()
