"""`chalkgit decider`: what there is, what keeps it from acting, and what trusting it would send."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from deciding import (
    MODEL,
    Start,
    lessons,
    mock_fixture,  # noqa: F401
    saying,
    telling_fixture,  # noqa: F401
    use,
    yes_to,
)
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit import settings, thresholds
from chalkgit.index import decider_setting
from chalkgit.store import ledger

FAR = "https://decider.example.org"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "DECIDER_SECONDS", 30.0)


def test_status_tells_a_server_that_answers(repo: Repo, chalk: Inside, mock: str) -> None:
    use(mock, "shadow")
    found = chalk.json("decider", "status")
    told = (ROOT / "docs" / "commands.md").read_text().split("### JSON of `decider status`\n")[1]
    table = told.split("\n## ")[0].split("\n")
    assert set(found) == {key for row in table for key in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    assert (found["url"], found["model"], found["mode"]) == (mock, MODEL, "shadow")
    assert (found["local"], found["trusted"], found["reachable"]) == (True, True, True)
    assert found["revision"] == "mock-overlap"
    assert found["lessons"] == {"resolved": 0, "needed": 30, "there": False}
    assert (found["gates"], found["troubles"]) == ([], [])
    text = chalk("decider", "status").out
    assert "answers    yes, revision mock-overlap" in text
    assert "gate       not met: no answer was given yet; it takes 20 judged, 90% of them right" in text


def test_status_tells_the_gate_the_lessons_and_the_last_troubles(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    server = telling(saying(yes_to()))
    use(server.url)
    lessons(repo)
    row: dict[str, str | int | float | None] = {
        "at": 1_700_000_000_000,
        "url": server.url,
        "model": MODEL,
        "revision": "r1",
        "purpose": "recall",
    }
    good = {**row, "probability": 0.9, "chosen": 1, "judged": 1}
    bad = {**row, "revision": "", "trouble": "too late: \x1b[31m2 s"}
    assert ledger.add(repo.place, {"decided": [good] * 20 + [bad]}) is None
    found = chalk.json("decider", "status")
    assert found["lessons"] == {"resolved": 30, "needed": 30, "there": True}
    (gate,) = found["gates"]
    assert (gate["judged"], gate["right"], gate["met"], gate["revision"]) == (20, 20, True, "r1")
    assert [one["trouble"] for one in found["troubles"]] == ["too late: \x1b[31m2 s"]
    text = chalk("decider", "status").out
    assert "gate       met (20 right of 20 judged by revision r1)" in text
    assert "trouble    2023-11-14T22:13:20Z recall: too late:" in text
    assert "\x1b" not in text
    # what is asked to see whether it is there says nothing of this repository
    assert json.dumps(server.asked).count("greeting") == len(server.asked)
    assert str(repo.root) not in json.dumps(server.asked)


def test_status_asks_nobody_who_is_not_trusted_or_switched_off(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    use(FAR)
    found = chalk.json("decider", "status")
    assert (found["trusted"], found["reachable"]) == (False, None)
    assert found["hint"] == f"chalkgit decider trust {FAR}"
    server = telling(saying(yes_to()))
    use(server.url)
    off = json.loads(chalk("decider", "status", "--json", env={"CHALKGIT_BYPASS_DECIDER": "1"}).out)
    assert (off["bypassed"], off["reachable"], server.asked) == (True, None, [])
    assert chalk.json("decider", "status")["reachable"] is True


def test_status_without_a_decider_or_a_repository(chalk: Inside, tmp_path: Path, mock: str) -> None:
    assert chalk("decider", "status").out.startswith("mode       off: your settings name no decider")
    use(mock)
    outside = tmp_path / "outside"
    outside.mkdir()
    found = chalk.json("decider", "status", cwd=outside)
    assert (found["reachable"], found["lessons"]["there"]) == (True, None)


def test_a_setting_that_is_wrong_is_said_so(chalk: Inside) -> None:
    use("http://ann:secret@127.0.0.1")
    result = chalk("decider", "status")
    assert result.code == 2
    assert "secret" not in result.err
    assert "hint: decider:" in result.err


def test_trust_prints_what_would_be_sent_and_then_keeps_it(repo: Repo, chalk: Inside) -> None:
    repo.record(
        "lesson", failure={"error": "E: the blue tray jammed"}, resolution="open ghp_" + "a1B2" * 9 + " first"
    )
    shown = chalk("decider", "trust", FAR, "--show")
    assert (shown.code, decider_setting.trusted(FAR)) == (0, False)
    for said in (
        "current_failure",
        "dead_ends",
        "4,000 characters",
        "1,500",
        "made of a lesson of this repository",
        '"failure": "E: the blue tray jammed"',
        "open <secret> first",
    ):
        assert said in shown.out, said
    assert "not encrypted" not in shown.out
    assert "not encrypted" in chalk("decider", "trust", "http://192.0.2.1", "--show").out
    before = Path(settings.path()).read_text()
    result = chalk("decider", "trust", FAR + "/")
    assert result.out.startswith(shown.out.rstrip("\n"))
    assert decider_setting.trusted(FAR)
    assert settings.read()[decider_setting.TRUSTED] == [FAR]
    assert chalk("decider", "trust", FAR).code == 0
    assert settings.read()[decider_setting.TRUSTED] == [FAR]
    assert chalk("decider", "trust", FAR, "--remove").code == 0
    assert not decider_setting.trusted(FAR)
    assert Path(settings.path()).read_text() == before


def test_this_machine_needs_no_trust_and_no_lesson_needs_an_example(chalk: Inside) -> None:
    result = chalk("decider", "trust", "http://localhost:11434")
    assert "is this machine" in result.out
    assert "made of no lesson" in result.out
    assert decider_setting.TRUSTED not in settings.read()
    assert chalk("decider", "trust", "ftp://x").code == 2
    assert chalk("decider", "trust", FAR, "--show", "--remove").code == 2
