"""Approvals that a change loses or takes back, and what it closes: each told once, none as a forgery."""

from __future__ import annotations

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401

from chalkgit.store import writes


def base_of(team: Team) -> str:
    return team.repo.git("rev-parse", "HEAD")


def test_an_approval_that_stood_before_is_kept_by_a_move_and_lost_by_an_edit(team: Team) -> None:
    moved, edited = team.recorded(), team.recorded(route="another", observation="that is edited")
    team.approve(moved)
    team.approve(edited)
    base = base_of(team)
    team.repo.git("mv", team.read(moved).path, f".lessons/moved.{moved.id}.yaml")
    team.commit(BO)
    assert list(told.rules(team.inside, base)) == ["moves"]
    writes.change(team.repo.place, team.read(edited), {"tags": ["one"]})
    team.commit(BO)
    assert sorted(told.rules(team.inside, base)) == ["corrects", "moves", "unapproves"]
    (found,) = told.of(team.inside, base, "unapproves")
    assert (found["record"], found["level"]) == (edited.id, "warning")
    assert found["mend"] == f"chalkgit approve {edited.id}"
    assert found["message"] == (
        f"the approval of {edited.id} “another” by Ada <ada@example.org> counts no longer: "
        "it speaks of other content"
    )
    assert team.states(moved, edited) == ["approved", "unreviewed"]


@pytest.mark.parametrize("closes", ["retire", "settle", "supersede", "reject", "expire"])
def test_closing_an_approved_record_is_no_finding_of_trust(team: Team, closes: str) -> None:
    record, other = team.recorded(), team.recorded(route="quite another way", observation="it is slow")
    kept = team.recorded(route="something else", observation="too many of them")
    team.approve(record)
    team.approve(kept)
    base = base_of(team)
    args = {
        "retire": ("retire", record.id, "--because", "over"),
        "settle": ("settle", record.id, "--by", "HEAD"),
        "supersede": ("supersede", record.id, "--by", other.id),
        "reject": ("reject", record.id, "--because", "nobody saw it"),
        "expire": ("correct", record.id, "--valid-until", "2020-01-01"),
    }[closes]
    assert team.inside(*args).code == 0
    team.commit(BO)
    said = told.rules(team.inside, base)
    assert not {"forged", "unapproves", "approves"} & set(said)
    assert len(said) == (2 if closes == "expire" else 1)  # it weakens, and what is over rots
    assert team.inside("correct", kept.id, "--tag", "many").code == 0
    team.commit(BO)
    assert told.ids(team.inside, base, "unapproves") == [kept.id]


def test_a_record_that_takes_anothers_place_loses_its_approval(team: Team) -> None:
    old, new = team.recorded(), team.recorded(route="quite another way", observation="it is slow")
    team.approve(old)
    team.approve(new)
    base = base_of(team)
    assert team.inside("supersede", old.id, "--by", new.id).code == 0
    team.commit(BO)
    assert told.ids(team.inside, base, "unapproves") == [new.id]
    assert sorted(told.rules(team.inside, base)) == ["supersedes", "unapproves"]


def test_an_approval_before_the_closing_in_one_change_is_no_forgery_and_one_before_an_edit_is(
    team: Team,
) -> None:
    closed, edited = team.recorded(), team.recorded(route="another", observation="that is edited")
    forged = team.recorded(route="forged", observation="and retired at once")
    base = base_of(team)
    team.approve(closed)
    team.approve(edited)
    team.forge(forged)
    team.commit(MALLORY)
    for record in (closed, forged):
        assert team.inside("retire", record.id, "--because", "over").code == 0
    assert team.inside("correct", edited.id, "--tag", "a").code == 0
    team.commit(BO)
    assert told.ids(team.inside, base, "forged") == sorted([edited.id, forged.id])
    assert told.rules(team.inside, base)["approves"] == [
        f"Ada <ada@example.org> approved {closed.id} “{closed.text('route')}” before it was closed"
    ]


def test_an_edit_back_to_what_was_approved_counts_again_and_one_to_what_was_not_is_forged(
    team: Team,
) -> None:
    record, forged = team.recorded(), team.recorded(route="forged", observation="it fits in a while")
    team.approve(record)
    team.forge(forged, tags=["later"])
    writes.change(team.repo.place, team.read(forged), {"tags": None})
    assert team.inside("retire", record.id, "--because", "over").code == 0
    team.commit(MALLORY)
    base = base_of(team)
    assert team.inside("correct", record.id, "--unretire").code == 0
    writes.change(team.repo.place, team.read(forged), {"tags": ["later"]})
    team.commit(BO)
    said = told.rules(team.inside, base)
    counts = f"the approval of {record.id} “{record.text('route')}” by Ada <ada@example.org> counts again"
    assert said["approves"] == [counts]
    assert told.ids(team.inside, base, "forged") == [forged.id]
    assert team.states(record, forged) == ["approved", "unreviewed"]


def test_an_edit_of_what_nobody_approved_voids_nothing(team: Team) -> None:
    record, forged = team.recorded(), team.recorded(route="forged", observation="and merged all the same")
    team.approve(record)
    team.forge(forged)
    team.commit(MALLORY)
    base = base_of(team)
    for one in (record, forged):
        writes.change(team.repo.place, team.read(one), {"tags": ["edited"]})
    team.commit(BO)
    assert told.ids(team.inside, base, "unapproves") == [record.id]
    assert told.ids(team.inside, base, "forged") == []  # it stood before
    again = base_of(team)
    writes.change(team.repo.place, team.read(record), {"tags": ["edited", "again"]})
    team.commit(BO)
    assert list(told.rules(team.inside, again)) == ["corrects"]  # there was nothing left to lose


