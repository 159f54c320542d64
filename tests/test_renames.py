"""Where paths went, asked of real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chalkgit.store import renames

ODD = 'src/\nsome "odd" name é.py'


class Work:
    """A repository with fixed authors and dates."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        who = {
            f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "Ada"), ("EMAIL", "a@b"))
        }
        when = {f"GIT_{w}_DATE": "2026-03-14T09:00:00Z" for w in ("AUTHOR", "COMMITTER")}
        sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.environment = {**clean, **who, **when, **sealed}
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.root, env=self.environment, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    def write(self, path: str, seed: str, lines: int = 40) -> None:
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        Path(place).write_text("".join(f"{seed} {n}\n" for n in range(lines)))

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Work(tmp_path)


def test_a_chain_of_renames_is_followed_to_the_file_that_is_there(work: Work) -> None:
    work.write("src/a.py", "alpha")
    work.commit()
    for old, new in (("src/a.py", "src/b.py"), ("src/b.py", "lib.py"), ("lib.py", "src/c.py")):
        work.git("mv", old, new)
        work.commit()
    assert renames.follow(work.root, ["src/a.py", "src/b.py"], "HEAD") == {
        "src/a.py": "src/c.py",
        "src/b.py": "src/c.py",
    }


def test_a_deleted_path_a_present_one_and_one_that_never_was_are_absent(work: Work) -> None:
    for path in ("src/a.py", "src/b.py", "src/here.py"):
        work.write(path, path)
    work.commit()
    work.git("mv", "src/b.py", "src/moved.py")
    work.git("rm", "-q", "src/a.py")
    work.commit()
    asked = ["src/a.py", "src/b.py", "src/here.py", "src/never.py"]
    assert renames.follow(work.root, asked, "HEAD") == {"src/b.py": "src/moved.py"}


def test_what_is_not_committed_takes_a_path_nowhere(work: Work) -> None:
    work.write("src/a.py", "alpha")
    work.commit()
    work.git("mv", "src/a.py", "src/b.py")
    work.commit()
    work.git("mv", "src/b.py", "src/c.py")
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}
    work.git("rm", "-q", "-f", "src/c.py")
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}
    work.commit()
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {}


def test_names_are_data_whatever_they_hold(work: Work) -> None:
    odd = {ODD: "\nto here", "--output=x/y": "-M", ":(glob)**": ":!b", "src/[a]*.py": "src/?"}
    for path in odd:
        work.write(path, f"seed of {path!r}")
    work.commit()
    for path, new in odd.items():
        work.git("--literal-pathspecs", "mv", "--", path, new)
    work.commit()
    assert renames.follow(work.root, list(odd), "HEAD") == odd


def test_a_name_in_no_encoding_is_followed(work: Work) -> None:
    raw = os.fsdecode(b"src/\xff\xfe.py")
    try:
        work.write(raw, "raw")
    except OSError:
        pytest.skip("this file system takes UTF-8 alone")
    work.commit()
    work.git("mv", raw, "src/plain.py")
    work.commit()
    assert renames.follow(work.root, [raw], "HEAD") == {raw: "src/plain.py"}


def test_a_folder_is_followed_where_all_of_it_went_to_one_place(work: Work) -> None:
    for path in ("old/a.py", "old/deep/b.py", "torn/a.py", "torn/b.py"):
        work.write(path, path)
    work.commit()
    os.mkdir(os.path.join(work.root, "lib"))
    work.git("mv", "old", "lib/new")
    work.git("mv", "torn/a.py", "lib/a.py")
    work.git("mv", "torn/b.py", "b.py")
    work.commit()
    assert renames.follow(work.root, ["old", "torn"], "HEAD") == {"old": "lib/new"}


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../a", "a/../../b", "a\0b", "\ud800", "x" * 5_000])
def test_what_names_no_repository_path_is_never_asked(work: Work, path: str) -> None:
    work.write("src/a.py", "alpha")
    work.commit()
    work.git("mv", "src/a.py", "src/b.py")
    work.commit()
    assert renames.follow(work.root, [path, "src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}


def test_no_history_and_an_unknown_head_say_nothing(work: Work) -> None:
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {}
    work.write("src/a.py", "alpha")
    work.commit()
    work.git("mv", "src/a.py", "src/b.py")
    work.commit()
    assert renames.follow(work.root, ["src/a.py"], "--all") == {}
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}


def test_the_users_own_log_settings_change_nothing(work: Work) -> None:
    work.write("src/a.py", "alpha")
    work.commit()
    work.git("mv", "src/a.py", "src/b.py")
    work.commit()
    for name, value in (("log.follow", "true"), ("diff.renames", "false"), ("diff.relative", "true")):
        work.git("config", name, value)
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}


def test_a_rename_in_a_merged_branch_is_found(work: Work) -> None:
    work.write("src/a.py", "alpha")
    work.commit()
    work.git("checkout", "-q", "-b", "side")
    work.git("mv", "src/a.py", "src/b.py")
    work.commit()
    work.git("checkout", "-q", "main")
    work.write("other.py", "other")
    work.commit()
    work.git("merge", "-q", "--no-edit", "side")
    assert renames.follow(work.root, ["src/a.py"], "HEAD") == {"src/a.py": "src/b.py"}


def test_a_file_that_moved_out_of_a_sparse_checkout_is_followed(work: Work) -> None:
    for path in ("src/a.py", "src/b.py", "big/c.py"):
        work.write(path, path)
    work.commit()
    work.git("mv", "src/a.py", "big/a.py")
    work.git("rm", "-q", "src/b.py")
    work.commit()
    work.git("sparse-checkout", "set", "src")
    assert not os.path.exists(os.path.join(work.root, "big"))
    assert renames.follow(work.root, ["src/a.py", "src/b.py"], "HEAD") == {"src/a.py": "big/a.py"}
