"""An approval counts for who brought it: not for who mends, moves, restores or uncovers another's claim."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401

from chalkgit.records.record import Record


def file_of(team: Team, record: Record) -> Path:
    return team.repo.root / team.read(record).path


def claimed(team: Team, by: str = "use foo") -> tuple[Record, Path, bytes]:
    """A committed record, and its file as somebody forged an approval into it, not committed."""
    record = team.recorded(route=by)
    file = file_of(team, record)
    team.forge(record)
    return record, file, file.read_bytes()


def mend(team: Team) -> Record:
    """Mallory's claim cannot be read, and Ada mends the YAML."""
    record, file, data = claimed(team)
    file.write_bytes(data + b"tags: [unclosed\n")
    team.commit(MALLORY)
    file.write_bytes(data)
    team.commit(ADA)
    return record


def move_in(team: Team) -> Record:
    """It lay beside the store, and Ada moves it in."""
    record, file, data = claimed(team)
    file.unlink()
    team.repo.write("docs/a.yaml", data.decode())
    team.commit(MALLORY)
    (team.repo.root / "docs/a.yaml").unlink()
    file.write_bytes(data)
    team.commit(ADA)
    return record


def rename(team: Team) -> Record:
    """Its name was that of no record."""
    record, file, _ = claimed(team)
    file.rename(file.with_suffix(".yml"))
    team.commit(MALLORY)
    file.with_suffix(".yml").rename(file)
    team.commit(ADA)
    return record


def unlink(team: Team) -> Record:
    """It was committed as the target of a link."""
    record, file, _ = claimed(team)
    blob = team.repo.git("hash-object", "-w", str(file)).strip()
    path = team.read(record).path
    team.repo.git("update-index", "--add", "--cacheinfo", f"120000,{blob},{path}")
    team.become(MALLORY)
    team.repo.git("commit", "-qm", "m")
    team.commit(ADA)
    return record


def uncover(team: Team) -> Record:
    """Another file with the same id comes to count when Ada takes hers away."""
    record = team.recorded(route="use foo", observation="bad")
    team.approve(record)
    mine = file_of(team, record)
    team.forge(record, observation="FORGED")
    forged = mine.read_bytes()
    team.repo.git("checkout", "--", ".")
    team.repo.write(".lessons/dead-ends/zz.yaml", forged.decode())
    team.commit(MALLORY)
    mine.unlink()
    team.commit(ADA)
    return record


def rename_own(team: Team) -> Record:
    """Another file with the same id comes to count when Ada renames hers."""
    record = team.recorded(route="use foo", observation="bad")
    mine = file_of(team, record)
    team.forge(record, observation="FORGED")
    forged = mine.read_bytes()
    team.repo.git("checkout", "--", ".")
    team.repo.write(".lessons/dead-ends/aa.yaml", forged.decode())
    team.commit(MALLORY)
    mine.rename(mine.with_name("foo.yaml"))
    team.commit(ADA)
    return record


def reverted(team: Team) -> Record:
    """Ada rejects what she approved; Mallory takes that back in the branch, and merges it."""
    record = team.recorded(route="use foo")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    team.become(ADA)
    assert team.inside("reject", record.id, "--because", "wrong", "--commit").code == 0
    team.become(MALLORY)
    team.repo.git("revert", "--no-edit", "HEAD")
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return record


def restored_in_the_merge(team: Team) -> Record:
    record = team.recorded(route="use foo")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    path = team.read(record).path
    approved = team.repo.git("rev-parse", "HEAD").strip()
    team.become(ADA)
    assert team.inside("approve", record.id, "--withdraw", "--commit").code == 0
    team.become(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "--no-commit", "topic")
    team.repo.git("checkout", approved, "--", path)
    team.repo.git("commit", "-qm", "merge")
    return record


def restored_from_the_other_side(team: Team) -> Record:
    """Main took the approval back; a branch that began before is merged with its own state."""
    record = team.recorded(route="use foo")
    team.approve(record)
    team.repo.git("branch", "old")
    team.become(ADA)
    assert team.inside("approve", record.id, "--withdraw", "--commit").code == 0
    path = team.read(record).path
    team.repo.git("checkout", "-q", "old")
    team.repo.write("other", "x\n")
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "--no-commit", "old")
    team.repo.git("checkout", "old", "--", path)
    team.repo.git("commit", "-qm", "merge")
    return record


