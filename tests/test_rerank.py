"""`rerank:` in the user's settings: a second model orders what is worth a look, and decides nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crossing import NAME, crossing_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import settings, thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import crossing as cross
from chalkgit.index import models, texts
from chalkgit.records.record import Record

PROPOSAL = "cache the parsed manifest"
# Words alone rank by how rare what they share is: not as one who reads both would.
ROUTES = (
    "cache the manifest of every plugin that was parsed in a table of the database",
    "keep the parsed manifest in a cache between two runs",
    "delete the manifest cache",
    "write the manifest by hand, parsed or not, and never cache anything",
    "the parsed cache",
    "cache the parsed responses of the weather service",
)


@pytest.fixture(autouse=True)
def nothing_loaded() -> Iterator[None]:
    cross._loaded.clear()
    yield
    cross._loaded.clear()


@pytest.fixture(name="filled")
def filled_fixture(repo: Repo) -> list[Record]:
    return [repo.record(route=route, observation=f"it failed in week {n}") for n, route in enumerate(ROUTES)]


def use(directory: Path, name: str = NAME) -> None:
    settings.update({"rerank": {"name": name, "dir": str(directory)}})


def asked(chalk: Inside, *args: str) -> dict[str, Any]:
    found = json.loads(chalk("check", "--batch", "-", *args, stdin=PROPOSAL + "\n").out)
    assert isinstance(found, dict)
    return found


def decided(answer: dict[str, Any]) -> tuple[object, ...]:
    """What the second model has no part in."""
    sure = {row["id"]: row["confidence"] for row in answer["hits"]}
    return answer["verdict"], [row["id"] for row in answer["rulings"]], answer["below"], sure


def scored(directory: Path, records: list[Record], proposal: str = PROPOSAL) -> list[str]:
    """The ids as fastembed's own loader and nothing of ours ranks them."""
    program = """
import json, sys
from dataclasses import replace
from fastembed.rerank.cross_encoder import TextCrossEncoder
name, folder, proposal = sys.argv[1:]
made = TextCrossEncoder(name, specific_model_path=folder, local_files_only=True, lazy_load=True, threads=1)
made.model.model_description = replace(made.model.model_description, model_file="model.onnx")
print(json.dumps(list(made.rerank(proposal, json.load(sys.stdin)))))
"""
    said = json.dumps([texts.embedded(record) for record in records])
    done = subprocess.run(
        [sys.executable, "-c", program, NAME, str(directory), proposal],
        input=said,
        capture_output=True,
        text=True,
        check=True,
    )
    scores = json.loads(done.stdout)
    return [records[at].id for at in sorted(range(len(scores)), key=lambda at: -scores[at])]


def test_the_best_are_in_the_second_models_order_and_nothing_else_changes(
    filled: list[Record], chalk: Inside, crossing: Path
) -> None:
    before = asked(chalk)
    assert before["rerank"] is None
    use(crossing)
    after = asked(chalk)
    assert after["rerank"] == {"ran": True, "model": NAME, "skipped": None, "hint": None}
    assert decided(after) == decided(before)
    ids = [row["id"] for row in after["hits"]]
    matched = {row["id"] for row in before["rulings"]}
    by_model = [i for i in scored(crossing, filled) if i not in matched]
    assert [i for i in ids if i not in matched] == by_model
    assert [row["id"] for row in before["hits"] if row["id"] not in matched] != by_model
    assert [row for row in ids if row in matched] == ids[: len(matched & set(ids))]


