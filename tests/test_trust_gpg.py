"""gpg signatures count as ssh ones do: by the fingerprint that is listed, with git's own verification."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, Team, team_fixture  # noqa: F401

from chalkgit.store import signatures

pytestmark = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")


@pytest.fixture(name="keys")
def keys_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A keyring of its own with two keys: address to fingerprint."""
    import tempfile

    # the agent's socket must have a short name
    with tempfile.TemporaryDirectory(prefix="gpg", dir="/tmp") as home:
        monkeypatch.setenv("GNUPGHOME", home)
        for address in ("ada@example.org", "mal@example.org"):
            made = (
                "--batch",
                "--passphrase",
                "",
                "--quick-generate-key",
                address,
                "ed25519",
                "sign",
                "never",
            )
            subprocess.run(["gpg", "--quiet", *made], check=True, capture_output=True)
        listed = subprocess.run(["gpg", "--with-colons", "-k"], check=True, capture_output=True, text=True)
        prints = re.findall(r"^fpr:+([0-9A-F]{40}):", listed.stdout, re.M)
        assert len(prints) == 2
        yield dict(zip(("ada@example.org", "mal@example.org"), prints, strict=True))
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False, capture_output=True)


def test_a_gpg_signature_counts_by_the_fingerprint_that_is_listed(team: Team, keys: dict[str, str]) -> None:
    team.reviewers(f"{{email: ada@example.org, key: {keys['ada@example.org']}}}", signed=True)
    team.commit(ADA)
    honest, forged, unsigned = (team.recorded(route=f"route {n}") for n in range(3))
    for record, signer in ((honest, "ada@example.org"), (forged, "mal@example.org"), (unsigned, None)):
        team.become(ADA)
        team.forge(record)
        team.repo.git("add", "-A")
        team.repo.git("commit", "-q", "-m", "approve", *([f"-S{keys[signer]}"] if signer else []))
    assert team.states(honest, forged, unsigned) == ["approved", "unreviewed", "unreviewed"]
    assert "not among the reviewers" in str(team.trust(forged).why)


def test_a_key_that_this_machine_does_not_have_proves_nothing(team: Team, keys: dict[str, str]) -> None:
    team.reviewers(f"{{email: ada@example.org, key: {keys['ada@example.org']}}}", signed=True)
    team.commit(ADA)
    record = team.recorded()
    team.become(ADA)
    team.forge(record)
    team.repo.git("add", "-A")
    team.repo.git("commit", "-q", "-m", "approve", f"-S{keys['ada@example.org']}")
    assert team.states(record) == ["approved"]
    commit = team.repo.git("rev-parse", "HEAD")
    assert signatures.of(team.repo.place, commit).good
    Path(os.environ["GNUPGHOME"], "pubring.kbx").unlink()
    assert signatures.of(team.repo.place, commit).state == "E"
    assert team.states(record) == ["unreviewed"]


def test_approve_commits_with_the_listed_gpg_key_and_says_so_where_it_was_another(
    team: Team, keys: dict[str, str]
) -> None:
    team.reviewers(f"{{email: ada@example.org, key: {keys['ada@example.org']}}}", signed=True)
    team.commit(ADA)
    record = team.recorded()
    team.become(ADA)
    before = team.repo.git("rev-parse", "HEAD")
    told = team.inside("approve", record.id, "--commit")
    assert (told.code, "hint: git config commit.gpgsign true\n" in told.err) == (2, True)
    team.repo.git("config", "commit.gpgsign", "true")
    team.repo.git("config", "user.signingkey", keys["mal@example.org"])
    late = team.inside("approve", record.id, "--commit")  # whose key that is, only git can tell
    assert (late.code, "committed, but" in late.err) == (2, True)
    assert "hint: git reset --soft HEAD~1; it counts when a listed reviewer" in late.err
    team.repo.git("reset", "-q", "--hard", before)
    team.repo.git("config", "user.signingkey", keys["ada@example.org"])
    team.approve(record)
    assert team.states(record) == ["approved"]
