"""The semantic arm with a real all-MiniLM-L6-v2: what it finds, what it covers, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers.semantic import Semantic
from chalkgit.index import embed
from chalkgit.index.models import Model
from chalkgit.index.vector_files import ROW

# Records, and each restated in entirely other words.
RESTATED = {
    "keep database connections open and share them between web workers": (
        "the server dropped idle ones and requests died with broken pipe",
        "reuse SQL sockets across the processes that answer HTTP",
    ),
    "compress images in the browser before uploading them": (
        "old phones ran out of memory and the tab was killed",
        "shrink photos on the client side prior to sending",
    ),
    "run the test suite in parallel on all cores": (
        "fixtures share one temporary folder and overwrite each other",
        "speed up CI by executing checks concurrently",
    ),
    "restart the service every night to hide the memory leak": (
        "users in other time zones lost their sessions",
        "reboot a daemon daily because its RAM usage keeps growing",
    ),
}
OTHERS = (
    "rotate the signing keys by cron",
    "generate the API client from the schema",
    "write the changelog from commit messages",
    "lint the shell scripts in the hook",
)

_loaded: dict[str, embed.Embedder] = {}


@pytest.fixture(autouse=True)
def one_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is loaded once a session: it takes longer than all these tests."""
    load = embed.load

    def kept(found: Model) -> embed.Embedder:
        if "it" not in _loaded:
            _loaded["it"] = load(found)
        return _loaded["it"]

    monkeypatch.setattr(embed, "load", kept)


@pytest.fixture(name="model")
def model_fixture(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)


@pytest.fixture(name="filled")
def filled_fixture(repo: Repo) -> Repo:
    for route, (observation, _) in RESTATED.items():
        repo.record(route=route, observation=observation)
    for route in OTHERS:
        repo.record(route=route, observation="it was undone by the next release")
    return repo


@pytest.mark.usefixtures("model")
def test_a_record_restated_in_entirely_other_words_is_among_the_first_three(
    filled: Repo, chalk: Inside
) -> None:
    proposals = "".join(restated + "\n" for _, restated in RESTATED.values())
    result = chalk("check", "--batch", "-", stdin=proposals)
    assert result.code == 0
    for route, line in zip(RESTATED, result.out.splitlines(), strict=True):
        answer = json.loads(line)
        shown = [row["route"] for row in (answer["rulings"] or answer["near"])]
        assert route in shown[:3], answer
        assert answer["semantic"]["ran"] is True
        assert answer["semantic"]["covered"] == answer["records"] == len(RESTATED) + len(OTHERS)


def test_without_a_model_the_restated_one_is_missed_and_the_answer_says_what_did_not_run(
    filled: Repo, chalk: Inside
) -> None:
    _, restated = RESTATED["restart the service every night to hide the memory leak"]
    answer = chalk.json("check", restated)
    assert (answer["verdict"], answer["semantic"]["ran"]) == ("clear", False)
    assert "meaning was not compared" in chalk("check", restated).out


@pytest.mark.usefixtures("model")
def test_what_nobody_tried_is_clear_and_what_was_is_tried(filled: Repo, chalk: Inside) -> None:
    clear = chalk.json("check", "add dark mode to the settings page")
    assert (clear["verdict"], clear["rulings"], clear["near"]) == ("clear", [], [])
    tried = chalk.json("check", "restart the service every night to hide the memory leak", code=1)
    assert tried["rulings"][0]["method"] == "lexical and semantic"
    assert tried["rulings"][0]["semantic"] > 0.6
    assert "meaning was not compared" not in chalk("check", "add dark mode").out


@pytest.mark.usefixtures("model")
def test_a_covered_count_below_all_is_said_in_words_with_the_command(
    filled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "FILL_SECONDS", 0.0)
    monkeypatch.setattr(thresholds, "EMBED_RECORDS", 3)
    answer = chalk.json("check", "add dark mode to the settings page")
    total = len(RESTATED) + len(OTHERS)
    assert answer["semantic"]["ran"] is True
    assert answer["semantic"]["covered"] < total
    text = chalk("check", "--", "add dark mode to the settings page").out
    assert f"of {total} records, words with all: chalkgit index" in text
    assert chalk("index").code == 0
    assert chalk.json("check", "add dark mode to the settings page")["semantic"]["covered"] == total


def test_a_model_that_was_never_measured_ranks_alone_and_says_so(
    filled: Repo, chalk: Inside, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", "someone/else")
    text = chalk("check", "restart the service every night to hide the memory leak")
    assert text.code == 1
    assert "someone/else has no calibration: it ranks, and the words alone decide" in text.out
    answer = chalk.json("check", RESTATED["restart the service every night to hide the memory leak"][1])
    assert answer["verdict"] == "clear"
    assert answer["semantic"]["model"] == "someone/else"


@pytest.mark.usefixtures("model")
def test_a_model_that_is_broken_is_said_and_the_words_answer(
    filled: Repo, chalk: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(tmp_path))
    result = chalk("check", "restart the service every night to hide the memory leak")
    assert result.code == 1
    assert "meaning was not compared" in result.out


@pytest.mark.usefixtures("model")
def test_excluded_records_have_no_part_in_meaning_either(filled: Repo, chalk: Inside) -> None:
    route = "run the test suite in parallel on all cores"
    found = next(row for row in chalk.json("list")["records"] if row["route"] == route)
    asked = RESTATED[route][1]
    assert chalk("retire", found["id"], "--because", "moot").code == 0
    answer = chalk.json("check", asked)
    assert found["id"] not in json.dumps([answer["rulings"], answer["near"], answer["procedures"]])


@pytest.mark.parametrize("name", ["BAAI/bge-small-en-v1.5", "somebody/else"])
def test_a_model_that_was_not_measured_says_so(name: str) -> None:
    semantic = Semantic(lexical=True)
    semantic.model, semantic.skipped = name, None
    assert str(semantic.uncalibrated).startswith(f"{name} has no calibration: it ranks, and the words alone")
    semantic.model = NAME
    assert semantic.uncalibrated is None


@pytest.mark.usefixtures("model")
def test_vectors_that_a_disk_does_not_take_are_said_and_count_all_the_same(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="cache the parsed manifest in a module global", observation="it was stale")
    derived = repo.root / ".git" / "chalkgit"
    chalk("check", "cache the manifest", "--lexical")
    (derived / "vectors").write_text("in the way")
    answer = chalk("check", str(record.get("route")), "--json")
    assert json.loads(answer.out)["semantic"]["covered"] == 1
    assert "vectors were not kept, and are made again each time" in answer.err
    assert chalk("index").code == 2
    (derived / "vectors").unlink()
    assert chalk("index").code == 0
    assert chalk("check", str(record.get("route")), "--json").err == ""


@pytest.mark.usefixtures("model")
def test_an_edited_record_costs_its_own_vector_and_no_other(filled: Repo, chalk: Inside) -> None:
    def rows() -> int:
        [folder] = (filled.root / ".git/chalkgit/vectors").iterdir()
        return (folder / "rows").stat().st_size // ROW.itemsize

    chalk("index")
    before = rows()
    assert before == len(RESTATED) + len(OTHERS)
    edited = chalk.json("list")["records"][0]["id"]
    # what a model does not read of a record changes no vector
    for name, value in (("observation", "it was undone by hand"), ("files", "src/a.py")):
        assert chalk("correct", edited, f"--{name}", value).code == 0
        assert chalk.json("check", "add dark mode")["semantic"]["covered"] == before
        assert rows() == before + 1, name
    assert chalk("index", "--rebuild").code == 0
    assert rows() == before + 1
