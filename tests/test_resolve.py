"""`resolve`: an open lesson is closed by a person's note, in its file, which keeps all else that it says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import resolving
from chalkgit.records import codec
from chalkgit.records.record import Record

NOTE = "close the connections in teardown, the fixture leaks them"
RULE = "When the pool drains, close connections in teardown, because the fixture leaks them"
ERROR = "PoolTimeout: QueuePool limit reached"


def _open(repo: Repo, ticket: str | None = None, error: str = ERROR, **fields: Any) -> Record:
    failure = {"error": error, "reason": "make test", **({"ticket": ticket} if ticket else {})}
    return repo.record("lesson", failure=failure, **fields)


def _at(repo: Repo, record: Record, seconds: int) -> Record:
    """The record's file as if written at that moment."""
    os.utime(repo.root / record.path, ns=(seconds * 10**9, seconds * 10**9))
    return record


def _row(chalk: Inside, record: Record) -> dict[str, Any]:
    row: dict[str, Any] = chalk.json("show", record.id)["records"][0]
    return row


def test_a_note_closes_the_lesson_and_is_its_rule(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    assert _row(chalk, record)["status"] == "open"
    result = chalk("resolve", record.id[:5], "--note", NOTE)
    assert (result.code, result.out.split(), result.err) == (0, [record.id, record.path], "")
    row = _row(chalk, record)
    assert (row["status"], row["resolution"], row["lesson"]) == ("active", NOTE, NOTE)
    assert row["resolved-by"] == "Ada"
    assert row.get("scope") is None
    assert row.get("distilled-by") is None
    assert row["failure"] == record.get("failure")
    assert chalk("lint").code == 0


def test_rule_scope_and_person_are_as_given(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    options = ("--rule", RULE, "--scope", "repo", "--by", "Bo", "--agent", "fixer")
    chalk.json("resolve", record.id, "--note", NOTE, *options)
    row = _row(chalk, record)
    assert (row["resolution"], row["lesson"], row["scope"]) == (NOTE, RULE, "repo")
    assert row["resolved-by"] == {"name": "Bo", "agent": "fixer"}


def test_the_file_keeps_its_comments_and_every_other_line(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    file = repo.root / record.path
    before = (
        file.read_text().replace("failure:", "# seen on Monday\nfailure:  # of CI").replace("id:", "id: ")
    )
    file.write_text(before)
    chalk.json("resolve", record.id, "--note", NOTE)
    after = file.read_text()
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    assert "# seen on Monday\nfailure:  # of CI" in after


def test_one_resolved_already_is_not_resolved_again(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    chalk.json("resolve", record.id, "--note", NOTE, "--by", "Bo")
    before = (repo.root / record.path).read_bytes()
    result = chalk("resolve", record.id, "--note", "raise the limit to 20")
    assert (result.code, result.out) == (2, "")
    assert f"{record.id} is resolved already, by Bo" in result.err
    assert f"hint: chalkgit correct {record.id} --lesson" in result.err
    assert (repo.root / record.path).read_bytes() == before


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"retired": {"because": "no"}}, "is retired"),
        ({"settled": "abcdef0"}, "is settled"),
    ],
)
def test_a_withdrawn_one_is_refused(repo: Repo, chalk: Inside, fields: dict[str, Any], said: str) -> None:
    record = _open(repo, **fields)
    result = chalk("resolve", record.id, "--note", NOTE)
    assert result.code == 2
    assert said in result.err
    assert chalk("resolve", _open(repo).id, "--note", NOTE).code == 0


def test_another_kind_is_refused(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    result = chalk("resolve", record.id, "--note", NOTE)
    assert result.code == 2
    assert "is a dead-end, not a lesson" in result.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "--note is missing"),
        (("--note", ""), "the note is empty"),
        (("--note", " \n"), "the note is empty"),
        (("--note", ERROR), "the note is the error over again"),
        (("--note", f"E   {ERROR.upper()}."), "the note is the error over again"),
        (("--note", "make test"), "the note is the error over again"),
        (("--note", "flaky"), "the note says nothing (“flaky”)"),
        (("--note", "Fixed."), "the note says nothing (“Fixed.”)"),
        (("--note", "ok"), "the note says nothing (“ok”)"),
        (("--note", "the test is flaky"), "the note says nothing"),
        (("--note", NOTE, "--rule", "works now"), "the rule says nothing (“works now”)"),
        (("--note", NOTE, "--rule", " "), "the rule is empty"),
        (("--note", NOTE, "--rule", ERROR), "the rule is the error over again"),
        (("--note", "a\x1b[31mb"), "control character"),
        (("--note", NOTE, "--scope", "local"), "'local' is not one of"),
    ],
)
def test_what_says_nothing_is_refused_and_nothing_written(
    repo: Repo, chalk: Inside, args: tuple[str, ...], said: str
) -> None:
    record = _open(repo)
    before = (repo.root / record.path).read_bytes()
    result = chalk("resolve", record.id, *args)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert "hint: " in result.err or "is not one of" in result.err or "control" in result.err
    assert (repo.root / record.path).read_bytes() == before


