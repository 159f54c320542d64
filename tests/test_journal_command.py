"""`journal`: status, export, prune, off and on; and whatever is in its place costs no answer."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from faults import Count, failing, until_it_passes
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import asked, rows
from pool import output
from repository import Repo
from source import ROOT

from chalkgit import thresholds, times
from chalkgit.cli import crash
from chalkgit.store import erasing, journal, journal_care, journal_file, ledger, questions
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
    assert {key: doctor[key] for key in found if key != "version"} == {
        key: value for key, value in found.items() if key != "version"
    }
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
    assert lost == {table: 2 if table == "runs" else 1 for table in ledger.TABLES}
    assert all(len(rows(repo, table)) == 1 for table in ledger.TABLES)
    assert b"zebra" not in Path(journal_file.path(repo.place)).read_bytes()
    for _ in range(3):
        _fill(repo)
    chalk("journal", "prune", "--keep", "2")
    assert {len(rows(repo, table)) for table in ledger.TABLES} == {2}
    assert "2 of asked" in chalk("journal", "prune", "--keep", "0").out
    assert {len(rows(repo, table)) for table in ledger.TABLES} == {0}
    for words in ((), ("--keep", "1", "--before", "2020")):
        assert chalk("journal", "prune", *words).code == 2


def test_prune_spares_what_a_running_experiment_stands_on(repo: Repo, chalk: Inside) -> None:
    now = {"at": 1}
    experiments = [{**now, "id": "ended", "ended": 5}, {**now, "id": "runs"}]
    trials = [{**now, "experiment": name, "loop": name} for name in ("ended", "runs", "nobody's")]
    ledger.add(repo.place, {"experiments": experiments, "trials": trials})  # type: ignore[dict-item]
    assert chalk.json("journal", "prune", "--keep", "0")["pruned"] == {"trials": 2, "experiments": 1}
    assert [row["id"] for row in rows(repo, "experiments")] == ["runs"]
    assert [row["loop"] for row in rows(repo, "trials")] == ["runs"]


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


# --- what may be in its place ---------------------------------------------------------------------


def _folder_in_its_place(file: Path) -> None:
    file.mkdir()


def _no_database(file: Path) -> None:
    file.write_bytes(b"no database at all" * 300)


def _triggers(file: Path) -> None:
    """It would grow without end, if it were used."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("create table asked (id text, at integer)")
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i, i from n"
        database.execute(f"create trigger more after insert on asked begin insert into asked {endless}; end")


def _views(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
        database.execute(f"create view runs as {endless}")


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a link to a file": lambda file: file.symlink_to(file.parent.parent / "config"),
    "a link to nothing": lambda file: file.symlink_to(file.parent / "nothing"),
    "a folder": _folder_in_its_place,
    "no database": _no_database,
    "an empty file": Path.touch,
    "triggers": _triggers,
    "views": _views,
}


@pytest.mark.parametrize("what", IN_ITS_PLACE)
def test_whatever_is_in_its_place_answers_are_the_same(ruled: Repo, chalk: Inside, what: str) -> None:
    ruled.write("out.txt", output())
    questions_ = [("check", ROUTE), ("at", "src/a.py"), ("recall", "--output", "out.txt")]
    good = [chalk(*words) for words in questions_]
    file = Path(journal_file.path(ruled.place))
    shutil.rmtree(file.parent)
    file.parent.mkdir(mode=0o700)
    IN_ITS_PLACE[what](file)
    config = (ruled.root / ".git/config").read_bytes()
    for words, answer in zip(questions_, good, strict=True):
        found = chalk(*words)
        assert (found.code, found.out) == (answer.code, answer.out)
        assert "Traceback" not in found.err
    for words in (("journal", "status"), ("doctor",), ("journal", "off"), ("journal", "on")):
        assert chalk(*words).code == 0, words
    assert (ruled.root / ".git/config").read_bytes() == config
    assert not list(file.parent.glob("nothing"))
    taken = what in ("no database", "an empty file", "triggers", "views")
    assert bool(asked(ruled)) == taken


def test_a_damaged_journal_is_no_export_and_says_what_helps(ruled: Repo, chalk: Inside) -> None:
    chalk("check", ROUTE)
    assert chalk("journal", "export").code == 0
    Path(journal_file.path(ruled.place)).write_bytes(b"no database at all" * 300)
    for words in (("journal", "export"), ("journal", "prune", "--keep", "0")):
        result = chalk(*words)
        assert result.code == 2
        assert "hint: chalkgit doctor" in result.err
    assert "cannot be read" in chalk("journal", "status").out


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES], ids=os.strerror)
def test_a_disk_that_takes_nothing_costs_the_rows_and_no_answer(
    ruled: Repo, chalk: Inside, number: int
) -> None:
    good = chalk("check", ROUTE)
    shutil.rmtree(Path(journal_file.path(ruled.place)).parent)

    def run(n: int) -> Count:
        with failing(n, number) as count:
            place = ruled.place
            refused = questions.keep(place, [Asked("check", "check", verdict="clear")])
        assert (refused is not None) == count.failed
        if not count.failed:
            assert len(asked(ruled)) == 1
        return count

    assert until_it_passes(run) >= 1
    shutil.rmtree(Path(journal_file.path(ruled.place)).parent)
    with failing(-1, number):
        assert chalk("check", ROUTE)[:2] == good[:2]
    assert asked(ruled) == []
    assert chalk("check", ROUTE) == good
    assert len(asked(ruled)) == 1


