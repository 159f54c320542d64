"""What people said of a decider's answers: which one a word judges, who waits, and a report's panel."""

from __future__ import annotations

from typing import Any

import pytest
from deciding import MODEL, keep, now, row
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import deciding_judged
from chalkgit.errors import ChalkError
from chalkgit.store import journal_file, ledger, sqlite

URL = "http://127.0.0.1:1"
DAY = 24 * 3600 * 1000
NAME = "k7q2m9xd"


def add(repo: Repo, *rows: dict[str, Any]) -> None:
    """These answers, each shown with its record to a reader."""
    keep(repo, *rows)
    shown(repo, *({"id": one["id"], "at": one["at"] + 50, "surface": one["purpose"]} for one in rows))


def shown(repo: Repo, *rows: dict[str, Any]) -> None:
    assert ledger.add(repo.place, {"shown": rows}) is None


def judge(repo: Repo, word: str = "useful", who: str = "Ann", name: str = NAME) -> bool | None:
    return deciding_judged.judge(repo.place, name, word, who)


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
    assert judge(repo, word) is right
    assert verdicts(repo) == [int(right)]


def test_the_newest_answer_is_judged_and_the_same_word_again_judges_no_older_one(repo: Repo) -> None:
    failed = row(trouble="late", chosen=None, probability=None)
    add(repo, row(request="a"), row(request="b", id="zzzzzzzz"), row(request="c"), failed)
    for word, right in (("wrong", 0), ("wrong", 0), ("useful", 1)):
        assert judge(repo, word) is bool(right)
        assert verdicts(repo) == [None, None, right, None]
    assert judge(repo, name="absent22") is None
    add(repo, row(request="d", question="another"))
    assert judge(repo, "wrong") is False
    assert verdicts(repo) == [None, None, 1, None, 0]


def test_the_majority_has_it_and_where_people_are_even_the_answer_waits(repo: Repo) -> None:
    add(repo, row(request="a", question="q"))
    assert judge(repo, "useful", "Ann") is True
    add(repo, row(request="b", question="q"))  # the same failure again: Ann has said what she thinks of it
    assert judge(repo, "wrong", "Bob") is None
    assert verdicts(repo) == [1, None]
    assert [one.id for one in deciding_judged.unjudged(repo.place, "other", MODEL)] == []
    assert judge(repo, "wrong", "Cleo") is False
    assert judge(repo, "useful", "Bob") is True
    assert verdicts(repo) == [1, 1]
    add(repo, row(request="c", question="another"))  # of another failure nobody has said anything
    assert judge(repo, "wrong", "Bob") is False


def test_a_word_that_is_taken_back_judges_nothing_any_more(repo: Repo) -> None:
    add(repo, row(request="a", question="q"), row(request="b", question="r"))
    judge(repo, "useful", "Ann")
    judge(repo, "wrong", "Bob")
    assert verdicts(repo) == [None, None]
    deciding_judged.withdraw(repo.place, NAME, "Bob")
    assert verdicts(repo) == [None, 1]
    deciding_judged.withdraw(repo.place, NAME, "Ann")
    deciding_judged.withdraw(repo.place, NAME, "Ann")
    assert verdicts(repo) == [None, None]
    assert ledger.read(repo.place, "decided", ("votes",)) == [(None,), (None,)]


def test_a_word_about_a_record_that_was_not_shown_with_the_answer_judges_nothing(repo: Repo) -> None:
    at = now()
    keep(repo, row(at=at))
    assert judge(repo) is None  # a shadow asked about it, and nobody saw it
    shown(repo, {"id": NAME, "at": at + 500, "surface": "commit"})
    assert judge(repo) is None  # a hook showed it
    shown(repo, {"id": NAME, "at": at + 61_000, "surface": "recall"})
    assert judge(repo) is None  # a later failure did, of which it was not asked
    assert deciding_judged.answered(repo.place, NAME, True, "Ann") == (True, True)  # the answer alone
    keep(repo, row(at=at + 62_000, question="r"))
    shown(repo, {"id": NAME, "at": at + 62_500, "surface": "recall"})
    assert judge(repo, "wrong") is False


def test_a_no_is_judged_without_a_word_about_the_record(repo: Repo) -> None:
    keep(repo, row(chosen=0, probability=0.1))
    assert deciding_judged.asked(repo.place) == [NAME]
    assert deciding_judged.answered(repo.place, NAME, False, "Ann") == (False, True)
    assert deciding_judged.answered(repo.place, NAME, True, "Ann") == (False, False)
    assert ledger.read(repo.place, "feedback", ("id",)) == []
    with pytest.raises(ChalkError, match="no answer of a decider in the last 30 days is about absent22"):
        deciding_judged.answered(repo.place, "absent22", True, "Ann")


def test_votes_that_nobody_could_have_written_are_none(repo: Repo) -> None:
    for votes in ("[1]", "{", "[" * 50_000, '"x"', "null"):
        add(repo, row(votes=votes))
        assert judge(repo) is True


