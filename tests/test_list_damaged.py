"""A list of reviewers that cannot be read is told wherever an approval is judged by the one before it."""

from __future__ import annotations

from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401

SAID = ".lessons/config.yaml:2: the settings file is no YAML"
COUNTS = "the list before it counts"


def broken(team: Team) -> None:
    team.repo.write(".lessons/config.yaml", "reviewers: [\n")
    team.commit(ADA, "a slip")


def test_a_damaged_list_is_told_by_all_that_judge_an_approval(team: Team) -> None:
    before, after = team.recorded(), team.recorded(route="something else")
    team.approve(before)
    broken(team)
    team.become(ADA)
    result = team.inside("approve", after.id, "--commit")
    assert result.code == 0
    assert SAID in result.err
    assert COUNTS in result.err
    assert team.states(before, after) == ["approved", "approved"]
    for question in (("show", after.id), ("log", after.id), ("review", "HEAD~1", "--fail-on", "never")):
        said = team.inside(*question).out
        assert SAID in said, question
        assert COUNTS in said, question
    assert SAID in team.inside.json("show", after.id)["records"][0]["trust_note"]
    # what was judged by a sound list has nothing to tell
    assert COUNTS not in team.inside("show", before.id).out
    assert team.inside.json("show", before.id)["records"][0]["trust_note"] is None


def test_a_damaged_list_is_told_of_an_approval_that_does_not_count_too(team: Team) -> None:
    record = team.recorded()
    broken(team)
    team.forge(record)
    team.commit(MALLORY)
    trust = team.trust(record)
    assert "Mallory <mal@example.org> is not among the reviewers" in str(trust.why)
    assert SAID in str(trust.note)
    assert SAID in team.inside("review", "HEAD~1").out
    team.become(BO)
    result = team.inside("approve", record.id)
    assert (result.code, SAID in result.err) == (2, True)


def test_a_list_that_was_mended_is_told_no_more(team: Team) -> None:
    record = team.recorded()
    broken(team)
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.approve(record, BO)
    trust = team.trust(record)
    assert (trust.by, trust.note) == ("Bo <bo@example.org>", None)
