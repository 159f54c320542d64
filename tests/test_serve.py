"""Through a helper `check` says what it says alone, whatever moved a moment before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from model import minilm_fixture  # noqa: F401
from repository import Repo
from serving import Helper, helper_fixture, helping  # noqa: F401

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"
PROPOSALS = (
    ROUTE,
    "Cach the parsd manifest!",
    "regenerate the schema with make schema",
    "add dark mode to the settings page",
    "manifest",
    "rêver de 🚀 … “ja”",
    "the and of",
    "x" * 3_000,
    "two\nlines of\tit \x1b[31m",
)


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    repo.write("src/a.py", "1\n")
    first = repo.commit()
    repo.record(route=ROUTE, observation=WHY, files=["src/a.py", "src/gone.py"], at_commit=first)
    repo.record("procedure")
    bound = {"scope": "version-bound", "depends_on": {"django": "4.2"}}
    repo.record(route=f"{ROUTE}, with django", observation=WHY, **bound)
    repo.record(route="rêver de 🚀 … “ja”", observation="nein", reopens_when=["file:src/a.py changes"])
    repo.write(".lessons/dead-ends/broken.yaml", "kind: [\n")
    repo.commit()
    repo.write("src/a.py", "2\n")
    repo.commit()
    return repo


@pytest.mark.parametrize("flags", [(), ("--json",), ("--lexical", "--here")], ids=" ".join)
def test_every_answer_is_that_of_a_process_alone(told: Repo, helper: Helper, flags: tuple[str, ...]) -> None:
    for proposal in PROPOSALS:
        helper.alike(*flags, proposal)
    said = helper.alike(*flags, ROUTE)
    assert said.code == 1
    assert "broken.yaml" in said.err
    if not flags:
        assert "has touched src/a.py" in said.out


def test_folder_colour_and_environment_are_those_of_whoever_asks(
    told: Repo, helper: Helper, tmp_path: Path
) -> None:
    (told.root / "deep/er").mkdir(parents=True)
    helper.alike(ROUTE, cwd=told.root / "deep/er")
    assert "\x1b[" in helper.alike(ROUTE, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in helper.alike(ROUTE, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    assert "SEMANTIC" in helper.alike(ROUTE, env={"CHALKGIT_BYPASS_SEMANTIC": "1"}).out
    assert "SEMANTIC" not in helper.alike(ROUTE).out
    helper.alike(ROUTE, env={"XDG_CONFIG_HOME": str(tmp_path / "none"), "XDG_CACHE_HOME": "relative"})
    helper.alike(ROUTE, env={"GIT_DIR": ".git", "GIT_WORK_TREE": "."})
    through = told.run("-C", str(told.root), "check", ROUTE, cwd=tmp_path)
    assert through == told.run("-C", str(told.root), "check", "--limit", "3", ROUTE, cwd=tmp_path)
    assert helper.counts()[1] == 0


def test_a_narrow_encoding_is_that_of_whoever_asks(told: Repo, helper: Helper) -> None:
    def said(*options: str) -> bytes:
        program = [str(Path(os.sys.executable).with_name("chalkgit")), "check", *options]  # type: ignore[attr-defined]
        env = {**os.environ, "PYTHONIOENCODING": "ascii"}
        proposal = "rêver de 🚀 … “ja”"
        return subprocess.run(
            [*program, proposal], cwd=told.root, env=env, capture_output=True, check=False
        ).stdout

    assert b"\\ud83d" in said()
    assert said() == said("--limit", "3")
    assert helper.counts()[0] >= 2


def _edit(repo: Repo, old: str, new: str) -> None:
    for file in (repo.root / ".lessons").rglob("*.yaml"):
        text = file.read_text()
        if old in text:
            file.write_text(text.replace(old, new))


def _replaced_by_rename(repo: Repo) -> None:
    file = min((repo.root / ".lessons/dead-ends").glob("cache*.yaml"))
    (repo.root / "new").write_text(file.read_text().replace(WHY, "renamed"))
    (repo.root / "new").replace(file)


def _moved_away(repo: Repo) -> None:
    (repo.root / ".lessons/dead-ends").rename(repo.root / "elsewhere")


def _in_a_new_folder(repo: Repo) -> None:
    repo.record(route=f"{ROUTE} again", observation=WHY, path=".lessons/team/deep/again.yaml")
    repo.record(route=f"{ROUTE} once more", observation=WHY, path=".lessons/team/deep/more.yaml")


def _unreadable(repo: Repo) -> None:
    file = min((repo.root / ".lessons/dead-ends").glob("cache*.yaml"))
    file.unlink()
    file.symlink_to("/etc/passwd")


def _lessons_made_anew(repo: Repo) -> None:
    shutil.copytree(repo.root / ".lessons", repo.root / "copy")
    shutil.rmtree(repo.root / ".lessons")
    (repo.root / "copy").rename(repo.root / ".lessons")
    _edit(repo, WHY, "made anew")


def _another_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    _edit(repo, WHY, "other branch")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("checkout", "-q", "other")


def _settings(repo: Repo) -> None:
    settings = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    settings.write_text(settings.read_text() + "model: nobody/has-this\n")


CHANGES: dict[str, Callable[[Repo], object]] = {
    "an edit": lambda repo: _edit(repo, WHY, "in a new light"),
    "an edit of the same length": lambda repo: _edit(repo, WHY, WHY.upper()),
    "a replaced file": _replaced_by_rename,
    "a commit of other files": lambda repo: (repo.write("src/a.py", "3\n"), repo.commit()),
    "a commit of records": lambda repo: (_edit(repo, WHY, "committed"), repo.commit()),
    "a staged rename": lambda repo: repo.git("mv", "src/a.py", "src/b.py"),
    "a reset": lambda repo: repo.git("reset", "-q", "--hard", "HEAD~2"),
    "another branch": _another_branch,
    "a new record": lambda repo: repo.record(route=f"{ROUTE} again", observation=WHY),
    "a new folder": _in_a_new_folder,
    "a folder gone": _moved_away,
    "all made anew": _lessons_made_anew,
    "a link in its place": _unreadable,
    "no records left": lambda repo: shutil.rmtree(repo.root / ".lessons/dead-ends"),
    "a working note": lambda repo: repo.run("note", f"{ROUTE} did not work: it broke"),
    "a setting": _settings,
    "a lockfile": lambda repo: repo.write("requirements.txt", "django==5.0\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_moved_a_moment_before_is_in_the_next_answer(told: Repo, change: str) -> None:
    told.run("check", ROUTE)
    with helping(told) as helper:
        before = helper.alike("--json", ROUTE)
        CHANGES[change](told)
        after = helper.alike("--json", ROUTE)
        assert after != before
        CHANGES["an edit"](told)
        helper.alike("--json", ROUTE)


def test_a_hundred_edits_in_turn_are_each_seen_at_once(told: Repo, helper: Helper) -> None:
    last = WHY
    for number in range(100):
        _edit(told, last, f"edit {number} of many")
        last = f"edit {number} of many"
        assert last in told.run("check", ROUTE).out
    assert helper.counts() == (100, 0)


def test_a_successor_takes_effect_with_the_commit_that_brings_it(told: Repo, helper: Helper) -> None:
    old = json.loads(helper.alike("--json", ROUTE).out)["rulings"][0]["id"]
    told.record(route=f"{ROUTE}, keyed by content", observation="collisions", supersedes=[old])
    assert old in helper.alike("--json", ROUTE).out
    told.commit()
    assert old not in [r["id"] for r in json.loads(helper.alike("--json", ROUTE).out)["rulings"]]


def test_other_stores_and_work_trees_are_looked_at_too(
    told: Repo, helper: Helper, another: Callable[[str], Repo], tmp_path: Path
) -> None:
    helper.alike(ROUTE)
    other = another("other")
    helper.alike(ROUTE)
    there = other.record(route=f"{ROUTE} elsewhere", observation=WHY)
    assert there.id in helper.alike(ROUTE).out
    told.git("worktree", "add", "-q", str(tmp_path / "tree"))
    helper.alike(ROUTE)
    beside = Repo(tmp_path / "tree").record(route=f"{ROUTE} beside", observation=WHY)
    assert beside.id in helper.alike("--json", ROUTE).out
    told.git("worktree", "remove", "--force", str(tmp_path / "tree"))
    assert beside.id not in helper.alike("--json", ROUTE).out
    while other.root.exists():  # the helper may write there meanwhile
        shutil.rmtree(other.root, ignore_errors=True)
    before = helper.counts()
    assert "is forgotten" in told.run("check", ROUTE).err  # said once, so that it is left to the process
    assert helper.counts() == (before[0], before[1] + 1)
    assert there.id not in helper.alike("--json", ROUTE).out


def test_a_store_with_nothing_checked_out_is_told_of_each_time(
    told: Repo, helper: Helper, another: Callable[[str], Repo]
) -> None:
    shutil.rmtree(another("other").root / ".lessons")
    for _ in range(2):
        assert "was not asked" in helper.alike(ROUTE).err


def test_each_work_tree_has_a_helper_of_its_own(told: Repo, helper: Helper, tmp_path: Path) -> None:
    told.git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree = Repo(tmp_path / "tree")
    assert tree.run("check", ROUTE).code == 1
    assert tree.run("serve", "--status").out.startswith("no helper runs here")
    assert helper.counts()[0] == 0
    helper.alike(ROUTE)


def test_meaning_is_compared_with_a_model_that_stays_in_memory(told: Repo, minilm: Path) -> None:
    env = {"CHALKGIT_MODEL_DIR": str(minilm), "CHALKGIT_MODEL": "sentence-transformers/all-MiniLM-L6-v2"}
    told.run("index", env=env)
    with helping(told, env=env) as helper:
        assert "all-MiniLM-L6-v2" in told.run("serve", "--status").out
        for proposal in (*PROPOSALS, "keep what was parsed for later"):
            assert '"ran": true' in helper.alike("--json", proposal, env=env).out
        new = told.record(route="let the parser remember its results", observation="it grew")
        assert new.id in helper.alike("--json", "keep what was parsed for later", env=env).out
        assert '"ran": false' in helper.alike("--json", ROUTE).out  # a process without that variable
        helper.alike("--json", "--here", ROUTE, env=env)
