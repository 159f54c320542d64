"""Records that came after the words were written are found and ranked as if they had been written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import thresholds
from chalkgit.index import refresh
from chalkgit.index.late import Late
from chalkgit.index.lexical import Lexical
from chalkgit.index.texts import Document
from chalkgit.store import worktree

SAID = "cache queue tree zebra quartz falcon retry-queue parseHTTP warm".split()
TEXTS = st.lists(st.sampled_from(SAID), min_size=1, max_size=60).map(" ".join)
ASKED = ("cache", "warm retry queue", "http falcon", "zebre", "cache cache tree quartz parseHTTP")


def written(documents: Sequence[Document], removed: Sequence[str] = ()) -> Lexical:
    made = Lexical(None)
    made.write(removed, documents)
    return made


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=12), st.lists(st.none() | TEXTS, min_size=1, max_size=6))
def test_what_came_late_counts_as_if_it_had_been_written(before: list[str], after: list[str | None]) -> None:
    """The first paths are edited or gone, others are new."""
    documents = [Document(f"p{number}", text) for number, text in enumerate(before)]
    late = [(f"p{len(before) // 2 + number}", text) for number, text in enumerate(after)]
    now = {d.path: d.body for d in documents} | dict(late)
    index = written(documents)
    index.take(late)
    anew = written([Document(path, text) for path, text in now.items() if text is not None])
    assert index.count == anew.count
    for word in {word for text in SAID for word in index.analyse(text)}:
        assert index.frequency(word) == anew.frequency(word), word
    for asked in ASKED:
        assert {path for path, _ in index.search(asked, 99)} == {path for path, _ in anew.search(asked, 99)}


def test_a_late_record_has_the_score_that_it_has_once_it_is_written() -> None:
    """Of the same average length, so that all that BM25 is made of is the same."""
    documents = [Document(f"p{number}", f"warm cache queue tree {SAID[number % 9]}") for number in range(60)]
    late = [Document("p7", "warm warm cache falcon tree"), Document("p61", "warm cache queue zebra tree")]
    for length in (1, 45, 600):
        late[0].body = "warm cache falcon tree zebra" if length == 1 else "warm " + "cache zebra " * length
        index = written([*documents, Document("p7 as well", late[0].body)])
        index.take([(d.path, d.body) for d in late])
        found = dict(index.search("warm falcon zebra", 99))
        assert found["p7"] == pytest.approx(found["p7 as well"], rel=1e-5), length


def test_deleted_documents_weigh_nothing() -> None:
    """tantivy counts them until it merges them away."""
    kept = [Document(f"k{number}", f"warm cache number{number}") for number in range(20)]
    gone = [Document(f"g{number}", "warm falcon number1") for number in range(20)]
    index = written([*kept, *gone])
    index.write([d.path for d in gone], ())
    assert (index.count, index.frequency("falcon"), index.frequency("warm")) == (20, 0, 20)
    assert index.search("falcon", 9) == []
    both = index.search("warm number3", 9), written(kept).search("warm number3", 9)
    assert both[0] == [(path, pytest.approx(score, rel=1e-5)) for path, score in both[1]]


@pytest.mark.parametrize("length", [0, 1, 40, 41, 55, 56, 57, 87, 88, 95, 96, 151, 152, 167, 1000])
def test_a_length_is_kept_as_tantivy_keeps_it(length: int) -> None:
    """Of two documents that differ in length alone tantivy's byte tells those apart that ours does."""
    text = "warm " + "x " * length
    index = written([Document("a", text), Document("b", "warm " + "x " * (length + 1))])
    scores = dict(index.search("warm", 9))
    late = Late([("a", text), ("b", text + "x ")], str.split)
    ours = [late.bm25(path, "warm", 1.0, 100.0) for path in ("a", "b")]
    assert (scores["a"] == scores["b"]) == (ours[0] == ours[1])


def test_few_edits_leave_the_words_alone_and_many_are_written(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "LATE_RECORDS", 2)
    monkeypatch.setattr(thresholds, "LATE_SHARE", 1)
    records = [repo.record(route=f"warm the cache number{number}") for number in range(8)]
    words = Path(str(refresh.up_to_date(repo.place).folder), "words", "meta.json")
    seen = words.read_bytes()
    for word, record in zip(("falcon", "zebra"), records, strict=False):
        repo.write(record.path, (repo.root / record.path).read_text().replace("cache", word))
        found = [path for path, _ in refresh.up_to_date(repo.place).words.search(word, 9)]
        assert found == [record.path]
        assert words.read_bytes() == seen
    os.unlink(repo.root / records[2].path)
    index = refresh.up_to_date(repo.place)
    assert words.read_bytes() != seen
    assert index.table.pending() == []
    assert index.words.count == index.words.written == 7


def test_an_edited_record_answers_as_in_an_index_built_anew(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "LATE_SHARE", 1)
    records = [repo.record(route=f"warm the {word} cache", observation="it was late") for word in SAID]
    refresh.up_to_date(repo.place)
    text = (repo.root / records[4].path).read_text()
    repo.write(records[4].path, text.replace("it was late", "falcons ate the zebra"))
    asked = ("check", "--lexical", "--json", "falcons ate the zebra cache")
    first = chalk(*asked).out
    assert refresh.up_to_date(repo.place).table.pending_count() == 1
    assert chalk("index", "--rebuild").code == 0
    assert chalk(*asked).out == first
    fresh = refresh.in_memory(repo.place, worktree.look(repo.place), OSError())
    assert fresh.words.count == 9
