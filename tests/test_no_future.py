"""An answer about the past holds nothing that came later; beside each, what is said today."""

from __future__ import annotations

from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from moments_of import ERROR, FILE, ROUTE, WHY, Days, answer, both, found
from repository import Repo

THEN = ("--known-at", "2026-05-10")
SOON = ("--valid-at", "2026-05-20")  # so that no age differs


@pytest.fixture(name="days")
def days_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Days:
    return Days(repo, monkeypatch)


def lock(version: str) -> str:
    return f'[[package]]\nname = "django"\nversion = "{version}"\n'


def one(chalk: Inside, command: str, *options: str) -> dict[str, Any]:
    """The one ruling, or the dead end of a list."""
    said = answer(chalk, command, *options)
    (row,) = [row for row in said.get("rulings", said.get("records", ())) if row["kind"] == "dead-end"]
    assert isinstance(row, dict)
    return row


def test_a_lockfile_upgraded_later_neither_dates_nor_reopens_a_ruling(
    days: Days, repo: Repo, chalk: Inside
) -> None:
    repo.write("uv.lock", lock("4.2"))
    repo.write("requirements-dev.txt", "pytest==7\n")
    repo.record(
        route=ROUTE,
        observation=WHY,
        files=[FILE],
        scope="version-bound",
        depends_on={"django": "4.2", "pytest": "7"},
        reopens_when=["library:django>=5.0"],
    )
    days.commit("2026-05-01")
    repo.write("uv.lock", lock("5.1"))
    repo.write("requirements-dev.txt", "pytest==8\n")
    days.commit("2026-06-01")
    for command in ("check", "at"):
        then, now = one(chalk, command, *THEN, *SOON), one(chalk, command, *SOON)
        assert (then["stale"], then["reopened"]) == (None, None)
        assert "django 4.2 when it was recorded, 5.1 in uv.lock now" in now["stale"]
        assert "pytest 7 when it was recorded, 8 in requirements-dev.txt now" in now["stale"]
        assert now["reopened"] == "django is 5.1 in uv.lock (reopens when library:django>=5.0)"
    assert one(chalk, "list", *THEN, *SOON)["reopened"] is None
    assert "django is 5.1" in one(chalk, "list", *SOON)["reopened"]
    assert "(reopened: django is 5.1" in chalk("list").out
    assert "reopened" not in chalk("list", *THEN).out
    # nor does one that is not committed, or not staged
    days.commit("2026-06-02")
    repo.write("uv.lock", lock("4.2"))
    assert one(chalk, "at", "--known-at", "HEAD")["reopened"] is not None
    assert one(chalk, "at")["reopened"] is None


def test_a_file_changed_or_deleted_later_is_no_drift(days: Days, repo: Repo, chalk: Inside) -> None:
    repo.write(FILE, "1\n" * 30)
    start = days.commit("2026-05-01")
    both(repo, at_commit=start, reopens_when=[f"file:{FILE} changes"])
    days.commit("2026-05-02")
    repo.write(FILE, "2\n" * 30)
    changed = days.commit("2026-05-20")
    repo.git("rm", "-q", FILE)
    days.commit("2026-06-01")
    for command in ("check", "at"):
        said = {
            known: (row["drift"], row["reopened"])
            for known in ("2026-05-10", changed, "HEAD")
            for row in [one(chalk, command, "--known-at", known)]
        }
        reopened = f"{FILE} has changed since"
        assert said == {
            "2026-05-10": (None, None),
            changed: (f"1 commit since has touched {FILE}", reopened),
            "HEAD": (f"{FILE} is gone", reopened),
        }
        row = one(chalk, command)
        assert (row["drift"], row["reopened"]) == (f"{FILE} is gone", reopened)
    assert [one(chalk, "list", "--known-at", k)["reopened"] for k in ("2026-05-10", changed)] == [
        None,
        reopened,
    ]


def test_a_rename_later_is_followed_from_then_on_alone(days: Days, repo: Repo, chalk: Inside) -> None:
    new, newest = "src/io/parser.py", "lib/parser.py"
    repo.write(FILE, "".join(f"line {n}\n" for n in range(30)))
    start = days.commit("2026-05-01")
    dead, _ = both(repo, at_commit=start)
    days.commit("2026-05-02")
    repo.git("mv", FILE, new)
    first = days.commit("2026-05-20")
    (repo.root / "lib").mkdir()
    repo.git("mv", new, newest)
    days.commit("2026-06-01")
    asked: dict[tuple[str, str], list[str]] = {
        (path, known): chalk.ids("at", path, "--known-at", known)
        for path in (FILE, new, newest)
        for known in ("2026-05-10", first, "HEAD")
    }
    yes = [dead.id]
    assert asked == {
        (FILE, "2026-05-10"): yes,
        (FILE, first): yes,  # by the name that it spells
        (FILE, "HEAD"): yes,
        (new, "2026-05-10"): [],
        (new, first): yes,
        (new, "HEAD"): [],
        (newest, "2026-05-10"): [],
        (newest, first): [],
        (newest, "HEAD"): yes,
    }
    assert (chalk.ids("at", new), chalk.ids("at", newest)) == ([], yes)
    assert [one(chalk, "check", "--known-at", k)["drift"] for k in ("2026-05-10", first, "HEAD")] == [
        None,
        f"{FILE} moved to {new}",
        f"{FILE} moved to {newest}",
    ]
    # what is only staged is no past
    repo.git("mv", newest, FILE)
    assert chalk.ids("at", newest, "--known-at", "HEAD") == yes
    assert one(chalk, "check", "--known-at", "HEAD")["drift"] == f"{FILE} moved to {newest}"


