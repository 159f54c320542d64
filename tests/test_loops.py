"""Which runs are one loop, and what the next run shows of the one before."""

from __future__ import annotations

from typing import Any

import pytest
from journalled import rows
from looping import keep, numbers, past
from repository import Repo

from chalkgit.store import loops, runs

# --- which runs are one loop ----------------------------------------------------------------------


def test_runs_of_one_ticket_within_a_day_are_one_loop(repo: Repo) -> None:
    for name, ago, ticket in (
        ("a", 60, None),
        ("a", 40, None),  # within a day of the one before
        ("b", 17, None),
        ("a", 10, "T-1"),  # another ticket
        ("a", 1, None),
        ("a", 0, "T-1"),
    ):
        keep(repo, past(name, ago, ticket=ticket))
    assert numbers(repo) == [0, 0, 0, 1, 0, 1]
    first = rows(repo, "runs")[0]
    assert first["loop"] == first["run"]
    assert len({row["run"] for row in rows(repo, "runs")}) == 6


def test_after_a_day_it_is_another_loop(repo: Repo) -> None:
    keep(repo, past("a", 25))
    keep(repo, past("a", 0))
    assert numbers(repo) == [0, 1]


def test_a_run_that_passes_ends_the_loop_and_is_kept_only_there(repo: Repo) -> None:
    passed = {"tests": (), "fingerprint": None, "error": None, "failing": 0}
    keep(repo, past("a", 5, **passed))
    assert rows(repo, "runs") == []
    assert not loops.is_open(repo.place)
    keep(repo, past("a", 4))
    assert loops.is_open(repo.place)
    assert loops.failing(repo.place) == ("t.a",)
    assert not loops.is_open(repo.place, "T-1")
    keep(repo, past("a", 3, **passed))
    assert not loops.is_open(repo.place)
    keep(repo, past("a", 2, **passed))
    keep(repo, past("a", 1))
    assert numbers(repo) == [0, 0, 1]
    assert [row["failing"] for row in rows(repo, "runs")] == [1, 0, 1]
    # what says how a loop goes looks at failed runs alone
    assert [past.failing for past in runs.earlier(repo.place)] == [1, 1]


@pytest.mark.parametrize(
    ("other", "one"),
    [
        ({"surface": "detain", "digest": "d"}, True),
        ({"surface": "recall", "digest": "d"}, False),
        ({"surface": "recall", "digest": "d", "tree": "1"}, True),
        ({"surface": "pytest", "digest": "e"}, True),
        ({"surface": "pytest", "digest": "e", "ago": 120}, True),
        ({"surface": "pytest", "digest": "e", "ago": 121}, False),
        ({"surface": "detain", "digest": "d", "ago": 121}, True),
        ({"surface": "pytest", "digest": "e", "fingerprint": "v1:b", "error": "b"}, False),
        ({"surface": "recall", "digest": "e"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "1"}, True),
        ({"surface": "loop", "digest": "e", "tree": "1"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "1", "fingerprint": "v1:b"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "2"}, True),  # what tells of it may write there
        ({"surface": "pytest", "digest": "e", "tree": "2", "ago": 121}, False),
    ],
)
def test_a_run_that_two_commands_are_told_of_is_one(repo: Repo, other: dict[str, Any], one: bool) -> None:
    begun = past(digest="d", tree="1")
    begun.at -= other.pop("ago", 0) * 1000
    first = keep(repo, begun)
    now = past(**other)
    now.at = begun.at + (past().at - begun.at) // 1000 * 1000  # whole seconds apart
    second = keep(repo, now)
    assert second.told == one
    assert (first.past.run == second.past.run) == one
    assert (loops.outcome(second) is None) == one
    third = keep(repo, past("z"))
    assert third.before is not None
    assert third.before.run == second.past.run


def test_one_that_was_told_of_a_run_is_told_of_another_one_next(repo: Repo) -> None:
    told = [
        keep(repo, past(surface=surface, digest=f"d{number}")).past.run
        for number, surface in enumerate(("pytest", "recall", "pytest", "loop", "recall", "pytest"))
    ]
    assert [list(dict.fromkeys(told)).index(run) for run in told] == [0, 0, 1, 1, 2, 2]


def test_the_same_bytes_detained_twice_are_one_run(repo: Repo) -> None:
    first, again, other = (
        keep(repo, past(surface="detain", digest=digest)).past.run for digest in ("d", "d", "e")
    )
    assert first == again != other


def test_a_journal_of_an_earlier_version_begins_a_loop(repo: Repo) -> None:
    runs.record(repo.place, past("a", 1))  # without ids
    keep(repo, past("a", 0))
    assert rows(repo, "runs")[1]["loop"] == rows(repo, "runs")[1]["run"]


# --- what comes of a run --------------------------------------------------------------------------

NOTHING = {"tests": (), "fingerprint": None, "error": None}


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        ({}, {}, (False, False, None)),
        ({}, {"fingerprint": "v1:b"}, (True, False, None)),
        ({"tests": ["a", "b"]}, {"tests": ["a"]}, (False, True, None)),
        ({"tree": "1"}, {"tree": "2"}, (False, False, True)),
        ({"tree": "1"}, {"tree": "1"}, (False, False, False)),
        ({"tree": "1"}, {}, (False, False, None)),
        ({}, {**NOTHING, "failing": 0}, (True, True, None)),
        ({}, {**NOTHING, "error": "no build"}, (True, None, None)),
        ({**NOTHING, "error": "x"}, {**NOTHING, "error": "x"}, (None, None, None)),
        ({"fingerprint": None}, {"fingerprint": None}, (False, False, None)),
        ({"fingerprint": None}, {"fingerprint": None, "tests": ["t.b"]}, (True, False, None)),
    ],
)
def test_the_next_run_shows_whether_it_is_gone_fewer_and_changed(
    repo: Repo, before: dict[str, Any], now: dict[str, Any], shown: tuple[bool | None, ...]
) -> None:
    keep(repo, past("a", 1, **before))
    found = loops.outcome(loops.step(repo.place, past("a", 0, **now)))
    assert found is not None
    assert (found["gone"], found["fewer"], found["changed"]) == shown


def test_an_exit_code_alone_shows_nothing_and_is_passed_over(repo: Repo) -> None:
    assert loops.outcome(keep(repo, past("a", 3))) is None  # the first shows nothing
    code = keep(repo, past("a", 2, **NOTHING, code=1))
    assert loops.outcome(code) is None
    step = keep(repo, past("b", 1))
    assert step.before is not None
    assert step.before.fingerprint == "v1:a"
    assert (loops.outcome(step) or {})["gone"] is True
