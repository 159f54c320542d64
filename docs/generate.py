"""What cog writes into the documents, between its markers: taken from the code, never restated by hand.

cog -r -I docs README.md docs/*.md
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import click

from chalkgit.cli import app
from chalkgit.failures import rules as normal
from chalkgit.records import fields

ROOT = Path(__file__).parents[1]
WIDTH = 100
_SHOWN = 60  # characters of a line in a table
_SHAPES = {
    fields.TEXT: "text",
    fields.LINE: "one line",
    fields.WORD: "a word",
    fields.DATE: "a date",
    fields.FLAG: "`true`",
    fields.LINES: "a list of lines",
    fields.VERSIONS: "name: version",
    fields.PERSON: "a name, or name and agent",
    fields.PARTS: "a mapping",
}


def helps() -> str:
    """The `--help` of the program and of every command, in the order of `chalkgit --help`."""
    return "\n".join(f"```text\n$ {call} --help\n{said}\n```\n" for call, said in _helps(app.main, None))


def _helps(command: click.Command, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    name = command.name if parent else "chalkgit"
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH)
    context.terminal_width = WIDTH
    context.help_option_names = ["-h", "--help"]
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _helps(found, context)


def table() -> str:
    """The fields of a record, in the order that `fmt` writes."""
    lines = ["| field | kinds | value | meaning |", "| --- | --- | --- | --- |"]
    for field in fields.FIELDS:
        kinds = "all" if field.kinds == fields.ALL else ", ".join(field.kinds)
        lines.append(f"| `{field.name}` | {kinds} | {_value(field)} | {field.meaning} |")
    return "\n".join(lines) + "\n"


def _value(field: fields.Field) -> str:
    if field.shape == fields.PARTS:
        return ", ".join(f"`{part}` ({_part(field.name, part, of)})" for part, of in field.parts.items())
    if field.shape != fields.WORD or field.name == "kind":
        return _SHAPES[field.shape]
    different = dict.fromkeys(field.words.values())
    return "; or ".join(", ".join(f"`{word}`" for word in words) for words in different)


def _part(name: str, part: str, shape: str) -> str:
    words = fields.PART_WORDS.get(f"{name}.{part}")
    return ", ".join(words) if words else _SHAPES[shape]


def source(file: str, *names: str) -> str:
    """These functions or methods (`Class.method`) of a file, as they stand there."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = [_cut(text, ast.parse(text), name.split(".")) for name in names]
    return f"```python\n# {file}\n" + "\n\n\n".join(found) + "\n```\n"


def _cut(text: str, tree: ast.AST, path: list[str]) -> str:
    for name in path:
        tree = next(node for node in ast.iter_child_nodes(tree) if getattr(node, "name", "") == name)
    assert isinstance(tree, ast.FunctionDef | ast.ClassDef)
    lines = text.splitlines()[tree.lineno - 1 : tree.end_lineno]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def section(file: str, title: str) -> str:
    """The part of a file under a `# --- title ---` line, up to the next one."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"# --- {title} "))
    end = next(at for at in range(start + 1, len(lines)) if lines[at].startswith("# --- "))
    return f"```python\n# {file}\n" + "\n".join(lines[start + 1 : end]).strip() + "\n```\n"


def rules() -> str:
    """The rules that a failure is normalised by, in their order, each with lines that become equal by it."""
    lines = [
        "| rule | why | becomes equal |",
        "| --- | --- | --- |",
    ]
    for rule in normal.RULES:
        pair = " · ".join(f"`{_shown(text)}`" for text in rule.equal)
        lines.append(f"| {rule.name} | {_cell(rule.reason)} | {pair} |")
    return "\n".join(lines) + "\n"


def _shown(text: str) -> str:
    return _cell(" ".join(text.split())[:_SHOWN].replace("`", "'"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
