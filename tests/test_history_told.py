"""What becomes of a record is told by its id: through moves, rewritten history and wrong clocks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from gits import use
from repository import Repo
from telling import change, commits, events

from chalkgit.records import codec
from chalkgit.store import history
from chalkgit.store.history import History
from chalkgit.store.place import find


def test_a_life_is_told_from_its_first_commit_to_its_last(repo: Repo) -> None:
    record = repo.record(route="cache it")
    other = repo.record(route="cache it on disk")
    repo.commit()
    change(repo, other, supersedes=[record.id])
    repo.commit()
    change(repo, other)
    repo.commit()
    record = change(repo, record, layer="design", retired={"because": "mended"})
    repo.commit()
    record = change(repo, record, retired=None)
    repo.commit()
    record = change(repo, record, review={"state": "rejected", "by": "Ada"}, settled="0123abcd")
    repo.commit()
    repo.git("mv", record.path, ".lessons/elsewhere.yaml")
    repo.commit()
    assert events(repo, record.id) == [
        ["recorded"],
        ["superseded"],
        ["reopened"],
        ["corrected", "retired"],
        ["reopened"],
        ["settled", "reviewed"],
        ["renamed"],
    ]
    told = history.opened(repo.place)
    assert [v.by for v in reversed(told.versions(record.id))] == [None, other.id, *[None] * 5]
    assert [v.names for v in told.versions(record.id)][1:3] == [["settled", "review"], ["retired"]]


def test_a_move_with_an_edit_is_one_version(repo: Repo) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    (repo.root / record.path).unlink()
    repo.write(".lessons/deep/er/new.yaml", codec.encode(record.changed({"tags": ["x"]})))
    repo.commit()
    (last, first) = history.opened(repo.place).versions(record.id)
    assert (last.events, last.path, last.old_path) == (
        ["corrected", "renamed"],
        ".lessons/deep/er/new.yaml",
        record.path,
    )
    assert first.events == ["recorded"]


def test_a_record_that_comes_back_is_the_same_one(repo: Repo) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    data = (repo.root / record.path).read_bytes()
    (repo.root / record.path).unlink()
    gone = repo.commit()
    told = history.opened(repo.place)
    assert told.as_of(len(told.moments())) == {}
    assert told.versions(record.id)[0].path is None
    repo.write(".lessons/back.yaml", data)
    repo.commit()
    assert events(repo, record.id) == [["recorded"], ["deleted"], ["restored"]]
    told = history.opened(repo.place)
    held = told.as_of(told.place_of(gone) or 0)
    assert held == {}


def test_an_edit_that_changes_no_field_and_damage_and_its_mending_are_told(repo: Repo) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    data = (repo.root / record.path).read_bytes()
    repo.write(record.path, data + b"# by hand\n")
    repo.commit()
    repo.write(record.path, b"id: [\n")
    damaged = repo.commit()
    repo.write(record.path, b"id: {\n")
    repo.commit()
    repo.write(record.path, data)
    repo.commit()
    assert events(repo, record.id) == [["recorded"], ["corrected"], ["damaged"], ["restored"]]
    told = history.opened(repo.place)
    (held,) = told.as_of(told.place_of(damaged) or 0).values()
    assert (held.path, held.blob, held.title) == (record.path, None, "cache it")
    assert told.fields(held.before) == record.fields


def test_of_two_files_with_one_id_the_one_named_by_it_counts(repo: Repo) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    repo.write(".lessons/a.yaml", codec.encode(record.changed({"tags": ["copy"]})))
    repo.commit()
    assert events(repo, record.id) == [["recorded"]]
    (repo.root / record.path).unlink()
    repo.commit()
    assert events(repo, record.id) == [["recorded"], ["corrected", "renamed"]]


def test_squash_rebase_and_amend_leave_what_is_on_the_branch_alone(repo: Repo) -> None:
    base = repo.record(route="base")
    repo.commit("base")
    repo.git("checkout", "-qb", "side")
    record = repo.record(route="cache it")
    repo.commit("one")
    record = change(repo, record, layer="design")
    repo.commit("two")
    assert events(repo, record.id) == [["recorded"], ["corrected"]]
    repo.git("checkout", "-q", "main")
    assert events(repo, record.id) == []
    repo.git("merge", "-q", "--squash", "side")
    squashed = repo.commit("squashed")
    assert commits(repo, record.id) == [squashed]
    assert events(repo, record.id) == [["recorded"]]
    repo.git("commit", "-q", "--amend", "-m", "amended")
    amended = repo.git("rev-parse", "HEAD")
    assert commits(repo, record.id) == [amended] != [squashed]
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert events(repo, record.id) == []
    repo.record(route="beside")
    repo.commit("beside")
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main")
    assert commits(repo, record.id) == repo.git("rev-list", "--reverse", "-2", "HEAD").split()
    assert len(commits(repo, base.id)) == 1


def test_what_a_long_branch_brought_is_recorded_with_its_merge(repo: Repo) -> None:
    repo.commit("root")
    repo.git("checkout", "-qb", "side")
    record = repo.record(route="cache it")
    for tag in "abc":
        record = change(repo, record, tags=[tag])
        repo.commit(tag)
    repo.git("checkout", "-q", "main")
    repo.commit("meanwhile")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    told = history.opened(repo.place)
    (version,) = told.versions(record.id)
    moment = told.moments()[version.seq]
    assert (moment.oid, len(moment.parents)) == (told.tip, 2)
    assert len(history.opened(repo.place, "side").versions(record.id)) == 3
    # fast-forward: the branch's own commits are the first parents
    repo.git("reset", "-q", "--hard", "HEAD~2")
    repo.git("merge", "-q", "--ff-only", "side")
    assert events(repo, record.id) == [["recorded"], ["corrected"], ["corrected"]]


def test_a_wrong_clock_never_leaks_the_future(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for when in ("2026-05-01", "2026-05-09", "2026-05-03", "2026-05-08", "2026-05-10", "1971-01-01"):
        repo.record(route=f"of {when}")
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{when}T12:00:00Z")
        made.append(repo.commit())
    # the second says it was made on the 9th: what follows it was not there before, whatever it says
    wanted = {"2026-05-01": 0, "2026-05-05": 0, "2026-05-08": 0, "2026-05-09": 3, "2026-05-10": 5}
    assert {day: history.known_at(repo.place, day) for day in wanted} == {
        day: made[n] for day, n in wanted.items()
    }
    assert history.known_at(repo.place, "1999") is None
    told = history.opened(repo.place)
    assert [told.moments()[n].recorded_at for n in (3, 6)] == ["2026-05-03T12:00:00Z", "1971-01-01T12:00:00Z"]


@pytest.mark.parametrize(
    ("date", "at"),
    [
        ("99999999999999999999 +0000", 253402300799),
        ("9" * 5000 + " +0000", 253402300799),
        ("-5 +0000", 0),
        ("soon", 0),
        ("", 0),
        ("1_0 +0000", 0),
    ],
)
def test_a_commit_may_claim_any_date_and_any_encoding(repo: Repo, date: str, at: int) -> None:
    record = repo.record(route="cache it")
    first = repo.commit()
    tree = repo.git("rev-parse", "HEAD^{tree}")
    text = (
        f"tree {tree}\nparent {first}\nauthor <<A> a@b> {date}\ncommitter C <c@d> {date}\n"
        "encoding unicode_escape\ngpgsig -----\n parent 0\n\n\\ud800 caf\xe9\0x\nparent 1\n"
    )
    file = repo.root / "made"
    file.write_bytes(text.encode("latin-1"))
    oid = repo.git("hash-object", "-t", "commit", "-w", "--literally", "made")
    file.unlink()
    repo.git("update-ref", "refs/heads/main", oid)
    told = history.opened(repo.place)
    moment = told.moments()[2]
    assert (moment.oid, moment.at, moment.signed, moment.parents) == (oid, at, True, [first])
    assert moment.subject.startswith("\\ud800 caf")
    assert moment.recorded_at is not None
    assert [v.id for v in told.versions()] == [record.id]


def test_names_kinds_and_sizes_that_no_record_has_cost_nothing_else(repo: Repo) -> None:
    record = repo.record(route="cache it")
    link = repo.record(route="a link")
    module = repo.record(route="a submodule")
    large = repo.record(route="too large")
    odd = b".lessons/\xff.yaml"
    (repo.root / Path(str(odd, "utf-8", "surrogateescape"))).write_bytes(codec.encode(record))
    repo.commit()
    (repo.root / link.path).unlink()
    (repo.root / link.path).symlink_to(Path(record.path).name)
    repo.write(large.path, codec.encode(large) + b"# " + b"x" * 300_000)
    repo.git("add", "-A")
    (repo.root / module.path).unlink()
    repo.git("update-index", "--cacheinfo", f"160000,{'a' * 40},{module.path}")
    repo.git("commit", "-qm", "odd")
    for one in (link, module, large):
        assert events(repo, one.id) == [["recorded"], ["damaged"]]
    assert events(repo, record.id) == [["recorded"]]
    repo.git("rm", "-q", "--cached", record.path)
    repo.git("commit", "-qm", "only the odd one is left")
    assert events(repo, record.id) == [["recorded"], ["deleted"]]


def test_an_unborn_branch_a_detached_head_and_other_revisions(repo: Repo) -> None:
    told = history.opened(repo.place)
    assert (told.tip, told.versions(), told.moments(), told.cut) == ("", [], {}, False)
    assert history.known_at(repo.place, "2026") is None
    record = repo.record(route="cache it")
    first = repo.commit()
    second = repo.commit("again")
    repo.git("tag", "-a", "-m", "tag", "v1", first)
    repo.git("checkout", "-q", "--detach", first)
    assert len(history.opened(repo.place).moments()) == 1
    assert history.opened(repo.place, "main").tip == second
    assert history.opened(repo.place, "v1").tip == first
    repo.git("checkout", "-q", "--orphan", "new")
    assert history.opened(repo.place).versions() == []
    assert [v.id for v in history.opened(repo.place, "main").versions()] == [record.id]


def test_each_work_tree_has_a_history_of_its_own(repo: Repo, tmp_path: Path) -> None:
    record = repo.record(route="cache it")
    repo.commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    other = linked.record(route="cache on disk")
    linked.commit()
    places = [find(str(one.root)) for one in (repo, linked)]
    found = [{v.id for v in history.opened(place).versions()} for place in places]
    assert found == [{record.id}, {record.id, other.id}]
    assert places[0].derived != places[1].derived
    assert all((Path(place.derived) / "history.db").is_file() for place in places)


def made(root: Path, *init: str) -> History:
    """The history of two commits in a repository that `git init` made so."""
    subprocess.run(["git", "init", "-q", *init, str(root)], check=True)
    repo = Repo(root)
    record = repo.record(route="cache it")
    repo.commit()
    change(repo, record, layer="design")
    repo.commit()
    assert events(repo, record.id) == [["recorded"], ["corrected"]]
    return history.opened(repo.place)


def test_objects_may_be_named_by_sha256(tmp_path: Path) -> None:
    told = made(tmp_path / "repo", "--object-format=sha256")
    assert len(told.tip) == 64


def test_refs_may_lie_in_a_reftable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use("config", monkeypatch)
    assert not made(tmp_path / "repo", "--ref-format=reftable").cut
    assert (tmp_path / "repo/.git/reftable").is_dir()
