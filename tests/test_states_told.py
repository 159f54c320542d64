"""What `list` and `show` say of a record that is in two states, approved, or soon to be replaced."""

from __future__ import annotations

import re

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


@pytest.mark.parametrize("state", ["rejected", "quarantined"])
def test_a_rejected_record_that_is_superseded_too_is_found_by_both_states(
    repo: Repo, chalk: Inside, state: str
) -> None:
    old = repo.record(route="a route", observation="b", review={"state": state})
    new = repo.record(route="a newer route", observation="b", supersedes=[old.id])
    repo.commit()
    for args in (("--status", state), ("--status", "superseded"), ("--trust", state)):
        assert chalk.ids("list", *args, key="records") == [old.id], args
        assert f"(superseded by {new.id}, {state})" in chalk("list", *args).out
    assert chalk.ids("list", "--status", "active", key="records") == [new.id]


def test_an_approved_record_is_labelled_in_the_list_and_an_unreviewed_one_is_not(
    repo: Repo, chalk: Inside
) -> None:
    repo.write(".lessons/config.yaml", "reviewers: [ada@example.org]\n")
    approved = repo.record(route="a route", observation="b")
    repo.record(route="another", observation="b")
    repo.commit()
    assert "(" not in chalk("list").out
    assert chalk("approve", approved.id, "--commit").code == 0
    rows = chalk("list").out.splitlines()
    assert [row.endswith("(approved)") for row in rows] == [approved.id in row for row in rows]
    assert chalk("retire", approved.id, "--because", "c").code == 0
    assert re.search(rf"{approved.id} .*\(retired\)$", chalk("list").out, re.M)  # the edit voids the approval


def test_a_successor_that_is_not_committed_is_told_as_such(repo: Repo, chalk: Inside) -> None:
    old = repo.record(route="a route", observation="b")
    new = repo.record(route="a newer route", observation="b")
    repo.commit()
    assert "replaced" not in chalk("show", old.id).out
    assert chalk("supersede", old.id, "--by", new.id).code == 0
    shown = chalk("show", old.id).out
    assert shown.startswith(f"dead-end {old.id}: active;")
    assert f"to be replaced by {new.id}, once that is committed: until then this one stands" in shown
    assert re.search(rf"{new.id} .*\(not committed: replaces nothing yet\)$", shown, re.M)
    assert re.search(rf"{new.id} .*\(not committed: replaces nothing yet\)$", chalk("show", new.id).out, re.M)
    repo.commit()
    shown = chalk("show", old.id).out
    assert shown.startswith(f"dead-end {old.id}: superseded by {new.id};")
    assert "not committed" not in shown
    assert "once that is" not in shown
    assert "not committed" not in chalk("show", new.id).out
