"""curate is a page of what could be tidied up: precise, each with what mends it, changing nothing."""

from __future__ import annotations

import shlex
import time
from datetime import UTC, datetime, timedelta

import pytest
from curating import OTHERS, ids, sections, store_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import times
from chalkgit.answers import curate
from chalkgit.store import journal


def test_a_tidy_store_has_nothing_and_the_page_says_what_was_not_looked_at(
    store: Repo, chalk: Inside
) -> None:
    done = chalk("curate")
    assert done.code == 0
    assert "6 records; nothing to tidy up was found." in done.out
    assert "meaning was not compared" in done.out
    assert "the journal of this machine is empty" in done.out


def test_files_that_are_gone_are_named_and_where_history_moved_them(store: Repo, chalk: Inside) -> None:
    store.write("src/old.py", "".join(f"{n}\n" for n in range(40)))
    store.write("src/here.py", "1\n")
    moved = store.record(route="parse it twice", observation="slow", files=["src/old.py"])
    gone = store.record(route="read the whole table", observation="slow", files=["lib/*.sql", "never.sql"])
    for names in (
        ["src/here.py"],
        ["src/"],
        ["src"],
        ["here.py"],
        ["**/here.py"],
        ["*.py"],
        ["no.py", "src"],
    ):
        store.record(route=f"about {names[0]}", observation="stays", files=names)
    store.commit()
    store.git("mv", "src/old.py", "src/new.py")
    store.commit()
    found = sections(chalk)
    assert sorted(map(min, ids(found, "orphaned"))) == sorted([gone.id, moved.id])
    (row,) = [one for one in found["orphaned"] if one["records"][0]["id"] == moved.id]
    assert "history moved src/old.py to src/new.py" in row["why"]
    assert chalk(*shlex.split(row["mend"][0])[1:]).code == 0
    assert ids(sections(chalk), "orphaned") == [{gone.id}]


def test_drift_is_counted_since_the_record_was_written_over_merges_and_rebases(
    store: Repo, chalk: Inside
) -> None:
    def touch(path: str, times: int) -> str:
        head = ""
        for n in range(times):
            with (store.root / path).open("a") as file:
                file.write(f"{n}\n")
            head = store.commit(f"{path} {n}")
        return head

    store.write("src/a.py", "1\n")
    store.write("src/b.py", "1\n")
    early = store.commit()
    at = touch("src/a.py", 2)
    store.git("checkout", "-q", "-b", "side", early)
    touch("src/b.py", 3)
    store.git("checkout", "-q", "main")
    store.git("merge", "-q", "--no-edit", "side")
    few = store.record(route="a since", observation="b", files=["src/a.py"], at_commit=early)
    side = store.record(route="b since", observation="b", files=["src/b.py"], at_commit=at[:10])
    folder = store.record(
        route="both since", observation="b", files=["src/a.py", "src/b.py"], at_commit=early
    )
    touch("src/b.py", 1)
    found = sections(chalk)
    assert few.id not in set().union(*ids(found, "drifted"))
    told = {one["records"][0]["id"]: one["why"] for one in found["drifted"]}
    # of a branch that was merged later, none was seen when the record was written
    assert told == {
        side.id: "4 commits since have touched its files",
        folder.id: "6 commits since have touched its files",
    }


def test_drift_of_a_commit_that_head_lacks_is_asked_of_git(store: Repo, chalk: Inside) -> None:
    store.write("src/a.py", "1\n")
    store.commit()
    store.git("checkout", "-q", "-b", "side")
    lost = store.commit("squashed away")
    store.git("checkout", "-q", "main")
    for n in range(4):
        store.write("src/a.py", f"{n} of it\n")
        store.commit()
    record = store.record(route="a route", observation="b", files=["src/a.py"], at_commit=lost)
    store.record(route="unknown", observation="b", files=["src/a.py"], at_commit="0123456789")
    assert ids(sections(chalk), "drifted") == [{record.id}]


