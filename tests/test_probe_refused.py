"""What `chalkgit probe` does not run, whatever is said: what could not be seen as it is."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository import Repo

from chalkgit.store import probing

BLANK = r"\u00a0 \u200b \u202e \u2066 \u2028 \u3164 \u115f \u2800 \ufe0f \u034f \U000e0041 \u00ad \ufeff"


@pytest.mark.parametrize(
    ("command", "shown", "why"),
    [
        ("true\ntouch made", r"true\ntouch made", "has several lines"),
        ("touch made\n", r"touch made\n", "has several lines"),
        ("touch made\t", r"touch made\t", "holds characters that cannot be seen"),
        ("true # \u202e; touch made", r"true # \u202e; touch made", "holds characters that cannot be seen"),
        ("touch\u00a0made", r"touch\xa0made", "holds characters that cannot be seen"),
        ("touch made\u3164 \\n", r"touch made\u3164 \\n", "holds characters that cannot be seen"),
        ("true;" + " " * 1_200 + "touch made", "true; ", "has 1,215 characters"),
    ],
)
def test_what_cannot_be_seen_is_shown_escaped_and_not_run(
    repo: Repo, command: str, shown: str, why: str
) -> None:
    path = ".lessons/dead-ends/a.k7q2m9xd.yaml"
    text = json.dumps(command)  # a double-quoted scalar of YAML
    repo.write(path, f"id: k7q2m9xd\nkind: dead-end\nroute: a way\nobservation: no\nprobe: {text}\n")
    done = repo.run("probe", "k7q2m9xd", "--yes")
    assert done.code == 2
    assert not (repo.root / "made").exists()
    assert f"command: {shown}" in done.err
    assert f"the probe is not run: it {why}" in done.err
    assert "\u202e" not in done.err
    repo.write(path, "id: k7q2m9xd\nkind: dead-end\nroute: a way\nobservation: no\nprobe: touch made\n")
    assert repo.run("probe", "k7q2m9xd", "--yes").code == 0
    assert (repo.root / "made").exists()


@pytest.mark.parametrize(
    "written", ["|\n  touch\n  made\n", "|\n  touch made\n\n  \n  x\n", '"touch made\\u2028"']
)
def test_however_several_lines_are_written_they_are_not_run(repo: Repo, written: str) -> None:
    path = ".lessons/dead-ends/a.k7q2m9xd.yaml"
    start = "id: k7q2m9xd\nkind: dead-end\nroute: a way\nobservation: no\nprobe: "
    repo.write(path, start + written + "\n")
    assert repo.run("probe", "k7q2m9xd", "--yes").code == 2
    assert not (repo.root / "made").exists()
    # one line is one, however it is written
    for one in ("|\n  touch made\n", "touch\n  made\n", ">-\n  touch\n  made\n", "'touch made'\n"):
        (repo.root / "made").unlink(missing_ok=True)
        repo.write(path, start + one)
        assert repo.run("probe", "k7q2m9xd", "--yes").code == 0, one
        assert (repo.root / "made").exists()


@given(st.text(max_size=60))
def test_a_command_that_may_run_is_shown_as_it_is_and_no_other_is(command: str) -> None:
    shown = probing.shown(command)
    assert shown.isprintable()
    if probing.refused(command) is None:
        assert shown == command
    elif shown == command:
        assert not command.strip()


@pytest.mark.parametrize("character", BLANK.encode().decode("unicode_escape").split(" "))
def test_a_character_that_shows_as_nothing_is_seen(character: str) -> None:
    assert probing.refused(f"touch {character}made") is not None
    assert character not in probing.shown(f"touch {character}made")
    assert probing.refused("touch made\r") == "has several lines"
    assert probing.refused("touch 'größe ℝ 你好 e\u0301'") is None


def test_letters_that_may_look_like_others_are_named(repo: Repo) -> None:
    record = repo.record(probe="t\u0435st -f a")
    assert "which may look like others: U+0435" in repo.run("probe", record.id).err
    plain = repo.record(probe="test -f a")
    assert "look like others" not in repo.run("probe", plain.id).err


@pytest.mark.parametrize("state", ["rejected", "quarantined"])
def test_what_a_review_restricted_is_not_run(repo: Repo, state: str) -> None:
    record = repo.record(probe="touch made", review={"state": state, "by": "Ada"})
    done = repo.run("probe", record.id, "--yes")
    assert (done.code, done.out) == (2, "")
    assert f"is {state}" in done.err
    assert not (repo.root / "made").exists()


def test_a_record_without_one_says_how_to_give_it_one(repo: Repo) -> None:
    record = repo.record()
    done = repo.run("probe", record.id, "--yes")
    assert done.code == 2
    assert f"hint: chalkgit correct {record.id} --probe COMMAND" in done.err


def test_records_of_other_stores_are_not_probed_from_here(repo: Repo, another: Callable[[str], Repo]) -> None:
    other = another("other")
    record = other.record(probe="touch made")
    assert repo.run("probe", record.id, "--yes").code == 2
    assert not (repo.root / "made").exists()
    assert other.run("probe", record.id, "--yes").code == 0
