"""Files, index and a plain dict agree after any sequence of writes, checkouts, crashes and damage."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from repository import Repo

from chalkgit import config, thresholds
from chalkgit.answers import repair
from chalkgit.index import refresh, texts
from chalkgit.index.generation import Index
from chalkgit.index.vector_files import Entry, Key
from chalkgit.index.vectors import Vectors
from chalkgit.records import paths
from chalkgit.records.record import Record
from chalkgit.store import worktree, writes

# Words that no stemmer takes apart and no slip turns into one another.
WORDS = "zebra quartz falcon mango violin rocket pepper lagoon bishop cactus".split()
KINDS = ["dead-end", "procedure", "lesson"]
KEY = Key("a model", "1", 8)


def unit(digest: str) -> numpy.ndarray:
    """A vector that is the same for the same content."""
    made = numpy.random.default_rng(int(digest, 16)).normal(size=KEY.dimension).astype("float32")
    return numpy.asarray(made / numpy.linalg.norm(made))


def entry(record_id: str, digest: str) -> Entry:
    return Entry(record_id, digest, unit(digest), numpy.stack([unit(digest), unit(digest[::-1])]), 1)


class Agreement(RuleBasedStateMachine):
    template: Repo

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(self.template.root, self.folder / "repo", symlinks=True)
        self.repo = Repo(self.folder / "repo")
        self.repo.commit()
        self.branches: dict[str, dict[str, Record]] = {"main": {}}
        self.branch = "main"
        self.model: dict[str, Record] = {}  # path to record
        self.random = random.Random(0)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def some(self) -> Record:
        return self.model[self.random.choice(sorted(self.model))]

    @rule(
        kind=st.sampled_from(KINDS),
        word=st.sampled_from(WORDS),
        other=st.sampled_from(WORDS),
        seed=st.integers(),
    )
    def put(self, kind: str, word: str, other: str, seed: int) -> None:
        self.random.seed(seed)
        files = [f"src/{other}.py", f"{word}.go", "lib/*.c"][: seed % 4]
        fields: dict[str, Any] = {"kind": kind, "tags": [word]}
        if files:
            fields["files"] = files
        if kind == "lesson":
            fields |= {"failure": {"error": word}, "resolution": other}
        else:
            fields |= {"route": f"try the {word} of {other}"}
        record = writes.add(self.repo.place, fields, {r.id for r in self.model.values()})
        self.model[record.path] = record

    @precondition(lambda self: self.model)
    @rule(word=st.sampled_from(WORDS), seed=st.integers())
    def edit(self, word: str, seed: int) -> None:
        self.random.seed(seed)
        record = writes.change(self.repo.place, self.some(), {"tags": [word, "edited"]})
        self.model[record.path] = record

    @precondition(lambda self: self.model)
    @rule(seed=st.integers())
    def retire(self, seed: int) -> None:
        self.random.seed(seed)
        record = writes.change(self.repo.place, self.some(), {"retired": {"because": "over"}, "tags": None})
        self.model[record.path] = record

    @precondition(lambda self: self.model)
    @rule(seed=st.integers())
    def remove(self, seed: int) -> None:
        self.random.seed(seed)
        (self.repo.root / self.some().path).unlink()
        self.model = {path: r for path, r in self.model.items() if (self.repo.root / path).exists()}

    @precondition(lambda self: self.model)
    @rule(seed=st.integers())
    def move(self, seed: int) -> None:
        self.random.seed(seed)
        record = self.some()
        new = f".lessons/moved/{seed % 9}.{record.id}.yaml"
        (self.repo.root / ".lessons/moved").mkdir(exist_ok=True)
        os.rename(self.repo.root / record.path, self.repo.root / new)
        del self.model[record.path]
        self.model[new] = record.at(new)

    @rule(seed=st.integers())
    def spoil(self, seed: int) -> None:
        """A file that is no record, or was one."""
        self.random.seed(seed)
        record = self.some() if self.model and seed % 2 else None
        path = record.path if record else ".lessons/spoilt.yaml"
        self.repo.write(path, "id: [\n")
        self.model.pop(path, None)

    @rule(name=st.sampled_from(["main", "side", "other"]))
    def checkout(self, name: str) -> None:
        self.repo.commit()
        self.branches[self.branch] = dict(self.model)
        if name not in self.branches:
            self.repo.git("branch", name)
            self.branches[name] = dict(self.model)
        self.repo.git("checkout", "-q", name)
        self.branch, self.model = name, dict(self.branches[name])

    @rule(
        how=st.sampled_from(
            [
                ("add", "-A"),
                ("add", "-N", "."),
                ("reset", "-q"),
                ("rm", "-r", "-q", "--cached", "--ignore-unmatch", ".lessons/dead-ends"),
                ("update-index", "--index-version", "4"),
                ("update-index", "--index-version", "2"),
                ("status",),
                ("commit", "-q", "--allow-empty", "-m", "staged"),
            ]
        )
    )
    def stage(self, how: tuple[str, ...]) -> None:
        """What git's index says changes nothing of what the files say."""
        self.repo.git(*how)

    @precondition(lambda self: self.model)
    @rule(seed=st.integers())
    def touch(self, seed: int) -> None:
        self.random.seed(seed)
        os.utime(self.repo.root / self.some().path, (10**9, 10**9))

    @rule(everything=st.booleans())
    def look_with_another_index(self, everything: bool) -> None:
        """As a hook of `git commit -a` or `git commit PATH` does."""
        root, name = self.repo.root, "GIT_INDEX_FILE"
        index = root / ".git/index.lock"
        shutil.copy(root / ".git/index", index)
        os.environ[name] = str(index)
        config.claim(str(root))
        try:
            if everything:
                self.repo.git("add", "-A")
            hurried = refresh.up_to_date(self.repo.place, words=False)
            assert rows_of(hurried)[0] == {path: (r.id, r.fields) for path, r in self.model.items()}
        finally:
            config._ours.clear()
            del os.environ[name]
            index.unlink()

    @rule()
    def refresh(self) -> None:
        refresh.up_to_date(self.repo.place)

    @rule()
    def crash(self) -> None:
        Path(self.repo.place.derived, "manifest.json").unlink(missing_ok=True)

    @rule(
        seed=st.integers(),
        how=st.sampled_from(["cut", "scramble", "empty", "remove"]),
        part=st.sampled_from(["", "vectors"]),
    )
    def damage(self, seed: int, how: str, part: str) -> None:
        """Of any file of the derived data, the vectors among them."""
        derived = Path(self.repo.place.derived, part)
        files = (
            sorted(f for f in derived.rglob("*") if f.is_file() and f.name != "lock")
            if derived.is_dir()
            else []
        )
        if not files:
            return
        self.random.seed(seed)
        file = self.random.choice(files)
        size = file.stat().st_size
        if how == "remove":
            file.unlink()
        elif how == "scramble":
            file.write_bytes(self.random.randbytes(size))
        else:
            os.truncate(file, 0 if how == "empty" else self.random.randrange(size + 1))

    @invariant()
    def all_agree(self) -> None:
        if not hasattr(self, "repo"):
            return
        repair.once(self._agree)

    def _agree(self, rebuild: bool) -> None:
        hurried = refresh.up_to_date(self.repo.place, rebuild=rebuild, words=False)
        known = rows_of(hurried)
        index = refresh.up_to_date(self.repo.place)
        assert rows_of(index) == known
        said = said_by(index)
        fresh = refresh.in_memory(self.repo.place, worktree.look(self.repo.place), OSError())
        assert said == said_by(fresh)
        bodies, names, hits = said
        assert bodies == {path: (r.id, r.fields) for path, r in self.model.items()}
        assert names == {(n, path) for path, r in self.model.items() for n in paths.named(r)}
        for word in WORDS:
            assert index.words.frequency(word) == fresh.words.frequency(word)
            asked = [r for r in self.model.values() if r.kind in texts.CHECKED]
            holding = {r.path for r in asked if word in texts.body(r).split()}
            assert hits[word] == holding or not holding, word
        self._vectors_agree(index)

    def _vectors_agree(self, index: Index) -> None:
        wanted = {row[0]: row[1] for row in index.table.vectors()}
        assert wanted == {
            r.id: texts.embedded_hash(r) for r in self.model.values() if r.kind in texts.CHECKED
        }
        vectors = Vectors(self.repo.place, KEY)
        query = unit("abc")
        vectors.add([entry(i, wanted[i]) for i in vectors.missing(wanted)])
        vectors.similar(query, wanted)
        vectors.add([entry(i, wanted[i]) for i in vectors.missing(wanted)])  # what was found to be damaged
        kept = Vectors(self.repo.place, KEY)
        found = kept.compared(query, query[None], [1], wanted)
        cosines = {i: cosine for i, (cosine, late) in found.items() if late is not None}
        assert cosines.keys() == wanted.keys()
        nearest = [i for i, digest in kept.nearest(query, len(kept)) if wanted.get(i) == digest]
        assert set(nearest) == wanted.keys()
        for i, cosine in cosines.items():
            assert cosine == pytest.approx(float(unit(wanted[i]) @ query), abs=1e-4)


def rows_of(index: Index) -> tuple[dict[str, Any], set[tuple[str, str]]]:
    rows = index.table.rows("select path, id, body from files where body is not null")
    bodies = {path: (i, json.loads(body)) for path, i, body in rows}
    return bodies, set(index.table.rows("select key, path from names"))


def said_by(index: Index) -> tuple[dict[str, Any], set[tuple[str, str]], dict[str, set[str]]]:
    bodies, names = rows_of(index)
    hits = {word: {path for path, _ in index.words.search(word, 999)} for word in WORDS}
    return bodies, names, hits


def test_files_index_and_dict_agree(template: Repo, sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "DOUBTFUL", 3)
    monkeypatch.setattr(thresholds, "LATE_RECORDS", 3)
    monkeypatch.setattr(thresholds, "LATE_SHARE", 1)
    machine = type("Machine", (Agreement,), {"template": template})
    state = settings(
        max_examples=20,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(machine, settings=state)
