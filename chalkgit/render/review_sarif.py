"""A review as SARIF 2.1.0: for code scanning, with names of findings that stay when lines move.

What was cut, or could not be looked at, is a notification of the run.
"""

from __future__ import annotations

import urllib.parse

from chalkgit import __version__
from chalkgit.answers.finding import ERROR, NOTE, RULES, WARNING
from chalkgit.render.review_parts import (
    command,
    count,
    fingerprints,
    ordered,
    shown,
    skipped,
    tally,
    told,
    written,
)
from chalkgit.thresholds import SARIF_RESULTS

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

    from chalkgit.answers.finding import Finding, Review, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"  # what GitHub and the SARIF tools call the root of the repository
# Not primaryLocationLineHash: the uploader computes that from the file, and warns of each that differs.
FINGERPRINT = "chalkgitFinding/v1"
_INDEX = {rule.name: number for number, rule in enumerate(RULES)}
_SEVERITY = {NOTE: "recommendation", WARNING: "warning", ERROR: "error"}


def sarif(review: Review) -> str:
    findings = ordered(review)
    names = fingerprints(findings)
    kept, left = findings[:SARIF_RESULTS], findings[SARIF_RESULTS:]
    said = skipped(review)
    if left:
        said.append(
            f"{count(len(left), 'more result')} left out ({tally(left)}): {command(review)} tells all"
        )
    run = {
        "tool": {"driver": _driver()},
        "automationDetails": {"id": "chalkgit/review/"},
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": _sentence(text)}} for text in said
                ],
            }
        ],
        "results": [_result(finding, name) for finding, name in zip(kept, names, strict=False)],
        "properties": {"asked": shown(review.asked), "base": review.base, "head": review.head},
    }
    return written({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver() -> dict[str, Any]:
    return {
        "name": "chalkgit",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in RULES],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": _sentence(rule.short)},
        "fullDescription": {"text": f"{_sentence(rule.short)} {_sentence(rule.help)}"},
        "help": {"text": _sentence(rule.help)},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["lessons"], "problem.severity": _SEVERITY[rule.level]},
    }


def _result(finding: Finding, name: str) -> dict[str, Any]:
    path = urllib.parse.quote(finding.path.encode("utf-8", "surrogateescape"))
    return {
        "ruleId": finding.rule.name,
        "ruleIndex": _INDEX[finding.rule.name],
        "level": finding.level,
        "message": {"text": _sentence(told(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": path, "uriBaseId": ROOT},
                    "region": {"startLine": finding.line or 1},
                }
            }
        ],
        "partialFingerprints": {FINGERPRINT: name},
    }


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."
