"""`lint --findable` and the question when writing: whether a reader would find a record at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit.answers import findable
from chalkgit.answers.sources import Source
from chalkgit.index import embed, refresh
from chalkgit.index.models import Model

WHY = "it was undone by the next release"
# Records whose own words bring them back: each test's positive control.
CLEAR = (
    "rotate the signing keys by cron every night",
    "generate the API client from its schema file",
    "compress photos inside the browser before uploading",
)
_loaded: dict[str, embed.Embedder] = {}


@pytest.fixture(autouse=True)
def one_load(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The model is loaded once a session: it takes longer than all these tests."""
    load = embed.load

    def kept(found: Model) -> embed.Embedder:
        if "it" not in _loaded:
            _loaded["it"] = load(found)
        return _loaded["it"]

    monkeypatch.setattr(embed, "load", kept)
    yield
    shutil.rmtree(Path(os.environ["XDG_CACHE_HOME"], "chalkgit", "prepared"), ignore_errors=True)


@pytest.fixture(name="clear")
def clear_fixture(repo: Repo) -> Repo:
    for route in CLEAR:
        repo.record(route=route, observation=WHY)
    return repo


def crowd(repo: Repo) -> str:
    """Four records that say more of a title's words than the record that has it; the path of that."""
    for number in range(4):
        repo.record(
            route=f"shared fixtures number {number}",
            observation="shared fixtures leaked: shared fixtures are shared, and fixtures hide it",
        )
    lost = "the folder that holds temporary uploads was full on every second machine of the whole cluster"
    return repo.record(route="shared fixtures", observation=lost, alternative=lost).path


def test_records_that_their_own_words_bring_back_are_no_findings(clear: Repo, chalk: Inside) -> None:
    said = chalk("lint", "--findable")
    assert (said.code, said.out) == (0, "")
    assert "asked by words alone; meaning was not compared: no embedding model is installed" in said.err
    assert "3 records, nothing wrong" in said.err


def test_a_record_lost_among_others_is_named_with_the_one_that_is_first(clear: Repo, chalk: Inside) -> None:
    path = crowd(clear)
    found = chalk.json("lint", "--findable", code=1)["findings"]
    assert [row["path"] for row in found] == [path]
    assert found[0]["message"].startswith("is not among the first 3 for its own route: ")
    assert "(“shared fixtures number " in found[0]["message"]
    assert found[0]["hint"].startswith("chalkgit correct ")
    assert found[0]["fatal"] is False
    # without the option nothing is asked, and nothing is wrong
    assert chalk.json("lint")["findings"] == []


def test_the_others_still_count_where_one_path_is_asked_about(clear: Repo, chalk: Inside) -> None:
    path = crowd(clear)
    assert chalk("lint", "--findable", path).code == 1
    others = [str(file.relative_to(clear.root)) for file in (clear.root / ".lessons").rglob("*number*")]
    assert len(others) == 4
    assert chalk("lint", "--findable", *others).code == 0


def test_what_takes_the_first_place_of_a_record_each_time_is_named(clear: Repo, chalk: Inside) -> None:
    first = clear.record(
        route="cache manifest files",
        observation="cache manifest cache manifest: the cache of the manifest went stale",
    )
    said = (
        "between two runs of the nightly job the worker kept what had been removed since, and nobody saw it"
    )
    behind = clear.record(route="cache of the manifest", observation=said, alternative=said)
    found = chalk.json("lint", "--findable", code=1)["findings"]
    assert [row["path"] for row in found] == [behind.path]
    assert found[0]["message"] == f"is behind {first.id} (“cache manifest files”) for its own route"
    assert f"chalkgit supersede {behind.id} --by {first.id}" in found[0]["hint"]
    # what may not be recalled takes nobody's place
    assert chalk("retire", first.id, "--because", "moot").code == 0
    assert chalk.json("lint", "--findable")["findings"] == []


def test_two_records_with_one_route_are_one_finding(clear: Repo, chalk: Inside) -> None:
    one = clear.record(route="Share the  connection pool", observation="it drained")
    other = clear.record(route="share the connection pool", observation="it drained again")
    found = chalk.json("lint", "--findable", code=1)["findings"]
    assert len(found) == 1
    first, second = sorted([one, other], key=lambda record: record.path)
    assert (found[0]["path"], found[0]["message"]) == (
        first.path,
        f"has the same route as {second.id} ({second.path})",
    )
    third = clear.record(route="share the connection pool", observation="and again")
    found = chalk.json("lint", "--findable", code=1)["findings"]
    assert [row["message"].endswith(", and so have 1 more") for row in found] == [True]
    # a procedure of that name is another kind of answer
    for record in (other, third):
        os.unlink(clear.root / record.path)
    clear.record("procedure", route="share the connection pool", trap="drain it first")
    assert chalk.json("lint", "--findable")["findings"] == []


