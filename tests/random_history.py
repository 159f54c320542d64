"""Random histories of records in a real repository: a step is three small numbers.

Most commits are written as loose objects, since a child a commit would be too slow for a property; real
merges, rebases, squashes, amendments and cherry-picks of the git program are among the steps.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path
from typing import Any

from naive_history import Objects
from repository import Repo

from chalkgit.records import codec
from chalkgit.records.record import Record

START = 1_700_000_000
IDS = [f"{letter}aaaaaa{letter}" for letter in "abcdefgh"]
FOLDERS = ("dead-ends", "lessons", "procedures", "deep/er", "")
Content = tuple[str, bytes]  # mode and bytes
SKEWS = (600, 600, 600, 86_400, 0, -3_600, -400_000, 900_000)
REVIEWS = ("approved", "rejected", "quarantined")
GARBAGE = (b"id: [\n", b"", b"\xff\xfe", b"kind: dead-end\n", b"x: 1\n" * 60_000)


class RandomHistory:
    """`files` is what the branch in use will have with the next commit: `.lessons` and nothing else."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.root = repo.root
        self.files: dict[str, Content] = {".lessons/config.yaml": ("100644", b"hooks: {}\n")}
        self.branches: dict[str, str] = {}
        self.branch = "main"
        self.when = START
        self.number = 0
        self.objects = Objects(self.root)
        self.commit(0)

    @property
    def tip(self) -> str:
        return self.branches[self.branch]

    # what a step may change of the files

    def _record(self, a: int, **more: Any) -> Record:
        i = IDS[a % len(IDS)]
        kind = ("dead-end", "lesson", "procedure")[a % 3]
        words = f"{i} number {self.number}"
        least: dict[str, Any] = {"route": words}
        if kind == "dead-end":
            least["observation"] = "it failed"
        elif kind == "lesson":
            least = {"failure": {"error": words}}
        else:
            least["trap"] = "mind the step"
        return Record({"id": i, "kind": kind, **least, **more})

    def add(self, a: int, b: int) -> None:
        record = self._record(a)
        if b % 3 == 0:
            record = record.changed({"supersedes": [IDS[b % len(IDS)]]})
        name = f"r{b % 4}.{record.id}" if b % 5 else f"odd{b % 4}"
        path = "/".join(p for p in (".lessons", FOLDERS[b % len(FOLDERS)], f"{name}.yaml") if p)
        self.files[path] = ("100644", codec.encode(record))

    def _some(self, a: int) -> tuple[str, Record | None]:
        """A file of a record, or of what once was one; "" where there is none."""
        paths = [p for p in sorted(self.files) if p.endswith(".yaml") and p != ".lessons/config.yaml"]
        if not paths:
            return "", None
        path = paths[a % len(paths)]
        fields = self.objects.record(self.files[path][0], self._blob(self.files[path][1]))
        return path, Record(fields, path) if fields is not None else None

    def edit(self, a: int, b: int) -> None:
        path, record = self._some(a)
        if record is None:
            return
        self.number += 1
        lesson = record.kind == "lesson"
        changes: list[dict[str, Any]] = [
            {"tags": [f"t{b % 3}"]},
            {"retired": {"because": "it was mended"}},
            {"retired": None},
            {"settled": "0123abcd"} if record.kind != "procedure" else {"scope": "local"},
            {"settled": None},
            {"review": {"state": REVIEWS[b % 3], "by": "Ada"}},
            {"review": None, "layer": "design"},
            {"supersedes": [IDS[b % len(IDS)], IDS[b % 5]][: 1 + b % 2]},
            {"supersedes": None},
            {"resolution": "restart it", "resolved-by": "Ada"} if lesson else {"evidence": [f"e{b}"]},
            {"resolution": None, "resolved-by": None} if lesson else {"files": [f"src/{b % 4}.py"]},
            {"lesson": f"When {b % 2}, wait"} if lesson else {"degree": None, "valid-from": "2024"},
            {f"x-{b % 2}": "unknown"},
            {"by": {"name": "Ada", "agent": "bot"}},
            {"retired": {"because": "again"}, "settled": None, "tags": None},
        ]
        changed = record.changed(changes[b % len(changes)])
        self.files[path] = (self.files[path][0], codec.encode(changed))

    def comment(self, a: int, b: int) -> None:
        path, record = self._some(a)
        if record is not None:
            self.files[path] = (self.files[path][0], self.files[path][1] + f"# {b % 3}\n".encode())

    def move(self, a: int, b: int) -> None:
        path, _ = self._some(a)
        if path:
            new = f".lessons/moved{b % 3}/{path.rsplit('/', 1)[1] if b % 2 else f'n{b % 5}.yaml'}"
            self.files[new] = self.files.pop(path)

    def copy(self, a: int, b: int) -> None:
        path, record = self._some(a)
        if record is not None:
            name = f"copy{b % 2}.{record.id}" if b % 3 == 0 else f"copy{b % 4}"
            self.files[f".lessons/{name}.yaml"] = self.files[path]

    def delete(self, a: int, b: int) -> None:
        path, _ = self._some(a)
        if path:
            del self.files[path]

    def restore(self, a: int, b: int) -> None:
        """A file as an earlier commit of any branch had it."""
        commits = self.objects.chain(self.branches[sorted(self.branches)[b % len(self.branches)]])
        then = self.objects.files(commits[a % len(commits)])
        paths = sorted(path for path in then if path.startswith(".lessons/"))
        if paths:
            mode, oid = then[paths[b % len(paths)]]
            if mode != "160000":
                self.files[paths[b % len(paths)]] = (mode, self.objects.read(oid))

    def damage(self, a: int, b: int) -> None:
        path, _ = self._some(a)
        if path:
            self.files[path] = ("100644", GARBAGE[b % len(GARBAGE)])

    def odd(self, a: int, b: int) -> None:
        """A link, a submodule, a program, a file that is no record."""
        path, _ = self._some(a)
        if b % 4 == 0 and path:
            self.files[path] = ("120000", b"../elsewhere.yaml")
        elif b % 4 == 1 and path:
            self.files[path] = ("160000", b"a" * 40)
        elif b % 4 == 2 and path and self.files[path][0].startswith("100"):
            self.files[path] = ("100755", self.files[path][1])
        else:
            self.files[f".lessons/README{a % 2}.md"] = ("100644", f"{b}".encode())

    # what a step may do with commits

    def commit(
        self, a: int, parents: list[str] | None = None, files: dict[str, Content] | None = None
    ) -> str:
        if parents is None:
            parents = [self.tip] if self.branches else []
        self.when += SKEWS[a % len(SKEWS)]
        self.number += 1
        if files is not None:
            self.files = files
        lines = [f"tree {self._tree_of(self.files)}", *(f"parent {p}" for p in parents)]
        who = f"{('Ada', 'Bob')[a % 2]} <{'ab'[a % 2]}@example.org> {max(self.when, 0)} +0200"
        text = "\n".join([*lines, f"author {who}", f"committer {who}", "", f"commit {self.number}\n"])
        oid = self._put("commit", text.encode())
        self._point(self.branch, oid)
        return oid

    def fork(self, a: int, b: int) -> None:
        commits = self.objects.chain(self.tip)
        self._point(f"side{b % 3}", commits[a % len(commits)])
        self.switch(f"side{b % 3}")

    def change_branch(self, a: int, b: int) -> None:
        self.switch(sorted(self.branches)[a % len(self.branches)])

    def merge(self, a: int, b: int) -> None:
        """By hand: no fast-forward, fast-forward, squash, octopus; either side of a conflict is right."""
        others = [name for name in sorted(self.branches) if self.branches[name] != self.tip]
        if not others:
            return
        theirs = [self.branches[others[a % len(others)]]]
        if b % 5 == 4 and len(others) > 1:
            theirs.append(self.branches[others[(a + 1) % len(others)]])
        elif b % 5 == 3 and self.tip in self.objects.chain(theirs[0]):
            self._point(self.branch, theirs[0])
            self.load()
            return
        files = dict(self.files)
        for other in theirs:
            own = self._read(other)
            files |= {
                path: content for path, content in own.items() if (len(path) + b) % 3 or path not in files
            }
        self.commit(a, [self.tip] if b % 5 == 2 else [self.tip, *theirs], files)
        return

    def amend(self, a: int, b: int) -> None:
        self.commit(a, self.objects.commit(self.tip)[1])

    def back(self, a: int, b: int) -> None:
        commits = self.objects.chain(self.tip)
        self._point(self.branch, commits[-1 - a % min(4, len(commits))])
        self.load()

    def program(self, a: int, b: int) -> None:
        """The same by the git program, in the work tree."""
        others = [name for name in sorted(self.branches) if name != self.branch]
        if not others:
            return
        other = others[b % len(others)]
        self._git("reset", "-q", "--hard")
        self._git("clean", "-qfd")
        how: list[tuple[str, ...]] = [
            ("merge", "-q", "--no-ff", "-X", "ours", "-m", "merge", other),
            ("merge", "-q", "--squash", "-X", "theirs", other),
            ("rebase", "-q", "-X", "theirs", other),
            ("commit", "-q", "--allow-empty", "--amend", "-m", "amended"),
            ("cherry-pick", "-X", "theirs", "--allow-empty", other),
            ("revert", "--no-edit", "HEAD"),
            ("merge", "-q", "--ff-only", other),
        ]
        done = self._git(*how[a % len(how)])
        if done and a % len(how) == 1:
            self._git("commit", "-q", "--allow-empty", "-m", "squashed")
        elif not done:
            for command in ("merge", "rebase", "cherry-pick", "revert"):
                self._git(command, "--abort")
            self._git("reset", "-q", "--hard")
        self._point(self.branch, self.repo.git("rev-parse", "HEAD"))
        self.load()

    def switch(self, name: str) -> None:
        self.branch = name
        (self.root / ".git/HEAD").write_text(f"ref: refs/heads/{name}\n")
        self.load()

    def load(self) -> None:
        self.files = self._read(self.tip)

    def _read(self, commit: str) -> dict[str, Content]:
        found = {}
        for path, (mode, oid) in self.objects.files(commit).items():
            found[path] = (mode, bytes.fromhex(oid) * 2 if mode == "160000" else self.objects.read(oid))
        return found

    def _git(self, *args: str) -> bool:
        self.when += SKEWS[len(args) % len(SKEWS)]
        stamp = {"GIT_COMMITTER_DATE": f"@{max(self.when, 0)} +0000"}
        done = subprocess.run(["git", *args], cwd=self.root, env={**os.environ, **stamp}, capture_output=True)
        return done.returncode == 0

    def _point(self, branch: str, oid: str) -> None:
        self.branches[branch] = oid
        (self.root / ".git/refs/heads" / branch).write_text(oid + "\n")
        (self.root / ".git/HEAD").write_text(f"ref: refs/heads/{self.branch}\n")

    def _blob(self, data: bytes) -> str:
        return self._put("blob", data)

    def _tree_of(self, files: dict[str, Content]) -> str:
        below: dict[str, dict[str, Content]] = {}
        entries = []
        for path, content in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = content
            else:
                mode, data = content
                oid = "a" * 40 if mode == "160000" else self._blob(data)
                entries.append((name, mode, oid))
        entries += [(name + "/", "40000", self._tree_of(inside)) for name, inside in below.items()]
        rows = [
            f"{mode} {name.rstrip('/')}\0".encode() + bytes.fromhex(oid)
            for name, mode, oid in sorted(entries)
        ]
        return self._put("tree", b"".join(rows))

    def _put(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(whole).hexdigest()
        file = Path(self.root, ".git/objects", oid[:2], oid[2:])
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(whole, 1))
        return oid
