"""Real coding agents against a model of our own: what it was sent is what a model would have read."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import clients
from agents.mock_model import DONE, Model
from repository import Repo

from chalkgit.doors.agent_words import ABOUT
from chalkgit.doors.setup import agents


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.write("src/a.py", "x = 1\n")
    repo.record(route="cache the parsed manifest", observation="it went stale", files=["src/a.py"])
    repo.record(
        route="rewrite the scheduler in rust",
        observation="the calls ate the gain",
        scope="general",
        layer="design",
        degree="contradicted",
    )
    repo.commit()
    return repo


@pytest.mark.parametrize("name", clients.CLIENTS)
def test_the_model_reads_what_was_recorded_when_it_helps(
    told: Repo, sealed: Path, tmp_path: Path, name: str
) -> None:
    client = clients.CLIENTS[name]
    if clients.program(client) is None:
        pytest.skip(f"CHALKGIT_TEST_AGENTS names no folder in which `npm install {client.package}` was run")
    agents.install(told.place, name)
    script = client.script(told.root)
    with Model(script) as model:
        done = clients.run(client, told.root, sealed, model, str(clients.shim(tmp_path / "bin")))
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert DONE in done.stdout, said
    assert (told.root / "src/a.py").read_text() == "x = 2\n", said
    edited = len(script) - 1  # the request that brings the answer of the edit; the next that of the record
    turns = [n for n, sent in enumerate(model.requests) if sent.get("tools")]
    assert len(turns) == len(script) + 1, said
    for text, turn in (
        (f"{ABOUT}\nThis repository keeps what was learned the hard way in .lessons/: 2 dead ends.", 0),
        ("Tried before, and refuted: rewrite the scheduler in rust; why: the calls ate the gain", 0),
        (f"{ABOUT}\nIt was tried before (words compared):\nTried before, and refuted: rewrite", 0),
        (f"{ABOUT}\nsrc/a.py:\nTried before, and failed: cache the parsed manifest; why: it went", edited),
        (f"{ABOUT}\n.lessons/bad.yaml:1: no YAML", edited + 1),
    ):
        assert [n for n in model.reads(text) if n in turns] == turns[turn:], (text, said)


@pytest.mark.parametrize("name", [name for name in clients.CLIENTS if name != "opencode"])
def test_a_teammate_without_chalkgit_sees_and_reads_nothing_of_it(
    told: Repo, sealed: Path, tmp_path: Path, name: str
) -> None:
    client = clients.CLIENTS[name]
    if clients.program(client) is None:
        pytest.skip(f"CHALKGIT_TEST_AGENTS names no folder in which `npm install {client.package}` was run")
    agents.install(told.place, name)
    with Model(client.script(told.root)) as model:
        done = clients.run(client, told.root, sealed, model, str(tmp_path / "nothing"))
    assert done.returncode == 0, done.stderr
    assert (told.root / "src/a.py").read_text() == "x = 2\n"
    assert model.reads("x = 2")  # the positive control: what it did read is seen
    assert model.reads(ABOUT) == []
    assert not [line for line in done.stderr.splitlines() if "chalkgit" in line and "not found" in line]
