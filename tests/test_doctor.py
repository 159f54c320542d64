"""`doctor`: one page that says what is wrong, and changes nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from pathlib import Path

import gits
import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import __version__, config


def _problems(found: dict[str, object]) -> str:
    troubles = found["troubles"]
    assert isinstance(troubles, list)
    return "\n".join(f"{trouble['problem']} | {trouble['hint']}" for trouble in troubles)


def _files(root: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for folder, _, names in os.walk(root):
        for name in (".", *names):
            status = os.lstat(os.path.join(folder, name))
            content = 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns
            found[os.path.join(folder, name)] = (status.st_mode, content)
    return found


def test_it_says_what_is_used_and_found(repo: Repo, chalk: Inside) -> None:
    repo.record()
    chalk("hooks", "install")
    chalk("list")
    found = chalk.json("doctor")
    assert found["chalkgit"]["version"] == __version__
    assert found["chalkgit"]["python"] == sys.executable
    assert found["store"] == {
        "repository": str(repo.root),
        "path": str(repo.root / ".lessons"),
        "records": 1,
        "problems": 0,
    }
    assert found["index"]["state"] == "current"
    assert found["journal"]["writable"] is True
    assert found["journal"]["rows"] == 0
    assert found["hooks"]["events"][0]["runs"] is True
    assert [trouble["hint"] for trouble in found["troubles"]] == ["chalkgit model pull"]
    page = chalk("doctor").out
    assert f"chalkgit   {__version__}" in page
    assert "1 record, 0 problems" in page
    assert "check-message" not in page
    assert len(page.splitlines()) < 40


def test_it_changes_nothing(repo: Repo, chalk: Inside) -> None:
    repo.record()
    repo.commit()
    before = _files(repo.root)
    assert chalk.json("doctor")["index"]["state"] == "absent"
    assert _files(repo.root) == before
    chalk("list")
    between = _files(repo.root)
    assert between != before
    repo.record()
    written = _files(repo.root)
    assert chalk.json("doctor")["index"]["state"] == "stale"
    assert "stale (the next question brings it up to date)" in chalk("doctor").out
    assert _files(repo.root) == written


def test_each_trouble_comes_with_the_command_that_helps(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/bad.yaml", "route: [\n")
    repo.write(".lessons/config.yaml", "hooks:\n  block: always\n")
    said = _problems(chalk.json("doctor"))
    assert "1 thing is wrong with records | chalkgit lint" in said
    assert "git runs no hook of chalkgit here | chalkgit hooks install" in said
    assert "hooks.block is always, and no commit-msg hook" in said
    assert chalk("doctor").code == 0
    chalk("hooks", "install")
    (repo.root / ".lessons/bad.yaml").unlink()
    later = _problems(chalk.json("doctor"))
    assert "git runs no hook" not in later
    assert "hooks.block" not in later
    assert "wrong with records" not in later


def test_troubles_of_several_events_are_one_and_the_check_of_messages_is_shown(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("file", monkeypatch)
    repo.write(".lessons/config.yaml", "hooks:\n  check-message: true\n")
    chalk("hooks", "install")
    for hook in (repo.root / ".git" / "hooks").glob("*-commit"):
        hook.write_text(hook.read_text().replace(sys.executable, "/gone/python"))
    found = chalk.json("doctor")
    said = "pre-commit, pre-merge-commit: its interpreter /gone/python is gone | chalkgit hooks install"
    assert _problems(found).count("/gone/python") == 1
    assert said in _problems(found)
    page = chalk("doctor").out
    assert page.count("is gone") == 1
    assert "hooks.check-message: true" in page


def test_an_agent_or_editor_that_finds_no_chalkgit_on_path_is_told(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", gits.bare_path("file"))
    assert "on PATH" not in _problems(chalk.json("doctor"))  # nothing needs it yet
    install = [("--agent", "codex"), ("--editor", "vim", "--write")]
    for arguments in install:
        said = chalk("hooks", "install", *arguments)
        assert (said.code, said.err.count("no chalkgit is on PATH")) == (0, 1)
        assert f"ln -s {Path(sys.executable).parent}/chalkgit ~/.local/bin/" in said.err
        assert "no chalkgit is on PATH" in _problems(chalk.json("doctor"))
        assert "no chalkgit is on PATH" in chalk("hooks", "status").out
        if arguments[0] == "--agent":
            chalk("hooks", "uninstall", *arguments)
    program = tmp_path / "bin" / "chalkgit"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{gits.bare_path('file')}")
    for arguments in install:
        assert "on PATH" not in chalk("hooks", "install", *arguments).err
    assert "on PATH" not in _problems(chalk.json("doctor"))


def test_a_policy_that_cannot_be_read_is_told(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/config.yaml", "hooks:\n  block: sometimes\n")
    assert "`hooks.block` is “sometimes”" in _problems(chalk.json("doctor"))


@pytest.mark.parametrize("faculty", ["CHECK", "RULINGS", "RECALL", "SEMANTIC", "DECIDER"])
def test_what_is_switched_off_is_told(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, faculty: str
) -> None:
    assert chalk.json("doctor")["bypassed"] == []
    monkeypatch.setenv(f"CHALKGIT_BYPASS_{faculty}", "1")
    found = chalk.json("doctor")
    assert found["bypassed"] == [faculty.lower()]
    assert f"unset CHALKGIT_BYPASS_{faculty}" in _problems(found)


@pytest.mark.parametrize("name", ["CHALKGIT_BYPASS_CHEK", "CHALKGIT_BYPASS", "CHALKGIT_BYPASS_check"])
def test_a_switch_that_there_is_not_is_told(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for value in ("", "0"):
        monkeypatch.setenv(name, value)
        assert name not in _problems(chalk.json("doctor"))
    monkeypatch.setenv(name, "1")
    found = chalk.json("doctor")
    assert found["bypassed"] == []
    told = _problems(found)
    assert f"{name} is set, and is no switch: it switches nothing off. The switches are" in told
    assert f"unset {name}" in told
    assert [one for one in config.FACULTIES if f"CHALKGIT_BYPASS_{one}" not in told] == []


def test_a_damaged_index_is_told_and_left_for_the_next_question(repo: Repo, chalk: Inside) -> None:
    repo.record()
    chalk("list")
    (table,) = (repo.root / ".git" / "chalkgit").glob("g*/table.db")
    table.write_bytes(b"no database" * 1000)
    assert chalk.json("doctor")["index"]["state"] == "absent"
    chalk("list")
    assert chalk.json("doctor")["index"]["state"] == "current"


def test_a_journal_that_takes_no_writes_is_told(repo: Repo, chalk: Inside) -> None:
    folder = repo.root / ".git" / "chalkgit-journal"
    folder.mkdir()
    sqlite3.connect(folder / "real.db").close()
    (folder / "journal.db").symlink_to(folder / "real.db")
    found = chalk.json("doctor")
    assert found["journal"]["writable"] is False
    assert "what was shown is shown again" in _problems(found)


def test_what_was_shown_is_counted_and_a_damaged_journal_is_told(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    assert chalk("hook", "save", "src/a.py").code == 0
    found = chalk.json("doctor")["journal"]
    assert found["rows"] == 1
    assert f"1 shown, {found['bytes']:,} bytes" in chalk("doctor").out
    Path(found["path"]).write_bytes(b"no database" * 1000)
    found = chalk.json("doctor")
    assert found["journal"]["rows"] is None
    assert "cannot be read: what was shown is shown again" in _problems(found)


def test_outside_of_a_repository_it_tells_the_rest(chalk: Inside, tmp_path: Path) -> None:
    result = chalk("doctor", cwd=tmp_path)
    assert result.code == 0
    assert "not inside a git repository (hint: git init)" in result.out
    assert f"chalkgit   {__version__}" in result.out


def test_without_a_store_it_says_how_to_make_one(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    plain = Repo(tmp_path / "plain")
    plain.root.mkdir()
    plain.git("init", "-q")
    assert "| chalkgit init" in _problems(chalk.json("doctor", cwd=plain.root))


def test_names_of_the_repository_reach_no_terminal_as_they_are(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("file", monkeypatch)
    repo.git("config", "core.hooksPath", str(repo.root / "a\x1b[31mb"))
    for command in (("hooks", "install"), ("doctor",), ("hooks", "status"), ("hooks", "uninstall")):
        done = chalk(*command)
        assert "\x1b" not in done.out + done.err
