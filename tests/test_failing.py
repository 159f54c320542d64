"""The options that tell of a failed run: which files are read, and what is said of those that are not."""

from __future__ import annotations

import json
import os

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

SUITE = (
    '<testsuite name="s"><testcase classname="shop.{0}" name="t">'
    '<failure message="ValueError: {0}" type="ValueError">ValueError: {0}</failure></testcase></testsuite>'
)


def test_several_reports_of_one_run_are_one(chalk: Inside, repo: Repo) -> None:
    """Surefire and Gradle write one file a class."""
    for name in ("b", "a", "c"):
        repo.write(f"reports/TEST-{name}.xml", SUITE.format(name))
    repo.write("reports/notes.txt", "no report")
    found = chalk.json("fingerprint", "--report", "reports", "--exit-code", "1")
    assert found["tests"] == ["shop.a::t", "shop.b::t", "shop.c::t"]
    assert found["error"] == "ValueError: a"
    two = [part for name in "cb" for part in ("--report", f"reports/TEST-{name}.xml")]
    assert chalk.json("fingerprint", *two)["tests"] == ["shop.b::t", "shop.c::t"]
    # one that an earlier run left there
    repo.write("run.log", "FAILED\n")
    os.utime(repo.root / "reports/TEST-c.xml", (0, 0))
    result = chalk("fingerprint", "--report", "reports", "--output", "run.log", "--json")
    assert json.loads(result.out)["tests"] == ["shop.a::t", "shop.b::t"]
    assert "1 of 3 reports are much older" in result.err


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing.xml", "the report cannot be read: No such file or directory"),
        ("empty", "the report is a folder without XML files"),
        ("/dev/zero", "the report is a device, not a file"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(chalk: Inside, repo: Repo, path: str, said: str) -> None:
    (repo.root / "empty").mkdir()
    result = chalk("fingerprint", "--report", path)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert path in result.err.splitlines()[0]
    # the control
    repo.write("r.xml", SUITE.format("a"))
    assert chalk.json("fingerprint", "--report", "r.xml")["tests"] == ["shop.a::t"]


def test_of_a_large_output_the_beginning_and_the_end_are_read(
    chalk: Inside, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalkgit import thresholds

    monkeypatch.setattr(thresholds, "RUN_HEAD_BYTES", 100)
    monkeypatch.setattr(thresholds, "RUN_TAIL_BYTES", 1000)
    noise = "".join(f"noise {n}\n" for n in range(300_000))
    text = (
        f"rootdir: /srv/pool\n{noise}=== short test summary info ===\nFAILED tests/a.py::t - KeyError: 'x'\n"
    )
    repo.write("run.log", text)
    for given, stdin in (("run.log", ""), ("-", text)):
        result = chalk("fingerprint", "--output", given, stdin=stdin)
        assert json.loads(result.out)["tests"] == ["tests.a::t"]
        assert "bytes in the middle of it are not read" in result.err


def test_a_folder_without_reports_is_no_fault_beside_an_output(chalk: Inside, repo: Repo) -> None:
    """A build that stopped before its first report has made the folder."""
    repo.write("run.log", "=== short test summary info ===\nFAILED tests/a.py::t - KeyError: 'x'\n")
    (repo.root / "reports/one.xml").mkdir(parents=True)
    os.mkfifo(repo.root / "reports/two.xml")
    (repo.root / "reports/three.xml").symlink_to("nowhere.xml")
    result = chalk("fingerprint", "--report", "reports", "--output", "run.log")
    assert json.loads(result.out)["tests"] == ["tests.a::t"]
    assert "the report is not there, and the output is read: reports" in result.err
    repo.write("reports/TEST-a.xml", SUITE.format("a"))
    assert chalk.json("fingerprint", "--report", "reports")["tests"] == ["shop.a::t"]


@pytest.mark.parametrize("code", ["99999999999999999999", "x", "-99999999999"])
def test_an_exit_code_that_no_process_has_is_refused(chalk: Inside, code: str) -> None:
    assert chalk("fingerprint", "--output", "-", "--exit-code", code, stdin="E: x\n").code == 2
    assert chalk("fingerprint", "--output", "-", "--exit-code", "-11", stdin="E: x\n").code == 0