@pytest.mark.parametrize(
    ("later", "status"),
    [
        ({"retired": {"why": "it works now"}}, "retired"),
        ({"settled": "0123456789ab"}, "settled"),
        ({"review": {"state": "rejected"}}, "rejected"),
        ({"valid_until": "2026-05-05"}, "expired"),
        ({"superseded": True}, "superseded"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_closed_a_record_later_closes_it_from_then_on_alone(
    days: Days, repo: Repo, chalk: Inside, later: dict[str, Any], status: str
) -> None:
    dead, lesson = both(repo)
    days.commit("2026-05-01")
    if "superseded" in later:
        repo.record(route="another way", observation=WHY, supersedes=[dead.id])
        repo.record("lesson", failure={"error": "E: other"}, resolution="x", supersedes=[lesson.id])
    else:
        days.edit(dead, **later)
        days.edit(lesson, **later)
    days.commit("2026-05-20")
    for command, expected in (
        ("check", dead.id),
        ("at", dead.id),
        ("list", dead.id),
        ("recall", lesson.id),
        ("export", lesson.id),
    ):
        assert expected in found(chalk, command, *THEN, *SOON), command
        assert expected not in found(chalk, command, *SOON), command
        assert expected not in found(chalk, command, "--known-at", "HEAD", *SOON), command
    # they are facts of what is known: no valid time brings them back
    if status != "expired":
        assert dead.id not in found(chalk, "at", "--valid-at", "2026-05-02")
    listed = {
        row["id"]: (row["status"], bool(row["superseded_by"]))
        for options in (THEN, ())
        for row in chalk.json("list", *options, *SOON)["records"]
    }
    assert listed[dead.id] == (status, status == "superseded")
    then = {row["id"]: row["status"] for row in chalk.json("list", *THEN, *SOON)["records"]}
    assert then == {dead.id: "active", lesson.id: "active"}


def test_a_successor_that_waits_on_a_branch_counts_on_that_branch(
    days: Days, repo: Repo, chalk: Inside
) -> None:
    dead, _ = both(repo)
    days.commit("2026-05-01")
    repo.git("checkout", "-qb", "side")
    newer = repo.record(route=f"{ROUTE} again", observation=WHY, files=[FILE], supersedes=[dead.id])
    days.commit("2026-05-02")
    repo.git("checkout", "-q", "main")
    assert found(chalk, "at", "--known-at", "side") == {newer.id}
    assert found(chalk, "at", "--known-at", "main") == found(chalk, "at") == {dead.id}


def test_when_it_was_learned_is_told_as_of_then(days: Days, repo: Repo, chalk: Inside) -> None:
    dead, _ = both(repo)
    first = days.commit("2026-05-01")
    days.edit(dead, tags=["new"])
    second = days.commit("2026-05-20")
    days.edit(dead, tags=["newer"])  # not committed
    for command in ("check", "at", "list"):
        moment = {}
        for options in (THEN, ("--known-at", "HEAD"), ()):
            row = one(chalk, command, *options)
            moment[options[-1] if options else ""] = (row["commit"], row["recorded_at"])
        assert moment == {
            "2026-05-10": (first, "2026-05-01T12:00:00Z"),
            "HEAD": (second, "2026-05-20T12:00:00Z"),
            "": (None, None),
        }
        assert "not committed yet" not in chalk("at", FILE, *THEN).out
        assert "not committed yet" in chalk("at", FILE).out
    (row,) = [r for r in chalk.json("list", *THEN)["records"] if r["id"] == dead.id]
    assert row.get("tags") is None


def test_on_another_branch_what_was_learned_is_told_along_its_own_first_parents(
    days: Days, repo: Repo, chalk: Inside
) -> None:
    days.commit("2026-05-01")
    repo.git("checkout", "-qb", "side")
    both(repo)
    side = days.commit("2026-05-02")
    repo.git("checkout", "-q", "main")
    days.commit("2026-05-03")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    for command in ("at", "list"):
        assert one(chalk, command)["commit"] == one(chalk, command, "--known-at", "HEAD")["commit"] == merge
        assert one(chalk, command, "--known-at", "side")["commit"] == side


def test_a_date_rule_goes_by_the_valid_time_and_not_by_what_was_known(
    days: Days, repo: Repo, chalk: Inside
) -> None:
    both(repo, reopens_when=["date:2026-06-01"])
    days.commit("2026-05-01")
    for command in ("check", "at", "list"):
        for valid, words in (
            ("2026-06-01", "2026-06-01 has come"),
            ("2026-05-31T23:59:59Z", None),
            ("2027", "2026-06-01 has come"),
        ):
            for known in (THEN, ()):
                assert one(chalk, command, "--valid-at", valid, *known)["reopened"] == words
    days.edit(both(repo)[0], retired={"why": "no"}, reopens_when=["date:2026-06-01"])
    retired = [r for r in chalk.json("list", "--valid-at", "2027")["records"] if r["status"] == "retired"]
    assert [row["reopened"] for row in retired] == [None]


def test_a_lesson_learned_later_is_not_recalled(days: Days, repo: Repo, chalk: Inside) -> None:
    _, first = both(repo)
    days.commit("2026-05-01")
    second = repo.record("lesson", failure={"error": ERROR}, resolution="raise the pool's size")
    days.commit("2026-05-20")
    assert found(chalk, "recall", *THEN) == {first.id}
    assert found(chalk, "recall") == found(chalk, "recall", "--known-at", "HEAD") == {first.id, second.id}
    days.edit(first, resolution="drain the queue first")
    days.commit("2026-06-01")
    fixes = {
        known: {row["fix"] for row in answer(chalk, "recall", "--known-at", known)["lessons"]}
        for known in ("2026-05-10", "HEAD")
    }
    assert fixes["2026-05-10"] == {"stop the workers first"}
    assert fixes["HEAD"] == {"drain the queue first", "raise the pool's size"}
