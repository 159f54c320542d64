"""`office-hours`: the open lessons at a real terminal, each written as it is answered."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import distilling
import pytest
from distilling import RULE
from inside import Inside, chalk_fixture  # noqa: F401
from pseudoterminal import opened
from repository import Repo

from chalkgit.records.record import Record

NOTE = "close the connections in teardown"


def _open(repo: Repo, number: int, **failure: Any) -> Record:
    found = {"reason": "make test", "error": f"E{number}: pool drained", **failure}
    return repo.record("lesson", failure=found, valid_from=f"2026-03-{number:02}", by="Bo")


def _row(chalk: Inside, record: Record) -> dict[str, Any]:
    row: dict[str, Any] = chalk.json("show", record.id)["records"][0]
    return row


def _states(chalk: Inside, *records: Record) -> list[str]:
    return [_row(chalk, record)["status"] for record in records]


def test_the_open_ones_come_oldest_first_and_each_answer_is_written_at_once(
    repo: Repo, chalk: Inside
) -> None:
    second, first, third = _open(repo, 2), _open(repo, 1, ticket="T-1", **{"exit-code": "2"}), _open(repo, 3)
    repo.record("lesson", failure={"error": "E9"}, resolution="set X=1")
    with opened("office-hours", cwd=repo.root) as terminal:
        shown = terminal.answer(NOTE)
        assert f"1 of 3 · {first.id} · 2026-03-01 · Bo · ticket T-1" in shown
        assert "reason: make test (exit 2)" in shown
        assert "error: E1: pool drained" in shown
        shown = terminal.answer("")
        assert f"{first.id} {first.path}" in shown
        assert _states(chalk, first, second, third) == ["active", "open", "open"]
        assert f"2 of 3 · {second.id}" in shown
        assert f"3 of 3 · {third.id}" in terminal.answer("raise the limit to 20")
        assert terminal.ended() == 0
    assert terminal.shown.endswith("2 resolved, 0 retired, 1 left open\n")
    assert _states(chalk, first, second, third) == ["active", "open", "active"]
    row = _row(chalk, first)
    assert (row["resolution"], row["lesson"], row["resolved-by"]) == (NOTE, NOTE, "Ada")


def test_the_output_is_shown_on_demand_and_the_lesson_asked_again(repo: Repo, chalk: Inside) -> None:
    output = "collected 1 item\n    assert pool\nE   drained"
    record = _open(repo, 1, output=output, tests=[f"t.test_{n}" for n in range(9)])
    with opened("office-hours", "--by", "Cleo", cwd=repo.root) as terminal:
        shown = terminal.answer("o")
        assert "collected" not in shown
        assert "test: t.test_4" in shown
        assert "and 4 tests more" in shown
        shown = terminal.answer(NOTE)
        assert "  collected 1 item\n      assert pool\n  E drained\n" in shown
        assert terminal.ended() == 0
    assert _row(chalk, record)["resolved-by"] == "Cleo"


def test_one_that_is_not_worth_it_is_retired_with_its_reason(repo: Repo, chalk: Inside) -> None:
    kept, gone = _open(repo, 1), _open(repo, 2)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer("r")
        terminal.until("why is it not worth keeping?")
        terminal.answer("")
        terminal.answer("")
        terminal.answer("r")
        terminal.answer("a typo in the branch")
        assert terminal.ended() == 0
    assert "0 resolved, 1 retired, 1 left open" in terminal.shown
    assert _states(chalk, kept, gone) == ["open", "retired"]
    assert _row(chalk, gone)["retired"]["because"] == "a typo in the branch"


def test_a_symptom_is_asked_about_once_more(repo: Repo, chalk: Inside) -> None:
    first, second = _open(repo, 1), _open(repo, 2)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer("it fails with a KeyError")
        shown = terminal.answer("stop the workers first")
        assert "not what to do about it" in " ".join(shown.split())
        terminal.answer("it fails on Windows")
        terminal.answer("")
        assert terminal.ended() == 0
    lessons = [_row(chalk, r)["lesson"] for r in (first, second)]
    assert lessons == ["stop the workers first", "it fails on Windows"]


def test_a_note_that_says_nothing_is_asked_again_and_never_written(repo: Repo, chalk: Inside) -> None:
    first, second = _open(repo, 1), _open(repo, 2)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer("flaky")
        shown = terminal.answer("stop the workers first")
        assert "the note says nothing (“flaky”)" in " ".join(shown.split())
        terminal.answer("it fails on Windows")
        shown = terminal.answer("works now")  # in place of the first one
        assert "the note says nothing (“works now”)" in " ".join(terminal.answer("").split())
        assert terminal.ended() == 0
    assert _row(chalk, first)["lesson"] == "stop the workers first"
    assert _states(chalk, second) == ["open"]


@pytest.mark.parametrize(("key", "code"), [("q\n", 0), ("\x04", 0), ("\x03", 130)])
def test_leaving_leaves_what_was_done(repo: Repo, chalk: Inside, key: str, code: int) -> None:
    done, left = _open(repo, 1), _open(repo, 2)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer(NOTE)
        terminal.until("> ")
        terminal.type(key)
        assert terminal.ended() == code
    assert "1 resolved, 0 retired, 1 left open" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert _states(chalk, done, left) == ["active", "open"]


def test_a_refused_note_is_said_and_asked_again(repo: Repo, chalk: Inside) -> None:
    record = _open(repo, 1)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer("E1: pool drained")
        shown = terminal.answer(NOTE)
        assert "the note is the error over again" in " ".join(shown.split())
        assert terminal.ended() == 0
    assert _row(chalk, record)["lesson"] == NOTE


def test_one_that_somebody_else_resolved_meanwhile_is_said(repo: Repo, chalk: Inside) -> None:
    record = _open(repo, 1)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.until("> ")
        chalk.json("resolve", record.id, "--note", NOTE, "--by", "Bo")
        terminal.type("raise the limit to 20\n")
        assert "is resolved already, by Bo" in terminal.answer("r")
        terminal.answer("not worth it")
        assert "is resolved already, by Bo" in terminal.answer("")
        assert terminal.ended() == 0
    assert _row(chalk, record)["resolution"] == NOTE


def test_forty_columns_are_enough_and_stored_text_is_harmless(repo: Repo) -> None:
    hostile = "\u202ered\u2066 \u200bline " + "w" * 90 + " and some words more that go on"
    failure = {"reason": "r " * 40, "error": hostile, "output": hostile, "tests": ["x" * 60]}
    repo.record("lesson", failure={**failure, "ticket": "T-1\u202e2"}, by="Bo\u202dB")
    with opened("office-hours", cwd=repo.root, columns=40) as terminal:
        terminal.answer("o")
        terminal.answer("")
        assert terminal.ended() == 0
    assert max(len(row) for row in terminal.shown.split("\n")) <= 40
    assert not set(terminal.raw.decode()) & {"\x1b", "\u202d", "\u202e", "\u2066", "\u200b"}
    assert "\ufffdred\ufffd \ufffdline" in terminal.shown


# --- drafts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("edits", [True, False], ids=["edited in its line", "typed anew"])
def test_a_draft_is_taken_replaced_or_left(repo: Repo, chalk: Inside, tmp_path: Path, edits: bool) -> None:
    if edits:
        pytest.importorskip("readline")
    distilling.configured(tmp_path, f"read(); print({RULE!r})")
    taken, replaced, left, plain = (_open(repo, number) for number in (1, 2, 3, 4))
    empty = "\x15" if edits else ""  # control-U
    out = None if edits else tmp_path / "out"
    with opened("office-hours", cwd=repo.root, columns=120, out=out) as terminal:
        for typed in ("", f"{empty}When it drains, stop the workers", "\x15" if edits else "-"):
            terminal.answer("d")
            terminal.answer(NOTE)
            assert f"drafted by distil: {RULE[:40]}" in terminal.until("the note is the rule")
            terminal.answer(typed)
        terminal.answer(NOTE)
        assert terminal.ended() == 0
    rows = [_row(chalk, record) for record in (taken, replaced, left, plain)]
    assert [row["lesson"] for row in rows] == [RULE, "When it drains, stop the workers", NOTE, RULE]
    assert [row.get("distilled-by") for row in rows] == ["distil", None, None, "distil"]
    assert {row["resolution"] for row in rows} == {NOTE}
    if out is not None:
        said = [f"{record.id} {record.path}" for record in (taken, replaced, left, plain)]
        assert out.read_text().splitlines() == said


def test_a_draft_can_be_edited_in_its_line(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    pytest.importorskip("readline")
    distilling.configured(tmp_path, "read(); print('When S, do Y')")
    record = _open(repo, 1)
    with opened("office-hours", cwd=repo.root, term="xterm") as terminal:
        terminal.answer("d")
        terminal.answer(NOTE)
        terminal.until("> When S, do Y")
        terminal.type(", because Z\n")
        assert terminal.ended() == 0
    row = _row(chalk, record)
    assert (row["lesson"], row.get("distilled-by")) == ("When S, do Y, because Z", None)


def test_without_a_distiller_there_is_no_draft_and_it_says_so(repo: Repo, chalk: Inside) -> None:
    record = _open(repo, 1)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer("d")
        assert "no distiller is configured" in terminal.answer(NOTE)
        assert terminal.ended() == 0
    assert _row(chalk, record)["lesson"] == NOTE


def test_an_interrupt_while_it_drafts_ends_the_distiller_too(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    number = tmp_path / "pid"
    distilling.configured(
        tmp_path,
        f"open({str(tmp_path / 'part')!r}, 'w').write(str(os.getpid()))\n"
        f"os.rename({str(tmp_path / 'part')!r}, {str(number)!r})\ntime.sleep(300)",
    )
    record = _open(repo, 1)
    with opened("office-hours", cwd=repo.root) as terminal:
        terminal.answer(NOTE)
        for _ in range(600):
            if number.exists():
                break
            time.sleep(0.05)
        terminal.type("\x03")
        assert terminal.ended() == 130
    assert _states(chalk, record) == ["open"]
    assert not Path(f"/proc/{number.read_text()}").exists()


# --- elsewhere than at a terminal ------------------------------------------------------------------


def test_without_a_terminal_the_open_ones_are_listed_with_their_commands(repo: Repo, chalk: Inside) -> None:
    first, second = _open(repo, 1, ticket="T-1"), _open(repo, 2)
    result = chalk("office-hours", stdin=f"{NOTE}\n")
    assert result.code == 2
    assert "office hours are held at a terminal" in result.err
    assert "2 lessons are open" in result.err
    assert "hint: chalkgit resolve" in result.err
    rows = result.out.splitlines()
    assert rows[0] == f"{first.id}  2026-03-01  E1: pool drained  [T-1]"
    assert rows[1].startswith(f"  chalkgit resolve {first.id} --note ")
    assert rows[3].startswith(f"  chalkgit resolve {second.id} --note ")
    assert _states(chalk, first, second) == ["open", "open"]
    alone = chalk("office-hours", "--ticket", "T-1")
    assert (alone.code, len(alone.out.splitlines())) == (2, 2)


def test_where_none_is_open_it_says_so(repo: Repo, chalk: Inside) -> None:
    repo.record("lesson")
    result = chalk("office-hours")
    assert (result.code, result.out, result.err) == (0, "", "no lesson is open\n")
    assert "of ticket T-1" in chalk("office-hours", "--ticket", "T-1").err
