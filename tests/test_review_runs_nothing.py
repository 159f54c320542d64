"""What a repository names is not run by a review, however old git's index is."""

from __future__ import annotations

import os
import time
from pathlib import Path

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_no_hook_of_the_index_runs(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    repo.write("a", "x\n")
    repo.commit("a")
    ran = tmp_path / "ran"
    repo.write(".git/hooks/post-index-change", f"#!/bin/sh\ntouch {ran}\n").chmod(0o755)

    def touched(seconds: int) -> None:
        for path in ("a", ".lessons/config.yaml"):
            os.utime(repo.root / path, (time.time() - seconds,) * 2)

    touched(100)
    assert chalk("review").code == 0
    assert not ran.exists()
    touched(200)
    repo.git("diff")  # the control
    assert ran.exists()
