"""Every surface says whether a record is approved; a repository may have some of them show no other."""

from __future__ import annotations

import json

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from reviewing import ADA, Team, team_fixture  # noqa: F401

from chalkgit.records.record import Record

FILE = "src/cache.py"
ROUTE = "cache the parsed manifest"
ERROR = "E   ValueError: pool drained by worker"


class Shown:
    """An approved and an unreviewed record of each kind that a surface shows."""

    def __init__(self, team: Team) -> None:
        self.team = team
        team.repo.write(FILE, "x = 1\n")
        make = team.recorded
        self.approved = [make(route=f"{ROUTE} between runs", observation="stale", files=[FILE])]
        self.others = [make(route=f"{ROUTE} in a global", observation="stale", files=[FILE])]
        lesson = {"failure": {"error": ERROR}, "resolution": "stop the workers"}
        self.approved.append(team.repo.record("lesson", **lesson))
        self.others.append(team.repo.record("lesson", **{**lesson, "resolution": "restart"}))
        team.commit()
        for record in self.approved:
            team.approve(record)

    def policy(self, text: str) -> None:
        config = self.team.repo.root / ".lessons/config.yaml"
        config.write_text(f"reviewers: [ada@example.org]\n{text}\n")
        self.team.commit(ADA)

    def surfaces(self) -> dict[str, set[str]]:
        """Which of the four ids each surface shows."""
        chalk, repo = self.team.inside, self.team.repo
        output = repo.write("run.txt", f"{ERROR}\n")
        repo.write(FILE, f"x = {len(repo.git('log', '--oneline'))}\n")
        repo.git("add", FILE)
        event = {
            "hook_event_name": "PostToolUse",
            "session_id": "s",
            "cwd": str(repo.root),
            "tool_name": "Edit",
            "tool_input": {"file_path": str(repo.root / FILE)},
        }
        said = {
            "check": chalk("check", ROUTE, "--lexical", "--json").out,
            "at": chalk("at", FILE, "--json").out,
            "recall": chalk("recall", "--output", str(output), "--json").out,
            "hooks": chalk("hook", "pre-commit").out,
            "editor": chalk("hook", "save", FILE).out,
            "agent": chalk("hook", "agent", "--client", "claude-code", stdin=json.dumps(event)).out,
            "list": chalk("list", "--json").out,
        }
        repo.git("reset", "-q", "--hard")
        ids = {record.id for record in [*self.approved, *self.others]}
        return {name: {i for i in ids if i in text} for name, text in said.items()}


@pytest.fixture(name="shown")
def shown_fixture(team: Team) -> Shown:
    return Shown(team)


def of(records: list[Record], kind: str) -> set[str]:
    return {record.id for record in records if record.kind == kind}


def test_every_surface_labels_what_nobody_approved(shown: Shown) -> None:
    chalk = shown.team.inside
    trusted = {r["id"]: r["trust"] for r in chalk.json("check", ROUTE, "--lexical", code=1)["rulings"]}
    assert trusted == {shown.approved[0].id: "approved", shown.others[0].id: "unreviewed"}
    assert {r["id"]: r["trust"] for r in chalk.json("at", FILE)["rulings"]} == trusted
    listed = {
        r["id"]: (r["trust"], r["trust_by"]) for r in chalk.json("show", shown.approved[0].id)["records"]
    }
    assert listed == {shown.approved[0].id: ("approved", "Ada <ada@example.org>")}
    approved = chalk.ids("list", "--trust", "approved", key="records")
    assert sorted(approved) == sorted(record.id for record in shown.approved)
    lines = chalk("hook", "save", FILE).out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert ("; unreviewed [" in line) == (shown.others[0].id in line)


def test_by_default_every_surface_shows_both(shown: Shown) -> None:
    both = of(shown.approved + shown.others, "dead-end")
    lessons = of(shown.approved + shown.others, "lesson")
    found = shown.surfaces()
    for surface in ("check", "at", "hooks", "editor", "agent"):
        assert found[surface] == both, surface
    assert found["recall"] == lessons


