"""What experiments say in simulated worlds whose truth is known, over a thousand seeds each."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from repository import Repo
from source import ROOT

from chalkgit import thresholds
from chalkgit.answers.experiment import HARMS, HELPS, NO_CLAIM, NO_SIGNAL

SEEDS = 1_000


@pytest.fixture(scope="module", name="worlds")
def worlds_fixture() -> Iterator[ModuleType]:
    """bench/worlds.py, whose functions the documented figures come from."""
    spec = importlib.util.spec_from_file_location("worlds", ROOT / "bench" / "worlds.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["worlds"] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules["worlds"]


def told(worlds: ModuleType, world: Any, *plan: Any) -> Any:
    """The shares of what is said, in as many runs as there are seeds."""
    return worlds.outcome([worlds.run(world, worlds.Plan(*plan), seed) for seed in range(1, SEEDS + 1)])


def test_a_world_comes_out_the_same_each_time(worlds: ModuleType) -> None:
    world, plan = worlds.WORLDS[2], worlds.Plan(100, 100)
    one, other, another = (worlds.run(world, plan, seed).line for seed in (3, 3, 4))
    assert one == other != another


@pytest.mark.parametrize("name", ["no effect", "team learns, no effect"])
def test_where_lessons_do_nothing_no_more_than_one_in_twenty_says_otherwise(
    worlds: ModuleType, name: str
) -> None:
    (world,) = (world for world in worlds.WORLDS if world.name == name)
    small = told(worlds, world, 100, 100)
    assert small.claims[HELPS] + small.claims[HARMS] <= 0.05
    assert 0.25 < small.passed < 0.45  # two thirds of honest A/A runs of this size miss by chance
    large = told(worlds, world, 100, 2135)
    assert large.passed == pytest.approx(1 - thresholds.EXPERIMENT_AA_MISSED, abs=0.02)
    # 4.0 % of many thousands (docs/experiment.md): of one thousand 5.9 % would be three times chance's error
    assert large.claims[HELPS] + large.claims[HARMS] <= 0.059
    assert large.of_passed[NO_SIGNAL] > 0.9


def test_twenty_points_are_found_at_a_hundred_loops_an_arm(worlds: ModuleType) -> None:
    world = worlds.WORLDS[2]
    assert world.effect == 0.20
    for plan in ((100, 100), (100, 2135), (100, 2135, 0.2)):
        found = told(worlds, world, *plan)
        assert found.of_passed[HELPS] > 0.8
        assert found.claims[HARMS] == 0
        # nothing is claimed where the A/A run did not pass
        assert found.claims[HELPS] == pytest.approx(found.passed * found.of_passed[HELPS])


def test_five_points_are_seldom_found_and_hardly_ever_with_the_wrong_sign(worlds: ModuleType) -> None:
    found = told(worlds, worlds.WORLDS[1], 100, 2135)
    assert found.of_passed[HELPS] < 0.2
    assert found.of_passed[HARMS] < 0.01


def test_harm_of_ten_points_is_named_and_never_called_help(worlds: ModuleType) -> None:
    world = worlds.WORLDS[3]
    assert world.effect == -0.10
    small, large = told(worlds, world, 100, 2135), told(worlds, world, 500, 2135)
    assert small.of_passed[HARMS] > 0.2
    assert large.of_passed[HARMS] > 0.8
    assert small.claims[HELPS] == large.claims[HELPS] == 0


def test_of_broken_experiments_nothing_is_claimed(worlds: ModuleType) -> None:
    for world in worlds.WORLDS[5:]:
        assert told(worlds, world, 100, 2135).claims[NO_CLAIM] == 1.0


def test_the_journal_of_a_real_repository_comes_to_what_the_counts_come_to(
    worlds: ModuleType, repo: Repo
) -> None:
    """`journalled` compares them, loop by loop."""
    said = []
    for seed, world in enumerate((worlds.WORLDS[2], worlds.WORLDS[5], worlds.WORLDS[6])):
        result, _ = worlds.journalled(str(repo.root), world, worlds.Plan(100, 100), seed)
        said.append(result.line)
    assert said[0].startswith(("with lessons ", "no claim: the A/A run before it", "no signal"))
    assert said[1].startswith("no claim: aborted: lessons reached ")
    assert said[2].startswith("no claim: aborted: nothing was injected")
