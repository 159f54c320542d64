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


def test_the_newer_of_a_pair_takes_the_place_of_the_older_whichever_the_change_edits(
    repo: Repo, chalk: Inside
) -> None:
    others(repo)
    # by id and by path the younger would come first
    old = repo.record(id="zzzzzzzz", route=ROUTE, observation="stale pages were shown")
    base = repo.commit()
    new = repo.record(id="aaaaaaaa", route=ROUTE, observation="other users saw these pages")
    mend = f"chalkgit supersede {old.id} --by {new.id}"
    edit(repo, old, degree="inconclusive")
    loose = [f for f in chalk.json("review", code=1)["findings"] if f["rule"] == "repeats"]
    both = repo.commit()
    for (found,) in (loose, told.of(chalk, base, "repeats")):
        assert (found["record"], found["mend"]) == (new.id, mend)
    edit(repo, old, degree="partial")
    repo.commit()
    (found,) = told.of(chalk, both, "repeats")
    assert (found["record"], found["mend"]) == (old.id, mend)  # told at what the change edits
    page = chalk.json("curate")["findings"]
    assert [one["mend"][0] for one in page if one["section"] == "near"] == [mend]


def test_what_a_branch_adds_is_younger_than_what_its_base_got_meanwhile(repo: Repo, chalk: Inside) -> None:
    others(repo)
    repo.commit()
    repo.git("checkout", "-q", "-b", "topic")
    new = repo.record(id="aaaaaaaa", route=ROUTE, observation="other users saw these pages")
    repo.commit()
    repo.git("checkout", "-q", "main")
    old = repo.record(id="zzzzzzzz", route=ROUTE, observation="stale pages were shown")
    repo.commit()
    repo.git("checkout", "-q", "topic")
    repo.git("merge", "-q", "--no-ff", "-m", "main as it is", "main")
    (found,) = told.of(chalk, "main", "repeats")
    assert (found["record"], found["mend"]) == (new.id, f"chalkgit supersede {old.id} --by {new.id}")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "the topic", "topic")
    (found,) = told.of(chalk, "HEAD^1", "repeats")
    assert (found["record"], found["mend"]) == (new.id, f"chalkgit supersede {old.id} --by {new.id}")


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
