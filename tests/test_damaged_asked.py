"""A record whose file cannot be read is not said to be unknown: whoever asks by its id is told which file."""

from __future__ import annotations

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

COMMANDS = (
    ("show",),
    ("correct", "--observation", "x"),
    ("retire", "--because", "x"),
    ("settle", "--by", "HEAD"),
    ("approve",),
    ("reject", "--because", "x"),
    ("quarantine", "--because", "x"),
    ("resolve", "--note", "stop the workers first"),
    ("probe",),
    ("supersede", "--by", "GOOD"),
    ("forget",),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_each_command_that_takes_an_id_names_the_file_in_conflict(
    repo: Repo, chalk: Inside, words: tuple[str, ...]
) -> None:
    good = repo.record(route="another", observation="b")
    record = repo.record(route="a route", observation="b")
    repo.commit()
    text = (repo.root / record.path).read_text()
    both = text.replace(
        "observation: b\n", "<<<<<<< HEAD\nobservation: b\n=======\nobservation: c\n>>>>>>> t\n"
    )
    assert both != text
    repo.write(record.path, both)
    command, *options = [good.id if word == "GOOD" else word for word in words]
    done = chalk(command, record.id[:6], *options)
    assert done.code == 2
    said = [row for row in done.err.splitlines() if "skipped" not in row]
    assert said[0].startswith(f"chalkgit: {record.path}:")
    assert f"the record {record.id[:6]} cannot be read: unresolved merge conflict" in said[0]
    assert f"chalkgit lint {record.path}" in said[1]
    unknown = chalk(command, "zzzz", *options)
    assert unknown.code == 2
    assert "no record has the id “zzzz”" in unknown.err


def test_a_file_that_is_called_by_an_id_and_says_another_is_the_others(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/dead-ends/a.abcd1234.yaml", "id: wxyz1234\nkind: [\n")
    repo.write(".lessons/dead-ends/b.bcde1234.yaml", "kind: [\n")
    assert "no record has the id" in chalk("correct", "abcd1234", "--layer", "design").err
    assert "a.abcd1234.yaml" in chalk("correct", "wxyz1234", "--layer", "design").err.splitlines()[-2]
    assert "b.bcde1234.yaml" in chalk("correct", "bcde1234", "--layer", "design").err.splitlines()[-2]
