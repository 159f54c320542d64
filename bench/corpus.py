"""A repository of N made-up records, the same for the same N, committed, and refreshed once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

_VERBS = (
    "cache inline batch retry shard mock pin vendor memoise stream debounce lock prefetch compress mirror"
).split()
_THINGS = (
    "session tokens|the parsed schema|build artefacts|thumbnail images|search suggestions|the retry queue|"
    "audit events|locale files|feature flags|price lists|device certificates|image layers|test fixtures|"
    "the dependency graph|webhook payloads|log lines|map tiles|mail templates|user avatars|crash reports"
).split("|")
_PLACES = (
    "in a module global|in Redis|in the service worker|on the shared volume|behind the proxy|"
    "in the pre-commit hook|at import time|in the nightly job|on the main thread|in a temp folder|"
    "per request|in the container image|"
    "through a named pipe|with a file lock|in the edge workers|inside the transaction"
).split("|")
_WHYS = (
    "workers saw stale values after a deploy|the lock was never released when the process was killed|"
    "memory grew until the host swapped|the order of events was lost under load|"
    "it doubled the cold start of every command|the licence of the library forbids it|"
    "two tests passed alone and failed together|the vendor rate-limits this endpoint"
).split("|")


def rows(count: int) -> list[dict[str, object]]:
    """`count` rows for `chalkgit import`; every tenth is a procedure."""
    chance = random.Random(count)
    made = []
    for number in range(count):
        what = f"{chance.choice(_VERBS)} {chance.choice(_THINGS)} {chance.choice(_PLACES)}"
        route = f"{what} for the {_service(chance)} service"
        why = f"{chance.choice(_WHYS)}; seen in run {number}"
        path = f"src/{_service(chance)}/part{number % 997}.py"
        row: dict[str, object] = {
            "ref": f"made:{number}",
            "route": route,
            "files": [path],
            "valid-from": "2026-01-01",
        }
        row |= (
            {"kind": "procedure", "trap": why}
            if number % 10 == 9
            else {"kind": "dead-end", "observation": why}
        )
        made.append(row)
    return made


def _service(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(3))


def build(folder: Path, count: int, environment: dict[str, str]) -> Path:
    """The repository, made with the tool itself; a folder that is there already is used again."""
    root = folder / f"records-{count}"
    if (root / ".done").exists():
        return root
    root.mkdir(parents=True)

    def run(*command: str, stdin: str | None = None) -> None:
        subprocess.run(
            command,
            cwd=root,
            env=environment,
            input=stdin,
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    program = (sys.executable, "-I", "-m", "chalkgit")
    run("git", "init", "-q", ".")
    run("git", "config", "user.name", "Bench")
    run("git", "config", "user.email", "bench@example.org")
    run(*program, "init")
    run(*program, "import", "-", stdin="\n".join(map(json.dumps, rows(count))))
    os.makedirs(root / "src", exist_ok=True)
    run("git", "add", "-A")
    run("git", "commit", "-qm", "records")
    run(*program, "index")
    (root / ".done").touch()
    return root
