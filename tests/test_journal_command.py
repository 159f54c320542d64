"""`journal`: status, export, prune, off and on; and whatever is in its place costs no answer."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest
import trialling
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from pool import output
from repository import Repo
from source import ROOT

from chalkgit import thresholds, times
from chalkgit.store import erasing, journal_care, journal_file, ledger, questions
from chalkgit.store.journal import Showing
from chalkgit.store.questions import Asked

ROUTE = "cache the parsed manifest between runs"
DAY = 24 * 3600 * 1000
MADE = {  # a row of each table, as little as it needs
    "asked": {"id": "a", "kind": "check"},
    "shown": {"id": "k7q2m9xd", "asked": "a"},
    "runs": {"run": "r", "loop": "r", "tests": '["a::k7q2m9xd"]'},
    "trials": {"loop": "r", "experiment": "e", "arm": "with"},
    "feedback": {"id": "k7q2m9xd", "word": "wrong"},
    "decided": {"id": "k7q2m9xd", "probability": 0.5},
    "experiments": {"id": "e", "ended": 1},
}


@pytest.fixture(name="ruled")
def ruled_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="the tests went stale", files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    return repo


def _fill(repo: Repo, ago: int = 0) -> None:
    """A row in every table, so many days old."""
    at = time.time_ns() // 1_000_000 - ago * DAY
    assert ledger.add(repo.place, {table: [{"at": at, **row}] for table, row in MADE.items()}) is None


def _mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


# --- the command ----------------------------------------------------------------------------------


def test_every_table_and_column_is_documented_and_none_besides() -> None:
    text = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
    said: dict[str, list[str]] = {}
    for part in text.split("\n### ")[1:]:
        cells = [line.split("|")[1].strip(" `") for line in part.splitlines() if line.startswith("| ")]
        said[part.split("`")[1]] = cells[2:]
    assert said == {table: list(columns) for table, columns in ledger.TABLES.items()}
    assert set(MADE) == set(ledger.TABLES) == set(ledger.BOUNDS)
    bounds = {f"{count:,} rows" for count in (thresholds.RUNS_ROWS,)} | {f"{thresholds.JOURNAL_ROWS:,}"}
    assert all(bound in " ".join(text.split()) for bound in bounds)
    assert all(name in text for name in journal_care.BRANCHES)


def test_status_says_on_off_or_absent_and_counts_each_table(ruled: Repo, chalk: Inside) -> None:
    assert chalk.json("journal", "status")["state"] == "absent"
    assert not (ruled.root / ".git/chalkgit-journal").exists()
    chalk("check", ROUTE)
    found = chalk.json("journal", "status")
    assert (found["state"], found["tables"]) == ("on", {"asked": 1, "shown": 1})
    assert found["since"] == times.iso(times.of_milliseconds(rows(ruled, "asked")[0]["at"]))
    assert found["bytes"] == os.path.getsize(found["path"])
    doctor = chalk.json("doctor")["journal"]
    for key in ("state", "path", "bytes", "since", "tables"):
        assert doctor[key] == found[key]
    assert "journal    " in chalk("doctor").out
    assert "1 asked, 1 shown" in chalk("doctor").out
    chalk("journal", "off")
    assert chalk.json("journal", "status")["state"] == chalk.json("doctor")["journal"]["state"] == "off"
    assert "journal    off; " in chalk("doctor").out


def test_export_prints_every_row_of_every_table_and_since_leaves_out_the_old(
    repo: Repo, chalk: Inside
) -> None:
    repo.record()
    repo.commit()
    assert chalk("journal", "export").out == ""
    _fill(repo, ago=40)
    _fill(repo)
    chalk("log")
    lines = [json.loads(line) for line in chalk("journal", "export").out.splitlines()]
    tables = [line["table"] for line in lines]
    assert tables == [table for table in ledger.TABLES for _ in range(2)] + ["checkpoints"]
    for line in lines[:-1]:
        assert list(line) == ["table", *ledger.TABLES[line["table"]]]
    whole = chalk.json("journal", "export")["tables"]
    assert [{"table": table, **row} for table, found in whole.items() for row in found] == lines
    day = times.day(times.of_milliseconds(time.time_ns() // 1_000_000 - 20 * DAY))
    young = [
        json.loads(line)["table"] for line in chalk("journal", "export", "--since", day).out.splitlines()
    ]
    assert young == [*ledger.TABLES, "checkpoints"]
    assert chalk("journal", "export", "--since", "soon").code == 2


def test_prune_deletes_the_old_rows_of_every_table_and_their_bytes(repo: Repo, chalk: Inside) -> None:
    assert chalk("journal", "prune", "--keep", "0").out == "nothing was that old\n"
    _fill(repo, ago=40)
    ledger.add(repo.place, {"runs": [{"at": 1, "error": "zebra" * 400}]})
    _fill(repo)
    day = times.day(times.of_milliseconds(time.time_ns() // 1_000_000 - 20 * DAY))
    lost = chalk.json("journal", "prune", "--before", day)["pruned"]
    kept = {"experiments", "trials"}
    assert lost == {table: 2 if table == "runs" else 1 for table in ledger.TABLES if table not in kept}
    assert all(len(rows(repo, table)) == (2 if table in kept else 1) for table in ledger.TABLES)
    assert b"zebra" not in Path(journal_file.path(repo.place)).read_bytes()
    for _ in range(3):
        _fill(repo)
    chalk("journal", "prune", "--keep", "2")
    assert {len(rows(repo, table)) for table in ledger.TABLES} == {2, 5}
    assert "2 of asked" in chalk("journal", "prune", "--keep", "0").out
    assert {table for table in ledger.TABLES if rows(repo, table)} == kept


def test_prune_without_a_word_of_what_deletes_nothing_and_hints_at_no_wipe(repo: Repo, chalk: Inside) -> None:
    _fill(repo, ago=80)
    for words in ((), ("--keep", "1", "--before", "2020")):
        result = chalk("journal", "prune", *words)
        assert result.code == 2
        assert "--keep 0" not in result.err
        day = times.day(times.of_milliseconds(time.time_ns() // 1_000_000 - 90 * DAY))
        assert f"chalkgit journal prune --before {day}" in result.err
    assert chalk("journal", "prune", "--before", day).out.startswith("nothing was that old\n")
    assert rows(repo, "runs")


def test_prune_keeps_what_experiments_found_and_says_so(repo: Repo, chalk: Inside) -> None:
    trialling.aa_run(repo)
    _fill(repo)
    before = chalk.json("experiment", "status")
    ids = [row["loop"] for row in rows(repo, "trials")]
    said = chalk("journal", "prune", "--keep", "0").out
    assert f"kept: 2 of experiments, {len(ids)} of trials; what experiments found stays" in said
    assert [row["loop"] for row in rows(repo, "trials")] == ids
    assert chalk.json("experiment", "status") == before
    assert {table for table in ledger.TABLES if rows(repo, table)} == {"experiments", "trials"}


def test_prune_keeps_the_runs_of_loops_that_wait_in_a_running_experiment(repo: Repo, chalk: Inside) -> None:
    now = time.time_ns() // 1_000_000
    old = now - 2 * DAY
    trials = [
        {"at": old, "experiment": "ended", "loop": "ended"},
        {"at": old, "experiment": "runs", "loop": "waits"},
        {"at": old, "experiment": "runs", "loop": "over", "again": old},
        {"at": old, "experiment": "runs", "loop": "goes on", "again": old},
    ]
    runs = [
        *({"at": old, "loop": name, "run": name} for name in ("ended", "waits", "over", "goes on", "none")),
        {"at": now, "loop": "goes on", "run": "later"},
        {"at": now, "loop": "none", "run": "none's"},
    ]
    experiments = [{"at": 1, "id": "ended", "ended": 5}, {"at": 1, "id": "runs"}]
    ledger.add(repo.place, {"experiments": experiments, "trials": trials, "runs": runs})  # type: ignore[dict-item]
    assert chalk.json("journal", "prune", "--keep", "0")["pruned"] == {"runs": 5}
    assert [row["run"] for row in rows(repo, "runs")] == ["waits", "later"]
    assert ledger.change(repo.place, "update experiments set ended = 6", ()) == 2
    assert chalk.json("journal", "prune", "--keep", "0")["pruned"] == {"runs": 2}  # none waits any more
    assert len(rows(repo, "trials")) == 4


def test_off_keeps_nothing_says_what_remains_and_on_keeps_again(ruled: Repo, chalk: Inside) -> None:
    chalk("check", ROUTE)
    said = chalk("journal", "off").out
    assert "2 rows remain" in said
    assert "chalkgit journal prune --keep 0" in said
    assert _mode(ruled.root / ".git/chalkgit-journal/off") == 0o600
    ruled.commit()
    ruled.write("out.txt", output())
    before = Path(journal_file.path(ruled.place)).read_bytes()
    for words in (
        ("check", ROUTE),
        ("at", "src/a.py"),
        ("hook", "save", "--session", "s", "src/a.py"),
        ("recall", "--loop", "--output", "out.txt"),
        ("detain", "--output", "out.txt"),
        ("log",),
        ("journal", "off"),
    ):
        result = chalk(*words)
        assert result.code in (0, 1), words
        assert result.err == "" or words[0] == "recall", (words, result.err)
    assert Path(journal_file.path(ruled.place)).read_bytes() == before
    assert chalk("journal", "on").code == chalk("journal", "on").code == 0
    chalk("check", ROUTE)
    assert len(asked(ruled)) == 2


def test_off_is_for_all_work_trees_and_needs_no_journal(ruled: Repo, chalk: Inside, tmp_path: Path) -> None:
    ruled.commit()
    ruled.git("worktree", "add", "-q", str(tmp_path / "other"))
    said = chalk("journal", "off", cwd=tmp_path / "other").out
    assert "remain" not in said
    assert _mode(ruled.root / ".git/chalkgit-journal") == 0o700
    chalk("check", ROUTE)
    chalk("check", ROUTE, cwd=tmp_path / "other")
    assert not journal_file.exists(ruled.place)


def test_a_folder_that_is_a_link_is_neither_switched_nor_written(
    ruled: Repo, chalk: Inside, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (ruled.root / ".git/chalkgit-journal").symlink_to(outside)
    for word in ("off", "on"):
        assert chalk("journal", word).code == 2
    assert chalk("check", ROUTE).code == 1
    assert list(outside.iterdir()) == []


def test_what_check_and_at_print_counts_as_shown_for_curate(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = (ROUTE, "paint the shed in the rain", "sort before the merge")
    records = [
        repo.record(route=route, observation="it failed", files=[f"src/{number}.py"], valid_from="2020-01-01")
        for number, route in enumerate(routes)
    ]
    with monkeypatch.context() as patch:  # the journal is old enough to tell
        long_ago = time.time_ns() - 400 * DAY * 1_000_000
        patch.setattr(time, "time_ns", lambda: long_ago)
        questions.keep(repo.place, [Asked("at", "at", showings=[Showing("a.py", "zzzzzzzz", "", 1)])])

    def unshown() -> set[str]:
        found = [one for one in chalk.json("curate")["findings"] if one["section"] == "unshown"]
        return {record["id"] for one in found for record in one["records"]}

    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    repo.commit()
    assert unshown() == {record.id for record in records}
    chalk("check", ROUTE)
    chalk("at", "src/1.py")
    assert unshown() == {records[2].id}


# --- forget ---------------------------------------------------------------------------------------


def test_forget_erases_a_record_from_every_table_that_can_name_it(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE)
    repo.commit()
    other = {table: [{**row, "at": 1} for row in [MADE[table]]] for table in MADE}
    assert ledger.add(repo.place, other) is None
    named = {"at": 2, "id": record.id}
    mentions: dict[str, list[dict[str, Any]]] = {
        "asked": [{"at": 2, "id": "q", "verdict": record.id}],  # no column of it holds ids, whatever comes
        "shown": [{**named, "path": "a.py"}, {"at": 2, "id": "x", "path": f".lessons/a.{record.id}.yaml"}],
        "runs": [{"at": 2, "tests": json.dumps([f"a::{record.id}"])}],
        "trials": [{"at": 2, "loop": record.id}],
        "feedback": [named],
        "decided": [named],
        "experiments": [{"at": 2, "manifest": f'{{"ids": ["{record.id}"]}}'}],
    }
    assert set(mentions) == set(ledger.TABLES)
    assert ledger.add(repo.place, mentions) is None
    count = sum(map(len, mentions.values()))
    assert erasing.shown(repo.place, record.id, count_only=True) == count
    assert chalk("forget", record.id, "--yes").code == 0
    assert all([row["at"] for row in rows(repo, table)] == [1] for table in ledger.TABLES)
    assert record.id.encode() not in Path(journal_file.path(repo.place)).read_bytes()
