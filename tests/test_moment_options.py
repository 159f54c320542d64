"""An option for a date or a revision is refused where it says none, with a command that helps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

OPTIONS = {
    "check": ("--valid-at", "--known-at"),
    "at": ("--valid-at", "--known-at"),
    "recall": ("--valid-at", "--known-at"),
    "list": ("--valid-at", "--known-at"),
    "show": ("--valid-at", "--known-at"),
    "export": ("--valid-at", "--known-at"),
    "log": ("--since", "--ref"),
    "tried": ("--valid-from", "--valid-until"),
    "works": ("--valid-from", "--valid-until"),
}
WORDS = {
    "check": ["a route"],
    "at": ["a.py"],
    "tried": ["another route", "--because", "b"],
    "works": ["a third route", "--mind", "c"],
    "recall": ["--spec", "spec.md"],
}


@pytest.mark.parametrize(("command", "option"), [(c, o) for c in OPTIONS for o in OPTIONS[c]])
def test_an_empty_value_means_neither_now_nor_everything(
    repo: Repo, chalk: Inside, command: str, option: str
) -> None:
    record = repo.record(route="a route", observation="b")
    repo.write("spec.md", "keep the sessions in Redis\n")
    repo.commit()
    words = [record.id] if command == "show" else WORDS.get(command, [])
    for empty in ("", "  "):
        refused = chalk(command, *words, option, empty)
        assert refused.code == 2, refused
        assert refused.out == ""
        assert f"{option} is empty" in refused.err
        assert refused.err.count("hint: chalkgit ") == 1
    value = "HEAD" if option in ("--ref", "--known-at") else "2999-01-01"
    if option in ("--since", "--valid-from"):
        value = "2020-01-01"
    assert chalk(command, *words, option, value).code in (0, 1)


MISTAKES = (
    (("log", "--since", "yesterday"), "hint: chalkgit log --since 2"),
    (("list", "--valid-at", "HEAD"), "--known-at REV"),
    (("at", "../x"), "hint: git -C "),
    (("supersede", "ID", "--by", "ID"), "hint: chalkgit retire ID --because WHY"),
    (("correct", "ID", "--degree", "foo"), "hint: chalkgit correct ID --degree contradicted"),
    (("correct", "ID", "--valid-until", "foo"), "hint: chalkgit correct ID --valid-until 2"),
    (("correct", "ID", "--reopens-when", "foo"), "hint: chalkgit correct --help"),
    (("tried", "route: a | observation: b | layer: foo"), "hint: chalkgit tried --help"),
    (("diff", "2026-02-02"), "is a date, and diff takes revisions"),
    (("diff", "HEAD~9"), "hint: git log --oneline"),
)


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_gets_one_line_and_one_hint(
    repo: Repo, chalk: Inside, words: tuple[str, ...], said: str
) -> None:
    record = repo.record(route="a route", observation="b")
    repo.commit()
    done = chalk(*(record.id if word == "ID" else word for word in words))
    assert done.code == 2
    assert said.replace("ID", record.id) in done.err
    assert len(done.err.splitlines()) == 2
    assert done.err.splitlines()[1].startswith("hint: ")


def test_before_the_first_commit_a_revision_is_hinted_a_command_that_works(repo: Repo, chalk: Inside) -> None:
    repo.record(route="a route", observation="b")
    done = chalk("diff", "HEAD")
    assert done.code == 2
    hint = done.err.splitlines()[-1].removeprefix("hint: ")
    assert hint.startswith("git add .lessons && git commit")
    subprocess.run(["sh", "-c", hint], cwd=repo.root, check=True, capture_output=True)
    assert chalk("diff", "HEAD").code == 0


def test_a_bare_repository_is_told_how_to_have_a_work_tree(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    repo.commit()
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    done = chalk("list", cwd=bare)
    assert done.code == 2
    hint = done.err.splitlines()[-1].removeprefix("hint: ")
    subprocess.run(hint.replace("DIR", str(tmp_path / "work")).split(), check=True, capture_output=True)
    assert chalk("list", cwd=tmp_path / "work").code == 0
