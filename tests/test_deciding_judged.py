"""What people said of a decider's answers, and what is made of it: the gate, and a report's panel."""

from __future__ import annotations

import time
from typing import Any

import pytest
from deciding import MODEL
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import deciding_judged
from chalkgit.errors import ChalkError
from chalkgit.store import journal_file, ledger

URL = "http://127.0.0.1:1"
DAY = 24 * 3600 * 1000


def now() -> int:
    return time.time_ns() // 1_000_000


def row(**changes: Any) -> dict[str, Any]:
    return {
        "at": now(), "request": "q", "purpose": "recall", "url": URL, "model": MODEL, "revision": "r",
        "mode": "shadow", "id": "k7q2m9xd", "probability": 0.9, "chosen": 1, "ms": 10, **changes
    }  # fmt: skip


def add(repo: Repo, *rows: dict[str, Any]) -> None:
    assert ledger.add(repo.place, {"decided": rows}) is None


def verdicts(repo: Repo) -> list[Any]:
    return [found[0] for found in ledger.read(repo.place, "decided", ("judged",))]


@pytest.mark.parametrize(
    ("chosen", "word", "right"),
    [(1, "useful", True), (1, "wrong", False), (0, "useful", False), (0, "wrong", True)],
)
def test_an_answer_is_right_where_it_says_what_the_person_says(
    repo: Repo, chosen: int, word: str, right: bool
) -> None:
    add(repo, row(chosen=chosen))
    assert deciding_judged.judge(repo.place, "k7q2m9xd", word) is right
    assert verdicts(repo) == [int(right)]


def test_the_newest_answer_that_waits_is_judged_and_no_other(repo: Repo) -> None:
    failed = row(trouble="late", chosen=None, probability=None)
    add(repo, row(request="a"), row(request="b", id="zzzzzzzz"), row(request="c"), failed)
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "wrong") is False
    assert verdicts(repo) == [None, None, 0, None]
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "useful") is True
    assert verdicts(repo) == [1, None, 0, None]
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "useful") is None
    assert deciding_judged.judge(repo.place, "absent22", "useful") is None


def test_an_answer_of_a_month_ago_was_not_meant(repo: Repo) -> None:
    add(repo, row(at=now() - 31 * DAY))
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "useful") is None
    add(repo, row(at=now() - 29 * DAY))
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "useful") is True


def test_without_a_journal_there_is_nothing_to_judge(repo: Repo) -> None:
    assert deciding_judged.judge(repo.place, "k7q2m9xd", "useful") is None
    assert not journal_file.exists(repo.place)
    with pytest.raises(ChalkError):
        deciding_judged.judge(repo.place, "k7q2m9xd", "fine")


GATE = [(0, 0), (1, 0), (19, 0), (20, 0), (18, 2), (17, 3), (17, 2), (27, 3), (26, 4), (90, 10), (89, 11)]


@pytest.mark.parametrize(("right", "wrong"), GATE)
def test_the_gate_opens_at_twenty_judged_and_nine_in_ten_right(repo: Repo, right: int, wrong: int) -> None:
    add(repo, *[row(judged=1)] * right, *[row(judged=0)] * wrong, *[row()] * 50)
    found = deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7)
    assert (found.judged, found.right) == (right + wrong, right)
    assert found.met is (right + wrong >= 20 and 10 * right >= 9 * (right + wrong))
    assert (found.why is None) is found.met


@pytest.mark.parametrize("other", [("http://127.0.0.1:2", MODEL, "r"), (URL, "m2", "r"), (URL, MODEL, "")])
def test_the_gate_is_of_one_address_model_and_revision(repo: Repo, other: tuple[str, str, str]) -> None:
    add(repo, *[row(judged=1)] * 20)
    assert deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7).met
    assert not deciding_judged.gate(repo.place, other, 0.7).met
    assert deciding_judged.gate(repo.place, other, 0.7).judged == 0


def test_a_journal_that_cannot_be_read_keeps_the_gate_shut(repo: Repo) -> None:
    add(repo, *[row(judged=1)] * 20)
    with open(journal_file.path(repo.place), "wb") as file:
        file.write(b"SQLite format 3\0" + b"x" * 5_000)
    found = deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7)
    assert not found.met
    assert found.why is not None
    assert "cannot be read" in found.why


def test_what_nobody_could_have_written_is_no_judgement(repo: Repo) -> None:
    add(repo, *[row(judged=1)] * 19, *[row(judged=one) for one in (2, -1, "1.0x", 0.5)])
    assert not deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7).met
    add(repo, row(judged=1))
    assert deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7).met


