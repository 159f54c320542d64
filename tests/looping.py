"""Runs that failed or passed, told to the journal of a repository: what the tests of loops share."""

from __future__ import annotations

import json
import time
from typing import Any

from inside import Inside
from journalled import rows
from repository import Repo

from chalkgit.store import loops
from chalkgit.store.runs import Past

HOUR = 3600 * 1000
GREEN = {"test_cart.py": "def test_passes(): pass\ndef test_add(): pass\n"}
PASSED = """============================= test session starts ==============================
rootdir: /home/ada/pool
collected 2 items

tests/test_pool.py ..                                                    [100%]

============================== 2 passed in 0.03s ===============================
"""


def past(name: str = "a", ago: int = 0, **more: Any) -> Past:
    """A run that failed in the way of this name, so many hours ago."""
    told = {"fingerprint": f"v1:{name}", "tests": [f"t.{name}"], "error": name, "digest": None, **more}
    at = time.time_ns() // 1_000_000 - ago * HOUR
    return Past(told.pop("surface", "recall"), at=at, **told)


def keep(repo: Repo, run: Past) -> loops.Step:
    step = loops.step(repo.place, run)
    assert loops.keep(step) is None
    return step


def numbers(repo: Repo) -> list[int]:
    """Of each run that was kept, the number of its loop."""
    kept = [row["loop"] for row in rows(repo, "runs")]
    return [list(dict.fromkeys(kept)).index(loop) for loop in kept]


def recall(chalk: Inside, text: str, *options: str) -> Any:
    """What `recall` says of a run that printed this."""
    result = chalk("recall", "--output", "-", *options, "--json", stdin=text)
    assert result.code == 0, result
    return json.loads(result.out)