@pytest.mark.parametrize("route", ["…", "use this instead of that"])
def test_a_route_without_a_word_to_be_found_by_is_named(clear: Repo, chalk: Inside, route: str) -> None:
    clear.record(route="use this instead of redis", observation="one word is enough")
    record = clear.record(route=route, observation="the parser choked on comments")
    found = chalk.json("lint", "--findable", code=1)["findings"]
    assert [(row["path"], row["message"]) for row in found] == [
        (record.path, "has a route without one word to be found by")
    ]


def test_lessons_notes_and_what_may_not_be_recalled_are_not_asked_for(clear: Repo, chalk: Inside) -> None:
    clear.record("lesson")
    clear.record(route="use this instead of that", observation="over", valid_until="2020")
    retired = clear.record(route="use that instead of this", observation="over")
    assert chalk("retire", retired.id, "--because", "moot").code == 0
    assert chalk("note", "that did not do").code == 0
    assert chalk.json("lint", "--findable")["findings"] == []


def test_staged_records_are_not_asked_for(clear: Repo) -> None:
    said = clear.run("lint", "--findable", "--staged")
    assert said.code == 2
    assert "--findable asks the work tree's records" in said.err


def test_with_a_model_meaning_takes_part_and_is_told(
    clear: Repo, chalk: Inside, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)
    said = chalk("lint", "--findable")
    assert (said.code, said.out) == (0, "")
    assert f"asked by words and by meaning, with {NAME}" in said.err
    crowd(clear)
    clear.record(route=CLEAR[0].upper(), observation=WHY)
    said = chalk("lint", "--findable")
    assert said.code == 1
    assert "has the same route as" in said.out


def test_every_third_word_that_carries_meaning_is_left_out(clear: Repo) -> None:
    source = Source(refresh.up_to_date(clear.place), elsewhere=False, label="", hidden=set())
    asked = "cache the parsed manifest of the nightly job in a module global"
    assert findable.fewer(source, asked) == "cache the parsed of the nightly job in a global"
    assert findable.fewer(source, "use it") == "use it"
    assert findable.fewer(source, "shared fixtures") == "shared fixtures"
    assert findable.fewer(source, "") == ""


LONG = "the disk of the build machine was full before noon on each working day of that particular month"


@pytest.mark.parametrize("command", ["tried", "works", "promote"])
def test_who_writes_is_asked_what_sets_a_record_apart_from_the_one_that_is_first_for_its_title(
    clear: Repo, chalk: Inside, command: str
) -> None:
    said = "mirror wheels, mirror wheels, and mirror wheels again"
    if command == "works":
        hiding = clear.record("procedure", route="vendor the archives", trap=said)
    else:
        hiding = clear.record(route="vendor the archives", observation=said)

    def written(title: str) -> tuple[str, str]:
        if command == "promote":
            noted = chalk("note", title).out.split()[0]
            done = chalk("promote", noted, "--because", LONG)
        else:
            done = chalk(command, title, "--because" if command == "tried" else "--mind", LONG)
        assert done.code == 0
        return done.out.split()[0], done.err

    new, asked = written("mirror wheels")
    assert (
        f"chalkgit: its title brings back {hiding.id} (“vendor the archives”) first: "
        f"what sets it apart? chalkgit correct {new} --route TEXT\n" in asked
    )
    assert "brings back" not in written("draw the dependency graph with graphviz")[1]
    # what may not be recalled is no rival
    assert chalk("retire", hiding.id, "--because", "moot").code == 0
    assert chalk("retire", new, "--because", "moot").code == 0
    assert "brings back" not in written("mirror wheels")[1]


def test_a_record_of_another_kind_is_no_rival(clear: Repo, chalk: Inside) -> None:
    clear.record("procedure", route="vendor the archives", trap="mirror wheels, mirror wheels, mirror wheels")
    assert "brings back" not in chalk("tried", "mirror wheels", "--because", LONG).err


def test_a_model_has_no_part_in_the_question_when_writing(
    clear: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hiding = clear.record(route="vendor the archives", observation="mirror wheels, mirror wheels")
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(tmp_path))  # it would be said to be broken
    said = chalk("tried", "mirror wheels", "--because", LONG)
    assert f"its title brings back {hiding.id}" in said.err
    assert str(tmp_path) not in said.err
