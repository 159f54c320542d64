"""What the pytest plugin makes of a run is what its output and its report are read as."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from pytesting import FAILING, SEEN, Runs, installed
from repository import Repo

from chalkgit.doors import pytest_plugin
from chalkgit.failures import reading

KINDS = {
    "an assertion": FAILING,
    "a chain": {
        "test_pool.py": """
            def test_a():
                try:
                    {}["pool"]
                except KeyError as error:
                    raise ValueError("pool 7 is drained") from error
        """
    },
    "parameters": {
        "tests/test_pool.py": """
            import pytest
            class TestPool:
                @pytest.mark.parametrize("text", ["a - b", "x::y", "ü", "a\\nb", "plain"])
                def test_text(self, text): assert len(text) == 99, "text of another length"
        """
    },
    "setup and teardown": {
        "test_pool.py": """
            import pytest
            @pytest.fixture
            def pool(): raise RuntimeError("no pool at setup")
            @pytest.fixture
            def late():
                yield
                raise RuntimeError("no pool at teardown")
            def test_setup(pool): pass
            def test_late(late): pass
            def test_both(late): raise OSError("in the test")
        """
    },
    "collecting": {
        "test_pool.py": "import no_such_module_of_ours\n",
        "pkg/test_b.py": "def broken(:\n",
        "test_c.py": "def test_c(): assert False, 'not reached'\n",
    },
    "unittest": {
        "test_pool.py": """
            import unittest
            class Pool(unittest.TestCase):
                def test_a(self): self.assertEqual({"pool": 1}, {"pool": 2})
                def test_sub(self):
                    for n in range(3):
                        with self.subTest(n=n): self.assertLess(n, 1)
        """
    },
    "output": {
        "test_pool.py": """
            import sys
            def test_a():
                print("=== FAILURES ===")
                print("E   no error", file=sys.stderr)
                raise LookupError("the real one")
        """
    },
    "doctest": {"mod_a.py": 'def full():\n    """\n    >>> 1 + 1\n    3\n    """\n'},
    "strict xpass": {
        "test_pool.py": """
            import pytest
            @pytest.mark.xfail(strict=True, reason="this sample passes on purpose")
            def test_a(): pass
        """
    },
    "many": {
        "test_pool.py": """
            import pytest
            @pytest.mark.parametrize("n", range(40))
            def test_n(n): raise ValueError(f"pool {n}")
        """
    },
}


CASES = [(kind, "") for kind in KINDS]
CASES += [("a chain", style) for style in ("--tb=short", "--tb=native", "-rN", "-vv")]
CASES += [("setup and teardown", style) for style in ("--tb=short", "-rN")]


@pytest.fixture(name="runs")
def runs_fixture(repo: Repo, tmp_path: Path) -> Runs:
    return Runs(repo, installed(tmp_path / "site"))


@pytest.mark.parametrize(("kind", "style"), CASES)
def test_it_reads_a_run_as_its_output_and_its_report_are_read(runs: Runs, kind: str, style: str) -> None:
    runs.files(KINDS[kind])
    options = [*style.split(), "--doctest-modules"]
    runs.lesson("--junitxml=../report.xml", *options)
    code, out = runs.run(*options)
    assert SEEN in out
    root = runs.repo.root
    report, output, kept = (
        (root / file).read_bytes()
        for file in ("../report.xml", "../out.txt", ".git/chalkgit/last-pytest-run.txt")
    )

    def found(report: bytes | None, output: bytes | None) -> tuple[object, ...]:
        run = reading.read(report, output, exit_code=code, here=str(root))
        return run.tests, run.normalized, run.fingerprint

    memory = found(None, kept)
    assert memory[0]
    assert memory[2]
    assert found(None, output) == memory
    assert found(report, output) == memory
    assert found(report, None) == memory


def test_a_large_run_is_bounded_and_its_first_failure_is_kept() -> None:
    watch = pytest_plugin.Watch()
    for number in range(3_000, 0, -1):
        report = SimpleNamespace(
            failed=True, when="call", head_line="t", nodeid=f"a.py::t{number:05}", longreprtext="x" * 300_000
        )
        watch.pytest_runtest_logreport(report)
    assert len(watch.failed) == 3_000
    texts = {one.node: one.text for one in watch.failed.values()}
    assert sum(map(len, texts.values())) == watch.held <= pytest_plugin.TEXTS_CHARACTERS
    assert texts["a.py::t00001"]
    assert not texts["a.py::t03000"]


def test_a_message_of_millions_of_lines_is_not_laid_out_for_us() -> None:
    class Report(SimpleNamespace):
        @property
        def longreprtext(self) -> str:
            raise AssertionError("it takes seconds")

    crash = SimpleNamespace(message="ValueError: boom\n" + "x\n" * 3_000_000)
    watch = pytest_plugin.Watch()
    watch.pytest_runtest_logreport(
        Report(
            failed=True,
            when="call",
            head_line="t",
            nodeid="a.py::t",
            longrepr=SimpleNamespace(reprcrash=crash),
        )
    )
    ((_, kept),) = watch.failed.items()
    assert kept.text.startswith("E   ValueError: boom\n")
    assert len(kept.text) <= pytest_plugin.TEXT_CHARACTERS + 10
    assert watch.trouble is None
