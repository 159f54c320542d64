"""git's door in trouble: no commit is lost for it, and nothing that a repository holds is run or obeyed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from committing import EVENTS, edit, git, hooked_fixture, shown  # noqa: F401
from repository import Repo, copied


def test_a_switched_off_hook_says_and_blocks_nothing(hooked: Repo) -> None:
    edit(hooked, "a")
    hooked.write(".lessons/bad.yaml", "kind: [\n")
    hooked.git("add", ".")
    assert git(hooked, "commit", "-qm", "x", env={"CHALKGIT_BYPASS_RULINGS": "1"}) == (0, "", "")


def test_without_a_store_the_reason_is_said(hooked: Repo) -> None:
    hooked.git("rm", "-rq", ".lessons")
    done = git(hooked, "commit", "-qm", "x")
    assert done.code == 0
    assert "no .lessons/ here" in done.err


def test_a_corrupt_index_of_ours_is_built_anew(hooked: Repo) -> None:
    edit(hooked, "a")
    assert shown(git(hooked, "commit", "-am", "x").err) == ["a"]
    for file in (hooked.root / ".git" / "chalkgit").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\0" * 100)
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]


def test_a_disk_that_takes_no_writes_shows_the_same(hooked: Repo) -> None:
    derived = hooked.root / ".git" / "chalkgit"
    if derived.exists():
        for file in sorted(derived.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        derived.rmdir()
    derived.write_text("a file in the place of our folder")
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]
    assert "the index cannot be written" in done.err


def test_hostile_records_run_nothing_and_print_no_escapes(hooked: Repo) -> None:
    hooked.record(
        path=".lessons/$(touch x).yaml", files=["src/a.py"], route="\u202e reversed", observation="o"
    )
    hooked.write(
        ".lessons/esc.yaml", 'id: abcdefgh\nkind: dead-end\nroute: "\\e[31mred"\nfiles: [src/a.py]\n'
    )
    edit(hooked, "a")
    hooked.git("add", "src")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 0, done
    assert "reversed" in done.err
    assert not any(c in done.err for c in "\x1b\u202e")
    assert not (hooked.root / "x").exists()


def test_another_repositorys_variables_are_refused_with_the_reason(
    hooked: Repo, another: object, tmp_path: Path, template: Repo
) -> None:
    other = copied(template, tmp_path / "other")
    other.write("src/b.py", "b\n")
    other.commit()
    other.write("src/b.py", "c\n")
    other.git("add", ".")
    for name, value in (
        ("GIT_DIR", str(other.root / ".git")),
        ("GIT_INDEX_FILE", str(other.root / ".git" / "index")),
    ):
        done = hooked.run("hook", "pre-commit", env={name: value})
        assert done.code == 0
        assert shown(done.out) == []
        assert name in done.err
    edit(hooked, "b")
    hooked.git("add", ".")
    assert shown(hooked.run("hook", "pre-commit").out) == ["b"]


def test_a_program_in_the_root_is_not_imported(hooked: Repo) -> None:
    for name in ("click", "yaml", "json", "chalkgit"):
        hooked.write(f"{name}.py", "open('ran', 'w')\nraise SystemExit(1)\n")
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]
    assert not (hooked.root / "ran").exists()


def test_a_refusal_refuses_once_where_no_path_has_chalkgit(hooked: Repo) -> None:
    for event in EVENTS:
        (hooked.root / ".git/hooks" / event).unlink()
    assert hooked.run("hooks", "install").code == 0
    hooked.write(".lessons/bad.yaml", "kind: [\n")
    edit(hooked, "a")
    hooked.git("add", "-A")
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("GIT_", "HOME", "XDG_"))}
    command = ["env", "-i", *(f"{name}={value}" for name, value in kept.items()), "PATH=/usr/bin:/bin"]
    done = subprocess.run(
        [*command, "git", "commit", "-m", "x"], cwd=hooked.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done
    assert done.stderr.count(".lessons/bad.yaml:1") == 1
    assert "not looked at" not in done.stderr
    hooked.git("rm", "-q", "--cached", ".lessons/bad.yaml")
    done = subprocess.run(
        [*command, "git", "commit", "-m", "x"], cwd=hooked.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    assert shown(done.stderr) == ["a"]
