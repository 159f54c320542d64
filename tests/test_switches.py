"""Each switch empties its arm, and nothing else does: with it nothing is shown, without it something is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME, homes_fixture, minilm_fixture  # noqa: F401
from repository import Repo

from chalkgit import config

ROUTE, FILE, ERROR = "cache the parsed manifest", "src/cache.py", "E   ValueError: pool drained by worker"
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": ROUTE}
EDIT = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Edit"}
ASKED: dict[str, tuple[tuple[str, ...], ...]] = {
    "CHECK": (
        ("check", ROUTE),
        ("check", ROUTE, "--limit", "1"),
        ("hook", "agent"),
        ("hook", "commit-msg", "MSG"),
    ),
    "RULINGS": (("at", FILE), ("hook", "save", FILE), ("hook", "pre-commit"), ("hook", "agent")),
    "RECALL": (("recall", "--output", "run.txt"), ("recall", "--spec", "run.txt")),
}


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.write(FILE, "x = 1\n")
    repo.write(".lessons/config.yaml", "hooks:\n  check-message: true\n")
    repo.record(route=f"{ROUTE} between runs", observation="it went stale", files=[FILE])
    repo.record("lesson", failure={"error": ERROR}, resolution="stop the workers", rule="stop the workers")
    repo.commit()
    repo.write("run.txt", f"{ERROR}\n")
    repo.write("MSG", f"{ROUTE}\n")
    repo.write(FILE, "x = 2\n")
    repo.git("add", FILE)
    return repo


def shown(repo: Repo, chalk: Inside, switch: str, words: tuple[str, ...], value: str | None) -> bool:
    """Whether a record reached the reader."""
    event = PROMPT if switch == "CHECK" else {**EDIT, "tool_input": {"file_path": str(repo.root / FILE)}}
    stdin = json.dumps({**event, "cwd": str(repo.root)}) if words == ("hook", "agent") else ""
    env = {} if value is None else {f"CHALKGIT_BYPASS_{switch}": value}
    result = chalk(*words, stdin=stdin, env=env)
    assert result.code in ((0, 1) if value in (None, "", "0") else (0,)), result
    return "stale" in result.out or "stop the workers" in result.out


@pytest.mark.parametrize(
    ("switch", "words"),
    [(switch, words) for switch, every in ASKED.items() for words in every],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_switch_empties_its_arm_and_0_and_nothing_do_not(
    told: Repo, chalk: Inside, switch: str, words: tuple[str, ...]
) -> None:
    if words[:2] == ("recall", "--spec"):
        told.write("run.txt", f"make sure that {ERROR} never comes back\n")
    told.write(".git/info/exclude", "run.txt\nMSG\n")
    assert not shown(told, chalk, switch, words, "1")
    assert not shown(told, chalk, switch, words, "off")
    for value in (None, "0", ""):
        journal = Path(told.place.common_dir) / "chalkgit-journal"
        for file in journal.glob("journal.db*"):
            file.unlink()  # a session is shown a thing once
        assert shown(told, chalk, switch, words, value), value
    for other in set(ASKED) - {switch}:
        for file in (Path(told.place.common_dir) / "chalkgit-journal").glob("journal.db*"):
            file.unlink()
        env = {f"CHALKGIT_BYPASS_{other}": "1"}
        if other == "RULINGS" and words[0] == "hook":
            continue  # the whole hook is a ruling's
        event = PROMPT if switch == "CHECK" else {**EDIT, "tool_input": {"file_path": str(told.root / FILE)}}
        stdin = json.dumps({**event, "cwd": str(told.root)}) if words == ("hook", "agent") else ""
        out = chalk(*words, stdin=stdin, env=env).out
        assert "stale" in out or "stop the workers" in out, other


def test_meaning_is_compared_with_a_model_unless_it_is_switched_off(
    told: Repo, chalk: Inside, minilm: Path, homes: None
) -> None:
    assert chalk("model", "use", str(minilm), "--name", NAME).code == 0
    off = json.loads(chalk("check", ROUTE, "--json", env={"CHALKGIT_BYPASS_SEMANTIC": "1"}).out)
    assert (off["semantic"]["ran"], off["switched_off"]) == (False, ["semantic"])
    on = json.loads(chalk("check", ROUTE, "--json").out)
    assert (on["semantic"]["ran"], on["switched_off"]) == (True, [])


@pytest.mark.parametrize(
    "words",
    [
        ("check", ROUTE),
        ("check", ROUTE, "--limit", "2"),
        ("at", FILE),
        ("recall", "--output", "run.txt"),
        ("fingerprint", "--output", "run.txt"),
        ("list",),
        ("log",),
        ("log", "--audit"),
        ("diff", "HEAD"),
        ("lint",),
        ("curate",),
        ("doctor",),
        ("review",),
        ("index",),
        ("stores", "list"),
        ("hooks", "status"),
        ("note", "it did not work"),
        ("tried", "another way", "--because", "no"),
        ("experiment", "status"),
        ("decider", "status"),
        ("journal", "status"),
        ("report",),
    ],
    ids=" ".join,
)
def test_every_json_answer_says_what_is_switched_off(
    told: Repo, chalk: Inside, words: tuple[str, ...]
) -> None:
    everything = {f"CHALKGIT_BYPASS_{faculty}": "1" for faculty in config.FACULTIES}
    json_of = () if words[0] == "fingerprint" else ("--json",)
    found = json.loads(chalk(*words, *json_of, env=everything).out)
    assert found["switched_off"] == ["check", "rulings", "recall", "semantic", "decider"]
    assert json.loads(chalk(*words, *json_of).out)["switched_off"] == []
