"""How Python, npm, Go and Cargo write dependencies: files as (name, version or specifier) pairs, and ranges.

Lockfiles are read line by line where their generator fixes the lines. Versions are judged by `packaging`;
what it cannot parse is None, "cannot tell", and only == and != then compare the text itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chalkgit.thresholds import VERSION_LENGTH

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

Pairs = Iterator[tuple[str, str]]
Reader = Callable[[str], Pairs]
Clause = tuple[str, str]  # operator, version

CLAUSE = r"[\s,]*(\^|~=|~>|~|===|==|>=|<=|!=|>|<|=)?\s*[vV]?(\*|[xX]|[0-9][0-9A-Za-z.+!*_-]*)(?=[\s,]|$)"
OPERATORS = ("===", "==", "~=", "!=", ">=", "<=", ">", "<")


def packages(said: str) -> Pairs:
    """uv.lock, poetry.lock and Cargo.lock: `[[package]]` tables with a name and a version."""
    # 200 packages of uv.lock: tomllib 75 ms and 11 to import it, by line 1 ms
    blocks = ("\n" + said).split("\n[[package]]\n")
    if len(blocks) == 1 and "\npackage = []" not in "\n" + said:
        raise ValueError("no package in it")
    for block in blocks[1:]:
        head = block.split("\n[", 1)[0].split("\n")
        name, version = _quoted(head, "name = "), _quoted(head, "version = ")
        if name and version:
            yield name, version


def _quoted(lines: list[str], key: str) -> str | None:
    value = next((line.removeprefix(key).strip() for line in lines if line.startswith(key)), "")
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else None


def package_lock(said: str) -> Pairs:
    """npm's, of version 1 (nested `dependencies`), 2 and 3 (`packages` by place)."""
    data = _json(said)
    for place, entry in data.get("packages", {}).items():
        _, inside, name = place.rpartition("node_modules/")
        if inside and isinstance(entry.get("version"), str):
            yield entry.get("name") or name, entry["version"]
    levels = [] if "packages" in data else [data.get("dependencies", {})]
    while levels:
        for name, entry in levels.pop().items():
            if isinstance(entry.get("version"), str):
                yield name, entry["version"]
            levels.append(entry.get("dependencies", {}))


def yarn_lock(said: str) -> Pairs:
    """Both of yarn's forms: `name@range, name@range:` and indented under it the version."""
    name = ""
    for line in said.split("\n"):
        if line[:1] not in (" ", "#", ""):
            first = line.split(",")[0].strip().strip('":')
            name = first[: first.index("@", 1)] if "@" in first[1:] else ""
        elif name and line.startswith("  version"):
            yield name, line.removeprefix("  version").strip(' :"')
            name = ""


def go_mod(said: str) -> Pairs:
    """The versions that go.mod selects, replaced ones as replaced."""
    required: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for verb, words in _go_lines(said):
        if verb == "require" and len(words) == 2:
            required[words[0]] = words[1]
        elif verb == "replace" and "=>" in words and len(words) - words.index("=>") == 3:
            replaced[words[0]] = words[-1]
    yield from {**required, **{name: v for name, v in replaced.items() if name in required}}.items()


def _go_lines(said: str) -> Iterator[tuple[str, list[str]]]:
    verb = ""
    for line in said.split("\n"):
        words = line.split("//")[0].split()
        if words[1:] == ["("]:
            verb = words[0]
        elif words == [")"]:
            verb = ""
        elif words:
            yield (verb, words) if verb else (words[0], words[1:])


def requirements(said: str) -> Pairs:
    """requirements.txt: what it asks for by name; options, links and paths are passed over."""
    for line in said.split("\n"):
        yield from _requirement(line)


def pinned(spec: str) -> list[str]:
    """The one version that a Python specifier names exactly: as good as a lock."""
    version = spec.removeprefix("===").removeprefix("==").strip()
    exact = spec.startswith("==") and version and not any(c in version for c in "*,<>=!~| ")
    return [version] if exact else []


def _requirement(line: str) -> Pairs:
    """The name and the specifier of a PEP 508 line; nothing for anything else."""
    head = line.split(";")[0].split(" #")[0].split(" --")[0].rstrip("\\").strip()
    size = next(
        (i for i, c in enumerate(head) if not (c.isascii() and (c.isalnum() or c in "-_."))), len(head)
    )
    name, rest = head[:size], head[size:].strip()
    if rest.startswith("["):
        rest = rest.partition("]")[2].strip()
    spec = "" if rest.startswith("@") else rest.strip("() ")
    if name[:1].isalnum() and (not spec or spec.startswith(OPERATORS)):
        yield name, spec


def pyproject(said: str) -> Pairs:
    data = _toml(said)
    project = data.get("project", {})
    lists = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
    lists += data.get("dependency-groups", {}).values()
    if isinstance(project.get("requires-python"), str):
        yield "python", project["requires-python"]
    for line in (line for lines in lists for line in lines if isinstance(line, str)):
        yield from _requirement(line)
    yield from _poetry(data.get("tool", {}).get("poetry", {}))


