"""What a person reads, to the letter. After a change of words: `GOLDEN=write pytest tests/test_golden.py`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit import times

GOLDEN = Path(__file__).with_name("golden")
ROUTE = "cache the parsed manifest between test runs"


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "system_clock", lambda: datetime(2026, 6, 1, 12, tzinfo=UTC))


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    """A repository that has learned a few things, one of which has moved since."""
    repo.write("src/manifest.py", "version = 1\n")
    repo.write("uv.lock", 'version = 1\n[[package]]\nname = "django"\nversion = "5.1"\n')
    start = repo.commit("start")
    repo.record(
        id="deadd001",
        route=ROUTE,
        observation="The cache went stale after a rename: two of three runs tested the old manifest.",
        layer="implementation",
        scope="version-bound",
        degree="contradicted",
        action="change-method",
        alternative="hash the manifest's bytes and key the cache by that",
        files=["src/manifest.py"],
        depends_on={"django": "4.2"},
        evidence=["https://example.org/ci/118"],
        by={"name": "Ada", "agent": "review-bot"},
        at_commit=start,
        valid_from="2026-03-14",
        reopens_when=["library:django>=5.0"],
    )
    repo.record(
        id="deadd002",
        route="share one database between the test workers",
        observation="Workers truncate each other's tables.",
        by="Bo",
        valid_from="2026-02-01",
    )
    repo.record(
        "procedure",
        id="pracd001",
        route="regenerate the lockfile with make lock",
        trap="Delete the old virtual environment first, or the resolver reuses its pins.",
        files=["uv.lock"],
        by="Ada",
        valid_from="2026-04-02",
    )
    repo.record(
        "lesson",
        id="wessn001",
        failure={"error": "E: pool drained"},
        resolution="Stop the workers before the pool is closed",
        lesson="When the pool drains, stop the workers first, because they hold its last slot",
        resolved_by="Bo",
        files=["src/"],
        valid_from="2026-05-05",
    )
    repo.record(
        id="deadd003",
        route="keep the manifest in a pickle",
        observation="Pickles of 3.11 do not load in 3.14.",
        retired={"because": "no pickles any more", "on": "2026-05-01"},
        valid_from="2026-01-01",
    )
    repo.commit("records")
    repo.write("src/manifest.py", "version = 2\n")
    repo.commit("work")
    return repo


def _assert_golden(name: str, text: str, root: Path) -> None:
    text = text.replace(str(root.parent), "/home/ada")
    text = re.sub(r"\b[0-9a-f]{12,40}\b", "0123456789ab", text)  # of commits, which hold our schema too
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("check-tried", ("check", ROUTE)),
        ("check-near", ("check", "share one schema between the web workers")),
        ("check-clear", ("check", "add dark mode to the settings page")),
        ("check-procedure", ("check", "regenerate the lockfile with make lock")),
        ("at", ("at", "src/manifest.py")),
        ("at-none", ("at", "docs/index.md")),
        ("show", ("show", "deadd001")),
        ("show-lesson", ("show", "wessn001")),
        ("list", ("list",)),
    ],
)
def test_the_words_are_these(told: Repo, chalk: Inside, name: str, args: tuple[str, ...]) -> None:
    result = chalk(*args)
    assert result.err == ""
    _assert_golden(name, result.out, told.root)


def test_the_words_of_a_store_without_records_are_these(repo: Repo, chalk: Inside) -> None:
    _assert_golden("check-empty", chalk("check", ROUTE).out, repo.root)
    _assert_golden("list-empty", chalk("list").out, repo.root)


def test_the_words_about_another_repository_are_these(
    repo: Repo, chalk: Inside, another: Callable[[str], Repo]
) -> None:
    other = another("other")
    other.record(
        id="deadd009",
        route=ROUTE,
        observation="The plugin API of the old runner drops it.",
        layer="dependency",
        depends_on={"pytest": "7.0"},
        by="Cy",
        valid_from="2026-01-09",
    )
    _assert_golden("check-elsewhere", chalk("check", ROUTE).out, repo.root)


def test_the_words_about_a_working_note_are_these(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalkgit import ids

    monkeypatch.setattr(ids, "mint", lambda taken: "nanan001")
    assert chalk("note", f"{ROUTE}: did not work, the watcher missed renames").code == 0
    _assert_golden("check-note", chalk("check", ROUTE).out, repo.root)


def test_the_words_about_a_plan_are_these(told: Repo, chalk: Inside) -> None:
    plan = f"# Plan\n1. {ROUTE}\n2. share one schema between the web workers\n3. add dark mode\n"
    _assert_golden("check-plan", chalk("check", "-", stdin=plan).out, told.root)
