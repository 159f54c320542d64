"""The pytest plugin: what it shows in real runs, and that it changes nothing else of any of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pytesting import RULE, SEEN, WITHOUT, Runs, installed
from repository import Repo

_XDIST = "xdist, whose runs it watches too, is not installed"


@pytest.fixture(name="runs")
def runs_fixture(repo: Repo, tmp_path: Path) -> Runs:
    return Runs(repo, installed(tmp_path / "site"))


@pytest.fixture(name="met")
def met_fixture(runs: Runs) -> Runs:
    """A failing run that there is a lesson for."""
    runs.files()
    runs.lesson()
    return runs


def _alike(run: tuple[int, str]) -> tuple[int, str]:
    """A run without what differs whenever two are alike: how long it took, and who is listed as a plugin."""
    return run[0], re.sub(r"in \d+\.\d+s|^plugins: .*\n", "", run[1], flags=re.M)


# --- what it shows --------------------------------------------------------------------------------


def test_after_a_failing_run_it_shows_the_lessons_and_how_to_record_the_run(met: Runs) -> None:
    code, out = met.run()
    assert code == 1
    section = out.index("= seen before =")
    assert out.index("= FAILURES =") < section < out.index("= short test summary info =")
    shown = out[section:].splitlines()
    assert shown[1] == "<lessons>"
    assert shown[2].startswith("- Seen before: test_cart::test_add failed (exit 1) AssertionError: ")
    assert shown[3].strip() == SEEN
    assert shown[4] == "</lessons>"
    kept = ".git/chalkgit/last-pytest-run.txt"
    assert shown[5] == f"To record this run: chalkgit detain --output {kept} --exit-code 1"
    done = met.repo.run(*shown[5].split("chalkgit ", 1)[1].split(" "), "--ticket", "T-1")
    assert done.code == 0, done.err
    assert (met.repo.root / kept).stat().st_mode & 0o777 == 0o600


def test_under_q_it_is_one_line_and_under_qq_none(met: Runs) -> None:
    code, out = met.run("-q")
    assert code == 1
    (line,) = [line for line in out.splitlines() if "chalkgit" in line or "lessons" in line]
    assert line.startswith(f"chalkgit: seen before, fix: {RULE}; chalkgit detain --output .git/")
    code, out = met.run("-qq")
    assert (code, "chalkgit" in out) == (1, False)


def test_without_lessons_the_run_is_as_without_the_plugin(runs: Runs) -> None:
    runs.files()
    off = runs.run("-p", "no:chalkgit", "-v")
    assert _alike(runs.run("-v")) == _alike(off)
    assert not (runs.repo.root / ".git/chalkgit/last-pytest-run.txt").exists()
    runs.lesson()
    assert SEEN in runs.run("-v")[1]


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("-p", "no:chalkgit"), {}),
        ((), {"CHALKGIT_BYPASS_RECALL": "1"}),
        (("--collect-only",), {}),
        (("--deselect", "test_cart.py::test_add"), {}),
        (("-k", "nothing"), {}),
        (("--no-such-option",), {}),
        (("no_such_file.py",), {}),
    ],
    ids=lambda value: " ".join(value) or "-",
)
def test_it_is_silent_where_it_is_off_or_nothing_failed(
    met: Runs, options: tuple[str, ...], variables: dict[str, str]
) -> None:
    run = met.run(*options, **variables)
    assert _alike(run) == _alike(met.run("-p", "no:chalkgit", *options))
    assert "chalkgit" not in run[1]
    assert SEEN in met.run()[1]


def test_where_there_is_no_store_it_does_nothing(met: Runs, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_cart.py").write_text((met.repo.root / "test_cart.py").read_text())
    assert "chalkgit" not in met.run("--rootdir", str(outside), cwd=outside)[1]
    (outside / ".lessons").mkdir()  # a folder of that name in no repository
    code, out = met.run("-v", "--rootdir", str(outside), cwd=outside)
    assert (code, "chalkgit" in out) == (1, False)


def test_from_a_folder_below_the_root_the_command_records_it_too(met: Runs, tmp_path: Path) -> None:
    folder = met.repo.root / "deep"
    folder.mkdir()
    for cwd in (folder, tmp_path):
        _, out = met.run("--rootdir", str(met.repo.root), str(met.repo.root), cwd=cwd)
        (command,) = re.findall(r"To record this run: (.*)", out)
        program = f'exec "{sys.executable}" -I -m {command}'
        done = subprocess.run(["sh", "-c", program], cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# --- what it must not do --------------------------------------------------------------------------


def test_python_has_nothing_to_say_against_it(met: Runs) -> None:
    code, out = met.run("-W", "error", "-v")
    assert code == 1
    assert SEEN in out
    assert "arning" not in out.replace("no lessons", "")
    variables = {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}
    code, out = met.run("-v", **variables)
    assert code == 1
    assert SEEN in out
    assert "arning" not in out


def test_nothing_of_it_is_loaded_before_a_test_failed(met: Runs) -> None:
    spy = """
        import sys
        def _ours(): return sorted(name for name in sys.modules if name.split(".")[0] == "chalkgit")
        def pytest_runtest_setup(item): print("LOADED", *_ours())
        def pytest_unconfigure(config): print("AT THE END", *_ours())
    """
    met.files({"conftest.py": spy})
    _, out = met.run("-s")
    before, after = (
        {
            word
            for line in out.splitlines()
            if start in line
            for word in line.split()
            if word.startswith("chalk")
        }
        for start in ("LOADED", "AT THE END")
    )
    constants = {"chalkgit.thresholds", "chalkgit.calibration"}
    assert before == constants | {
        "chalkgit",
        "chalkgit.config",
        "chalkgit.doors",
        "chalkgit.doors.pytest_plugin",
    }
    light = {"chalkgit.errors", "chalkgit.store", "chalkgit.store.running", "chalkgit.store.spawning"}
    assert after == before | light
    assert SEEN in out


def test_whatever_goes_wrong_the_run_ends_as_without_it(met: Runs) -> None:
    breaks = {
        "a child that hangs": "plugin._CHILD = 'import time; time.sleep(100)'; plugin.SECONDS = .5",
        "a child that fails": "plugin._CHILD = 'raise SystemExit(3)'",
        "a child that talks": "plugin._CHILD = 'print(\"x\" * 10**7)'",
        "a child of another shape": "plugin._CHILD = 'print([])'",
        "no python": "import sys; sys.executable = '/nowhere'",
        "no answer": "plugin._asked = None",
        "no report": "plugin.of_test = None",
        "no title": "plugin.retold = lambda root, failed: 1 / 0",
    }
    off = met.run("-p", "no:chalkgit")
    for name, how in breaks.items():
        conftest = f"import chalkgit.doors.pytest_plugin as plugin\ndef pytest_sessionstart():\n    {how}\n"
        met.repo.write("conftest.py", conftest)
        assert _alike(met.run()) == _alike(off), name
        code, out = met.run("-v")
        assert code == 1, name
        told = [line for line in out.splitlines() if line.startswith("chalkgit: ")]
        assert len(told) == (0 if name == "no report" else 1), (name, out)
        if told:
            assert told[0].startswith("chalkgit: no lessons were looked up: "), name


def test_a_damaged_store_or_setting_costs_nothing(met: Runs) -> None:
    met.repo.write(".lessons/broken.yaml", "kind: nothing\n")
    met.repo.write(".git/chalkgit/manifest.json", "no JSON")
    code, out = met.run()
    assert (code, SEEN in out) == (1, True)
    met.repo.write(".lessons/config.yaml", "fingerprint: sideways\n")
    code, out = met.run()
    assert (code, SEEN in out) == (1, True)


def test_it_hears_no_interrupt_as_a_failure(met: Runs) -> None:
    met.files({"test_z.py": "import os, signal\ndef test_z(): os.kill(os.getpid(), signal.SIGINT)\n"})
    code, out = met.run()
    assert code == 2
    assert "KeyboardInterrupt" in out
    assert "chalkgit" not in out
    # pytest's own end of a run is no interrupt of a person's
    met.files({"test_z.py": "def test_z(): pass\n"})
    code, out = met.run("-x")
    assert (code, SEEN in out) == (1, True)


def test_an_interrupt_while_it_asks_ends_the_run(met: Runs) -> None:
    conftest = """
        import chalkgit.doors.pytest_plugin as plugin
        plugin._CHILD = "open('asking', 'w').close(); import time; time.sleep(100)"
        plugin.SECONDS = 60
    """
    met.files({"conftest.py": conftest})
    variables = {**os.environ, **met.variables}
    program = [sys.executable, "-m", "pytest", *WITHOUT]
    process = subprocess.Popen(
        program, cwd=met.repo.root, env=variables, stdout=subprocess.DEVNULL, stderr=-3
    )
    while not (met.repo.root / "asking").exists():
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0


def test_with_xdist_the_controller_alone_speaks(met: Runs) -> None:
    pytest.importorskip("xdist", reason=_XDIST)
    met.variables["PYTHONPATH"] += os.pathsep + str(Path(sys.modules["xdist"].__file__ or "").parents[1])
    code, out = met.run("-n", "2")
    assert code == 1
    assert out.count(SEEN) == 1
    met.files({"test_b.py": "import no_such_module_of_ours\n"})
    met.lesson(rule="install it first")
    code, out = met.run("-n", "2")
    assert code in (1, 2)
    assert out.count("Fix: install it first") == 1


def test_our_own_runs_are_not_watched(pytestconfig: Any) -> None:
    assert not pytestconfig.pluginmanager.has_plugin("chalkgit-watch")
