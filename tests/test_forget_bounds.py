"""`forget` erases what was asked for and nothing else; what it does runs no hook of the repository."""

from __future__ import annotations

from pathlib import Path

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_a_damaged_file_that_holds_another_record_too_stays(repo: Repo, chalk: Inside) -> None:
    one, other = repo.record(route="use redis"), repo.record(route="use memcached")
    texts = [(repo.root / record.path).read_text() for record in (one, other)]
    both = repo.write(".lessons/both.yaml", f"<<<<<<< ours\n{texts[0]}=======\n{texts[1]}>>>>>>> theirs\n")
    longer = repo.write(".lessons/longer.yaml", f"id: {one.id}zz\nkind: [broken\n")
    own = repo.write(".lessons/own.yaml", f"id: {one.id}\nkind: [broken\n")
    (repo.root / other.path).unlink()
    assert chalk("forget", one.id, "--yes").code == 0
    assert (both.exists(), longer.exists()) == (True, True)
    assert not own.exists()  # the control: a damaged file of the record alone
    assert not (repo.root / one.path).exists()


def test_the_memory_of_a_rewritten_branch_outlives_a_record_that_it_is_named_after(
    repo: Repo, chalk: Inside
) -> None:
    record = repo.record()
    repo.commit()
    repo.git("checkout", "-qb", f"fix-{record.id}")
    repo.commit("more")
    assert chalk("log").code == 0
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "rewritten")
    assert len(chalk.json("log", "--audit")["rewritten"]) == 1
    assert chalk("forget", record.id, "--yes").code == 0
    assert len(chalk.json("log", "--audit")["rewritten"]) == 1


def test_no_hook_that_the_repository_s_settings_name_is_run(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    record = repo.record()
    repo.commit()
    ran = tmp_path / "ran"
    hook = tmp_path / "hooks" / "post-index-change"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    repo.git("config", "core.hooksPath", str(hook.parent))
    assert chalk("forget", record.id, "--yes").code == 0
    assert not ran.exists()
    repo.write("a", "a")
    repo.git("add", "a")  # the control: git itself runs it
    assert ran.exists()
