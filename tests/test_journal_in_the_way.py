"""What lies where the journal, a file beside it, or an experiment's file would be: a way out of each."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from journalled import rows
from repository import Repo
from trialling import folder, loops, start

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import experiment_file, experiments, journal_file, ledger

DAMAGE = b"no database at all" * 300


def journal(repo: Repo) -> Path:
    return Path(journal_file.path(repo.place))


def keep(repo: Repo, verdict: str) -> str | None:
    return ledger.add(repo.place, {"asked": [{"at": 1, "kind": "check", "verdict": verdict}]})


def kept(repo: Repo) -> list[str]:
    return [row["verdict"] for row in rows(repo, "asked")]


# --- an experiment's file ---------------------------------------------------------------------------


def _mode(file: Path) -> None:
    file.write_text("?")
    file.chmod(0)


ODD: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "a link to nothing": lambda file: file.symlink_to("nothing"),
    "a link to a folder": lambda file: file.symlink_to(file.parent),
    "unreadable": _mode,
    "other words": lambda file: file.write_text("nothing of ours\n"),
}


@pytest.mark.parametrize("what", ODD)
def test_whatever_says_which_experiment_runs_stop_writes_over_it(
    repo: Repo, chalk: Inside, what: str
) -> None:
    start(repo)
    file = folder(repo) / experiment_file.FILE
    file.unlink()
    ODD[what](file)
    assert (
        "no claim: it does not say which experiment runs; nothing is withheld"
        in chalk("experiment", "status").out
    )
    refused = chalk("experiment", "start")
    assert (refused.code, refused.out) == (2, "")
    assert "hint: chalkgit experiment stop" in refused.err
    assert chalk("experiment", "stop").code == 0
    assert stat_is_file(file)
    assert chalk("experiment", "start", "--aa").code == 0


def stat_is_file(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def test_a_folder_where_it_stands_which_experiment_runs_is_named_with_the_way_out(
    repo: Repo, chalk: Inside
) -> None:
    manifest = start(repo)
    (loop,) = loops(manifest, "without", 1)
    file = folder(repo) / experiment_file.FILE
    said = file.read_text()
    file.unlink()
    (file / "more").mkdir(parents=True)
    for words in (("experiment", "stop"), ("experiment", "start")):
        refused = chalk(*words)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.splitlines() == [
            f"chalkgit: {file}: a folder lies where it stands which experiment runs; nothing is withheld",
            f"hint: rm -r {file}",
        ]
    found = chalk("experiment", "status")
    assert found.code == 0
    assert "no claim: a folder lies where it stands which experiment runs; nothing is withheld" in found.out
    entry = experiments.enter(repo.place, loop, "run", 1)
    assert entry is not None
    assert not entry.withheld
    assert "nothing is withheld" in (entry.trouble or "")
    assert experiment_file.way_out(repo.place) == f"rm -r {file}"
    shutil.rmtree(file)  # as it says
    file.write_text(said)
    entry = experiments.enter(repo.place, loop, "run", 1)
    assert entry is not None
    assert entry.withheld
    assert experiment_file.way_out(repo.place) == "chalkgit experiment stop"
    assert chalk("experiment", "stop").code == 0


def test_an_experiment_behind_a_linked_folder_is_neither_read_nor_ended(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    manifest = start(repo)
    away = tmp_path / "away"
    shutil.move(folder(repo), away)
    folder(repo).symlink_to(away)
    before = (away / experiment_file.FILE).read_text()
    assert before == f"{manifest.id} running\n"
    for words in (("experiment", "stop"), ("experiment", "start")):
        assert chalk(*words).code == 2
    with pytest.raises(ChalkError, match="a symbolic link lies where") as refused:
        experiments.running(repo.place)
    assert refused.value.hint == f"rm {folder(repo)}"
    assert (away / experiment_file.FILE).read_text() == before
    folder(repo).unlink()
    shutil.move(away, folder(repo))
    assert chalk("experiment", "stop").code == 0


# --- a damaged journal is put aside -----------------------------------------------------------------


def test_a_folder_where_a_damaged_journal_is_put_costs_no_row(repo: Repo) -> None:
    assert keep(repo, "before") is None
    (journal(repo).with_name("journal.db.damaged") / "x").mkdir(parents=True)
    for number in range(3):
        journal(repo).write_bytes(DAMAGE)
        assert keep(repo, str(number)) is None
        assert kept(repo) == [str(number)]
    names = sorted(file.name for file in journal(repo).parent.iterdir())
    assert names == ["journal.db", "journal.db.damaged", "journal.db.damaged-2"]
    assert journal(repo).with_name("journal.db.damaged-2").read_bytes() == DAMAGE


def test_where_folders_lie_under_every_name_it_is_said_and_the_journal_stays(
    repo: Repo, chalk: Inside
) -> None:
    record = repo.record()
    keep(repo, "before")
    names = [Path(name) for name in journal_file.aside(repo.place)]
    assert len(names) == thresholds.JOURNAL_ASIDE
    for name in names:
        name.mkdir()
    journal(repo).write_bytes(DAMAGE)
    refused = keep(repo, "after") or ""
    assert refused.startswith("it is damaged, and folders are in the way: journal.db.damaged, ")
    said = chalk("feedback", record.id, "wrong")
    assert said.code == 2
    assert "was not kept: it is damaged, and folders are in the way" in said.err
    assert "Errno" not in said.err
    assert journal(repo).read_bytes() == DAMAGE
    names[2].rmdir()
    assert keep(repo, "after") is None
    assert kept(repo) == ["after"]


def test_what_was_put_aside_is_forgotten_with_a_record_and_a_folder_is_not(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    repo.commit()
    keep(repo, "before")
    first, second = (Path(name) for name in journal_file.aside(repo.place)[:2])
    (first / "kept").mkdir(parents=True)
    second.write_bytes(record.id.encode() + DAMAGE)
    assert chalk("forget", record.id, "--yes").code == 0
    assert not second.exists()
    assert (first / "kept").is_dir()


def test_a_journal_that_another_process_put_aside_is_no_trouble(repo: Repo) -> None:
    keep(repo, "before")
    journal(repo).unlink()
    journal_file.put_aside(repo.place)
    assert keep(repo, "after") is None


# --- folders beside it ------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["", "-journal", "-wal"])
def test_a_folder_in_the_journals_way_is_named_and_loses_nothing(repo: Repo, chalk: Inside, end: str) -> None:
    assert keep(repo, "before") is None
    was = journal(repo).read_bytes()
    way = Path(f"{journal(repo)}{end}")
    way.unlink(missing_ok=True)
    way.mkdir()
    assert "is a folder, and in the way" in (keep(repo, "lost") or "")
    said = chalk("doctor").out
    assert f"{way} is a folder, and in the way: nothing is kept" in said
    assert f"rm -r {way}" in said
    if end:
        assert chalk.json("report")["journal"]["trouble"].endswith(f"{way.name} is a folder, and in the way")
        exported = chalk("journal", "export")
        assert exported.code == 2
        assert f"hint: rm -r {way}" in exported.err
        assert journal(repo).read_bytes() == was
    way.rmdir()
    journal(repo).write_bytes(was)
    assert keep(repo, "after") is None
    assert kept(repo) == ["before", "after"]
    assert "in the way" not in chalk("doctor").out


def test_a_folder_that_hinders_nothing_is_let_be(repo: Repo) -> None:
    """The control of what is above: SQLite makes no use of this name here."""
    keep(repo, "before")
    Path(f"{journal(repo)}-shm").mkdir()
    assert keep(repo, "after") is None
    assert kept(repo) == ["before", "after"]
    assert journal_file.in_the_way(repo.place) is None


# --- as it grows ------------------------------------------------------------------------------------


def _plan(repo: Repo, query: str) -> str:
    with closing(sqlite3.connect(journal(repo))) as database:
        return " ".join(row[3] for row in database.execute(f"explain query plan {query}", ("x",)))


def test_a_trial_is_found_by_its_loop_in_a_journal_of_an_earlier_version_too(repo: Repo) -> None:
    query = "select arm from trials where loop = ?"
    row: dict[str, Any] = {"at": 1, "loop": "x", "arm": "with"}
    assert ledger.add(repo.place, {"trials": [row]}) is None
    assert "USING INDEX trials_of" in _plan(repo, query)
    with closing(sqlite3.connect(journal(repo), isolation_level=None)) as database:
        database.execute("drop index trials_of")
    assert "USING INDEX" not in _plan(repo, query)
    assert ledger.add(repo.place, {"trials": [row]}) is None
    assert "USING INDEX trials_of" in _plan(repo, query)
    assert ledger.read(repo.place, "trials", ("arm",), "loop = ?", ("x",)) == [("with",)] * 2


def test_a_reader_gets_the_newest_rows_that_the_journal_keeps_and_an_export_all(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(repo, "0")
    with closing(sqlite3.connect(journal(repo), isolation_level=None)) as database:
        database.executemany(
            "insert into asked (at, verdict) values (1, ?)", [(str(n),) for n in range(1, 40)]
        )
    assert len(ledger.read(repo.place, "asked", ("verdict",))) == 40
    monkeypatch.setitem(ledger.BOUNDS, "asked", 20)
    monkeypatch.setattr(thresholds, "JOURNAL_SWEEP", 5)
    assert ledger.most("asked") == 25
    assert ledger.read(repo.place, "asked", ("verdict",)) == [(str(n),) for n in range(15, 40)]
    assert len(chalk.json("journal", "export")["tables"]["asked"]) == 40


def test_a_value_that_is_not_of_its_columns_kind_is_none(repo: Repo) -> None:
    ledger.add(repo.place, {"decided": [{"at": 5, "id": "x", "probability": 0.5, "ms": 7}]})
    with closing(sqlite3.connect(journal(repo), isolation_level=None)) as database:
        database.execute("insert into decided (at, id, probability, ms) values ('soon', x'00', 'high', 1.5)")
        database.execute("insert into decided (at, id, probability, ms) values (5, null, 1, 9)")
    found = ledger.read(repo.place, "decided", ("at", "id", "probability", "ms"))
    assert found == [(5, "x", 0.5, 7), (None, None, None, None), (5, None, 1.0, 9)]
    assert isinstance(found[2][2], float)
