"""What a writer is asked: where it matters, once, with the command that answers it."""

from __future__ import annotations

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"
FULL = ("tried", ROUTE, "--because", WHY)


def test_a_record_that_says_nearly_the_same_is_named(repo: Repo, chalk: Inside) -> None:
    first = chalk.json(*FULL)["id"]
    second = chalk(*FULL)
    assert second.code == 0
    assert (
        f"{first} says nearly the same: chalkgit show {first}, or chalkgit supersede {first} --by"
        in second.err
    )
    assert "nearly the same" not in chalk("tried", "rotate the keys by cron", "--because", WHY).err


def test_what_may_not_be_recalled_is_no_record_that_stands(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation=WHY, valid_until="2020")
    retired = repo.record(route=ROUTE, observation=WHY)
    assert chalk("retire", retired.id, "--because", "moot").code == 0
    assert chalk("note", f"{ROUTE} failed").code == 0
    assert "nearly the same" not in chalk(*FULL).err
    assert "nearly the same" in chalk(*FULL).err


def test_a_writer_is_asked_what_is_missing_and_never_about_what_was_given(repo: Repo, chalk: Inside) -> None:
    bare = chalk("tried", "install the hook with npm", "--because", "it cannot be found").err
    assert "it names npm: did the code fail, the environment or a dependency? chalkgit correct" in bare
    assert "what was done instead?" in bare
    assert "where can one see it" in bare
    assert "what would reopen it?" not in bare
    assert "it names no file, so that check alone brings it back" in bare
    given = ("--layer", "dependency", "--instead", "x", "--evidence", "y", "--reopens-when", "manual:z")
    assert chalk("tried", "install the hook with npm", "--because", "no", *given).err.count("?") == 0
    bound = chalk("tried", "call the old API", "--because", "no", "--depends-on", "django=4.2").err
    assert "what would reopen it? chalkgit correct" in bound


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("put it on PATH for the service", "PATH"),
        ("run `make docs` in the hook", "make"),
        ("build it with make -j8", "make"),
        ("pin it in uv", "uv"),
        ("use Docker for the tests", "Docker"),
        ("make the parser faster", None),
        ("find a path through the graph", None),
        ("rewrite src/docker/run.py", None),
        ("recycle the uvula model", None),
        ("compile the templates once", None),
    ],
)
def test_the_layer_is_asked_only_where_a_tool_is_named(
    repo: Repo, chalk: Inside, text: str, names: str | None
) -> None:
    said = chalk("tried", text, "--because", "it was slow").err
    assert ("did the code fail, the environment" in said) is (names is not None)
    if names:
        assert f"it names {names}" in said.replace("`", "")


def test_a_file_that_is_not_there_is_asked_about(repo: Repo, chalk: Inside) -> None:
    repo.write("src/server.js", "x")
    command = ("tried", ROUTE, "--because", WHY, "--file")
    assert "there is no src/sever.js here; is it spelled so?" in chalk(*command, "src/sever.js").err
    for name in ("src/server.js", "src/*.py", "server.js", "src/"):
        assert "there is no" not in chalk(*command, name).err