FORGED: list[Callable[[Team], Record]] = [
    mend,
    move_in,
    rename,
    unlink,
    uncover,
    rename_own,
    reverted,
    restored_in_the_merge,
    restored_from_the_other_side,
]


@pytest.mark.parametrize("forged", FORGED, ids=lambda case: case.__name__)
def test_who_did_not_write_an_approval_has_not_approved(team: Team, forged: Callable[[Team], Record]) -> None:
    honest = team.recorded(route="an honest one")
    team.approve(honest)
    record = forged(team)
    assert team.states(honest, record) == ["approved", "unreviewed"]


def merged(team: Team) -> Record:
    record = team.recorded(route="use bar")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    team.repo.write("more", "x\n")
    team.commit(BO)
    team.repo.git("checkout", "-q", "main")
    team.repo.write("other", "x\n")
    team.commit(BO)
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return record


def merged_twice(team: Team) -> Record:
    """A branch merged into a branch that is merged."""
    record = team.recorded(route="use bar")
    team.repo.git("checkout", "-qb", "outer")
    team.repo.write("outer", "x\n")
    team.commit(BO)
    team.repo.git("checkout", "-qb", "inner", "main")
    team.approve(record)
    team.repo.git("checkout", "-q", "outer")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-m", "one", "inner")
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "two", "outer")
    return record


def squashed(team: Team) -> Record:
    """Recorded and approved in a branch, and squashed by the reviewer."""
    team.repo.git("checkout", "-qb", "topic")
    record = team.recorded(route="use bar")
    team.approve(record)
    team.repo.git("checkout", "-q", "main")
    team.become(ADA)
    team.repo.git("merge", "-q", "--squash", "topic")
    team.repo.git("commit", "-qm", "squash")
    return record


def approved_again(team: Team) -> Record:
    record = team.recorded(route="use bar")
    team.approve(record)
    team.become(ADA)
    assert team.inside("approve", record.id, "--withdraw", "--commit").code == 0
    team.approve(record)
    return record


def moved_since(team: Team) -> Record:
    record = team.recorded(route="use bar")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    file = file_of(team, record)
    file.rename(file.with_name("bar.yaml"))
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return record


def merged_with_a_comment(team: Team) -> Record:
    """Main gives the file a comment meanwhile; the merge has both."""
    record = team.recorded(route="use bar")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    team.repo.git("checkout", "-q", "main")
    file = file_of(team, record)
    file.write_bytes(b"# seen\n" + file.read_bytes())
    team.commit(BO)
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert file.read_bytes().startswith(b"# seen")
    return record


HONEST: list[Callable[[Team], Record]] = [
    merged,
    merged_twice,
    squashed,
    approved_again,
    moved_since,
    merged_with_a_comment,
]


@pytest.mark.parametrize("honest", HONEST, ids=lambda case: case.__name__)
def test_an_approval_counts_however_it_came(team: Team, honest: Callable[[Team], Record]) -> None:
    forged = team.recorded(route="a forged one")
    team.forge(forged)
    team.commit(MALLORY)
    record = honest(team)
    assert team.states(forged, record) == ["unreviewed", "approved"]
    assert (team.trust(record).by or "").startswith("Ada ")


def test_a_record_that_was_first_committed_damaged_hides_no_agents_address(team: Team) -> None:
    states = []
    for damaged in (False, True):
        record = team.repo.record(route=f"use {damaged}", by={"name": "Ada", "agent": "claude-code"})
        file = file_of(team, record)
        data = file.read_bytes()
        if damaged:
            file.write_bytes(data + b"  : [\n")
        team.commit(ADA)
        file.write_bytes(data)
        if damaged:
            team.commit(BO)
        team.forge(record)
        team.commit(ADA)
        states += team.states(record)
    assert states == ["unreviewed", "unreviewed"]