def test_an_approval_by_who_left_the_list_since_is_lost_by_an_edit_too(team: Team) -> None:
    record = team.recorded()
    team.approve(record)
    team.reviewers("bo@example.org")
    team.commit(ADA, "Ada leaves")
    base = base_of(team)
    assert team.states(record) == ["approved"]
    assert team.inside("retire", record.id, "--because", "over").code == 0
    team.commit(BO)
    retired = base_of(team)
    assert list(told.rules(team.inside, base)) == ["retires"]
    assert team.inside("correct", record.id, "--unretire").code == 0
    team.commit(BO)
    assert sorted(told.rules(team.inside, retired)) == ["approves", "reopens"]
    assert team.inside("correct", record.id, "--tag", "a").code == 0
    team.commit(BO)
    assert told.ids(team.inside, base, "unapproves") == [record.id]


@pytest.mark.parametrize(
    ("args", "again"),
    [
        (("retire", "ID", "--because", "over"), "taken back: chalkgit correct ID --unretire"),
        (("settle", "ID", "--by", "HEAD"), 'taken back: chalkgit correct ID --settled ""'),
        (("supersede", "OTHER", "--by", "ID"), "as it is now: chalkgit approve ID"),
        (("correct", "ID", "--tag", "a"), "as it is now: chalkgit approve ID"),
    ],
)
def test_a_command_that_voids_an_approval_says_so_and_what_makes_it_count_again(
    team: Team, args: tuple[str, ...], again: str
) -> None:
    record, other = team.recorded(), team.recorded(route="quite another way", observation="it is slow")
    unreviewed = team.recorded(route="something else", observation="too many of them")
    team.approve(record)
    named = {"OTHER": other.id}
    quiet = team.inside(*({**named, "ID": unreviewed.id}.get(word, word) for word in args))
    assert (quiet.code, "approval" in quiet.err) == (0, False)
    team.commit(BO)
    result = team.inside(*({**named, "ID": record.id}.get(word, word) for word in args), "--commit")
    assert result.code == 0
    (line,) = [line for line in result.err.splitlines() if "approval" in line]
    assert line.startswith(f"chalkgit: the approval of {record.id} by Ada <ada@example.org> speaks of it as")
    assert line.endswith(again.replace("ID", record.id))
    assert team.states(record) == ["unreviewed"]
    if "correct ID" in again:
        words = ("--unretire",) if "--unretire" in again else ("--settled", "")
        assert team.inside("correct", record.id, *words).code == 0
        assert team.states(record) == ["approved"]


def test_an_approval_that_is_taken_back_is_told(team: Team) -> None:
    record = team.recorded()
    team.approve(record)
    base = base_of(team)
    assert team.inside("approve", record.id, "--withdraw").code == 0
    team.commit(BO)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["level"]) == ("unapproves", "warning")
    assert found["message"].startswith("takes back the approval of ")
    assert found["message"].endswith(" by Ada <ada@example.org>")


def test_what_is_taken_back_is_told_also_where_it_never_counted(team: Team) -> None:
    forged, edited = team.recorded(), team.recorded(route="another", observation="that is edited")
    team.approve(edited)
    team.forge(forged)
    writes.change(team.repo.place, team.read(edited), {"tags": ["a"]})
    team.commit(MALLORY)
    base = base_of(team)
    for record in (forged, edited):
        assert team.inside("approve", record.id, "--withdraw").code == 0
    team.commit(BO)
    found = told.findings(team.inside, base)
    assert sorted(f["record"] for f in found) == sorted([forged.id, edited.id])
    assert {(f["rule"], f["message"].partition(": ")[2]) for f in found} == {
        ("corrects", "review no longer approved")
    }


@pytest.mark.parametrize("state", ["rejected", "quarantined"])
def test_a_restriction_that_is_lifted_is_told_also_where_the_record_stays_closed(
    team: Team, state: str
) -> None:
    record, new = team.recorded(), team.recorded(route="quite another way", observation="it is slow")
    open_ = team.recorded(route="something else", observation="too many of them")
    verb = {"rejected": "reject", "quarantined": "quarantine"}[state]
    for one in (record, open_):
        assert team.inside(verb, one.id, "--because", "nonsense").code == 0
    assert team.inside("supersede", record.id, "--by", new.id).code == 0
    team.commit(BO)
    base = base_of(team)
    for one in (record, open_):
        assert team.inside("approve", one.id, "--withdraw").code == 0
    team.commit(BO)
    assert sorted(told.rules(team.inside, base)["reopens"]) == sorted(
        [
            f"takes back that {record.id} “{record.text('route')}” was {state} (nonsense); "
            f"it stays superseded by {new.id}",
            f"reopens {open_.id} “something else”: it was {state} (nonsense)",
        ]
    )
    assert list(told.rules(team.inside, base)) == ["reopens"]
    assert team.inside("review", base).code == 1


def test_another_reason_for_a_restriction_is_told(team: Team) -> None:
    record = team.recorded()
    assert team.inside("reject", record.id, "--because", "nonsense").code == 0
    team.commit(BO)
    base = base_of(team)
    review = {**team.read(record).fields["review"], "because": "nobody saw it"}
    writes.change(team.repo.place, team.read(record), {"review": review})
    team.commit(BO)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], "because" in found["message"]) == ("corrects", True)
