"""A vector of other content, of another model or of no unit length is no opinion, never 0."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from faults import Count, failing, until_it_passes
from repository import Repo

from chalkgit import thresholds
from chalkgit.index.vector_files import Entry, Key
from chalkgit.index.vectors import Vectors

KEY = Key("acme/model", "rev1", 4)
Another = Callable[[str], Repo]
A, B, C = "a" * 16, "b" * 16, "c" * 16


def unit(*values: float) -> numpy.ndarray:
    vector = numpy.array(values, numpy.float32)
    return vector / numpy.linalg.norm(vector)


def near(cosine: float) -> object:
    return pytest.approx(cosine, abs=2e-6)  # cosines come rounded to six digits


X, Y = unit(1, 0, 0, 0), unit(0, 1, 0, 0)


def folder(repo: Repo) -> Path:
    [found] = (repo.root / ".git/chalkgit/vectors").iterdir()
    return found


def test_what_was_added_is_there_in_the_next_process(repo: Repo) -> None:
    Vectors(repo.place, KEY).add([Entry("one", A, X), Entry("two", B, Y)])
    vectors = Vectors(repo.place, KEY)
    assert vectors.similar(unit(3, 4, 0, 0), {"one": A, "two": B}) == {
        "one": near(0.6),
        "two": near(0.8),
    }
    assert vectors.missing({"one": A, "two": B, "three": C}) == ["three"]
    assert sorted(os.listdir(folder(repo))) == ["data", "lock", "meta.json", "rows", "tokens"]


def test_another_content_is_no_opinion(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([Entry("one", A, X)])
    assert vectors.similar(X, {"one": B}) == {}
    assert vectors.missing({"one": B}) == ["one"]
    vectors.add([Entry("one", B, Y)])
    for seen in (vectors, Vectors(repo.place, KEY)):
        assert seen.similar(X, {"one": B}) == {"one": 0.0}
        # an earlier content's vector is right for that content, should a branch bring it back
        assert seen.similar(X, {"one": A}) == {"one": 1.0}
        assert seen.similar(X, {"one": C}) == {}


@pytest.mark.parametrize(
    "key", [Key("acme/other", "rev1", 4), Key("acme/model", "rev2", 4), Key("acme/model", "rev1", 2)]
)
def test_another_model_revision_or_dimension_is_no_opinion(repo: Repo, key: Key) -> None:
    Vectors(repo.place, KEY).add([Entry("one", A, X)])
    other = Vectors(repo.place, key)
    assert other.missing({"one": A}) == ["one"]
    assert Vectors(repo.place, KEY).missing({"one": A}) == []


@pytest.mark.parametrize(
    "bad", [[float("nan")] * 4, [float("inf"), 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0], [0.9, 0, 0, 0]]
)
def test_a_vector_of_no_unit_length_is_no_opinion_and_is_replaced(repo: Repo, bad: list[float]) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([Entry("one", A, X), Entry("two", B, numpy.array(bad, numpy.float32)), Entry("three", C, Y)])
    assert vectors.missing({"one": A, "two": B, "three": C}) == ["two"]
    assert vectors.similar(X, {"one": A, "two": B, "three": C}) == {"one": 1.0, "three": 0.0}
    vectors.add([Entry("two", B, X)])
    assert Vectors(repo.place, KEY).similar(X, {"two": B}) == {"two": 1.0}


@pytest.mark.parametrize("name", ["rows", "data"])
@pytest.mark.parametrize("lost", [1, 3, 5, 16, 17, 40])
def test_a_torn_file_costs_its_end_alone(repo: Repo, name: str, lost: int) -> None:
    wanted = {f"r{n}": f"{n:016}" for n in range(6)}
    Vectors(repo.place, KEY).add(
        [Entry(i, digest, unit(n + 1, 1, 0, 0)) for n, (i, digest) in enumerate(wanted.items())]
    )
    file = folder(repo) / name
    os.truncate(file, file.stat().st_size - lost)
    vectors = Vectors(repo.place, KEY)
    missing = vectors.missing(wanted)
    assert missing == list(wanted)[6 - len(missing) :]
    assert 1 <= len(missing) <= 3
    vectors.add([Entry(i, wanted[i], unit(int(i[1:]) + 1, 1, 0, 0)) for i in missing])
    found = Vectors(repo.place, KEY).similar(X, wanted)
    assert found == {f"r{n}": near(float(unit(n + 1, 1, 0, 0)[0])) for n in range(6)}


@pytest.mark.parametrize("name", ["rows", "data"])
def test_garbage_is_no_opinion(repo: Repo, name: str) -> None:
    Vectors(repo.place, KEY).add([Entry("one", A, X), Entry("two", B, Y)])
    file = folder(repo) / name
    file.write_bytes(b"\xff\x00\n" * (file.stat().st_size // 3))
    vectors = Vectors(repo.place, KEY)
    assert vectors.missing({"one": A, "two": B}) == ["one", "two"]
    vectors.add([Entry("one", A, X), Entry("two", B, Y)])
    assert Vectors(repo.place, KEY).similar(X, {"one": A, "two": B}) == {"one": 1.0, "two": 0.0}


def test_whichever_write_fails_this_run_has_its_opinion_and_the_files_no_wrong_one(repo: Repo) -> None:
    def run(n: int) -> Count:
        digest = f"{n:016}"
        vectors = Vectors(repo.place, KEY)
        with failing(n) as count:
            vectors.add([Entry("one", digest, unit(n, 1, 0, 0)), Entry("two", digest, Y)])
        assert vectors.similar(Y, {"two": digest}) == {"two": near(1.0)}
        kept = Vectors(repo.place, KEY).similar(Y, {"one": digest, "two": digest})
        assert kept.get("two", 1.0) == near(1.0)
        assert kept.get("one", float(unit(n, 1, 0, 0)[1])) == near(float(unit(n, 1, 0, 0)[1]))
        return count

    assert until_it_passes(run) > 3


def test_processes_that_append_at_once_lose_nothing(repo: Repo) -> None:
    code = (
        "import sys, numpy\nfrom chalkgit.index.vector_files import Entry, Key\n"
        "from chalkgit.index.vectors import Vectors\n"
        "from chalkgit.store import place\n"
        "v = Vectors(place.find(sys.argv[1]), Key('acme/model', 'rev1', 4))\n"
        "for n in range(25):\n    x = numpy.zeros(4, 'float32'); x[int(sys.argv[2])] = 1\n"
        "    v.add([Entry(f'r{sys.argv[2]}-{n}', 'a' * 16, x)])\n"
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
        "from chalkgit.index.vector_files import Entry, Key\n"
        "from chalkgit.index.vectors import Vectors\nfrom chalkgit.store import place\n"
        "v = Vectors(place.find(sys.argv[1]), Key('acme/model', 'rev1', 4))\n"
        "x = numpy.array([1, 0, 0, 0], 'float32'); y = numpy.array([0, 1, 0, 0], 'float32')\n"
        "v.add([Entry('fill', '0' * 16, x), Entry('one', 'a' * 16, y)])\nprint(flush=True)\nn = 0\n"
        "while True:\n    n += 1\n    v.add([Entry('fill', f'{n:016}', x)])\n"
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
    vectors.add([Entry("kept", B, Y)])
    for n in range(40):
        vectors.add([Entry("one", f"{n:016}", X)])
    assert (folder(repo) / "data").stat().st_size <= 16 * 9
    assert Vectors(repo.place, KEY).similar(Y, {"kept": B, "one": f"{39:016}"}) == {"kept": 1.0, "one": 0.0}


def test_what_is_forgotten_is_on_the_disk_no_more(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    secret = unit(0.123, 0.456, 0.789, 0.1)
    vectors.add([Entry("one", A, secret), Entry("two", B, Y)])
    vectors.add(
        [Entry("one", C, numpy.zeros(4, numpy.float32))]
    )  # the newest is no opinion; the older lies there
    assert secret.tobytes() in (folder(repo) / "data").read_bytes()
    vectors.forget("none")
    vectors.forget("one")
    assert b"one" not in (folder(repo) / "rows").read_bytes()
    assert secret.tobytes() not in (folder(repo) / "data").read_bytes()
    assert Vectors(repo.place, KEY).similar(Y, {"one": A, "two": B}) == {"two": 1.0}


def test_for_one_run_nothing_is_written(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([Entry("one", A, X)], kept=False)
    assert vectors.similar(X, {"one": A}) == {"one": 1.0}
    assert not (repo.root / ".git/chalkgit").exists()
    vectors.add([])
    Vectors(repo.place, KEY).forget("one")
    assert not (repo.root / ".git/chalkgit").exists()


# --- token vectors


def tokens(seed: int, count: int = 9, dimension: int = 384) -> numpy.ndarray:
    made = numpy.random.default_rng(seed).standard_normal((count, dimension)).astype(numpy.float32)
    return made / numpy.linalg.norm(made, axis=1, keepdims=True)


WIDE = Key("acme/model", "rev1", 384)


def wide(seed: int) -> numpy.ndarray:
    return tokens(seed, 1)[0]


def late(vectors: Vectors, query: numpy.ndarray, weights: object, wanted: dict[str, str]) -> dict[str, tuple]:
    found = vectors.compared(wide(0), query, weights, wanted)
    return {i: both for i, (_, both) in found.items() if both is not None}


def test_late_interaction_over_bits_is_near_that_over_whole_vectors(repo: Repo) -> None:
    query, held = tokens(1, 5), {f"r{n}": tokens(10 + n, 3 + n) for n in range(6)}
    held["r0"][:2] = query[:2]  # two tokens in common
    vectors = Vectors(repo.place, WIDE)
    vectors.add([Entry(i, A, wide(n), held[i], 2) for n, i in enumerate(held)])
    weights = numpy.array([3, 0, 1, 1, 1], numpy.float32)
    found = late(Vectors(repo.place, WIDE), query, weights, dict.fromkeys(held, A))
    assert list(found) == sorted(held)
    for i, (forward, backward) in found.items():
        exact = query @ held[i].T
        assert forward == pytest.approx(float((exact.max(axis=1) * weights).sum() / 6), abs=0.06)
        assert backward == pytest.approx(float(exact.max(axis=0)[:2].mean()), abs=0.06)
    assert found["r0"][0] > max(forward for i, (forward, _) in found.items() if i != "r0") + 0.3
    assert found["r0"][1] == pytest.approx(1, abs=0.06)


def test_a_record_without_token_vectors_has_a_cosine_and_no_late_interaction(repo: Repo) -> None:
    vectors = Vectors(repo.place, WIDE)
    vectors.add([Entry("one", A, wide(1)), Entry("two", B, wide(2), tokens(3), 4)])
    assert list(late(vectors, tokens(4), [1] * 9, {"one": A, "two": B})) == ["two"]
    assert set(vectors.similar(wide(1), {"one": A, "two": B})) == {"one", "two"}
    assert late(vectors, tokens(4)[:0], [], {"two": B}) == {}


@pytest.mark.parametrize("name", ["data", "tokens"])
def test_a_flipped_bit_is_no_opinion_until_it_is_written_again(repo: Repo, name: str) -> None:
    Vectors(repo.place, WIDE).add([Entry(f"r{n}", A, wide(n), tokens(n), 3) for n in range(3)])
    file = folder(repo) / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    vectors, wanted = Vectors(repo.place, WIDE), {"r0": A, "r1": A, "r2": A}
    assert set(vectors.similar(wide(1), wanted)) == {"r0", "r2"}
    assert set(late(vectors, tokens(1), [1] * 9, wanted)) == {"r0", "r2"}
    assert vectors.doubted
    assert vectors.missing(wanted) == ["r1"]
    vectors.add([Entry("r1", A, wide(1), tokens(1), 3)])
    assert vectors.similar(wide(1), wanted)["r1"] == near(1)
    assert vectors.missing(wanted) == []
    assert not vectors.doubted
    assert late(Vectors(repo.place, WIDE), tokens(1), [1] * 9, wanted)["r1"][0] == pytest.approx(1, abs=0.01)


def test_the_nearest_do_not_depend_on_the_order_they_were_written_in(repo: Repo, another: Another) -> None:
    same = wide(7)
    entries = [Entry(f"r{n:02}", A, same if n % 3 else wide(n), tokens(n)) for n in range(60)]
    found = []
    for place, ordered in ((repo.place, entries), (another("other").place, entries[::-1])):
        vectors = Vectors(place, WIDE)
        for entry in ordered:
            vectors.add([entry])
        found.append([vectors.nearest(same, most) for most in (1, 5, 41, 45, 60, 200)])
    assert found[0] == found[1]
    # of forty that are equally near, the first is as good as the last
    assert [len(nearest) for nearest in found[0]] == [40, 40, 41, 45, 60, 60]


def test_what_is_no_number_is_nearest_to_nothing(repo: Repo) -> None:
    Vectors(repo.place, KEY).add([Entry("one", A, X), Entry("two", B, Y), Entry("six", C, Y)])
    data = numpy.fromfile(folder(repo) / "data", numpy.float32)
    data[:8] = [numpy.nan] * 4 + [9e30] * 4
    data.tofile(folder(repo) / "data")
    assert Vectors(repo.place, KEY).nearest(Y, 1) == [("six", C)]


def test_that_all_have_vectors_is_believed_for_one_edition_and_no_fewer_rows(repo: Repo) -> None:
    vectors = Vectors(repo.place, KEY)
    vectors.add([Entry("one", A, X), Entry("two", B, Y)])
    assert not vectors.complete("e1")
    vectors.keep_complete("e1")
    assert Vectors(repo.place, KEY).complete("e1")
    assert not Vectors(repo.place, KEY).complete("e2")
    os.truncate(folder(repo) / "data", 17)
    assert not Vectors(repo.place, KEY).complete("e1")
    (folder(repo) / "complete").write_text("e1 many")
    assert not Vectors(repo.place, KEY).complete("e1")
