"""`chalkgit model calibrate`: what a model's answers mean is measured on the user's own records."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import calibrating
from chalkgit.answers.semantic import Semantic
from chalkgit.index import calibrations, embed
from chalkgit.index.models import Model

THINGS = (
    "the signing keys by cron;the parsed manifest between runs;photos in the browser before uploading;"
    "database connections across web workers;the changelog from commit messages;shell scripts in the hook;"
    "the test suite on all cores;temporary tables for nightly reports;the API client from its schema"
).split(";")
DOINGS = ("rotate", "cache", "compress", "share", "generate", "lint", "parallelise")
_loaded: dict[tuple[str, str], embed.Embedder] = {}


@pytest.fixture(autouse=True)
def one_load(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The model is loaded once a session: it takes longer than all these tests."""
    load = embed.load

    def kept(found: Model) -> embed.Embedder:
        if (found.name, found.directory) not in _loaded:
            _loaded[found.name, found.directory] = load(found)
        return _loaded[found.name, found.directory]

    monkeypatch.setattr(embed, "load", kept)
    yield
    shutil.rmtree(Path(os.environ["XDG_CACHE_HOME"], "chalkgit", "prepared"), ignore_errors=True)


@pytest.fixture(name="model")
def model_fixture(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)


@pytest.fixture(name="many")
def many_fixture(repo: Repo) -> Repo:
    """63 records: more than a measurement needs."""
    for doing in DOINGS:
        for thing in THINGS:
            repo.record(route=f"{doing} {thing}", observation="it was undone by the next release")
    return repo


def the_file() -> Path:
    return Path(calibrations.path())


