"""People who commit in a repository with a list of reviewers, for the tests of approvals."""

from __future__ import annotations

from pathlib import Path

import pytest
from inside import Inside
from repository import Repo

from chalkgit.answers.trusted import Trusted
from chalkgit.records.record import Record
from chalkgit.store import snapshot
from chalkgit.store.approvals import Trust

ADA, BO, MALLORY = ("Ada", "ada@example.org"), ("Bo", "bo@example.org"), ("Mallory", "mal@example.org")
BOT = ("Claude", "claude-bot@example.org")
Person = tuple[str, str]


class Team:
    """A repository where Ada reviews; `chalk` and `commit` act as `who`, Bo where nobody is named."""

    def __init__(self, repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self.inside = chalk
        self._monkeypatch = monkeypatch

    def become(self, who: Person) -> None:
        for variable in ("AUTHOR", "COMMITTER"):
            self._monkeypatch.setenv(f"GIT_{variable}_NAME", who[0])
            self._monkeypatch.setenv(f"GIT_{variable}_EMAIL", who[1])

    def commit(self, who: Person = BO, message: str = "work") -> str:
        self.become(who)
        return self.repo.commit(message)

    def reviewers(self, *entries: str, signed: bool = False) -> None:
        """Write the list; nobody has committed it."""
        flag = "require-signature: true\n" if signed else ""
        listed = "".join(f"- {entry}\n" for entry in entries)
        self.repo.write(".lessons/config.yaml", f"{flag}reviewers:\n{listed}")

    def recorded(self, who: Person = BO, **fields: object) -> Record:
        """A record that somebody has committed."""
        record = self.repo.record(**fields)
        self.commit(who)
        return record

    def approve(self, record: Record, who: Person = ADA) -> None:
        """As the command writes it, and committed."""
        self.become(who)
        result = self.inside("approve", record.id, "--commit")
        assert result.code == 0, result
        assert result.err == "", result

    def forge(self, record: Record, **others: object) -> None:
        """The field alone, written without the command; nobody has committed it."""
        from chalkgit.records.sealing import seal
        from chalkgit.store import writes

        there = self.read(record)
        sealed = there.changed({name.replace("_", "-"): value for name, value in others.items()})
        review = {"state": "approved", "by": ADA[0], "hash": seal(sealed), "on": "2026-03-14"}
        writes.change(self.repo.place, there, {**others, "review": review})

    def read(self, record: Record) -> Record:
        return snapshot.of_work_tree(self.repo.place).records[record.id]

    def trust(self, record: Record) -> Trust:
        return Trusted().of(self.repo.place, self.read(record))

    def states(self, *records: Record) -> list[str]:
        return [self.trust(record).state for record in records]


@pytest.fixture(name="team")
def team_fixture(repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch) -> Team:
    team = Team(repo, chalk, monkeypatch)
    team.reviewers("ada@example.org")
    team.commit(ADA, "who reviews")
    return team


def ssh_key(folder: Path, name: str) -> str:
    """A new key without a passphrase; its public half, as a line."""
    import subprocess

    file = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)], check=True)
    return file.with_suffix(".pub").read_text().strip()
