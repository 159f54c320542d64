"""The JSON of the commands that ask about time, trust and changes has the keys that docs/commands.md says."""

from __future__ import annotations

from repository import Repo
from test_docs import _json, _keys, told_fixture  # noqa: F401


def test_json_of_as_of_is_as_documented(told: Repo) -> None:
    asked = _json(told, "list", "--json", "--known-at", "HEAD", "--valid-at", "2026-05-01")
    assert set(asked["as_of"]) == _keys("`as_of`")


def test_json_of_log_and_diff_is_as_documented(told: Repo) -> None:
    logged = _json(told, "log", "--json")
    assert set(logged) == _keys("`log`")
    keys = _keys("a version in `log`") - {"signature", "writers"}
    of_record = {"kind", "route", "observation", "files"}
    assert set(logged["versions"][0]) == keys | of_record
    assert set(_json(told, "log", "--audit", "--json")["versions"][0]) == keys | of_record | {
        "signature",
        "writers",
    }
    record = logged["versions"][0]["id"]
    told.run("correct", record, "--layer", "design")
    differing = _json(told, "diff", "HEAD", "--json")
    assert set(differing) == _keys("`diff`")
    assert set(differing["records"][0]["changes"][0]) == {"field", "before", "after"}


def test_json_of_review_and_curate_is_as_documented(told: Repo) -> None:
    told.record(route="work that nobody has committed")
    reviewed = _json(told, "review", "--json", "--fail-on", "never")
    assert set(reviewed) == _keys("`review`")
    assert set(reviewed["findings"][0]) == _keys("a finding")
    curated = _json(told, "curate", "--json")
    assert set(curated) == _keys("`curate`")


def test_json_of_forget_is_as_documented(told: Repo) -> None:
    record = _json(told, "list", "--json")["records"][0]["id"]
    assert set(_json(told, "forget", record, "--yes", "--json")) == _keys("`forget`")
