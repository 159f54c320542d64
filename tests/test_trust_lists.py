"""The list of reviewers: nobody comes onto it but by who is on it; a review judges by that of its base."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401


def grown_and_reverted(team: Team) -> None:
    """Ada lists Mallory in a branch and takes it back; Mallory restores it, and merges the branch."""
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)
    team.repo.git("revert", "--no-edit", "HEAD")
    team.become(MALLORY)
    team.repo.git("revert", "--no-edit", "HEAD")
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")


def chosen_in_the_merge(team: Team) -> None:
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)
    team.repo.git("revert", "--no-edit", "HEAD")
    team.repo.git("checkout", "-q", "main")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "--no-commit", "topic")
    team.repo.git("checkout", "topic~1", "--", ".lessons/config.yaml")
    team.repo.git("commit", "-qm", "merge")


def stale_side(team: Team) -> None:
    """Main took Mallory off the list; an older branch that has it is merged with its own file."""
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)
    team.repo.git("branch", "old")
    team.reviewers("ada@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-q", "old")
    team.reviewers("ada@example.org", "mal@example.org", "cy@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-q", "main")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-X", "theirs", "-m", "merge", "old")
    assert "mal@" in (team.repo.root / ".lessons/config.yaml").read_text()


def edited_by_another(team: Team) -> None:
    """Mallory's own line does not count, and Ada edits another one."""
    team.reviewers("ada@example.org", "cy@example.org", "mal@example.org")
    team.commit(MALLORY)
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)


def mended_by_another(team: Team) -> None:
    team.repo.write(".lessons/config.yaml", "reviewers: [ada@example.org, mal@example.org\n")
    team.commit(MALLORY)
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)


def begun_again(team: Team) -> None:
    """Ada takes the list away; the next one is no first list."""
    (team.repo.root / ".lessons/config.yaml").unlink()
    team.commit(ADA)
    team.reviewers("mal@example.org")
    team.commit(MALLORY)


def written_in_a_merge_of_the_side(team: Team) -> None:
    """Mallory puts herself onto the list in a merge within the branch that she merges."""
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-qb", "side", "main")
    team.repo.write("side", "x\n")
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "topic")
    team.repo.git("merge", "-q", "--no-ff", "--no-commit", "side")
    team.reviewers("ada@example.org", "bo@example.org", "mal@example.org")
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")


def kept_by_a_merge_of_ours(team: Team) -> None:
    """Main took Mallory off; an older branch takes main in with its own file, and is merged."""
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("ada@example.org", "mal@example.org", "cy@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-q", "main")
    team.reviewers("ada@example.org")
    team.commit(ADA)
    team.become(MALLORY)
    team.repo.git("checkout", "-q", "topic")
    team.repo.git("merge", "-q", "-s", "ours", "-m", "main", "main")
    team.repo.git("checkout", "-q", "main")
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")


def deletion_reverted(team: Team) -> None:
    """Mallory adds herself and takes the file away, neither of which counts, and Ada brings it back."""
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(MALLORY)
    (team.repo.root / ".lessons/config.yaml").unlink()
    team.commit(MALLORY)
    team.become(ADA)
    team.repo.git("revert", "--no-edit", "HEAD")


def mended_with_an_escape(team: Team) -> None:
    text = 'reviewers:\n- ada@example.org\n- "\\x6dal@example.org"\n'
    team.repo.write(".lessons/config.yaml", text + "tags: [oops\n")
    team.commit(MALLORY)
    team.repo.write(".lessons/config.yaml", text)
    team.commit(ADA)


LISTS = [
    written_in_a_merge_of_the_side,
    kept_by_a_merge_of_ours,
    deletion_reverted,
    mended_with_an_escape,
    grown_and_reverted,
    chosen_in_the_merge,
    stale_side,
    edited_by_another,
    mended_by_another,
    begun_again,
]


@pytest.mark.parametrize("taken", LISTS, ids=lambda case: case.__name__)
def test_nobody_comes_onto_the_list_but_by_who_is_on_it(team: Team, taken: Callable[[Team], None]) -> None:
    honest = team.recorded(route="an honest one")
    team.approve(honest)
    taken(team)
    record = team.recorded(route="use foo")
    team.forge(record)
    team.commit(MALLORY)
    assert team.states(honest, record) == ["approved", "unreviewed"]


def test_a_list_that_grows_in_a_branch_or_comes_back_counts_by_who_made_it(team: Team) -> None:
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.repo.git("checkout", "-q", "main")
    team.repo.write("other", "x\n")
    team.commit(BO)
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    record = team.recorded(route="use foo")
    team.approve(record, BO)
    (team.repo.root / ".lessons/config.yaml").unlink()
    team.commit(ADA)
    team.reviewers("cy@example.org")
    team.commit(BO)
    another = team.recorded(route="use bar")
    team.approve(another, ("Cy", "cy@example.org"))
    assert team.states(record, another) == ["approved", "approved"]


def test_a_review_judges_by_the_list_of_its_base_whatever_commit_both_share(team: Team) -> None:
    """A branch that was merged had another list for a while; a new one begins at that commit."""
    git = team.repo.git
    begin = git("rev-parse", "HEAD").strip()
    git("checkout", "-qb", "feat")
    team.reviewers("mal@example.org")
    listed = team.commit(MALLORY)
    git("revert", "--no-edit", "HEAD")
    git("checkout", "-q", "main")
    team.become(ADA)
    git("merge", "-q", "--no-ff", "-m", "merge", "feat")
    team.become(MALLORY)
    evil = git("commit-tree", "-p", begin, "-p", listed, "-m", "merge", f"{listed}^{{tree}}").strip()
    git("checkout", "-qb", "evil", evil)
    record = team.recorded(route="use foo")
    team.forge(record)
    team.commit(MALLORY)
    result = team.inside("review", "main..evil")
    assert (result.code, "[forged]" in result.out) == (1, True), result
    git("checkout", "-qb", "good", "main")
    honest = team.recorded(route="use bar")
    team.approve(honest)
    result = team.inside("review", "main..good")
    assert "[forged]" not in result.out
    assert "approves" in result.out


def test_a_list_that_a_listed_person_edits_in_a_merge_counts_and_hides_nothing(team: Team) -> None:
    git = team.repo.git
    git("checkout", "-qb", "topic")
    team.repo.write("topic", "x\n")
    team.commit(BO)
    git("checkout", "-q", "main")
    team.repo.write("main", "x\n")
    team.commit(BO)
    git("checkout", "-q", "topic")
    git("merge", "-q", "--no-ff", "--no-commit", "main")
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    git("checkout", "-q", "main")
    team.become(MALLORY)
    git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    record, forged = team.recorded(), team.recorded(route="forged")
    team.approve(record, BO)
    team.forge(forged)
    team.commit(MALLORY)
    assert team.states(record, forged) == ["approved", "unreviewed"]


def test_a_removal_that_did_not_count_is_not_adopted_either(team: Team) -> None:
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.reviewers("ada@example.org")
    team.commit(MALLORY)
    team.reviewers("ada@example.org", "cy@example.org")
    team.commit(ADA)
    record, forged = team.recorded(), team.recorded(route="forged")
    team.approve(record, BO)
    team.forge(forged)
    team.commit(MALLORY)
    assert team.states(record, forged) == ["approved", "unreviewed"]
