"""`chalkgit decider`: what there is, what keeps it from acting, and what trusting it would send."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pseudoterminal
import pytest
from deciding import (
    MODEL,
    Start,
    judged,
    keep,
    lessons,
    mock_fixture,  # noqa: F401
    now,
    patient_fixture,  # noqa: F401
    row,
    saying,
    send,
    telling_fixture,  # noqa: F401
    use,
    yes_to,
)
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit import settings
from chalkgit.index import decider_setting
from chalkgit.records.record import title

FAR = "https://decider.example.org"


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
    judged(repo, server.url)
    failed = {"at": 1_700_000_000_000, "revision": "", "trouble": "too late: \x1b[31m2 s"}
    keep(repo, row(url=server.url, id=None, probability=None, chosen=None, **failed))
    found = chalk.json("decider", "status")
    assert found["lessons"] == {"resolved": 30, "needed": 30, "there": True}
    (gate,) = found["gates"]
    assert (gate["judged"], gate["right"], gate["met"], gate["revision"]) == (20, 20, True, "r1")
    assert [one["trouble"] for one in found["troubles"]] == ["too late: \x1b[31m2 s"]
    text = chalk("decider", "status").out
    assert "gate       met: 20 of 20 judged answers were right (revision r1)\n" in text
    assert "           14 of 14 yes were right, 6 of 6 no were right; a record counts once\n" in text
    assert "trouble    2023-11-14T22:13:20Z recall: too late:" in text
    assert "\x1b" not in text
    # what is asked to see whether it is there says nothing of this repository
    assert json.dumps(server.asked).count("greeting") == len(server.asked)
    assert str(repo.root) not in json.dumps(server.asked)


def test_status_lists_what_nobody_judged_and_the_gate_points_there(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    server = telling(saying(yes_to()))
    use(server.url, threshold="0.8")
    kept = lessons(repo, 7)
    asked = row(url=server.url, probability=0.75, at=1_000 * (now() // 1_000))
    keep(repo, *({**asked, "id": one.id} for one in kept))
    keep(
        repo, {**asked, "id": kept[0].id, "probability": 0.9, "purpose": "check"}, {**asked, "id": "zzzzzzzz"}
    )
    found = chalk.json("decider", "status")["unjudged"]
    assert [one["id"] for one in found] == [kept[n].id for n in (0, 6, 5, 4, 3)]
    assert found[0] == {
        "id": kept[0].id, "title": title(kept[0]), "probability": 0.9, "yes": True, "purpose": "check",
        "at": asked["at"], "failed": None, "command": f"chalkgit decider judge {kept[0].id} yes|no",
    }  # fmt: skip
    assert found[1]["yes"] is False  # chosen once, and under the threshold of now
    text = chalk("decider", "status").out
    short = "gate       not met: 0 of the 20 answers it takes were judged; you can judge those below"
    assert f"{short} (revision r1)" in text
    first = f"unjudged   chalkgit decider judge {kept[0].id} yes|no   yes (0.90, check): {title(kept[0])}"
    assert first + "\n           asked 20" in text
    assert chalk("decider", "judge", kept[0].id, "yes").code == 0
    after = chalk("decider", "status").out
    assert "not met: 1 of the 20 answers it takes were judged, 1 of them right; it takes 90%; you" in after
    assert first not in after


def test_an_answer_is_judged_without_a_word_about_the_record(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="cache the parsed manifest", observation="stale")
    keep(repo, row(id=record.id, purpose="check", probability=0.1, chosen=0))
    before = chalk("check", "cache the parsed manifest").out
    said = f"{record.id}: the decider's newest answer about it was no, "
    judged_so = ("decider", "judge", record.id[:4])
    assert chalk(*judged_so, "no").out == said + "which counts as right\n"
    assert chalk(*judged_so, "yes").out == said + "which counts as wrong\n"
    bob = {"GIT_AUTHOR_NAME": "Bob"}
    even = said + "and people disagree whether that is right: it does not count\n"
    assert chalk(*judged_so, "no", env=bob).out == even
    assert chalk("check", "cache the parsed manifest").out == before
    assert chalk("feedback", record.id, "--withdraw", env=bob).code == 0
    assert chalk(*judged_so, "no").out == said + "which counts as right\n"


def test_what_cannot_be_judged_is_said_so(repo: Repo, chalk: Inside) -> None:
    result = chalk("decider", "judge", "k7q2m9xd", "yes")
    assert (result.code, "k7q2m9xd" in result.err) == (2, True)
    assert "hint: chalkgit decider status" in result.err
    keep(repo, row())
    result = chalk("decider", "judge", "k7q2m9xd", "yes", env={"CLAUDECODE": "1"})
    assert result.code == 2
    assert "hint: ask the person you work for to run chalkgit decider judge k7q2m9xd yes" in result.err
    assert chalk("journal", "off").code == 0
    assert "the journal is off here" in chalk("decider", "judge", "k7q2m9xd", "yes").err
    assert chalk("journal", "on").code == 0
    assert chalk("decider", "judge", "k7q2m9xd", "yes").code == 0


def test_status_tells_how_many_were_left_out_and_what_each_kind_came_to(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    server = telling(saying(yes_to()))
    use(server.url)
    judged(repo, server.url, 2, 1)
    keep(repo, *[row(url=server.url, judged=1)] * 20)
    found = chalk.json("decider", "status")["gates"][0]
    assert (found["judged"], found["right"], found["left_out"], found["met"]) == (4, 3, 19, False)
    assert (found["yes"], found["no"]) == ({"judged": 3, "right": 3}, {"judged": 1, "right": 0})
    text = chalk("decider", "status").out
    assert (
        "gate       not met: 4 of the 20 answers it takes were judged, 3 of them right; it takes 90%" in text
    )
    counted = "3 of 3 yes were right, 0 of 1 no were right, 19 more about the same records left out"
    assert f"           {counted}; a record counts once\n" in text


def test_status_says_each_thing_once_and_helps_where_a_server_is_dead(
    repo: Repo, chalk: Inside, telling: Start
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    use(url)
    judged(repo, url, 15, 5, revision="")
    text = chalk("decider", "status").out
    assert "gate       not met: 15 of 20 judged answers were right, less than 90%\n" in text
    assert "answers    no: no connection" in text
    assert text.endswith(f"hint: start the server, or mend `url` of `decider:` in {settings.path()}\n")
    use(telling(lambda handler, body: send(handler, 500, b"")).url)
    assert "hint: see that `url` and `model`" in chalk("decider", "status").out
    use(telling(saying(yes_to())).url)
    assert "hint" not in chalk("decider", "status").out


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
    result = chalk("decider", "trust", FAR + "/", "--yes")
    assert result.out.startswith(shown.out.rstrip("\n"))
    assert decider_setting.trusted(FAR)
    assert settings.read()[decider_setting.TRUSTED] == [FAR]
    again = chalk("decider", "trust", FAR)
    assert (again.code, "is trusted already" in again.out) == (0, True)
    assert settings.read()[decider_setting.TRUSTED] == [FAR]
    assert "is trusted no more" in chalk("decider", "trust", FAR, "--remove").out
    assert not decider_setting.trusted(FAR)
    assert Path(settings.path()).read_text() == before
    never = chalk("decider", "trust", FAR, "--remove")
    assert (never.code, never.out) == (0, f"{FAR} was not trusted: nothing was changed\n")
    assert Path(settings.path()).read_text() == before


def test_nothing_is_stored_where_nobody_can_be_asked(repo: Repo, chalk: Inside) -> None:
    before = Path(settings.path()).read_text()
    for typed in ("", "y\n"):  # no terminal: nobody has read what would be sent
        result = chalk("decider", "trust", FAR, stdin=typed)
        assert result.code == 2
        assert result.out.startswith(f"To {FAR} would be sent")
        assert "nobody can be asked here, so nothing was stored" in result.err
        assert f"chalkgit decider trust {FAR} --yes" in result.err
        assert Path(settings.path()).read_text() == before
    agent = chalk("decider", "trust", FAR, "--yes", env={"CLAUDECODE": "1"})
    assert (agent.code, decider_setting.trusted(FAR)) == (2, False)
    assert "for a person to decide; nothing was stored" in agent.err
    assert chalk("decider", "trust", FAR, "--yes").code == 0
    assert decider_setting.trusted(FAR)


@pytest.mark.parametrize(("typed", "trusted"), [("y", True), ("n", False), ("", False)])
def test_at_a_terminal_it_asks_first(repo: Repo, typed: str, trusted: bool) -> None:
    with pseudoterminal.opened("decider", "trust", FAR, cwd=repo.root) as terminal:
        shown = terminal.answer(typed, "Trust it? [y/N] ")
        assert "would be sent" in shown
        assert not decider_setting.trusted(FAR)
        assert terminal.ended() == (0 if trusted else 2)
        assert ("Nothing was stored." in terminal.shown) is not trusted
    assert decider_setting.trusted(FAR) is trusted


@pytest.mark.parametrize("url", ["foo", "ftp://x", "http://[", "https://ann:secret@x", "http://x y"])
def test_a_wrong_argument_is_not_blamed_on_the_settings(repo: Repo, chalk: Inside, url: str) -> None:
    result = chalk("decider", "trust", url, "--yes")
    assert result.code == 2
    assert "URL" in result.err
    assert "setting" not in result.err
    assert settings.path() not in result.err
    assert "secret" not in result.err
    assert "hint: chalkgit decider trust https://HOST:PORT" in result.err


def test_this_machine_needs_no_trust_and_no_lesson_needs_an_example(chalk: Inside) -> None:
    result = chalk("decider", "trust", "http://localhost:11434")
    told = "http://localhost:11434 is this machine: it may be asked as it is, and needs no trust\n"
    assert (result.code, result.out, result.err) == (0, told, "")
    shown = chalk("decider", "trust", "http://localhost:11434", "--show")
    assert "made of no lesson" in shown.out
    assert decider_setting.TRUSTED not in settings.read()
    assert chalk("decider", "trust", "ftp://x").code == 2
    assert chalk("decider", "trust", FAR, "--show", "--remove").code == 2
