"""What hides a claim from a reader hides no hand in it; and what is no other content loses no approval."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401
from test_trust_brought import claimed, file_of

from chalkgit.records.record import Record


def too_large(team: Team) -> Record:
    record, file, data = claimed(team)
    file.write_bytes(data + (b"# " + b"x" * 70 + b"\n") * 5000)
    team.commit(MALLORY)
    file.write_bytes(data)
    team.commit(ADA)
    return record


def of_another_encoding(team: Team) -> Record:
    record, file, data = claimed(team)
    file.write_bytes(data.decode().encode("utf-16"))
    team.commit(MALLORY)
    file.write_bytes(data)
    team.commit(ADA)
    return record


@pytest.mark.parametrize("end", ["\u2028", "\r", "\x85"])
def test_an_odd_end_of_a_line_hides_no_hash(team: Team, end: str) -> None:
    record, file, data = claimed(team)
    file.unlink()
    text = data.decode().replace("hash: sha256:", 'hash: "sha256:')
    head, _, rest = text.partition('hash: "sha256:')
    value, _, after = rest.partition("\n")
    team.repo.write("x.yaml", f'{head}hash: "sha256:{value[:9]}\\{end}{value[9:]}"\n{after}')
    team.commit(MALLORY)
    (team.repo.root / "x.yaml").unlink()
    file.write_bytes(data)
    team.commit(ADA)
    honest = team.recorded(route="an honest one")
    team.approve(honest)
    assert team.states(honest, record) == ["approved", "unreviewed"]


def rejected_and_broken(team: Team) -> Record:
    """Ada rejects it, and her file cannot be read; Mallory makes an approval of that in the branch."""
    record = team.recorded(route="use foo")
    file = file_of(team, record)
    team.forge(record)
    claim = file.read_bytes()
    team.repo.git("checkout", "--", ".")
    team.repo.git("checkout", "-qb", "topic")
    file.write_bytes(claim.replace(b"approved", b"rejected") + b"tags: [oops\n")
    team.commit(ADA)
    file.write_bytes(claim)
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return record


def named_in_a_note(team: Team) -> Record:
    record, file, data = claimed(team)
    team.repo.git("checkout", "--", ".")
    team.repo.git("checkout", "-qb", "topic")
    team.repo.write(".lessons/NOTES.md", f"do not approve this: {data.decode()}\n")
    team.commit(ADA)
    team.repo.git("checkout", "-q", "main")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "--no-commit", "topic")
    file.write_bytes(data)
    team.commit(MALLORY)
    return record


@pytest.mark.parametrize(
    "forged", [too_large, of_another_encoding, rejected_and_broken, named_in_a_note], ids=lambda f: f.__name__
)
def test_what_was_hidden_is_nobodys_approval(team: Team, forged: Callable[[Team], Record]) -> None:
    honest = team.recorded(route="an honest one")
    team.approve(honest)
    record = forged(team)
    assert team.states(honest, record) == ["approved", "unreviewed"]


def test_a_reviewer_who_moves_or_comments_an_agents_record_has_not_written_it(team: Team) -> None:
    written = team.recorded(BO, by={"name": "Bo", "agent": "claude-code"})
    own = team.recorded(ADA, route="another", by={"name": "Ada", "agent": "claude-code"})
    team.approve(written)
    team.forge(own)
    team.commit(ADA)
    file = file_of(team, written)
    file.rename(file.with_name("moved.yaml"))
    team.commit(ADA)
    file = file.with_name("moved.yaml")
    file.write_bytes(b"# seen\n" + file.read_bytes())
    team.commit(ADA)
    assert team.states(written, own) == ["approved", "unreviewed"]


def test_an_agent_whose_record_came_in_a_merge_is_known_after_a_move_too(team: Team) -> None:
    git = team.repo.git
    states = []
    for moved in (False, True):
        git("checkout", "-qb", f"side{moved}")
        team.repo.write(f"side{moved}", "x\n")
        team.commit(BO)
        git("checkout", "-q", "main")
        team.repo.write(f"main{moved}", "x\n")
        team.commit(BO)
        team.become(ADA)
        git("merge", "-q", "--no-ff", "--no-commit", f"side{moved}")
        record = team.repo.record(route=f"use {moved}", by={"name": "Ada", "agent": "claude-code"})
        team.commit(ADA, "merge")
        if moved:
            file = file_of(team, record)
            file.rename(file.with_name("b.yaml"))
            team.commit(BO)
        team.forge(record)
        team.commit(ADA)
        states += team.states(record)
    assert states == ["unreviewed", "unreviewed"]


def test_an_address_at_a_host_that_is_called_like_an_agent_is_no_agents(team: Team) -> None:
    ada = ("Ada L", "123+ada@users.noreply.github.com")
    team.reviewers(ada[1])
    team.commit(ADA)
    record = team.recorded(by={"name": "Bo", "agent": "github-copilot"})
    team.approve(record, ada)
    assert team.states(record) == ["approved"]


def test_a_branch_that_only_merges_and_any_setting_of_the_users_change_nothing(team: Team) -> None:
    git = team.repo.git
    record = team.recorded()
    git("checkout", "-qb", "topic")
    team.approve(record)
    git("checkout", "-qb", "integration", "main")
    team.become(BO)
    git("merge", "-q", "--no-ff", "-m", "one", "topic")
    git("checkout", "-q", "main")
    team.repo.write("n", "x\n")
    team.commit(BO)
    git("merge", "-q", "--no-ff", "-m", "two", "integration")
    git("config", "log.diffMerges", "combined")
    assert team.states(record) == ["approved"]
