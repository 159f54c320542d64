"""The command line: one file a command, imported when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from chalkgit import __version__
from chalkgit.cli import terminal
from chalkgit.errors import ChalkError

# In the order a newcomer meets them; `--help` keeps it.
COMMANDS = (
    "init",
    "tried",
    "works",
    "lesson",
    "detain",
    "resolve",
    "office-hours",
    "note",
    "promote",
    "check",
    "at",
    "recall",
    "fingerprint",
    "show",
    "list",
    "log",
    "diff",
    "review",
    "correct",
    "retire",
    "supersede",
    "settle",
    "approve",
    "reject",
    "quarantine",
    "forget",
    "probe",
    "lint",
    "curate",
    "feedback",
    "report",
    "fmt",
    "import",
    "export",
    "stores",
    "index",
    "model",
    "decider",
    "experiment",
    "journal",
    "hooks",
    "doctor",
    "hook",
    "merge-driver",
    "lsp",
    "watch",
    "serve",
)


class _Enough(Exception):
    """A closed pipe on its way through click, which would make exit code 1 of it: a gate's answer."""


class Commands(click.Group):
    """Knows its commands by name and imports one when it is asked for, from `<prefix>_<name>`."""

    names: tuple[str, ...] = COMMANDS
    # `import` is a keyword, `list` and `lint` are plain names: every file is cmd_<name>
    prefix = "cmd"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.names:
            return None
        module = importlib.import_module(f"chalkgit.cli.{self.prefix}_{cmd_name.replace('-', '_')}")
        found = module.command
        assert isinstance(found, click.Command)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _Enough from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="chalkgit")
@click.option("-C", "directory", metavar="DIR", help="Run as if started in DIR.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour on standard output.",
)
@click.pass_context
def main(ctx: click.Context, directory: str | None, color: str) -> None:
    """What a team learned the hard way, kept in git and brought back when it helps.

    Dead ends, lessons and procedures are YAML files under .lessons/. Exit codes: 0 nothing to report, 1 a
    gate (check, review, lint) has something to show, 2 something you can mend, 3 our bug, 130 interrupted.
    """
    ctx.obj = directory
    terminal.choose(color)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; its exit code."""
    terminal.begin()
    try:
        code = main.main(args=list(arguments), prog_name="chalkgit", standalone_mode=False)
    except _Enough:
        raise BrokenPipeError from None
    except click.exceptions.Abort:
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "chalkgit"
        raise ChalkError(error.format_message(), hint=f"{command} --help") from None
    except click.ClickException as error:
        raise ChalkError(error.format_message(), hint="chalkgit --help") from None
    terminal.finish()
    return code if isinstance(code, int) else 0


def absolute(directory: str | None, path: str) -> str:
    """A path argument as the user meant it: relative to `-C`."""
    return os.path.join(directory or "", path)


def read_text(path: str, what: str) -> str:
    """A file's text, or standard input for `-`."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise ChalkError(f"{what} cannot be read: {error.strerror}", where=path) from None
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
