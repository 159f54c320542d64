"""A ruling in one line: what it says first, what gives way, and what never does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chalkgit.records.record import Record
from chalkgit.render import brief
from chalkgit.thresholds import BRIEF_CHARACTERS

DEAD_END = {"id": "k7q2m9xd", "kind": "dead-end", "route": "cache it", "observation": "stale"}


def test_a_dead_end_says_that_it_failed_before_it_says_what_it_was() -> None:
    record = Record({**DEAD_END, "alternative": "parse it each time"})
    assert brief.text(record) == (
        "Tried before, and failed: cache it; why: stale; instead: parse it each time; unreviewed [k7q2m9xd]"
    )


def test_how_sure_the_refutation_is_changes_the_first_words() -> None:
    first = {
        degree: brief.text(Record({**DEAD_END, "degree": degree})).split(":")[0]
        for degree in ("contradicted", "partial", "inconclusive", "unstable")
    }
    assert first == {
        "contradicted": "Tried before, and refuted",
        "partial": "Tried before, and failed in part",
        "inconclusive": "Tried before, without a clear result",
        "unstable": "Tried before, with changing results",
    }


def test_a_procedure_and_a_lesson_are_no_dead_ends() -> None:
    works = Record({"id": "k7q2m9xd", "kind": "procedure", "route": "make schema", "trap": "commit first"})
    lesson = Record(
        {"id": "k7q2m9xd", "kind": "lesson", "failure": {"error": "E: drained"}, "resolution": "stop workers"}
    )
    assert brief.text(works) == "Known to work: make schema; mind: commit first; unreviewed [k7q2m9xd]"
    assert brief.text(lesson) == "Failed before: E: drained; the fix: stop workers; unreviewed [k7q2m9xd]"


def test_what_has_reopened_is_said_first() -> None:
    assert brief.text(Record(DEAD_END), reopened="2027-01-01 has come").startswith(
        "Open again (2027-01-01 has come). Tried before"
    )


def test_the_longest_part_gives_way_and_the_short_ones_stay_whole() -> None:
    text = brief.text(Record({**DEAD_END, "observation": "word " * 200, "alternative": "ask first"}))
    assert len(text) <= BRIEF_CHARACTERS
    assert "cache it" in text
    assert "instead: ask first" in text
    assert "word…" in text
    assert text.endswith("[k7q2m9xd]")


@given(st.text(min_size=1), st.text(min_size=1), st.text(), st.text())
def test_any_text_is_one_line_of_bounded_length_that_ends_in_the_id(
    route: str, observation: str, alternative: str, reopened: str
) -> None:
    record = Record({**DEAD_END, "route": route, "observation": observation, "alternative": alternative})
    text = brief.text(record, reopened=reopened)
    assert len(text) <= BRIEF_CHARACTERS
    assert len(text.splitlines()) == 1
    assert "\x1b" not in text
    assert text.endswith("; unreviewed [k7q2m9xd]")


def test_the_same_ruling_is_the_same_bytes() -> None:
    one, other = Record(DEAD_END), Record(dict(reversed(DEAD_END.items())))
    assert brief.text(one) == brief.text(other)
