"""What was named beforehand as reopening a ruling, whether it has come, and what version ranges mean."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chalkgit.answers import manifests
from chalkgit.answers.dependencies import Dependencies
from chalkgit.answers.reopening import met
from chalkgit.records.record import Record

NOW = datetime(2027, 1, 1, tzinfo=UTC)
LOCK = '[[package]]\nname = "django"\nversion = "5.1"\n\n[[package]]\nname = "odd"\nversion = "snapshot-b"\n'


def ask(root: Path, *rules: str, now: datetime = NOW, moved: tuple[str, ...] = ()) -> str | None:
    record = Record(
        {"id": "abcdefgh", "kind": "dead-end", "at-commit": "abcd1234", "reopens-when": list(rules)}
    )
    (root / "uv.lock").write_text(LOCK)
    return met(
        record,
        dependencies=Dependencies(str(root)),
        now=now,
        touched=lambda commit, path: commit == "abcd1234" and path in moved,
    )


@pytest.mark.parametrize(
    ("rule", "comes"),
    [
        ("library:django>=5.0", True),
        ("library:Django >= 5.0", True),
        ("library: django>=5.2", False),
        ("library:django>5.1", False),
        ("library:django<=5.1", True),
        ("library:django<5.1", False),
        ("library:django==5.1.0", True),
        ("library:django==5.0", False),
        ("library:django!=5.0", True),
        ("library:django!=5.1", False),
        ("library:flask>=1", False),
        ("library:odd==snapshot-b", True),
        ("library:odd>=snapshot-a", False),
    ],
)
def test_a_library_rule_is_met_by_a_locked_version(tmp_path: Path, rule: str, comes: bool) -> None:
    name = rule.removeprefix("library:").split("=")[0].strip(" <>!")
    locked = {"django": "5.1", "odd": "snapshot-b"}.get(name.lower())
    words = f"{name} is {locked} in uv.lock (reopens when {rule})"
    assert ask(tmp_path, rule) == (words if comes else None)


def test_a_date_rule_is_met_from_its_first_moment_on(tmp_path: Path) -> None:
    assert ask(tmp_path, "date:2027-01-01") == "2027-01-01 has come"
    assert ask(tmp_path, "date: 2027") == "2027 has come"
    assert ask(tmp_path, "date:2027-01-02") is None


def test_a_file_rule_is_met_once_its_file_was_touched(tmp_path: Path) -> None:
    assert ask(tmp_path, "file:src/a b.py changes", moved=("src/a b.py",)) == "src/a b.py has changed since"
    assert ask(tmp_path, "file:src/a b.py changes", moved=("src/a",)) is None


def test_a_manual_rule_is_never_met_by_itself(tmp_path: Path) -> None:
    assert ask(tmp_path, "manual:2026-01-01") is None
    assert ask(tmp_path, "manual:when Ada says so", "date:2026-01-01") == "2026-01-01 has come"


NO_RULES = """
date:; date:soon; Date:2020-01-01; library:; library:django; library:django~=5; library:>=5; file:src/a.py;
file: changes; file:changes; library:django>=5.0 or so; when it rains
"""


@pytest.mark.parametrize("rule", [rule.strip() for rule in NO_RULES.split(";")])
def test_what_is_no_rule_is_passed_over(tmp_path: Path, rule: str) -> None:
    everything = ("src/a.py", "", "changes")
    assert ask(tmp_path, rule, "", moved=everything) is None
    assert ask(tmp_path, rule, "file:src/a.py changes", moved=everything) == "src/a.py has changed since"


def test_a_record_without_rules_is_never_reopened(tmp_path: Path) -> None:
    assert ask(tmp_path) is None
    assert ask(tmp_path, "date:2020") == "2020 has come"


@given(
    rest=st.text(max_size=50), kind=st.sampled_from(["library:", "library:django>=", "date:", "file:", ""])
)
def test_no_rule_text_ever_raises(tmp_path_factory: pytest.TempPathFactory, rest: str, kind: str) -> None:
    root = tmp_path_factory.getbasetemp()
    said = ask(root, kind + rest)
    assert said is None or said.endswith((" has come", ")"))


RANGES = {
    ("npm", True): "^18.2.0 18.9.1;~1.2.3 1.2.9;1.2 1.2.9;>=1.2 <2 1.9;1.x || 3.x 3.4.5",
    ("npm", False): "^18.2.0 17.0.0;^0.2.3 0.3.0;^0.0.3 0.0.4;1.2.3 1.2.4;>= 1.2 < 2 2.0",
    ("npm", None): "1.2 - 2.3 2.0;workspace:* 2.0;latest 2.0",
    ("cargo", True): "1.2 1.9;0 0.9;* 3",
    ("cargo", False): "1.2 2.0;=1.2.3 1.2.4",
    ("python", True): " 1;==snapshot snapshot;===1.0-odd! 1.0-odd!",
    ("python", False): "===1.0-odd! 1;!=snapshot snapshot",
    ("python", None): ">=snapshot snapshot",
}


@pytest.mark.parametrize(("kind", "allowed"), RANGES)
def test_ranges_mean_what_their_ecosystem_says(kind: str, allowed: bool | None) -> None:
    for row in RANGES[kind, allowed].split(";"):
        spec, _, version = row.rpartition(" ")
        assert manifests.allows(spec, version, kind) is allowed, row


texts = st.text(max_size=60) | st.text(alphabet="0123456789.<>=!~^*xv|, -+arcdevpost", max_size=40)


@given(recorded=texts, locked=texts)
@example(recorded="9" * 5_000, locked="9" * 5_000)
@example(recorded="^" + "9" * 250, locked="1")
@example(recorded="１.２", locked="1.2")
def test_no_version_text_ever_raises(recorded: str, locked: str) -> None:
    for kind in ("python", "npm", "cargo"):
        assert manifests.allows(recorded, locked, kind) in (True, False, None)
    assert manifests.prefix(recorded, locked) in (True, False, None)
    assert isinstance(manifests.versions(recorded), list)
    assert isinstance(manifests.bare(recorded), str)
