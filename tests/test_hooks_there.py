"""`hooks install` where there are hooks already: they are kept and run, and put back as they were."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import gits
import pytest
from hooking import (  # noqa: F401
    TRIED,
    Venv,
    change,
    commit,
    files_fixture,
    git,
    installation,
    known_fixture,
    script,
    venv_fixture,
    way_fixture,
)
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.doors.setup import shim


def test_the_hooks_that_were_there_run_with_their_arguments_and_input(
    known: Repo, chalk: Inside, way: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    for event in shim.EVENTS:
        text = f'#!/bin/sh\necho "{event}: $* <$(cat)" >>{log}\n'
        script(known.root / ".git" / "hooks" / event, text)
    chalk("hooks", "install")
    commit(known)
    known.git("commit", "-q", "--amend", "-m", "again")
    known.git("checkout", "-q", "-b", "other")
    said = log.read_text()
    assert said.count("pre-commit:  <") == 2
    assert "commit-msg: .git/COMMIT_EDITMSG <" in said
    new = known.git("rev-parse", "HEAD")
    assert f"post-checkout: {new} {new} 1 <" in said
    assert "post-rewrite: amend <" in said
    assert said.split("post-rewrite: amend <")[1].split()[1] == new


def test_a_hook_that_was_there_still_refuses(known: Repo, chalk: Inside, way: str) -> None:
    script(known.root / ".git/hooks/pre-commit", '#!/usr/bin/env python3\nraise SystemExit("no, says it")\n')
    chalk("hooks", "install")
    done = commit(known)
    assert done.code == 1
    assert "no, says it" in done.err
    chalk("hooks", "uninstall")
    assert "no, says it" in commit(known).err


def test_a_hook_that_git_ignored_stays_ignored(known: Repo, chalk: Inside, files: None) -> None:
    hook = known.root / ".git/hooks/pre-commit"
    script(hook, "#!/bin/sh\necho ran >&2; exit 1\n", 0o644)
    assert "is not executable" in chalk("hooks", "install").out
    done = commit(known)
    assert (done.code, done.err.count(TRIED)) == (0, 1)
    assert "ran" not in done.err
    chalk("hooks", "uninstall")
    assert hook.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("way", "there"),
    [
        ("file", "samples alone"),
        ("file", "a hook"),
        ("file", "ignored"),
        ("file", "a link"),
        ("file", "no folder"),
        ("config", "a hook"),
        ("config", "no folder"),
    ],
)
def test_uninstalling_leaves_everything_as_it_was_found(
    known: Repo, chalk: Inside, way: str, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use(way, monkeypatch)
    folder = known.root / ".git" / "hooks"
    hook = folder / "pre-commit"
    if there == "no folder":
        shutil.rmtree(folder)
    elif there == "a link":
        (tmp_path / "elsewhere").mkdir()
        script(tmp_path / "elsewhere" / "pre-commit", "#!/bin/sh\n")
        hook.symlink_to(tmp_path / "elsewhere" / "pre-commit")
    elif there in ("a hook", "ignored"):
        script(hook, "#!/bin/sh\n# mine\n", 0o640 if there == "ignored" else 0o710)
    before = installation(known.root)
    for _ in range(2):
        assert chalk("hooks", "install").code == 0
        assert installation(known.root) != before
    assert chalk("hooks", "uninstall").code == 0
    assert installation(known.root) == before
    assert chalk("hooks", "uninstall") == (0, "no git hook of chalkgit is installed here\n", "")


def test_an_edited_hook_is_neither_overwritten_nor_removed(known: Repo, chalk: Inside, files: None) -> None:
    chalk("hooks", "install")
    hook = known.root / ".git/hooks/pre-commit"
    edited = hook.read_text() + "# mine\n"
    hook.write_text(edited)
    for command in ("install", "uninstall"):
        result = chalk("hooks", command)
        assert result.code == 2
        assert "was edited since chalkgit wrote it" in result.err
        assert hook.read_text() == edited
    assert not (known.root / ".git/hooks/commit-msg").exists()  # unedited: removed


def test_whoever_edited_ours_is_told_how_the_older_hook_comes_back(
    known: Repo, chalk: Inside, files: None
) -> None:
    hook = known.root / ".git/hooks/pre-commit"
    script(hook, "#!/bin/sh\n# theirs\n")
    chalk("hooks", "install")
    hook.write_text(hook.read_text() + "# mine\n")
    said = chalk("hooks", "uninstall").err
    command = f"mv {hook}{shim.KEPT} {hook}"
    assert command in said
    hook.unlink()
    # and a hook that was kept, and that nothing runs any more, is not forgotten
    assert f"is run by nothing any more (hint: {command})" in chalk("hooks", "status").out
    gone = chalk("hooks", "uninstall")
    assert (gone.code, command in gone.err) == (2, True)
    subprocess.run(["sh", "-c", command], check=True)
    assert hook.read_text() == "#!/bin/sh\n# theirs\n"
    assert chalk("hooks", "uninstall").code == 0


def test_an_edited_setting_is_neither_overwritten_nor_removed(
    known: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("config", monkeypatch)
    chalk("hooks", "install")
    name = "hook.chalkgit-pre-commit.command"
    edited = known.git("config", name).replace("P='", "nice=1\nP='")
    known.git("config", name, edited)
    for command in ("install", "uninstall"):
        result = chalk("hooks", command)
        assert result.code == 2
        assert "git config --remove-section hook.chalkgit-pre-commit" in result.err
        assert known.git("config", name) == edited


def test_two_hooks_of_others_are_not_made_one(known: Repo, chalk: Inside, files: None) -> None:
    chalk("hooks", "install")
    hook = known.root / ".git/hooks/pre-commit"
    script(Path(f"{hook}{shim.KEPT}"), "#!/bin/sh\n# first\n")
    hook.unlink()
    script(hook, "#!/bin/sh\n# second\n")
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "are two hooks" in result.err
    assert hook.read_text() == "#!/bin/sh\n# second\n"


def test_nothing_is_written_through_a_link(known: Repo, chalk: Inside, files: None, tmp_path: Path) -> None:
    folder = known.root / ".git" / "hooks"
    shutil.rmtree(folder)
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "is a symbolic link" in result.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_committed_link_does_not_lead_out(known: Repo, chalk: Inside, files: None, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (known.root / "tools").symlink_to(tmp_path / "elsewhere")
    known.git("config", "core.hooksPath", "tools/hooks")
    assert chalk("hooks", "install").code == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_upgrade_of_git_moves_the_hooks_and_a_downgrade_moves_them_back(
    known: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = known.root / ".git/hooks/pre-commit"
    script(hook, "#!/bin/sh\necho mine >&2\n")
    before = installation(known.root)
    for way in ("file", "config", "file"):
        with monkeypatch.context() as patch:
            gits.use(way, patch)
            chalk("hooks", "install")
            done = commit(known)
            assert (done.code, done.err.count(TRIED), done.err.count("mine")) == (0, 1, 1), (way, done)
            assert ("chalkgit" in hook.read_text()) == (way == "file")
            assert (git(known, "config", "--get-regexp", r"^hook\.").code == 0) == (way == "config")
    chalk("hooks", "uninstall")
    known.git("reset", "-q", "--hard", "HEAD~3")
    assert installation(known.root) == before


def test_settings_that_an_older_git_ignores_are_said(
    known: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        gits.use("config", patch)
        chalk("hooks", "install")
    gits.use("file", monkeypatch)
    assert TRIED not in commit(known).err
    (event, *_) = chalk.json("hooks", "status")["events"]
    assert event["runs"] is False
    assert "ignores it" in event["troubles"][0]["problem"]


def test_a_link_to_a_program_for_several_hooks_is_left_alone(
    known: Repo, chalk: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("file", monkeypatch)
    hook = known.root / ".git/hooks/pre-commit"
    script(tmp_path / "dispatch", "#!/bin/sh\n")
    hook.symlink_to(tmp_path / "dispatch")
    done = chalk("hooks", "install")
    assert done.code == 2
    assert "is a link to a program for several hooks" in done.out + done.err
    assert hook.readlink() == tmp_path / "dispatch"
    assert chalk("hooks", "uninstall").code == 0
    assert hook.readlink() == tmp_path / "dispatch"
