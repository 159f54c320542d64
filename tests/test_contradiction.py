"""Two records contradict each other only where one says outright what the other denies."""

from __future__ import annotations

from typing import Any

import pytest

from chalkgit.answers import contradiction
from chalkgit.records.record import Record


def dead(record_id: str = "a2345678", **fields: Any) -> Record:
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Record({"id": record_id, "kind": "dead-end", "route": "cache it", "observation": "stale", **named})


def works(**fields: Any) -> Record:
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Record({"id": "p2345678", "kind": "procedure", "route": "cache it", "trap": "warm it", **named})


def either(a: Record, b: Record) -> str | None:
    """The same, whichever comes first."""
    found = contradiction.contradicts(a, b)
    assert (found is None) == (contradiction.contradicts(b, a) is None)
    return found


def test_a_dead_end_and_a_procedure_of_one_route_contradict_each_other() -> None:
    assert either(dead(), works()) == "a2345678 says that it was tried and failed, p2345678 that it works"
    assert either(dead(degree="contradicted"), works())
    assert either(dead(), dead("b2345678")) is None
    assert either(works(), works(id="q2345678")) is None


@pytest.mark.parametrize(
    "says", [{"degree": "partial"}, {"degree": "inconclusive"}, {"degree": "unstable"}, {"action": "retry"}]
)
def test_a_dead_end_that_leaves_it_open_contradicts_no_procedure(says: dict[str, str]) -> None:
    assert either(dead(**says), works()) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ({"degree": "contradicted"}, {"degree": "partial"}, True),
        ({"degree": "contradicted"}, {"degree": "unstable"}, True),
        ({"degree": "contradicted"}, {"degree": "inconclusive"}, False),
        ({"degree": "contradicted"}, {"degree": "contradicted"}, False),
        ({"degree": "contradicted"}, {}, False),
        ({"action": "abandon"}, {"action": "retry"}, True),
        ({"action": "abandon"}, {"action": "change-method"}, False),
        ({"action": "narrow-scope"}, {"action": "retry"}, False),
    ],
)
def test_degrees_and_actions_that_are_opposites_contradict_each_other(
    ours: dict[str, str], theirs: dict[str, str], found: bool
) -> None:
    assert (either(dead(**ours), dead("b2345678", **theirs)) is not None) is found


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"supersedes": ["p2345678"]}, {}),
        ({"depends_on": {"django": "4.2"}}, {"depends_on": {"django": "5.0"}}),
        ({"files": ["src/a.py"]}, {"files": ["src/b.py"]}),
        ({"files": ["src/"]}, {"files": ["lib/*.py"]}),
        ({"valid_until": "2025-06"}, {"valid_from": "2025-06-01"}),
        ({"retired": {"because": "no", "on": "2026-01-01"}}, {}),
        ({"settled": "abc1234"}, {}),
        ({"review": {"state": "rejected"}}, {}),
    ],
)
def test_what_does_not_hold_together_is_no_contradiction(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    assert either(dead(**ours), works(**theirs)) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"depends_on": {"django": "4.2"}}, {"depends_on": {"django": "4.2"}}),
        ({"depends_on": {"django": "4.2"}}, {"depends_on": {"flask": "3"}}),
        ({"files": ["src/a.py"]}, {"files": ["src/"]}),
        ({"files": ["a.py"]}, {"files": ["src/a.py"]}),
        ({"files": ["src/*.py"]}, {"files": ["src/a.py"]}),
        ({"files": ["src/a.py"]}, {}),
        ({"valid_until": "2025-07"}, {"valid_from": "2025-06-01"}),
    ],
)
def test_what_may_hold_together_is_one(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert either(dead(**ours), works(**theirs)) is not None


def test_an_alternative_misleads_only_into_what_is_ruled_out_for_sure() -> None:
    asked = dead(alternative="rebuild it")
    there = dead("b2345678", route="rebuild it", degree="contradicted")
    assert contradiction.misleads(asked, there) == "a2345678 says to do instead what b2345678 rules out"
    assert contradiction.misleads(asked, dead("b2345678", route="rebuild it", action="abandon"))
    assert contradiction.misleads(asked, dead("b2345678", route="rebuild it")) is None
    assert contradiction.misleads(asked, dead("b2345678", degree="partial", action="abandon")) is None
    assert contradiction.misleads(dead(), there) is None
