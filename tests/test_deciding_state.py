"""What a decider is told: within its budget whatever the texts hold, secrets masked, one line each."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from pool import ERROR, output

from chalkgit import thresholds
from chalkgit.answers import deciding_state as states
from chalkgit.failures import reading
from chalkgit.records.record import Record

ODD = st.text(st.characters(codec=None), max_size=300)  # surrogates, controls and marks among them
LONG = st.builds(lambda text, times: text * times, ODD, st.integers(1, 40))
COSTLY = st.sampled_from(['"' * 6_000, "\\" * 6_000, "\x00" * 6_000, "🙂" * 6_000, '\\"\n' * 3_000, ""])
TEXT = LONG | COSTLY


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False))


@settings(deadline=None)
@given(now=TEXT, pairs=st.lists(st.tuples(TEXT, TEXT), max_size=thresholds.DECIDER_CANDIDATES))
def test_the_state_keeps_to_its_budget(now: str, pairs: list[tuple[str, str]]) -> None:
    state, questions = states.asked(now, pairs)
    assert size(state) <= 4_000
    current, records = state[states.CURRENT_FAILURE], state[states.LESSONS]
    assert size(current) - 2 <= 1_500
    assert isinstance(records, dict)
    assert list(records) == list(questions)
    assert len(records) == len(pairs)
    texts = [current, *(text for one in records.values() for text in one.values())]
    assert all(isinstance(text, str) and text.isprintable() for text in texts)
    json.dumps(state, ensure_ascii=False).encode()  # nothing that UTF-8 cannot hold


@settings(deadline=None)
@given(text=TEXT, room=st.integers(0, 400))
def test_a_text_is_cut_to_its_room_and_a_shorter_one_is_not(text: str, room: int) -> None:
    made = states.cut(text, room)
    assert size(made) - 2 <= room
    whole = states.cut(text, 1_000_000)
    assert made == whole if size(whole) - 2 <= room else made.endswith("…") or room == 0


def test_what_one_record_does_not_need_its_other_half_has() -> None:
    state, _ = states.asked("E", [("short", "f" * 9_000), ("e" * 9_000, "short"), ("e" * 9_000, "f" * 9_000)])
    records = state[states.LESSONS]
    assert isinstance(records, dict)
    sizes = [(len(one["failure"]), len(one["fix"])) for one in records.values()]
    assert sizes[0][0] == sizes[1][1] == 5
    assert min(sizes[0][1], sizes[1][0]) > 1_200
    assert abs(sizes[2][0] - sizes[2][1]) <= 1
    assert size(state) > 3_950


def test_a_run_and_its_lessons_are_told_by_what_failed_and_what_fixed_it() -> None:
    run = reading.read(None, output().encode(), exit_code=1)
    lesson = Record(
        {
            "id": "k7q2m9xd",
            "kind": "lesson",
            "failure": {"reason": "the pool", "error": "E: drained", "tests": ["t::a"]},
            "resolution": "stop the workers",
        }
    )
    state, questions, about = states.recall(run, [lesson])
    assert about == run.fingerprint
    told = str(state[states.CURRENT_FAILURE])
    assert told.startswith(ERROR)
    assert "tests.test_pool::test_drain" in told
    assert "exit code 1" in told
    assert state[states.LESSONS] == {
        "record_1": {"failure": "the pool; E: drained; failing tests: t::a", "fix": "stop the workers"}
    }
    assert questions == {
        "record_1": 'Does the lesson "record_1" apply to the current failure, so that its fix would help?'
    }


def test_a_proposal_stands_beside_what_was_tried() -> None:
    record = Record({"id": "k7q2m9xd", "kind": "dead-end", "route": "cache it", "observation": "stale"})
    state, questions, about = states.check("keep it in memory", [record])
    assert (about, "memory" in about) == (states.check("Keep  it in memory\n", [])[2], False)
    assert about != states.check("keep it in a file", [])[2]
    assert state == {
        "proposal": "keep it in memory",
        "dead_ends": {"record_1": {"tried": "cache it", "why_it_failed": "stale"}},
    }
    assert list(questions) == ["record_1"]


def test_secrets_are_masked_before_anything_is_cut() -> None:
    key = "ghp_" + "a1B2" * 9
    state, _ = states.asked(f"refused {key}", [(f"token {key}", f"use {key} " + "x" * 9_000)])
    assert "ghp_" not in json.dumps(state)
    assert json.dumps(state).count("<secret>") == 3
