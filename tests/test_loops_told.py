"""What commands and pytest tell of runs: loops that begin, and the runs that end them."""

from __future__ import annotations

import json
import re

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from looping import GREEN, PASSED, keep, numbers, past, recall
from pool import output
from pytesting import FAILING, Runs, installed
from repository import Repo

from chalkgit.store import loops

# --- as commands are told of them -----------------------------------------------------------------


def test_recall_and_detain_keep_runs_of_one_loop_and_the_pass_that_ends_it(repo: Repo, chalk: Inside) -> None:
    recall(chalk, PASSED)
    assert rows(repo, "runs") == []
    recall(chalk, output(), "--exit-code", "1")
    assert chalk("detain", "--output", "-", "--exit-code", "1", stdin=output()).code == 0
    recall(chalk, output("test_refill"), "--loop")
    recall(chalk, "nothing of tests\n", "--exit-code", "0")
    recall(chalk, PASSED, "--exit-code", "1")  # it says that it failed
    recall(chalk, PASSED)
    recall(chalk, output())
    kept = rows(repo, "runs")
    assert [(row["surface"], row["failing"]) for row in kept] == [
        ("recall", 1),
        ("detain", 1),
        ("loop", 1),
        ("recall", None),
        ("recall", 0),
        ("recall", 1),
    ]
    assert numbers(repo) == [0, 0, 0, 0, 0, 1]
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
    recall(chalk, output(), "--exit-code", "1")
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
    recall(chalk, output(), "--exit-code", "1")
    none_ran = [line.replace("3", "0")] if re.search(r"\b3\b", line) else []
    for other in (*none_ran, f"{line}\nFAILED (1)", f"1 failed\n{line}"):
        recall(chalk, other + "\n", "--exit-code", "0")
        assert loops.is_open(repo.place), other
    recall(chalk, line + "\n", "--exit-code", "0")
    assert not loops.is_open(repo.place)


# --- as pytest runs -------------------------------------------------------------------------------


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
    assert numbers(repo) == [0, 0]
    pytests.run(CHALKGIT_BYPASS_RECALL="1")
    pytests.files()
    pytests.run()
    assert numbers(repo) == [0, 0, 1]


def test_one_run_of_pytest_with_recall_behind_it_is_one_run(repo: Repo, chalk: Inside, pytests: Runs) -> None:
    pytests.files()
    repo.commit()

    def told() -> str:
        code, out = pytests.run("--junit-xml=junit.xml")
        repo.write("run.log", out)
        words = ("--report", "junit.xml", "--output", "run.log", "--exit-code", str(code))
        found = chalk("recall", *words, "--loop", "--json")
        return str(json.loads(found.out)["loop"]["verdict"])

    assert told() == "first"
    first = rows(repo, "runs")
    assert [row["surface"] for row in first] == ["pytest", "loop"]
    assert len({row["run"] for row in first}) == 1
    assert len({row["digest"] for row in first}) == 2
    repo.write("other.py", "changed\n")
    assert told() == "repeat"
    assert len({row["run"] for row in rows(repo, "runs")}) == 2
    repo.write("other.py", "changed again\n")
    assert told() == "spinning"  # the third time
    assert chalk.json("report")["retries"]["runs"] == 3


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
    keep(repo, past("a", 30))
    assert said() == (False, True)
    keep(repo, past("a", 0))
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
