"""Derived data follows the files, whatever became of it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from derived import agreed, derived, file_of, filled_fixture, state  # noqa: F401
from repository import Repo

from chalkgit import thresholds
from chalkgit.errors import NoStore, Problem
from chalkgit.index import generation, lexical, refresh, table
from chalkgit.records.record import Record
from chalkgit.store import place as places
from chalkgit.store import snapshot
from chalkgit.store.place import Place


def empty(path: Path) -> None:
    path.write_bytes(b"")


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scramble(path: Path) -> None:
    path.write_bytes(random.Random(7).randbytes(path.stat().st_size))


def swap_for_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [Path.unlink, empty, halve, scramble, swap_for_a_folder])
@pytest.mark.parametrize("name", ["../manifest.json", "table.db", "words/meta.json"])
def test_a_damaged_index_is_built_anew(filled: Repo, name: str, damage: Callable[[Path], None]) -> None:
    damage(file_of(filled, name))
    result = filled.run("check", "warm the cache number 3", "--here")
    assert result.code == 1
    assert "(7 records searched)" in result.out
    assert filled.run("at", "src/3.py").out.count("number 3") == 1
    if not (derived(filled) / "manifest.json").is_dir():  # which no write goes over
        assert result.err == ""
        agreed(filled)


@pytest.mark.parametrize("damage", [Path.unlink, empty, halve, scramble])
def test_damaged_words_are_built_anew(filled: Repo, damage: Callable[[Path], None]) -> None:
    for part in file_of(filled, "words").iterdir():
        if part.suffix not in (".json", ".lock"):
            damage(part)
    result = filled.run("check", "warm the cache number 3", "--here")
    assert result.code == 1
    assert "(7 records searched)" in result.out
    filled.record(route="prune the tree")
    agreed(filled)


def test_words_that_lost_all_documents_are_built_anew(filled: Repo) -> None:
    words = file_of(filled, "words")
    shutil.rmtree(words)
    lexical.Lexical(str(words), create=True)
    assert filled.run("check", "warm the cache number 3", "--here").code == 1
    agreed(filled)


def test_a_table_of_another_generation_is_not_taken(filled: Repo) -> None:
    old = file_of(filled, "table.db").read_bytes()
    filled.record(route="prune the tree")
    agreed(filled)
    file_of(filled, "table.db").write_bytes(old)
    agreed(filled)


@pytest.mark.parametrize("kind", ["0", "2, tantivy 9", 7, None])
def test_an_index_of_another_format_is_built_anew(filled: Repo, kind: object) -> None:
    file = derived(filled) / "manifest.json"
    found = json.loads(file.read_text())
    file.write_text(json.dumps({**found, "format": kind}))
    assert generation.current(filled.place) is None
    agreed(filled)
    assert json.loads(file.read_text())["format"] == thresholds.INDEX_FORMAT
    assert len([name for name in os.listdir(derived(filled)) if name.startswith("g")]) == 1


@pytest.mark.parametrize("name", ["../../../outside", "/etc", "g/..", "", 3])
def test_a_manifest_never_leads_out_of_its_folder(filled: Repo, name: object) -> None:
    file = derived(filled) / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "generation": name}))
    assert generation.current(filled.place) is None
    agreed(filled)


def test_one_edited_record_costs_one_record(filled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    time.sleep(0.15)
    agreed(filled)
    read: list[str] = []
    parsed: list[str] = []
    content, decoded = snapshot.content, snapshot.decoded

    def reading(place: Place, path: str) -> snapshot.Content:
        read.append(path)
        return content(place, path)

    def parsing(path: str, found: snapshot.Content) -> tuple[Record | None, list[Problem]]:
        parsed.append(path)
        return decoded(path, found)

    monkeypatch.setattr(snapshot, "content", reading)
    monkeypatch.setattr(snapshot, "decoded", parsing)
    record = filled.record(route="prune the tree")
    before = file_of(filled, "table.db").parent
    refresh.up_to_date(filled.place)
    assert (read, parsed) == ([record.path], [record.path])
    read.clear()
    parsed.clear()
    (filled.root / record.path).touch()
    time.sleep(0.15)
    refresh.up_to_date(filled.place)
    assert (read, parsed) == ([], [])  # the same content: nothing to read anew, nothing to parse
    assert file_of(filled, "table.db").parent == before


def test_the_manifest_is_away_while_data_changes(filled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bool]] = []
    manifest = derived(filled) / "manifest.json"
    words, write = lexical.Lexical.write, table.Table.write

    def of_words(*args: Any) -> None:
        seen.append(("words", manifest.exists()))
        words(*args)

    def of_table(*args: Any) -> None:
        seen.append(("table", manifest.exists()))
        write(*args)

    monkeypatch.setattr(lexical.Lexical, "write", of_words)
    monkeypatch.setattr(table.Table, "write", of_table)
    filled.record(route="prune the tree")
    refresh.up_to_date(filled.place)
    assert seen == [("words", False), ("table", False)]
    assert manifest.exists()


def test_every_work_tree_has_an_index_of_its_own(filled: Repo) -> None:
    filled.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Repo(filled.root.parent / "linked")
    linked.record(route="prune the tree", id="a2345678")
    assert "a2345678" in refresh.up_to_date(linked.place).table.ids()
    assert "a2345678" not in agreed(filled).table.ids()
    assert (filled.root / ".git/worktrees/linked/chalkgit/manifest.json").exists()
    result = filled.run("check", "prune the tree")
    assert "sibling work tree linked" in result.out


def test_no_store_is_never_made_by_a_question(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    place = places.find(str(tmp_path))
    for rebuild in (False, True):
        with pytest.raises(NoStore):
            refresh.up_to_date(place, rebuild=rebuild)
    assert sorted(os.listdir(tmp_path)) == [".git"]
    assert not os.path.exists(place.derived)


def test_a_store_that_vanishes_is_no_store(filled: Repo) -> None:
    shutil.rmtree(filled.root / ".lessons")
    with pytest.raises(NoStore):
        refresh.up_to_date(filled.place)
    (filled.root / ".lessons").mkdir()
    assert agreed(filled).table.ids() == {}


def test_an_id_used_twice_is_read_once_and_told_until_it_is_not(filled: Repo) -> None:
    first = filled.record(path=".lessons/a.yaml", route="warm the cache twice")
    again = filled.record(path=".lessons/b.yaml", route="sort the queue twice", id=first.id)
    index = agreed(filled)
    assert index.table.ids()[first.id] == first.path
    assert [row[0] for row in index.table.problems()] == [again.path]
    (filled.root / first.path).unlink()
    index = agreed(filled)
    assert index.table.ids()[first.id] == again.path
    assert index.table.problems() == []


def test_a_successor_takes_effect_when_it_is_committed_and_only_then(filled: Repo) -> None:
    def effective() -> list[tuple[str, str]]:
        index = agreed(filled)
        return index.table.rows("select old, new from successors where effective = 1")

    old = filled.record(route="warm the cache by hand")
    filled.commit()
    new = filled.record(route="warm the cache by hand at noon", supersedes=[old.id])
    assert effective() == []
    filled.git("add", "-A")
    assert effective() == []
    before = filled.git("rev-parse", "HEAD")
    filled.git("commit", "-qm", "new")
    assert effective() == [(old.id, new.id)]
    result = filled.run("check", "warm the cache by hand", "--here")
    assert old.id not in result.out.replace(f"supersedes {old.id}", "")
    filled.git("reset", "-q", "--soft", before)
    assert effective() == []
    filled.git("commit", "-qm", "again")
    assert effective() == [(old.id, new.id)]
    filled.git("reset", "-q", "--hard", before)
    assert effective() == []


def test_a_claim_in_the_work_tree_that_head_does_not_make_is_not_effective(filled: Repo) -> None:
    old, other = filled.record(route="one cache"), filled.record(route="another cache")
    new = filled.record(route="a third cache", supersedes=[old.id])
    filled.commit()
    file = filled.root / new.path
    file.write_text(file.read_text().replace(old.id, other.id))
    assert agreed(filled).table.rows("select old from successors where effective = 1") == []


def test_many_successors_are_judged_at_once(filled: Repo) -> None:
    olds = [filled.record(route=f"cache {n}") for n in range(210)]
    for n, old in enumerate(olds):
        filled.record(route=f"new cache {n}", supersedes=[old.id], path=f".lessons/{'long' * 40}/{n}.yaml")
    filled.commit()
    assert len(agreed(filled).table.rows("select 1 from successors where effective = 1")) == 210


def test_what_was_read_since_the_last_exact_look_is_not_forgotten_by_the_next(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "DOUBTFUL", 3)
    record = filled.record(route="prune the tree")
    filled.commit()
    time.sleep(1.2)
    agreed(filled)
    path = record.path
    for number in range(4):  # each is seen by its folder's names, until there are too many in doubt
        new = f".lessons/dead-ends/{number}.{record.id}.yaml"
        (filled.root / path).rename(filled.root / new)
        path = new
        agreed(filled)
        assert refresh.up_to_date(filled.place).table.with_id(record.id) == [path]
