"""The report card: what it says of a journal, that it is whole or says why not, and what it may not say."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import journal_story
import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit.answers import report, report_records, report_rows
from chalkgit.store import experiment_file, experiment_manifest, journal_file, ledger

NOW = time.time_ns() // 1_000_000
HOUR, DAY = 3600 * 1000, 24 * 3600 * 1000
SECTIONS = list(report.SECTIONS)


@pytest.fixture(name="echoed", autouse=True)
def echoed_fixture(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the echo answers; empty, unless a test fills it."""
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(report_records, "echoed", lambda place, found: rows)
    return rows


def keep(repo: Repo, **tables: Sequence[Mapping[str, Any]]) -> None:
    """Rows of the journal; what is not said of their time is an hour ago."""
    rows = {name: [{"at": NOW - HOUR, **row} for row in found] for name, found in tables.items()}
    assert ledger.add(repo.place, rows) is None


def run(name: str, loop: str, minutes: int, **more: Any) -> dict[str, Any]:
    """A failed run of one test, after some minutes, with a work tree of its own."""
    given = more.get("given")
    said = {
        "tests": json.dumps(["tests/test_a.py::test_one"]),
        "fingerprint": "f1",
        "failing": 1,
        "tree": name,
    }
    return {
        "at": NOW - DAY + minutes * 60_000,
        "surface": "recall",
        "run": name,
        "loop": loop,
        **said,
        "found": given,
        **more,
    }


PASSED = {"tests": "[]", "fingerprint": None, "failing": 0}


# --- always whole ---------------------------------------------------------------------------------


def test_without_a_journal_every_section_says_that_there_is_no_data_and_what_would_make_some(
    repo: Repo, chalk: Inside
) -> None:
    empty = chalk.json("report")
    assert empty["whole"] is True
    assert empty["journal"]["there"] is False
    for name in SECTIONS:
        assert (empty[name]["data"], empty[name]["trouble"]) == (False, None), name
        assert empty[name]["missing"], name
    said = chalk("report")
    assert said.code == 0
    assert said.out.count("There is no data yet. What would make some: ") == len(SECTIONS)
    journal_story.told(repo, days=40)
    full = chalk.json("report")
    assert [name for name in SECTIONS if full[name]["missing"]] == ["echo"]
    assert chalk("report").out.count("There is no data yet") == 1


def test_a_journal_that_cannot_be_read_costs_what_it_would_have_told_and_is_named(
    repo: Repo, chalk: Inside
) -> None:
    repo.record("lesson", failure={"error": "E: pool drained"}, resolution="stop the workers")
    keep(repo, asked=[{"kind": "check", "surface": "check", "verdict": "tried", "ms": 9}])
    whole = chalk.json("report")
    assert (whole["whole"], whole["activity"]["verdicts"]["tried"]) == (True, 1)
    (repo.root / ".git" / journal_file.FOLDER / journal_file.FILE).write_bytes(b"no database" * 500)
    found = chalk.json("report")
    assert found["whole"] is False
    assert "cannot be read" in found["journal"]["trouble"]
    assert "cannot be read" in found["activity"]["trouble"]
    assert set(found["activity"]) == {"data", "missing", "trouble"}
    assert found["lessons"]["resolved"] == 1  # the store can be read all the same
    said = chalk("report")
    assert said.code == 0
    assert said.out.splitlines()[2].startswith("This report is not whole: the journal cannot be read")


def test_a_journal_that_is_off_is_told(repo: Repo, chalk: Inside) -> None:
    keep(repo, asked=[{"kind": "check", "surface": "check", "verdict": "clear"}])
    assert "switched off" not in chalk("report").out
    (repo.root / ".git" / journal_file.FOLDER / ledger.OFF).touch()
    assert "The journal is switched off: nothing new is kept." in chalk("report").out
    assert chalk.json("report")["activity"]["questions"]["check"] == 1