def test_what_is_near_is_shown_in_its_order(
    filled: list[Record], chalk: Inside, crossing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "never parse the weather manifest twice in two runs, cache zebras"
    monkeypatch.setattr(thresholds, "NEAR_LEXICAL", 0.1)
    before = chalk.json("check", question, "--limit", "9")
    use(crossing)
    after = chalk.json("check", question, "--limit", "9")
    assert after["verdict"] == before["verdict"] == "near"
    near = [row["id"] for row in after["near"]]
    assert len(near) > 2
    assert near == [i for i in scored(crossing, filled, question) if i in near]
    assert sorted(near) == sorted(row["id"] for row in before["near"])
    assert near != [row["id"] for row in before["near"]]
    assert "second model" not in chalk("check", question).out


def test_beyond_the_best_the_order_stays(
    filled: list[Record], chalk: Inside, crossing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [row["id"] for row in asked(chalk)["hits"]]
    use(crossing)
    monkeypatch.setattr(thresholds, "RERANKED", 2)
    after = [row["id"] for row in asked(chalk)["hits"]]
    assert after[2:] == before[2:]
    assert set(after[:2]) == set(before[:2])


@pytest.mark.parametrize(
    "broken", ["no folder", "no weights", "no tokenizer", "damaged", "unknown", "no name"]
)
def test_a_second_model_that_cannot_be_used_is_said_and_the_answer_is_the_same(
    filled: list[Record], chalk: Inside, crossing: Path, tmp_path: Path, broken: str
) -> None:
    before = asked(chalk)
    folder = tmp_path / "second"
    if broken != "no folder":
        folder.mkdir()
        for file in crossing.iterdir():
            (folder / file.name).symlink_to(file)
    if broken == "no weights":
        (folder / "model.onnx").unlink()
    if broken == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    if broken == "damaged":
        (folder / "model.onnx").unlink()
        (folder / "model.onnx").write_bytes((crossing / "model.onnx").read_bytes()[:5_000])
    use(folder, "somebody/else" if broken == "unknown" else NAME)
    if broken == "no name":
        settings.update({"rerank": {"dir": str(folder)}})
    after = asked(chalk)
    assert {**after, "rerank": None} == before
    assert after["rerank"]["ran"] is False
    assert after["rerank"]["skipped"]
    assert after["rerank"]["hint"]
    said = chalk("check", PROPOSAL).out
    assert "In the order without a second model: " in said
    assert after["rerank"]["hint"] in said
    use(crossing)
    assert asked(chalk)["rerank"]["ran"] is True


@pytest.mark.parametrize("off", ["--lexical", "CHALKGIT_BYPASS_SEMANTIC"])
def test_it_is_off_where_no_model_is_to_take_part(
    filled: list[Record], chalk: Inside, crossing: Path, monkeypatch: pytest.MonkeyPatch, off: str
) -> None:
    use(crossing)
    assert asked(chalk)["rerank"]["ran"] is True
    if off == "--lexical":
        assert asked(chalk, off)["rerank"] is None
    else:
        monkeypatch.setenv(off, "1")
        assert asked(chalk)["rerank"] is None


def test_a_name_alone_is_looked_for_where_models_lie(
    filled: list[Record], chalk: Inside, crossing: Path
) -> None:
    settings.update({"rerank": NAME.lower()})
    missing = asked(chalk)["rerank"]
    assert missing["skipped"].startswith(f"{NAME} is not there: {models.folder(NAME)} lacks ")
    assert missing["hint"].endswith(f"{settings.path()}: rerank: {{name: {NAME}, dir: FOLDER}}")
    pulled = Path(models.folder(NAME))
    (pulled / "refs").mkdir(parents=True)
    (pulled / "refs" / "main").write_text("a" * 40)
    snapshot = pulled / "snapshots" / ("a" * 40)
    (snapshot / "onnx").mkdir(parents=True)
    for name in models.TOKENIZER:
        (snapshot / name).symlink_to(crossing / name)
    (snapshot / "onnx" / "model.onnx").symlink_to(crossing / "model.onnx")
    assert asked(chalk)["rerank"]["ran"] is True


def test_one_process_loads_it_once_and_again_when_its_files_change(crossing: Path, tmp_path: Path) -> None:
    folder = tmp_path / "second"
    folder.mkdir()
    for file in crossing.iterdir():
        (folder / file.name).symlink_to(file)
    named = cross.Named(NAME, str(folder))
    first = cross.load(named)
    assert cross.load(named) is first
    (folder / "tokenizer_config.json").unlink()
    (folder / "tokenizer_config.json").write_text((crossing / "tokenizer_config.json").read_text())
    assert cross.load(named) is not first
    assert first.scores("a proposal", ["a proposal", "an onion"])[0] > 0.5
    (folder / "model.onnx").unlink()
    with pytest.raises(ChalkError, match=r"lacks onnx/model\.onnx"):
        cross.load(named)


def test_nothing_of_fastembed_is_loaded_where_the_settings_name_no_second_model(
    repo: Repo, filled: list[Record]
) -> None:
    program = (
        "import sys; from chalkgit.cli import asking; from chalkgit.answers.check import Checker;"
        f"asking.opened({str(repo.root)!r}, here=True).ask({PROPOSAL!r}, 3);"
        "print('fastembed' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout.strip() == "False"
