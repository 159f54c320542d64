"""`recall` with a decider: asked about what is not the same failure, and followed only behind the gate."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from deciding import (
    MODEL,
    Start,
    Telling,
    judged,
    lessons,
    mock_fixture,  # noqa: F401
    patient_fixture,  # noqa: F401
    saying,
    telling_fixture,  # noqa: F401
    use,
    yes_to,
)
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from pool import ERROR, LIKE, output
from repository import Repo

from chalkgit import thresholds
from chalkgit.records.record import Record
from chalkgit.store import ledger

SAME = {"error": ERROR, "tests": ["tests.test_pool::test_drain"]}
FAR = "ValueError: pool was emptied"  # alike by less than the ladder wants


@pytest.fixture(name="filled")
def filled_fixture(repo: Repo) -> dict[str, Record]:
    """30 lessons of other things, one of the same failure, one alike, one less alike."""
    lessons(repo)
    failures = {"SAME": SAME, "LIKE": {"error": LIKE}, "FAR": {"error": FAR}}
    return {
        name: repo.record("lesson", failure=failure, resolution=f"do {name}")
        for name, failure in failures.items()
    }


def recalled(chalk: Inside, error: str = ERROR) -> dict[str, Any]:
    found = chalk.json("recall", "--output", "-", stdin=output(error=error))
    assert isinstance(found, dict)
    return found


def named(found: dict[str, Any]) -> list[str]:
    return [str(lesson["fix"]).removeprefix("do ") for lesson in found["lessons"]]


def kept(repo: Repo) -> list[tuple[Any, ...]]:
    """What the decider's rows of this test say."""
    columns = ("request", "purpose", "mode", "id", "probability", "chosen", "trouble")
    return ledger.read(repo.place, "decided", columns, "request is not null")


def told_of(server: Telling) -> list[str]:
    return [one["fix"].removeprefix("do ") for one in server.asked[-1]["state"]["lessons"].values()]


def same(answer: dict[str, Any]) -> dict[str, Any]:
    """Without the key that says what became of the decider."""
    return {name: value for name, value in answer.items() if name != "decider"}


def test_a_shadow_records_its_choice_and_changes_nothing(
    repo: Repo, chalk: Inside, filled: dict[str, Record], mock: str
) -> None:
    before = recalled(chalk)
    assert named(before) == ["SAME", "LIKE"]
    assert before["decider"] is None
    use(mock, "shadow", threshold="0.9")
    judged(repo, mock, revision="mock-overlap")
    after = recalled(chalk)
    assert same(after) == same(before)
    assert after["decider"] == {
        "ran": True, "mode": "shadow", "model": MODEL, "skipped": None, "hint": None
    }  # fmt: skip
    rows = kept(repo)
    assert [(row[1], row[2], row[5], row[6]) for row in rows] == [("recall", "shadow", 1, None)] * len(rows)
    assert all(0.9 <= row[4] <= 1 for row in rows)  # its words overlap alike whatever is asked
    assert [row[3] for row in rows][:2] == [filled["LIKE"].id, filled["FAR"].id]
    assert len({row[0] for row in rows}) == 1
    use(mock, "on", threshold="0.9")  # the control: the same answers, followed
    assert named(recalled(chalk)) == ["SAME", "LIKE", "FAR"]


def test_on_gives_the_same_failure_and_the_deciders_choice_the_most_confident_first(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to("FAR", "LIKE")))
    use(server.url)
    judged(repo, server.url)
    found = recalled(chalk)
    assert [(lesson["by"], lesson["step"], lesson["decided"]) for lesson in found["lessons"]] == [
        ("fingerprint", 1, None), ("decider", 5, 0.9), ("error", 2, 0.89)
    ]  # fmt: skip
    assert named(found) == ["SAME", "FAR", "LIKE"]
    assert found["skipped"] == []
    assert told_of(server)[:2] == ["LIKE", "FAR"]  # the ladder's own first
    assert len(told_of(server)) <= 5
    assert "SAME" not in told_of(server)
    text = chalk("recall", "--output", "-", stdin=output()).out
    assert (
        "Fix: do FAR [of a failure whose error line is somewhat alike; a decider finds that it applies"
        in text
    )
    assert "Fix: do SAME\n" in text