def _poetry(poetry: dict[str, Any]) -> Pairs:
    groups = [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in (poetry.get("dependencies", {}), poetry.get("dev-dependencies", {}), *groups):
        for name, value in table.items():
            several = value if isinstance(value, list) else [value]
            yield name, _poetry_spec(" || ".join(_version(one) for one in several))


def _poetry_spec(spec: str) -> str:
    return f"=={spec}" if spec[:1].isdigit() and "|" not in spec and "," not in spec else spec


def cargo_toml(said: str) -> Pairs:
    data = _toml(said)
    for place in (data, data.get("workspace", {}), *data.get("target", {}).values()):
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in place.get(kind, {}).items():
                real = value.get("package", name) if isinstance(value, dict) else name
                yield real, _version(value)


def package_json(said: str) -> Pairs:
    data = _json(said)
    for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "engines"):
        for name, value in data.get(kind, {}).items():
            yield name, _version(value)


def _version(value: Any) -> str:
    version = value.get("version", "") if isinstance(value, dict) else value
    return version if isinstance(version, str) else ""


def _json(said: str) -> dict[str, Any]:
    import json

    data = json.loads(said)
    if not isinstance(data, dict):
        raise ValueError("no JSON object")
    return data


def _toml(said: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(said)


def bare(version: str) -> str:
    """Without the v or = that git tags, Go and npm put in front."""
    version = version.strip()
    rest = version.lstrip("=").lstrip("vV").strip()
    return rest if rest[:1].isdigit() and not version.startswith("===") else version


def prefix(ours: str, theirs: str) -> bool | None:
    """Whether one version begins with the other, 4.2.0 and 4.2 alike; None where either is no version."""
    if max(len(ours), len(theirs)) > VERSION_LENGTH:
        return None
    a, b = _numbers(ours), _numbers(theirs)
    if a is None or b is None:
        return _prefix(ours, theirs)
    return (b + [0] * len(a))[: len(a)] == a


def allows(spec: str, version: str, kind: str) -> bool | None:
    """Whether the specifier, as the ecosystem `kind` writes it, lets the version in."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    version = bare(version)
    if max(len(spec), len(version)) > VERSION_LENGTH:
        return None
    try:
        found = Version(version)
        sets = [SpecifierSet(",".join(_written(one, kind)), prereleases=True) for one in spec.split("||")]
        return any(one.contains(found) for one in sets)
    except ValueError:
        return _literally(spec.strip(), version)


def versions(spec: str) -> list[str]:
    """The versions that a specifier names."""
    try:
        return [version for one in spec.split("||") for _, version in _clauses(one)]
    except ValueError:
        return []


def _numbers(version: str) -> list[int] | None:
    parts = version.split(".")
    return [int(part) for part in parts] if all(p.isascii() and p.isdecimal() for p in parts) else None


def _prefix(ours: str, theirs: str) -> bool | None:
    from packaging.version import Version

    try:
        a, b = Version(ours), Version(theirs)
    except ValueError:
        return None
    if a.pre or a.post is not None or a.dev is not None or a.local:
        return a == b
    padded = b.release + (0,) * len(a.release)
    return a.epoch == b.epoch and padded[: len(a.release)] == a.release


def _literally(spec: str, version: str) -> bool | None:
    if spec[:2] not in ("==", "!=") or any(c in spec for c in "*,| "):
        return None
    return (bare(spec.lstrip("=!")) == version) is (spec[0] == "=")


def _clauses(spec: str) -> list[Clause]:
    import re

    if re.sub(CLAUSE, "", spec).strip(" ,\t"):
        raise ValueError(spec)
    return [(operator, version) for operator, version in re.findall(CLAUSE, spec)]


def _written(spec: str, kind: str) -> Iterator[str]:
    """The specifier's clauses as PEP 440 writes them."""
    for operator, version in _clauses(spec):
        base = _base(version)
        if not base:
            continue
        if operator == "^" or (operator == "" and kind == "cargo" and base == version):
            yield from _between(base, _caret(base))
        elif operator in ("~", "~>"):
            yield from _between(base, min(1, base.count(".")))
        elif operator in ("", "="):
            partial = base != version or (kind != "python" and base.count(".") < 2)
            yield f"=={base}.*" if partial else f"=={base}"
        else:
            yield operator + (version if operator in ("==", "!=") else base)


def _base(version: str) -> str:
    """Without the parts left free: 1.2 of 1.2.x, nothing of *."""
    while version[-2:] in (".x", ".X", ".*"):
        version = version[:-2]
    return "" if version in ("*", "x", "X") else version


def _caret(version: str) -> int:
    """The part that ^ holds: the first that is not 0, or else the last."""
    release = _release(version)
    return next((place for place, part in enumerate(release) if part), len(release) - 1)


def _between(version: str, held: int) -> Iterator[str]:
    release = list(_release(version))
    yield f">={version}"
    yield "<" + ".".join(str(part) for part in [*release[:held], release[held] + 1])


def _release(version: str) -> tuple[int, ...]:
    from packaging.version import Version

    return Version(version).release