def test_a_journal_of_an_earlier_version_is_judged_too(repo: Repo) -> None:
    add(repo, row())
    database = sqlite.connect(journal_file.path(repo.place))
    for column in ("votes", "question"):
        database.execute(f"alter table decided drop column {column}")
    database.commit()
    database.close()
    deciding_judged.withdraw(repo.place, NAME, "Ann")
    assert judge(repo) is True
    assert verdicts(repo) == [1]


def test_an_answer_of_a_month_ago_was_not_meant(repo: Repo) -> None:
    add(repo, row(at=now() - 31 * DAY))
    assert judge(repo) is None
    add(repo, row(at=now() - 29 * DAY))
    assert judge(repo) is True


def test_without_a_journal_there_is_nothing_to_judge(repo: Repo) -> None:
    assert judge(repo) is None
    assert not journal_file.exists(repo.place)
    with pytest.raises(ChalkError):
        judge(repo, "fine")


def test_the_answers_that_wait_are_of_records_that_do_not_count_yet(repo: Repo) -> None:
    keep(
        repo, row(id="aaaaaaaa", at=now() - 31 * DAY), row(id="bbbbbbbb", probability=0.2), row(id="cccccccc")
    )
    keep(repo, row(id="bbbbbbbb", probability=0.4, purpose="check"), row(id="dddddddd", judged=1))
    keep(repo, row(id="dddddddd"), row(id="eeeeeeee"), row(id="eeeeeeee", model="other"), row(id=None))
    keep(repo, row(trouble="late", probability=None))

    def waiting() -> list[tuple[str, float, str]]:
        found = deciding_judged.unjudged(repo.place, URL, MODEL)
        return [(one.id, one.probability, one.purpose) for one in found]

    assert waiting() == [("bbbbbbbb", 0.4, "check"), ("cccccccc", 0.95, "recall")]
    deciding_judged.answered(repo.place, "cccccccc", True, "Ann")
    assert waiting() == [("bbbbbbbb", 0.4, "check")]
    deciding_judged.answered(repo.place, "bbbbbbbb", True, "Ann")
    deciding_judged.answered(repo.place, "bbbbbbbb", False, "Bob")
    assert waiting() == [("bbbbbbbb", 0.4, "check")]  # two who disagree wait for a third


def test_an_answer_that_waits_names_the_failure_that_the_journal_keeps(repo: Repo) -> None:
    keep(repo, row(question="v1:a"), row(id="bbbbbbbb", question="v1:b"))
    assert ledger.add(repo.place, {"runs": [{"at": 1, "fingerprint": "v1:a", "error": "E: drained"}]}) is None
    found = deciding_judged.unjudged(repo.place, URL, MODEL)
    assert [(one.id, one.failed) for one in found] == [("bbbbbbbb", None), (NAME, "E: drained")]


def test_the_panel_counts_answers_reasons_and_latency(repo: Repo) -> None:
    empty = deciding_judged.panel(repo.place)
    assert (empty["requests"], empty["answers"], empty["yes_share"]) == (0, 0, None)
    assert (empty["ms"], empty["gates"]) == ({"median": None, "p90": None}, [])
    for n in range(10):
        asked = row(request=f"q{n}", ms=10 * (n + 1))
        keep(repo, asked, {**asked, "id": f"y{n % 4}", "chosen": 0, "probability": 0.1, "judged": 1})
    failed = {"id": None, "probability": None, "chosen": None, "revision": ""}
    keep(repo, *(row(request=f"t{n}", trouble=f"too late: {n}", **failed) for n in range(3)))
    keep(repo, row(request="t9", trouble="refused: HTTP 500", purpose="check", **failed))
    found = deciding_judged.panel(repo.place)
    assert (found["requests"], found["answers"], found["yes"], found["yes_share"]) == (14, 20, 10, 0.5)
    assert (found["judged"], found["right"]) == (10, 10)
    assert found["troubles"] == {"too late": 3, "refused": 1}
    assert found["by_purpose"] == {"recall": 20}
    assert found["ms"] == {"median": 50, "p90": 90}
    (gate,) = found["gates"]
    assert (gate["url"], gate["judged"], gate["left_out"], gate["met"]) == (URL, 4, 6, False)
    assert (gate["yes"], gate["no"]) == ({"judged": 0, "right": 0}, {"judged": 4, "right": 4})
    assert deciding_judged.panel(repo.place, now() + DAY)["requests"] == 0


def test_the_last_troubles_are_told_newest_first(repo: Repo) -> None:
    keep(repo, *(row(at=n + 1, trouble=f"too late: {n}") for n in range(9)), row())
    found = deciding_judged.troubles(repo.place)
    assert [one["trouble"] for one in found] == [f"too late: {n}" for n in (8, 7, 6, 5, 4)]
    assert len(found) == thresholds.DECIDER_TROUBLES
