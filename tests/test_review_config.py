"""What a change does to the repository's configuration, each thing at its line."""

from __future__ import annotations

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from reviewing import ADA, MALLORY, Team, team_fixture  # noqa: F401


def base_of(team: Team) -> str:
    return team.repo.git("rev-parse", "HEAD")


def test_the_list_of_reviewers_is_told_where_it_differs_and_nowhere_else(team: Team) -> None:
    base = base_of(team)
    file = team.repo.root / ".lessons/config.yaml"
    file.write_text("# who reviews\n" + file.read_text())
    team.commit(ADA)
    assert told.findings(team.inside, base) == []
    team.reviewers("{name: Bo, email: bo@example.org}", "mal@example.org", signed=True)
    team.commit(MALLORY)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["path"], found["line"]) == ("reviewers", ".lessons/config.yaml", 1)
    assert found["details"] == [
        "may approve now: Bo, bo@example.org",
        "may approve now: mal@example.org",
        "no longer: ada@example.org",
        "an approval has to be signed now",
    ]
    file.write_text("reviewers: [")
    team.commit(MALLORY)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["path"]) == ("damaged", ".lessons/config.yaml")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("reviewers:\n  - ada@example.org\n\nreviewers: []\n", 4, "says “reviewers” twice"),
        ("# who\nreviewers:\n  - ada@example.org\n  - {mail: x@y}\n", 4, "a reviewer has no “mail”"),
        ("# who\nreviewers:\n- ada@example.org\nrequire-signature: maybe\n", 4, "neither true nor false"),
        ("reviewers: [ada@example.org]\n\nshow-unreviewed: [at, lists]\n", 3, "`show-unreviewed` is “lists”"),
        ("reviewers: [ada@example.org]\nhooks:\n  block: perhaps\n", 3, "`hooks.block` is “perhaps”"),
    ],
)
def test_what_is_wrong_with_the_configuration_stands_at_its_line_and_is_told_once(
    team: Team, text: str, line: int, said: str
) -> None:
    base = base_of(team)
    team.repo.write(".lessons/config.yaml", text)
    team.commit(MALLORY)
    (found,) = told.of(team.inside, base, "damaged")
    assert (found["path"], found["line"]) == (".lessons/config.yaml", line)
    assert said in found["message"]
    wrong = base_of(team)
    team.repo.write(".lessons/config.yaml", text + "# more\n")
    team.commit(MALLORY)
    assert told.findings(team.inside, wrong) == []


def test_a_setting_stands_at_its_line(team: Team) -> None:
    base = base_of(team)
    team.repo.write(
        ".lessons/config.yaml", "# who\nshow-unreviewed: none\nreviewers: [ada@example.org, Bo]\n"
    )
    team.commit(ADA)
    found = told.of(team.inside, base, "reviewers")
    assert [(f["message"].split()[1], f["line"]) for f in found] == [("where", 2), ("who", 3)]


def test_a_change_of_where_unreviewed_records_are_shown_is_told(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/config.yaml", "show-unreviewed: none\n")
    strict = repo.commit()
    repo.write(".lessons/config.yaml", "# nothing\nfingerprint: on\n")
    loose = repo.commit()
    (found,) = told.of(chalk, strict, "reviewers")
    assert found["message"].endswith("are shown: none → all")
    repo.write(".lessons/config.yaml", "fingerprint: off\n")
    repo.commit()
    assert told.of(chalk, loose, "reviewers") == []
