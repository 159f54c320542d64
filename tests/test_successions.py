"""Chains of supersession are shown whole; circles and forks are lint findings with what mends them."""

from __future__ import annotations

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers import successions
from chalkgit.records.record import Record


def made(**supersedes: list[str]) -> dict[str, Record]:
    """Records by one-letter ids, with what each supersedes."""
    return {i: Record({"id": i, "kind": "dead-end", "supersedes": old}) for i, old in supersedes.items()}


def test_a_chain_is_the_whole_family_the_oldest_first_from_wherever_it_is_asked() -> None:
    records = made(c=["b"], b=["a"], a=[], z=[])
    for asked in "abc":
        assert successions.chain(records, asked) == ["a", "b", "c"]
    assert successions.chain(records, "z") == ["z"]


def test_a_chain_names_ids_that_no_record_has_and_ends_in_a_circle() -> None:
    assert successions.chain(made(b=["gone"]), "b") == ["gone", "b"]
    assert successions.chain(made(a=["b"], b=["a"]), "b") == ["a", "b"]
    assert successions.chain(made(c=["a", "b"], a=[], b=[]), "a") == ["a", "b", "c"]


def test_circles_of_any_length_are_found_once_and_a_chain_into_one_is_none() -> None:
    assert successions.circles(made(a=["a"])) == [["a"]]
    assert successions.circles(made(a=["b"], b=["c"], c=["a"], d=["a"])) == [["a", "b", "c"]]
    assert successions.circles(made(a=["b"], b=["c"], c=[])) == []


def test_a_fork_has_two_successors_that_stand_and_one_that_is_replaced_itself_is_none() -> None:
    assert successions.forks(made(a=[], b=["a"], c=["a"])) == [("a", ["b", "c"])]
    assert successions.forks(made(a=[], b=["a"], c=["a", "b"])) == []
    withdrawn = made(a=[], b=["a"], c=["a"])
    withdrawn["c"] = withdrawn["c"].changed({"retired": {"because": "no", "on": "2026-01-01"}})
    assert successions.forks(withdrawn) == []


def test_a_chain_of_thousands_takes_no_recursion() -> None:
    records = {
        f"n{n:05}": Record({"id": f"n{n:05}", "kind": "lesson", "supersedes": [f"n{n - 1:05}"] if n else []})
        for n in range(2_000)
    }
    assert successions.circles(records) == []
    records["n00000"] = records["n00000"].changed({"supersedes": ["n01999"]})
    assert [len(way) for way in successions.circles(records)] == [2_000]


def test_lint_names_a_circle_with_its_line_and_the_command_that_opens_it(repo: Repo, chalk: Inside) -> None:
    one, other = repo.record(route="a"), repo.record(route="b")
    chalk("supersede", one.id, "--by", other.id)
    assert chalk("lint").code == 0
    repo.record(path=one.path, id=one.id, route="a", supersedes=[other.id])
    found = chalk("lint")
    first = min(one, other, key=lambda record: record.id)
    assert found.code == 1
    assert f"{first.path}:6: is in a circle of supersession" in found.out
    hint = next(part for part in found.out.split("hint: ")[1:]).split(")")[0]
    assert hint == f'chalkgit correct {first.id} --supersedes ""'
    assert chalk("correct", first.id, "--supersedes", "").code == 0
    assert chalk("lint").code == 0


def test_lint_names_a_record_that_supersedes_itself(repo: Repo, chalk: Inside) -> None:
    repo.record(id="a2345678", route="a", supersedes=["a2345678"])
    assert "supersedes itself, so that it is never recalled" in chalk("lint").out


def test_lint_names_both_successors_of_a_fork_and_neither_of_a_chain(repo: Repo, chalk: Inside) -> None:
    old = repo.record(route="a")
    one = repo.record(route="b", supersedes=[old.id])
    assert chalk("lint").code == 0
    other = repo.record(route="c", supersedes=[old.id])
    found = chalk("lint").out
    assert f"{one.path}:6: supersedes {old.id}, and so does {other.id}" in found
    assert f"{other.path}:6: supersedes {old.id}, and so does {one.id}" in found
    first, second = sorted((one.id, other.id))
    assert f"chalkgit supersede {first} --by {second}" in found
    assert chalk("supersede", first, "--by", second).code == 0
    assert chalk("lint").code == 0
    assert chalk("lint", "--staged").code == 0


def test_a_dangling_id_comes_with_the_command_that_takes_it_out(repo: Repo, chalk: Inside) -> None:
    old = repo.record(route="a")
    record = repo.record(route="b", supersedes=[old.id, "zzzzzzzz"])
    assert f"chalkgit correct {record.id} --supersedes {old.id}" in chalk("lint").out
    assert chalk("correct", record.id, "--supersedes", old.id).code == 0
    assert chalk("lint").code == 0
