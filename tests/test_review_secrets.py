"""Secrets where nobody looks for them: in the names of files and fields, and under a name that tells them."""

from __future__ import annotations

import json

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.answers.review_secrets import bare, bare_name
from chalkgit.records.record import Record
from chalkgit.render.review import FORMATS

KEY = "AKIA" + "Z7Q4M2XW9K3LP8VN"
TOKEN = "ghp_" + "a1B2c3D4e5" * 4
RANDOM = "a8f5f167f44f" + "4964e6c998dee827110c"
OURS = ".lessons/dead-ends"


def printed(chalk: Inside, base: str) -> str:
    """All that any format prints, in small letters, as a file's name has them."""
    said = [chalk("review", base, "--format", format) for format in FORMATS] + [
        chalk("review", base, "--json")
    ]
    assert all(result.code in (0, 1) for result in said)
    return "\n".join(result.out + result.err for result in said).casefold().replace("_", "-")


def shows(chalk: Inside, base: str, *secrets: str) -> list[str]:
    """Which of these any format prints."""
    said = printed(chalk, base)
    return [secret for secret in secrets if secret.casefold().replace("_", "-") in said]


def append(repo: Repo, record: Record, text: str) -> None:
    file = repo.root / record.path
    file.write_text(file.read_text() + text)


@pytest.mark.parametrize(
    "name", [KEY, f"deploy-{KEY}", f"deploy_{KEY}", KEY.lower(), f"use-{TOKEN}", f"{TOKEN}/a"]
)
def test_a_secret_in_a_records_path_is_told_and_never_shown(repo: Repo, chalk: Inside, name: str) -> None:
    repo.record(id="p1a1n000", path=f"{OURS}/plain.p1a1n000.yaml")
    plain = repo.commit()
    repo.record(id="secret00", path=f"{OURS}/{name}.secret00.yaml")
    base = plain
    repo.commit()
    (found,) = told.of(chalk, base, "secret")
    assert (found["record"], found["message"]) == (
        "secret00",
        "the file's name has text that looks like a secret",
    )
    assert found["path"].startswith(f"{OURS}/")
    assert "<secret>" in found["path"]
    (added,) = told.of(chalk, base, "adds")
    assert added["path"] == found["path"]
    assert shows(chalk, base, KEY, TOKEN, "secret00") == ["secret00"]


