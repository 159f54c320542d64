"""Records of a change that say what others say, or the opposite: each pair once."""

from __future__ import annotations

import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from test_review_changes import edit

ROUTE = "memoise the page renderer inside the request handler"


def others(repo: Repo) -> None:
    """Records among which a word is worth something."""
    for n, route in enumerate(
        ("poll the queue", "pin the compiler", "sort in the browser", "split the schema")
    ):
        repo.record(route=route, observation=f"reason number {n}")


def test_a_near_duplicate_is_told_once_at_the_new_record(repo: Repo, chalk: Inside) -> None:
    others(repo)
    old = repo.record(route=ROUTE, observation="stale pages were shown")
    base = repo.commit()
    repo.record(route="render the pages ahead of time", observation="the disk was full")
    new = repo.record(route=ROUTE, observation="other users saw these pages")
    repo.commit()
    (found,) = told.of(chalk, base, "repeats")
    assert (found["record"], found["path"], found["mend"]) == (
        new.id,
        new.path,
        f"chalkgit supersede {old.id} --by {new.id}",
    )
    assert found["message"] == f"{new.id} “{ROUTE}” says nearly what {old.id} “{ROUTE}” says"
    assert "confidence 0." in found["details"][0]


def test_two_new_records_that_repeat_each_other_are_one_pair(repo: Repo, chalk: Inside) -> None:
    others(repo)
    base = repo.commit()
    first = repo.record(route=ROUTE, observation="stale pages were shown")
    second = repo.record(route=ROUTE, observation="stale pages were shown")
    repo.commit()
    (found,) = told.of(chalk, base, "repeats")
    assert {found["record"]} < {first.id, second.id}
    assert (" says what ") in found["message"]


def test_a_successor_repeats_and_contradicts_nothing(repo: Repo, chalk: Inside) -> None:
    others(repo)
    old = repo.record(route=ROUTE, observation="stale pages were shown")
    base = repo.commit()
    new = repo.record("procedure", route=ROUTE, trap="clear it per request", supersedes=[old.id])
    repo.commit()
    assert list(told.rules(chalk, base)) == ["supersedes"]
    edit(repo, new, supersedes=None)
    repo.commit()
    (found,) = told.of(chalk, base, "contradicts")
    assert found["message"].endswith(f"{old.id} says that it was tried and failed, {new.id} that it works")
    assert found["mend"] is None


def test_a_pair_that_stood_before_is_not_this_changes(repo: Repo, chalk: Inside) -> None:
    others(repo)
    repo.record(route=ROUTE, observation="stale pages were shown")
    new = repo.record(route=ROUTE, observation="other users saw these pages")
    base = repo.commit()
    edit(repo, new, evidence=["https://example.org/1"])
    repo.commit()
    assert list(told.rules(chalk, base)) == ["corrects"]
    repo.record(route=ROUTE, observation="once more, pages of others")
    repo.commit()
    assert len(told.of(chalk, base, "repeats")) >= 1


def test_what_may_not_be_recalled_repeats_nothing(repo: Repo, chalk: Inside) -> None:
    others(repo)
    old = repo.record(route=ROUTE, observation="stale pages", retired={"because": "over"})
    base = repo.commit()
    repo.record(route=ROUTE, observation="stale pages")
    repo.commit()
    assert told.of(chalk, base, "repeats") == []
    edit(repo, old, retired=None)
    repo.commit()
    assert len(told.of(chalk, base, "repeats")) == 1


def test_words_alone_are_told_and_only_where_meaning_would_have_been_asked(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    base = repo.commit()
    edit(repo, record, tags=["a"])
    repo.commit()
    assert "no embedding model" in chalk.json("review", base)["skipped"][0]
    assert "--lexical was given" in chalk.json("review", base, "--lexical")["skipped"][0]
    edit(repo, record, tags=None, evidence=["https://example.org/1"])
    repo.commit()
    assert chalk.json("review", base)["skipped"] == []
