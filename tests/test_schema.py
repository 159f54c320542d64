"""The published JSON Schema accepts what we write and what people write, and flags what lint flags."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ruamel.yaml

from chalkgit.records import codec, schema
from chalkgit.records.record import Record

PUBLISHED = Path(__file__).parents[1] / "schema" / "record.schema.json"
COMMON = {
    "layer": "design",
    "scope": "general",
    "files": ["src/a b.py", "reader.go", "**/*.py", "a..b"],
    "evidence": ["https://example.com/1", "1234567"],
    "by": {"name": "Ada", "agent": "bot"},
    "at-commit": "1234567",
    "valid-from": "2026",
    "valid-until": "2026-03-01T10:00:00+02:00",
    "reopens-when": ["library:@a/b >= 5.0", "date:2027-01", "file:a b.py changes", "manual:ask Ada or Bob"],
    "supersedes": ["abcd1235"],
    "depends-on": {"django": "1.10"},
    "retired": {"because": "x", "on": "2026-03-01"},
    "review": {"state": "approved", "by": "Ada", "hash": "00"},
    "tags": [],
    "mine": {"a": ["b"]},
}
RECORDS: dict[str, dict[str, Any]] = {
    "dead-end": {
        **COMMON,
        "route": "r",
        "observation": "a\nb",
        "degree": "partial",
        "action": "abandon",
        "raw": "r",
        "truncated": "true",
        "settled": "1e3",
    },
    "lesson": {
        **COMMON,
        "scope": "repo",
        "failure": {"exit-code": "1", "tests": ["a"], "error": "E"},
        "resolved-by": "Ada",
    },
    "procedure": {**COMMON, "route": "r", "trap": "t"},
}


def encoded(kind: str) -> str:
    return codec.encode(Record({"id": "abcd1234", "kind": kind, **RECORDS[kind]})).decode()


def complaints(text: str) -> list[str]:
    # as check-jsonschema and editors do: a date is the string it stands for
    value = json.loads(json.dumps(ruamel.yaml.YAML(typ="safe", pure=True).load(text), default=str))
    return [error.message for error in jsonschema.Draft7Validator(schema.build()).iter_errors(value)]


def test_the_published_schema_is_what_the_code_makes() -> None:
    assert PUBLISHED.read_text() == schema.text()
    jsonschema.Draft7Validator.check_schema(schema.build())


@pytest.mark.parametrize("kind", RECORDS)
def test_check_jsonschema_accepts_what_we_write_and_refuses_what_is_wrong(kind: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(encoded(kind))
    bad.write_text(encoded(kind).replace("layer: design", "layer: desing"))
    assert check(good).returncode == 0, check(good).stdout
    assert "desing" in check(bad).stdout


def check(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(PUBLISHED), str(file)]
    return subprocess.run(command, capture_output=True, text=True)


HEAD = "id: abcd1234\nkind: dead-end\nroute: r\n"
ACCEPTED = [
    "",
    "depends-on: {django: 1.10, x: 2}\n",
    "valid-from: 2026\n",
    "valid-from: 2026-03-01\n",
    "at-commit: 1234567\n",
    "truncated: true\n",
    "files: a.py\n",
    "tags: [1, a]\n",
    "by: Ada\n",
    "by: {agent: bot}\n",
    "mine: {a: [1, null]}\n",
    "reopens-when: manual:x\n",
]
FLAGGED = [
    "layer: desing\n",
    "scope: repo\n",
    "degree: very\n",
    "trap: t\n",
    "failure: {error: e}\n",
    "valid-from: soon\n",
    "valid-from: 99999\n",
    "observation: [a]\n",
    "observation:\n",
    "truncated: 'yes'\n",
    "files: [/etc/passwd]\n",
    "files: [a/../b]\n",
    "files: [..]\n",
    "files: ['https://example.com/a.py']\n",
    "files: [~/x]\n",
    "files: ['']\n",
    "supersedes: ['12345678']\n",
    "reopens-when: [library:x]\n",
    "reopens-when: [someday]\n",
    "reopens-when: ['date:soon']\n",
    "reopens-when: ['file:../x changes']\n",
    "reopens-when: ['manual:']\n",
    "by: {}\n",
    "by: [Ada]\n",
    "review: {state: ok}\n",
    "retired: {on: soon}\n",
    "depends-on: django\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_a_person_may_write_is_accepted_as_reading_does(text: str) -> None:
    assert complaints(HEAD + text) == []
    assert codec.decode((HEAD + text).encode(), "")[1] == [] or "null" in text


@pytest.mark.parametrize("text", FLAGGED)
def test_what_reading_says_is_flagged_in_the_editor(text: str) -> None:
    assert len(complaints(HEAD + text)) >= 1
    assert len(codec.decode((HEAD + text).encode(), "")[1]) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "kind: dead-end\nroute: r\n",
        "id: 12345678\nkind: dead-end\nroute: r\n",
        "id: abcd123l\nkind: dead-end\nroute: r\n",
        "id: abcd1234\nroute: r\n",
        "id: abcd1234\nkind: dead end\nroute: r\n",
        "id: abcd1234\nkind: dead-end\nobservation: r\n",
        "id: abcd1234\nkind: procedure\ntrap: r\n",
        "id: abcd1234\nkind: lesson\ntags: [r]\n",
    ],
)
def test_what_is_no_record_is_flagged(text: str) -> None:
    assert complaints(HEAD) == []
    assert len(complaints(text)) >= 1


def test_each_field_says_what_it_means() -> None:
    assert all(made["description"] for made in schema.build()["properties"].values())