def test_a_no_leaves_out_what_is_only_alike_and_never_the_same_failure(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to()))
    use(server.url)
    judged(repo, server.url)
    found = recalled(chalk)
    assert named(found) == ["SAME"]
    assert found["skipped"] == ["1 that came near left out: the decider does not find that they apply"]
    assert [row[5] for row in kept(repo)] == [0] * len(told_of(server))


def test_a_probability_at_the_threshold_is_a_yes(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to("LIKE", sure=0.7, otherwise=0.6999)))
    use(server.url, threshold="0.7")
    judged(repo, server.url)
    assert named(recalled(chalk)) == ["SAME", "LIKE"]
    use(server.url, threshold="0.71")
    assert named(recalled(chalk)) == ["SAME"]


def test_there_are_never_more_than_three_and_three_of_the_same_are_not_asked_about(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to("do ")))
    use(server.url)
    judged(repo, server.url)
    repo.record("lesson", failure=SAME, resolution="do SAME")
    assert named(recalled(chalk))[:2] == ["SAME", "SAME"]
    assert len(recalled(chalk)["lessons"]) == 3
    asked = len(server.asked)
    repo.record("lesson", failure=SAME, resolution="do SAME")
    found = recalled(chalk)
    assert named(found) == ["SAME"] * 3
    assert len(server.asked) == asked
    assert (found["decider"]["ran"], found["decider"]["skipped"]) == (False, None)


def test_twenty_nine_lessons_are_too_few_and_thirty_are_enough(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    lessons(repo, 28)
    repo.record("lesson", failure={"error": LIKE}, resolution="do LIKE")
    repo.record("lesson", failure={"error": "E: nobody knows what fixed this"}, reason="open")
    repo.record("lesson", failure={"error": "E: wrong"}, resolution="x", retired={"because": "wrong"})
    server = telling(saying(yes_to()))
    use(server.url)
    judged(repo, server.url)
    found = recalled(chalk)
    assert named(found) == ["LIKE"]
    assert server.asked == []
    assert found["decider"]["skipped"] == "there are 29 of the 30 resolved lessons it takes"
    repo.record("lesson", failure={"error": "E: the thirtieth"}, resolution="x")
    assert named(recalled(chalk)) == []
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("right", "wrong", "acts"), [(0, 0, False), (19, 0, False), (20, 0, True), (18, 2, True), (17, 3, False)]
)
def test_it_acts_only_behind_the_gate(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start, right: int, wrong: int, acts: bool
) -> None:
    server = telling(saying(yes_to()))
    before = recalled(chalk)
    use(server.url)
    judged(repo, server.url, right, wrong)
    found = recalled(chalk)
    assert (named(found) == ["SAME"]) is acts
    if not acts:
        assert found["lessons"] == before["lessons"]
        assert "does not act yet" in found["decider"]["skipped"]
        result = chalk("recall", "--output", "-", stdin=output())
        assert result.err.count("the decider took no part: it does not act yet") == 1


def test_the_gate_is_of_one_address_model_and_revision(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    old, new = telling(saying(yes_to(), "r1")), telling(saying(yes_to(), "r2"))
    judged(repo, old.url)
    judged(repo, new.url)
    use(new.url)
    assert named(recalled(chalk)) == ["SAME", "LIKE"]  # another revision answers
    use(old.url, model="other")
    assert named(recalled(chalk)) == ["SAME", "LIKE"]
    use(old.url)
    assert named(recalled(chalk)) == ["SAME"]


def test_one_failure_over_and_over_judged_by_everybody_is_one_answer_a_record(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to("LIKE")))
    use(server.url, "shadow")
    for who in ("Ann", "Bob", "Cleo"):
        assert named(recalled(chalk)) == ["SAME", "LIKE"]
        said = chalk("feedback", filled["LIKE"].id, "useful", env={"GIT_AUTHOR_NAME": who}).out
        assert "The decider's last answer about it was right." in said
    same_failure = chalk.json("feedback", filled["SAME"].id, "useful")
    assert same_failure["decider"] is None  # nobody asked about the same failure
    assert chalk.json("feedback", filled["FAR"].id, "wrong")["decider"] is None  # and nobody saw this one
    assert chalk("decider", "judge", filled["FAR"].id, "no").code == 0
    (gate,) = chalk.json("decider", "status")["gates"]
    assert (gate["judged"], gate["right"], gate["left_out"]) == (2, 2, 2)
    assert (gate["yes"]["judged"], gate["no"]["judged"]) == (1, 1)


