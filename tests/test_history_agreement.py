"""Every answer about the past agrees with a model that keeps every snapshot, in random histories."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inside import Inside
from naive_history import Naive, readable, superseded
from random_history import RandomHistory
from repository import Repo

from chalkgit import thresholds, times
from chalkgit.records.status import status
from chalkgit.store import history, history_file, history_growth
from chalkgit.store.history import History
from chalkgit.store.history_table import HistoryTable

# The first does nothing, so that a failing history shrinks. More of them change records than branches;
# `commit` closes what came before it.
STEPS = (
    "rest add add add add add edit edit edit edit edit edit edit edit edit comment move move copy delete "
    "restore restore damage odd commit commit commit commit commit commit commit commit commit empty fork "
    "change_branch merge merge amend back program program look look forget"
).split()
Step = tuple[str, int, int]


def steps(number: int) -> st.SearchStrategy[list[Step]]:
    """Of bytes: lists of tuples come out short, and of small numbers."""
    return st.binary(min_size=3 * number, max_size=3 * number).map(
        lambda data: [(STEPS[data[n] % len(STEPS)], data[n + 1], data[n + 2]) for n in range(0, len(data), 3)]
    )


def agreed(told: History, naive: Naive, commits: Sequence[str]) -> None:
    """What the table says of a tip is what the snapshots say."""
    moments = told.moments()
    assert [moments[n].oid for n in sorted(moments)] == commits
    assert told.tip == commits[-1]
    assert not told.cut
    oids = {n: moments[n].oid for n in moments}
    said = [
        (oids[v.seq], v.id, v.path, v.blob, tuple(sorted(v.events)), v.by) for v in reversed(told.versions())
    ]
    assert said == [tuple(row) for row in naive.told]
    assert told.ids() == sorted({row.id for row in naive.told})
    for n, state in enumerate(naive.states, 1):
        held = {i: (v.path, v.blob, told.fields(v.blob)) for i, v in told.as_of(n).items()}
        assert held == {i: (h.path, h.blob, h.fields) for i, h in state.items()}
        by = {i: v.by for i, v in told.as_of(n).items() if v.blob is not None}
        assert by == {i: h.by for i, h in state.items() if h.blob is not None}


def dates_agreed(told: History, naive: Naive) -> None:
    for seconds in {t + more for t in naive.times for more in (-1, 0)}:
        instant = datetime.fromtimestamp(seconds, UTC)
        assert history.last_before(told, instant, "then") == naive.known_at(seconds)
    for at in (naive.times[0], naive.times[-1]):
        day = times.day(datetime.fromtimestamp(at, UTC))
        assert history.known_at(told.place, day) == naive.known_at(times.end(day).timestamp())


def rows(table: HistoryTable) -> dict[str, object]:
    """All that a table says of its tip, in words that do not depend on how it came to be."""
    names = ("meta", "commits", "touched", "versions", "replaced", "contents")
    return {name: sorted(map(repr, table.rows(f"select * from {name}"))) for name in names}


def made_anew(told: History) -> HistoryTable:
    table = HistoryTable()
    history_growth.follow(table, told.place, told.tip)
    return table


class Agreement:
    def __init__(self, template: Repo, inside: Inside | None) -> None:
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(template.root / ".git", self.folder / "repo/.git", symlinks=True)
        self.repo = Repo(self.folder / "repo")
        self.past = RandomHistory(self.repo)
        self.inside = inside
        if inside is not None:
            inside.root = self.repo.root

    def close(self) -> None:
        self.past.objects.close()
        shutil.rmtree(self.folder)

    def step(self, name: str, a: int, b: int) -> None:
        if name == "commit":
            self.past.commit(a)
        elif name == "empty":
            self.past.load()
            self.past.commit(a)
        elif name == "forget":
            Path(history_file.path(self.repo.place)).unlink(missing_ok=True)
        elif name == "look":
            self.look(a, b)
        elif name != "rest":
            getattr(self.past, name)(a, b)

    def look(self, a: int, b: int) -> None:
        told = history.opened(self.repo.place)
        naive = Naive(self.past.objects, self.past.tip)
        agreed(told, naive, naive.commits)
        assert told.unkept is None
        if a % 3 == 0:
            assert rows(told.table) == rows(made_anew(told))
        if b % 3 == 0:
            dates_agreed(told, naive)
        if b % 4 == 0:  # another branch, which is read beside it
            name = sorted(self.past.branches)[a % len(self.past.branches)]
            other = Naive(self.past.objects, self.past.branches[name])
            agreed(history.opened(self.repo.place, name), other, other.commits)
            kept = history_file.read(self.repo.place)
            assert kept is not None
            assert kept.tip == self.past.tip
        if self.inside is not None and b % 4 == 1:
            commands_agreed(self.inside, naive, a)


def commands_agreed(inside: Inside, naive: Naive, a: int) -> None:
    """`list` and `check`, as of a commit and as of its date."""
    n = a % len(naive.commits)
    then = times.iso(datetime.fromtimestamp(naive.times[n], UTC))
    by_date = naive.known_at(naive.times[n])
    for text, commit in ((naive.commits[n], naive.commits[n]), (then, by_date)):
        at = naive.commits.index(commit) if commit is not None else -1
        state = naive.states[at] if commit is not None else {}
        now = times.system_clock()
        expected = {
            i: (
                r.path,
                status(r, now=now, superseded=superseded(state)),
                state[i].by,
                naive.changed(r.path, at),
            )
            for i, r in readable(state).items()
        }
        listed = json.loads(inside("list", "--known-at", text, "--json").out)["records"]
        said = {
            row["id"]: (row["path"], row["status"], row["superseded_by"], row["commit"]) for row in listed
        }
        assert said == expected
        for i, record in list(readable(state).items())[:2]:
            if record.kind != "lesson":
                question = ("check", str(record.get("route")), "--lexical", "--known-at", text, "--json")
                answer = json.loads(inside(*question).out)
                shown = {row["id"] for key in ("rulings", "near", "procedures") for row in answer[key]}
                assert shown <= {i for i, said in expected.items() if said[1] == "active"}
                assert i in shown or expected[i][1] != "active"


def run(template: Repo, taken: Sequence[Step], inside: Inside | None) -> None:
    agreement = Agreement(template, inside)
    try:
        for step in taken:
            agreement.step(*step)
        agreement.look(0, 0)
    finally:
        agreement.close()


FIXED = settings(
    deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=True
)


def test_every_answer_about_the_past_agrees(
    template: Repo, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "HISTORY_AT_ONCE", 3)

    @settings(FIXED, max_examples=35)
    @given(steps(120))
    def property_(taken: list[Step]) -> None:
        run(template, taken, None)

    property_()


def test_the_commands_agree_too(template: Repo, sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = Inside(template.root, monkeypatch)

    @settings(FIXED, max_examples=6)
    @given(steps(120))
    def property_(taken: list[Step]) -> None:
        run(template, taken, inside)

    property_()