@pytest.mark.parametrize("surface", ["check", "at", "recall", "hooks", "editor", "agent"])
def test_a_policy_names_the_surfaces_that_show_unreviewed_records(shown: Shown, surface: str) -> None:
    shown.policy(f"show-unreviewed: [{surface}]")
    found = shown.surfaces()
    for name, ids in found.items():
        kind = "lesson" if name == "recall" else "dead-end"
        everything = name in (surface, "list")
        whole = of(shown.approved + shown.others, kind)
        if name == "list":
            assert len(ids) == 4
        else:
            assert ids == (whole if everything else of(shown.approved, kind)), name


def test_what_a_policy_leaves_out_is_said(shown: Shown) -> None:
    chalk = shown.team.inside
    assert "not shown here" not in chalk("check", ROUTE, "--lexical").err
    both = ("check", ROUTE, "--lexical"), ("at", FILE)
    assert [json.loads(chalk(*asked, "--json").out)["withheld"] for asked in both] == [0, 0]
    shown.policy("show-unreviewed: none")
    for asked in both:
        assert "1 unreviewed record is not shown here" in chalk(*asked).err
        assert json.loads(chalk(*asked, "--json").out)["withheld"] == 1
    # what would not be shown anyway is not counted
    other = ("check", "paint the garden fence", "--lexical")
    assert chalk.json(*other)["withheld"] == 0
    assert "not shown here" not in chalk(*other).err


def test_no_approved_record_is_not_no_record(shown: Shown) -> None:
    chalk = shown.team.inside
    for asked in (("check", "paint the garden fence"), ("at", "src/other.py")):
        assert "No record" in chalk(*asked).out
    chalk("correct", shown.approved[0].id, "--because", "it failed for another reason")
    shown.policy("show-unreviewed: none")
    for asked in (("check", ROUTE, "--lexical"), ("at", FILE)):
        assert "No approved record" in chalk(*asked).out


def test_what_a_policy_leaves_out_of_a_recall_is_said(shown: Shown) -> None:
    chalk = shown.team.inside
    shown.policy("show-unreviewed: none")
    output = shown.team.repo.write("run.txt", f"{ERROR}\n")
    assert "1 unreviewed record is not shown here" in chalk("recall", "--output", str(output)).err
    # a note is nobody's to review
    note = chalk.json("note", f"{ROUTE}: did not work")["id"]
    assert note in chalk.ids("check", ROUTE, "--lexical")


def test_a_policy_that_is_none_is_told_and_leaves_nothing_out(shown: Shown) -> None:
    chalk = shown.team.inside
    shown.policy("show-unreviewed: somewhere")
    result = chalk("check", ROUTE, "--lexical", "--json")
    assert "`show-unreviewed` is “somewhere”" in result.err
    assert len(json.loads(result.out)["rulings"]) == 2
    assert "`show-unreviewed` is “somewhere”" in chalk("hook", "save", FILE).err
    assert "show-unreviewed" in chalk("lint").out
    shown.policy("show-unreviewed: all")
    assert chalk("lint").code == 0


def test_lint_names_a_list_of_reviewers_that_is_none(repo: Repo, chalk: Inside) -> None:
    for text, said in (
        ("reviewers: {a: b}", "`reviewers` is no list"),
        ("reviewers: [{name: Ada, phone: 1}]", "a reviewer has no “phone”"),
        ("reviewers: [ssh-ed25519 %%%]", "is no ssh public key"),
        ("require-signature: perhaps", "neither true nor false"),
    ):
        repo.write(".lessons/config.yaml", f"{text}\n")
        result = chalk("lint")
        assert (result.code, said in result.out) == (1, True), result
    repo.write(".lessons/config.yaml", f"reviewers: [Ada, SHA256:{'x' * 43}, 0123456789abcdef0123]\n")
    assert chalk("lint").code == 0