def test_what_is_switched_off_now_is_told(chalk: Inside) -> None:
    assert chalk.json("report")["switched_off"] == []
    said = chalk("report", env={"CHALKGIT_BYPASS_RECALL": "1"})
    assert "Switched off by a variable now: recall." in said.out


def test_a_check_is_in_the_report(repo: Repo, chalk: Inside) -> None:
    repo.record(route="cache the parsed manifest", observation="stale")
    assert chalk("check", "cache the parsed manifest").code == 1
    found = chalk.json("report")
    assert found["activity"]["verdicts"]["tried"] == 1
    assert found["waits"]["surfaces"][0]["surface"] == "check"


def test_two_beginnings_or_two_outputs_are_refused(chalk: Inside) -> None:
    assert chalk("report", "--since", "2026-01", "--days", "3").code == 2
    assert chalk("report", "--json", "--html", "x.html").code == 2
    assert chalk("report", "--since", "yesterday").code == 2
    assert chalk("report", "--since", "2026-01").code == 0


# --- what was asked and shown ---------------------------------------------------------------------


def test_a_question_that_its_switch_answered_is_in_no_verdict(repo: Repo, chalk: Inside) -> None:
    check = {"kind": "check", "surface": "check", "verdict": "unknown", "ms": 5}
    keep(
        repo,
        asked=[
            {**check, "bypassed": "check,semantic"},
            {**check, "verdict": "tried", "bypassed": "semantic"},
            {**check, "verdict": "clear"},
        ],
    )
    found = chalk.json("report")["activity"]
    assert found["switched_off"] == {"check": 1}
    assert found["verdicts"] == {"tried": 1, "near": 0, "clear": 1, "empty": 0, "unknown": 0}
    assert found["questions"]["check"] == 3


def test_a_record_that_is_shown_for_two_files_at_once_is_shown_once(repo: Repo, chalk: Inside) -> None:
    shown = {"surface": "commit", "session": "s", "bytes": 10, "asked": "q"}
    rows = [{**shown, "id": "a", "path": path} for path in ("one.py", "two.py")]
    mark = {**shown, "id": "", "path": "@mark"}
    keep(repo, shown=[*rows, {**shown, "id": "b", "path": "one.py"}, mark])
    found = chalk.json("report")["activity"]
    assert (found["shown"], found["records"], found["bytes"]) == (2, 2, 20)
    assert found["by_group"]["git"] == 2


def test_rows_with_an_impossible_time_are_left_out_and_counted(repo: Repo, chalk: Inside) -> None:
    check = {"kind": "check", "surface": "check", "verdict": "clear"}
    keep(repo, asked=[check, {**check, "at": NOW + 400 * DAY}, {**check, "at": None}, {**check, "at": 0}])
    found = chalk.json("report")
    assert found["activity"]["questions"]["check"] == 1
    assert found["journal"]["left_out"] == 3
    assert "3 rows of the journal with an impossible time left out." in chalk("report").out


def test_a_beginning_leaves_out_what_is_older(repo: Repo, chalk: Inside) -> None:
    check = {"kind": "check", "surface": "check", "verdict": "clear"}
    keep(repo, asked=[{**check, "at": NOW - days * DAY} for days in (1, 5, 40)])
    assert chalk.json("report")["activity"]["questions"]["check"] == 3
    assert chalk.json("report", "--days", "7")["activity"]["questions"]["check"] == 2
    late = chalk.json("report", "--days", "100")
    assert late["activity"]["questions"]["check"] == 3
    assert "later than what was asked for" in chalk("report", "--days", "100").out


@pytest.mark.parametrize(
    ("days", "unit"), [(3, "day"), (52, "day"), (60, "week"), (360, "week"), (500, "month"), (9000, "year")]
)
def test_time_is_told_in_the_smallest_unit_that_is_not_too_many(days: int, unit: str) -> None:
    found = report_rows.buckets(NOW - days * DAY, NOW)
    assert found.unit == unit
    assert 1 < len(found.starts) <= 53
    assert found.starts == sorted(set(found.starts))
    assert found.start(NOW) == found.starts[-1]
    assert found.start(NOW - days * DAY) == found.starts[0]


