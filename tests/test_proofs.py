"""Which commit brought an approval is looked for once, and kept; who may approve is asked each time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, MALLORY, Team, team_fixture  # noqa: F401

from chalkgit.store import introduced, proofs


@pytest.fixture(name="looked")
def looked_fixture(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    looked: list[str] = []
    found = introduced.Looking.found

    def counted(self: introduced.Looking, commit: str, path: str) -> str | None:
        looked.append(commit)
        return found(self, commit, path)

    monkeypatch.setattr(introduced.Looking, "found", counted)
    return looked


def test_it_is_looked_for_once_for_good_and_for_bad(team: Team, looked: list[str]) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged")
    team.approve(honest)
    team.forge(forged)
    team.commit(MALLORY)
    looked.clear()
    before = team.states(honest, forged)
    assert before == ["approved", "unreviewed"]
    count = len(looked)
    assert team.states(honest, forged) == before
    assert len(looked) == count


def test_a_content_that_another_commit_claims_is_looked_for_anew(team: Team, looked: list[str]) -> None:
    record = team.recorded()
    team.approve(record)
    assert team.states(record) == ["approved"]
    looked.clear()
    team.forge(record, observation="another")
    team.commit(MALLORY)
    assert team.states(record) == ["unreviewed"]
    assert looked


@pytest.mark.parametrize("trouble", ["damage", "a link", "a FIFO", "a folder"])
def test_whatever_lies_in_its_place_changes_no_answer(team: Team, trouble: str, tmp_path: Path) -> None:
    record, forged = team.recorded(), team.recorded(route="forged")
    team.approve(record)
    team.forge(forged)
    team.commit(ADA)
    team.forge(forged, observation="another")
    team.commit(MALLORY)
    assert team.states(record, forged) == ["approved", "unreviewed"]
    file = Path(team.repo.place.derived) / proofs.FILE
    assert file.exists()
    file.unlink()
    target = tmp_path / "target"
    target.write_bytes(b"mine")
    if trouble == "damage":
        file.write_bytes(b"no database" * 100)
    elif trouble == "a link":
        file.symlink_to(target)
    elif trouble == "a FIFO":
        os.mkfifo(file)
    else:
        file.mkdir()
    assert team.states(record, forged) == ["approved", "unreviewed"]
    assert target.read_bytes() == b"mine"
