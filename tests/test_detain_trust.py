"""`detain` names the fix of a resolved lesson to nobody to whom `recall` would not give that lesson."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from pool import NOTE, RULE, output, resolved
from repository import Repo, Result
from reviewing import ADA, Team, team_fixture  # noqa: F401

from chalkgit.answers import recalling
from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.store import snapshot

BEFORE = "the same failure was resolved before"


def _detain(chalk: Inside, ticket: str = "T") -> Result:
    words = ("detain", "--output", "-", "--exit-code", "1", "--ticket", ticket)
    result = chalk(*words, stdin=output())
    assert result.code == 0, result
    return result


def _recall(chalk: Inside) -> list[str]:
    said = chalk("recall", "--output", "-", "--exit-code", "1", "--json", stdin=output()).out
    return [lesson["id"] for lesson in json.loads(said)["lessons"]]


def _superseded(repo: Repo, chalk: Inside, old: str) -> None:
    new = repo.record("lesson", failure={"error": "E: elsewhere"}, resolution="another way")
    assert chalk("supersede", old, "--by", new.id).code == 0
    repo.commit()


def _did(*words: str) -> Callable[[Repo, Inside, str], None]:
    def change(repo: Repo, chalk: Inside, name: str) -> None:
        result = chalk(*(name if word == "ID" else word for word in words))
        assert result.code == 0, result

    return change


EXCLUDED: dict[str, Callable[[Repo, Inside, str], None]] = {
    "retired": _did("retire", "ID", "--because", "no more"),
    "rejected": _did("reject", "ID", "--because", "it is wrong"),
    "quarantined": _did("quarantine", "ID", "--because", "it is odd"),
    "expired": _did("correct", "ID", "--valid-until", "2026-01-02", "--valid-from", "2026-01-01"),
    "not valid yet": _did("correct", "ID", "--valid-from", "2999-01-01"),
    "superseded": _superseded,
}


@pytest.mark.parametrize("state", EXCLUDED)
def test_a_lesson_that_is_never_recalled_is_not_named(repo: Repo, chalk: Inside, state: str) -> None:
    name = resolved(chalk)
    repo.commit()
    said = _detain(chalk)
    assert f"{BEFORE}, by {name}: {NOTE}" in said.err
    assert _recall(chalk) == [name]
    EXCLUDED[state](repo, chalk, name)
    again = _detain(chalk, "U")
    assert _recall(chalk) == []
    assert BEFORE not in again.out + again.err
    assert NOTE not in again.out + again.err


def test_a_settled_lesson_is_not_named(repo: Repo, chalk: Inside) -> None:
    name = resolved(chalk)
    commit = repo.commit()
    assert NOTE in _detain(chalk).err
    assert chalk("settle", name, "--by", commit).code == 0
    assert NOTE not in _detain(chalk, "U").err


def _policy(team: Team, text: str) -> None:
    config = team.repo.root / ".lessons/config.yaml"
    config.write_text(f"reviewers: [ada@example.org]\n{text}\n")
    team.commit(ADA)


def test_a_policy_that_shows_approved_lessons_alone_holds_for_detain_and_says_so(team: Team) -> None:
    chalk = team.inside
    name = resolved(chalk)
    team.commit()
    assert NOTE in _detain(chalk, "A").err
    _policy(team, "show-unreviewed: [check, at]")
    said = _detain(chalk, "B")
    assert NOTE not in said.out + said.err
    assert "1 unreviewed record is not shown here (show-unreviewed in .lessons/config.yaml)" in said.err
    assert _recall(chalk) == []
    _policy(team, "show-unreviewed: [recall]")
    assert NOTE in _detain(chalk, "C").err
    _policy(team, "show-unreviewed: none")
    team.approve(snapshot.of_work_tree(team.repo.place).records[name])
    said = _detain(chalk, "D")
    assert f"{BEFORE}, by {name}: {NOTE}" in said.err
    assert "not shown here" not in said.err


def test_a_policy_that_cannot_be_read_is_told(team: Team) -> None:
    resolved(team.inside)
    _policy(team, "show-unreviewed: somewhere")
    said = _detain(team.inside)
    assert "`show-unreviewed` is “somewhere”" in said.err
    assert NOTE in said.err  # as recall does: a policy that nobody can read leaves nothing out


def test_with_fingerprints_switched_off_no_failure_is_the_same(repo: Repo, chalk: Inside) -> None:
    resolved(chalk)
    assert NOTE in _detain(chalk).err
    repo.write(".lessons/config.yaml", "fingerprint: off\n")
    said = _detain(chalk, "U")
    assert NOTE not in said.err
    assert "the same failure is not looked for: fingerprints are switched off" in said.err


def test_at_most_as_many_as_recall_gives_are_named_and_the_same_ones(repo: Repo, chalk: Inside) -> None:
    for number in range(5):
        words = ("lesson", f"{RULE} ({number})", "--output", "-", "--exit-code", "1")
        assert chalk(*words, stdin=output()).code == 0
    named = [row.split("by ")[1][:8] for row in _detain(chalk).err.splitlines() if BEFORE in row]
    assert named == _recall(chalk)
    assert len(named) == 3


def test_what_a_distiller_wrote_is_labelled_where_detain_names_it(repo: Repo, chalk: Inside) -> None:
    name = resolved(chalk)
    assert "distilled" not in _detain(chalk).err
    assert chalk("correct", name, "--distilled-by", "llm").code == 0
    assert f"{NOTE} [distilled by a program]" in _detain(chalk, "U").err


def test_what_detain_named_is_kept_as_a_showing_with_its_run(repo: Repo, chalk: Inside) -> None:
    _detain(chalk, "before")
    assert [row["surface"] for row in rows(repo, "asked")] == []
    name = resolved(chalk)
    _detain(chalk)
    [asked], [shown] = rows(repo, "asked"), rows(repo, "shown")
    run = rows(repo, "runs")[-1]
    assert (asked["kind"], asked["surface"], asked["shown"]) == ("rulings", "detain", 1)
    assert (shown["id"], shown["asked"], shown["surface"]) == (name, asked["id"], "detain")
    assert asked["run"] == run["run"]
    assert (run["found"], run["given"], run["bytes"]) == (1, 1, shown["bytes"])
    assert shown["hash"] == _hash(repo, name)


def _hash(repo: Repo, name: str) -> Any:
    table = refresh.up_to_date(repo.place).table
    path = table.ids()[name]
    return table.hashes([path])[path]


def test_an_index_that_cannot_be_read_costs_the_name_and_not_the_record(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **named: object) -> None:
        raise ChalkError("the disk is full")

    resolved(chalk)
    assert NOTE in _detain(chalk).err
    monkeypatch.setattr(recalling, "same", broken)
    said = _detain(chalk, "U")
    assert "whether the same failure was resolved before is not known: the disk is full" in said.err
    assert len(chalk.json("list", "--status", "open")["records"]) == 2
