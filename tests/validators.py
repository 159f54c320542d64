"""Where the tools that read our formats are: programs of npm, which the tests never fetch.

    npm install --prefix FOLDER --ignore-scripts PACKAGES
    export CHALKGIT_TEST_VALIDATORS=FOLDER

`python tests/validators.py` prints PACKAGES. One that is absent is skipped, with the command as the reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "@microsoft/sarif-multitool": "5.7.0",
    "@umbrelladocs/rdformat-validator": "1.0.1",
    "@actions/core": "3.0.1",
}
# read when the tests are collected: each test drops what the world outside has set
_FOLDER = os.environ.get("CHALKGIT_TEST_VALIDATORS") or ""
# All that a command of the runner can say, as @actions/core prints it.
_ISSUE = """
import * as core from 'PATH';
import {readFileSync} from 'node:fs';
for (const {level, message, properties} of JSON.parse(readFileSync(0, 'utf8')))
  core[level](message, properties);
"""


def _installed(package: str) -> Path:
    folder = Path(_FOLDER, "node_modules", package)
    import pytest  # .ci/run asks for PACKAGES before there is one

    if not _FOLDER or not folder.is_dir() or shutil.which("node") is None:
        pytest.skip(f"CHALKGIT_TEST_VALIDATORS names no folder in which `npm install {package}` was run")
    return folder


def _run(arguments: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ
    }  # .NET writes to HOME, and wants ICU unless it is told
    return subprocess.run(
        arguments,
        env={**environment, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def sarif(text: str, folder: Path) -> list[str]:
    """What Microsoft's tool finds in a SARIF file: rule and words of each error and warning."""
    _installed("@microsoft/sarif-multitool")
    system = {"win32": "win32", "darwin": "darwin"}.get(sys.platform, "linux")
    program = _installed(f"@microsoft/sarif-multitool-{system}") / "Sarif.Multitool"
    import pytest

    if not os.access(program, os.X_OK):
        pytest.skip(f"{program} may not be run: `chmod +x` it, as its install script would have done")
    file, found = folder / "review.sarif", folder / "found.sarif"
    file.write_text(text, encoding="utf-8")
    found.unlink(missing_ok=True)
    done = _run([str(program), "validate", str(file), "--output", str(found), "--log", "ForceOverwrite"])
    assert found.exists(), done.stdout + done.stderr
    (run,) = json.loads(found.read_text(encoding="utf-8-sig"))["runs"]
    said = [f"{result['ruleId']}: {result['message']}" for result in run["results"]]
    (invocation,) = run["invocations"]
    said += [str(one) for one in invocation.get("toolConfigurationNotifications", [])]
    said += [str(one) for one in invocation.get("toolExecutionNotifications", []) if one["level"] == "error"]
    return said


def rdjson(text: str, folder: Path) -> list[str]:
    """What the validator of reviewdog's format finds, without leave for fields that the format has not."""
    package = _installed("@umbrelladocs/rdformat-validator")
    file = folder / "review.json"
    file.write_text(text, encoding="utf-8")
    program = str(package / "bin" / "rdformat-validator.js")
    done = _run(["node", program, "--strict", "--no-extra-fields", str(file)])
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


def commands(issued: list[dict[str, object]], folder: Path) -> list[str]:
    """The lines that @actions/core prints for these annotations: `level`, `message`, `properties` of each."""
    package = _installed("@actions/core")
    script = folder / "issue.mjs"
    script.write_text(_ISSUE.replace("PATH", (package / "lib" / "core.js").as_uri()))
    done = _run(["node", str(script)], json.dumps(issued))
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


if __name__ == "__main__":
    print(*(f"{package}@{version}" for package, version in PACKAGES.items()))
