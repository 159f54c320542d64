"""`chalkgit experiment`: what it prints, and what it refuses."""

from __future__ import annotations

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from trialling import aa_run, folder, keep, rows, trial

from chalkgit.answers.experiment_rules import OF_AA, OF_EXPERIMENT
from chalkgit.store import experiments, ledger


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
    assert "nothing of it will be quoted: no A/A run came before it" in said.err
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
    assert said.out.count("  kept    ") == len(OF_EXPERIMENT) + len(OF_AA)
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
    assert "  broken  a/a: no A/A run came before it" in said.out
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
    assert chalk("experiment", "start", "--aa").code == 0
    said = chalk("experiment", "status", env={"FORCE_COLOR": "1"})
    assert said.code == 0
    assert "\033[1mbroken\033[0m" in said.out
    assert "\033" not in chalk("experiment", "status").out
