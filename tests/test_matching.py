"""Ranking and deciding: what they depend on, and what they must not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import matching
from chalkgit.answers.check import Answer
from chalkgit.answers.matching import Evidence
from chalkgit.answers.semantic import Meaning
from chalkgit.calibration import Calibration
from chalkgit.cli import asking
from chalkgit.store import writes

WORDS = "cache session redis token parser worker queue schema index retry lock manifest".split()
ROUTES = st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=6), min_size=2, max_size=7)
FEW = settings(
    max_examples=12,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(name="fresh")
def fresh_fixture(template: Repo) -> Callable[[], Repo]:
    """Makes a new repository for every example."""

    def make() -> Repo:
        folder = Path(tempfile.mkdtemp()) / "repo"
        shutil.copytree(template.root, folder, symlinks=True)
        return Repo(folder)

    return make


def written(repo: Repo, routes: Sequence[Sequence[str]]) -> list[str]:
    return [repo.record(route=" ".join(route), observation="it was slow").id for route in routes]


def asked(repo: Repo, proposal: str, *, lexical: bool = True) -> Answer:
    checker = asking.opened(str(repo.root), lexical=lexical, here=True, patient=True)
    return checker.ask(proposal, 100, measured=False)


def said(answer: Answer) -> dict[str, tuple[float, bool]]:
    """Of each hit, its confidence and whether it interrupts."""
    return {hit.record.id: (round(hit.confidence, 6), hit.matched) for hit in answer.hits}


@given(
    routes=ROUTES, proposal=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), gone=st.integers(0, 6)
)
@FEW
def test_withdrawing_a_record_makes_no_other_speak(
    fresh: Callable[[], Repo], routes: list[list[str]], proposal: list[str], gone: int
) -> None:
    repo = fresh()
    try:
        ids = written(repo, routes)
        before = said(asked(repo, " ".join(proposal)))
        retired = next(r for r in _records(repo) if r.id == ids[gone % len(ids)])
        writes.change(repo.place, retired, {"retired": {"because": "moot"}})
        after = said(asked(repo, " ".join(proposal)))
        assert retired.id not in after
        for i, (confidence, matched) in after.items():
            if i in before:
                assert (confidence, matched) == before[i]
            else:  # it was behind the ten that are told
                assert not matched
    finally:
        shutil.rmtree(repo.root.parent)


@given(routes=ROUTES, proposal=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), seed=st.randoms())
@FEW
def test_the_ranking_does_not_depend_on_the_order_of_writing(
    fresh: Callable[[], Repo], routes: list[list[str]], proposal: list[str], seed: Any
) -> None:
    repo = fresh()
    try:
        ids = written(repo, routes)
        at_once = [(h.record.id, h.confidence) for h in asked(repo, " ".join(proposal)).hits]
        files = {r.id: (repo.root / r.path, (repo.root / r.path).read_bytes()) for r in _records(repo)}
        for file, _ in files.values():
            file.unlink()
        asked(repo, "nothing")
        seed.shuffle(ids)
        for i in ids:  # one after another, each indexed before the next
            files[i][0].write_bytes(files[i][1])
            asked(repo, "nothing")
        one_by_one = [(h.record.id, h.confidence) for h in asked(repo, " ".join(proposal)).hits]
        assert one_by_one == at_once
    finally:
        shutil.rmtree(repo.root.parent)


def _records(repo: Repo) -> list[Any]:
    checker = asking.opened(str(repo.root), lexical=True, here=True)
    [source] = checker.sources
    return source.records(list(source.index.table.ids().values()))


def test_the_order_of_writing_does_not_matter_to_meaning_either(
    fresh: Callable[[], Repo], minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)
    routes = [[a, b, c] for a in WORDS[:3] for b in WORDS[3:6] for c in WORDS[6:8]]
    found = []
    for ordered in (routes, routes[::-1]):
        repo = fresh()
        for n, route in enumerate(ordered):
            repo.record(route=" ".join(route), observation="it was slow")
            if n % 7 == 3:
                asked(repo, "nothing", lexical=False)  # so that vectors are written in several goes
        answer = asked(repo, "keep the session token in redis, with a queue of workers", lexical=False)
        assert answer.covered == len(routes)
        found.append([(h.record.get("route"), h.order) for h in answer.hits])
        shutil.rmtree(repo.root.parent)
    assert {route for route, _ in found[0]} == {route for route, _ in found[1]}
    assert sorted(found[0]) == sorted(found[1])


# --- the rule


@pytest.mark.parametrize("calibration", [thresholds.WORDS, thresholds.MODELS[NAME]])
def test_confidence_grows_with_the_margin_and_steps_up_at_the_rule(
    calibration: Calibration,
) -> None:
    def of(margin: float) -> float:
        evidence = Evidence(0.0, 0.0, 0.0, None)
        evidence.margin, evidence.matched = margin, margin >= 0
        return matching.confidence(evidence, calibration)

    values = [of(n / 10) for n in range(-80, 40)]
    assert values == sorted(values)
    assert all(0 < value < 1 for value in values)
    assert of(-0.001) < 0.5 < of(0.0)


def test_rare_words_in_common_decide_only_where_meaning_consents() -> None:
    measured = thresholds.MODELS[NAME]
    assert matching.margin(0.3, 1.2, measured.consent, measured) > 0
    assert matching.margin(0.3, 1.2, measured.consent - 0.01, measured) < 0
    assert matching.margin(0.9, 1.2, -0.2, measured) > 0  # the record's own words need no consent
    # without an opinion, and with a model that was never measured, the limits are those of words alone
    for calibration in (measured, thresholds.UNMEASURED):
        assert matching.margin(0.3, thresholds.WORDS.shared, None, calibration) == 0
    assert matching.margin(0.3, thresholds.WORDS.shared, 0.1, thresholds.UNMEASURED) == 0


def test_late_interaction_ranks_and_decides_nothing() -> None:
    near, far = Meaning(0.5, 0.9, 0.9), Meaning(0.5, 0.1, 0.1)
    assert matching.order(0.0, near) > matching.order(0.0, far) > matching.order(0.0, Meaning(0.4, 0.1, 0.1))
    assert matching.order(1.0, far) > matching.order(0.0, far)
    assert matching.order(0.7, None) == 0.7


def test_what_is_near_among_few_records_is_not_near_among_many() -> None:
    measured = thresholds.MODELS[NAME]
    values = [matching.near(count, measured) for count in (0, 1, 10, 100, 1_809, 100_000)]
    assert values == sorted(values)
    assert values[0] == values[2]
    assert values[4] == pytest.approx(measured.near)


def test_only_the_best_hits_interrupt_and_the_others_over_the_rule_go_with_them(
    repo: Repo, chalk: Inside
) -> None:
    best = repo.record(route="keep session tokens in redis behind the proxy", observation="lost on restart")
    other = repo.record(route="keep signing tokens in redis behind nginx", observation="lost on restart")
    answer = chalk.json("check", "keep session tokens in redis behind the proxy", code=1)
    assert answer["rulings"][0]["id"] == best.id
    assert answer["rulings"][0]["confidence"] > 0.9
    assert all(row["confidence"] < 0.5 for row in answer["rulings"][1:])
    alone = chalk.json("check", "keep signing tokens in redis behind nginx", code=1)
    assert alone["rulings"][0]["id"] == other.id


def test_a_route_that_is_restated_whole_interrupts_beside_a_better_hit(repo: Repo, chalk: Inside) -> None:
    best = repo.record(route="keep session tokens in redis behind the proxy", observation="lost on restart")
    other = repo.record(route="keep session tokens in memory", observation="lost on restart")
    answer = chalk.json("check", "keep session tokens in redis behind the proxy, not in memory", code=1)
    assert {row["id"] for row in answer["rulings"]} == {best.id, other.id}
    assert all(row["confidence"] > 0.9 for row in answer["rulings"])


def test_what_would_be_done_instead_is_another_proposal(repo: Repo, chalk: Inside) -> None:
    repo.record(route="use Cypress for the end-to-end tests", observation="slow", alternative="Playwright")
    assert chalk.json("check", "use Playwright for the end-to-end tests")["verdict"] == "near"
    assert chalk.json("check", "use Cypress for the end-to-end tests", code=1)["verdict"] == "tried"


def test_a_word_or_a_topic_is_worth_a_look_and_interrupts_nobody(repo: Repo, chalk: Inside) -> None:
    repo.record(route="move the product catalogue to GraphQL", observation="the cache missed each time")
    repo.record(route="switch the checkout over slowly with feature flags from a table", observation="slow")
    for asked in ("GraphQL", "feature flags", "GraphQL for the admin panel"):
        assert chalk.json("check", asked)["verdict"] == "near", asked
    assert chalk.json("check", "move the catalogue to GraphQL", code=1)["verdict"] == "tried"


def test_four_names_in_common_interrupt_in_a_small_store_and_two_do_not(repo: Repo, chalk: Inside) -> None:
    repo.record(
        route="replace webpack with vite in the storefront dashboard", observation="no port of plugins"
    )
    for n in range(30):
        repo.record(route=f"number {n} of those that speak of other things", observation="it was slow")
    four = (
        "move what the storefront team builds for its dashboard from webpack over to vite, so that it begins"
    )
    assert chalk.json("check", f"{four} sooner for everybody", code=1)["verdict"] == "tried"
    assert chalk.json("check", "move what they build from webpack over to vite, sooner")["verdict"] == "near"
