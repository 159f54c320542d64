"""Which runs are one loop, what the next run shows of the one before, and what an experiment withholds."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from pool import RULE, output
from pytesting import FAILING, SEEN, Runs, installed
from repository import Repo

from chalkgit import thresholds
from chalkgit.store import experiment_file, experiment_manifest, loops, runs
from chalkgit.store.runs import Past

HOUR = 3600 * 1000
NOW = time.time_ns() // 1_000_000
PASSED = """============================= test session starts ==============================
rootdir: /home/ada/pool
collected 2 items

tests/test_pool.py ..                                                    [100%]

============================== 2 passed in 0.03s ===============================
"""


def _past(name: str = "a", ago: int = 0, **more: Any) -> Past:
    told = {"fingerprint": f"v1:{name}", "tests": [f"t.{name}"], "error": name, "digest": None, **more}
    return Past(told.pop("surface", "recall"), at=NOW - ago * HOUR, **told)


def _keep(repo: Repo, past: Past) -> loops.Step:
    step = loops.step(repo.place, past)
    assert loops.keep(step) is None
    return step


def _loops(repo: Repo) -> list[int]:
    """Of each run that was kept, the number of its loop."""
    kept = [row["loop"] for row in rows(repo, "runs")]
    return [list(dict.fromkeys(kept)).index(loop) for loop in kept]


# --- which runs are one loop ----------------------------------------------------------------------


def test_runs_of_one_ticket_within_a_day_are_one_loop(repo: Repo) -> None:
    for name, ago, ticket in (
        ("a", 60, None),
        ("a", 40, None),  # within a day of the one before
        ("b", 17, None),
        ("a", 10, "T-1"),  # another ticket
        ("a", 1, None),
        ("a", 0, "T-1"),
    ):
        _keep(repo, _past(name, ago, ticket=ticket))
    assert _loops(repo) == [0, 0, 0, 1, 0, 1]
    first = rows(repo, "runs")[0]
    assert first["loop"] == first["run"]
    assert len({row["run"] for row in rows(repo, "runs")}) == 6


def test_after_a_day_it_is_another_loop(repo: Repo) -> None:
    _keep(repo, _past("a", 25))
    _keep(repo, _past("a", 0))
    assert _loops(repo) == [0, 1]


def test_a_run_that_passes_ends_the_loop_and_is_kept_only_there(repo: Repo) -> None:
    passed = {"tests": (), "fingerprint": None, "error": None, "failing": 0}
    _keep(repo, _past("a", 5, **passed))
    assert rows(repo, "runs") == []
    assert not loops.is_open(repo.place)
    _keep(repo, _past("a", 4))
    assert loops.is_open(repo.place)
    assert loops.failing(repo.place) == ("t.a",)
    assert not loops.is_open(repo.place, "T-1")
    _keep(repo, _past("a", 3, **passed))
    assert not loops.is_open(repo.place)
    _keep(repo, _past("a", 2, **passed))
    _keep(repo, _past("a", 1))
    assert _loops(repo) == [0, 0, 1]
    assert [row["failing"] for row in rows(repo, "runs")] == [1, 0, 1]
    # what says how a loop goes looks at failed runs alone
    assert [past.failing for past in runs.earlier(repo.place)] == [1, 1]


@pytest.mark.parametrize(
    ("other", "one"),
    [
        ({"surface": "detain", "digest": "d"}, True),
        ({"surface": "recall", "digest": "d"}, False),
        ({"surface": "recall", "digest": "d", "tree": "1"}, True),
        ({"surface": "pytest", "digest": "e"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "1"}, True),
        ({"surface": "loop", "digest": "e", "tree": "1"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "1", "fingerprint": "v1:b"}, False),
        ({"surface": "pytest", "digest": "e", "tree": "2"}, False),
    ],
)
def test_a_run_that_two_commands_are_told_of_is_one(repo: Repo, other: dict[str, Any], one: bool) -> None:
    first = _keep(repo, _past(digest="d", tree="1"))
    second = _keep(repo, _past(**other))
    assert second.told == one
    assert (first.past.run == second.past.run) == one
    assert (loops.outcome(second) is None) == one
    third = _keep(repo, _past("b"))
    assert third.before is not None
    assert third.before.run == second.past.run


def test_a_journal_of_an_earlier_version_begins_a_loop(repo: Repo) -> None:
    runs.record(repo.place, _past("a", 1))  # without ids
    _keep(repo, _past("a", 0))
    assert rows(repo, "runs")[1]["loop"] == rows(repo, "runs")[1]["run"]


# --- what comes of a run --------------------------------------------------------------------------

NOTHING = {"tests": (), "fingerprint": None, "error": None}


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        ({}, {}, (False, False, None)),
        ({}, {"fingerprint": "v1:b"}, (True, False, None)),
        ({"tests": ["a", "b"]}, {"tests": ["a"]}, (False, True, None)),
        ({"tree": "1"}, {"tree": "2"}, (False, False, True)),
        ({"tree": "1"}, {"tree": "1"}, (False, False, False)),
        ({"tree": "1"}, {}, (False, False, None)),
        ({}, {**NOTHING, "failing": 0}, (True, True, None)),
        ({}, {**NOTHING, "error": "no build"}, (True, None, None)),
        ({**NOTHING, "error": "x"}, {**NOTHING, "error": "x"}, (None, None, None)),
        ({"fingerprint": None}, {"fingerprint": None}, (False, False, None)),
        ({"fingerprint": None}, {"fingerprint": None, "tests": ["t.b"]}, (True, False, None)),
    ],
)
def test_the_next_run_shows_whether_it_is_gone_fewer_and_changed(
    repo: Repo, before: dict[str, Any], now: dict[str, Any], shown: tuple[bool | None, ...]
) -> None:
    _keep(repo, _past("a", 1, **before))
    found = loops.outcome(loops.step(repo.place, _past("a", 0, **now)))
    assert found is not None
    assert (found["gone"], found["fewer"], found["changed"]) == shown


def test_an_exit_code_alone_shows_nothing_and_is_passed_over(repo: Repo) -> None:
    assert loops.outcome(_keep(repo, _past("a", 3))) is None  # the first shows nothing
    code = _keep(repo, _past("a", 2, **NOTHING, code=1))
    assert loops.outcome(code) is None
    step = _keep(repo, _past("b", 1))
    assert step.before is not None
    assert step.before.fingerprint == "v1:a"
    assert (loops.outcome(step) or {})["gone"] is True


# --- as commands are told of them -----------------------------------------------------------------


def _recall(chalk: Inside, text: str, *options: str) -> Any:
    result = chalk("recall", "--output", "-", *options, "--json", stdin=text)
    assert result.code == 0, result
    return json.loads(result.out)


def test_recall_and_detain_keep_runs_of_one_loop_and_the_pass_that_ends_it(repo: Repo, chalk: Inside) -> None:
    _recall(chalk, PASSED)
    assert rows(repo, "runs") == []
    _recall(chalk, output(), "--exit-code", "1")
    assert chalk("detain", "--output", "-", "--exit-code", "1", stdin=output()).code == 0
    _recall(chalk, output("test_refill"), "--loop")
    _recall(chalk, "nothing of tests\n", "--exit-code", "0")
    _recall(chalk, PASSED, "--exit-code", "1")  # it says that it failed
    _recall(chalk, PASSED)
    _recall(chalk, output())
    kept = rows(repo, "runs")
    assert [(row["surface"], row["failing"]) for row in kept] == [
        ("recall", 1),
        ("detain", 1),
        ("loop", 1),
        ("recall", None),
        ("recall", 0),
        ("recall", 1),
    ]
    assert _loops(repo) == [0, 0, 0, 0, 0, 1]
    assert kept[0]["run"] == kept[1]["run"] != kept[2]["run"]
    assert [row["tree"] is None for row in kept] == [True, True, False, True, True, True]


@pytest.mark.parametrize(
    ("report", "ran"),
    [
        ('<testsuite><testcase name="a"/></testsuite>', True),
        ('<testsuite><testcase name="a"><skipped/></testcase></testsuite>', False),
        ("<testsuite></testsuite>", False),
        ('<testsuite><testcase name="a"/>', False),  # it ends before its end
        ('{"Action":"pass","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p"}', True),
        ('{"Action":"pass","Package":"p"}', False),
        ('{"numPassedTests":2,"testResults":[],"openHandles":[]}', True),
        ('{"numPassedTests":0,"testResults":[],"openHandles":[]}', False),
    ],
)
def test_a_report_ends_a_loop_where_it_shows_that_tests_ran(
    repo: Repo, chalk: Inside, report: str, ran: bool
) -> None:
    _recall(chalk, output(), "--exit-code", "1")
    repo.write("report", report)
    assert chalk("recall", "--report", "report").code == 0
    assert loops.is_open(repo.place) is not ran


@pytest.mark.parametrize(
    "line",
    [
        "===== 3 passed, 1 skipped in 0.12s =====",
        "3 passed in 0.12s",
        "Ran 3 tests in 0.001s\n\nOK",
        "ok  \texample.org/pool\t0.013s",
        "ok  \texample.org/pool\t(cached)",
        "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "Tests:       3 passed, 3 total",
        "      Tests  3 passed (3)",
        "  3 passing (9ms)",
        "ℹ pass 3",
        "3 examples, 0 failures",
        "3 runs, 5 assertions, 0 failures, 0 errors, 0 skips",
        "OK (3 tests, 5 assertions)",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
        "100% tests passed, 0 tests failed out of 3",
        "[  PASSED  ] 3 tests.",
        "All tests passed (3 assertions in 2 test cases)",
        "ok 1 - drains\n1..1",
        "All tests successful.",
    ],
    ids=lambda line: line.strip()[:30],
)
def test_an_output_ends_a_loop_where_it_shows_that_tests_ran(repo: Repo, chalk: Inside, line: str) -> None:
    _recall(chalk, output(), "--exit-code", "1")
    none_ran = [line.replace("3", "0")] if re.search(r"\b3\b", line) else []
    for other in (*none_ran, f"{line}\nFAILED (1)", f"1 failed\n{line}"):
        _recall(chalk, other + "\n", "--exit-code", "0")
        assert loops.is_open(repo.place), other
    _recall(chalk, line + "\n", "--exit-code", "0")
    assert not loops.is_open(repo.place)


# --- as pytest runs -------------------------------------------------------------------------------

GREEN = {"test_cart.py": "def test_passes(): pass\ndef test_add(): pass\n"}


@pytest.fixture(name="pytests")
def pytests_fixture(repo: Repo) -> Runs:
    return Runs(repo, installed(repo.root.parent / "site"))


def _failing(repo: Repo) -> list[int | None]:
    return [row["failing"] for row in rows(repo, "runs")]


def test_a_green_run_of_pytest_ends_the_loop_and_leaves_no_other_trace(repo: Repo, pytests: Runs) -> None:
    pytests.files(GREEN)
    quiet = pytests.run("-v")
    assert quiet[0] == 0
    assert not (repo.root / ".git/chalkgit-journal").exists()
    pytests.files()
    pytests.run()
    assert _failing(repo) == [1]
    pytests.files(GREEN)
    for options in (("-k", "passes"), ("-k", "nothing"), ("--collect-only",)):
        pytests.run(*options)
    assert _failing(repo) == [1]  # what had failed was not run
    code, out = pytests.run("-v")
    assert code == 0
    assert "chalkgit: " not in out
    assert _failing(repo) == [1, 0]
    pytests.run()
    assert _failing(repo) == [1, 0]
    assert _loops(repo) == [0, 0]
    pytests.run(CHALKGIT_BYPASS_RECALL="1")
    pytests.files()
    pytests.run()
    assert _loops(repo) == [0, 0, 1]


def test_a_file_that_could_not_be_collected_is_mended_by_its_tests(repo: Repo, pytests: Runs) -> None:
    pytests.files({"test_cart.py": "import no_such_module\n"})
    pytests.run()
    pytests.files(GREEN)
    pytests.run()
    assert _failing(repo) == [1, 0]


def test_a_green_run_starts_no_process_and_imports_next_to_nothing_where_no_loop_is_open(
    repo: Repo, pytests: Runs
) -> None:
    spy = """
        import sys
        import chalkgit.doors.pytest_plugin as plugin
        def _asked(told, root): print("ASKED"); return b'{"rows": []}'
        plugin._asked = _asked
        def pytest_unconfigure(config):
            print("LOADED", *sorted(n for n in sys.modules if n.startswith("chalkgit.store")))
    """
    pytests.files({**GREEN, "conftest.py": spy})

    def said() -> tuple[bool, bool]:
        out = pytests.run("-s")[1]
        return "ASKED" in out, "chalkgit.store" in out

    assert said() == (False, False)
    _keep(repo, _past("a", 30))
    assert said() == (False, True)
    _keep(repo, _past("a", 0))
    assert said() == (True, True)


def test_what_goes_wrong_after_a_green_run_is_not_heard(repo: Repo, pytests: Runs) -> None:
    pytests.files(FAILING)
    pytests.run()
    breaks = ("plugin._asked = None", "plugin._CHILD = 'raise SystemExit(3)'", "plugin._may_be_open = None")
    for how in breaks:
        conftest = f"import chalkgit.doors.pytest_plugin as plugin\ndef pytest_sessionstart():\n    {how}\n"
        pytests.files(GREEN)
        repo.write("conftest.py", conftest)
        code, out = pytests.run("-v")
        assert (code, "chalkgit:" in out, "rror" in out) == (0, False, False), (how, out)
    assert _failing(repo) == [1]
    (repo.root / "conftest.py").unlink()
    pytests.run()
    assert _failing(repo) == [1, 0]


# --- in an experiment -----------------------------------------------------------------------------


def _arms(repo: Repo, chalk: Inside, most: int = 40) -> dict[str, str]:
    """A ticket whose loop got into each arm, once a run of it was told of."""
    found: dict[str, str] = {}
    for number in range(most):
        ticket = f"T-{number}"
        _recall(chalk, output(line=number), "--exit-code", "1", "--ticket", ticket)
        found.setdefault(rows(repo, "trials")[-1]["arm"], ticket)
        if len(found) == 2:
            return found
    raise AssertionError("chance has no such luck")


@pytest.fixture(name="tried")
def tried_fixture(repo: Repo, chalk: Inside) -> Repo:
    """A repository with a lesson, in which an experiment runs."""
    made = chalk("lesson", RULE, "--output", "-", "--exit-code", "1", "--json", stdin=output())
    assert made.code == 0
    repo.commit()
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    return repo


def test_in_an_experiment_half_of_the_loops_are_shown_no_lessons_and_told_so(
    tried: Repo, chalk: Inside
) -> None:
    arms = _arms(tried, chalk)
    (trial,) = {row["experiment"] for row in rows(tried, "trials")}
    with_ = chalk("recall", "--output", "-", "--ticket", arms["with"], stdin=output(line=90))
    assert RULE in with_.out
    assert "withheld" not in with_.err
    without = chalk("recall", "--output", "-", "--ticket", arms["without"], stdin=output(line=91))
    assert without.out == ""
    assert f"1 lesson is withheld by experiment {trial} (chalkgit experiment status)" in without.err
    answer = _recall(chalk, output(line=92), "--ticket", arms["without"])
    assert (answer["lessons"], answer["withheld_by"]) == ([], trial)
    assert _recall(chalk, output(line=93), "--ticket", arms["with"])["withheld_by"] is None
    arm = {row["loop"]: row["arm"] for row in rows(tried, "trials")}
    for row in rows(tried, "runs"):
        given = arm[row["loop"]] == "with"
        assert (row["found"], row["given"], bool(row["bytes"])) == (1, int(given), given)
    for trial_row in rows(tried, "trials"):
        assert (trial_row["found"], trial_row["given"]) == (1, int(trial_row["arm"] == "with"))
    shown = [row for row in asked(tried) if row[0] == "recall"]
    assert {row[2] for row in shown} == {"fingerprint"}
    assert {row[3] for row in shown} == {0, 1}


def test_what_came_of_a_trial_is_what_the_next_run_shows(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    chalk("detain", "--output", "-", "--ticket", arms["with"], stdin=output(line=1))
    tried.write("pool.py", "changed\n")
    _recall(chalk, output("test_refill"), "--ticket", arms["with"])
    _recall(chalk, PASSED, "--ticket", arms["without"])
    found = {row["loop"]: row for row in rows(tried, "trials")}
    loop = {row["ticket"]: row["loop"] for row in rows(tried, "runs")}
    with_, without = found[loop[arms["with"]]], found[loop[arms["without"]]]
    assert (without["gone"], without["fewer"], without["changed"], without["failing"]) == (1, 1, 1, 0)
    assert with_["again"] is not None
    others = [row for row in found.values() if row not in (with_, without)]
    assert all(row["again"] is None for row in others)


def test_the_same_run_told_of_again_is_no_outcome(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    text = output(line=[row["ticket"] for row in rows(tried, "runs")].index(arms["with"]))
    assert chalk("detain", "--output", "-", "--ticket", arms["with"], stdin=text).code == 0
    _recall(chalk, text, "--exit-code", "1", "--ticket", arms["with"])
    assert all(row["again"] is None for row in rows(tried, "trials"))
    _recall(chalk, output(line=95), "--ticket", arms["with"])
    assert [row["gone"] for row in rows(tried, "trials") if row["again"] is not None] == [0]


def test_pytest_withholds_too_and_says_it_in_one_line(repo: Repo, pytests: Runs) -> None:
    pytests.files()
    pytests.lesson()
    repo.commit()
    manifest = experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    wanted = {"with", "without"}
    for _ in range(40):
        _, out = pytests.run()
        row = rows(repo, "trials")[-1]
        withheld = f"chalkgit: 1 lesson is withheld by experiment {manifest.id} (chalkgit experiment status)"
        assert (SEEN in out, withheld in out) == (row["arm"] == "with", row["arm"] == "without")
        assert (row["given"], bool(row["bytes"])) == (int(row["arm"] == "with"), row["arm"] == "with")
        wanted.discard(row["arm"])
        pytests.files(GREEN)
        pytests.run()
        assert [rows(repo, "trials")[-1][name] for name in ("gone", "fewer", "changed")] == [1, 1, 1]
        pytests.files()
        if not wanted:
            break
    assert not wanted


def test_a_manifest_that_was_edited_withholds_nothing_and_says_so(tried: Repo, chalk: Inside) -> None:
    arms = _arms(tried, chalk)
    (trial,) = {row["experiment"] for row in rows(tried, "trials")}
    file = experiment_manifest.path(tried.place, trial)

    os.chmod(file, 0o600)
    with open(file, "a") as opened:
        opened.write(" ")
    result = chalk("recall", "--output", "-", "--ticket", arms["without"], stdin=output(line=96))
    assert RULE in result.out
    assert "edited" in result.err


def test_without_an_experiment_git_lists_no_tree_for_a_run(repo: Repo, chalk: Inside) -> None:
    chalk("lesson", RULE, "--output", "-", "--exit-code", "1", stdin=output())
    _recall(chalk, output())
    assert rows(repo, "runs")[0]["tree"] is None
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=True)
    _recall(chalk, output(line=2))
    assert rows(repo, "runs")[1]["tree"] is not None
    assert thresholds.LOOP_SECONDS == 24 * 3600
