"""A damaged record costs itself one named line, and all others are served; stored text is only ever shown."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

ROUTE = "cache the parsed manifest between test runs"
HEAD = "kind: dead-end\nroute: r\nobservation: o\n"
CONFLICT = f"id: aaaaaaaa\n<<<<<<< HEAD\n{HEAD}=======\n{HEAD}>>>>>>> side\n"
ALIASES = "a: &a [x, x]\n" + "".join(
    f"{c}: &{c} [*{p}, *{p}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)
)

# What is in the file, and where and what is said of it.
DAMAGED: dict[str, tuple[bytes, str]] = {
    "corrupt": (b"id: aaaaaaaa\nkind: [\n", ":"),
    "conflict": (CONFLICT.encode(), ":2: unresolved merge conflict"),
    "latin-1": (b"id: aaaaaaaa\nkind: dead-end\nroute: caf\xe9\n", ":3: the file is not UTF-8"),
    "utf-16": (f"id: aaaaaaaa\n{HEAD}".encode("utf-16"), ":1: the file is not UTF-8"),
    "deep": (b"id: aaaaaaaa\nkind: dead-end\nroute: " + b"[" * 100_000, ":"),
    "deep-map": ("".join(f"{'  ' * n}a:\n" for n in range(400)).encode(), ":"),
    "bomb": (ALIASES.encode(), ":"),
    "tag": (f"id: aaaaaaaa\n{HEAD}x: !!python/object/apply:os.system [ls]\n".encode(), ":5:"),
    "twice-a-key": (f"id: aaaaaaaa\n{HEAD}route: again\n".encode(), ":5:"),
    "empty": (b"", ""),
    "no-kind": (b"id: aaaaaaaa\nroute: r\n", ":1: the record has no kind"),
    "no-id": (HEAD.encode(), ":1: the record has no id"),
    "two-documents": (f"id: aaaaaaaa\n{HEAD}---\n{HEAD}".encode(), ":"),
    "nul": (f"id: aaaaaaaa\n{HEAD}x: a\0b\n".encode(), ":5:"),
    "escape": (f"id: aaaaaaaa\n{HEAD}x: a\x1b[2Jb\n".encode(), ":5:"),
    "list": (b"- a\n- b\n", ":1:"),
}


@pytest.fixture(name="good")
def good_fixture(repo: Repo) -> str:
    return repo.record(route=ROUTE, observation="it went stale", files=["src/a.py"]).id


def _assert_served(chalk: Inside, good: str, path: str, said: str, lines: int = 1) -> None:
    for args, code in (
        (("check", ROUTE), 1),
        (("check", "add dark mode"), 0),
        (("at", "src/a.py"), 0),
        (("list",), 0),
        (("export",), 0),
    ):
        result = chalk(*args)
        assert result.code == code, (args, result)
        assert good in result.out or args[1] == "add dark mode"
        told = [line for line in result.err.splitlines() if "skipped" in line]
        assert len(told) == lines == len(result.err.splitlines()), result.err
        assert f"{path}{said}" in told[0]
        assert len(told[0]) < 400
    lint = chalk("lint")
    assert lint.code == 1
    assert said.removeprefix(":") in lint.out
    assert path in lint.out


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_record_costs_itself_one_named_line(
    repo: Repo, chalk: Inside, good: str, name: str
) -> None:
    data, said = DAMAGED[name]
    repo.write(f".lessons/dead-ends/{name}.yaml", data)
    _assert_served(chalk, good, f".lessons/dead-ends/{name}.yaml", said)
    assert chalk("show", good).code == 0
    assert chalk("tried", "rotate the keys", "--because", "no").code == 0


def test_a_huge_record_is_not_read(repo: Repo, chalk: Inside, good: str) -> None:
    file = repo.write(".lessons/huge.yaml", f"id: aaaaaaaa\n{HEAD}")
    with file.open("r+b") as opened:
        opened.truncate(50 * 1024 * 1024)
    _assert_served(chalk, good, ".lessons/huge.yaml", ": is 52,428,800 bytes long")


def test_a_link_is_not_followed(repo: Repo, chalk: Inside, good: str, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(f"id: aaaaaaaa\n{HEAD}")
    (repo.root / ".lessons/link.yaml").symlink_to(tmp_path / "secret.yaml")
    _assert_served(chalk, good, ".lessons/link.yaml", ": is a symbolic link")
    assert "aaaaaaaa" not in chalk("list").out
    assert chalk("fmt").code == 2
    assert (tmp_path / "secret.yaml").read_text() == f"id: aaaaaaaa\n{HEAD}"


def test_a_folder_that_is_a_link_is_not_followed(
    repo: Repo, chalk: Inside, good: str, tmp_path: Path
) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away/a.yaml").write_text(f"id: aaaaaaaa\n{HEAD}")
    (repo.root / ".lessons/procedures").symlink_to(tmp_path / "away")
    _assert_served(chalk, good, ".lessons/procedures", ": is a symbolic link")
    result = chalk("works", "r", "--mind", "t")
    assert (result.code, "is a symbolic link" in result.err) == (2, True)
    assert sorted(p.name for p in (tmp_path / "away").iterdir()) == ["a.yaml"]


def test_of_two_files_with_one_id_the_first_is_read_and_the_other_named(
    repo: Repo, chalk: Inside, good: str
) -> None:
    record = chalk.json("show", good)["records"][0]
    repo.write(".lessons/z-copy.yaml", (repo.root / record["path"]).read_bytes())
    _assert_served(
        chalk, good, ".lessons/z-copy.yaml", f": has the id {good}, which {record['path']} has too"
    )
    assert len(chalk.json("list")["records"]) == len(chalk("export").out.splitlines()) == 1
    assert chalk.json("check", ROUTE, code=1)["records"] == 1
    assert len(chalk.ids("check", ROUTE)) == 1
    assert len(chalk.ids("at", "src/a.py")) == 1
    assert chalk("fmt", "--new-id", ".lessons/z-copy.yaml").code == 0
    assert chalk("lint").code == 0


def test_a_value_that_is_dropped_is_a_finding_of_lint_alone(repo: Repo, chalk: Inside, good: str) -> None:
    repo.write(".lessons/odd.yaml", f"id: aaaaaaaa\n{HEAD}layer: weather\n")
    assert chalk("check", ROUTE).err == ""
    result = chalk("lint")
    assert result.code == 1
    assert ".lessons/odd.yaml:5: “weather” is no layer" in result.out
    assert "layer" not in chalk.json("show", "aaaaaaaa")["records"][0]
    found = chalk.json("lint", code=1)["findings"]
    assert [(f["path"], f["line"], f["fatal"]) for f in found] == [(".lessons/odd.yaml", 5, False)]


def test_lint_names_what_only_shows_among_several(repo: Repo, chalk: Inside, good: str) -> None:
    repo.record(ref="a:1", route="one", observation="x", supersedes=["zzzzzzzz"])
    repo.record(ref="a:1", route="two", observation="x")
    repo.write(".lessons/other.yml", "kind: dead-end\n")
    out = chalk("lint").out
    assert "supersedes zzzzzzzz, which is no record here" in out
    assert "has the ref a:1, which" in out
    assert ".lessons/other.yml: is not read" in out


# Everything with which text can play with a terminal or its reader.
HOSTILE = "\u009b2J\u202eevil\u2066\u200b\u2028\u0085\ufeff\U000e0041\u2061\u206f\ufff9 end"


def _is_harmless(text: str) -> bool:
    shown = [c for c in text if c not in "\n\u200d"]
    return not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") for c in shown)


def test_nothing_stored_reaches_a_terminal_as_more_than_text(repo: Repo, chalk: Inside) -> None:
    said = HOSTILE.replace("\u009b", "").replace("\ufeff", "")
    escaped = "".join(f"\\U{ord(c):08x}" for c in said)
    names = ("observation", "alternative", "by", "ref", "probe", "mood")
    fields = "".join(f'{name}: "{escaped}"\n' for name in names)
    lists = f'tags: ["{escaped}"]\nevidence: ["{escaped}"]\nfiles: ["src/a.py", "src/{escaped}"]\n'
    depends = f'depends-on:\n  "{escaped}": "{escaped}"\n'
    text = f'id: aaaaaaaa\nkind: dead-end\nroute: "{ROUTE} {escaped}"\n{fields}{lists}{depends}'
    repo.write(".lessons/hostile.yaml", text)
    repo.write(f".lessons/{said.strip()[:20].replace('/', '')}.yaml", f"id: aaaaaaab\n{HEAD}")
    repo.write(f".lessons/bad{HOSTILE}.yaml", "kind: [\n")
    repo.commit(f"said {HOSTILE.replace(chr(0x2028), '').replace(chr(0x85), '')}")
    for args in (
        ("check", ROUTE),
        ("at", "src/a.py", f"src/{HOSTILE}"),
        ("show", "aaaaaaaa"),
        ("show", "aaaa"),
        ("show", HOSTILE + "aaaa"),
        ("list",),
        ("lint",),
        ("check", HOSTILE),
        ("tried", ROUTE),
        ("correct", "aaaaaaaa", "--layer", HOSTILE),
        ("correct", "aaaaaaaa", "--tags", "x"),
        ("stores", "add", HOSTILE),
    ):
        result = chalk(*args)
        assert result.code in (0, 1, 2), args
        assert _is_harmless(result.out), (args, result.out)
        assert _is_harmless(result.err), (args, result.err)


def test_a_commit_message_with_foreign_line_ends_is_shown_too(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    repo.commit("said\u2028so")
    assert chalk("show", record.id).code == 0


def test_json_keeps_the_text_and_escapes_what_a_terminal_would_obey(repo: Repo, chalk: Inside) -> None:
    said = "\u202eevil\u2066\u200b\u2028\U000e0041 end"
    repo.record(route=f"{ROUTE} {said}", observation="no", files=["src/a.py"])
    for args, key in ((("check", ROUTE), "rulings"), (("at", "src/a.py"), "rulings"), (("list",), "records")):
        out = chalk(*args, "--json").out
        assert _is_harmless(out)
        assert json.loads(out)[key][0]["route"] == f"{ROUTE} {said}"
    batch = chalk("check", "--batch", "-", stdin=ROUTE + "\n").out
    assert batch.count("\n") == 1
    assert json.loads(batch)["rulings"][0]["route"] == f"{ROUTE} {said}"