def test_waits_are_told_by_nearest_rank(repo: Repo, chalk: Inside) -> None:
    keep(repo, asked=[{"kind": "at", "surface": "at", "ms": ms} for ms in range(1, 101)])
    found = chalk.json("report")["waits"]
    assert found["surfaces"] == [{"surface": "at", "answers": 100, "median": 50, "p90": 90, "p99": 99}]


# --- after a failed run ---------------------------------------------------------------------------


def test_retries_are_told_by_what_the_next_run_shows(repo: Repo, chalk: Inside) -> None:
    same = {"tree": "t"}
    keep(
        repo,
        runs=[
            run("a1", "a1", 0, given=1),
            run("a2", "a1", 5, given=0, **PASSED),
            run("b1", "b1", 0, given=0, **same),
            run("b2", "b1", 5, given=0, **same, **PASSED),  # it passed, and nothing was changed
            run("c1", "c1", 0, given=0),
            run("c2", "c1", 5, given=0),  # the same failure
            run("d1", "d1", 0, given=1),  # nobody knows what came of it
            run("e1", "e1", 0),  # nobody told what it was given
        ],
    )
    found = chalk.json("report")["retries"]
    names = ("runs", "followed", "gone", "fixed", "loops", "passed", "runs_until_passed")
    assert {name: found["with"][name] for name in names} == dict(
        zip(names, (2, 1, 1, 1, 2, 1, 1), strict=True)
    )
    without = dict(zip(names, (3, 2, 1, 0, 2, 1, 1), strict=True))
    assert {name: found["without"][name] for name in names} == without
    assert (found["untold"], found["with"]["fixed_share"]) == (1, 1.0)
    assert "Lessons appear only where something similar failed before" in chalk("report").out


def test_an_exit_code_alone_is_no_outcome(repo: Repo, chalk: Inside) -> None:
    bare = {"tests": "[]", "fingerprint": None, "error": None, "failing": None, "code": 1}
    keep(repo, runs=[run("a1", "a1", 0, given=0), run("a2", "a1", 5, **bare)])
    assert chalk.json("report")["retries"]["without"]["followed"] == 0
    keep(repo, runs=[run("a3", "a1", 9, given=0, **PASSED)])
    found = chalk.json("report")["retries"]["without"]
    assert (found["followed"], found["fixed"]) == (1, 1)


def test_loops_whose_lessons_an_experiment_withheld_are_left_to_it(repo: Repo, chalk: Inside) -> None:
    keep(repo, runs=[run("a1", "a1", 0, given=0), run("a2", "a1", 5, **PASSED)])
    assert chalk.json("report")["retries"]["without"]["followed"] == 1
    keep(repo, trials=[{"loop": "a1", "arm": "without", "experiment": "x"}])
    found = chalk.json("report")["retries"]
    assert (found["without"]["followed"], found["withheld"]) == (0, 1)
    assert "1 loop whose lessons an experiment withheld" in chalk("report").out


def test_a_test_that_fails_in_two_loops_fails_again_and_again(repo: Repo, chalk: Inside) -> None:
    one, two = "tests/test_a.py::test_one", "tests/test_a.py::test_two"
    keep(
        repo,
        runs=[
            run("a1", "a1", 0, tests=json.dumps([one, two])),
            run("a2", "a1", 5, tests=json.dumps([one, two])),
            run("b1", "b1", 90, tests=json.dumps([one])),
        ],
    )
    found = chalk.json("report")["failing"]
    assert (found["failed"], found["again"]) == (2, 1)
    assert [(t["test"], t["loops"], t["runs"]) for t in found["tests"]] == [(one, 2, 3)]


# --- what an experiment may claim -----------------------------------------------------------------


