"""A folder of hooks that a team keeps in the repository: not written to, and what to add is printed."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import gits
import pytest
from hooking import TRIED, commit, files_fixture, git, installation, known_fixture, script  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.doors.setup import drivers
from chalkgit.doors.setup.git import Outcome

GATES = ("pre-commit", "pre-merge-commit", "commit-msg")


@pytest.fixture(name="team")
def team_fixture(known: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose hooks are committed in githooks/; chalkgit is on PATH."""
    monkeypatch.setenv("PATH", f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    script(known.root / "githooks" / "pre-commit", "#!/bin/sh\nset -eu\necho theirs >&2\n")
    known.git("config", "core.hooksPath", "githooks")
    known.git("add", "-A")
    git(known, "commit", "-q", "-n", "-m", "hooks")
    return known


def _add(repo: Repo, out: str, *events: str) -> None:
    """Do by hand what was printed."""
    lines = out.splitlines()
    for event in events:
        head = next(i for i, line in enumerate(lines) if line.startswith("#") and f"githooks/{event}" in line)
        file = repo.root / "githooks" / event
        if lines[head].startswith("# a new file"):
            script(file, "\n".join(lines[head + 1 : head + 3]) + "\n")
        else:
            first, rest = file.read_text().split("\n", 1)
            script(file, f"{first}\n{lines[head + 1]}\n{rest}")


def test_nothing_is_written_into_it_until_its_files_name_chalkgit(
    team: Repo, chalk: Inside, files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drivers.install(team.place, Outcome())  # a setting of each clone's git, and no file of the team's
    before = installation(team.root)
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "chalkgit does not write there" in result.err
    assert "nothing to change" not in result.out
    assert installation(team.root) == before
    assert "does not run chalkgit" in chalk("hooks", "status").out
    for done, event in enumerate(GATES):
        again = chalk("hooks", "install")
        assert (again.code, again.err.count("-commit") + again.err.count("commit-msg")) == (2, 3 - done)
        _add(team, again.out, event)
    assert chalk("hooks", "install").code == 0
    events = chalk.json("hooks", "status")["events"]
    assert [event["by"] for event in events] == ["framework"] * 3 + [None] * 3
    said = commit(team).err
    assert (said.count(TRIED), said.count("theirs")) == (1, 1)
    team.write(".lessons/bad.yaml", "route: [\n")
    refused = commit(team)
    assert (refused.code, "theirs" in refused.err) == (1, False)
    # whoever has no chalkgit commits as before
    monkeypatch.setenv("PATH", gits.bare_path("file"))
    free = commit(team)
    assert (free.code, "theirs" in free.err, "chalkgit" in free.err) == (0, True, False)


@pytest.mark.parametrize(("code", "blocks"), [(0, 0), (1, 1), (2, 0), (3, 0), (127, 0)])
def test_only_a_verdict_blocks_in_what_is_printed(
    team: Repo,
    chalk: Inside,
    files: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    blocks: int,
) -> None:
    _add(team, chalk("hooks", "install").out, *GATES)
    script(tmp_path / "bin" / "chalkgit", f'#!/bin/sh\necho "asked $*" >&2\nexit {code}\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{gits.bare_path('file')}")
    done = commit(team)
    assert done.code == blocks
    assert "asked hook pre-commit" in done.err
    assert ("asked hook commit-msg .git/COMMIT_EDITMSG" in done.err) == (not blocks)


def test_a_hook_of_merges_that_runs_the_other_one_needs_no_line(
    team: Repo, chalk: Inside, files: None
) -> None:
    _add(team, chalk("hooks", "install").out, "pre-commit", "commit-msg")
    script(team.root / "githooks/pre-merge-commit", "#!/bin/sh\n# as git's sample\n")
    assert chalk("hooks", "install").code == 2
    script(team.root / "githooks/pre-merge-commit", '#!/bin/sh\nexec "${0%/*}/pre-commit"\n')
    assert chalk("hooks", "install").code == 0
    (team.root / "githooks/pre-merge-commit").unlink()
    (team.root / "githooks/pre-merge-commit").symlink_to("pre-commit")
    assert chalk("hooks", "install").code == 0
    (team.root / "githooks/commit-msg").chmod(0o644)
    assert "chmod +x githooks/commit-msg" in chalk("hooks", "install").out


def test_a_git_that_runs_hooks_from_its_settings_runs_ours_beside_it(
    team: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("config", monkeypatch)
    tree = team.git("status", "--porcelain")
    assert chalk("hooks", "install").code == 0
    assert team.git("status", "--porcelain") == tree
    said = commit(team).err
    assert (said.count(TRIED), said.count("theirs")) == (1, 1)


def test_a_linked_work_tree_s_hooks_are_the_team_s_as_well(
    team: Repo, chalk: Inside, files: None, tmp_path: Path
) -> None:
    team.git("config", "core.hooksPath", str(team.root / "githooks"))
    linked = tmp_path / "linked"
    team.git("worktree", "add", "-q", str(linked))
    before = installation(team.root)
    assert chalk("hooks", "install", cwd=linked).code == 2
    after = installation(team.root)
    assert {path for path in after if "githooks" in path} == {path for path in before if "githooks" in path}


def test_a_folder_that_git_ignores_is_this_machine_s(known: Repo, chalk: Inside, files: None) -> None:
    known.git("config", "core.hooksPath", "my-hooks")
    assert chalk("hooks", "install").code == 2
    known.write(".gitignore", "/my-hooks/\n")
    assert chalk("hooks", "install").code == 0
    assert commit(known).err.count(TRIED) == 1