@pytest.mark.usefixtures("model")
def test_a_measurement_is_told_kept_and_used_for_this_very_model_alone(
    many: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Semantic(lexical=False).calibration is thresholds.MODELS[NAME]
    measured = chalk.json("model", "calibrate")
    count = len(DOINGS) * len(THINGS)
    assert (measured["name"], measured["records"], measured["asked"]) == (NAME, count, count)
    assert measured["first"] <= measured["among"] <= count
    assert measured["among"] > count / 2  # a shorter route still finds its record
    assert measured["would"] >= 0.8 * count - 1
    found = Semantic(lexical=False).calibration
    built_in = thresholds.MODELS[NAME]
    assert (found.near, found.consent, found.records) == (measured["near"], measured["consent"], count)
    assert (found.lexical, found.shared, found.sure) == (built_in.lexical, built_in.shared, built_in.sure)
    assert found.measured
    assert stat.S_IMODE(the_file().stat().st_mode) == 0o600
    assert list(json.loads(the_file().read_text())) == [f"{NAME}@{measured['revision']}"]
    other = Semantic(lexical=False)
    other.revision = "another"
    assert other.calibration is built_in
    assert Semantic(lexical=True).calibration is thresholds.WORDS
    monkeypatch.setenv("CHALKGIT_BYPASS_SEMANTIC", "1")
    assert Semantic(lexical=False).calibration is thresholds.WORDS


@pytest.mark.usefixtures("model")
def test_what_is_printed_says_in_words_what_was_found_and_chosen_and_is_the_same_twice(
    many: Repo, chalk: Inside
) -> None:
    said = chalk("model", "calibrate")
    assert said.code == 0
    assert re.search(r"of 63 restatements \d+ found their record first, \d+ among the first 3\n", said.out)
    assert re.search(r"near +from an order of \d\.\d\d on", said.out)
    assert re.search(r"consent +from a cosine of 0\.\d\d on", said.out)
    assert "routes have another record near, 80% by construction" in said.out
    assert str(the_file()) in said.out
    assert chalk("model", "calibrate").out == said.out
    assert "marked     no record has interrupted anybody here yet" in said.out


@pytest.mark.usefixtures("model")
def test_what_people_called_wrong_of_what_interrupted_them_is_told_and_moves_no_threshold(
    many: Repo, chalk: Inside
) -> None:
    before = chalk.json("model", "calibrate")
    assert before["feedback"] == {"interrupted": 0, "wrong": 0, "useful": 0}
    one = many.record(route="grind the blue lens", observation="no")
    many.record(route="sort the green ledger", observation="no")
    for route in ("grind the blue lens", "sort the green ledger"):
        assert chalk("check", route).code == 1
    assert chalk("feedback", one.id, "wrong").code == 0
    after = chalk.json("model", "calibrate")
    assert after["feedback"] == {"interrupted": 2, "wrong": 1, "useful": 0}
    said = chalk("model", "calibrate").out
    assert "of 2 records that interrupted here people call 1 wrong (50%) and 0 useful" in said
    chalk("feedback", one.id, "--withdraw")
    unmarked = chalk.json("model", "calibrate")
    assert {name: unmarked[name] for name in ("near", "consent")} == {
        name: after[name] for name in ("near", "consent")
    }


def test_a_model_without_a_calibration_says_so_until_it_has_one(
    many: Repo, chalk: Inside, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", "someone/else")
    monkeypatch.setattr(embed, "load", lambda found: measured_under_its_own_name(minilm, found))
    before = chalk.json("check", "rewrite the payroll in COBOL")["semantic"]["calibration"]
    assert before is not None
    assert before.endswith("chalkgit model calibrate")
    assert chalk("model", "calibrate").code == 0
    assert chalk.json("check", "rewrite the payroll in COBOL")["semantic"]["calibration"] is None


def measured_under_its_own_name(minilm: Path, found: Model) -> embed.Embedder:
    """MiniLM, whatever the settings call it: fastembed would not take the name."""
    known = Model(NAME, str(minilm), found.weights, found.revision, found.origin)
    if (NAME, str(minilm)) not in _loaded:
        _loaded[NAME, str(minilm)] = embed.validated(known) and embed.load(known)
    return _loaded[NAME, str(minilm)]


@pytest.mark.usefixtures("model")
def test_too_few_records_are_not_measured_and_nothing_is_kept(repo: Repo, chalk: Inside) -> None:
    for number in range(thresholds.CALIBRATION_LEAST - 1):
        repo.record(route=f"try approach number {number}", observation="it failed")
    retired = repo.record(route="one more that counts for nothing", observation="it failed")
    assert chalk("retire", retired.id, "--because", "moot").code == 0
    said = repo.run("model", "calibrate")
    assert said.code == 2
    assert "49 records may be recalled here, and a measurement needs 50" in said.err
    assert "hint: chalkgit model calibrate" in said.err
    assert not the_file().exists()


def test_without_a_model_there_is_nothing_to_measure(many: Repo) -> None:
    said = many.run("model", "calibrate")
    assert said.code == 2
    assert "there is no model to measure: no embedding model is installed" in said.err
    assert "hint: chalkgit model pull" in said.err


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[1]",
        b'{"KEY": 1}',
        b'{"KEY": {"consent": NaN, "near": 1.5, "records": 63, "when": "2026-01-01"}}',
        b'{"KEY": {"consent": 0.4, "near": 1e999, "records": 63, "when": "2026-01-01"}}',
        b'{"KEY": {"consent": 0.4, "near": true, "records": 63, "when": "2026-01-01"}}',
        b'{"KEY": {"consent": 0.4, "near": "1.5", "records": 63, "when": "2026-01-01"}}',
        b'{"KEY": {"consent": 0.4, "near": 1.5, "records": 0, "when": "2026-01-01"}}',
        b'{"KEY": {"consent": 0.4, "near": 1.5, "records": 63, "when": 7}}',
        b'{"KEY": {"near": 1.5, "records": 63, "when": "2026-01-01"}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_calibration_counts_as_none_and_status_says_so(chalk: Inside, damage: bytes) -> None:
    semantic = Semantic(lexical=False)
    key = f"{NAME}@{semantic.revision}".encode()
    the_file().parent.mkdir(parents=True, exist_ok=True)
    sound = b'{"KEY": {"consent": 0.4, "near": 1.5, "records": 63, "when": "2026-01-01"}}'
    the_file().write_bytes(sound.replace(b"KEY", key))
    assert semantic.calibration.near == 1.5
    assert "cannot be read" not in chalk("model", "status").err
    the_file().write_bytes(damage.replace(b"KEY", key))
    assert semantic.calibration is thresholds.MODELS[NAME]
    said = chalk("model", "status")
    assert said.code == 0
    assert said.err.count("cannot be read, and counts as nothing (hint: chalkgit model calibrate)") == 1
    assert "calibrated  built in\n" in said.out
    # what is damaged is begun again
    calibrations.keep(NAME, str(semantic.revision), calibrations.Kept(0.3, 1.2, 70, "2026-02-03"))
    assert (semantic.calibration.near, chalk("model", "status").err) == (1.2, "")


@pytest.mark.usefixtures("model")
def test_what_is_no_file_is_not_waited_for(chalk: Inside) -> None:
    the_file().parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(the_file())
    assert Semantic(lexical=False).calibration is thresholds.MODELS[NAME]
    assert "cannot be read" in chalk("model", "status").err


@pytest.mark.usefixtures("model")
def test_status_says_where_the_calibration_comes_from(chalk: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = str(Semantic(lexical=False).revision)
    built_in = {"source": "built in", "records": 1_809, "when": None, "other_revision": False}
    assert chalk.json("model", "status")["calibration"] == built_in
    monkeypatch.setitem(thresholds.REVISIONS, NAME, ("0123",))
    assert chalk.json("model", "status")["calibration"] == {**built_in, "other_revision": True}
    assert "calibrated  built in, measured on another revision of it\n" in chalk("model", "status").out
    calibrations.keep(NAME, "another", calibrations.Kept(0.3, 1.2, 70, "2026-02-03"))
    assert chalk.json("model", "status")["calibration"]["source"] == "built in"
    calibrations.keep(NAME, revision, calibrations.Kept(0.3, 1.2, 1_234, "2026-02-03"))
    assert "calibrated  by you, on 1,234 records, 2026-02-03\n" in chalk("model", "status").out
    monkeypatch.delenv("CHALKGIT_MODEL_DIR")
    monkeypatch.delenv("CHALKGIT_MODEL")
    assert chalk.json("model", "status")["calibration"] is None


def test_measurements_of_two_models_stand_beside_each_other() -> None:
    calibrations.keep("a/b", "1", calibrations.Kept(0.3, 1.2, 70, "2026-02-03"))
    calibrations.keep("a/b", "2", calibrations.Kept(0.5, 1.9, 80, "2026-02-04"))
    calibrations.keep("a/b", "1", calibrations.Kept(0.4, 1.3, 90, "2026-02-05"))
    first, second = calibrations.of("a/b", "1"), calibrations.of("a/b", "2")
    assert first is not None
    assert second is not None
    assert (first.near, first.records, second.near) == (1.3, 90, 1.9)
    assert calibrations.of("a/b", "3") is None
    assert not [name for name in os.listdir(the_file().parent) if name.endswith(".tmp")]


@pytest.mark.parametrize(
    ("route", "said"),
    [
        ("one two three four five six seven", "one two four five seven"),
        ("one two", "one two"),
        ("one", "one"),
    ],
)
def test_a_restatement_leaves_every_third_word_out(route: str, said: str) -> None:
    assert calibrating.restated(route) == said


def test_a_quantile_lies_between_two_neighbours_in_proportion() -> None:
    assert calibrating.quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert calibrating.quantile([0.0, 1.0], 0.2) == pytest.approx(0.2)
    assert calibrating.quantile([5.0], 0.2) == 5.0