def test_the_name_that_a_secret_in_a_title_gives_a_file_is_not_shown(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    records = [
        repo.record(route=f"sign in with {KEY}", observation="refused"),
        repo.record(route=f"{TOKEN} signs in", observation="refused too"),
        repo.record(route="log in with password='Tr0ub4dor&3zz' now", observation="refused as well"),
    ]
    assert KEY.lower() in records[0].path
    assert "tr0ub4dor-3zz" in records[2].path
    repo.commit()
    found = {f["record"]: f for f in told.of(chalk, base, "secret")}
    assert set(found) == {record.id for record in records}
    assert all(f["details"] == ["so has the file's name"] for f in found.values())
    assert not shows(chalk, base, KEY, TOKEN, TOKEN[4:], "Tr0ub4dor", "-3zz")


def test_a_path_that_comes_goes_or_is_edited_shows_no_secret(repo: Repo, chalk: Inside) -> None:
    about = [
        repo.record(route="about a source", observation="no", files=[f"src/{KEY}.py", f"src/gone-{KEY}.py"]),
        repo.record(id="m0ved000", route="moved", path=f"{OURS}/{KEY}.m0ved000.yaml"),
        repo.record(id="de1eted0", route="deleted", path=f"{OURS}/{KEY}.de1eted0.yaml"),
    ]
    repo.write(f"src/{KEY}.py", "1\n")
    repo.write(f"src/gone-{KEY}.py", "2\n")
    base = repo.commit()
    repo.write(f"src/{KEY}.py", "3\n")
    repo.git("mv", about[1].path, f"{OURS}/clean.m0ved000.yaml")
    (repo.root / about[2].path).unlink()
    repo.commit()
    rules = told.rules(chalk, base)
    assert set(rules) == {"touches", "moves", "deletes"}  # these names stood there before
    assert rules["touches"][0].startswith("this change edits src/<secret>.py, which ")
    assert rules["moves"][0].endswith(f"here from {OURS}/<secret>.m0ved000.yaml")
    assert not shows(chalk, base, KEY)
    (repo.root / f"src/gone-{KEY}.py").unlink()
    repo.commit()
    assert "this change deletes src/gone-<secret>.py" in told.rules(chalk, base)["rots"][0]
    assert not shows(chalk, base, KEY)


def test_a_new_source_file_with_a_secret_in_its_name_is_told_where_a_record_names_it(
    repo: Repo, chalk: Inside
) -> None:
    repo.record(files=["src/*.py"])
    base = repo.commit()
    repo.write("src/plain.py", "1\n")
    repo.commit()
    assert told.of(chalk, base, "secret") == []
    repo.write(f"src/{KEY}.py", "1\n")
    repo.commit()
    assert [f["path"] for f in told.of(chalk, base, "secret")] == ["src/<secret>.py"]
    assert not shows(chalk, base, KEY)


def test_a_damaged_or_misnamed_file_with_a_secret_in_its_name_shows_none(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    repo.write(f"{OURS}/{KEY}.yaml", "kind: nothing\n")
    repo.write(f"{OURS}/{KEY}.yml", "kind: dead-end\n")
    repo.commit()
    rules = told.rules(chalk, base)
    assert [len(rules["damaged"]), len(rules["secret"])] == [2, 2]
    assert not shows(chalk, base, KEY)


@pytest.mark.parametrize("name", [KEY, f"{KEY}-old", f"x-{KEY}", TOKEN, f"https://ada:{RANDOM}@example.org"])
def test_a_secret_in_the_name_of_a_field_is_told_and_never_shown(
    repo: Repo, chalk: Inside, name: str
) -> None:
    record, plain = repo.record(), repo.record(route="another", observation="why")
    base = repo.commit()
    append(repo, record, f"x-team: platform\n{name}: one\n")
    append(repo, plain, "x-team: platform\n")
    repo.commit()
    (secret,) = told.of(chalk, base, "secret")
    assert secret["record"] == record.id
    assert secret["message"].endswith("has text in the name of a field that looks like a secret")
    corrected = {f["record"]: f for f in told.of(chalk, base, "corrects")}
    assert any("<secret>" in row for row in corrected[record.id]["details"])
    assert corrected[plain.id]["message"].endswith(": x-team now platform")
    assert not shows(chalk, base, KEY, TOKEN, RANDOM)
    there = repo.git("rev-parse", "HEAD")
    file = repo.root / record.path
    file.write_text(file.read_text().replace(": one", ": two"))
    repo.commit()
    assert told.ids(chalk, there, "corrects") == [record.id]
    assert not shows(chalk, there, KEY, TOKEN, RANDOM)


@pytest.mark.parametrize(
    "text",
    [
        f"api-key: {RANDOM}\n",
        f"x-login: {{password: {RANDOM}}}\n",
        f"x-login:\n  deep:\n    token: {RANDOM}\n",
        f"x-names:\n  {KEY}: a\n",
        f"x-names:\n  x-{KEY}: a\n",
    ],
)
def test_what_a_name_tells_to_be_a_secret_is_not_shown(repo: Repo, chalk: Inside, text: str) -> None:
    record = repo.record()
    base = repo.commit()
    append(repo, record, text)
    added = repo.commit()
    assert told.ids(chalk, base, "corrects") == [record.id]
    assert told.ids(chalk, base, "secret") == [record.id]
    file = repo.root / record.path
    file.write_text(file.read_text().replace(text, ""))
    repo.commit()
    assert list(told.rules(chalk, added)) == ["corrects"]
    assert not shows(chalk, added, RANDOM, KEY)
    file.write_text(file.read_text() + text.replace("a8f5", "b9c6"))
    repo.commit()
    assert not shows(chalk, added, RANDOM[4:])


ORDINARY = (
    f"{OURS}/pypi-publishing-needs-a-trusted-publisher-first.k7q2m9zx.yaml",
    f"{OURS}/sk-learn-pipelines-of-version-v2-leak-their-state.k7q2m9zx.yaml",
    "src/auth/token_store.py",
    "docs/2026-03-14-password-reset-flow.md",
    "src/session/api_key_test.go",
    "assets/app-3f2a9c81d7e4b650.js",
    "vendor/github.com/aws/aws-sdk-go-v2/service/secretsmanager/api_op_GetSecretValue.go",
    f"migrations/{'0a1b' * 10}.sql",
)


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary_paths_are_shown_as_they_are(path: str) -> None:
    assert bare_name(path) == path
    assert bare(f"moves it here from {path}") == f"moves it here from {path}"
    assert KEY not in bare_name(f"{path}/{KEY}")


def test_a_title_like_a_token_is_no_secret_in_its_files_name(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    record = repo.record(
        route="pypi publishing needs a trusted publisher first", observation="the upload was refused"
    )
    assert "/pypi-publishing-needs" in record.path
    repo.commit()
    assert list(told.rules(chalk, base)) == ["adds"]
    assert told.of(chalk, base, "adds")[0]["path"] == record.path


def test_each_format_still_leads_somewhere(repo: Repo, chalk: Inside) -> None:
    base = repo.commit()
    repo.record(id="secret00", path=f"{OURS}/{KEY}.secret00.yaml")
    repo.commit()
    sarif = json.loads(chalk("review", base, "--format", "sarif").out)
    uris = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in sarif["runs"][0]["results"]
    }
    assert uris == {f"{OURS}/%3Csecret%3E.secret00.yaml"}
    gitlab = json.loads(chalk("review", base, "--format", "gitlab").out)
    assert {issue["location"]["path"] for issue in gitlab} == {f"{OURS}/<secret>.secret00.yaml"}
    assert len({issue["fingerprint"] for issue in gitlab}) == len(gitlab) == 2


def test_a_long_path_takes_no_long_time() -> None:
    import time

    start = time.monotonic()
    for piece in ("a-", "a1b2c3d4e5f6-", "pypi-", "sk-", "password=", "/x", "-_"):
        bare_name(piece * 1_000)
        bare(piece * 1_000)
    assert time.monotonic() - start < 10
