"""Every question and every showing leaves one row and its records, and nothing else does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from committing import git, hooked_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from pool import ERROR, RULE, output
from pytesting import Runs, installed
from repository import Repo
from serving import helping

from chalkgit.doors import save
from chalkgit.doors.lsp.lookups import Lookups
from chalkgit.records import codec
from chalkgit.records.record import Record
from chalkgit.store import journal_file, ledger, place

ROUTE = "cache the parsed manifest between runs"


@pytest.fixture(name="ruled")
def ruled_fixture(repo: Repo) -> Record:
    record = repo.record(route=ROUTE, observation="the tests went stale", files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    return record


def _hash(repo: Repo, record: Record) -> str:
    """As the index has it."""
    from chalkgit.index import refresh

    return refresh.up_to_date(repo.place).table.hashes([record.path])[record.path]


@pytest.mark.parametrize("option", [(), ("--json",)], ids=["text", "json"])
def test_check_and_at_keep_their_verdict_and_what_they_printed(
    repo: Repo, chalk: Inside, ruled: Record, option: tuple[str, ...]
) -> None:
    said = chalk("check", ROUTE, *option)
    assert said.code == 1
    chalk("check", "paint the shed", *option)
    chalk("at", "src/a.py", *option)
    chalk("at", "src/b.py", *option)
    tried, clear, ruling, none = asked(repo)
    assert tried == ("check", "check", "tried", 1)
    assert clear == ("check", "check", "clear", 0)
    assert ruling == ("at", "at", None, 1)
    assert none == ("at", "at", None, 0)
    shown = rows(repo, "shown")
    content = _hash(repo, ruled)
    assert [(row["path"], row["id"], row["hash"]) for row in shown] == [
        ("@check", ruled.id, content),
        ("src/a.py", ruled.id, content),
    ]
    assert content
    assert 0 < shown[0]["bytes"] <= len(said.out.encode())


def test_an_empty_store_is_asked_too_and_what_comes_near_counts_as_shown(repo: Repo, chalk: Inside) -> None:
    chalk("check", ROUTE)
    repo.record(kind="procedure", route=ROUTE, trap="commit it first")
    chalk("check", ROUTE)
    assert asked(repo) == [("check", "check", "empty", 0), ("check", "check", "clear", 1)]


def test_a_question_about_another_moment_is_a_question(repo: Repo, chalk: Inside, ruled: Record) -> None:
    repo.commit()
    chalk("check", ROUTE, "--known-at", "HEAD")
    chalk("at", "src/a.py", "--known-at", "HEAD")
    assert asked(repo) == [("check", "check", "tried", 1), ("at", "at", None, 1)]
    assert {row["hash"] for row in rows(repo, "shown")} == {_hash(repo, ruled)}


def test_a_past_that_cannot_be_seen_is_kept_as_unknown(
    repo: Repo, chalk: Inside, ruled: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit()
    repo.commit()
    clone = Repo(repo.root.parent / "clone")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone.root))
    there = Inside(clone.root, monkeypatch)
    assert there("check", ROUTE, "--known-at", "2020-01-01").code == 2
    assert asked(clone) == [("check", "check", "unknown", 0)]


def test_a_batch_and_a_plan_have_a_row_a_proposal_and_one_transaction(
    repo: Repo, chalk: Inside, ruled: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    real = ledger._write
    monkeypatch.setattr(ledger, "_write", lambda p, r: (written.append(len(r["asked"])), real(p, r))[1])
    chalk("check", "--batch", "-", stdin=f"{ROUTE}\n\npaint the shed\n")
    verdicts = [row[2] for row in asked(repo)]
    assert verdicts == ["tried", "empty", "clear"]
    chalk("check", "-", stdin=f"- {ROUTE}\n- paint the shed\n")
    assert [row[2] for row in asked(repo)][3:] == ["tried", "clear"]
    assert written == [3, 2]


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ("CHECK", ("check", ROUTE)),
        ("CHECK", ("check", "--limit", "3", ROUTE)),
        ("RULINGS", ("at", "src/a.py")),
        ("RECALL", ("recall", "--output", "out.txt")),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_what_is_switched_off_is_a_row_without_records_where_there_is_a_journal(
    repo: Repo, chalk: Inside, ruled: Record, switch: str, words: tuple[str, ...]
) -> None:
    repo.write("out.txt", output())
    off = {f"CHALKGIT_BYPASS_{switch}": "1", "CHALKGIT_BYPASS_SEMANTIC": "1"}
    assert chalk(*words, env=off).code == 0
    assert not journal_file.exists(repo.place)
    chalk("at", "src/b.py")
    assert chalk(*words, env=off).code == 0
    bypassed = rows(repo, "asked")[1]
    assert (bypassed["kind"], bypassed["shown"]) == (words[0], 0)
    assert set(bypassed["bypassed"].split(",")) == {switch.lower(), "semantic"}
    chalk(*words)
    assert rows(repo, "asked")[2]["bypassed"] is None


def test_outside_a_repository_a_switched_off_question_leaves_nothing(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = repo.root.parent / "outside"
    outside.mkdir()
    assert chalk("check", ROUTE, cwd=outside, env={"CHALKGIT_BYPASS_CHECK": "1"}).code == 0
    assert list(outside.iterdir()) == []
    assert place.near(str(outside)) is None
    inside = place.near(str(repo.root))
    assert inside is not None
    assert (inside.root, inside.common_dir) == (repo.place.root, repo.place.common_dir)


def test_what_the_helper_answers_is_kept_by_the_process_that_printed_it(repo: Repo, ruled: Record) -> None:
    repo.commit()
    with helping(repo) as helper:
        before = helper.counts()[0]
        said = repo.run("check", ROUTE)
        assert helper.counts()[0] == before + 1
        assert said.code == 1
        repo.run("check", "paint the shed")
        assert asked(repo) == [("check", "check", "tried", 1), ("check", "check", "clear", 0)]
    alone = repo.run("check", ROUTE)
    assert alone == said
    helped, _, itself = rows(repo, "asked")
    assert helped["bytes"] == itself["bytes"] > 0
    assert rows(repo, "shown")[0]["hash"] == rows(repo, "shown")[1]["hash"] == _hash(repo, ruled)


def test_hooks_that_show_something_are_kept_and_those_that_do_not_are_not(
    hooked: Repo, chalk: Inside
) -> None:
    hooked.write("src/free.py", "changed\n")
    assert git(hooked, "commit", "-qam", "free").code == 0
    assert asked(hooked) == []
    hooked.write("src/a.py", "changed\n")
    assert git(hooked, "commit", "-qam", "a").code == 0
    assert asked(hooked) == [("rulings", "commit", None, 1)]
    hooked.write(".lessons/config.yaml", "hooks:\n  check-message: true\n")
    hooked.write("src/free.py", "again\n")
    assert git(hooked, "commit", "-qam", "about b").code == 0
    assert asked(hooked)[1:] == [("rulings", "message", None, 1)]
    assert chalk("hook", "save", "--session", "vim:1", "src/free.py").out == ""
    assert len(asked(hooked)) == 2
    for _ in range(2):  # the second time it was shown already
        chalk("hook", "save", "--session", "vim:1", "src/c.py")
    assert asked(hooked)[2:] == [("rulings", "save", None, 1)]
    assert rows(hooked, "asked")[2]["session"] == "vim:1"


def test_of_a_commit_the_records_that_were_only_counted_are_not_kept(repo: Repo, chalk: Inside) -> None:
    for number in range(12):
        repo.record(route=f"way number {number}", observation="no", files=["src/a.py", "src/b.py"])
    repo.commit()
    for name in "ab":
        repo.write(f"src/{name}.py", "changed\n")
    repo.git("add", "src")
    said = chalk("hook", "pre-commit").out
    assert "and 5 more" in said
    assert asked(repo) == [("rulings", "commit", None, 7)]
    assert all(row["id"] in said for row in rows(repo, "shown"))


def _event(repo: Repo, name: str, **more: object) -> str:
    return json.dumps({"hook_event_name": name, "session_id": "one", "cwd": str(repo.root), **more})


def test_an_agent_is_kept_at_its_start_prompt_and_edit(repo: Repo, chalk: Inside, ruled: Record) -> None:
    repo.commit()
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(repo.root / "src/a.py")}}
    for event in (
        _event(repo, "UserPromptSubmit", prompt="paint the shed"),
        _event(repo, "UserPromptSubmit", prompt=ROUTE),
        _event(repo, "PostToolUse", **edit),
        _event(repo, "PostToolUse", **edit),
        _event(repo, "SessionStart", source="startup"),
    ):
        assert chalk("hook", "agent", "--client", "claude-code", stdin=event).code == 0
    prompt, edited, start = asked(repo)
    assert prompt == edited == ("rulings", "agent", None, 1)
    assert start[:2] == ("rulings", "agent")
    assert {row["session"] for row in rows(repo, "asked")} == {"claude-code:one"}


def test_an_editor_and_a_watch_are_kept_with_how_long_each_took(repo: Repo, ruled: Record) -> None:
    repo.commit()
    lookups = Lookups(lambda said: None)
    for path in ("src/b.py", "src/a.py", "src/a.py"):  # what stays on the screen is shown once
        lookups.shown(lookups.about(str(repo.root / path)))
    lines: list[str] = []
    for name in ("src/b.py", "src/a.py"):
        began = time.monotonic() - 2
        say = {"out": lines.append, "tell": lines.append}
        save.show(repo.place, {name: name}, session="watch:1", surface="watch", began=began, **say)
    assert len(lines) == 1
    assert asked(repo) == [("rulings", "lsp", None, 1), ("rulings", "watch", None, 1)]
    lsp, watch = [row["ms"] for row in rows(repo, "asked")]
    assert 0 <= lsp < 2000 <= watch < 60_000


@pytest.mark.parametrize("option", [(), ("--json",)], ids=["text", "json"])
def test_recall_keeps_its_lessons_with_the_run_and_the_ladders_first_step(
    repo: Repo, chalk: Inside, option: tuple[str, ...]
) -> None:
    chalk("recall", "--output", "-", *option, stdin=output())
    made = chalk("lesson", RULE, "--output", "-", "--exit-code", "1", "--json", stdin=output())
    lesson = json.loads(made.out)
    chalk("recall", "--output", "-", "--exit-code", "1", *option, stdin=output(line=7))
    repo.write("spec.txt", f"the pool is drained: {ERROR}\n")
    chalk("recall", "--spec", "spec.txt", *option)
    none, same, spec = asked(repo)
    assert none == ("recall", "recall", None, 0)
    assert same == ("recall", "recall", "fingerprint", 1)
    assert spec[:2] == ("recall", "recall")
    one, other = rows(repo, "runs")
    questions = rows(repo, "asked")
    assert [row["run"] for row in questions] == [one["run"], other["run"], None]
    assert (one["found"], one["given"], one["bytes"]) == (0, 0, 0)
    assert (other["found"], other["given"], other["bytes"]) == (1, 1, questions[1]["bytes"])
    content = _hash(repo, codec.decode(repo.root.joinpath(lesson["path"]).read_bytes(), lesson["path"])[0])
    assert rows(repo, "shown")[0]["hash"] == content


def test_a_failing_run_of_pytest_is_kept_with_the_lessons_it_printed(repo: Repo) -> None:
    runs = Runs(repo, installed(repo.root.parent / "site"))
    runs.files()
    runs.run()
    runs.lesson()
    runs.run()
    assert [row for row in asked(repo) if row[1] == "pytest"] == [
        ("recall", "pytest", None, 0),
        ("recall", "pytest", "fingerprint", 1),
    ]
    kept = [row for row in rows(repo, "runs") if row["surface"] == "pytest"]
    assert [(row["failing"], row["found"], row["given"]) for row in kept] == [(1, 0, 0), (1, 1, 1)]
    assert kept[1]["bytes"] == rows(repo, "asked")[-1]["bytes"] > 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_an_answer_that_nobody_could_read_is_not_kept(repo: Repo, ruled: Record) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "chalkgit", "check", ROUTE], cwd=repo.root, stdout=full, check=False
        )
    assert done.returncode == 2
    assert asked(repo) == []
    repo.run("check", ROUTE)
    assert len(asked(repo)) == 1


@pytest.mark.parametrize("words", [("check", ROUTE), ("at", "src/a.py"), ("recall", "--output", "out.txt")])
def test_where_there_is_no_store_no_journal_is_made(
    repo: Repo, chalk: Inside, words: tuple[str, ...], another: Callable[[str], Repo]
) -> None:
    plain = repo.root.parent / "plain"
    plain.mkdir()
    repo.git("init", "-q", str(plain))
    (plain / "out.txt").write_text(output())
    chalk(*words, cwd=plain)
    assert not (plain / ".git" / "chalkgit-journal").exists()