def trials(repo: Repo, loops: int, *, aa: bool) -> None:
    manifest = experiment_file.start(repo.place, holdout=0.5, size=100, aa=aa)
    arms = [(f"l{n}", experiment_manifest.arm(manifest, f"l{n}")) for n in range(loops)]
    given = {"with": 1, "without": 0}
    met = {"with": 0, "without": 0, "a": 0, "b": 0}
    rows = []
    for loop, arm in arms:
        met[arm] += 1
        one = {"experiment": manifest.id, "digest": manifest.digest, "loop": loop, "run": loop, "arm": arm}
        shown = given.get(arm, 1)
        gone = int(met[arm] % 10 < {"with": 8, "without": 3}.get(arm, 5))
        rows.append(
            {**one, "given": shown, "bytes": 9 * shown, "found": 1, "again": NOW, "gone": gone, "changed": 1}
        )
    keep(repo, trials=rows)
    experiment_file.stop(repo.place)


def test_no_share_of_fixed_loops_is_told_before_every_rule_is_kept(repo: Repo, chalk: Inside) -> None:
    trials(repo, 260, aa=False)  # no A/A run came first
    found = chalk.json("report")["experiment"]
    assert found["line"].startswith("no claim: ")
    assert found["claims"] is False
    told = found["experiment"]
    assert (told["difference"], told["judged"]) == (None, None)
    assert [(arm["fixed"], arm["low"], arm["high"]) for arm in told["arms"]] == [(None,) * 3] * 2
    assert [rule["name"] for rule in told["rules"] if not rule["kept"]] == ["a/a"]
    section = chalk("report").out.split("What the experiment may claim\n")[1].split("\nWas it ever used?")[0]
    assert not re.search(r"^ *fixed +[0-9]", section, re.M)
    trials(repo, 400, aa=True)
    trials(repo, 260, aa=False)
    claimed = chalk.json("report")["experiment"]
    assert claimed["claims"] is True
    assert claimed["experiment"]["difference"]["low"] > 0
    assert all(arm["fixed"] for arm in claimed["experiment"]["judged"])
    section = chalk("report").out.split("What the experiment may claim\n")[1].split("\nWas it ever used?")[0]
    assert re.search(r"^ *fixed +[0-9]", section, re.M)


# --- records and people ---------------------------------------------------------------------------


def test_a_record_earns_its_keep_or_not(repo: Repo, chalk: Inside, echoed: list[dict[str, Any]]) -> None:
    cited, alarm, unused, new = (repo.record(route=f"way {n}", observation="no way").id for n in range(4))
    shown = [
        (name, n) for name, times in ((cited, 5), (alarm, 5), (unused, 5), (new, 4)) for n in range(times)
    ]
    keep(
        repo,
        shown=[{"id": i, "surface": "check", "asked": f"q{n}", "path": "a"} for i, n in shown],
        feedback=[
            {"id": alarm, "word": "useful", "who": "Ada", "surface": "check"},
            {"id": alarm, "word": "wrong", "who": "Ada", "surface": "check"},  # her last word
        ],
    )
    uses = {"shown": 5, "cited": 0, "adopted": 0, "proposed_again": 1, "last_shown": None, "surface": "check"}
    echoed += [{"id": cited, **uses, "cited": 2}, {"id": unused, **uses}]
    found = chalk.json("report")
    verdicts = {one["id"]: one["verdict"] for one in found["records"]["records"]}
    assert verdicts == {
        cited: "earns its keep",
        alarm: "false alarm",
        unused: "never used",
        new: "too early to say",
    }
    assert (found["alarms"]["wrong"], found["alarms"]["useful"]) == (1, 0)
    assert found["alarms"]["marked"][0]["title"] == "way 1"
    assert (found["echo"]["records"], found["echo"]["used"]) == (2, 1)
    assert found["echo"]["surfaces"] == [
        {"surface": "check", "shown": 10, "cited": 2, "adopted": 0, "proposed_again": 2}
    ]


