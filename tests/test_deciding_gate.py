"""Whether a decider may act: counted one answer a record, yes and no, at the threshold of now."""

from __future__ import annotations

from typing import Any

import pytest
from deciding import MODEL, keep, row, rows_judged
from repository import Repo

from chalkgit.answers import deciding_gate
from chalkgit.answers.deciding_gate import Gate
from chalkgit.render import decider
from chalkgit.store import journal_file

URL = "http://127.0.0.1:1"
US = (URL, MODEL, "r1")


def gate(repo: Repo, identity: tuple[str, str, str] = US, threshold: float = 0.7) -> Gate:
    return deciding_gate.gate(repo.place, identity, threshold)


def about(count: int, first: int = 0, **changes: Any) -> list[dict[str, Any]]:
    """Answers about so many records, the same as long as they are asked for by the same numbers."""
    return [row(id=f"y{number:07d}", **changes) for number in range(first, first + count)]


GATE = [(0, 0), (1, 0), (19, 0), (20, 0), (18, 2), (17, 3), (17, 2), (27, 3), (26, 4), (90, 10), (89, 11)]


@pytest.mark.parametrize(("right", "wrong"), GATE)
def test_it_opens_at_twenty_judged_and_nine_in_ten_right(repo: Repo, right: int, wrong: int) -> None:
    keep(repo, *rows_judged(right, wrong), *about(50))
    found = gate(repo)
    assert (found.judged, found.right, found.left_out) == (right + wrong, right, 0)
    assert found.met is (right + wrong >= 20 and 10 * right >= 9 * (right + wrong))
    assert (found.why is None) is found.met


def test_one_record_judged_twenty_times_is_one_answer_and_twenty_records_are_twenty(repo: Repo) -> None:
    no = {"probability": 0.1, "chosen": 0}
    for failure in range(20):  # the same failure or twenty different ones
        keep(repo, row(judged=1, question="v1:a"), row(judged=1, question=f"v1:{failure}"))
    found = gate(repo)
    assert (found.judged, found.right, found.left_out, found.met) == (1, 1, 39, False)
    assert found.why == "1 of the 20 answers it takes were judged"
    keep(repo, *about(14, judged=1), *about(5, 14, judged=1, **no))
    found = gate(repo)
    assert (found.judged, found.left_out, found.met) == (20, 39, True)
    assert found.as_json()["left_out"] == 39


def test_of_one_record_the_newest_judged_answer_counts(repo: Repo) -> None:
    keep(repo, row(judged=1), row(judged=0), row())
    found = gate(repo)
    assert (found.judged, found.right, found.left_out) == (1, 0, 1)
    keep(repo, row(judged=1, hash="edited"))  # another text of the same record is no second record
    found = gate(repo)
    assert (found.judged, found.right, found.left_out) == (1, 1, 2)


@pytest.mark.parametrize(("yes", "no"), [(20, 0), (15, 5), (0, 20)])
def test_it_tells_how_many_of_either_kind_were_judged_and_where_one_is_missing(
    repo: Repo, yes: int, no: int
) -> None:
    keep(repo, *about(yes, judged=1), *about(no, yes, judged=1, probability=0.1, chosen=0))
    found = gate(repo)
    assert (found.judged, found.right, found.met) == (20, 20, True)
    assert (found.yes.judged, found.no.judged) == (yes, no)
    said = list(decider.counted(found.as_json()))
    assert any("what always says yes would look the same" in row for row in said) is (no == 0)
    assert any("what always says no would look the same" in row for row in said) is (yes == 0)


def test_a_yes_to_everything_needs_only_as_much_that_does_not_apply_to_be_found_out(repo: Repo) -> None:
    keep(repo, *about(17, judged=1), *about(3, 17, judged=0))
    found = gate(repo)
    assert (found.met, found.why) == (False, "17 of 20 judged answers were right, less than 90%")


@pytest.mark.parametrize("other", [("http://127.0.0.1:2", MODEL, "r1"), (URL, "m2", "r1"), (URL, MODEL, "")])
def test_it_is_of_one_address_model_and_revision(repo: Repo, other: tuple[str, str, str]) -> None:
    keep(repo, *rows_judged(20))
    assert gate(repo).met
    assert (gate(repo, other).met, gate(repo, other).judged) == (False, 0)


def test_a_journal_that_cannot_be_read_keeps_it_shut(repo: Repo) -> None:
    keep(repo, *rows_judged(20))
    assert gate(repo).met
    with open(journal_file.path(repo.place), "wb") as file:
        file.write(b"SQLite format 3\0" + b"x" * 5_000)
    found = gate(repo)
    assert not found.met
    assert found.why is not None
    assert "cannot be read" in found.why


def test_what_nobody_could_have_written_is_no_judged_answer(repo: Repo) -> None:
    keep(repo, *rows_judged(19), *(row(judged=one) for one in (2, -1, "1.0x", 0.5)))
    keep(repo, *(row(judged=1, **one) for one in ({"probability": None}, {"chosen": None}, {"id": None})))
    keep(repo, row(judged=1, probability=7.0))
    assert (gate(repo).judged, gate(repo).met) == (19, False)
    keep(repo, row(judged=1))
    assert gate(repo).met


def test_an_answer_counts_as_it_is_at_the_threshold_of_now(repo: Repo) -> None:
    # at .3 a yes of .5 was right twenty times, and at .7 each would be a no
    keep(repo, *about(20, probability=0.5, judged=1))
    found = {at: gate(repo, threshold=at) for at in (0.3, 0.5, 0.7)}
    assert {at: (one.judged, one.right, one.met) for at, one in found.items()} == {
        0.3: (20, 20, True), 0.5: (20, 20, True), 0.7: (20, 0, False)
    }  # fmt: skip
    assert (found[0.5].yes.judged, found[0.7].no.judged) == (20, 20)
    # and what was wrong then may be right now: a yes of .5 that nobody wanted is none at .7
    keep(repo, *about(20, probability=0.5, judged=0, revision="s"))
    keep(repo, *about(20, probability=0.5, chosen=0, judged=0, revision="t"))
    for revision, at, met in (("s", 0.7, True), ("s", 0.3, False), ("t", 0.3, True), ("t", 0.7, False)):
        assert gate(repo, (URL, MODEL, revision), at).met is met


def test_each_revision_has_its_own_the_last_one_first(repo: Repo) -> None:
    keep(repo, row(revision="old"), row(revision="new"), row(revision="", trouble="late"), row(model="other"))
    found = deciding_gate.gates(repo.place, URL, MODEL, 0.7)
    assert [one.revision for one in found] == ["new", "old"]
