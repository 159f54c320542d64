"""The package's modules and what they import, read from their source and never by importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "chalkgit"


def files() -> dict[str, Path]:
    """Module name to file."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(file: Path, modules: set[str]) -> set[str]:
    """The modules a file imports anywhere: at the top, in functions, under TYPE_CHECKING."""
    return {name for node in _importing(file) for name in _named(node, modules)}


@cache
def _importing(file: Path) -> list[ast.AST]:
    """The imports of a file; two dozen tests ask for those of every file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _named(node: ast.AST, modules: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports are not used"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in modules else str(node.module)


def graph() -> dict[str, set[str]]:
    """Module to the modules of this package that it imports."""
    found = files()
    modules = set(found)
    return {name: imports(file, modules) & modules for name, file in found.items()}


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """One import cycle, or nothing."""
    done: set[str] = set()

    def walk(name: str, above: list[str]) -> list[str]:
        if name in above:
            return [*above[above.index(name) :], name]
        if name in done:
            return []
        for other in sorted(edges[name]):
            if found := walk(other, [*above, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(edges) if (found := walk(name, []))), [])
