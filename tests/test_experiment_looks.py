"""What an experiment says once its rules are kept (a direction, help, harm, no signal), and when it looks."""

from __future__ import annotations

from repository import Repo
from source import ROOT
from trialling import DAY, aa_run, broken, keep, now, result, rows, standing, start, trial

from chalkgit import thresholds
from chalkgit.answers import experiment_rules, experiment_stats
from chalkgit.answers.experiment import CALIBRATED, HARMS, HELPS, NO_CLAIM, NO_SIGNAL
from chalkgit.store import ledger


def test_no_direction_is_no_claim_and_no_signal_is_a_result(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    keep(repo, rows(manifest, "with", (30, 50)), rows(manifest, "without", (25, 50)))
    found = result(repo)
    assert broken(found) == []
    assert found.verdict == NO_CLAIM
    assert found.line.startswith("no claim: no direction at 50 loops an arm (95 %: between ")
    ledger.change(repo.place, "delete from trials where experiment = ?", (manifest.id,))
    keep(repo, rows(manifest, "with", (60, 100)), rows(manifest, "without", (50, 100)))
    found = result(repo)
    assert (found.verdict, found.decided, found.why) == (NO_SIGNAL, True, None)
    assert found.line == (
        "no signal: with or without lessons, what is seen is what chance gives (95 %: between 4 points less "
        "and 24 points more often; 60 of 100 with, 50 of 100 without)"
    )


def test_harm_is_named(repo: Repo) -> None:
    aa_run(repo)
    trial(repo, (50, 100), (80, 100))
    found = result(repo)
    assert found.verdict == HARMS
    assert found.line.startswith(
        "lessons do harm: with lessons 30 points less often fixed (95 %: 16 to 42 points;"
    )


def test_a_look_waits_for_loops_whose_outcome_may_still_come_and_never_changes(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    made = [*rows(manifest, "with", (80, 100)), *rows(manifest, "without", (50, 100))]
    for n, row in enumerate(sorted(made, key=lambda row: int(row["at"]))):
        row["at"] = now() - DAY // 2 + n
    waits = made[3]
    waits.update(again=None, gone=None)
    keep(repo, made)
    assert broken(result(repo)) == ["size"]
    why = standing(repo).line
    assert why.startswith("no claim: too few")
    assert "loops began after one whose outcome may still come" in why
    ledger.change(
        repo.place, "update trials set again = ?, gone = 1 where loop = ?", (now(), str(waits["loop"]))
    )
    line = standing(repo).line
    assert line.startswith("with lessons ")
    later = [*rows(manifest, "with", (0, 300)), *rows(manifest, "without", (0, 300))]
    known = {row["loop"] for row in made}
    fresh = [{**row, "at": now()} for row in later if row["loop"] not in known]
    keep(repo, fresh)
    assert standing(repo).line == line


def test_both_arms_of_a_look_come_from_the_same_days(repo: Repo) -> None:
    """A team that gets better: the first hundred without, one in five, would be later than the first with."""
    aa_run(repo)
    manifest = start(repo, holdout=0.2)
    shown, withheld = rows(manifest, "with", (200, 400)), rows(manifest, "without", (50, 100))
    begun = now() - 300 * DAY
    for table, step in ((shown, 1), (withheld, 4)):
        for n, row in enumerate(table):
            row["at"] = begun + n * step * 1000
            row["again"] = row["at"] + 1
            row["gone"] = int(n >= len(table) // 2)  # nothing is fixed at first, and everything later
    keep(repo, shown, withheld)
    assert result(repo).verdict == NO_SIGNAL


def test_a_secondary_outcome_is_shown_beside_and_nothing_is_claimed_of_it(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    keep(
        repo,
        rows(manifest, "with", (0, 100), fewer=1),
        rows(manifest, "without", (0, 100), fewer=0),
    )
    found = result(repo)
    assert found.verdict == NO_SIGNAL
    assert found.fewer is not None
    assert found.fewer[0] == 1.0
    assert "fewer" not in found.line


def test_an_aa_run_is_judged_by_its_own_rules(repo: Repo) -> None:
    assert standing(repo).line == "no claim: no experiment was run here"
    aa_run(repo)
    found = standing(repo)
    assert found.experiment is None
    assert found.line == "no claim: no experiment was run here"
    assert found.aa is not None
    assert found.aa.verdict == CALIBRATED
    assert found.aa.line.startswith("the A/A run passes: 1.00 points apart")
    aa_run(repo, (60, 100), (50, 100))
    assert broken(standing(repo).aa) == ["within"]


def test_a_failure_that_is_gone_with_nothing_changed_is_not_fixed(repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    for changed, verdict in ((None, HELPS), (1, HELPS), (0, HARMS)):
        ledger.change(
            repo.place,
            "update trials set changed = ? where experiment = ? and arm = 'with'",
            (changed, manifest.id),
        )
        assert result(repo).verdict == verdict


def test_every_rule_says_its_thresholds_and_its_figures(repo: Repo) -> None:
    aa_run(repo)
    trial(repo)
    found = standing(repo)
    assert found.experiment is not None
    assert found.aa is not None
    told = " ".join(rule.sentence for rule in found.experiment.rules + found.aa.rules)
    for number in ("±3 points", "100 loops", "50 loops", "10 %", "two"):
        assert number in told
    assert all(rule.figures for rule in found.experiment.rules + found.aa.rules)
    assert len(found.experiment.rules) == len(experiment_rules.OF_EXPERIMENT)


def test_the_document_names_every_rule_and_its_thresholds(repo: Repo) -> None:
    text = (ROOT / "docs" / "experiment.md").read_text(encoding="utf-8")
    aa_run(repo)
    trial(repo)
    found = standing(repo)
    for one in (found.experiment, found.aa):
        assert one is not None
        assert [rule.name for rule in one.rules if f"| `{rule.name}` |" not in text] == []
    for number in (
        f"{experiment_rules.WITHIN} points",
        f"at least {thresholds.EXPERIMENT_AA_LOOPS} loops",
        f"{thresholds.EXPERIMENT_DIRECTION} loops an arm for a direction",
        f"{experiment_rules.EXCLUDED} of the loops",
        f"{experiment_stats.needed(0.5):,}",
    ):
        assert number in text


def test_a_failure_in_whose_place_another_stands_is_not_fixed(repo: Repo) -> None:
    aa_run(repo)
    manifest = start(repo)
    keep(repo, rows(manifest, "with", (100, 100), fewer=0), rows(manifest, "without", (50, 100)))
    assert "less often" in result(repo).line
