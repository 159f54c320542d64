"""A dead end in one line: read leniently, written so that it is read back."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chalkgit import thresholds
from chalkgit.records import codec, oneline
from chalkgit.records.record import Record

PIECES = st.sampled_from([" | ", "|", "\\", "\\|", "layer: x", "route:", " ", "é🙈", "\n", "a", "b c"])
VALUES = st.lists(PIECES | st.text(max_size=4), min_size=1, max_size=8).map("".join)
WORDS = {"layer": "design", "scope": "local", "degree": "partial", "action": "retry"}


def folded(text: str) -> str:
    return " ".join(line.strip() for line in oneline.cleaned(text).split("\n")).strip()


GOOD = VALUES.map(folded).filter(bool)
FIELDS = st.fixed_dictionaries(
    {"route": GOOD, "observation": GOOD},
    optional={"alternative": GOOD, **{key: st.just(word) for key, word in WORDS.items()}},
)

READ = [
    ("route: a | observation: b | layer: design", {"route": "a", "observation": "b", "layer": "design"}),
    ("ROUTE : a | Observation:b", {"route": "a", "observation": "b"}),
    ("observation: b | route: a", {"route": "a", "observation": "b"}),
    ("route: a | then c | observation: b", {"route": "a | then c", "observation": "b"}),
    ("route: a | route: c | observation: b", {"route": "a | route: c", "observation": "b"}),
    (r"route: a \| layer: x | observation: b", {"route": "a | layer: x", "observation": "b"}),
    (r"route: C:\temp\d+ | observation: \\| b", {"route": r"C:\temp\d+", "observation": "\\| b"}),
    ("route: a||b | observation: x|y", {"route": "a||b", "observation": "x|y"}),
    ("route: a\n  b |\n observation: c", {"route": "a b", "observation": "c"}),
    ("route: a | observation: b | layer: desing", {"route": "a", "observation": "b"}),
    ("route: a | observation: b | layer:", {"route": "a", "observation": "b"}),
    (
        "route: a | observation: b | scope: local | degree: partial | action: abandon | alternative: c: d",
        {
            "route": "a",
            "observation": "b",
            "scope": "local",
            "degree": "partial",
            "action": "abandon",
            "alternative": "c: d",
        },
    ),
]


@pytest.mark.parametrize(("text", "fields"), READ, ids=range(len(READ)))
def test_a_line_with_route_and_observation_is_typed(text: str, fields: dict[str, str]) -> None:
    assert oneline.parse(text) == {**fields, "raw": text}


@pytest.mark.parametrize(
    "text",
    [
        "we tried a; it did not work",
        "route: a",
        "observation: b | layer: design",
        "note | route: a | observation: b",
        "route: | observation: b",
        "route: a | observation:",
        "two\nlines | of: prose",
        "",
    ],
)
def test_any_other_text_is_prose_and_is_its_own_route(text: str) -> None:
    assert oneline.parse(text) == {"route": text, "raw": text}


@settings(max_examples=500, deadline=None)
@given(FIELDS)
@example({"route": "a\\", "observation": "| b"})
def test_what_is_written_is_read_back(fields: dict[str, str]) -> None:
    line = oneline.write(fields)
    read = oneline.parse(line)
    assert "\n" not in line
    assert {name: value for name, value in read.items() if name not in ("raw", "truncated")} == fields
    assert read["raw"] == oneline.capped(line)


@given(VALUES)
def test_prose_is_written_as_it_was(text: str) -> None:
    fields = oneline.parse(text)
    if "observation" not in fields:
        assert oneline.parse(oneline.write(fields)) == fields


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters()))
def test_any_entry_with_a_word_in_it_makes_a_record(text: str) -> None:
    record = Record({"id": "abcd1234", "kind": "dead-end", **oneline.parse("a" + text)})
    assert codec.check(record) == []


def test_control_characters_stay_visible_and_line_ends_are_one_kind() -> None:
    assert oneline.parse("a\x1b[31mb\r\nc\rd\te")["raw"] == "a\ufffd[31mb\nc\nd\te"


@pytest.mark.parametrize("unit", ["a", "é", "🙈", "漢"])
def test_an_entry_over_the_cap_is_cut_between_characters_and_says_so(unit: str) -> None:
    fits = unit * (thresholds.RAW_BYTES // len(unit.encode()))
    assert oneline.parse(fits) == {"route": fits, "raw": fits}
    cut = oneline.parse(fits + unit)
    assert cut["truncated"] == "true"
    assert cut["raw"].endswith(unit + " … [cut]")
    assert cut["route"] == cut["raw"]
    room = thresholds.RAW_BYTES - len(cut["raw"].encode())
    assert 0 <= room < len(unit.encode())


def test_a_typed_entry_over_the_cap_keeps_its_fields_whole() -> None:
    read = oneline.parse(f"route: {'a' * 2000} | observation: b | layer: design")
    assert (len(read["route"]), read["observation"], read["layer"]) == (2000, "b", "design")
    assert read["truncated"] == "true"


@pytest.mark.parametrize("unit", ["a | ", "\\", "\\|", " ", "route:", "\n", " | route: a"])
def test_a_long_entry_is_read_in_linear_time(unit: str) -> None:
    start = time.perf_counter()
    oneline.parse("route: a | observation: b" + unit * 100_000)
    assert time.perf_counter() - start < 2
