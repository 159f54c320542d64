"""Records of other repositories and work trees: flagged, never in the way of what is known here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import sources
from chalkgit.errors import ChalkError
from chalkgit.store import place as places

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"

Another = Callable[[str], Repo]


def test_a_ruling_of_another_repository_is_flagged_and_comes_after_those_of_this_one(
    repo: Repo, chalk: Inside, another: Another
) -> None:
    there = another("other").record(route=ROUTE, observation=WHY)
    answer = chalk.json("check", ROUTE, code=1)
    ruling = answer["rulings"][0]
    assert (ruling["id"], ruling["elsewhere"]) == (there.id, True)
    assert ruling["store"].endswith("/other")
    assert "another repository" in chalk("check", ROUTE).out
    assert "may not fail here" in chalk("check", ROUTE).out
    here = repo.record(route=f"{ROUTE} and builds", observation=WHY)
    answer = chalk.json("check", ROUTE, code=1)
    assert [(r["id"], r["elsewhere"]) for r in answer["rulings"]] == [(here.id, False), (there.id, True)]
    assert answer["records"] == 2


@pytest.mark.parametrize("fields", [{"scope": "local"}, {"layer": "design"}])
def test_what_is_local_or_about_design_elsewhere_never_interrupts(
    repo: Repo, chalk: Inside, another: Another, fields: dict[str, str]
) -> None:
    there = another("other").record(route=ROUTE, observation=WHY, **fields)
    answer = chalk.json("check", ROUTE)
    assert (answer["verdict"], [r["id"] for r in answer["near"]]) == ("near", [there.id])
    here = repo.record(route=ROUTE, observation=WHY, **fields)
    answer = chalk.json("check", ROUTE, code=1)
    assert [r["id"] for r in answer["rulings"]] == [here.id]


def test_a_dependency_ruling_says_whether_this_repository_shares_it(
    repo: Repo, chalk: Inside, another: Another
) -> None:
    fields = {"route": ROUTE, "observation": WHY, "layer": "dependency"}
    there = another("other").record(**fields, depends_on={"django": "4.2"})
    assert chalk.json("check", ROUTE, code=1)["rulings"][0]["shares"] is False
    assert "not a dependency here" in chalk("check", ROUTE).out
    repo.write("requirements.txt", "django==4.2.1\n")
    ruling = chalk.json("check", ROUTE, code=1)["rulings"][0]
    assert (ruling["id"], ruling["shares"]) == (there.id, True)
    assert "this repository shares the dependency" in chalk("check", ROUTE).out


def test_an_id_known_here_in_any_state_is_answered_by_this_work_tree_alone(
    repo: Repo, chalk: Inside, another: Another
) -> None:
    other = another("clone")
    same = repo.record(route=ROUTE, observation=WHY)
    other.record(route=ROUTE, observation=WHY, id=same.id)
    extra = other.record(route=ROUTE, observation=WHY, id="zzzzzzzz")
    answer = chalk.json("check", ROUTE, code=1)
    assert [(r["id"], r["elsewhere"]) for r in answer["rulings"]] == [(same.id, False), (extra.id, True)]
    assert chalk("retire", same.id, "--because", "moot").code == 0
    assert chalk.ids("check", ROUTE) == [extra.id]


def test_a_sibling_work_tree_counts_as_this_repository_and_is_labelled(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    same = repo.record(route=ROUTE, observation=WHY)
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    new = Repo(tmp_path / "side").record(route=ROUTE, observation=WHY, id="zzzzzzzz")
    answer = chalk.json("check", ROUTE, code=1)
    assert answer["records"] == 2
    assert {(r["id"], r["elsewhere"], r["label"]) for r in answer["rulings"]} == {
        (same.id, False, None),
        (new.id, False, "sibling work tree side"),
    }
    assert "sibling work tree side" in chalk("check", ROUTE).out
    assert "another repository" not in chalk("check", ROUTE).out
    assert chalk("retire", same.id, "--because", "moot").code == 0
    assert chalk.ids("check", ROUTE) == [new.id]
    assert chalk.json("check", ROUTE, "--here")["verdict"] == "clear"
    # asked from over there, this work tree is the sibling, and its copy of the record is hidden
    over = json.loads(chalk("check", ROUTE, "--json", cwd=tmp_path / "side").out)
    assert {r["id"] for r in over["rulings"]} == {same.id, new.id}


def test_a_store_that_has_vanished_is_told_once_and_forgotten(
    repo: Repo, chalk: Inside, another: Another
) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    gone = another("gone")
    emptied = another("emptied")
    shutil.rmtree(gone.root)
    shutil.rmtree(emptied.root / ".lessons")
    first = chalk("check", ROUTE)
    assert first.code == 1
    assert record.id in first.out
    skipped = f"chalkgit: {emptied.root} has no .lessons/ in what is checked out there, and was not asked"
    forgotten = f"chalkgit: {gone.root} is no repository any more, and is forgotten"
    assert sorted(first.err.splitlines()) == sorted([skipped, forgotten])
    # another branch may be checked out there: a question never takes a repository off the user's list
    assert chalk("check", ROUTE).err.splitlines() == [skipped]
    assert chalk.json("stores", "list")["stores"] == [str(repo.root), str(emptied.root)]


def test_a_broken_store_elsewhere_costs_itself_one_line(
    repo: Repo, chalk: Inside, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = repo.record(route=ROUTE, observation=WHY)
    good = another("good").record(route=ROUTE, observation=WHY)
    broken, foreign = another("broken"), another("foreign")
    shutil.rmtree(broken.root / ".lessons")
    (broken.root / ".lessons").symlink_to(repo.root / ".lessons")
    real = places.at_root

    def at_root(root: str) -> places.Place | None:
        if root == str(foreign.root):
            raise ChalkError("detected dubious ownership in repository")
        return real(root)

    monkeypatch.setattr(sources.places, "at_root", at_root)
    result = chalk("check", ROUTE, "--json")
    assert result.code == 1
    assert {r["id"] for r in json.loads(result.out)["rulings"]} == {record.id, good.id}
    lines = result.err.splitlines()
    assert len(lines) == 2, lines
    assert f"{broken.root} was not asked: .lessons is a symbolic link" in result.err
    assert f"{foreign.root} was not asked: detected dubious ownership" in result.err
    assert chalk.json("stores", "list")["stores"].count(str(broken.root)) == 1


def test_damaged_records_elsewhere_are_named_and_the_others_served(
    repo: Repo, chalk: Inside, another: Another
) -> None:
    other = another("other")
    good = other.record(route=ROUTE, observation=WHY)
    other.write(".lessons/bad.yaml", "kind: [\n")
    other.write(".lessons/worse.yaml", "kind: [\n")
    result = chalk("check", ROUTE, "--json")
    assert [r["id"] for r in json.loads(result.out)["rulings"]] == [good.id]
    assert result.err.count("skipped") == 1
    assert f"skipped {other.root}/.lessons/bad.yaml:1: no YAML" in result.err
    assert f"and 1 more (hint: chalkgit -C {other.root} lint)" in result.err


def test_stores_are_added_listed_and_removed(
    repo: Repo, chalk: Inside, another: Another, tmp_path: Path
) -> None:
    other = another("other")
    assert chalk("stores", "remove", str(other.root)).code == 0
    other.record(route=ROUTE, observation=WHY)
    assert chalk.json("check", ROUTE)["verdict"] == "empty"
    assert chalk("stores", "add", "../other").code == 0
    assert chalk("stores", "list").out.splitlines() == [str(repo.root), str(other.root)]
    assert chalk("check", ROUTE).code == 1
    (tmp_path / "plain").mkdir()
    assert chalk("stores", "add", str(tmp_path / "plain")).code == 2
    assert chalk("stores", "remove", str(tmp_path / "plain")).code == 2
