"""lint names what is wrong with the settings, with its line; `approve` says how a list comes to count."""

from __future__ import annotations

import base64
import subprocess

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

CONFIG = ".lessons/config.yaml"
TYPE = b"ssh-ed25519"
KEY = (
    "ssh-ed25519 "
    + base64.b64encode(len(TYPE).to_bytes(4, "big") + TYPE + bytes([0, 0, 0, 32]) + b"k" * 32).decode()
)
DIGEST = "SHA256:" + "x" * 42 + "E"

WRONG = (
    ("# mine\nreviewers:\n", [(2, "`reviewers` lists nobody")]),
    ("reviewers:\n  -\n", [(1, "`reviewers` lists nobody")]),
    ("reviewers: 3\n", [(1, "“3” is no name, no e-mail address and no key")]),
    ("reviewers: true\n", [(1, "“true” is no name")]),
    ("reviewers: [Ada, 3]\n", [(1, "“3” is no name")]),
    ("reviewers:\n  - Ada\n  - ssh-ed25519 AAAA\n", [(3, "“ssh-ed25519 AAAA” is no ssh public key")]),
    (f"reviewers:\n  - ssh-rsa {KEY.split()[1]}\n", [(2, "is no ssh public key")]),
    (
        "reviewers:\n  - SHA256:abc\n  - Ada\n  - 7\n",
        [(2, "“SHA256:abc” is no fingerprint"), (4, "“7” is no name")],
    ),
    ("reviewers:\n  - {email: a@b.c, key: SHA256:abc}\n", [(2, "“SHA256:abc” is no fingerprint")]),
    ("x: 1\nreviewers: {a: b}\n", [(2, "`reviewers` is no list")]),
    ("x: 1\nrequire-signature: perhaps\n", [(2, "neither true nor false")]),
    (
        "x: 1\nhooks:\n  block: foo\n  check-message: bar\n",
        [(3, "`hooks.block`"), (4, "`hooks.check-message`")],
    ),
    ("x: 1\nhooks: 3\n", [(2, "`hooks` is no mapping")]),
    ("show-unreviewed:\n  - at\n  - foo\n", [(3, "`show-unreviewed` is “foo”")]),
    ("x: 1\nfingerprint: x\n", [(2, "`fingerprint` is “x”")]),
    ("x: 1\nreviewer: Ada\n", [(2, "`reviewer` is no setting: reviewers, perhaps?")]),
)


@pytest.mark.parametrize(
    ("text", "said"), WRONG, ids=lambda value: value[:30] if isinstance(value, str) else ""
)
def test_each_wrong_setting_is_named_with_its_line(
    repo: Repo, chalk: Inside, text: str, said: list[tuple[int, str]]
) -> None:
    repo.write(CONFIG, text)
    found = chalk.json("lint", code=1)["findings"]
    assert [one["line"] for one in found] == [number for number, _ in said]
    for one, (_, words) in zip(found, said, strict=True):
        assert words in one["message"]
        assert one["path"] == CONFIG


def test_what_can_be_a_person_or_a_key_is_nothing_wrong(repo: Repo, chalk: Inside) -> None:
    people = (
        "ada@example.org",
        "Ada Lovelace",
        "李",
        KEY,
        f"{KEY} ada@laptop",
        DIGEST,
        "0123456789abcdef0123",
    )
    listed = "".join(f"  - {one}\n" for one in people)
    repo.write(CONFIG, f"reviewers:\n{listed}  - {{name: Bo, key: {DIGEST}}}\nrequire-signature: false\n")
    assert chalk("lint").code == 0
    repo.write(CONFIG, "reviewers: ada@example.org\n")
    assert chalk("lint").code == 0


def test_a_list_that_is_written_and_not_committed_is_hinted_the_command_that_commits_it(
    repo: Repo, chalk: Inside
) -> None:
    record = repo.record(route="a route", observation="b")
    repo.commit()
    refused = chalk("approve", record.id)
    assert "list them there under `reviewers:`, then git add" in refused.err
    repo.write(CONFIG, "reviewers: [ada@example.org]\n")
    refused = chalk("approve", record.id)
    assert refused.code == 2
    hint = refused.err.splitlines()[-1].removeprefix("hint: ")
    assert hint.startswith(f"git add {CONFIG} && git commit")
    subprocess.run(["sh", "-c", hint], cwd=repo.root, check=True, capture_output=True)
    assert chalk("approve", record.id).code == 0
