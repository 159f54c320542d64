"""The vectors of lessons' failures: of resolved ones alone, apart from those that `check` compares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from model import NAME
from repository import Repo

from chalkgit.answers import failure_vectors
from chalkgit.index import embed, lessons, models, refresh
from chalkgit.index.vectors import Vectors
from chalkgit.records import codec
from chalkgit.store.place import Place

ERROR = "psycopg2.OperationalError: the server closed the connection unexpectedly"
WORDS = "the database hung up in the middle of a query"
OTHER = "ModuleNotFoundError: No module named 'yaml'"


@pytest.fixture(autouse=True)
def model(minilm: Path, copied_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHALKGIT_MODEL_DIR", str(minilm))
    monkeypatch.setenv("CHALKGIT_MODEL", NAME)


def _filled(place: Place, embedder: embed.Embedder) -> tuple[Vectors, list[int]]:
    """The vectors as they are after what was missing was written, and how many that were."""
    written: list[int] = []
    index = refresh.up_to_date(place)
    made = failure_vectors.fill(index, embedder, "m", "r", lambda done, _: written.append(done))
    return made, written


def test_a_failure_in_other_words_is_the_nearest_and_an_edit_costs_its_own(repo: Repo) -> None:
    found = models.configured()
    assert isinstance(found, models.Model)
    embedder = embed.load(found)
    near = repo.record("lesson", failure={"error": ERROR}, resolution="raise the idle limit")
    far = repo.record("lesson", failure={"error": OTHER}, resolution="install it")
    repo.record("lesson", failure={"error": ERROR})  # open: nothing is known that could help
    vectors, written = _filled(repo.place, embedder)
    assert written == [2]
    query = next(iter(embedder.read([WORDS]))).vector
    assert [i for i, _ in vectors.nearest(query, 2)] == [near.id, far.id]
    assert _filled(repo.place, embedder)[1] == []
    # the fix is no part of what happened
    repo.write(near.path, codec.encode(near.changed({"resolution": "another one"})))
    assert _filled(repo.place, embedder)[1] == []
    repo.write(near.path, codec.encode(near.changed({"failure": {"error": "E: " + WORDS}})))
    vectors, written = _filled(repo.place, embedder)
    assert written == [1]
    assert [i for i, _ in vectors.nearest(query, 1)] == [near.id]


def test_index_writes_them_and_check_meets_none(repo: Repo, chalk: Inside) -> None:
    lesson = repo.record("lesson", failure={"error": ERROR}, resolution="raise the idle limit")
    control = repo.record(route="keep idle connections open", observation="the server closed them")
    assert chalk("index").code == 0
    folders = sorted(path.name for path in (repo.root / ".git/chalkgit/vectors").iterdir())
    assert sorted("failures" in name for name in folders) == [False, True]
    result = chalk("check", "keep idle connections open to the database", "--json")
    found = json.loads(result.out)
    assert lesson.id not in {row["id"] for key in ("rulings", "near") for row in found[key]}
    assert found["semantic"]["covered"] == 1
    assert control.id in {row["id"] for key in ("rulings", "near") for row in found[key]}


def test_what_a_failure_says_has_no_volatile_spans(repo: Repo) -> None:
    at = "2026-11-30T08:22:34Z"
    record = repo.record(
        "lesson", failure={"error": f"E: lease expired at {at}", "reason": "the lease"}, resolution="renew"
    )
    assert failure_vectors.text(record) == "the lease. E: lease expired at"
    assert (
        failure_vectors.text(repo.record("lesson", failure={"error": "AssertionError"}, resolution="x")) == ""
    )
    assert lessons.paths(refresh.up_to_date(repo.place)) == []
