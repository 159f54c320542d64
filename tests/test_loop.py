"""The verdicts on a loop: each word by what it means, whatever the failures are called."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit import times
from chalkgit.answers import loop
from chalkgit.failures import fingerprint
from chalkgit.records.record import Record
from chalkgit.store import runs
from chalkgit.store.runs import Past

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
AT = int(NOW.timestamp() * 1000)
MINUTE = 60_000


def _past(name: str, tree: str | None, ago: int = 0, **more: Any) -> Past:
    """A run that failed in the way of this name, so many minutes ago."""
    told = {"fingerprint": f"v1:{name}", "tests": (f"t.{name}",), "error": name, **more}
    return Past("recall", tree=tree, at=AT - ago * MINUTE, **told)


def _loop(*runs: tuple[str, str | None]) -> str:
    """The word for the last of these (failure, tree), told in the order in which they happened."""
    *before, last = [_past(name, tree, len(runs) - at) for at, (name, tree) in enumerate(runs)]
    return loop.verdict(last, before[::-1], [], NOW).word


def _open(ticket: str | None = "T-1", days: int = 1, **more: Any) -> Record:
    failure = {"tests": ["t.a"], "error": "a", "fingerprint": "v1:a", "ticket": ticket}
    failure.update(more.pop("failure", {}))
    given_ = {name: value for name, value in failure.items() if value is not None}
    since = times.day(NOW - timedelta(days=days))
    return Record({"id": "k7q2m9xd", "kind": "lesson", "valid-from": since, "failure": given_, **more})


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ("a1", "first"),
        ("a1 a1", "no_change"),
        ("a1 a2", "repeat"),
        ("a? a?", "repeat"),
        ("a1 a?", "repeat"),
        ("a1 a2 a3", "spinning"),
        ("a1 a2 a2", "no_change"),
        ("a1 a2 a3 a3", "no_change"),
        ("a1 a1 a2", "repeat"),
        ("a1 a1 a2 a3", "spinning"),
        ("a1 a2 a1", "spinning"),
        ("a1 b2", "first"),
        ("a1 b2 a3", "repeat"),
        ("a1 b2 a1", "repeat"),
        ("a1 b2 a3 b4", "spinning"),
        ("a1 b2 a1 b2", "spinning"),
        ("a1 b2 c3 a4", "repeat"),
        ("a1 b2 c3 a4 b5", "repeat"),
        ("a1 b2 c3 a4 b5 c6 a7", "spinning"),
    ],
)
def test_a_loop_by_its_failures_and_trees(runs: str, word: str) -> None:
    assert _loop(*[(run[0], None if run[1] == "?" else run[1]) for run in runs.split()]) == word


def test_fewer_tests_of_those_before_is_improving_and_nothing_else_is() -> None:
    before = _past("all", "1", 1, tests=("a", "b", "c"))
    for tests, word in (
        (("a", "b"), "improving"),
        (("c",), "improving"),
        (("a", "d"), "first"),
        (("a", "b", "c", "d"), "first"),
        ((), "first"),
    ):
        found = loop.verdict(_past("less", "2", tests=tests), [before], [], NOW)
        assert found.word == word, tests
    kept = loop.verdict(_past("less", "2", tests=("a", "b")), [before], [], NOW)
    assert kept.why == "2 of the 3 tests that failed in the run before are left"


def test_two_failures_in_turn_are_no_improvement() -> None:
    both = ("a", "b")
    runs = [
        _past("b", str(at), at, tests=both if at % 2 else ("a",), fingerprint=f"v1:{at % 2}")
        for at in range(4)
    ]
    assert loop.verdict(runs[0], runs[1:], [], NOW).word == "spinning"
    assert loop.verdict(runs[0], runs[1:2], [], NOW).word == "improving"


def test_how_often_it_was_met_is_said() -> None:
    earlier = [_past("a", str(at), at) for at in range(1, 11)]
    found = loop.verdict(_past("a", "0"), earlier, [], NOW)
    assert found.times == 11
    assert "11th time" in found.why
    assert "3rd time" in loop.verdict(_past("a", "0"), earlier[:2], [], NOW).why


def test_only_runs_of_this_ticket_and_of_the_last_day_count() -> None:
    run = _past("a", "1", ticket="T-1")
    assert loop.verdict(run, [_past("a", "1", 5, ticket="T-1")], [], NOW).word == "no_change"
    assert loop.verdict(run, [_past("a", "1", 5)], [], NOW).word == "first"
    assert loop.verdict(run, [_past("a", "1", 5, ticket="T-2")], [], NOW).word == "first"
    assert loop.verdict(run, [_past("a", "1", 60 * 25, ticket="T-1")], [], NOW).word == "first"
    # a clock that was set back: what is still to come is no earlier run
    assert loop.verdict(run, [_past("a", "1", -5, ticket="T-1")], [], NOW).word == "first"


def test_what_cannot_be_recognised_is_never_the_same() -> None:
    unknown = {"fingerprint": None, "tests": (), "error": "exit 1"}
    found = loop.verdict(_past("a", "1", **unknown), [_past("a", "1", 1, **unknown)], [], NOW)
    assert found.word == "first"
    assert "too little is known" in found.why


def test_without_fingerprints_the_tests_and_the_error_decide() -> None:
    without = {"fingerprint": None}
    before = _past("a", "1", 1, **without)
    assert loop.verdict(_past("a", "1", **without), [before], [], NOW).word == "no_change"
    assert loop.verdict(_past("a", "1", error="b", **without), [before], [], NOW).word == "first"
    assert loop.verdict(_past("a", "1", tests=("t.b",), **without), [before], [], NOW).word == "first"


def test_an_open_lesson_of_another_ticket_is_seen_again_and_only_its_ticket_named() -> None:
    found = loop.verdict(_past("a", "1", ticket="T-9"), [], [_open(lesson=None)], NOW)
    assert found.word == "deja_vu"
    assert found.ticket == "T-1"
    assert found.why == "the same failure is open under ticket T-1"


@pytest.mark.parametrize(
    "lesson",
    [
        _open(ticket=None),
        _open(ticket="T-9"),
        _open(days=31),
        _open(days=-2),
        _open(resolution="stop the workers first"),
        _open(lesson="When it drains, stop the workers"),
        _open(retired={"because": "no"}),
        _open(settled="abc"),
        _open(review={"state": "quarantined"}),
        _open(failure={"tests": None}),
        _open(failure={"fingerprint": "v1:b"}),
        Record({"id": "k7q2m9xe", "kind": "dead-end", "route": "a", "valid-from": "2026-03-13"}),
    ],
    ids=lambda lesson: str(lesson.fields)[40:120],
)
def test_a_lesson_that_is_not_an_open_one_of_another_ticket_is_not(lesson: Record) -> None:
    run = _past("a", "1", ticket="T-9")
    assert loop.verdict(run, [], [lesson], NOW).word == "first"
    assert loop.verdict(run, [], [lesson, _open(days=30)], NOW).word == "deja_vu"


def test_a_run_whose_tests_are_not_known_was_not_seen_before() -> None:
    assert loop.verdict(_past("a", "1", tests=()), [], [_open()], NOW).word == "first"
    assert loop.verdict(_past("a", "1"), [], [_open()], NOW).word == "deja_vu"


def test_a_lesson_that_other_rules_wrote_is_known_by_those_of_today() -> None:
    known = fingerprint.of_record(["t.a"], "a", None)
    run = _past("a", "1", fingerprint=known.value, error=known.normalized)
    for stated in (None, "v0:whatever"):
        assert loop.verdict(run, [], [_open(failure={"fingerprint": stated})], NOW).word == "deja_vu"
    other = _open(failure={"fingerprint": None, "error": "b"})
    assert loop.verdict(run, [], [other], NOW).word == "first"
    # and where fingerprints are off
    run = _past("a", "1", fingerprint=None, error=known.normalized)
    assert loop.verdict(run, [], [_open()], NOW).word == "deja_vu"
    assert loop.verdict(run, [], [other], NOW).word == "first"


def test_of_several_lessons_the_newest_is_named_whatever_their_order() -> None:
    lessons = [_open("T-1", 9), _open("T-2", 2), _open("T-3", 5)]
    for order in (lessons, lessons[::-1]):
        assert loop.verdict(_past("a", "1"), [], order, NOW).ticket == "T-2"


def test_what_this_loop_has_met_itself_is_not_seen_before() -> None:
    earlier = [_past("a", "1", 1)]
    assert loop.verdict(_past("a", "2"), earlier, [_open()], NOW).word == "repeat"


# --- properties ------------------------------------------------------------------------------------

_RUNS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["1", "2", None]),
        st.sets(st.sampled_from("xyz"), max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def _pasts(rows: Sequence[tuple[str, str | None, set[str], bool]]) -> list[Past]:
    """Newest first; equal fingerprints have equal tests, as real ones do."""
    tests: dict[str, tuple[str, ...]] = {}
    found = []
    for at, (name, tree, failing, known) in enumerate(rows):
        ids = tests.setdefault(name, tuple(sorted(failing)))
        fingerprint = f"v1:{name}" if known else None
        found.append(_past(name, tree, at, fingerprint=fingerprint, tests=ids))
    return found


@given(_RUNS)
def test_there_is_one_word_for_every_loop_and_it_holds(
    rows: list[tuple[str, str | None, set[str], bool]],
) -> None:
    run, *earlier = _pasts(rows)
    found = loop.verdict(run, earlier, [], NOW)
    again = [past for past in earlier if runs.same(run, past)]
    assert found.word in loop.WORDS
    assert found.why
    assert found.times == len(again) + 1
    before = earlier[0] if earlier else None
    if found.word == "no_change":
        assert before is not None
        assert before in again
        assert before.tree == run.tree is not None
    elif found.word == "repeat":
        assert again
    elif found.word == "spinning":
        assert len(again) >= 2 or (again == [earlier[1]] and runs.same(earlier[0], earlier[2]))
    elif found.word == "improving":
        assert before is not None
        assert set(run.tests) < set(before.tests)
    else:
        assert found.word == "first"
        assert again == []


@given(_RUNS, st.data())
def test_a_loop_depends_on_nothing_but_what_it_is_told(
    rows: list[tuple[str, str | None, set[str], bool]], data: st.DataObject
) -> None:
    run, *earlier = _pasts(rows)
    other = [_past("a", "1", at, ticket="T-7") for at in range(3)]
    mixed = data.draw(st.permutations([*earlier, *other]))
    ordered = sorted(mixed, key=lambda past: past.at, reverse=True)
    told = loop.verdict(run, earlier, [], NOW)
    assert repr(loop.verdict(run, ordered, [], NOW)) == repr(told)
    assert repr(loop.verdict(run, earlier, [_open(ticket=None), _open(days=90)], NOW)) == repr(told)


@given(st.lists(st.sampled_from("12345"), min_size=2, max_size=8))
def test_one_failure_alone_is_no_change_repeat_or_spinning(trees: list[str]) -> None:
    word = _loop(*[("a", tree) for tree in trees])
    changes = sum(new != old for old, new in itertools.pairwise(trees))
    if trees[-1] == trees[-2]:
        assert word == "no_change"
    else:
        assert word == ("repeat" if changes == 1 else "spinning")


def test_a_run_that_was_detained_and_is_asked_about_is_one_run() -> None:
    """Asked about twice in the same way it counts twice: a runner may print the same bytes again."""
    told = {"fingerprint": "v1:a", "tests": ("t.a",), "error": "a", "tree": "1", "digest": "d1"}
    asked = Past("loop", at=AT, **told)
    for surface, word in (("detain", "first"), ("recall", "first"), ("loop", "no_change")):
        before = Past(surface, at=AT - MINUTE, **told)
        assert loop.verdict(asked, [before], [], NOW).word == word
    other = Past("detain", at=AT - MINUTE, **{**told, "digest": "d2"})
    assert loop.verdict(asked, [other], [], NOW).word == "no_change"
