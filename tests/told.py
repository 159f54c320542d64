"""What a review says of the change since a commit, as short rows."""

from __future__ import annotations

from typing import Any

from inside import Inside


def findings(chalk: Inside, base: str, *args: str) -> list[dict[str, Any]]:
    import json

    result = chalk("review", base, "--json", "--fail-on", "never", *args)
    assert result.code == 0, result
    found: list[dict[str, Any]] = json.loads(result.out)["findings"]
    return found


def rules(chalk: Inside, base: str) -> dict[str, list[str]]:
    """Rule to the messages of its findings."""
    said: dict[str, list[str]] = {}
    for finding in findings(chalk, base):
        said.setdefault(finding["rule"], []).append(finding["message"])
    return said


def of(chalk: Inside, base: str, rule: str) -> list[dict[str, Any]]:
    return [finding for finding in findings(chalk, base) if finding["rule"] == rule]


def ids(chalk: Inside, base: str, rule: str) -> list[str]:
    return sorted(finding["record"] for finding in of(chalk, base, rule))
