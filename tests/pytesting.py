"""Real runs of pytest with the plugin, as it is when chalkgit is installed beside pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from repository import Repo
from source import ROOT

RULE = "When the pool is drained, stop the workers first"
SEEN = "Fix: " + RULE
# What else is installed beside the tests of ours; half of what a run costs is importing it.
WITHOUT = [f"-pno:{name}" for name in ("cacheprovider", "hypothesispytest", "anyio", "platformdirs")]
FAILING = {
    "test_cart.py": """
        def test_passes(): pass
        def test_add():
            left = {"pool": "drained"}
            assert left == {"pool": "full"}
    """
}


def installed(folder: Path) -> Path:
    """A folder of installed packages that has the entry point, as the wheel has it."""
    about = folder / "of_a_test-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: of-a-test\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[pytest11]\nchalkgit = chalkgit.doors.pytest_plugin\n")
    return folder


class Runs:
    """Real runs of pytest in a repository."""

    def __init__(self, repo: Repo, site: Path) -> None:
        self.repo = repo
        self.variables = {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}

    def files(self, files: Mapping[str, str] = FAILING) -> None:
        for name, text in files.items():
            lines = text.strip("\n").split("\n")
            indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
            self.repo.write(name, "\n".join(line[indent:] for line in lines) + "\n")

    def run(self, *options: str, cwd: Path | None = None, **variables: str) -> tuple[int, str]:
        """The exit code and all that it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *WITHOUT, *options],
            cwd=cwd or self.repo.root,
            env={**os.environ, **self.variables, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout

    def lesson(self, *options: str, rule: str = RULE) -> None:
        """A lesson for what the same run printed, without the plugin in it."""
        code, out = self.run("-p", "no:chalkgit", *options)
        self.repo.write("../out.txt", out)
        done = self.repo.run("lesson", rule, "--output", "../out.txt", "--exit-code", str(code))
        assert done.code == 0, done.err
