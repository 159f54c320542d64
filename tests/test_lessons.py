"""What lessons are found by follows their files, and does not grow with what was edited."""

from __future__ import annotations

import pytest
from repository import Repo

from chalkgit.index import alike, lessons, refresh
from chalkgit.index.generation import Index
from chalkgit.index.table import Table
from chalkgit.records import codec

ERROR = "E: the pool of 4 connections is drained"


def _filled(repo: Repo) -> Index:
    index = refresh.up_to_date(repo.place, words=False)
    lessons.fill(index)
    return index


def _strings(index: Index) -> int:
    return int(index.table.rows("select count(*) from alike_strings")[0][0])


def test_strings_that_were_replaced_often_are_written_anew(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = repo.record("lesson", failure={"error": ERROR}, resolution="stop them")
    other = repo.record("lesson", failure={"error": ERROR}, resolution="stop them all")
    first = _strings(_filled(repo))

    def worn(table: Table) -> bool:  # as for a table that outgrew its blocks
        numbers, keys = table.rows("select count(*), count(key) from alike_strings")[0]
        return bool(numbers > 4 * keys)

    assert not alike.worn(_filled(repo).table)
    monkeypatch.setattr(alike, "worn", worn)
    seen = []
    for number in range(20):
        repo.write(lesson.path, codec.encode(lesson.changed({"resolution": f"stop all {number}"})))
        seen.append(_strings(_filled(repo)))
    assert first < max(seen) <= 5 * first
    assert min(seen[5:]) == first
    found, whole = lessons.alike_error(_filled(repo), ERROR, 0.5)
    assert (sorted(found), whole) == (sorted([(lesson.path, 1.0), (other.path, 1.0)]), True)


def test_a_refresh_notes_what_changed_and_the_next_question_reads_it(repo: Repo) -> None:
    lesson = repo.record("lesson", failure={"error": ERROR}, resolution="stop them")
    index = refresh.up_to_date(repo.place, words=False)
    assert lessons.paths(index) == []
    assert lessons.paths(_filled(repo)) == [lesson.path]
    (repo.root / lesson.path).unlink()
    assert lessons.paths(refresh.up_to_date(repo.place, words=False)) == [lesson.path]
    assert lessons.paths(_filled(repo)) == []


def test_a_question_from_memory_reads_them_too(repo: Repo) -> None:
    lesson = repo.record("lesson", failure={"error": ERROR}, resolution="stop them")
    repo.commit()
    index = refresh.of_revision(repo.place, "HEAD")
    lessons.fill(index)
    assert lessons.alike_error(index, ERROR, 0.5)[0] == [(lesson.path, 1.0)]
