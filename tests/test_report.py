"""The report card: what it says of a journal, that it is whole or says why not, and what it may not say."""

from __future__ import annotations

import re
from typing import Any

import journal_story
import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import DAY, NOW, echoed_fixture, keep  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit.answers import report, report_rows
from chalkgit.store import experiment_file, experiment_manifest, journal_file, ledger

SECTIONS = list(report.SECTIONS)


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
    assert said.out.count("There is no data yet. What would make some: ") == 1
    assert said.out.count("No data yet.\n") == len(SECTIONS)
    assert "To make some" not in said.out
    journal_story.told(repo, days=40)
    full = chalk.json("report")
    assert [name for name in SECTIONS if full[name]["missing"]] == ["echo"]
    said = chalk("report")
    assert "There is no data yet" not in said.out
    assert said.out.count("No data yet. To make some: ") == 1


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
    future = chalk("report", "--since", "2999-01")
    assert (future.code, future.out) == (2, "")
    assert "--since 2999-01: that is in the future" in future.err
    assert "hint: chalkgit report --days 30" in future.err


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


def test_what_a_beginning_does_not_cut_says_so(repo: Repo, chalk: Inside) -> None:
    repo.record("lesson", failure={"error": "E: pool drained"})
    trials(repo, 20, aa=True)
    assert "leave none out" not in chalk("report").out
    assert chalk("report", "--days", "3").out.count("--since and --days leave none out") == 2


def test_the_terminal_prints_rules_and_figures_whole_and_names_the_rules(repo: Repo, chalk: Inside) -> None:
    trials(repo, 260, aa=True)
    trials(repo, 260, aa=False)
    said = chalk("report").out
    assert "…" not in said
    section = said.split("Rules of the experiment\n")[1].split("\n\n")[0]
    assert max(map(len, section.splitlines())) <= 100
    told = chalk.json("report")["experiment"]["experiment"]["rules"]
    for rule in told:
        assert re.search(rf"^  {rule['name']}  ", section, re.M)
        for word in f"{rule['rule']} {rule['figures']}".split():
            assert word in section
    assert len(told) == 7


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
        dict.fromkeys(("shown", "cited", "adopted", "proposed_again", "before_fix", "drawn"), 1)
        | {"id": "a", "surface": "at"}
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