def test_whatever_fails_the_answer_is_the_one_without_a_decider(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recalled(chalk)
    monkeypatch.setattr(thresholds, "DECIDER_SECONDS", 0.3)
    server = telling(lambda handler, _: time.sleep(2))
    use(server.url)
    judged(repo, server.url)
    began = time.monotonic()
    found = recalled(chalk)
    assert time.monotonic() - began < 2
    assert found["lessons"] == before["lessons"]
    assert found["decider"]["ran"] is False
    assert found["decider"]["skipped"].startswith("too late")
    assert found["skipped"] == ["the decider took no part: " + found["decider"]["skipped"]]
    (row,) = kept(repo)
    assert row[6].startswith("too late")
    assert row[3:6] == (None, None, None)


def test_a_setting_that_is_wrong_costs_a_line_and_off_costs_none(
    repo: Repo, chalk: Inside, filled: dict[str, Record], mock: str
) -> None:
    before = recalled(chalk)
    use("ftp://127.0.0.1")
    found = recalled(chalk)
    assert found["lessons"] == before["lessons"]
    assert "the setting `decider` is not used" in found["decider"]["skipped"]
    use(mock, "off")
    assert recalled(chalk) == before
    assert chalk("recall", "--output", "-", stdin=output()).err == ""
    assert kept(repo) == []


def test_a_repository_names_no_decider(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to()))
    judged(repo, server.url)
    said = json.dumps({"url": server.url, "model": MODEL, "mode": "on"})
    config = repo.root / ".lessons" / "config.yaml"
    config.write_text(f"decider: {said}\ndecider-trusted: ['http://192.0.2.1']\n")
    assert named(recalled(chalk)) == ["SAME", "LIKE"]
    assert server.asked == []
    use("http://192.0.2.1")
    assert recalled(chalk)["decider"]["skipped"].startswith("not trusted")
    use(server.url)  # the control: the same words among the user's own settings
    assert named(recalled(chalk)) == ["SAME"]


def test_the_switch_leaves_the_server_alone_and_without_it_it_is_asked(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to("FAR")))
    before = recalled(chalk)
    use(server.url)
    judged(repo, server.url)
    run = ("recall", "--output", "-", "--json")
    off = json.loads(chalk(*run, stdin=output(), env={"CHALKGIT_BYPASS_DECIDER": "1"}).out)
    assert off["lessons"] == before["lessons"]
    assert "CHALKGIT_BYPASS_DECIDER" in off["decider"]["skipped"]
    assert (server.asked, kept(repo)) == ([], [])
    on = json.loads(chalk(*run, stdin=output(), env={"CHALKGIT_BYPASS_DECIDER": "0"}).out)
    assert named(on) == ["SAME", "FAR"]
    assert len(server.asked) == 1
    assert kept(repo) != []


def test_the_past_is_answered_without_a_decider(
    repo: Repo, chalk: Inside, filled: dict[str, Record], telling: Start
) -> None:
    server = telling(saying(yes_to()))
    use(server.url)
    judged(repo, server.url)
    repo.commit()
    then = chalk.json("recall", "--output", "-", "--known-at", "HEAD", stdin=output())
    assert named(then) == ["SAME", "LIKE"]
    assert (then["decider"], server.asked) == (None, [])
    assert named(recalled(chalk)) == ["SAME"]


def test_the_same_failure_in_other_words_is_asked_about_where_a_model_lies_ready(
    repo: Repo, chalk: Inside, telling: Start, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons(repo)
    reason = "the pool of connections is drained after many retries"
    wanted = repo.record("lesson", failure={"reason": reason}, resolution="do MEANT")
    server = telling(saying(yes_to("MEANT")))
    use(server.url)
    judged(repo, server.url)
    assert named(recalled(chalk)) == []
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)
    found = recalled(chalk)
    assert [(lesson["id"], lesson["by"], lesson["step"]) for lesson in found["lessons"]] == [
        (wanted.id, "meaning", 4)
    ]
    assert found["lessons"][0]["similarity"] >= 0.4
    text = chalk("recall", "--output", "-", stdin=output()).out
    assert "of the same failure in other words; a decider finds that it applies, 0.90" in text
    use(server.url, "shadow")
    assert named(recalled(chalk)) == []
