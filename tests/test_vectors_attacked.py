"""Vectors in a git directory that somebody else made, or that was damaged.

Nothing outside is touched, nothing is waited for, and no answer is weaker than it says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy
import pytest
from faults import failing
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit.index.vector_files import ROW, Entry, Key
from chalkgit.index.vectors import Vectors

KEY = Key("acme/model", "rev1", 8)
A = "a" * 16


def unit(seed: int, count: int = 1) -> numpy.ndarray:
    made = numpy.random.default_rng(seed).standard_normal((count, 8)).astype(numpy.float32)
    return made / numpy.linalg.norm(made, axis=1, keepdims=True)


def entry(name: str, seed: int, digest: str = A) -> Entry:
    return Entry(name, digest, unit(seed)[0], unit(seed, 3), 2)


def filled(repo: Repo, count: int = 4) -> Path:
    """The folder of some vectors."""
    Vectors(repo.place, KEY).add([entry(f"r{n}", n) for n in range(count)])
    [found] = (repo.root / ".git/chalkgit/vectors").iterdir()
    return found


WANTED = {f"r{n}": A for n in range(4)}


@pytest.mark.parametrize("name", ["rows", "data", "tokens", "lock", "complete", "meta.json"])
@pytest.mark.parametrize("how", ["link", "hard link", "dangling link", "fifo", "folder"])
def test_what_stands_in_a_files_place_is_neither_followed_nor_waited_for(
    repo: Repo, tmp_path: Path, name: str, how: str
) -> None:
    folder, outside = filled(repo), tmp_path / "authorized_keys"
    outside.write_text("ssh-ed25519 precious\n")
    file = folder / name
    file.unlink(missing_ok=True)
    if how == "link":
        file.symlink_to(outside)
    elif how == "hard link":
        os.link(outside, file)
    elif how == "dangling link":
        file.symlink_to(tmp_path / "none")
    elif how == "fifo":
        os.mkfifo(file)
    else:
        file.mkdir()
        (file / "within").write_text("x")
    vectors = Vectors(repo.place, KEY)
    vectors.add([entry(i, int(i[1:])) for i in vectors.missing(WANTED)] or [entry("new", 9)])
    vectors.keep_complete("e1")
    assert set(vectors.similar(unit(1)[0], WANTED)) == set(WANTED)
    assert outside.read_text() == "ssh-ed25519 precious\n"
    assert not (tmp_path / "none").exists()
    if name in ("rows", "data", "tokens", "lock"):
        assert vectors.unwritten is None
        assert set(Vectors(repo.place, KEY).similar(unit(1)[0], WANTED)) == set(WANTED)


@pytest.mark.parametrize("level", ["vectors", "model"])
def test_a_folder_that_is_a_link_is_left_alone_and_this_run_counts_its_vectors(
    repo: Repo, tmp_path: Path, level: str
) -> None:
    folder, outside = filled(repo), tmp_path / "outside"
    moved = folder if level == "model" else folder.parent
    os.rename(moved, outside)
    moved.symlink_to(outside)
    before = {file: file.read_bytes() for file in outside.rglob("*") if file.is_file()}
    vectors = Vectors(repo.place, KEY)
    assert vectors.missing(WANTED) == list(WANTED)
    vectors.add([entry(i, int(i[1:])) for i in WANTED])
    vectors.keep_complete("e1")
    assert vectors.unwritten == "a symbolic link, which is not followed"
    assert set(vectors.similar(unit(1)[0], WANTED)) == set(WANTED)
    assert {file: file.read_bytes() for file in outside.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("field", ["id", "hash", "route", "tokens"])
def test_a_damaged_row_is_no_opinion_and_is_not_called_complete(repo: Repo, field: str) -> None:
    folder = filled(repo)
    Vectors(repo.place, KEY).keep_complete("e1")
    assert Vectors(repo.place, KEY).complete("e1")
    rows = numpy.fromfile(folder / "rows", ROW)
    rows[field][-1] = {"id": b"r0", "hash": b"b" * 16, "route": 65_535, "tokens": 2}[field]
    rows.tofile(folder / "rows")
    vectors = Vectors(repo.place, KEY)
    assert not vectors.complete("e1")
    sound = vectors.compared(unit(1)[0], unit(5, 2), [1, 1], WANTED)
    assert set(sound) == {"r0", "r1", "r2"}
    if field != "hash":
        assert sound["r0"][0] == pytest.approx(float(unit(0)[0] @ unit(1)[0]), abs=1e-5)
    assert "r3" in vectors.missing(WANTED)
    vectors.add([entry("r3", 3)])
    assert set(Vectors(repo.place, KEY).similar(unit(1)[0], WANTED)) == set(WANTED)


def test_two_that_write_the_same_vectors_write_them_once(repo: Repo) -> None:
    first, second = Vectors(repo.place, KEY), Vectors(repo.place, KEY)
    first.add([entry("r0", 0), entry("r1", 1)])
    second.add([entry("r0", 0), entry("r1", 1), entry("r2", 2)])
    assert len(Vectors(repo.place, KEY)) == 3


def test_a_disk_that_takes_no_more_costs_no_vector_of_this_run(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    with failing(1):
        vectors.add([entry("r0", 0)])
    for n in range(1, 4):
        vectors.add([entry(f"r{n}", n)])
    assert vectors.unwritten
    assert set(vectors.similar(unit(1)[0], WANTED)) == set(WANTED)


# --- through the program


@pytest.fixture(name="model")
def model_fixture(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)


@pytest.mark.usefixtures("model")
def test_earlier_contents_and_records_that_are_gone_take_no_place_of_those_that_are_there(
    repo: Repo, chalk: Inside
) -> None:
    kept = repo.record(route="share one connection pool between all workers", observation="sockets broke")
    busy = repo.record(route="reuse SQL sockets across processes", observation="they were closed")
    file = repo.root / busy.path
    text = file.read_text()
    for n in range(40):
        file.write_text(text.replace("they were closed", f"they were closed {n} times"))
        chalk("check", "reuse database sockets in every process")
    file.unlink()
    proposal = "let the processes that answer HTTP reuse database sockets"
    answer = json.loads(chalk("check", "--batch", "-", stdin=proposal).out)
    assert [hit["id"] for hit in answer["hits"]] == [kept.id]
    assert answer["semantic"]["covered"] == 1


def test_a_refreshed_index_orders_and_decides_as_a_rebuilt_one(repo: Repo, chalk: Inside) -> None:
    words = "cache docker image layer proxy token queue retry schema lock worker parser".split()
    for n in range(10):
        route = " ".join(words[(n * k + k) % 12] for k in (1, 3, 4, 7))
        repo.record(route=route, observation="it was slow")
    long = repo.record(route="move everything", observation=" ".join(words * 120))
    chalk("index")
    file = repo.root / long.path
    file.write_text(file.read_text().replace(" ".join(words * 120), "short"))
    proposals = "".join(f"{a} the {b} of the {c}\n" for a in words for b in words[:4] for c in words[8:])
    refreshed = chalk("check", "--batch", "-", "--lexical", stdin=proposals).out
    assert chalk("index", "--rebuild").code == 0
    rebuilt = chalk("check", "--batch", "-", "--lexical", stdin=proposals).out
    assert [json.loads(line)["hits"] for line in refreshed.splitlines()] == [
        json.loads(line)["hits"] for line in rebuilt.splitlines()
    ]
