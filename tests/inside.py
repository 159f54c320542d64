"""The command line inside this process: what a process of its own would print and exit with, but sooner.

Whether the wiring holds (exit codes, streams, signals) is tested with real processes in test_wiring.py.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from repository import Repo, Result

from chalkgit import __main__
from chalkgit.cli import terminal


class Inside:
    """`inside("check", "…")` runs a command in `cwd`; `.json(…)` gives its one JSON object."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._monkeypatch = monkeypatch

    def __call__(
        self, *args: str, stdin: str = "", cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Result:
        streams = {
            name: io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for name in ("out", "err")
        }
        with self._monkeypatch.context() as patch:
            patch.chdir(cwd or self.root)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(os.fsencode(stdin)), "utf-8"))
            patch.setattr(sys, "stdout", streams["out"])
            patch.setattr(sys, "stderr", streams["err"])
            patch.setattr(terminal, "_wanted", ["auto"])
            code = __main__._run(list(args))
        out, err = (_text(stream) for stream in streams.values())
        return Result(code, out, err)

    def json(self, *args: str, code: int = 0, stdin: str = "", cwd: Path | None = None) -> Any:
        result = self(*args, "--json", stdin=stdin, cwd=cwd)
        assert result.code == code, result
        found = json.loads(result.out)
        assert found["version"] == 1
        return found

    def ids(self, *args: str, key: str = "rulings") -> list[str]:
        """The ids under `key` of a command's JSON, whatever it exits with."""
        return [row["id"] for row in json.loads(self(*args, "--json").out)[key]]


@pytest.fixture(name="chalk")
def chalk_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Inside:
    """The command line in `repo`."""
    return Inside(repo.root, monkeypatch)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return os.fsdecode(data)
