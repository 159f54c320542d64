"""What `log` prints is one format and no blank line, with hashes as short as a person compares them."""

from __future__ import annotations

import csv
import io
import re

from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


def test_an_audit_of_nothing_says_so_and_prints_no_blank_line(repo: Repo, chalk: Inside) -> None:
    repo.write("a.py", "1\n")
    repo.git("add", "a.py")
    repo.git("commit", "-q", "-m", "no record")
    done = chalk("log", "--audit")
    assert (done.code, done.out) == (0, "")
    assert "no version of a record" in done.err
    assert chalk("log", "--audit", "--csv").out.startswith("recorded_at,")
    repo.record(route="a route", observation="b")
    repo.commit()
    assert len(chalk("log", "--audit").out.splitlines()) == 1


def test_two_formats_at_once_are_refused(repo: Repo, chalk: Inside) -> None:
    repo.record(route="a route", observation="b")
    repo.commit()
    for args in (
        ("log", "--audit", "--csv", "--json"),
        ("review", "--format", "text", "--json"),
        ("review", "--json", "--format", "sarif"),
    ):
        done = chalk(*args)
        assert (done.code, done.out) == (2, "")
        assert "exclude each other" in done.err
        assert len(re.findall(r"^hint: chalkgit ", done.err, re.M)) == 1
    for args in (("log", "--audit", "--csv"), ("log", "--audit", "--json"), ("review", "--json")):
        assert chalk(*args).code == 0


def test_the_csv_says_why_an_approval_does_not_count_and_what_was_rewritten_once(
    repo: Repo, chalk: Inside
) -> None:
    record = repo.record(route="a route", observation="b", review={"state": "approved", "by": "Eve"})
    tip = repo.commit()
    chalk("log")
    rows = list(csv.DictReader(io.StringIO(chalk("log", "--audit", "--csv").out)))
    assert [row["trust_why"] != "" for row in rows if row["id"] == record.id] == [True]
    repo.git("commit", "-q", "--amend", "-m", "rewritten")
    said = [
        row["events"]
        for row in csv.DictReader(io.StringIO(chalk("log", "--audit", "--csv").out))
        if not row["id"] and tip[:12] in row["events"]
    ]
    assert len(said) == 1
    assert said[0].count("rewritten") == 1


def test_the_hash_of_a_review_is_shortened_where_versions_are_told(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/config.yaml", "reviewers: [ada@example.org]\n")
    record = repo.record(route="a route", observation="b")
    base = repo.commit()
    assert chalk("approve", record.id, "--commit").code == 0
    digest = chalk.json("show", record.id)["records"][0]["review"]["hash"]
    assert len(digest) == len("sha256:") + 64
    chalk("correct", record.id, "--observation", "c", "--commit")
    assert chalk("approve", record.id, "--commit").code == 0
    for args in (("log", record.id), ("diff", base)):
        said = chalk(*args).out
        assert re.search(r"hash:? sha256:[0-9a-f]{12}\b", said), said
        assert not re.search(r"[0-9a-f]{64}", said)
    assert f"hash {digest[:19]}" in chalk("log", record.id).out
