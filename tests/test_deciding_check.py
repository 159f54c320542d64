"""`check` with a decider: a yes makes a ruling of a far paraphrase, and a no takes nothing away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from deciding import (
    MODEL,
    Start,
    judged,
    mock_fixture,  # noqa: F401
    patient_fixture,  # noqa: F401
    saying,
    send,
    telling_fixture,  # noqa: F401
    use,
    yes_to,
)
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from serving import Helper, helper_fixture  # noqa: F401

from chalkgit.records.record import Record
from chalkgit.store import ledger

PROPOSAL = "remember the parsed plugin list across invocations"
ROUTE = "cache the parsed manifest between runs"


@pytest.fixture(name="dead")
def dead_fixture(repo: Repo) -> Record:
    for n in range(8):
        repo.record(route=f"parsed words number {n}", observation=f"the list went wrong in week {n}")
    return repo.record(route=ROUTE, observation="the plugin tests went stale")


def checked(chalk: Inside, proposal: str = PROPOSAL, *args: str) -> dict[str, Any]:
    found = json.loads(chalk("check", proposal, "--json", *args).out)
    assert isinstance(found, dict)
    return found


def rest(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "decider"}


def test_a_yes_makes_a_ruling_that_says_who_found_it(
    repo: Repo, chalk: Inside, dead: Record, telling: Start
) -> None:
    before = checked(chalk)
    assert (before["verdict"] == "tried", before["decider"]) == (False, None)
    server = telling(saying(yes_to("manifest")))
    use(server.url)
    judged(repo, server.url)
    found = checked(chalk)
    assert found["verdict"] == "tried"
    (ruling,) = found["rulings"]
    assert (ruling["id"], ruling["confidence"]) == (dead.id, 0.9)
    assert ruling["method"] == "lexical, decided"
    assert ruling["why"].startswith("a decider finds that it rules this out (0.90); words ")
    assert found["decider"] == {
        "ran": True, "mode": "on", "model": MODEL, "skipped": None, "hint": None
    }  # fmt: skip
    assert len(server.asked[-1]["questions"]) <= 5
    assert {"tried": ROUTE, "why_it_failed": "the plugin tests went stale"} in server.asked[-1]["state"][
        "dead_ends"
    ].values()
    result = chalk("check", PROPOSAL)
    assert result.code == 1
    assert "a decider finds that it rules this out" in result.out
    rows = ledger.read(repo.place, "decided", ("purpose", "id", "chosen"), "request is not null")
    assert ("check", dead.id, 1) in rows


def test_a_no_takes_nothing_away_and_what_is_sure_is_not_asked_about(
    repo: Repo, chalk: Inside, dead: Record, telling: Start
) -> None:
    before, sure = checked(chalk), checked(chalk, ROUTE)
    assert sure["verdict"] == "tried"
    server = telling(saying(yes_to()))
    use(server.url)
    judged(repo, server.url)
    assert rest(checked(chalk)) == rest(before)
    assert len(server.asked) == 1
    assert rest(checked(chalk, ROUTE)) == rest(sure)
    assert len(server.asked) == 1


@pytest.mark.parametrize(("mode", "right"), [("shadow", 20), ("on", 19)])
def test_a_shadow_and_one_before_the_gate_change_nothing(
    repo: Repo, chalk: Inside, dead: Record, telling: Start, mode: str, right: int
) -> None:
    before = checked(chalk)
    server = telling(saying(yes_to("manifest")))
    use(server.url, mode)
    judged(repo, server.url, right)
    found = checked(chalk)
    assert rest(found) == rest(before)
    assert found["decider"]["ran"]
    rows = ledger.read(repo.place, "decided", ("id", "chosen", "mode"), "request is not null")
    assert (dead.id, 1, mode) in rows
    said = chalk("check", PROPOSAL).out
    assert ("it does not act yet: 19 of the 20 answers it takes were judged" in said) is (mode == "on")
    use(server.url)
    judged(repo, server.url, 1)
    assert checked(chalk)["verdict"] == "tried"  # the control


def test_a_real_server_is_asked_and_its_answer_followed(
    repo: Repo, chalk: Inside, dead: Record, mock: str
) -> None:
    use(mock, threshold="0.01")
    judged(repo, mock, revision="mock-overlap")
    found = checked(chalk)
    assert found["verdict"] == "tried"
    assert {ruling["method"] for ruling in found["rulings"]} == {"lexical, decided"}


def test_trouble_is_said_and_costs_nothing_and_a_plan_meets_it_once(
    repo: Repo, chalk: Inside, dead: Record, telling: Start
) -> None:
    before = checked(chalk)
    server = telling(lambda handler, _: send(handler, 500, b'{"error": "no room"}'))
    use(server.url)
    found = checked(chalk)
    assert rest(found) == rest(before)
    assert found["decider"]["ran"] is False
    assert "500" in found["decider"]["skipped"]
    server.asked.clear()
    plan = chalk("check", "-", stdin=f"- {PROPOSAL}\n- remember the plugin words\n- keep the parsed list\n")
    assert len(server.asked) == 1
    assert plan.out.count("The decider took no part: refused: HTTP 500") == 1


def test_the_switch_leaves_the_server_alone_and_without_it_it_is_asked(
    repo: Repo, chalk: Inside, dead: Record, telling: Start
) -> None:
    server = telling(saying(yes_to("manifest")))
    use(server.url)
    judged(repo, server.url)
    off = chalk("check", PROPOSAL, "--json", env={"CHALKGIT_BYPASS_DECIDER": "1"})
    assert (off.code, server.asked) == (0, [])
    assert json.loads(off.out)["decider"]["skipped"] == "it is switched off by CHALKGIT_BYPASS_DECIDER"
    assert ledger.read(repo.place, "decided", ("id",), "request is not null") == []
    assert chalk("check", PROPOSAL, "--json", env={"CHALKGIT_BYPASS_DECIDER": ""}).code == 1
    assert len(server.asked) == 1


def test_words_alone_and_the_past_are_answered_without_a_decider(
    repo: Repo, chalk: Inside, dead: Record, telling: Start
) -> None:
    server = telling(saying(yes_to("manifest")))
    use(server.url)
    judged(repo, server.url)
    repo.commit()
    for args in (("--lexical",), ("--known-at", "HEAD")):
        assert checked(chalk, PROPOSAL, *args)["decider"] is None
    assert server.asked == []
    assert checked(chalk)["verdict"] == "tried"


def test_a_record_that_holds_elsewhere_alone_is_not_lifted(
    repo: Repo, chalk: Inside, another: Any, telling: Start
) -> None:
    far = another("far")
    server = telling(saying(yes_to("manifest", "plugin")))
    use(server.url)
    judged(repo, server.url)
    far.record(route="keep the plugin list of invocations", observation="stale", scope="local")
    assert checked(chalk)["verdict"] != "tried"
    assert server.asked == []
    general = far.record(route="keep the parsed plugin manifest", observation="stale", scope="general")
    found = checked(chalk)
    assert [ruling["id"] for ruling in found["rulings"]] == [general.id]


def test_a_helper_leaves_the_question_to_who_may_wait(dead: Record, telling: Start, helper: Helper) -> None:
    server = telling(saying(yes_to("manifest")))
    judged(helper.repo, server.url)
    assert helper.alike(PROPOSAL, "--json").code == 0
    use(server.url)
    assert helper.alike(PROPOSAL, "--json", helped=False).code == 1
    assert len(server.asked) == 2  # by the process itself, with a helper and without
    helper.alike(PROPOSAL, "--json", "--lexical")
    use(server.url, "off")
    assert helper.alike(PROPOSAL, "--json").code == 0
    assert len(server.asked) == 2
