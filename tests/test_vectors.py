"""A vector of other content, of another model or of no unit length is no opinion, never 0."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest
from faults import Count, failing, until_it_passes
from repository import Repo

from chalkgit import thresholds
from chalkgit.index.vectors import Key, Vectors

KEY = Key("acme/model", "rev1", 4)
A, B, C = "a" * 16, "b" * 16, "c" * 16


def unit(*values: float) -> numpy.ndarray:
    vector = numpy.array(values, numpy.float32)
    return vector / numpy.linalg.norm(vector)


X, Y = unit(1, 0, 0, 0), unit(0, 1, 0, 0)


def folder(repo: Repo) -> Path:
    [found] = (repo.root / ".git/chalkgit/vectors").iterdir()
    return found


def test_what_was_added_is_there_in_the_next_process(repo: Repo) -> None:
    Vectors(repo.place, KEY).add([("one", A, X), ("two", B, Y)])
    vectors = Vectors(repo.place, KEY)
    assert vectors.similar(unit(3, 4, 0, 0), {"one": A, "two": B}) == {
        "one": pytest.approx(0.6),
        "two": pytest.approx(0.8),
    }
    assert vectors.missing({"one": A, "two": B, "three": C}) == ["three"]
    assert sorted(os.listdir(folder(repo))) == ["data", "lock", "meta.json", "rows"]


def test_another_content_is_no_opinion(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([("one", A, X)])
    assert vectors.similar(X, {"one": B}) == {}
    assert vectors.missing({"one": B}) == ["one"]
    vectors.add([("one", B, Y)])
    for seen in (vectors, Vectors(repo.place, KEY)):
        assert seen.similar(X, {"one": B}) == {"one": 0.0}
        assert seen.similar(X, {"one": A}) == {}


@pytest.mark.parametrize(
    "key", [Key("acme/other", "rev1", 4), Key("acme/model", "rev2", 4), Key("acme/model", "rev1", 2)]
)
def test_another_model_revision_or_dimension_is_no_opinion(repo: Repo, key: Key) -> None:
    Vectors(repo.place, KEY).add([("one", A, X)])
    other = Vectors(repo.place, key)
    assert other.missing({"one": A}) == ["one"]
    assert Vectors(repo.place, KEY).missing({"one": A}) == []


@pytest.mark.parametrize(
    "bad", [[float("nan")] * 4, [float("inf"), 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0], [0.9, 0, 0, 0]]
)
def test_a_vector_of_no_unit_length_is_no_opinion_and_is_replaced(repo: Repo, bad: list[float]) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([("one", A, X), ("two", B, numpy.array(bad, numpy.float32)), ("three", C, Y)])
    assert vectors.missing({"one": A, "two": B, "three": C}) == ["two"]
    assert vectors.similar(X, {"one": A, "two": B, "three": C}) == {"one": 1.0, "three": 0.0}
    vectors.add([("two", B, X)])
    assert Vectors(repo.place, KEY).similar(X, {"two": B}) == {"two": 1.0}


@pytest.mark.parametrize("name", ["rows", "data"])
@pytest.mark.parametrize("lost", [1, 3, 5, 16, 17, 40])
def test_a_torn_file_costs_its_end_alone(repo: Repo, name: str, lost: int) -> None:
    wanted = {f"r{n}": f"{n:016}" for n in range(6)}
    Vectors(repo.place, KEY).add(
        [(i, digest, unit(n + 1, 1, 0, 0)) for n, (i, digest) in enumerate(wanted.items())]
    )
    file = folder(repo) / name
    os.truncate(file, file.stat().st_size - lost)
    vectors = Vectors(repo.place, KEY)
    missing = vectors.missing(wanted)
    assert missing == list(wanted)[6 - len(missing) :]
    assert 1 <= len(missing) <= 3
    vectors.add([(i, wanted[i], unit(int(i[1:]) + 1, 1, 0, 0)) for i in missing])
    found = Vectors(repo.place, KEY).similar(X, wanted)
    assert found == {f"r{n}": pytest.approx(float(unit(n + 1, 1, 0, 0)[0])) for n in range(6)}


@pytest.mark.parametrize("name", ["rows", "data"])
def test_garbage_is_no_opinion(repo: Repo, name: str) -> None:
    Vectors(repo.place, KEY).add([("one", A, X), ("two", B, Y)])
    file = folder(repo) / name
    file.write_bytes(b"\xff\x00\n" * (file.stat().st_size // 3))
    vectors = Vectors(repo.place, KEY)
    assert vectors.missing({"one": A, "two": B}) == ["one", "two"]
    vectors.add([("one", A, X), ("two", B, Y)])
    assert Vectors(repo.place, KEY).similar(X, {"one": A, "two": B}) == {"one": 1.0, "two": 0.0}


def test_whichever_write_fails_this_run_has_its_opinion_and_the_files_no_wrong_one(repo: Repo) -> None:
    def run(n: int) -> Count:
        digest = f"{n:016}"
        vectors = Vectors(repo.place, KEY)
        with failing(n) as count:
            vectors.add([("one", digest, unit(n, 1, 0, 0)), ("two", digest, Y)])
        assert vectors.similar(Y, {"two": digest}) == {"two": pytest.approx(1.0)}
        kept = Vectors(repo.place, KEY).similar(Y, {"one": digest, "two": digest})
        assert kept.get("two", 1.0) == pytest.approx(1.0)
        assert kept.get("one", float(unit(n, 1, 0, 0)[1])) == pytest.approx(float(unit(n, 1, 0, 0)[1]))
        return count

    assert until_it_passes(run) > 3


def test_processes_that_append_at_once_lose_nothing(repo: Repo) -> None:
    code = (
        "import sys, numpy\nfrom chalkgit.index.vectors import Key, Vectors\n"
        "from chalkgit.store import place\n"
        "v = Vectors(place.find(sys.argv[1]), Key('acme/model', 'rev1', 4))\n"
        "for n in range(25):\n    x = numpy.zeros(4, 'float32'); x[int(sys.argv[2])] = 1\n"
        "    v.add([(f'r{sys.argv[2]}-{n}', 'a' * 16, x)])\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(repo.root), str(n)]) for n in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    wanted = {f"r{n}-{m}": A for n in range(3) for m in range(25)}
    found = Vectors(repo.place, KEY).similar(Y, wanted)
    assert found == {i: float(i.startswith("r1-")) for i in wanted}


def test_a_reader_beside_a_compaction_has_no_wrong_opinion(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer compacts without end, while each reader asks for a record that never changes."""
    code = (
        "import sys, numpy\nfrom chalkgit import thresholds\nthresholds.VECTOR_SLACK = 0\n"
        "from chalkgit.index.vectors import Key, Vectors\nfrom chalkgit.store import place\n"
        "v = Vectors(place.find(sys.argv[1]), Key('acme/model', 'rev1', 4))\n"
        "x = numpy.array([1, 0, 0, 0], 'float32'); y = numpy.array([0, 1, 0, 0], 'float32')\n"
        "v.add([('fill', '0' * 16, x), ('one', 'a' * 16, y)])\nprint(flush=True)\nn = 0\n"
        "while True:\n    n += 1\n    v.add([('fill', f'{n:016}', x)])\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(repo.root)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    try:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert Vectors(repo.place, KEY).similar(Y, {"one": A}) == {"one": 1.0}
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_dead_rows_are_compacted_away(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "VECTOR_SLACK", 3)
    vectors = Vectors(repo.place, KEY)
    vectors.add([("kept", B, Y)])
    for n in range(40):
        vectors.add([("one", f"{n:016}", X)])
    assert (folder(repo) / "data").stat().st_size <= 16 * 9
    assert Vectors(repo.place, KEY).similar(Y, {"kept": B, "one": f"{39:016}"}) == {"kept": 1.0, "one": 0.0}


def test_what_is_forgotten_is_on_the_disk_no_more(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    secret = unit(0.123, 0.456, 0.789, 0.1)
    vectors.add([("one", A, secret), ("two", B, Y)])
    vectors.add([("one", C, numpy.zeros(4, numpy.float32))])  # the newest is no opinion; the older lies there
    assert secret.tobytes() in (folder(repo) / "data").read_bytes()
    vectors.forget("none")
    vectors.forget("one")
    assert b"one" not in (folder(repo) / "rows").read_bytes()
    assert secret.tobytes() not in (folder(repo) / "data").read_bytes()
    assert Vectors(repo.place, KEY).similar(Y, {"one": A, "two": B}) == {"two": 1.0}


def test_for_one_run_nothing_is_written(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([("one", A, X)], kept=False)
    assert vectors.similar(X, {"one": A}) == {"one": 1.0}
    assert not (repo.root / ".git/chalkgit").exists()
    vectors.add([])
    Vectors(repo.place, KEY).forget("one")
    assert not (repo.root / ".git/chalkgit").exists()
