"""What moved since a ruling was written, asked of real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chalkgit.answers import drift
from chalkgit.store import git


class Work:
    """A repository with fixed authors and dates."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        who = {
            f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "Ada"), ("EMAIL", "a@b"))
        }
        sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.environment = {**clean, **who, **sealed}
        self.commits = 0

    def git(self, *args: str) -> str:
        when = f"2026-03-14T09:{self.commits:02}:00Z"
        environment = {**self.environment, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(["git", *args], cwd=self.root, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def write(self, path: str, seed: str) -> None:
        place = Path(self.root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(f"{seed} {n}\n" for n in range(40)))

    def append(self, path: str) -> str:
        with Path(self.root, path).open("a") as file:
            file.write(f"edit {self.commits}\n")
        return self.commit()

    def commit(self) -> str:
        self.commits += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"work {self.commits}")
        return self.git("rev-parse", "HEAD")

    def said(self, at: str | None, *paths: str) -> str | None:
        return drift.measure(self.root, [(at, paths)])[0]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "work").mkdir()
    work = Work(tmp_path / "work")
    work.git("init", "-q", "-b", "main")
    for name in "abcdef":
        work.write(f"src/{name}.py", name)
    work.commit()
    return work


def test_commits_since_are_counted_and_an_untouched_path_says_nothing(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    assert work.said(at, "src/a.py") == "1 commit since has touched src/a.py"
    work.append("src/a.py")
    work.append("src/a.py")
    assert drift.measure(work.root, [(at, ["src/a.py"]), (at, ["src/b.py"]), (None, ["src/a.py"])]) == [
        "3 commits since have touched src/a.py",
        None,
        None,
    ]


def test_a_path_is_gone_whether_its_deletion_is_committed_or_not(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    os.remove(os.path.join(work.root, "src/a.py"))
    work.git("rm", "-q", "src/b.py")
    assert work.said(at, "src/a.py", "src/b.py", "src/c.py") == "src/a.py is gone; src/b.py is gone"
    work.commit()
    assert work.said(at, "src/a.py", "src/b.py", "src/c.py") == "src/a.py is gone; src/b.py is gone"


def test_a_path_that_never_was_is_not_called_gone(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    os.remove(os.path.join(work.root, "src/a.py"))
    assert work.said(at, "src/never.py", "src/a.py") == "src/a.py is gone"


def test_a_moved_path_says_where_and_a_mere_rename_counts_as_no_touch(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.git("mv", "src/a.py", "src/moved.py")
    assert work.said(at, "src/a.py") == "src/a.py moved to src/moved.py"
    work.commit()
    assert work.said(at, "src/a.py") == "src/a.py moved to src/moved.py"


def test_edits_under_every_name_of_a_moved_path_are_counted(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    work.git("mv", "src/a.py", "src/x.py")
    work.commit()
    assert work.said(at, "src/a.py") == "src/a.py moved to src/x.py, and 1 commit since has touched it"
    work.append("src/x.py")
    work.git("mv", "src/x.py", "src/y.py")
    work.append("src/y.py")
    assert work.said(at, "src/a.py") == "src/a.py moved to src/y.py, and 3 commits since have touched it"


def test_three_sentences_are_said_and_the_rest_is_counted(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    paths = [f"src/{name}.py" for name in "abcde"]
    for path in paths:
        os.remove(os.path.join(work.root, path))
    work.commit()
    assert work.said(at, *paths) == "src/a.py is gone; src/b.py is gone; src/c.py is gone and 2 more"
    assert work.said(at, *paths[:3]) == "src/a.py is gone; src/b.py is gone; src/c.py is gone"


def test_a_moved_path_behind_many_that_never_were_is_still_found(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.git("mv", "src/a.py", "src/x.py")
    work.commit()
    assert work.said(at, *(f"no/{n}.py" for n in range(9)), "src/a.py") == "src/a.py moved to src/x.py"


@pytest.mark.parametrize(
    "at", ["", "abc", "0" * 40, "HEAD~1", "main", "--all", "deadbeef", "f" * 65, "HEAD", "abcd\n", "１２３４"]
)
def test_no_claim_is_made_for_what_is_no_known_commit(work: Work, at: str) -> None:
    known = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    gone = "src/b.py"
    os.remove(os.path.join(work.root, gone))
    assert work.said(at, "src/a.py", gone) is None
    assert not drift.touched(work.root, at, "src/a.py")
    for length in (40, 12):
        assert work.said(known[:length], "src/a.py") == "1 commit since has touched src/a.py"


def test_no_claim_is_made_about_globs_bare_names_and_foreign_paths(work: Work) -> None:
    work.write("pages/[id].tsx", "page")
    at = work.commit()
    work.append("pages/[id].tsx")
    work.append("src/a.py")
    for path in ("src/*.py", "a.py", "/etc/passwd", "../a.py", "src/../src/a.py", "a/b\0c", "\ud800/a"):
        assert work.said(at, path) is None, path
    assert work.said(at, "pages/[id].tsx") == "1 commit since has touched pages/[id].tsx"
    assert work.said(at, "./src/a.py") == "1 commit since has touched src/a.py"


def test_a_folder_is_touched_with_its_files(work: Work) -> None:
    work.write("src/deep/a.py", "deep")
    at = work.commit()
    work.append("src/deep/a.py")
    work.append("src/a.py")
    assert work.said(at, "src/deep/") == "1 commit since has touched src/deep"


@pytest.mark.parametrize(
    "path", ['src/\nsome "odd" é.py', "--all/a.py", ":(glob)**/a", ":!src/a.py", "//src/a.py"]
)
def test_a_path_is_data_whatever_it_holds(work: Work, path: str) -> None:
    if path.startswith("/"):
        assert work.said(work.git("rev-parse", "HEAD"), path) is None
        return
    work.write(path, "odd")
    at = work.commit()
    work.append("src/a.py")
    assert work.said(at, path) is None
    work.append(path)
    assert work.said(at, path) == f"1 commit since has touched {path}"


def test_a_shallow_clone_makes_no_claim_it_cannot_see(work: Work, tmp_path: Path) -> None:
    old = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    seen = work.append("src/b.py")
    work.append("src/a.py")
    work.git("clone", "-q", "--depth=2", f"file://{work.root}", str(tmp_path / "shallow"))
    shallow = Work(tmp_path / "shallow")
    assert shallow.said(old, "src/a.py") == drift.UNSEEN
    assert shallow.said(seen, "src/a.py", "src/b.py") == "1 commit since has touched src/a.py"
    shallow.git("fetch", "-q", "--depth=1", "origin", "main")
    shallow.git("checkout", "-q", "--orphan", "other")
    shallow.commit()
    assert shallow.said(seen, "src/a.py") == drift.UNSEEN


def test_before_the_first_commit_nothing_is_said(tmp_path: Path, work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    assert work.said(at, "src/a.py")
    work.git("checkout", "-q", "--orphan", "unborn")
    assert work.said(at, "src/a.py", "src/never.py") is None


def test_a_rebased_commit_counts_what_is_new_and_not_what_it_carried_over(work: Work) -> None:
    work.git("checkout", "-q", "-b", "topic")
    at = work.append("src/a.py")
    work.git("checkout", "-q", "main")
    work.append("src/b.py")
    work.git("cherry-pick", at)
    assert work.said(at, "src/a.py", "src/b.py") == "1 commit since has touched src/b.py"


def test_what_a_sparse_checkout_leaves_out_is_not_gone(work: Work) -> None:
    work.write("big/a.py", "big")
    at = work.commit()
    work.git("sparse-checkout", "set", "src")
    os.remove(os.path.join(work.root, "src/a.py"))
    assert not os.path.exists(os.path.join(work.root, "big"))
    assert work.said(at, "big/a.py", "big", "src/a.py") == "src/a.py is gone"


def test_the_users_own_log_settings_change_no_count(work: Work) -> None:
    at = work.append("src/b.py")
    work.append("src/a.py")
    work.git("mv", "src/a.py", "src/x.py")
    work.append("src/x.py")
    for name, value in (("log.follow", "true"), ("log.showRoot", "false"), ("diff.renames", "copies")):
        work.git("config", name, value)
    new = "1 commit since has touched src/x.py"
    moved = "src/a.py moved to src/x.py, and 2 commits since have touched it"
    assert work.said(at, "src/x.py") == new
    assert work.said(at, "src/a.py", "src/x.py") == f"{moved}; {new}"


def test_every_git_call_starts_before_one_is_awaited(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    at = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    os.remove(os.path.join(work.root, "src/b.py"))
    events: list[str] = []
    start, output = git.start, git.Child.output

    def started(root: str, *args: str) -> git.Child:
        events.append("start")
        return start(root, *args)

    def awaited(child: git.Child) -> tuple[int, bytes, bytes]:
        events.append("wait")
        return output(child)

    monkeypatch.setattr(git, "start", started)
    monkeypatch.setattr(git.Child, "output", awaited)
    said = drift.measure(work.root, [(at, ["src/a.py"]), (at, ["src/b.py"]), (at, ["src/c.py"])])
    assert said == ["1 commit since has touched src/a.py", "src/b.py is gone", None]
    assert "start" not in events[events.index("wait") :]
    assert events.count("start") == events.count("wait")


def test_more_rulings_than_run_at_once_are_all_measured_in_order(work: Work) -> None:
    at = work.git("rev-parse", "HEAD")
    work.append("src/a.py")
    asks = [(at, [f"src/{'ab'[n % 2]}.py"]) for n in range(31)]
    assert drift.measure(work.root, asks) == [
        "1 commit since has touched src/a.py" if n % 2 == 0 else None for n in range(31)
    ]


def test_nothing_to_ask_asks_nothing(tmp_path: Path) -> None:
    assert drift.measure(str(tmp_path / "nowhere"), [(None, ["src/a.py"]), ("abcd", ["a.py"])]) == [
        None,
        None,
    ]
    assert drift.measure(str(tmp_path / "nowhere"), []) == []


def test_touched_sees_commits_and_deletion_and_takes_names_at_the_root(work: Work) -> None:
    work.write("Makefile", "make")
    at = work.commit()
    for path in ("Makefile", "src/a.py"):
        assert not drift.touched(work.root, at, path)
    work.append("Makefile")
    os.remove(os.path.join(work.root, "src/a.py"))
    assert drift.touched(work.root, at, "Makefile")
    assert drift.touched(work.root, at, "src/a.py")
    assert not drift.touched(work.root, at, "src/b.py")
    assert not drift.touched(work.root, None, "Makefile")
