"""What people mark wrong interrupts no more; what they mark useful does, and nothing is pretended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from echoing import ROUTE, ruled
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from repository import Repo
from serving import helping

from chalkgit.answers import marked
from chalkgit.records.record import Record
from chalkgit.store import feedback, journal_file, ledger


def as_person(name: str) -> dict[str, str]:
    return {"GIT_AUTHOR_NAME": name}


@pytest.fixture(name="record")
def record_fixture(repo: Repo) -> Record:
    return ruled(repo)


def test_a_record_that_was_marked_wrong_is_near_and_says_why(
    repo: Repo, chalk: Inside, record: Record
) -> None:
    tried = chalk.json("check", ROUTE, code=1)
    assert (tried["verdict"], tried["rulings"][0]["feedback"]) == ("tried", None)
    said = chalk("feedback", record.id, "wrong")
    assert said.code == 0
    assert f"{record.id}  {ROUTE}: marked wrong by Ada" in said.out
    assert "It does not interrupt from now on" in said.out
    near = chalk.json("check", ROUTE)
    assert (near["verdict"], near["rulings"]) == ("near", [])
    [one] = near["near"]
    assert (one["id"], one["feedback"]) == (record.id, {"wrong": 1, "useful": 0})
    assert one["why"].endswith(
        "; marked wrong 1 time by people here: it does not interrupt (chalkgit feedback)"
    )
    assert "marked wrong 1 time by people here" in chalk("check", ROUTE).out
    [row] = rows(repo, "feedback")
    assert (row["id"], row["word"], row["who"], row["surface"]) == (record.id, "wrong", "Ada", "check")
    assert row["hash"] == rows(repo, "shown")[0]["hash"]
    # with another one that is sure, it is not among those that interrupt
    other = repo.record(route=ROUTE, observation="it was slow as well")
    sure = chalk.json("check", ROUTE, code=1)
    assert [one["id"] for one in sure["rulings"]] == [other.id]


def test_one_more_useful_or_the_word_taken_back_or_an_edit_and_it_interrupts_again(
    chalk: Inside, record: Record
) -> None:
    def verdict() -> str:
        return str(json.loads(chalk("check", ROUTE, "--json").out)["verdict"])

    chalk("feedback", record.id[:4], "wrong")
    chalk("feedback", record.id, "wrong", env=as_person("Bob"))
    chalk("feedback", record.id, "wrong", env=as_person("Bob"))  # one person has one word
    assert verdict() == "near"
    chalk("feedback", record.id, "useful", env=as_person("Cy"))
    assert verdict() == "near"
    chalk("feedback", record.id, "useful", env=as_person("Bob"))
    assert verdict() == "tried"
    chalk("feedback", record.id, "wrong", env=as_person("Bob"))
    assert verdict() == "near"
    back = chalk.json("feedback", record.id, "--withdraw")
    assert (back["withdrawn"], back["word"], back["wrong"], back["useful"]) == (1, None, 1, 1)
    assert verdict() == "tried"
    chalk("feedback", record.id, "wrong")
    assert verdict() == "near"
    chalk("correct", record.id, "--observation", "the tests went stale on Tuesdays")
    assert verdict() == "tried"
    assert chalk.json("feedback", record.id, "wrong")["wrong"] == 1


def test_the_json_is_as_documented(chalk: Inside, record: Record) -> None:
    chalk("check", ROUTE)
    said = chalk.json("feedback", record.id, "wrong", "--because", "it works")
    assert said.pop("switched_off") == []
    assert said == {
        "version": 1,
        "id": record.id,
        "title": ROUTE,
        "word": "wrong",
        "because": "it works",
        "who": "Ada",
        "surface": "check",
        "withdrawn": 0,
        "wrong": 1,
        "useful": 0,
        "interrupts": False,
        "decider": None,
    }
    assert chalk.json("feedback", record.id, "useful")["interrupts"] is True


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("{id}",), "wrong, or useful?"),
        (("{id}", "wrong", "--withdraw"), "--withdraw takes no word"),
        (("{id}", "bad"), "'bad' is not one of"),
        (("zzzzzzzz", "wrong"), "no record has the id"),
        (("{id}", "--withdraw", "--because", "x"), "--because goes with a word"),
        (("{id}", "wrong", "--because", "x" * 2000), "1,000 are kept"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_kept_nowhere(
    repo: Repo, chalk: Inside, record: Record, words: tuple[str, ...], told: str
) -> None:
    said = chalk("feedback", *(word.format(id=record.id) for word in words))
    assert (said.code, told in said.err) == (2, True), said
    assert rows(repo, "feedback") == []


def test_where_the_journal_is_off_or_takes_nothing_that_is_said_and_nothing_changes(
    repo: Repo, chalk: Inside, record: Record
) -> None:
    chalk("journal", "off")
    for words in (("wrong",), ("--withdraw",)):
        said = chalk("feedback", record.id, *words)
        assert (said.code, said.out) == (2, "")
        assert "the journal is off here" in said.err
        assert "hint: chalkgit journal on" in said.err
    assert chalk("check", ROUTE).code == 1
    chalk("journal", "on")
    folder = Path(journal_file.path(repo.place)).parent
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(elsewhere)
    said = chalk("feedback", record.id, "wrong")
    assert (said.code, said.out) == (2, "")
    assert "was not kept: is a symbolic link" in said.err
    assert chalk("check", ROUTE).code == 1
    folder.unlink()
    assert chalk("feedback", record.id, "wrong").code == 0
    assert chalk("check", ROUTE).code == 0


def test_a_damaged_journal_says_nothing_and_costs_no_answer(
    repo: Repo, chalk: Inside, record: Record
) -> None:
    chalk("feedback", record.id, "wrong")
    with open(journal_file.path(repo.place), "r+b") as file:
        file.write(b"no database" * 20)
    before = chalk("check", ROUTE)
    assert (before.code, before.err) == (1, "")
    assert chalk("feedback", record.id, "wrong").code == 0
    assert chalk("check", ROUTE).code == 0


def test_values_that_are_none_of_ours_say_nothing(repo: Repo, chalk: Inside, record: Record) -> None:
    chalk("feedback", record.id, "useful")
    [kept] = rows(repo, "feedback")
    strange = [{**kept, "word": "WRONG", "who": "x"}, {**kept, "hash": None, "word": "wrong", "who": "y"}]
    assert ledger.add(repo.place, {"feedback": strange}) is None
    assert (
        feedback.marks(repo.place, [record.id], lambda ids: {record.id: kept["hash"]})[record.id].wrong == 0
    )
    assert chalk("check", ROUTE).code == 1
    assert feedback.marks(repo.place, [f"{number:08}" for number in range(1200)], lambda ids: {}) == {}


def test_the_journal_is_opened_once_for_what_would_be_shown_and_not_for_what_would_not(
    repo: Repo, chalk: Inside, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = feedback._read
    monkeypatch.setattr(feedback, "_read", lambda place, ids: (opened.append("x"), real(place, ids))[1])
    chalk("check", "something else altogether that no record speaks of")
    assert opened == []
    chalk("check", ROUTE)
    assert opened == ["x"]


def test_the_helper_gives_the_same_answer(repo: Repo, record: Record) -> None:
    with helping(repo) as helper:
        assert repo.run("check", ROUTE).code == 1
        assert repo.run("feedback", record.id, "wrong").code == 0
        before = helper.counts()[0]
        helped = repo.run("check", ROUTE, "--json")
        assert helper.counts()[0] == before + 1
        assert helped.code == 0
        assert json.loads(helped.out)["near"][0]["feedback"] == {"wrong": 1, "useful": 0}
    assert repo.run("check", ROUTE, "--json") == helped


def test_a_program_that_writes_for_somebody_says_nothing_of_a_record(
    repo: Repo, chalk: Inside, record: Record
) -> None:
    said = chalk("feedback", record.id, "wrong", env={"CLAUDECODE": "1"})
    assert (said.code, rows(repo, "feedback")) == (2, [])
    assert "what is counted here is what people say" in said.err
    assert chalk("feedback", record.id, "wrong").code == 0


def test_a_record_of_another_store_is_marked_here_and_nowhere_else(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo]
) -> None:
    other = another("other")
    there = ruled(other)
    assert chalk("check", ROUTE).code == 1
    assert chalk("feedback", there.id[:5], "wrong").code == 0
    assert chalk("check", ROUTE).code == 0
    assert len(rows(repo, "feedback")) == 1
    assert rows(other, "feedback") == []
    assert chalk("check", ROUTE, cwd=other.root).code == 1


def test_a_deciders_answer_is_judged_by_it(repo: Repo, chalk: Inside, record: Record) -> None:
    asked = {
        "at": ledger_now(),
        "request": "q",
        "purpose": "check",
        "url": "u",
        "model": "m",
        "id": record.id,
    }
    answered = {**asked, "revision": "r", "mode": "shadow", "probability": 0.9, "chosen": 1, "ms": 10}
    assert ledger.add(repo.place, {"decided": [answered]}) is None
    assert chalk.json("feedback", record.id, "wrong")["decider"] is None  # nobody saw the record with it
    assert chalk("check", ROUTE).code in (0, 1)
    said = chalk("feedback", record.id, "wrong")
    assert "The decider's last answer about it was wrong." in said.out
    assert rows(repo, "decided")[0]["judged"] == 0
    assert chalk.json("feedback", record.id, "useful")["decider"] is True  # one's last word counts
    chalk("feedback", record.id, "--withdraw")
    assert rows(repo, "decided")[0]["judged"] is None


def test_what_interrupted_and_was_called_wrong_is_counted(repo: Repo, chalk: Inside, record: Record) -> None:
    other = repo.record(route="grind the blue lens", observation="it broke")
    repo.record(route="shard the suite over workers", observation="slow")
    for route in (ROUTE, ROUTE, "grind the blue lens", "shard the suite over workers"):
        chalk("check", route)
    found = marked.interrupted(repo.place)
    assert found is not None
    assert (found.records, found.wrong, found.useful) == (3, 0, 0)
    chalk("feedback", record.id, "wrong")
    chalk("feedback", other.id, "useful")
    found = marked.interrupted(repo.place)
    assert found is not None
    assert (found.records, found.wrong, found.useful) == (3, 1, 1)
    os.unlink(journal_file.path(repo.place))
    empty = marked.interrupted(repo.place)
    assert empty is not None
    assert empty.records == 0


def ledger_now() -> int:
    import time

    return time.time_ns() // 1_000_000