def test_a_note_that_names_the_symptom_alone_is_said_and_taken(repo: Repo, chalk: Inside) -> None:
    record, other = _open(repo), _open(repo)
    result = chalk("resolve", record.id, "--note", "it fails with PoolTimeout", "--json")
    assert (result.code, json.loads(result.out)["id"]) == (0, record.id)
    assert "the note says what happened (“fails”), not what to do about it" in result.err
    assert f"chalkgit correct {record.id} --lesson" in result.err
    assert len(result.err.splitlines()) == 1
    assert _row(chalk, record)["lesson"] == "it fails with PoolTimeout"
    # what the next one reads is the rule
    explained = chalk("resolve", other.id, "--note", "it fails with PoolTimeout", "--rule", RULE)
    assert (explained.code, explained.err) == (0, "")


def test_beside_a_rule_a_note_may_be_short(repo: Repo, chalk: Inside) -> None:
    record, other = _open(repo), _open(repo)
    result = chalk("resolve", record.id, "--note", "flaky", "--rule", RULE)
    assert (result.code, result.err) == (0, "")
    assert (_row(chalk, record)["resolution"], _row(chalk, record)["lesson"]) == ("flaky", RULE)
    assert chalk("resolve", other.id, "--note", "flaky").code == 2


def test_a_rule_that_says_nothing_gets_in_by_no_other_command(repo: Repo, chalk: Inside) -> None:
    result = chalk("lesson", "fixed", "--error", ERROR)
    assert (result.code, result.out) == (2, "")
    assert "the rule says nothing (“fixed”)" in result.err
    assert f"hint: chalkgit lesson 'When S, do Y, because Z' --error '{ERROR}'" in result.err
    record = _open(repo)
    chalk.json("resolve", record.id, "--note", NOTE)
    for option, what in (("--lesson", "rule"), ("--resolution", "note")):
        result = chalk("correct", record.id, option, "flaky")
        if option == "--lesson":
            assert (result.code, result.out) == (2, "")
            assert f"the {what} says nothing (“flaky”)" in result.err
            assert f"hint: chalkgit correct {record.id} --lesson" in result.err
        else:  # the rule is what the next one is told
            assert (result.code, _row(chalk, record)["lesson"]) == (0, NOTE)
    result = chalk("correct", record.id, "--lesson", "it fails with PoolTimeout")
    assert result.code == 0
    assert "the rule says what happened (“fails”), not what to do about it" in result.err
    assert chalk("correct", record.id, "--lesson", RULE).err == ""
    bare = _open(repo)
    assert chalk("correct", bare.id, "--resolution", "works now").code == 2
    assert chalk("correct", bare.id, "--resolution", "set X=1").code == 0


def test_what_looks_like_a_secret_is_asked_about(repo: Repo, chalk: Inside) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT" + "1vW4yZ7bC0eF3hJ6"
    result = chalk("resolve", _open(repo).id, "--note", f"set the token to {secret}")
    assert result.code == 0
    assert "looks like a secret" in result.err
    assert secret not in result.err


# --- without an id ---------------------------------------------------------------------------------


def test_without_an_id_it_is_the_newest(repo: Repo, chalk: Inside) -> None:
    older, newer = _at(repo, _open(repo), 1000), _at(repo, _open(repo), 2000)
    assert chalk.json("resolve", "--note", NOTE)["id"] == newer.id
    assert chalk.json("resolve", "--note", NOTE)["id"] == older.id
    result = chalk("resolve", "--note", NOTE)
    assert result.code == 2
    assert "no lesson is open" in result.err


def test_what_is_not_committed_yet_is_newer_than_what_is(repo: Repo, chalk: Inside) -> None:
    committed = _open(repo, valid_from="2026-03-14")
    repo.commit()
    fresh = _open(repo, valid_from="2026-03-14")
    assert chalk.json("resolve", "--note", NOTE)["id"] == fresh.id
    assert chalk.json("resolve", "--note", NOTE)["id"] == committed.id


def test_the_day_it_was_detained_counts_first(repo: Repo, chalk: Inside) -> None:
    later = _at(repo, _open(repo, valid_from="2026-03-15"), 1000)
    _at(repo, _open(repo, valid_from="2026-03-14"), 2000)
    assert chalk.json("resolve", "--note", NOTE)["id"] == later.id