def test_what_the_echo_cannot_tell_is_held_against_no_record(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalkgit.errors import ChalkError

    def silent(place: object, rows: object) -> Iterator[Any]:
        raise ChalkError("git does not answer")

    name = repo.record(route="a way", observation="no way").id
    keep(repo, shown=[{"id": name, "surface": "check", "asked": f"q{n}", "path": "a"} for n in range(9)])
    assert chalk.json("report")["records"]["records"][0]["verdict"] == "never used"
    monkeypatch.setattr(report_records, "echoed", silent)
    found = chalk.json("report")
    assert found["records"]["records"][0]["verdict"] == "too early to say"
    assert found["records"]["records"][0]["cited"] is None
    assert (found["whole"], found["echo"]["trouble"]) == (False, "git does not answer")


def test_open_lessons_are_told_with_how_long_they_are_open(repo: Repo, chalk: Inside) -> None:
    repo.record(
        "lesson", failure={"error": "E: one", "ticket": "T-1"}, valid_from=journal_story.day(NOW - 40 * DAY)
    )
    repo.record("lesson", failure={"error": "E: two"}, valid_from=journal_story.day(NOW - 2 * DAY))
    repo.record("lesson", failure={"error": "E: three"}, resolution="stop the workers first")
    repo.record("lesson", failure={"error": "E: four"}, retired={"because": "no more", "on": "2026-01-01"})
    found = chalk.json("report")["lessons"]
    assert (found["open"], found["resolved"], found["oldest_days"]) == (2, 1, 40)
    assert [(one["ticket"], one["days"]) for one in found["lessons"]] == [("T-1", 40), (None, 2)]
    assert [(age["from"], age["to"], age["lessons"]) for age in found["ages"]] == [
        (0, 7, 1),
        (7, 30, 0),
        (30, 90, 1),
        (90, None, 0),
    ]


def test_what_records_and_tests_say_is_harmless_in_the_terminal(repo: Repo, chalk: Inside) -> None:
    evil = "\x1b[31mred\x07 \u202e line"
    name = repo.record(route="quiet way", observation="no way").id
    keep(
        repo,
        shown=[{"id": name, "surface": evil, "asked": "q", "path": "a"}],
        asked=[{"kind": "check", "surface": evil, "verdict": evil, "ms": 3}],
        feedback=[{"id": evil, "word": "wrong", "who": evil, "surface": evil}],
        runs=[run("a", "a", 0, tests=json.dumps([evil])), run("b", "b", 9, tests=json.dumps([evil]))],
        decided=[{"request": "r", "model": evil, "url": evil, "trouble": evil}],
    )
    said = chalk("report").out
    assert "red" in said
    assert not [c for c in said if c != "\n" and not c.isprintable()]


# --- documented -----------------------------------------------------------------------------------


def _documented(title: str) -> set[str]:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    found = re.search(rf"^#+ JSON of {re.escape(title)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    assert found, title
    rows = [line.split("|")[1] for line in found[1].splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_the_json_is_as_documented(repo: Repo, chalk: Inside, echoed: list[dict[str, Any]]) -> None:
    story = journal_story.told(repo, days=40)
    echoed += [
        dict.fromkeys(("shown", "cited", "adopted", "proposed_again"), 1) | {"id": "a", "surface": "at"}
    ]
    assert story.rows["asked"]
    found = chalk.json("report")
    assert set(found) == _documented("`report`")
    assert set(found["journal"]) == _documented("the journal in it")
    always = _documented("every section")
    for name in SECTIONS:
        assert set(found[name]) == _documented(f"`{name}`") | always, name
    assert set(found["retries"]["with"]) == _documented("`with` and `without`")
    for key in ("experiment", "aa"):
        assert set(found["experiment"][key]) == _documented("an experiment in it")
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    for rows in (
        found["experiment"]["experiment"]["arms"],
        found["echo"]["surfaces"],
        found["records"]["records"],
        found["alarms"]["marked"],
        found["waits"]["surfaces"],
        found["lessons"]["lessons"],
        found["failing"]["tests"],
        found["experiment"]["experiment"]["rules"],
    ):
        assert [key for key in rows[0] if f"`{key}`" not in text] == []
