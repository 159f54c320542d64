"""What the repository knew, and what holds in the world: two axes that every question takes together."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from moments_of import COMMANDS, ERROR, ROUTE, WHY, Days, answer, ask, both, found
from repository import Repo

from chalkgit.records.record import Record


@pytest.fixture(name="days")
def days_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Days:
    return Days(repo, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_answers_in_all_four_quadrants(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    dead, lesson = both(repo, valid_from="2026-05-01", valid_until="2026-07-01")
    days.commit("2026-05-10")
    days.edit(dead, valid_until="2026-06-01")
    days.edit(lesson, valid_until="2026-06-01")
    days.commit("2026-06-20")
    ours = (
        {dead.id, lesson.id}
        if command in ("list", "export")
        else {lesson.id if command == "recall" else dead.id}
    )
    quadrants = {
        ("2026-05-20", "2026-05-15"): ours,  # known to hold, and holding
        ("2026-05-20", "2026-06-15"): ours,  # believed then to go on
        ("2026-06-30", "2026-05-15"): ours,  # known by now to have held
        ("2026-06-30", "2026-06-15"): set(),  # known by now to have ended
        ("2026-05-20", "2026-07-01"): set(),  # half open
        ("2026-05-20", "2026-06-30T23:59:59Z"): ours,
        ("2026-05-20", "2026-04-30T23:59:59.999Z"): set(),
        ("2026-05-20", "2026-05-01"): ours,
        ("2026-05-09", "2026-05-15"): set(),  # not known yet
    }
    for (known, valid), expected in quadrants.items():
        assert found(chalk, command, "--known-at", known, "--valid-at", valid) == expected, (known, valid)
    # each axis defaults to now by itself: by now all of it has ended, whenever it was known
    assert found(chalk, command, "--known-at", "2026-05-20") == set()
    assert found(chalk, command, "--valid-at", "2026-05-15") == ours
    assert found(chalk, command) == set()


@pytest.mark.parametrize("command", ["check", "at", "list", "recall"])
def test_json_says_what_was_asked_and_what_it_means(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    both(repo)
    commit = days.commit("2026-05-10")
    assert answer(chalk, command)["as_of"] is None
    for options, expected in (
        (("--known-at", "2026-05"), ("2026-05", commit, None)),
        (("--known-at", "HEAD"), ("HEAD", commit, None)),
        (("--known-at", "2026-05-09"), ("2026-05-09", None, None)),
        (("--valid-at", "2026-06"), (None, None, "2026-06-01T00:00:00Z")),
        (("--valid-at", "2026-06-01T10:00+02:00"), (None, None, "2026-06-01T08:00:00Z")),
        (("--known-at", commit[:9], "--valid-at", "2026"), (commit[:9], commit, "2026-01-01T00:00:00Z")),
    ):
        moment = answer(chalk, command, *options)["as_of"]
        assert moment == dict(zip(("known_at", "commit", "valid_at"), expected, strict=True)), options


def test_text_says_in_one_line_which_moment_it_speaks_of(days: Days, repo: Repo, chalk: Inside) -> None:
    both(repo)
    commit = days.commit("2026-05-10")
    options = ("--known-at", "HEAD", "--valid-at", "2026-06-01")
    line = f"As known at {commit[:12]} (2026-05-10T12:00:00Z), valid at 2026-06-01."
    for command in COMMANDS:
        result = ask(chalk, command, *options)
        where = result.err if command == "export" else result.out
        assert where.splitlines()[0].removeprefix("chalkgit: ") == line, command
        assert "alid at" not in ask(chalk, command).out
    assert chalk("check", ROUTE, "--valid-at", "2026").out.startswith("Valid at 2026.\n")
    early = chalk("list", "--known-at", "2026-01-01")
    assert early.out == "As known at 2026-01-01, before the first commit.\nno records\n"
    plan = chalk("check", "-", *options, stdin=f"- {ROUTE}\n").out
    assert plan.splitlines()[0] == line
    # nothing is recalled, nothing is printed
    nothing = chalk("recall", "--output", "-", "--known-at", "2026-01-01", stdin=ERROR)
    assert (nothing.code, nothing.out) == (0, "")
    assert "no commit at 2026-01-01" in nothing.err
    assert "no lesson is recalled. As known at 2026-01-01, before the first commit.\n" in nothing.err
    other = ("recall", "--output", "-", "--exit-code", "1")
    unlike = chalk(*other, *options, stdin="ZeroDivisionError: nothing like it\n")
    assert (unlike.out, unlike.err) == ("", f"chalkgit: no lesson is recalled. {line}\n")
    # without a moment it is silent
    assert chalk(*other, stdin="ZeroDivisionError: nothing like it\n")[1:] == ("", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_commit_without_a_store_knew_nothing_which_is_said(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    shutil.move(repo.root / ".lessons", repo.root.parent / "kept")
    repo.write("src/a.py", "1\n")
    bare = days.commit("2026-05-01")
    shutil.move(repo.root.parent / "kept", repo.root / ".lessons")
    days.commit("2026-05-02")
    both(repo)
    days.commit("2026-05-03")
    for known, said in (
        (bare, f"{bare[:12]} has no .lessons/: nothing was known"),
        ("2026-04-30", "had no commit at 2026-04-30: it knew nothing"),
        ("2026-05-02", ""),  # a store without records
    ):
        assert found(chalk, command, "--known-at", known) == set()
        result = ask(chalk, command, "--known-at", known)
        assert result.code == 0
        assert said in result.err
        assert ("nothing" in result.err) == bool(said)
    assert found(chalk, command, "--known-at", "2026-05-03") != set()
    if command == "check":
        assert answer(chalk, command, "--known-at", bare)["verdict"] == "empty"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_work_tree_needs_no_store_to_be_asked_about_a_commit_that_has_one(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    both(repo)
    days.commit("2026-05-03")
    now = found(chalk, command)
    shutil.rmtree(repo.root / ".lessons")
    assert found(chalk, command, "--known-at", "HEAD") == now != set()
    assert "no .lessons/ here" in ask(chalk, command).err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_revision_may_be_of_another_branch_and_a_date_is_on_this_one(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    start = days.commit("2026-05-01")
    repo.git("checkout", "-qb", "side")
    both(repo)
    side = days.commit("2026-05-02")
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.git("checkout", "-q", "main")
    assert found(chalk, command) == set()
    theirs = found(chalk, command, "--known-at", "side")
    assert theirs != set()
    assert found(chalk, command, "--known-at", "v1") == found(chalk, command, "--known-at", side) == theirs
    assert found(chalk, command, "--known-at", "2026-05-03") == set()
    assert found(chalk, command, "--known-at", start) == set()


def test_other_stores_work_trees_and_notes_are_left_out_of_a_past_and_that_is_said(
    days: Days, repo: Repo, chalk: Inside, another: Callable[[str], Repo], tmp_path: Path
) -> None:
    both(repo)
    days.commit("2026-05-01")
    past = ("--known-at", "HEAD")
    assert "not asked" not in ask(chalk, "check", *past).err + ask(chalk, "recall", *past).err
    far = another("far").record(route=ROUTE, observation=WHY).id
    assert chalk("note", f"{ROUTE} did not work").code == 0
    now, then = found(chalk, "check"), found(chalk, "check", *past)
    assert (far in now, far in then) == (True, False)
    said = ask(chalk, "check", *past).err
    assert "other stores and work trees were not asked" in said
    assert "working notes were not asked" in said
    assert "other stores" in ask(chalk, "recall", *past).err
    here = ask(chalk, "check", *past, "--here").err
    assert ("other stores" in here, "working notes" in here) == (False, True)
    for command in ("at", "list", "export"):  # these never ask them
        assert "not asked" not in ask(chalk, command, *past).err
    refused = chalk("list", "--notes", *past)
    assert (refused.code, "working notes have no history" in refused.err) == (2, True)
    assert len(chalk.ids("list", "--notes", "--valid-at", "2026", key="records")) == 1


def test_uncommitted_records_have_no_past(days: Days, repo: Repo, chalk: Inside) -> None:
    both(repo)
    days.commit("2026-05-01")
    new, _ = both(repo)
    for command in ("check", "at", "list", "export"):
        assert new.id in found(chalk, command)
        assert new.id not in found(chalk, command, "--known-at", "HEAD")
        assert len(found(chalk, command, "--known-at", "HEAD")) >= 1


def test_a_batch_and_a_plan_speak_of_the_moment_too(days: Days, repo: Repo, chalk: Inside) -> None:
    dead, _ = both(repo)
    days.commit("2026-05-01")
    days.edit(dead, retired={"why": "it works now"})
    days.commit("2026-06-01")
    for known, verdict in (("2026-05-20", "tried"), ("2026-06-20", "clear")):
        for args in (("--batch", "-"), ("-", "--json")):
            said = json.loads(chalk("check", *args, "--known-at", known, stdin=f"{ROUTE}\n").out)
            one = said["steps"][0] if "steps" in said else said
            assert (one["verdict"], one["as_of"]["known_at"]) == (verdict, known)


@pytest.mark.parametrize("seed", range(6))
def test_what_head_knew_is_what_the_plain_answer_says_of_a_clean_tree(
    days: Days, repo: Repo, chalk: Inside, seed: int
) -> None:
    chance = random.Random(seed)
    words = "cache parsed manifest between runs pool worker drain schema index token retry".split()
    repo.write("src/a.py", "1\n" * 30)
    repo.write("uv.lock", '[[package]]\nname = "django"\nversion = "5.1"\n')
    start = days.commit("2026-04-01")
    records: list[Record] = []
    for day in range(1, 9):
        route = " ".join(chance.sample(words, 5))
        fields: dict[str, Any] = {
            "files": chance.choice([["src/a.py"], ["src/"], ["*.py"], []]),
            "at_commit": start,
            "scope": chance.choice(["local", "version-bound", "general"]),
            "depends_on": {"django": "4.2"},
            "reopens_when": chance.choice([[], ["library:django>=5"], ["file:src/a.py changes"]]),
            "valid_from": f"2026-0{chance.randint(1, 4)}",
            "supersedes": [chance.choice(records).id] if records and chance.random() < 0.3 else [],
        }
        kept = {name: value for name, value in fields.items() if value}
        records.append(repo.record(route=route, observation=WHY, **kept))
        if chance.random() < 0.3:
            repo.write("src/a.py", f"{day}\n" * 30)
        if chance.random() < 0.2:
            days.edit(chance.choice(records), retired={"why": "no more"})
        days.commit(f"2026-05-0{day}")
    asked = [" ".join(chance.sample(words, 5)) for _ in range(3)] + [records[0].text("route") or ""]
    for text in asked:
        then = json.loads(chalk("check", text, "--lexical", "--known-at", "HEAD", "--json").out)
        now = json.loads(chalk("check", text, "--lexical", "--here", "--json").out)
        assert (then.pop("as_of") is None, now.pop("as_of")) == (False, None)
        assert then == now
    for args in (("at", "src/a.py"), ("list",)):
        then, now = chalk.json(*args, "--known-at", "HEAD"), chalk.json(*args)
        assert (then.pop("as_of") is None, now.pop("as_of")) == (False, None)
        for said in (then, now):  # a work tree tells by its files' times which of one commit comes first
            said.get("records" if "list" in args else "rulings").sort(key=lambda row: row["id"])
        assert then == now
    assert chalk("export", "--known-at", "HEAD").out == chalk("export").out
