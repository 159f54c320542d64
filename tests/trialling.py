"""Experiments whose loops are known beforehand: so many in each arm, so many of them fixed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repository import Repo

from chalkgit.answers import experiment
from chalkgit.answers.experiment import Result, Standing
from chalkgit.store import experiment_file, experiment_manifest, journal_file, ledger
from chalkgit.store.experiment_manifest import Manifest

DAY = 24 * 3600 * 1000
SHOWN: dict[str, Any] = {"given": 2, "bytes": 400}
WITHHELD: dict[str, Any] = {"given": 0, "bytes": 0}
Share = tuple[int, int]  # fixed, loops


def now() -> int:
    return time.time_ns() // 1_000_000


def loops(manifest: Manifest, name: str, many: int) -> list[str]:
    """Ids that the manifest puts into this arm."""
    found: list[str] = []
    n = 0
    while len(found) < many:
        loop = f"{manifest.id}-{n}"
        found += [loop] if experiment_manifest.arm(manifest, loop) == name else []
        n += 1
    return found


def rows(manifest: Manifest, name: str, share: Share, **different: Any) -> list[dict[str, Any]]:
    """What the store functions write down of such loops, an hour apart from each other, long ago."""
    fixed, many = share
    begun = now() - 400 * DAY
    made = []
    for n, loop in enumerate(loops(manifest, name, many)):
        at = begun + n * 3_600_000
        made.append(
            {
                "at": at,
                "experiment": manifest.id,
                "digest": manifest.digest,
                "loop": loop,
                "run": f"run-{loop}",
                "arm": name,
                "found": 2,
                **(WITHHELD if name == experiment_manifest.WITHOUT else SHOWN),
                "again": at + 60_000,
                # spread evenly, so that every beginning has the share of the whole
                "gone": int((n + 1) * fixed // many > n * fixed // many),
                "fewer": int((n + 1) * fixed // many > n * fixed // many),
                "changed": 1,
                "failing": 1,
                **different,
            }
        )
    return made


def folder(repo: Repo) -> Path:
    """Where the journal lies."""
    return Path(journal_file.path(repo.place)).parent


def keep(repo: Repo, *tables: Sequence[dict[str, Any]]) -> None:
    """In the order in which they began."""
    made = sorted((row for table in tables for row in table), key=lambda row: row["at"])
    assert ledger.add(repo.place, {"trials": made}) is None


def start(repo: Repo, *, aa: bool = False, size: int = 100, holdout: float = 0.5) -> Manifest:
    return experiment_file.start(repo.place, holdout=holdout, size=size, aa=aa)


def aa_run(repo: Repo, a: Share = (50, 100), b: Share = (51, 100), **different: Any) -> Manifest:
    """One that passes, if nothing else is said."""
    manifest = start(repo, aa=True)
    keep(repo, rows(manifest, "a", a, **different), rows(manifest, "b", b, **different))
    experiment_file.stop(repo.place)
    return manifest


def trial(repo: Repo, shown: Share = (80, 100), withheld: Share = (50, 100), **given: Any) -> Manifest:
    """An experiment in which lessons help by 30 points, if nothing else is said."""
    manifest = start(repo, **given)
    keep(repo, rows(manifest, "with", shown), rows(manifest, "without", withheld))
    return manifest


def standing(repo: Repo) -> Standing:
    return experiment.standing(repo.place, datetime.now(UTC))


def result(repo: Repo) -> Result:
    found = standing(repo).experiment
    assert found is not None
    return found


def broken(found: Result | None) -> list[str]:
    """The names of the rules that are not kept."""
    assert found is not None
    return [rule.name for rule in found.rules if not rule.kept]
