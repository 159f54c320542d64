"""While `log` reads the history git looks for what is not committed: sooner, and never something else."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from telling import change

from chalkgit.answers.chronicle import Chronicle, Unlike
from chalkgit.store import history, history_file

LOADED = """
import sys
from chalkgit import __main__
code = __main__._run(["log"])
sys.stdout.flush()
print("yaml" in sys.modules, file=sys.stderr)
sys.exit(code)
"""


def states(repo: Repo, unlike: Unlike) -> list[tuple[str, str, list[str]]]:
    found = Chronicle(history.opened(repo.place), unlike=unlike).chapters()
    return [(chapter.version.id, chapter.state, chapter.version.events) for chapter in found]


def test_what_was_asked_of_another_commit_is_asked_again(repo: Repo) -> None:
    record = repo.record(route="cache it")
    first = repo.commit()
    change(repo, record, layer="design")
    recorded = (record.id, "committed", ["recorded"])
    assert states(repo, Unlike(repo.place, first)) == [(record.id, "uncommitted", ["corrected"]), recorded]
    ahead = Unlike(repo.place, first)
    repo.commit("meanwhile")
    assert states(repo, ahead) == [(record.id, "committed", ["corrected"]), recorded]
    ahead = Unlike(repo.place, history.opened(repo.place).tip)
    repo.git("reset", "-q", "--soft", first)  # what was as committed is not any more
    assert states(repo, ahead) == [(record.id, "uncommitted", ["corrected"]), recorded]


def test_before_the_first_commit_everything_is_not_committed(repo: Repo) -> None:
    record = repo.record(route="cache it")
    staged = repo.record(route="cache it on disk")
    repo.git("add", staged.path)
    wanted = {(record.id, "uncommitted"), (staged.id, "uncommitted")}
    assert {row[:2] for row in states(repo, Unlike(repo.place, ""))} == wanted
    repo.commit()
    assert {row[1] for row in states(repo, Unlike(repo.place, ""))} == {"committed"}


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system does not list what is open")
def test_nothing_stays_open_whether_history_can_be_read_or_not(repo: Repo, chalk: Inside) -> None:
    repo.record(route="cache it")
    tip = repo.commit()
    assert chalk("log").code == 0
    opened = len(os.listdir("/dev/fd"))
    collecting = gc.isenabled()
    for lost in (False, True):
        if lost:
            file = repo.root / ".git/objects" / tip[:2] / tip[2:]
            file.rename(repo.root / ".git/lost")
        os.unlink(history_file.path(repo.place))
        result = chalk("log")
        assert (result.code, "hint: git fsck" in result.err) == ((2, True) if lost else (0, False))
        assert len(os.listdir("/dev/fd")) == opened
        assert gc.isenabled() is collecting


def test_a_kept_history_is_told_without_reading_yaml(repo: Repo) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    for loaded in ("True", "False"):
        done = subprocess.run(
            [sys.executable, "-c", LOADED], cwd=repo.root, capture_output=True, text=True, check=True
        )
        assert record.id in done.stdout
        assert done.stderr.split() == [loaded]


def test_each_row_has_its_own_day_and_author(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = repo.record(route="cache it")
    wanted = []
    edits = (("1969-12-31", "Ada"), ("2026-05-01", "Bob"), ("2026-05-01", "Ada"), ("2026-05-02", "B\x7fb"))
    for number, (day, author) in enumerate(edits):
        when = "@0 +0000" if day.startswith("1969") else f"{day}T23:59:59Z"
        monkeypatch.setenv("GIT_COMMITTER_DATE", when)
        monkeypatch.setenv("GIT_AUTHOR_NAME", author)
        change(repo, record, tags=[str(number)])
        oid = repo.commit()
        shown = "1970-01-01" if day.startswith("1969") else day
        wanted.append((shown, author.replace("\x7f", "\u2421"), oid[:12]))
    change(repo, record, tags=["not committed"])
    rows = chalk("log").out.splitlines()
    assert rows[0].startswith(f"not committed  {record.id}  corrected: cache it")
    said = [(row.split("  ")[0], *row.rsplit("  ", 1)[1].split(", ")) for row in rows[1:]]
    assert said == wanted[::-1]