def test_of_several_at_one_moment_none_is_guessed(repo: Repo, chalk: Inside) -> None:
    found = [_at(repo, _open(repo, error=f"E{n}: pool"), 1000) for n in range(2)]
    before = [(repo.root / r.path).read_bytes() for r in found]
    result = chalk("resolve", "--note", NOTE)
    assert (result.code, len(result.err.splitlines())) == (2, 2)
    assert "which one? 2 open lessons came at the same moment" in result.err
    assert all(f"{r.id} (E{n}: pool)" in result.err for n, r in enumerate(found))
    assert [(repo.root / r.path).read_bytes() for r in found] == before


def test_a_ticket_chooses_among_its_own(repo: Repo, chalk: Inside) -> None:
    own = _at(repo, _open(repo, "T-1"), 1000)
    _at(repo, _open(repo, "T-2"), 2000)
    _at(repo, _open(repo), 3000)
    assert chalk.json("resolve", "--ticket", "t-1", "--note", NOTE)["id"] == own.id
    result = chalk("resolve", "--ticket", "T-1", "--note", NOTE)
    assert result.code == 2
    assert "no lesson of ticket T-1 is open" in result.err


def test_a_ticket_beside_an_id_must_be_its_own(repo: Repo, chalk: Inside) -> None:
    record = _open(repo, "T-1")
    result = chalk("resolve", record.id, "--ticket", "T-2", "--note", NOTE)
    assert result.code == 2
    assert "is of ticket T-1, not of T-2" in result.err
    assert chalk("resolve", record.id, "--ticket", "T-1", "--note", NOTE).code == 0


def test_retired_and_resolved_ones_are_not_chosen(repo: Repo, chalk: Inside) -> None:
    own = _at(repo, _open(repo), 1000)
    _at(repo, _open(repo, retired={"because": "no"}), 2000)
    _at(repo, _open(repo, resolution="set X=1"), 3000)
    repo.record()
    assert chalk.json("resolve", "--note", NOTE)["id"] == own.id


def test_a_damaged_neighbour_is_named_and_costs_nothing(repo: Repo, chalk: Inside) -> None:
    own = _open(repo)
    repo.write(".lessons/lessons/damaged.yaml", "kind: [\n")
    result = chalk("resolve", "--note", NOTE)
    assert (result.code, result.out.split()[0]) == (0, own.id)
    assert "skipped .lessons/lessons/damaged.yaml" in result.err


# --- git, and others -------------------------------------------------------------------------------


def test_it_is_staged_or_committed_alone_where_asked(repo: Repo, chalk: Inside) -> None:
    first, second = _open(repo), _open(repo, error="E: other")
    repo.commit()
    repo.write("staged.txt", "x")
    repo.git("add", "staged.txt")
    chalk.json("resolve", first.id, "--note", NOTE, "--stage")
    assert sorted(repo.git("diff", "--cached", "--name-only").split("\n")) == sorted(
        [first.path, "staged.txt"]
    )
    answer = chalk.json("resolve", second.id, "--note", NOTE, "--commit")
    assert repo.git("show", "--name-only", "--format=", answer["commit"]) == second.path
    assert f"lessons: resolve {second.id}" in repo.git("log", "-1", "--format=%s")


def test_what_somebody_else_resolved_meanwhile_stands(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    place = repo.place
    chalk.json("resolve", record.id, "--note", NOTE, "--by", "Bo")
    with pytest.raises(Exception, match="is resolved already, by Bo"):
        resolving.close(place, record, "raise the limit to 20", by="Ada")
    assert _row(chalk, record)["resolution"] == NOTE


def test_no_switch_and_no_model_stands_in_the_way(repo: Repo, chalk: Inside) -> None:
    record = _open(repo)
    off = {f"CHALKGIT_BYPASS_{name}": "1" for name in ("CHECK", "RULINGS", "RECALL", "SEMANTIC", "DECIDER")}
    result = chalk("resolve", record.id, "--note", NOTE, env=off)
    assert (result.code, result.err) == (0, "")
    read, problems = codec.decode(Path(repo.root, record.path).read_bytes(), record.path)
    assert (read.get("lesson"), problems) == (NOTE, [])


def test_a_lesson_without_its_note_is_open_again(chalk: Inside) -> None:
    new = json.loads(
        chalk("detain", "--output", "-", "--exit-code", "1", "--json", stdin="E: drained\n").out
    )["id"]
    assert chalk("resolve", new, "--note", "stop the workers first").code == 0
    assert chalk.json("list", "--status", "open")["records"] == []
    assert chalk("correct", new, "--resolution", "").code == 0
    assert [record["id"] for record in chalk.json("list", "--status", "open")["records"]] == [new]
