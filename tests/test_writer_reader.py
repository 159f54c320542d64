"""One writer, one reader: what each command writes is answered, and what is withdrawn is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.records.fields import FIELDS

ROUTE = "cache the parsed manifest between test runs"
WHY = "the cached manifest did not work, it went stale after a rename"
FILE = "src/manifest.py"
TRAP = "delete the lock file first"
RULE = "When the pool drains, stop the workers first, because they hold its last slot"


def _id(result: Any) -> str:
    assert result.code == 0, result
    return str(json.loads(result.out)["id"])


def _tried(chalk: Inside) -> str:
    return _id(chalk("tried", ROUTE, "--because", WHY, "--file", FILE, "--json"))


def _one_line(chalk: Inside) -> str:
    return _id(chalk("tried", f"route: {ROUTE} | observation: {WHY}", "--file", FILE, "--json"))


def _works(chalk: Inside) -> str:
    return _id(chalk("works", ROUTE, "--mind", TRAP, "--file", FILE, "--json"))


def _promoted(chalk: Inside) -> str:
    note = _id(chalk("note", f"{ROUTE}: did not work", "--json"))
    assert _id(chalk("promote", note, "--because", WHY, "--file", FILE, "--json")) == note
    return note


def _imported(chalk: Inside) -> str:
    row = {"route": ROUTE, "observation": WHY, "files": [FILE]}
    assert chalk("import", "-", stdin=json.dumps(row)).code == 0
    return str(chalk.json("list")["records"][0]["id"])


def _imported_line(chalk: Inside) -> str:
    line = f"- route: {ROUTE} in {FILE} | observation: {WHY} | layer: design"
    assert chalk("import", "-", stdin=line).code == 0
    return str(chalk.json("list")["records"][0]["id"])


def _by_hand(chalk: Inside) -> str:
    file = chalk.root / ".lessons/by-hand.yaml"
    file.write_text(f"kind: dead-end\nroute: {ROUTE}\nobservation: {WHY}\nfiles: [{FILE}]\n")
    assert "has no id" in chalk("check", ROUTE).err
    assert chalk("fmt", ".lessons/by-hand.yaml").code == 0
    return str(chalk.json("list")["records"][0]["id"])


@pytest.mark.parametrize(
    "write",
    [_tried, _one_line, _works, _promoted, _imported, _imported_line, _by_hand],
    ids=lambda f: f.__name__,
)
def test_what_a_command_writes_is_found_in_its_words_and_by_its_file_until_it_is_retired(
    repo: Repo, chalk: Inside, write: Callable[[Inside], str]
) -> None:
    new = write(chalk)
    repo.record(route="rotate the signing keys by cron", files=["ops/keys.sh"])  # the control
    procedure = write is _works
    key = "procedures" if procedure else "rulings"
    assert chalk.ids("check", ROUTE, key=key) == [new]
    assert chalk("check", ROUTE).code == (0 if procedure else 1)
    assert chalk.ids("at", FILE) == [new]
    assert chalk.json("show", new)["records"][0]["route"].startswith(ROUTE)
    assert chalk("lint").code == 0

    assert chalk("retire", new[:4], "--because", "the cache is gone").code == 0
    for surface in (("check", ROUTE), ("at", FILE)):
        found = json.loads(chalk(*surface, "--json").out)
        assert new not in {
            row["id"] for name in ("rulings", "near", "procedures") for row in found.get(name, [])
        }
    assert chalk.json("show", new)["records"][0]["retired"]["because"] == "the cache is gone"
    assert len(chalk.ids("check", "rotate the signing keys by cron")) == 1


def test_a_lesson_is_found_by_its_file_and_id_and_never_by_a_proposal(repo: Repo, chalk: Inside) -> None:
    new = _id(chalk("lesson", RULE, "--error", "E: pool drained", "--file", FILE, "--json"))
    control = repo.record(route=RULE, observation="no")
    assert chalk.ids("check", RULE) == [control.id]
    assert chalk.ids("at", FILE) == [new]
    assert {new, control.id} == {row["id"] for row in chalk.json("list")["records"]}
    assert chalk.json("show", new)["records"][0]["failure"]["error"] == "E: pool drained"
    assert chalk("retire", new, "--because", "no pool any more").code == 0
    assert chalk.ids("at", FILE) == []
    assert chalk.ids("check", RULE) == [control.id]


def test_a_note_that_names_a_failure_counts_in_check_and_never_at_a_file(repo: Repo, chalk: Inside) -> None:
    failed = _id(chalk("note", f"{ROUTE} in {FILE} did not work", "--json"))
    other = chalk("note", "ask Ada about the streaming tokenizer", "--json")
    assert json.loads(other.out)["counts"] is False
    assert "names no failure" in other.err
    answer = chalk.json("check", ROUTE, code=1)
    assert [(row["id"], row["source"]) for row in answer["rulings"]] == [(failed, "working note")]
    assert answer["records"] == 1
    assert chalk.json("check", "ask Ada about the streaming tokenizer")["verdict"] == "clear"
    assert chalk.ids("at", FILE) == []
    assert chalk.json("list")["records"] == []
    assert len(chalk.json("list", "--notes")["records"]) == 2
    assert repo.git("status", "--porcelain", "--", ".lessons/dead-ends") == ""


# Every field: who writes it ("" by the words of the command itself) and what `show` then says of it.
# None: no command writes it yet, and why.
FAILURE = "E: pool drained"
WRITERS: dict[str, tuple[tuple[str, ...], Any] | None] = {
    "id": ((), str),
    "kind": ((), "dead-end"),
    "route": ((), ROUTE),
    "observation": ((), WHY),
    "trap": (("works", ROUTE, "--mind", TRAP), TRAP),
    "failure": (
        ("lesson", RULE, "--error", FAILURE, "--exit-code", "3"),
        {"error": FAILURE, "exit-code": "3", "fingerprint": str},
    ),
    "resolution": (("lesson", RULE, "--error", FAILURE), RULE),
    "resolved-by": (("lesson", RULE, "--error", FAILURE, "--by", "Bo"), "Bo"),
    "lesson": (("lesson", RULE, "--error", FAILURE), RULE),
    "distilled-by": None,  # resolve writes it, with a distiller: test_distil.py
    "layer": (("--layer", "design"), "design"),
    "scope": (("--scope", "local"), "local"),
    "degree": (("--degree", "partial"), "partial"),
    "action": (("--action", "retry"), "retry"),
    "alternative": (("--instead", "hash it"), "hash it"),
    "files": (("--file", "a/b.py", "--file", "*.toml"), ["a/b.py", "*.toml"]),
    "depends-on": (("--depends-on", "django=4.2"), {"django": "4.2"}),
    "evidence": (("--evidence", "https://example.org/1"), ["https://example.org/1"]),
    "by": (("--by", "Bo", "--agent", "robot"), {"name": "Bo", "agent": "robot"}),
    "at-commit": ((), str),
    "valid-from": (("--valid-from", "2020-01"), "2020-01"),
    "valid-until": (("--valid-until", "2999"), "2999"),
    "reopens-when": (("--reopens-when", "date:2999-01-01"), ["date:2999-01-01"]),
    "ref": (("--ref", "jira:X-1"), "jira:X-1"),
    "supersedes": (("--supersedes", "OTHER"), list),
    "retired": (("retire", "NEW", "--because", "moot"), {"because": "moot", "on": str}),
    "settled": (("settle", "NEW", "--by", "HEAD"), str),
    "probe": (("correct", "NEW", "--probe", "make probe"), "make probe"),
    "review": None,  # approve, reject and quarantine come with review
    "tags": (("--tag", "ci", "--tag", "cache"), ["ci", "cache"]),
    "raw": (("tried", f"route: {ROUTE} | observation: {WHY}"), f"route: {ROUTE} | observation: {WHY}"),
    "truncated": (("tried", f"route: {ROUTE} | observation: {WHY} {'and on ' * 200}"), "true"),
}
REPORT = (
    '<testsuite name="t"><testcase classname="t.a" name="x"><failure message="E: no&#10;more"/></testcase>'
    "</testsuite>"
)


def test_the_table_of_writers_names_every_field() -> None:
    assert list(WRITERS) == [field.name for field in FIELDS]


@pytest.mark.parametrize("name", [name for name, writer in WRITERS.items() if writer])
def test_every_field_has_a_command_that_writes_it_and_an_answer_that_reads_it(
    repo: Repo, chalk: Inside, name: str
) -> None:
    repo.commit()
    other = repo.record()
    arguments, expected = WRITERS[name] or ((), None)
    if arguments and arguments[0] in ("works", "lesson", "tried"):
        new = _id(chalk(*arguments, "--json"))
    else:
        options = () if not arguments or not arguments[0].startswith("-") else arguments
        options = tuple(other.id if word == "OTHER" else word for word in options)
        new = _id(chalk("tried", ROUTE, "--because", WHY, *options, "--json"))
        if arguments and not options:
            _id(chalk(*(new if word == "NEW" else word for word in arguments), "--json"))
    row = chalk.json("show", new)["records"][0]
    listed = next(r for r in chalk.json("list")["records"] if r["id"] == new)
    assert row[name] == listed[name]
    _assert_like(row[name], expected)
    text = chalk("show", new).out
    assert f"{name}:" in text or name in ("id", "kind")


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (("lesson", RULE), set()),
        (("detain", "--reason", "it stopped", "--ticket", "T-1"), {"reason", "ticket"}),
    ],
    ids=["lesson", "detain"],
)
def test_a_failure_is_told_by_report_and_output(
    repo: Repo, chalk: Inside, command: tuple[str, ...], more: set[str]
) -> None:
    repo.write("r.xml", REPORT)
    repo.write("log.txt", "one\n\x1b[31mtwo\x1b[0m\n")
    arguments = ("--report", "r.xml", "--output", "log.txt", "--exit-code", "2")
    new = _id(chalk(*command, *arguments, "--json"))
    failure = chalk.json("show", new)["records"][0]["failure"]
    parts = next(field for field in FIELDS if field.name == "failure").parts
    assert set(failure) == set(parts) - {"reason", "ticket"} | more
    assert failure["tests"] == ["t.a::x"]
    assert failure["error"] == "E: no"
    assert failure["output"].startswith("one\n")
    assert "\x1b" not in failure["output"]


def _assert_like(value: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert isinstance(value, expected)
        assert value
    elif isinstance(expected, dict):
        assert set(value) == set(expected)
        for key, part in expected.items():
            _assert_like(value[key], part)
    else:
        assert value == expected


# Each state that keeps a record from being recalled: what it says of itself, and its name.
STATES: dict[str, dict[str, Any]] = {
    "retired": {"retired": {"because": "moot", "on": "2026-01-01"}},
    "settled": {"settled": "0123456789abcdef0123456789abcdef01234567"},
    "superseded": {},
    "rejected": {"review": {"state": "rejected"}},
    "quarantined": {"review": {"state": "quarantined"}},
    "expired": {"valid_until": "2020"},
    "not valid yet": {"valid_from": "2999"},
    "open": {},
}


@pytest.mark.parametrize("state", STATES)
def test_what_is_excluded_is_on_no_surface_beside_a_record_that_is_on_all(
    repo: Repo, chalk: Inside, state: str
) -> None:
    said = {"route": ROUTE, "observation": WHY, "files": [FILE]}
    if state == "open":
        hidden = repo.record("lesson", failure={"error": ROUTE}, files=[FILE])
    else:
        hidden = repo.record(**said, **STATES[state])
    shown = repo.record(**said, **({"supersedes": [hidden.id]} if state == "superseded" else {}))
    repo.commit()
    plan = f"- {ROUTE}\n"
    step = json.loads(chalk("check", "-", "--json", stdin=plan).out)["steps"][0]
    batch = json.loads(chalk("check", "--batch", "-", stdin=plan).out)
    for answer in (chalk.json("check", ROUTE, code=1), step, batch):
        assert [row["id"] for row in answer["rulings"]] == [shown.id]
        assert hidden.id not in json.dumps(answer["near"] + answer["procedures"] + answer.get("hits", []))
    assert chalk.ids("at", FILE) == [shown.id]
    assert [json.loads(row)["id"] for row in chalk("export").out.splitlines()] == [shown.id]
    assert hidden.id not in chalk("export", "--oneline").out

    assert hidden.id in chalk("export", "--all").out
    assert chalk.json("show", hidden.id)["records"][0]["status"] == state
    listed = {row["id"]: row["status"] for row in chalk.json("list")["records"]}
    assert listed == {hidden.id: state, shown.id: "active"}
    assert chalk.ids("list", "--status", state, key="records") == [hidden.id]
    assert f"({state}" in chalk("list").out
    assert f"{hidden.id}: {state}" in chalk("show", hidden.id).out


def test_an_open_record_of_another_repository_is_excluded_there_too(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo]
) -> None:
    other = another("other")
    for state, fields in STATES.items():
        if state not in ("open", "superseded"):
            other.record(route=ROUTE, observation=WHY, **fields)
    assert chalk.json("check", ROUTE)["verdict"] == "clear"
    shown = other.record(route=ROUTE, observation=WHY)
    assert chalk.ids("check", ROUTE) == [shown.id]
