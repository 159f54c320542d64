"""A journal with months of a team's work in it, and the store that it speaks of: seeded, always the same.

The story: people and an agent ask, hooks show, runs fail and are fixed, an A/A run and an experiment go by,
people mark what was wrong, and a decider is asked. Nothing here is a measurement.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from repository import Repo

from chalkgit.records.record import Record
from chalkgit.store import experiment_file, experiment_manifest, ledger

Rows = dict[str, list[dict[str, Any]]]

DAY = 24 * 3600 * 1000
ROUTES = (
    "cache the parsed manifest between runs",
    "shard the integration suite over two workers",
    "pin the port of the test database",
    "retry flaky uploads three times",
    "render invoices in the browser",
    "run migrations while the service starts",
    "sign releases with one shared key",
    "replace the scheduler by cron",
    "vendor the zlib sources",
    "keep sessions in two regions",
    "parse dates with regular expressions",
    "use one connection for all workers",
)
FAILURES = (
    ("E: pool drained", "tests/test_pool.py::test_drain_waits_for_every_worker_before_it_closes"),
    ("AssertionError: 3 != 4", "tests/test_reader.py::test_reads_the_last_line[crlf]"),
    (
        "TimeoutError: no answer in 5 s",
        "tests/integration/test_upload.py::TestRetry::test_gives_up_in_the_end",
    ),
    ("KeyError: 'zone'", "tests/test_zones.py::test_a_zone_without_a_name"),
    ("sqlite3.OperationalError: database is locked", "tests/test_store.py::test_two_writers"),
)
MILLISECONDS = {
    "check": 240,
    "at": 45,
    "recall": 120,
    "commit": 60,
    "message": 210,
    "save": 30,
    "lsp": 18,
    "agent": 70,
    "pytest": 160,
}


class Story:
    """Everything is drawn from one seed; `told` gives the rows, `tell` writes them with the store."""

    def __init__(self, repo: Repo, *, days: int = 150, seed: int = 7, now: datetime | None = None) -> None:
        self.repo = repo
        self.days = days
        self.random = random.Random(seed)
        self.now = int((now or datetime.now(UTC)).timestamp() * 1000)
        self.records: list[Record] = []
        self.rows: Rows = {name: [] for name in ledger.TABLES}

    def tell(self) -> None:
        """Write the store and the journal."""
        self._store()
        begins = self.now - self.days * DAY
        for number in range(self.days):
            at = begins + number * DAY + 9 * 3600 * 1000
            if datetime.fromtimestamp(at / 1000, UTC).weekday() < 5:
                self._workday(at, number / self.days)
        self._people(begins)
        self._decider(begins)
        for aa, loops in ((True, 400), (False, 260)):
            self._experiment(begins, aa=aa, loops=loops)
        for rows in self.rows.values():
            rows.sort(key=lambda row: row["at"])
        refused = ledger.add(self.repo.place, self.rows)
        assert refused is None, refused

    # --- the store ----------------------------------------------------------------------------------

    def _store(self) -> None:
        for route in ROUTES:
            self.records.append(
                self.repo.record(route=route, observation="it did not hold", files=["src/a.py"])
            )
        for i, (error, test) in enumerate(FAILURES):
            failure = {"error": error, "tests": [test], "ticket": f"T-{40 + i}"}
            self.records.append(
                self.repo.record("lesson", failure=failure, resolution="wait for the workers first")
            )
        for age, (error, test) in zip((2, 11, 48, 131), FAILURES, strict=False):
            since = datetime.fromtimestamp(self.now / 1000, UTC) - timedelta(days=age)
            failure = {"error": f"{error} ({age})", "tests": [test], "ticket": f"T-{90 + age}"}
            self.repo.record("lesson", failure=failure, valid_from=since.date().isoformat())
        self.repo.commit()

    # --- days ---------------------------------------------------------------------------------------

    def _workday(self, day: int, along: float) -> None:
        busy = 1 + 2 * along
        for _ in range(self.random.randint(1, round(3 * busy))):
            verdict = self._one_of({"tried": 0.14, "near": 0.2, "clear": 0.64, "unknown": 0.02})
            shown = {"tried": 1, "near": 2}.get(verdict, 0)
            self._ask("check", "check", day, verdict=verdict, shown=shown)
        for _ in range(self.random.randint(0, round(2 * busy))):
            self._ask("at", "at", day, shown=self.random.randint(0, 2))
        doors = {"commit": 0.3, "save": 0.2, "lsp": 0.25, "agent": 0.2, "message": 0.05}
        for _ in range(self.random.randint(1, round(6 * busy))):
            self._ask("rulings", self._one_of(doors), day, shown=self.random.randint(1, 2))
        for _ in range(self.random.randint(0, round(1.4 * busy))):
            self._loop(day, along)

    def _ask(
        self,
        kind: str,
        surface: str,
        day: int,
        *,
        verdict: str | None = None,
        shown: int = 0,
        run: str | None = None,
    ) -> None:
        at, name = day + self.random.randint(0, 8 * 3600 * 1000), self._name()
        ms = round(MILLISECONDS[surface] * self.random.lognormvariate(0, 0.5))
        records = self.random.choices(self.records, [1 / (i + 1) for i in range(len(self.records))], k=shown)
        different = {record.id: record for record in records}
        self.rows["asked"].append(
            {
                "id": name,
                "at": at,
                "kind": kind,
                "surface": surface,
                "root": str(self.repo.root),
                "ms": ms,
                "verdict": verdict,
                "shown": len(different),
                "bytes": 420 * len(different),
                "run": run,
            }
        )
        for record in different:
            self.rows["shown"].append(
                {
                    "id": record,
                    "at": at,
                    "surface": surface,
                    "asked": name,
                    "session": f"s{day}",
                    "path": "src/a.py",
                    "hash": "h",
                    "bytes": 420,
                }
            )

    def _loop(self, day: int, along: float) -> None:
        """A failed run, and those after it."""
        at, loop = day + self.random.randint(0, 7 * 3600 * 1000), self._name()
        error, test = self.random.choices(FAILURES, (5, 4, 3, 2, 1))[0]
        found = self.random.random() < 0.2 + 0.5 * along
        arm = None
        run = self._run(at, loop, loop, error, [test, *self._also()], found)
        surface = self.random.choice(("recall", "pytest"))
        self._ask("recall", surface, day, verdict="1" if found else None, shown=int(found), run=loop)
        lucky = 0.62 if found and arm != "without" else 0.5
        while self.random.random() > lucky and len(run["tests"]) > 0 and self.random.random() < 0.85:
            at += self.random.randint(5, 40) * 60 * 1000
            run = self._run(at, loop, self._name(), error, [test], found)
        if self.random.random() < 0.9:
            self._run(at + 20 * 60 * 1000, loop, self._name(), None, [], found)

    def _run(
        self, at: int, loop: str, run: str, error: str | None, tests: Sequence[str], found: bool
    ) -> dict[str, Any]:
        given = int(found and error is not None)
        row = {
            "at": at,
            "surface": "recall",
            "root": str(self.repo.root),
            "error": error,
            "fingerprint": error and f"f-{error}",
            "tests": json.dumps(sorted(tests)),
            "tree": self._name(),
            "code": 1 if error else 0,
            "digest": self._name(),
            "run": run,
            "loop": loop,
            "failing": len(tests),
            "found": given,
            "given": given,
            "bytes": 600 * given,
        }
        self.rows["runs"].append(row)
        return row

    # --- what people and the decider said -----------------------------------------------------------

    def _people(self, begins: int) -> None:
        for number in range(34):
            at = begins + round((number + 1) / 35 * self.days * DAY)
            record = self.records[self.random.choice((0, 0, 1, 2, 3, 5, 6, 12, 13))]
            noisy = record in self.records[2:4]
            word = "wrong" if self.random.random() < (0.8 if noisy else 0.2) else "useful"
            surface = self.random.choice(("check", "commit", "agent", "recall"))
            self.rows["feedback"].append(
                {
                    "at": at,
                    "id": record.id,
                    "hash": "h",
                    "word": word,
                    "who": f"person {number}",
                    "surface": surface,
                }
            )

    def _decider(self, begins: int) -> None:
        for number in range(40):
            at = begins + round((0.6 + 0.4 * number / 40) * self.days * DAY)
            request = self._name()
            row = {
                "at": at,
                "request": request,
                "purpose": "recall",
                "url": "http://127.0.0.1:8080",
                "model": "small-1",
                "revision": "r1",
                "mode": "shadow",
                "ms": self.random.randint(180, 900),
            }
            if number % 13 == 12:
                self.rows["decided"].append({**row, "trouble": "timeout: no answer in 2 s", "ms": 2000})
                continue
            for record in self.random.sample(self.records[12:], 3):
                probability = self.random.random()
                judged = int(self.random.random() < 0.88) if self.random.random() < 0.2 else None
                self.rows["decided"].append(
                    {
                        **row,
                        "id": record.id,
                        "hash": "h",
                        "probability": probability,
                        "chosen": int(probability > 0.7),
                        "judged": judged,
                    }
                )

    # --- experiments --------------------------------------------------------------------------------

    def _experiment(self, begins: int, *, aa: bool, loops: int) -> None:
        """An A/A run whose arms are alike, then an experiment in which lessons help; both end."""
        manifest = experiment_file.start(self.repo.place, holdout=0.5, size=100, aa=aa)
        met: dict[str, int] = {}
        for number in range(loops):
            loop = self._name()
            arm = experiment_manifest.arm(manifest, loop)
            met[arm] = met.get(arm, 0) + 1
            given = int(arm != "without")
            gone = int(met[arm] % 20 < {"with": 13, "without": 8}.get(arm, 11))
            at = begins + round((number + 1) / (loops + 2) * self.days * DAY)
            self.rows["trials"].append(
                {
                    "at": at,
                    "experiment": manifest.id,
                    "digest": manifest.digest,
                    "loop": loop,
                    "run": loop,
                    "arm": arm,
                    "found": 1,
                    "given": given,
                    "bytes": 600 * given,
                    "again": at + 1_200_000,
                    "gone": gone,
                    "fewer": gone,
                    "changed": 1,
                    "failing": 1 - gone,
                }
            )
        experiment_file.stop(self.repo.place)

    def _also(self) -> list[str]:
        return [f"tests/test_other.py::test_{n}" for n in range(self.random.choice((0, 0, 0, 1, 2)))]

    def _one_of(self, shares: Mapping[str, float]) -> str:
        return self.random.choices(list(shares), list(shares.values()))[0]

    def _name(self) -> str:
        return f"{self.random.getrandbits(64):016x}"


def told(repo: Repo, **how: Any) -> Story:
    """Tell a story in this repository."""
    story = Story(repo, **how)
    story.tell()
    return story


def day(at: int) -> str:
    """The day of so many milliseconds since 1970."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
