"""Transaction time is the commit along the first parents; what a clone cannot see is unknown, never no."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from repository import Repo

from chalkgit.errors import ChalkError, UnknownPast
from chalkgit.index import recorded, refresh
from chalkgit.store import history, moments


def commit_at(repo: Repo, when: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GIT_AUTHOR_DATE", when)
    monkeypatch.setenv("GIT_COMMITTER_DATE", when)
    return repo.commit(when)


@pytest.fixture(name="days")
def days_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A commit on the 1st, 2nd and 3rd of May, each with a record more."""
    made = []
    for day in (1, 2, 3):
        repo.record(route=f"cache {day}")
        made.append(commit_at(repo, f"2026-05-0{day}T12:00:00Z", monkeypatch))
    return made


def test_a_record_is_known_since_the_commit_that_last_changed_it(
    repo: Repo, days: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = moments.recorded(repo.place)
    assert [found[path] for path in sorted(p for p in found if "cache" in p)] == [
        (days[0], "2026-05-01T12:00:00Z", True),
        (days[1], "2026-05-02T12:00:00Z", True),
        (days[2], "2026-05-03T12:00:00Z", True),
    ]
    path = min(p for p in found if "cache" in p)
    file = repo.root / path
    file.write_text(file.read_text() + "# more\n")
    assert path not in moments.recorded(repo.place)
    later = commit_at(repo, "2026-05-09T12:00:00+02:00", monkeypatch)
    assert moments.recorded(repo.place)[path] == (later, "2026-05-09T10:00:00Z", True)


def test_a_record_arrives_with_the_merge_and_not_with_the_branch(
    repo: Repo, days: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("checkout", "-qb", "side", days[0])
    record = repo.record(route="on the side")
    commit_at(repo, "2026-05-01T13:00:00Z", monkeypatch)
    repo.git("checkout", "-q", "main")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-20T00:00:00Z")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    assert moments.recorded(repo.place)[record.path] == (merge, "2026-05-20T00:00:00Z", True)
    assert history.known_at(repo.place, "2026-05-04") == days[2]
    assert history.known_at(repo.place, "2026-05-20") == merge


def test_the_few_and_the_many_are_dated_alike(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [repo.record(route=f"cache {n}") for n in range(60)]
    commit_at(repo, "2026-05-01T12:00:00Z", monkeypatch)
    (repo.root / records[0].path).write_text("# edited\n" + (repo.root / records[0].path).read_text())
    new = repo.record(route="not committed")
    paths = [record.path for record in [*records, new]]
    index = refresh.up_to_date(repo.place)
    many = recorded.finish(index, recorded.begin(index, paths))
    for path in (paths[0], paths[1], paths[-1]):
        other = refresh.up_to_date(repo.place, rebuild=True)
        assert recorded.finish(other, recorded.begin(other, [path]))[path] == many[path]
    assert many[paths[0]] == many[paths[-1]] == (None, None, False)
    assert many[paths[1]][1] == "2026-05-01T12:00:00Z"


def test_what_git_said_is_kept_until_head_or_the_file_moves(repo: Repo, days: list[str]) -> None:
    index = refresh.up_to_date(repo.place)
    path = min(p for p in index.table.ids().values())
    asked = recorded.begin(index, [path])
    assert list(asked.logs) == [path]
    said = recorded.finish(index, asked)
    assert said[path][0] in days
    assert recorded.begin(index, [path]).logs == {}
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert list(recorded.begin(index, [path]).logs) == [path]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-05-01", 0),
        ("2026-05-02", 1),
        ("2026-05", 2),
        ("2026", 2),
        ("2026-05-02T12:00:00Z", 1),
        ("2026-05-02T11:59:59Z", 0),
        ("HEAD~1", 1),
        ("main", 2),
    ],
)
def test_a_date_means_what_was_committed_up_to_its_end(
    repo: Repo, days: list[str], text: str, day: int
) -> None:
    assert history.known_at(repo.place, text) == days[day]


@pytest.mark.parametrize("text", ["2026-04-30", "2020"])
def test_before_the_first_commit_nothing_was_known(repo: Repo, days: list[str], text: str) -> None:
    assert history.known_at(repo.place, text) is None
    assert history.known_at(repo.place, "2026-05-01") == days[0]


@pytest.mark.parametrize("text", ["none", "--all", "HEAD~9", "HEAD:.lessons"])
def test_a_past_that_was_not_is_refused(repo: Repo, days: list[str], text: str) -> None:
    with pytest.raises(ChalkError) as caught:
        history.known_at(repo.place, text)
    assert not isinstance(caught.value, UnknownPast)


def test_a_shallow_clone_says_unknown_and_never_no(repo: Repo, days: list[str], tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", repo.root.as_uri(), str(clone)], check=True)
    shallow = Repo(clone)
    for text in ("2026-05-02", days[0], "HEAD~1"):
        with pytest.raises(UnknownPast) as caught:
            history.known_at(shallow.place, text)
        assert caught.value.hint == "git fetch --unshallow"
    assert history.known_at(shallow.place, "2026-05-03") == days[2]
    assert history.known_at(shallow.place, "HEAD") == days[2]
    result = shallow.run("check", "cache 1", "--known-at", "2026-05-02")
    assert result.code == 2
    assert "unknown" in result.err


def test_versions_follow_a_record_through_its_names(
    repo: Repo, days: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = min(p for p in moments.recorded(repo.place) if "cache-1" in p)
    new = ".lessons/é 'x'.yaml"
    repo.git("mv", path, new)
    moved = commit_at(repo, "2026-06-01T00:00:00Z", monkeypatch)
    told = history.opened(repo.place)
    (record,) = [v.id for v in told.versions() if v.path == new]
    found = [(told.moments()[v.seq].oid, v.events) for v in told.versions(record)]
    assert found == [(moved, ["renamed"]), (days[0], ["recorded"])]
    assert told.moments()[len(told.moments())].author == "Ada"
    assert told.versions("zzzzzzzz") == []


def test_without_a_commit_nothing_is_recorded(repo: Repo) -> None:
    repo.record()
    assert moments.recorded(repo.place) == {}
