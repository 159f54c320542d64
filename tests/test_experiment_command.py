"""`chalkgit experiment`: what it prints, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from trialling import aa_run, folder, keep, rows, start, trial

from chalkgit.answers.experiment_rules import OF_AA, OF_EXPERIMENT
from chalkgit.store import experiment_file, experiments, ledger

ROOT = Path(__file__).parents[1]


def test_start_locks_what_was_decided_and_says_it(chalk: Inside, repo: Repo) -> None:
    found = chalk.json("experiment", "start", "--holdout", "0.3", "--size", "150")
    manifest = experiments.running(repo.place)
    assert manifest is not None
    assert found == {
        "version": 1,
        "id": manifest.id,
        "aa": False,
        "holdout": 0.3,
        "size": 150,
        "started": manifest.started,
        "digest": manifest.digest,
        "switched_off": [],
    }


def test_it_starts_without_an_aa_run_and_says_that_nothing_will_be_quoted(chalk: Inside, repo: Repo) -> None:
    said = chalk("experiment", "start")
    assert said.code == 0
    assert "20 % of the loops with lessons go without them; it is decided at 100 loops an arm" in said.out
    assert "lessons will be withheld from now on, and nothing of it will be quoted: no A/A" in said.err
    assert "chalkgit experiment stop ends it" in said.err
    assert "after at least 100 loops an arm (about 2,100 are planned)" in said.err
    assert "experiment start --aa" in said.err
    chalk("experiment", "stop")
    said = chalk("experiment", "start", "--aa")
    assert (said.code, said.err) == (0, "")
    assert "50 % of the loops with lessons are in arm a, the others in b, and nothing is withheld" in said.out
    assert "let it run to 2,135 loops an arm" in said.out
    chalk("experiment", "stop")
    aa_run(repo)
    assert chalk("experiment", "start").err == ""


def test_a_second_one_is_refused_with_the_way_out(chalk: Inside) -> None:
    chalk("experiment", "start")
    said = chalk("experiment", "start", "--aa")
    assert said.code == 2
    assert "runs already" in said.err
    assert "hint: chalkgit experiment stop" in said.err
    assert chalk("experiment", "stop").code == 0
    said = chalk("experiment", "stop")
    assert said.code == 2
    assert "hint: chalkgit experiment start" in said.err


def test_with_the_journal_off_it_does_not_start(chalk: Inside, repo: Repo) -> None:
    folder(repo).mkdir()
    (folder(repo) / ledger.OFF).touch()
    said = chalk("experiment", "start")
    assert said.code == 2
    assert "the journal is switched off" in said.err
    assert "hint: chalkgit journal on" in said.err
    (folder(repo) / ledger.OFF).unlink()
    assert chalk("experiment", "start").code == 0
    (folder(repo) / ledger.OFF).touch()
    assert "no loop takes part" in chalk("experiment", "status").err


def test_what_makes_no_experiment_is_refused(chalk: Inside, repo: Repo) -> None:
    for given in (("--holdout", "0"), ("--holdout", "1"), ("--holdout", "nan"), ("--size", "99")):
        assert chalk("experiment", "start", *given).code == 2
    assert experiments.running(repo.place) is None
    assert chalk("experiment", "start", "--holdout", "0.05", "--size", "100").code == 0


def test_status_lists_every_rule_as_kept_or_broken(chalk: Inside, repo: Repo) -> None:
    assert chalk("experiment", "status").out.startswith("no claim: no experiment was run here")
    aa_run(repo)
    manifest = trial(repo)
    said = chalk("experiment", "status")
    assert said.code == 0
    assert said.out.startswith(
        "with lessons 30 points more often fixed (95 %: 16 to 42 points; 80 of 100 with"
    )
    assert said.out.count("  kept     ") == len(OF_EXPERIMENT) + len(OF_AA)
    assert "broken" not in said.out
    found = chalk.json("experiment", "status")
    assert found["running"] == manifest.id
    assert found["line"] == said.out.splitlines()[0]
    one = found["experiment"]
    assert (one["verdict"], one["decided"], one["look"]["size"]) == ("helps", True, 100)
    assert [rule["kept"] for rule in one["rules"]] == [True] * len(OF_EXPERIMENT)
    assert one["difference"]["low"] < one["difference"]["value"] == 0.3 < one["difference"]["high"]
    assert "with     100 of 100 loops count; 80 fixed, 80 % (95 %: 71 % to 87 %)" in said.out
    assert [arm["rate"] for arm in one["looked_at"]] == [0.8, 0.5]
    assert found["aa"]["verdict"] == "calibrated"


def test_status_says_why_nothing_is_claimed_and_prints_no_effect(chalk: Inside, repo: Repo) -> None:
    trial(repo)
    said = chalk("experiment", "status")
    assert said.out.startswith("no claim: no A/A run came before it\n")
    assert "  broken   a/a: no A/A run came before it" in said.out
    assert said.out.count("broken") == 1
    assert "more often" not in said.out
    assert [word for word in ("80", "50 of", "fixed,", "95 %") if word in said.out] == []
    assert "with     100 of 100 loops count\n" in said.out
    one = chalk.json("experiment", "status")["experiment"]
    assert (one["verdict"], one["why"]) == ("no claim", "no A/A run came before it")
    assert one["difference"] is one["fewer_failing"] is one["looked_at"] is None
    assert not {"fixed", "rate"} & {key for arm in one["arms"] for key in arm}


def test_stop_ends_it_and_keeps_what_was_found(chalk: Inside, repo: Repo) -> None:
    aa_run(repo)
    manifest = trial(repo)
    said = chalk("experiment", "stop")
    assert said.out.startswith(f"experiment {manifest.id} has ended; with lessons 30 points more often fixed")
    found = chalk.json("experiment", "status")
    assert found["running"] is None
    assert found["experiment"]["ended"] is not None
    assert found["experiment"]["verdict"] == "helps"


def test_stored_text_is_shown_on_one_line(chalk: Inside, repo: Repo) -> None:
    manifest = trial(repo)
    chalk("experiment", "stop")
    ledger.change(repo.place, "update experiments set why = ?", ("aborted: \x1b[31mred\nline",))
    said = chalk("experiment", "status").out
    assert "\x1b" not in said
    assert "\nline" not in said
    keep(repo, [{**rows(manifest, "with", (1, 1))[0], "loop": "z\x1b[0m"}])
    assert "\x1b" not in chalk("experiment", "status").out


def test_on_a_terminal_that_shows_colours_a_broken_rule_stands_out(repo: Repo, chalk: Inside) -> None:
    trial(repo)
    said = chalk("experiment", "status", env={"FORCE_COLOR": "1"})
    assert said.code == 0
    assert "\033[1mbroken\033[0m" in said.out
    assert "\033" not in chalk("experiment", "status").out
    chalk("experiment", "stop")
    assert chalk("experiment", "start", "--aa").code == 0  # its size is not reached, and nothing is broken
    said = chalk("experiment", "status", env={"FORCE_COLOR": "1"})
    assert "not yet" in said.out
    assert "\033[1mnot yet" not in said.out


def test_of_an_aa_run_nothing_is_compared_before_it_has_its_loops(chalk: Inside, repo: Repo) -> None:
    manifest = start(repo, aa=True, size=2135)
    keep(repo, rows(manifest, "a", (2, 5)), rows(manifest, "b", (2, 3)))
    said = chalk("experiment", "status").out
    assert said.startswith("no claim: an A/A run is in progress: 5 and 3 of 100 loops\n")
    assert "hint: chalkgit experiment stop, once each arm has at least 100 loops" in said
    assert "  not yet  size: too few: 5 a and 3 b, of 100" in said
    assert "  not yet  within: nothing is compared before each arm has 100 loops" in said
    assert [word for word in ("fixed", "apart", "broken", "miss by chance") if word in said] == []
    found = chalk.json("experiment", "status")["aa"]
    assert found["looked_at"] is None
    assert {rule["name"]: rule["kept"] for rule in found["rules"] if not rule["kept"]} == {
        "size": None,
        "within": None,
    }
    keep(repo, rows(manifest, "a", (60, 120))[5:], rows(manifest, "b", (45, 100))[3:])
    said = chalk("experiment", "status").out
    assert "points apart" in said
    assert "fixed, " in said
    assert "with 120 and 100 loops 6" in said  # percent of honest runs
    assert "  not yet  within: " in said  # it has the loops to be looked at, not those that were planned
    assert "in progress: 120 and 100 of 2,135 loops" in said
    experiment_file.stop(repo.place)
    assert "  broken   within: " in chalk("experiment", "status").out


def test_a_size_that_is_not_reached_is_broken_once_no_loop_can_come(chalk: Inside, repo: Repo) -> None:
    aa_run(repo)
    trial(repo, (8, 10), (5, 10))
    assert "  not yet  size: too few" in chalk("experiment", "status").out
    assert chalk.json("report")["experiment"]["experiment"]["rules"][-1]["kept"] is None
    assert "not yet" in chalk("report").out
    chalk("experiment", "stop")
    assert "  broken   size: too few" in chalk("experiment", "status").out


def test_an_aa_run_in_progress_is_the_head_line_and_what_was_found_stands_below(
    chalk: Inside, repo: Repo
) -> None:
    aa_run(repo)
    trial(repo)
    chalk("experiment", "stop")
    claim = chalk.json("report")["experiment"]
    assert claim["claims"] is True
    start(repo, aa=True)
    said = chalk("experiment", "status").out
    assert said.startswith("no claim: an A/A run is in progress: 0 and 0 of 100 loops\n")
    assert f"\n  {claim['line']}\n" in said
    found = chalk.json("report")["experiment"]
    assert (found["claims"], found["line"]) == (False, said.splitlines()[0])
    assert f"The experiment before: {claim['line']}." in chalk("report").out


def test_where_the_journal_was_lost_while_one_runs_the_hint_is_to_stop(chalk: Inside, repo: Repo) -> None:
    assert "start --aa" in chalk("experiment", "status").out
    manifest = start(repo)
    for file in folder(repo).glob("journal*"):
        file.unlink()
    said = chalk("experiment", "status").out
    assert said.splitlines() == [
        f"no claim: experiment {manifest.id} runs, and is not in the journal",
        "hint: chalkgit experiment stop",
    ]
    assert chalk.json("report")["experiment"]["missing"] == "chalkgit experiment stop"
    assert chalk("experiment", "stop").code == 0
    assert "start --aa" in chalk("experiment", "status").out


def test_help_does_not_ask_for_an_aa_run_first(chalk: Inside) -> None:
    said = " ".join(chalk("experiment", "start", "--help").out.split())
    assert "has to come first" not in said
    assert "An experiment without one before is not quoted." in said


def test_its_json_is_as_documented(chalk: Inside, repo: Repo) -> None:
    aa_run(repo)
    trial(repo)
    told = (ROOT / "docs" / "experiment.md").read_text(encoding="utf-8")

    def documented(title: str) -> set[str]:
        rows = told.split(f"# JSON of {title}\n")[1].split("\n#")[0].splitlines()
        return {
            word for row in rows for word in re.findall(r"`([^`]+)`", row.split("|")[1] if "|" in row else "")
        }

    found = chalk.json("experiment", "status")
    assert set(found) == documented("`experiment status`")
    for key in ("experiment", "aa"):
        assert set(found[key]) == documented("an experiment")
        inner = [found[key]["arms"][0], found[key]["looked_at"][0], found[key]["rules"][0]]
        inner += [part for part in (found[key]["look"], found[key]["difference"]) if part is not None]
        assert len(inner) == (5 if key == "experiment" else 4)
        assert [name for part in inner for name in part if f"`{name}`" not in told] == []
    assert set(chalk.json("experiment", "stop")) == {*found, "stopped"}