def test_a_page_that_cannot_be_written_costs_the_rows_alone(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = chalk("check", ROUTE)
    real = journal_file.opened

    def full(place: Any) -> Any:
        database = real(place)
        database.execute("pragma max_page_count = 1")
        return database

    with monkeypatch.context() as patch:
        patch.setattr(journal_file, "opened", full)
        # what fits into the pages that are there is kept
        while ledger.add(ruled.place, {"asked": [{"at": 1, "verdict": "e" * 900}]}) is None:
            assert len(rows(ruled, "asked")) < 100
        before = len(rows(ruled, "asked"))
        assert "full" in (ledger.add(ruled.place, {"runs": [{"at": 1, "error": "e" * 20_000}]}) or "")
        assert chalk("check", ROUTE) == good
    assert before <= len(rows(ruled, "asked")) <= before + 1
    assert chalk("check", ROUTE) == good


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_takes_no_writes_costs_the_rows_and_no_answer(ruled: Repo, chalk: Inside) -> None:
    good = chalk("check", ROUTE)
    folder = Path(journal_file.path(ruled.place)).parent
    shutil.rmtree(folder)
    folder.mkdir(mode=0o500)
    assert chalk("check", ROUTE) == good
    folder.chmod(0o700)
    assert asked(ruled) == []


def test_another_process_that_writes_for_long_costs_the_rows_alone(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 0.05)
    good = chalk("check", ROUTE)
    with closing(sqlite3.connect(journal_file.path(ruled.place), isolation_level=None)) as database:
        database.execute("begin immediate")
        assert chalk("check", ROUTE) == good
        assert chalk("journal", "prune", "--keep", "0").code == 2
    assert len(asked(ruled)) == 1


def test_many_questions_at_once_are_each_whole(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "JOURNAL_SECONDS", 30)
    refused: list[str | None] = []
    place = repo.place

    def ask(name: str) -> None:
        for number in range(15):
            shown = [Showing("@check", f"{name}{number}", "h", 2), Showing("@check", f"{name}-", "h", 1)]
            refused.append(questions.keep(place, [Asked("check", "check", session=name, showings=shown)]))

    threads = [threading.Thread(target=ask, args=(f"t{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(refused) == {None}
    assert asked(repo) == [("check", "check", None, 2)] * 90


def test_the_oldest_questions_go_and_no_others(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ledger.BOUNDS, "asked", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 10)
    for number in range(45):
        questions.keep(repo.place, [Asked("check", "check", verdict=str(number))])
    kept = [row["verdict"] for row in rows(repo, "asked")]
    assert kept == [str(number) for number in range(45 - len(kept), 45)]
    assert 20 <= len(kept) <= 30


def test_a_journal_of_an_earlier_version_keeps_its_rows_and_gains_columns(repo: Repo) -> None:
    journal_file.made(repo.place)
    with closing(sqlite3.connect(journal_file.path(repo.place), isolation_level=None)) as database:
        columns = "session text, path text, id text, hash text, surface text, at integer, bytes integer"
        database.execute(f"create table shown ({columns})")
        database.execute("insert into shown values ('s', 'a.py', 'k7q2m9xd', 'h', 'save', 5, 9)")
    shown = [Showing("b.py", "k7q2m9xd", "h", 7)]
    assert questions.keep(repo.place, [Asked("rulings", "save", session="s", showings=shown)]) is None
    old, new = rows(repo, "shown")
    assert (old["at"], old["asked"]) == (5, None)
    assert new["asked"] == rows(repo, "asked")[0]["id"]
    assert journal.seen(repo.place, "s", ["a.py", "b.py"]) == {
        ("a.py", "k7q2m9xd", "h"),
        ("b.py", "k7q2m9xd", "h"),
    }


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


def test_a_bug_in_the_journal_would_be_told(
    ruled: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of what is above: an error that nobody foresaw is no silence."""
    monkeypatch.setattr(ledger, "_write", lambda place, found: 1 / 0)
    monkeypatch.setattr(crash, "report", lambda: 3)
    assert chalk("check", ROUTE).code == 3
