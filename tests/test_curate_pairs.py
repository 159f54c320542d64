"""Pairs that say the same, nearly the same or the opposite are found, and alternatives are no pairs."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path

from curating import ids, sections, store_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME, homes_fixture, minilm_fixture  # noqa: F401
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import curate_pairs
from chalkgit.index import refresh


def test_the_same_record_twice_is_an_exact_duplicate_whatever_its_case_and_blanks(
    store: Repo, chalk: Inside
) -> None:
    one = store.record(route="cache the parsed manifest", observation="the tests went stale")
    other = store.record(route="Cache the  parsed manifest.", observation="The tests went stale.")
    found = sections(chalk)
    assert ids(found, "exact") == [{one.id, other.id}]
    assert ids(found, "near") == ids(found, "unfindable") == []
    (mend,) = found["exact"][0]["mend"]
    assert chalk(*shlex.split(mend)[1:], "--commit").code == 0
    assert "exact" not in sections(chalk)


def test_lessons_are_duplicates_by_failure_and_fix(store: Repo, chalk: Inside) -> None:
    first = store.record(kind="lesson")
    again = store.record(kind="lesson")
    store.record(kind="lesson", failure={"error": "E: pool drained"}, resolution="wait for them")
    assert ids(sections(chalk), "exact") == [{first.id, again.id}]


def test_a_restatement_is_nearly_the_same_and_an_alternative_is_not(store: Repo, chalk: Inside) -> None:
    one = store.record(route="cache the parsed manifest between runs", observation="it was stale")
    other = store.record(route="cache the parsed manifests between the runs", observation="tests failed")
    store.record(route="keep the lock in Redis during deployment", observation="it was lost")
    store.record(route="keep the lock in Postgres during deployment", observation="it was slow")
    found = sections(chalk)
    assert ids(found, "near") == [{one.id, other.id}]
    assert found["near"][0]["confidence"] > 0.8
    assert "in the same words" in found["near"][0]["why"]
    assert ids(found, "exact") == []


def test_names_that_differ_by_a_sign_are_two_things(store: Repo, chalk: Inside) -> None:
    store.record(route="declare parameters as F(T)", observation="ambiguous")
    store.record(route="declare parameters as F[T]", observation="an index")
    assert "near" not in sections(chalk)
    store.record(route="declare the parameters as F(T)", observation="not clear")
    assert len(sections(chalk)["near"]) == 1


def test_meaning_may_take_a_pair_away_and_says_that_it_took_part(
    store: Repo, chalk: Inside, homes: Path, minilm: Path
) -> None:
    same = [
        store.record(route="cache the parsed manifest between runs", observation=said)
        for said in ("the cache was stale", "the cached manifest became stale")
    ]
    for said in ("reviewers could not read French", "the oven melts chocolate at noon and burns its crust"):
        store.record(route="a feature gate", observation=said)
    assert len(sections(chalk)["near"]) == 2
    assert chalk("model", "use", str(minilm), "--name", NAME).code == 0
    page = chalk.json("curate")
    assert page["semantic"]["ran"] is True
    near = [one for one in page["findings"] if one["section"] == "near"]
    assert [{record["id"] for record in one["records"]} for one in near] == [{record.id for record in same}]


def test_a_dead_end_and_a_procedure_of_one_route_are_a_contradiction_and_no_duplicate(
    store: Repo, chalk: Inside
) -> None:
    dead = store.record(route="cache the parsed manifest between runs", observation="stale")
    works = store.record(kind="procedure", route="cache the parsed manifest between runs", trap="warm it")
    found = sections(chalk)
    assert ids(found, "contradicting") == [{dead.id, works.id}]
    assert "near" not in found
    assert "tried and failed" in found["contradicting"][0]["why"]
    assert chalk("retire", dead.id, "--because", "it works now").code == 0
    assert "contradicting" not in sections(chalk)


def test_an_alternative_that_leads_into_another_dead_end_is_named(store: Repo, chalk: Inside) -> None:
    asked = store.record(
        route="poll the queue", observation="slow", alternative="push through one shared websocket"
    )
    there = store.record(
        route="push through one shared websocket", observation="it dropped", degree="contradicted"
    )
    found = sections(chalk)
    assert ids(found, "contradicting") == [{asked.id, there.id}]
    chalk("correct", there.id, "--degree", "partial")
    assert "contradicting" not in sections(chalk)


def test_pairs_of_some_records_are_asked_of_a_commits_records_too(store: Repo) -> None:
    one = store.record(route="cache the parsed manifest between runs", observation="stale")
    other = store.record(route="cache the parsed manifests between runs", observation="it went stale")
    store.record(route="vendor the zlib source", observation="it did not hold")
    commit = store.commit()
    (store.root / other.path).unlink()
    index = refresh.of_revision(store.place, commit)
    now = datetime(2026, 3, 15, tzinfo=UTC)
    (pair,) = curate_pairs.near(index, [one], now)
    assert {pair.record.id, pair.other.id} == {one.id, other.id}
    assert pair.kind == curate_pairs.NEAR
    assert pair.against is None
    assert len(curate_pairs.near(index, curate_pairs.alive(index, now).values(), now)) == 2


def test_many_that_are_the_same_are_each_paired_once_with_the_first(store: Repo, chalk: Inside) -> None:
    for n in range(12):
        store.record(route="cache the parsed manifest", observation="stale", ref=f"x:{n}")
    found = sections(chalk)
    assert len(found["exact"]) == 11
    assert len(found.get("near", [])) == 0
    assert thresholds.CURATE_SHOWN > 11
