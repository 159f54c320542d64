"""check: verdicts, exit codes, JSON keys and options, as COMMANDS promises them to scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import check as answers
from chalkgit.answers import repair
from chalkgit.errors import ChalkError
from chalkgit.index import lexical, table

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"

ANSWER_KEYS = set("version proposal verdict rulings near procedures below semantic bypassed records".split())
RULING_KEYS = set(
    "id ref kind route observation alternative layer scope degree action confidence lexical semantic method "
    "why elsewhere store source stale drift trust by when recorded_at commit path".split()
)
SEMANTIC_KEYS = {"ran", "model", "covered", "skipped"}


def _assert_shape(answer: dict[str, Any]) -> None:
    assert set(answer) >= ANSWER_KEYS
    assert set(answer["semantic"]) >= SEMANTIC_KEYS
    for ruling in [*answer["rulings"], *answer["near"], *answer["procedures"]]:
        assert set(ruling) >= RULING_KEYS
        assert ruling["method"] in ("lexical", "semantic", "lexical and semantic")
        assert ruling["source"] in ("record", "working note")
        assert 0 <= ruling["confidence"] <= 1


def test_empty_clear_near_and_tried_each_have_their_exit_code_and_all_keys(repo: Repo, chalk: Inside) -> None:
    empty = chalk.json("check", ROUTE)
    assert (empty["verdict"], empty["records"]) == ("empty", 0)
    record = repo.record(
        route=ROUTE, observation=WHY, by={"name": "Ada", "agent": "bot"}, valid_from="2026-03-14"
    )
    commit = repo.commit()
    tried = chalk.json("check", ROUTE, code=1)
    assert (tried["verdict"], tried["bypassed"], tried["near"]) == ("tried", False, [])
    ruling = tried["rulings"][0]
    assert (ruling["id"], ruling["commit"], ruling["path"]) == (record.id, commit, record.path)
    assert (ruling["by"], ruling["when"], ruling["trust"]) == ("Ada (agent: bot)", "2026-03-14", "unreviewed")
    assert ruling["recorded_at"] == "2026-03-14T09:00:00Z"
    near = chalk.json("check", "cache the parsed schema between builds")
    assert (near["verdict"], [r["id"] for r in near["near"]]) == ("near", [record.id])
    clear = chalk.json("check", "add dark mode to the settings page")
    assert (clear["verdict"], clear["rulings"], clear["near"]) == ("clear", [], [])
    for answer in (empty, tried, near, clear):
        _assert_shape(answer)


def test_a_procedure_that_matches_is_listed_and_leaves_the_verdict(repo: Repo, chalk: Inside) -> None:
    procedure = repo.record("procedure", route=ROUTE, trap="lock it")
    answer = chalk.json("check", ROUTE)
    assert (answer["verdict"], [r["id"] for r in answer["procedures"]]) == ("clear", [procedure.id])
    assert "known to work" in chalk("check", ROUTE).out


def test_limit_bounds_what_is_shown_and_the_rest_is_counted(repo: Repo, chalk: Inside) -> None:
    for _ in range(5):
        repo.record(route=ROUTE, observation=WHY)
    answer = chalk.json("check", ROUTE, code=1)
    assert (len(answer["rulings"]), answer["below"]) == (3, 2)
    assert len(chalk.ids("check", ROUTE, "--limit", "5")) == 5
    assert len(chalk.ids("check", ROUTE, "--limit", "1")) == 1
    assert chalk("check", ROUTE, "--limit", "0").code == 2
    assert "near miss" not in chalk("check", ROUTE, "--limit", "5").out


def test_valid_at_asks_what_held_then(repo: Repo, chalk: Inside) -> None:
    old = repo.record(route=ROUTE, observation=WHY, valid_from="2019", valid_until="2020")
    new = repo.record(route=ROUTE, observation=WHY, valid_from="2020")
    assert chalk.ids("check", ROUTE) == [new.id]
    assert chalk.ids("check", ROUTE, "--valid-at", "2019-06") == [old.id]
    assert chalk.ids("check", ROUTE, "--valid-at", "2020") == [new.id]
    assert chalk.json("check", ROUTE, "--valid-at", "2018")["verdict"] == "clear"
    wrong = chalk("check", ROUTE, "--valid-at", "soon")
    assert wrong.code == 2
    assert "--valid-at “soon” is no date" in wrong.err


def test_known_at_asks_what_this_repository_knew_then(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = repo.commit()
    record = repo.record(route=ROUTE, observation=WHY)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-03-20T09:00:00Z")
    repo.commit()
    assert chalk.ids("check", ROUTE, "--known-at", "HEAD") == [record.id]
    assert chalk.ids("check", ROUTE, "--known-at", "2026-03-20") == [record.id]
    assert chalk.json("check", ROUTE, "--known-at", start)["verdict"] == "empty"
    assert chalk.json("check", ROUTE, "--known-at", "2026-03-19")["verdict"] == "empty"
    assert chalk.ids("at", "src/a.py", "--known-at", "HEAD") == []
    assert chalk.json("check", ROUTE, "--known-at", "2025-01-01")["verdict"] == "empty"
    assert "no revision" in chalk("check", ROUTE, "--known-at", "nowhere").err


def test_a_past_that_a_shallow_clone_cannot_see_is_unknown_and_never_no(
    repo: Repo, chalk: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.record(route=ROUTE, observation=WHY)
    repo.commit()
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-04-01T09:00:00Z")
    repo.commit()
    repo.git("clone", "-q", "--depth", "1", repo.root.as_uri(), str(tmp_path / "shallow"))
    asked = ("check", ROUTE, "--known-at", "2026-03-15")
    assert chalk(*asked).code == 1
    clone = tmp_path / "shallow"
    for more in ((), ("--json",)):
        result = chalk(*asked, *more, cwd=clone)
        assert result.code == 2
        assert "unknown" in result.err
        assert "hint: git fetch --unshallow" in result.err
    answer = json.loads(chalk(*asked, "--json", cwd=clone).out)
    assert (answer["verdict"], answer["rulings"]) == ("unknown", [])
    _assert_shape(answer)
    assert chalk(*asked, cwd=clone).out == ""
    batch = chalk("check", "--batch", "-", *asked[2:], stdin="one\ntwo\n", cwd=clone)
    assert batch.code == 2
    assert [json.loads(line)["verdict"] for line in batch.out.splitlines()] == ["unknown"] * 2
    plan = chalk("check", "-", *asked[2:], "--json", stdin="one\n", cwd=clone)
    assert (plan.code, json.loads(plan.out)["steps"][0]["verdict"]) == (2, "unknown")


def test_the_switch_is_asked_before_any_store_is_touched(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    assert chalk.ids("check", ROUTE) == [record.id]
    (tmp_path / "bare").mkdir()
    for cwd in (repo.root, tmp_path / "bare"):
        off = {"CHALKGIT_BYPASS_CHECK": "1"}
        result = chalk("check", ROUTE, "--json", env=off, cwd=cwd)
        answer = json.loads(result.out)
        assert (result.code, answer["verdict"], answer["bypassed"]) == (0, "empty", True)
        _assert_shape(answer)
        assert "switched off by CHALKGIT_BYPASS_CHECK" in chalk("check", ROUTE, env=off, cwd=cwd).out
        assert "switched off" in chalk("check", "-", stdin=ROUTE, env=off, cwd=cwd).out
        assert json.loads(chalk("check", "--batch", "-", stdin=ROUTE, env=off, cwd=cwd).out)["bypassed"]
        rulings = {"CHALKGIT_BYPASS_RULINGS": "1"}
        assert json.loads(chalk("at", "a.py", "--json", env=rulings, cwd=cwd).out)["bypassed"] is True
        assert "CHALKGIT_BYPASS_RULINGS" in chalk("at", "a.py", env=rulings, cwd=cwd).out
    assert chalk("check", ROUTE, env={"CHALKGIT_BYPASS_CHECK": "0"}).code == 1


def test_a_plan_is_answered_step_by_step(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    plan = f"# Plan\n\n- add dark mode\n1. [ ] {ROUTE}\n---\n* draw the icons\n"
    result = chalk("check", "-", "--json", stdin=plan)
    steps = json.loads(result.out)["steps"]
    assert result.code == 1
    assert [step["proposal"] for step in steps] == ["add dark mode", ROUTE, "draw the icons"]
    assert [step["verdict"] for step in steps] == ["clear", "tried", "clear"]
    text = chalk("check", "-", stdin=plan)
    assert text.code == 1
    assert f"2. {ROUTE}" in text.out
    assert text.out.count(f"[dead end {record.id}]") == 1
    assert text.out.count("evidence, not a verdict") == 1
    assert chalk("check", "-", stdin="- add dark mode\n").code == 0
    assert chalk("check", "-", stdin="# only a heading\n").code == 2
    assert chalk("check", "").code == 2
    assert chalk("check").code == 2


def test_a_batch_answers_every_line_with_one_line_and_exits_0(repo: Repo, chalk: Inside) -> None:
    for number in range(14):
        repo.record(route=f"{ROUTE} number {number}", observation=WHY, ref=f"x:{number}")
    result = chalk("check", "--batch", "-", stdin=f"{ROUTE}\n\nadd dark mode to the settings page\r\n")
    assert result.code == 0
    tried, blank, clear = map(json.loads, result.out.splitlines())
    assert (tried["verdict"], clear["verdict"]) == ("tried", "clear")
    assert len(tried["hits"]) == 10
    assert set(tried["hits"][0]) >= {"id", "ref", "confidence"}
    confidences = [hit["confidence"] for hit in tried["hits"]]
    assert tried["score"] == confidences[0] == max(confidences)
    assert (clear["hits"], clear["score"]) == ([], 0.0)
    # a blank line keeps the lines in step: nothing was asked, and that is said
    assert (blank["verdict"], blank["proposal"], blank["hits"]) == ("empty", "", [])
    assert blank["semantic"]["skipped"] == "the proposal is blank"
    for answer in (tried, blank, clear):
        _assert_shape(answer)
    assert chalk("check", "--batch", "-", stdin="").out == ""
    assert chalk("check", "--batch", "file").code == 2
    assert chalk("check", "--batch", "-", "words").code == 2


def test_without_a_model_the_answer_says_so_with_the_command_that_gets_one(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY)
    text = chalk("check", ROUTE).out
    assert "By words alone; meaning was not compared" in text
    assert "chalkgit model pull" in text
    answer = chalk.json("check", ROUTE, code=1)
    assert answer["semantic"]["ran"] is False
    assert answer["semantic"]["covered"] == 0
    assert answer["semantic"]["skipped"]
    lexical_only = chalk.json("check", ROUTE, "--lexical", code=1)
    assert lexical_only["semantic"]["skipped"] == "--lexical was given"
    off = chalk("check", ROUTE, "--json", env={"CHALKGIT_BYPASS_SEMANTIC": "1"})
    assert "CHALKGIT_BYPASS_SEMANTIC" in json.loads(off.out)["semantic"]["skipped"]


def test_retiring_a_record_never_raises_the_verdict_on_another(repo: Repo, chalk: Inside) -> None:
    others = [
        repo.record(route=f"cache the {thing} between test runs", observation=WHY)
        for thing in ("tokens", "parsed schema", "manifest digest", "downloads")
    ]
    best = repo.record(route=ROUTE, observation=WHY)
    asked = f"{ROUTE} on the build machines"

    def scores() -> dict[str, float]:
        row = json.loads(chalk("check", "--batch", "-", stdin=asked + "\n").out)
        return {hit["id"]: hit["confidence"] for hit in row["hits"]}

    before = scores()
    assert max(before, key=lambda i: before[i]) == best.id
    assert chalk("retire", best.id, "--because", "moot").code == 0
    after = scores()
    assert best.id not in after
    for other in others:
        assert after[other.id] <= before[other.id] + 1e-6


def test_an_index_that_followed_edits_answers_like_one_built_anew(repo: Repo, chalk: Inside) -> None:
    edited = repo.record(route="cache the tokens between test runs", observation=WHY)
    repo.record(route=ROUTE, observation=WHY)
    assert chalk("correct", edited.id, "--observation", "slow").code == 0
    asked = ("check", f"{ROUTE} on the build machines", "--json")
    followed = chalk(*asked).out
    assert chalk("index", "--rebuild").code == 0
    assert chalk(*asked).out == followed


@pytest.mark.parametrize("damage", [table.Damaged, lexical.Damaged])
def test_damage_met_during_a_question_is_repaired_once(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, damage: type[Exception]
) -> None:
    record = repo.record(route=ROUTE, observation=WHY, files=["a/b.py"])
    asked = (("check", ROUTE), ("at", "a/b.py"), ("show", record.id), ("list",), ("export",))
    expected = [chalk(*args) for args in asked]
    owner, name = (table.Table, "bodies") if damage is table.Damaged else (lexical.Lexical, "search")
    whole = getattr(owner, name)

    for args, sound in zip(asked, expected, strict=True):
        calls: list[int] = []

        def broken(*given: Any, calls: list[int] = calls) -> Any:
            calls.append(1)
            if len(calls) == 1:
                raise damage("a page is not what it was")
            return whole(*given)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, broken)
            result = chalk(*args)
        assert result == sound


def test_a_table_overwritten_with_noise_is_rebuilt(repo: Repo, chalk: Inside) -> None:
    for number in range(30):
        repo.record(route=f"{ROUTE} {number}", observation=WHY * 20, files=["a/b.py"])
    sound = chalk.ids("at", "a/b.py")
    assert len(sound) == 30
    file = next((repo.root / ".git/chalkgit").glob("g*/*.db"), None) or next(
        p for p in (repo.root / ".git/chalkgit").rglob("*") if p.is_file() and p.read_bytes()[:6] == b"SQLite"
    )
    data = bytearray(file.read_bytes())
    data[8192 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 8192)
    file.write_bytes(data)
    assert sorted(chalk.ids("at", "a/b.py")) == sorted(sound)


def test_damage_that_a_rebuild_does_not_mend_is_said(repo: Repo) -> None:
    def look(rebuild: bool) -> None:
        raise table.Damaged("the disk is bad")

    with pytest.raises(ChalkError, match="the disk is bad"):
        repair.once(look)
    with pytest.raises(ZeroDivisionError):
        repair.once(lambda rebuild: 1 // 0)


def test_the_five_verdicts_are_those_of_the_contract() -> None:
    found = {answers.TRIED, answers.NEAR, answers.CLEAR, answers.EMPTY, answers.UNKNOWN}
    assert found == {"tried", "near", "clear", "empty", "unknown"}


def test_here_asks_this_repository_alone(repo: Repo, chalk: Inside, another: Callable[[str], Repo]) -> None:
    record = another("other").record(route=ROUTE, observation=WHY)
    assert chalk.ids("check", ROUTE) == [record.id]
    assert chalk.json("check", ROUTE, "--here")["verdict"] == "empty"


def test_a_plan_in_prose_is_answered_sentence_by_sentence(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY)
    plan = (
        f"# Plan\nSwitch to uvloop. Then {ROUTE}.\n```\n{ROUTE}\n```\n| a | b |\n|---|---|\n- [ ] rename it\n"
    )
    answer = json.loads(chalk("check", "-", "--json", "--lexical", stdin=plan).out)
    assert [step["verdict"] for step in answer["steps"]] == ["clear", "tried", "clear"]
    assert [step["proposal"] for step in answer["steps"]][::2] == ["Switch to uvloop.", "rename it"]