def test_an_answer_counts_as_it_is_at_the_threshold_of_now(repo: Repo) -> None:
    # at .3 a yes of .5 was right twenty times, and at .7 each would be a no
    add(repo, *[row(probability=0.5, judged=1)] * 20)
    found = {at: deciding_judged.gate(repo.place, (URL, MODEL, "r"), at) for at in (0.3, 0.5, 0.7)}
    assert {at: (one.judged, one.right, one.met) for at, one in found.items()} == {
        0.3: (20, 20, True), 0.5: (20, 20, True), 0.7: (20, 0, False)
    }  # fmt: skip
    # and what was wrong then may be right now: a yes of .5 that nobody wanted is none at .7
    add(repo, *[row(probability=0.5, judged=0, revision="s")] * 20)
    add(repo, *[row(probability=0.5, chosen=0, judged=0, revision="t")] * 20)
    assert deciding_judged.gate(repo.place, (URL, MODEL, "s"), 0.7).met
    assert not deciding_judged.gate(repo.place, (URL, MODEL, "s"), 0.3).met
    assert deciding_judged.gate(repo.place, (URL, MODEL, "t"), 0.3).met
    assert not deciding_judged.gate(repo.place, (URL, MODEL, "t"), 0.7).met


def test_an_answer_without_its_probability_or_choice_opens_no_gate(repo: Repo) -> None:
    add(repo, *[row(judged=1)] * 19, row(judged=1, probability=None), row(judged=1, chosen=None))
    add(repo, row(judged=1, probability=7.0))
    assert deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7).judged == 19
    add(repo, row(judged=1))
    assert deciding_judged.gate(repo.place, (URL, MODEL, "r"), 0.7).met


def test_the_answers_that_wait_are_those_that_a_word_would_judge(repo: Repo) -> None:
    add(
        repo, row(id="aaaaaaaa", at=now() - 31 * DAY), row(id="bbbbbbbb", probability=0.2), row(id="cccccccc")
    )
    add(repo, row(id="bbbbbbbb", probability=0.4, purpose="check"), row(id="dddddddd", judged=1))
    add(
        repo,
        row(id="eeeeeeee"),
        row(id="eeeeeeee", model="other"),
        row(id=None),
        row(trouble="late", probability=None),
    )
    assert deciding_judged.unjudged(repo.place, URL, MODEL) == [
        ("bbbbbbbb", 0.4, "check"), ("cccccccc", 0.9, "recall")
    ]  # fmt: skip
    deciding_judged.judge(repo.place, "cccccccc", "useful")
    assert [one[0] for one in deciding_judged.unjudged(repo.place, URL, MODEL)] == ["bbbbbbbb"]


def test_the_panel_counts_answers_reasons_and_latency(repo: Repo) -> None:
    empty = deciding_judged.panel(repo.place)
    assert (empty["requests"], empty["answers"], empty["yes_share"]) == (0, 0, None)
    assert (empty["ms"], empty["gates"]) == ({"median": None, "p90": None}, [])
    for n in range(10):
        request = f"q{n}"
        add(
            repo,
            row(request=request, ms=10 * (n + 1)),
            row(request=request, ms=10 * (n + 1), chosen=0, judged=1),
        )
    failed = {"id": None, "probability": None, "chosen": None, "revision": ""}
    add(repo, *(row(request=f"t{n}", trouble=f"too late: {n}", **failed) for n in range(3)))
    add(repo, row(request="t9", trouble="refused: HTTP 500", purpose="check", **failed))
    found = deciding_judged.panel(repo.place)
    assert (found["requests"], found["answers"], found["yes"], found["yes_share"]) == (14, 20, 10, 0.5)
    assert (found["judged"], found["right"]) == (10, 10)
    assert found["troubles"] == {"too late": 3, "refused": 1}
    assert found["by_purpose"] == {"recall": 20}
    assert found["ms"] == {"median": 50, "p90": 90}
    assert [(gate["url"], gate["judged"], gate["met"]) for gate in found["gates"]] == [(URL, 10, False)]
    assert deciding_judged.panel(repo.place, now() + DAY)["requests"] == 0


def test_the_last_troubles_are_told_newest_first(repo: Repo) -> None:
    add(repo, *(row(at=n + 1, trouble=f"too late: {n}") for n in range(9)), row())
    found = deciding_judged.troubles(repo.place)
    assert [one["trouble"] for one in found] == [f"too late: {n}" for n in (8, 7, 6, 5, 4)]
    assert len(found) == thresholds.DECIDER_TROUBLES
