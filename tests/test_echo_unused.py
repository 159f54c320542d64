"""Records that were shown often and never used, and those marked wrong, as `curate` names them."""

from __future__ import annotations

import pytest
from curating import ids, sections, store_fixture  # noqa: F401
from echoing import INSTEAD, commit, ruled, show
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers import echo_unused
from chalkgit.store import journal_file

OFTEN = thresholds.REPORT_OFTEN


def test_what_was_shown_often_and_never_used_is_named_with_what_mends_it(
    store: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = ("shelve the red pipeline", "grind the blue lens", "sort the green ledger", "melt a grey mould")
    unused, cited, adopted, seldom = [ruled(store, route=route) for route in routes]
    useful = ruled(store, route="paint the white fence")
    store.commit()
    for record in (unused, cited, adopted, useful):
        for number in range(OFTEN):
            show(store, record, hours=-2 - number, surface="commit" if number else "check")
    for _ in range(OFTEN - 1):
        show(store, seldom)
    assert [one.id for one in echo_unused.of(store.place)] == sorted(
        record.id for record in (unused, cited, adopted, useful)
    )
    commit(store, monkeypatch, f"one\n\nLesson: {cited.id}")
    chalk("correct", adopted.id, "--alternative", "weigh every barrel twice before shipping")
    chalk("correct", unused.id, "--alternative", "burn nothing at all near open windows")
    commit(store, monkeypatch, "weigh every barrel twice before shipping")
    assert chalk("feedback", useful.id, "useful").code == 0
    assert [one.id for one in echo_unused.of(store.place)] == [unused.id]
    found = sections(chalk)
    assert ids(found, "unused") == [{unused.id}]
    [one] = found["unused"]
    assert one["why"].startswith(f"shown {OFTEN} times since ")
    assert "(commit, check)" in one["why"]
    assert f"chalkgit feedback {unused.id} useful" in one["mend"]
    assert f'chalkgit retire {unused.id} --because "…"' in one["mend"]
    said = chalk("curate").out
    assert "Records that were shown often and never used (1)" in said
    assert "leaves no trace" in said


def test_where_git_or_the_journal_does_not_tell_no_record_is_accused(store: Repo, chalk: Inside) -> None:
    record = ruled(store)
    for _ in range(OFTEN):
        show(store, record)
    assert ids(sections(chalk), "unused") == [{record.id}]
    with open(journal_file.path(store.place), "wb") as file:
        file.write(b"no database at all, whatever it says" * 99)
    assert "unused" not in sections(chalk)
    assert "what was shown and never used is not known: the journal cannot be read" in chalk("curate").out


def test_what_people_marked_wrong_is_named_with_their_reason_and_the_permanent_change(
    store: Repo, chalk: Inside
) -> None:
    record, other = ruled(store), ruled(store, route="grind the blue lens")
    assert "wrong" not in sections(chalk)
    chalk("feedback", record.id, "wrong", "--because", f"we do {INSTEAD} now")
    chalk("feedback", other.id, "useful")
    found = sections(chalk)
    assert ids(found, "wrong") == [{record.id}]
    [one] = found["wrong"]
    assert one["why"] == f"marked wrong 1 time and useful 0 on this machine; Ada: we do {INSTEAD} now"
    assert [command.split()[1] for command in one["mend"]] == ["show", "correct", "settle", "retire"]
    assert chalk("retire", record.id, "--because", "it works by now").code == 0
    assert "wrong" not in sections(chalk)
