"""The jobs that docs/review.md and .github/ offer: valid to the forges, harmless, and their scripts run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from repository import Repo
from source import ROOT

from chalkgit.answers.finding import BY_NAME
from chalkgit.render import review

WORKFLOW = (ROOT / ".github" / "workflows" / "lessons.yml").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
EXAMPLE, UPLOAD, GITLAB = re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, re.M | re.S)
UPLOADING = EXAMPLE.replace("contents: read", "contents: read\n      security-events: write") + UPLOAD
STUB = """#!/bin/sh
printf '%s|' "$@" >> "$CALLS"; echo >> "$CALLS"
echo "a review"
exit "$CODE"
"""


def _valid(schema: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "job.yml"
    file.write_text(text, encoding="utf-8")
    arguments = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


WORKFLOWS = pytest.mark.parametrize("text", [WORKFLOW, EXAMPLE, UPLOADING], ids=["ours", "example", "upload"])


@WORKFLOWS
def test_the_workflows_are_valid_to_githubs_schema(text: str, tmp_path: Path) -> None:
    done = _valid("vendor.github-workflows", text, tmp_path)
    assert done.returncode == 0, done.stdout
    damaged = text.replace("runs-on:", "run-on:")
    assert _valid("vendor.github-workflows", damaged, tmp_path).returncode == 1


def test_the_job_is_valid_to_gitlabs_schema(tmp_path: Path) -> None:
    done = _valid("vendor.gitlab-ci", GITLAB, tmp_path)
    assert done.returncode == 0, done.stdout
    damaged = GITLAB.replace("when: always", "when: sometimes")
    assert _valid("vendor.gitlab-ci", damaged, tmp_path).returncode == 1


def _job(text: str) -> dict[str, Any]:
    (job,) = yaml.safe_load(text)["jobs"].values()
    assert isinstance(job, dict)
    return job


@WORKFLOWS
def test_nothing_that_an_author_chooses_comes_into_a_script(text: str) -> None:
    assert yaml.safe_load(text)[True] == {"pull_request": None}  # YAML 1.1 reads `on` as true
    for step in _job(text)["steps"]:
        assert "${{" not in str(step)
    assert set(re.findall(r"\$\{\{ *(.*?) *\}\}", text)) <= {"github.event.pull_request.number"}


@WORKFLOWS
def test_the_workflows_have_the_least_rights_and_the_whole_history(text: str) -> None:
    assert yaml.safe_load(text)["permissions"] == {}
    job = _job(text)
    assert job["permissions"].pop("contents") == "read"
    assert job["permissions"] == ({"security-events": "write"} if text == UPLOADING else {})
    checkout = job["steps"][0]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    actions = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [name for name in actions if not re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", name)] == []


def test_formats_are_documented_and_those_that_jobs_ask_for_exist() -> None:
    formats, rules = (
        DOCUMENT.split(f"## {title}")[1].split("\n## ")[0] for title in ("Formats", "What review says")
    )
    assert tuple(re.findall(r"^\| `(\w+)` \|", formats, re.M)) == review.FORMATS
    rows = re.findall(r"^\| (`.*`) \| ([^|]+) \|", rules, re.M)
    told = {name: levels for names, levels in rows for name in re.findall(r"`(\w+)`", names)}
    assert set(told) == set(BY_NAME)
    assert all(BY_NAME[name].level in levels for name, levels in told.items())
    assert set(re.findall(r"--format (\w+)", WORKFLOW + DOCUMENT)) <= set(review.FORMATS)


# --- the scripts ---------------------------------------------------------------------------------


@pytest.fixture(name="merged")
def merged_fixture(repo: Repo) -> Repo:
    """HEAD is the merge of a branch, as a forge checks it out."""
    repo.write("a.py", "1\n")
    repo.commit("start")
    repo.git("checkout", "-q", "-b", "change")
    repo.record(route="cache it", observation="stale")
    repo.commit("a record")
    repo.git("checkout", "-q", "-")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "change")
    return repo


def _run(script: str, repo: Repo, code: int, **variables: str) -> tuple[int, list[str]]:
    """The script as a runner starts it, with a `chalkgit` that keeps how it was called."""
    programs = repo.root.parent / "programs"
    programs.mkdir(exist_ok=True)
    program = programs / "chalkgit"
    program.write_text(STUB)
    program.chmod(0o755)
    calls = repo.root.parent / "calls"
    calls.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "CALLS": str(calls),
        "CODE": str(code),
        **variables,
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=repo.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize("text", [WORKFLOW, EXAMPLE], ids=["ours", "example"])
@pytest.mark.parametrize(("code", "ends"), [(0, (0, 0)), (1, (0, 1)), (2, (1, 2)), (3, (1, 3))])
def test_a_job_fails_where_there_are_findings_or_the_review_could_not_be_made(
    merged: Repo, text: str, code: int, ends: tuple[int, int]
) -> None:
    steps = {step.get("name"): step.get("run", "") for step in _job(text)["steps"]}
    summary = merged.root.parent / "summary.md"
    ended, calls = _run(steps["Summary"], merged, code, GITHUB_STEP_SUMMARY=str(summary))
    assert ended == ends[0]
    assert calls == ["review|--format|markdown|HEAD^1..HEAD|"]
    assert summary.read_text() == "a review\n"
    ended, calls = _run(steps["Annotations"], merged, code)
    assert (ended, calls) == (ends[1], ["review|--format|github|HEAD^1..HEAD|"])
    merged.git("rev-parse", "--verify", "HEAD^1")


@pytest.mark.parametrize(("code", "end"), [(0, 0), (1, 1), (2, 1)])
def test_gitlabs_job_asks_for_the_base_of_the_merge_request(merged: Repo, code: int, end: int) -> None:
    script = "\n".join(yaml.safe_load(GITLAB)["lessons"]["script"])
    ended, calls = _run(script, merged, code, CI_MERGE_REQUEST_DIFF_BASE_SHA="d" * 40)
    assert ended == end
    assert calls[0] == f"review|--format|gitlab|{'d' * 40}..HEAD|"
    assert calls[1:] == ([f"review|{'d' * 40}..HEAD|"] if code < 2 else [])
    tip = {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "e" * 40, "CI_MERGE_REQUEST_DIFF_BASE_SHA": "d" * 40}
    assert _run(script, merged, 0, **tip)[1][1] == f"review|{'e' * 40}..HEAD|"
    assert (merged.root / "gl-code-quality-report.json").read_text() == "a review\n"


def test_the_jobs_install_from_where_the_reader_says_and_from_no_index() -> None:
    """chalkgit is not published: its bare name would install whatever somebody put there."""
    installed = re.findall(r"pip install (.*)$", EXAMPLE + GITLAB, re.M)
    assert installed == ['--quiet "git+URL-OF-CHALKGIT@COMMIT"'] * 2
    for word in ("URL-OF-CHALKGIT", "COMMIT"):
        assert f"`{word}`" in DOCUMENT