def test_expired_records_are_named(store: Repo, chalk: Inside) -> None:
    past = store.record(route="a route", observation="b", valid_until="2025-01-01")
    store.record(route="another way", observation="b", valid_until="2999-01-01")
    assert ids(sections(chalk), "expired") == [{past.id}]


def test_lessons_that_are_open_for_long_are_named(store: Repo, chalk: Inside) -> None:
    opened = store.record(kind="lesson", failure={"error": "E: x"}, valid_from="2020-01-01")
    store.record(kind="lesson", failure={"error": "E: y"}, valid_from=times.day(times.system_clock()))
    found = sections(chalk)
    assert ids(found, "open") == [{opened.id}]
    assert found["open"][0]["why"] == "it is open since 2020-01-01"


def test_never_shown_is_said_only_by_a_journal_that_is_old_enough(
    store: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [store.record(route=f"{word} way", observation="b", valid_from="2020-01-01") for word in OTHERS[:3]]
    shown = [journal.Showing("a.py", record.id, "0" * 16, 9) for record in old]
    now = time.time_ns()
    journal.record(store.place, "s", "lsp", shown[1:])
    assert "unshown" not in sections(chalk)
    assert "less than 6 months ago" in chalk("curate").out
    year = timedelta(days=365) // timedelta(microseconds=1) * 1000
    monkeypatch.setattr(time, "time_ns", lambda: now - year)
    journal.record(store.place, "s", "lsp", [*shown[2:], journal.Showing("a.py", "zzzzzzzz", "", 1)])
    monkeypatch.undo()
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")
    found = sections(chalk)
    assert ids(found, "unshown") == [{old[0].id}]
    assert found["unshown"][0]["why"].startswith("never shown on this machine")


def test_a_record_that_others_hide_is_one_that_nobody_would_find(store: Repo, chalk: Inside) -> None:
    lost = store.record(route="cache the manifest", observation="words that nobody asks for " * 40)
    assert "unfindable" not in sections(chalk)
    for word in ("red", "green", "blue", "grey", "pink"):
        store.record(route=f"cache the manifest {word}", observation="cache manifest " * 4)
    found = sections(chalk)
    assert ids(found, "unfindable") == [{lost.id}]
    assert found["unfindable"][0]["mend"] == [f'chalkgit correct {lost.id} --route "…"']


def test_the_page_is_the_same_twice_and_nothing_is_changed(store: Repo, chalk: Inside) -> None:
    store.record(route="cache the parsed manifest between runs", observation="stale")
    store.record(route="cache the parsed manifests between runs", observation="it went stale")
    store.record(route="a way", observation="b", files=["gone.py"], valid_until="2020")
    store.commit()
    before = store.git("status", "--porcelain")
    files = {path: path.read_bytes() for path in store.root.glob(".lessons/**/*.yaml")}
    first, second = chalk("curate"), chalk("curate")
    assert first == second
    assert "Nothing was changed" in first.out
    assert store.git("status", "--porcelain") == before
    assert {path: path.read_bytes() for path in store.root.glob(".lessons/**/*.yaml")} == files


def test_stored_text_is_shown_on_one_line_and_harmless(store: Repo, chalk: Inside) -> None:
    for _ in range(2):
        store.record(route="cache\nthe \u202emanifest", observation="b", files=["gone\u2066.py"])
    done = chalk("curate")
    assert "\u202e" not in done.out
    assert "\u2066" not in done.out
    assert "cache the \ufffdmanifest" in done.out


def test_a_bad_number_of_months_is_refused(store: Repo, chalk: Inside) -> None:
    assert chalk("curate", "--months", "0").code == 2
    assert chalk("curate", "--months", "1").code == 0


def test_months_before_a_day_that_the_month_lacks_end_at_its_last() -> None:
    assert curate.before(datetime(2026, 8, 31, tzinfo=UTC), 6) == datetime(2026, 2, 28, tzinfo=UTC)
    assert curate.before(datetime(2026, 1, 15, tzinfo=UTC), 1) == datetime(2025, 12, 15, tzinfo=UTC)
    assert curate.before(datetime(2026, 1, 15, tzinfo=UTC), 1200).year == 1926


def test_a_circle_is_named_with_commands_any_of_which_opens_it(store: Repo, chalk: Inside) -> None:
    letters = "abc"
    for letter, old in zip(letters, "bca", strict=True):
        store.record(id=letter * 8, route=f"{letter} way", supersedes=[old * 8])
    store.record(id="d" * 8, route="into it", supersedes=["a" * 8])
    (found,) = sections(chalk)["circle"]
    assert [record["id"] for record in found["records"]] == [letter * 8 for letter in letters]
    assert found["why"].startswith("each replaces the next, and the last the first")
    assert "Records that replace each other in a circle (1)" in chalk("curate").out
    kept = {path: path.read_bytes() for path in store.root.glob(".lessons/**/*.yaml")}
    assert len(found["mend"]) == 3
    for command in found["mend"]:
        assert chalk(*shlex.split(command)[1:]).code == 0
        assert "circle" not in sections(chalk)
        for path, said in kept.items():
            path.write_bytes(said)
        assert "circle" in sections(chalk)


def test_a_record_that_replaces_itself_is_a_circle_of_one(store: Repo, chalk: Inside) -> None:
    record = store.record(id="a2345678", route="a", supersedes=["a2345678"])
    (found,) = sections(chalk)["circle"]
    assert found["why"].startswith("it replaces itself")
    assert found["mend"] == [f'chalkgit correct {record.id} --supersedes ""']


def test_a_fork_is_named_with_commands_any_of_which_joins_it_and_a_chain_is_none(
    store: Repo, chalk: Inside
) -> None:
    old, kept = store.record(route="old way"), store.record(route="kept too")
    names = [store.record(route="first way", supersedes=[kept.id, old.id, "zzzzzzzz"]).id]
    assert "fork" not in sections(chalk)
    names += [store.record(route=f"{word} way", supersedes=[old.id]).id for word in ("second", "third")]
    (found,) = sections(chalk)["fork"]
    assert [record["id"] for record in found["records"]] == [old.id, *sorted(names)]
    assert f"each replace {old.id}" in found["why"]
    files = {path: path.read_bytes() for path in store.root.glob(".lessons/**/*.yaml")}
    assert f"--by {sorted(names)[-1]}" in found["mend"][0]
    assert any(f"chalkgit correct {names[0]} --supersedes {kept.id}" in mend for mend in found["mend"])
    for commands in found["mend"]:
        for command in commands.split(" && "):
            assert chalk(*shlex.split(command)[1:]).code == 0, command
        assert "fork" not in sections(chalk)
        for path, said in files.items():
            path.write_bytes(said)
        assert "fork" in sections(chalk)


def test_a_long_circle_is_cut_on_the_page_and_whole_in_json(store: Repo, chalk: Inside) -> None:
    fresh = [store.fresh() for _ in range(24)]
    for one, old in zip(fresh, [*fresh[1:], fresh[0]], strict=True):
        store.record(id=one, route=f"way {one}", supersedes=[old])
    (found,) = sections(chalk)["circle"]
    assert (len(found["records"]), len(found["mend"])) == (24, 3)
    assert "  and 4 more of it" in chalk("curate").out


def test_an_id_that_a_record_supersedes_is_quoted_in_a_command() -> None:
    from chalkgit.answers import successions

    assert successions.leaving("a2345678", ["b; x"]) == "chalkgit correct a2345678 --supersedes 'b; x'"


@pytest.mark.parametrize("kind", ["dead-end", "lesson"])
def test_what_is_proposed_for_a_record_marked_wrong_can_be_run(store: Repo, chalk: Inside, kind: str) -> None:
    fields = {"failure": {"error": "E1: drained"}, "resolution": "stop it"} if kind == "lesson" else {}
    record = store.record(kind, **fields)
    store.commit()
    assert chalk("feedback", record.id, "wrong").code == 0
    [found] = sections(chalk)["wrong"]
    [proposed] = [one for one in found["mend"] if " correct " in one]
    words = shlex.split(proposed.replace("…", "When the pool drains, stop the worker first"))
    assert chalk(*words[1:]).code == 0
