"""The writing commands: refused words are said with why, files keep what people wrote, ids are found."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.records.fields import FIELDS

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"
FULL = ("tried", ROUTE, "--because", WHY)


def _records(repo: Repo) -> list[str]:
    return sorted(p.name for p in (repo.root / ".lessons").rglob("*.yaml") if p.name != "config.yaml")


def test_tried_without_its_reason_answers_check_first_and_then_asks_why(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY)
    before = _records(repo)
    result = chalk("tried", ROUTE)
    assert result.code == 2
    assert "This was tried before" in result.out
    assert "--because is missing, and a dead end without its reason convinces nobody" in result.err
    assert f"hint: chalkgit tried '{ROUTE}' --because" in result.err
    as_json = chalk("tried", ROUTE, "--json")
    assert (as_json.code, json.loads(as_json.out)["verdict"]) == (2, "tried")
    assert _records(repo) == before


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("works", ROUTE), "--mind is missing, and the trap"),
        (("lesson", "do it"), "--error, --report or --output is needed"),
        (("lesson", "do it", "--exit-code", "2"), "--error, --report or --output is needed"),
        ((*FULL, "--layer", "weather"), "'weather' is not one of"),
        ((*FULL, "--degree", "very"), "'very' is not one of"),
        (("lesson", "do it", "--error", "E", "--scope", "local"), "'local' is not one of"),
        ((*FULL, "--valid-from", "soon"), "“soon” is no date"),
        ((*FULL, "--valid-until", "2026-02-30"), "“2026-02-30” is no date"),
        ((*FULL, "--reopens-when", "never"), "does not say when to reopen"),
        ((*FULL, "--depends-on", "django"), "is not NAME=VERSION"),
        ((*FULL, "--file", "/etc/passwd"), "is absolute"),
        ((*FULL, "--file", "../x"), "leaves its folder"),
        ((*FULL, "--supersedes", "zzzzzzzz"), "no record has the id"),
        (("tried", "a\x1b[31mb", "--because", WHY), "control character"),
        (("tried", "", "--because", WHY), "route is empty"),
        (("works", " ", "--mind", "x"), "route is empty"),
        (("tried", "route: a | observation: b | layer: weather"), "“weather” is no layer: one of"),
        (("tried", "Route: a | observation: b | Degree: very"), "“very” is no degree: one of"),
        (("note", " "), ""),
        (("retire", "zzzzzzzz", "--because", "x"), "no record has the id"),
        (("show", "abc"), "too short for an id"),
        (("settle", "zzzzzzzz", "--by", "HEAD"), "no record has the id"),
    ],
)
def test_what_is_missing_or_no_word_of_ours_is_refused_and_nothing_written(
    repo: Repo, chalk: Inside, args: tuple[str, ...], said: str
) -> None:
    result = chalk(*args)
    assert result.code == 2, result
    assert said in result.err
    assert _records(repo) == []
    assert not (repo.root / ".git/chalkgit-notes").exists() or not any(
        (repo.root / ".git/chalkgit-notes").iterdir()
    )


def test_the_id_and_path_are_printed_and_nothing_is_staged(repo: Repo, chalk: Inside) -> None:
    repo.commit()
    result = chalk(*FULL)
    record_id, path = result.out.split()
    assert (repo.root / path).is_file()
    assert record_id in path
    assert repo.git("status", "--porcelain", "-uall") == f"?? {path}"
    assert chalk.json(*FULL, "--stage")["commit"] is None
    assert repo.git("diff", "--cached", "--name-only").count("\n") == 0


# Values for `correct`, by field: those a dead end can have, then those of the other kinds.
VALUES: dict[str, tuple[tuple[str, ...], Any]] = {
    "route": (("another route",), "another route"),
    "observation": (("it fell over",), "it fell over"),
    "distilled-by": (("llm",), "llm"),
    "layer": (("environment",), "environment"),
    "scope": (("version-bound",), "version-bound"),
    "degree": (("unstable",), "unstable"),
    "action": (("abandon",), "abandon"),
    "alternative": (("hash it",), "hash it"),
    "files": (("a/b.py", "c"), ["a/b.py", "c"]),
    "depends-on": (("django=5", "x=1.10"), {"django": "5", "x": "1.10"}),
    "evidence": (("https://example.org/1",), ["https://example.org/1"]),
    "by": (("Bo",), "Bo"),
    "at-commit": (("HEAD",), "HEAD"),
    "valid-from": (("2020-01",), "2020-01"),
    "valid-until": (("2999-01-01T10:00:00Z",), "2999-01-01T10:00:00Z"),
    "reopens-when": (("manual:ask Ada",), ["manual:ask Ada"]),
    "ref": (("jira:X-2",), "jira:X-2"),
    "probe": (("make probe",), "make probe"),
    "tags": (("ci", "cache"), ["ci", "cache"]),
    "trap": (("mind the gap",), "mind the gap"),
    "resolution": (("stop it",), "stop it"),
    "resolved-by": (("Bo",), "Bo"),
    "lesson": (("When S, do Y",), "When S, do Y"),
}
# Not corrected: the identity, what has a command of its own, and what was kept as it came.
FIXED = {"id", "kind", "retired", "settled", "supersedes", "review", "failure", "raw", "truncated"}


def test_correct_knows_every_field_that_has_no_command_of_its_own() -> None:
    assert {field.name for field in FIELDS} == set(VALUES) | FIXED


@pytest.mark.parametrize("name", VALUES)
def test_correct_sets_each_field_and_an_empty_value_removes_it(repo: Repo, chalk: Inside, name: str) -> None:
    field = next(f for f in FIELDS if f.name == name)
    kind = "dead-end" if "dead-end" in field.kinds else field.kinds[0]
    record = repo.record(kind)
    words, expected = VALUES[name]
    if expected == "HEAD":
        expected = repo.commit()  # a name means another commit each day: the commit itself is written
    options = [part for word in words for part in (f"--{name}", word)]
    chalk.json("correct", record.id, *options)
    assert chalk.json("show", record.id)["records"][0][name] == expected
    removed = chalk("correct", record.id, f"--{name}", "")
    if name in ("route", "trap") and kind != "lesson":
        assert removed.code in (0, 2)  # what a kind cannot be without is refused
    else:
        assert removed.code == 0, removed
        row = chalk.json("show", record.id)["records"][0]
        assert row.get(name) is None or name in ("observation",)
    assert chalk("lint").code == 0


def test_correct_refuses_a_field_of_another_kind_and_a_word_that_is_none(repo: Repo, chalk: Inside) -> None:
    record = repo.record("procedure")
    before = (repo.root / record.path).read_bytes()
    for args, said in (
        (("--observation", "x"), "a procedure has no observation"),
        (("--layer", "weather"), "“weather” is no layer"),
        (("--valid-from", "soon"), "“soon” is no date"),
        (("--reopens-when", "never"), "does not say when to reopen"),
        (("--files", "/etc/passwd"), "is absolute"),
        (("--depends-on", "django"), "is not NAME=VERSION"),
        (("--route", ""), "a procedure needs route"),
        ((), "nothing to correct was given"),
    ):
        result = chalk("correct", record.id, *args)
        assert result.code == 2, args
        assert said in result.err
    assert (repo.root / record.path).read_bytes() == before


def test_an_agent_is_added_to_who_is_there_already(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route=ROUTE, observation=WHY, by="Ada")
    chalk.json("correct", record.id, "--agent", "robot")
    assert chalk.json("show", record.id)["records"][0]["by"] == {"name": "Ada", "agent": "robot"}
    chalk.json("correct", record.id, "--by", "Bo")
    assert chalk.json("show", record.id)["records"][0]["by"] == "Bo"


def test_a_persons_comments_and_order_outlive_every_command(repo: Repo, chalk: Inside) -> None:
    text = (
        f"# why this is here\nroute: {ROUTE}  # said in the meeting\nkind: dead-end\n\n"
        f"# unknown to us\nmood: grim\nobservation: {WHY}\nid: aaaaaaaa\n"
    )
    file = repo.write(".lessons/mine.yaml", text)
    chalk.json("correct", "aaaaaaaa", "--observation", "it fell over")
    chalk.json("correct", "aaaaaaaa", "--tags", "ci")
    chalk.json("retire", "aaaaaaaa", "--because", "moot")
    after = file.read_text()
    theirs = text.replace(WHY, "it fell over").splitlines()
    assert [line for line in after.splitlines() if line in theirs] == theirs
    assert "because: moot" in after
    assert chalk("fmt").code == 0
    for kept in ("# why this is here", "# said in the meeting", "# unknown to us", "mood: grim"):
        assert kept in file.read_text()


def test_an_id_may_be_shortened_and_an_ambiguous_one_lists_its_candidates(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY, id="aaaabbbb")
    repo.record(route="rotate the keys", observation=WHY, id="aaaacccc")
    assert chalk.json("show", "aaaab")["records"][0]["id"] == "aaaabbbb"
    assert chalk.json("show", "AAAAB")["records"][0]["id"] == "aaaabbbb"
    result = chalk("show", "aaaa")
    assert result.code == 2
    assert f"aaaabbbb ({ROUTE})" in result.err
    assert "aaaacccc (rotate the keys)" in result.err


def test_retire_needs_a_reason_and_happens_once(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    missing = chalk("retire", record.id)
    assert missing.code == 2
    assert "--because is missing, and whoever finds the tombstone will ask" in missing.err
    chalk.json("retire", record.id, "--because", "moot")
    again = chalk("retire", record.id, "--because", "no, this")
    assert (again.code, "retired already" in again.err) == (2, True)
    assert chalk.json("show", record.id)["records"][0]["retired"]["because"] == "moot"


def test_supersede_takes_effect_with_its_commit_and_makes_no_circle(repo: Repo, chalk: Inside) -> None:
    old, new, newest = (repo.record(route=f"{ROUTE} {n}", observation=WHY) for n in ("a", "b", "c"))
    repo.commit()
    told = chalk("supersede", old.id, "--by", new.id)
    assert f"{old.id} stands until {new.path} is committed" in told.err
    assert set(chalk.ids("check", ROUTE)) == {old.id, new.id, newest.id}
    repo.commit()
    assert set(chalk.ids("check", ROUTE)) == {new.id, newest.id}
    shown = chalk.json("show", old.id)["records"][0]
    assert (shown["status"], shown["superseded_by"]) == ("superseded", new.id)
    assert chalk("supersede", new.id, "--by", newest.id, "--commit").code == 0
    assert set(chalk.ids("check", ROUTE)) == {newest.id}
    for refused in ((old.id, old.id), (new.id, old.id), (newest.id, old.id)):
        result = chalk("supersede", refused[0], "--by", refused[1])
        assert result.code == 2, refused
    gone = repo.record()
    chalk.json("retire", gone.id, "--because", "moot")
    result = chalk("supersede", newest.id, "--by", gone.id)
    assert (result.code, "nothing would be recalled" in result.err) == (2, True)


def test_settle_names_a_commit_that_git_knows_and_not_for_procedures(repo: Repo, chalk: Inside) -> None:
    head = repo.commit()
    dead, procedure = repo.record(), repo.record("procedure")
    chalk.json("settle", dead.id, "--by", "HEAD")
    assert chalk.json("show", dead.id)["records"][0]["settled"] == head
    assert "“nowhere” is no commit of this repository" in chalk("settle", dead.id, "--by", "nowhere").err
    assert chalk("settle", dead.id).code == 2
    assert "has no cause to settle" in chalk("settle", procedure.id, "--by", "HEAD").err


def test_promote_keeps_the_notes_id_author_and_day(repo: Repo, chalk: Inside) -> None:
    note = json.loads(chalk("note", f"{ROUTE} failed", "--json", env={"GIT_AUTHOR_NAME": "Bo"}).out)["id"]
    written = chalk("promote", note, "--because", WHY, "--layer", "design", "--json")
    assert json.loads(written.out)["id"] == note
    row = chalk.json("show", note)["records"][0]
    assert (row["by"], row["observation"], row["layer"]) == ("Bo", WHY, "design")
    assert chalk.json("list", "--notes")["records"] == []
    assert chalk("promote", note, "--because", WHY).code == 2
    assert chalk("lint").code == 0


def test_a_note_is_shown_by_the_id_that_check_gives(repo: Repo, chalk: Inside) -> None:
    note = json.loads(chalk("note", f"{ROUTE} failed", "--json").out)["id"]
    assert chalk.json("show", note)["records"][0]["raw"] == f"{ROUTE} failed"
    assert "a working note on this machine" in chalk("show", note).out
    assert chalk("check", ROUTE, "--lexical").code == 1
    assert chalk("retire", note, "--because", "x", "--commit").code == 2
    assert chalk("retire", note, "--because", "mistaken").code == 0
    assert chalk("check", ROUTE, "--lexical").code == 0


def test_a_ref_is_unique(repo: Repo, chalk: Inside) -> None:
    first, second = repo.record(ref="a:1", route="a", observation="b"), repo.record()
    for args in (("correct", second.id, "--ref", "a:1"), (*FULL, "--ref", "a:1")):
        result = chalk(*args)
        assert result.code == 2
        assert f"the ref “a:1” is taken by {first.id}" in result.err
    assert chalk("correct", first.id, "--ref", "a:1", "--layer", "design").code == 0


def test_a_note_that_cannot_be_promoted_is_still_there(repo: Repo, chalk: Inside) -> None:
    note = json.loads(chalk("note", f"{ROUTE} failed", "--json").out)["id"]
    assert chalk("promote", note, "--because", WHY, "--valid-until", "soon").code == 2
    assert [row["id"] for row in chalk.json("list", "--notes")["records"]] == [note]
    assert _records(repo) == []


def test_a_hint_can_be_pasted_into_a_shell(repo: Repo, chalk: Inside) -> None:
    said = chalk("works", 'say "hi" && rm -rf $HOME').err
    assert "hint: chalkgit works 'say \"hi\" && rm -rf $HOME' --mind" in said


def test_a_file_is_named_from_the_folder_one_stands_in_and_kept_from_the_root(
    repo: Repo, chalk: Inside
) -> None:
    repo.write("src/orders.py", "pass\n")
    inside = ("-C", str(repo.root / "src"))
    told = json.loads(chalk(*inside, *FULL, "--file", "orders.py", "--file", "*.sql", "--json").out)
    assert chalk.json("show", told["id"])["records"][0]["files"] == ["src/orders.py", "*.sql"]
    chalk(*inside, "correct", told["id"], "--file", str(repo.root / "src" / "orders.py"))
    assert chalk.json("show", told["id"])["records"][0]["files"] == ["src/orders.py"]


def test_settling_superseding_and_retiring_can_be_taken_back(repo: Repo, chalk: Inside) -> None:
    old, new = repo.record(route=ROUTE, observation=WHY), repo.record(route="another route", observation=WHY)
    repo.commit("records")
    for done, undone in (
        (("settle", old.id, "--by", "HEAD"), ("--settled", "")),
        (("retire", old.id, "--because", "x"), ("--unretire",)),
    ):
        assert chalk(*done).code == 0
        assert chalk("check", ROUTE, "--lexical").code == 0
        assert chalk("correct", old.id, *undone).code == 0
        assert chalk("check", ROUTE, "--lexical").code == 1
    assert chalk("supersede", old.id, "--by", new.id, "--commit").code == 0
    assert chalk("check", ROUTE, "--lexical").code == 0
    assert chalk("correct", new.id, "--supersedes", "", "--commit").code == 0
    assert chalk("check", ROUTE, "--lexical").code == 1
