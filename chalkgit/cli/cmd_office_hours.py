"""`chalkgit office-hours`: the open lessons one after another, at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from chalkgit import thresholds, times
from chalkgit.answers import distil, resolving
from chalkgit.answers.resolving import Open
from chalkgit.cli import options, terminal
from chalkgit.cli.cmd_resolve import distilled, draft
from chalkgit.cli.writing import Session, command_line, done
from chalkgit.errors import ChalkError
from chalkgit.records.record import Record, person, title
from chalkgit.render.clean import line
from chalkgit.store import writes

_KEYS = "what fixed it? enter: skip, o: output, d: draft a rule, r: retire, q: quit"
_TESTS = thresholds.HOURS_TESTS
_LEAST, _MOST = thresholds.HOURS_COLUMNS


@click.command("office-hours")
@click.option("--ticket", metavar="T", help="Those of this ticket alone.")
@click.option("--by", metavar="NAME", help="Who resolves them; git's user.name if absent.")
@click.option("--agent", metavar="NAME", help="The program that does, where one does.")
@click.pass_obj
def command(directory: str | None, /, ticket: str | None, **given: Any) -> int:
    """Walk through the open lessons, the oldest first, and say of each what fixed it.

    Each is written as it is answered. Leaving (q, end of input, an interrupt) changes nothing that was done.
    """
    session = Session(directory)
    session.tell_problems()
    records = list(session.records().values())
    now = times.system_clock()
    found = session.look(lambda index: resolving.opened(index, records, now, ticket))
    if not found:
        terminal.say("no lesson is open" + (f" of ticket {line(ticket)}" if ticket else ""))
        return 0
    if not sys.stdin.isatty():
        _listed(found)
        count = "1 lesson is" if len(found) == 1 else f"{len(found)} lessons are"
        raise ChalkError(
            f"office hours are held at a terminal, and standard input is none; {count} open",
            hint=command_line("resolve", found[0].record.id, "--note", "what fixed it, and why"),
        )
    return _Hours(session, given).walk(found)


def _listed(found: Sequence[Open]) -> None:
    """The open ones, each with the command that closes it."""
    for one in found:
        ticket = f"  [{line(one.ticket)}]" if one.ticket else ""
        terminal.out(f"{one.record.id}  {one.key[0]}  {line(title(one.record))[:80]}{ticket}")
        terminal.out("  " + command_line("resolve", one.record.id, "--note", "what fixed it, and why"))


class _Hours:
    """One walk; `resolved` and `retired` count what it has written."""

    def __init__(self, session: Session, given: dict[str, Any]) -> None:
        self._session = session
        self._by = options.collected(session.place, given).get("by")
        self.resolved = self.retired = 0

    def walk(self, found: Sequence[Open]) -> int:
        try:
            for number, one in enumerate(found, 1):
                _show(one, number, len(found))
                if not self._settled(one.record):
                    break
        except EOFError:
            terminal.say("")
        except KeyboardInterrupt:
            terminal.say("")
            self._sum(len(found))
            raise
        self._sum(len(found))
        return 0

    def _sum(self, count: int) -> None:
        left = count - self.resolved - self.retired
        terminal.say(f"{self.resolved} resolved, {self.retired} retired, {left} left open")

    def _settled(self, record: Record) -> bool:
        """Ask until this one is answered or skipped; False where the walk ends."""
        while True:
            _say(_KEYS)
            said = _typed("> ")
            key = said.strip()
            if key.casefold() == "q":
                return False
            if not key:
                return True
            try:
                if self._done(record, key):
                    return True
            except ChalkError as error:
                terminal.tell(error.message)  # a control character, somebody else was faster: asked again

    def _done(self, record: Record, said: str) -> bool:
        """Whether what was typed closed the lesson."""
        if said.casefold() == "o":
            _show_output(record)
            return False
        if said.casefold() == "r":
            return self._retire(record)
        if said.casefold() == "d":
            return self._draft(record)
        if _is_key(said):
            _say(f"“{line(said)}” is no key, and short for what fixed it")
            return False
        return self._resolve(record, said)

    def _retire(self, record: Record) -> bool:
        _say("why is it not worth keeping? enter: back")
        why = _typed("> ").strip()
        if not why:
            return False
        resolving.must_be_open_still(self._session.place, record)
        changes = {"retired": {"because": why, "on": times.day(times.system_clock())}}
        written = writes.change(self._session.place, record, changes)
        done(self._session, written, "retire", {}, was=record)
        self.retired += 1
        return True

    def _resolve(self, record: Record, note: str) -> bool:
        note = self._asked_again(record, note)
        self._write(record, note, None, draft(self._session, record, note))
        return True

    def _draft(self, record: Record) -> bool:
        """The distiller's rule, to be taken, edited or left."""
        if _without_distiller():
            return False
        _say("the note that it is drafted from; enter: back")
        note = _typed("> ").strip()
        if not note:
            return False
        note = self._asked_again(record, note)
        drafted = draft(self._session, record, note)
        rule: str | None = None
        if drafted is not None:
            _say(f"drafted by {drafted.by}: {drafted.rule}")
            rule = _edited(drafted.rule)
            drafted = drafted if rule else None
        self._write(record, note, rule, drafted)
        return True

    def _asked_again(self, record: Record, note: str) -> str:
        resolving.must_say_something(note, record)
        asked = resolving.question(note, record, "note")
        if asked is None:
            return note
        _say(f"{asked}. What would one do? enter keeps the note as it is")
        more = _typed("> ").strip()
        while more and _is_key(more):
            _say(f"“{line(more)}” is short for what one would do; enter keeps the note as it is")
            more = _typed("> ").strip()
        if not more:
            return note
        resolving.must_say_something(more, record)
        return more

    def _write(self, record: Record, note: str, rule: str | None, drafted: distil.Draft | None) -> None:
        if rule is not None:
            resolving.must_say_something(rule, record, "rule")
        if resolving.leaks(note) or (rule and resolving.leaks(rule)):
            terminal.tell("it holds what looks like a secret, and records are committed: is it one?")
        place = self._session.place
        closed = resolving.close(place, record, note, by=self._by, rule=rule, drafted=drafted)
        if closed.get(resolving.DISTILLED):
            terminal.tell(distilled(closed))
        done(self._session, closed, "resolve", {}, was=record)
        self.resolved += 1


def _is_key(said: str) -> bool:
    """Whether it was meant as a key, or as yes or no: a note of one short word says nothing."""
    return len(said.split()) == 1 and len(said) <= thresholds.NOTE_LEAST and said.isascii()


def _without_distiller() -> bool:
    try:
        configured = distil.configured() is not None
    except distil.NoDraft as error:
        terminal.tell(error.message)
        return True
    if not configured:
        _say("no distiller is configured: `distiller: COMMAND` in your settings names one")
    return not configured


def _show(one: Open, number: int, count: int) -> None:
    record = one.record
    failure = record.get("failure") or {}
    who = person(record.get("by"))
    heads = [
        f"{number} of {count}",
        record.id,
        one.key[0],
        who,
        f"ticket {one.ticket}" if one.ticket else None,
    ]
    terminal.say("")
    _say(" · ".join(filter(None, heads)), bold=True)
    code = failure.get("exit-code")
    reason = " ".join(filter(None, [failure.get("reason"), f"(exit {code})" if code else None]))
    for name, value in (("reason", reason), ("error", failure.get("error"))):
        if value:
            _say(f"{name}: {line(value)}", indent=2)
    tests = failure.get("tests") or []
    for test in tests[:_TESTS]:
        _say(f"test: {line(test)}", indent=2)
    if len(tests) > _TESTS:
        _say(f"and {len(tests) - _TESTS} tests more", indent=2)


def _show_output(record: Record) -> None:
    output = record.part("failure", "output")
    if not isinstance(output, str) or not output.strip():
        _say("no output was kept", indent=2)
        return
    for row in output.split("\n"):
        blanks = len(row) - len(row.lstrip(" "))
        _say(" " * min(blanks, _LEAST) + line(row), indent=2)


def _say(text: str, *, indent: int = 0, bold: bool = False) -> None:
    """Text on standard error, wrapped to the terminal; harmless whatever it quotes."""
    import textwrap

    lead = len(text) - len(text.lstrip(" "))
    pad = " " * (indent + lead)
    shown = textwrap.wrap(
        line(text), _columns(), initial_indent=pad, subsequent_indent=pad + "  ", break_on_hyphens=False
    )
    style = terminal.style()
    for row in shown or [""]:
        terminal.say(style(row, "bold") if bold else row)


def _columns() -> int:
    try:
        columns = os.get_terminal_size(sys.stdin.fileno()).columns
    except (OSError, ValueError):
        columns = 80
    return max(_LEAST, min(columns, _MOST)) if columns else 80


def _edited(draft: str) -> str | None:
    """The draft as the person wants it, None where it is to be the note."""
    if _readline() is not None:
        _say("edit it, enter takes it; an empty line: the note is the rule")
        return _typed("> ", draft).strip() or None
    _say("enter takes it; or type the rule as it should be; -: the note is the rule")
    typed = _typed("> ").strip() or draft
    return None if typed == "-" else typed


def _typed(prompt: str, draft: str = "") -> str:
    """A line as it was typed; EOFError at the end. Where lines can be edited it begins with `draft`."""
    readline = _readline()
    if readline is not None:
        sys.stdout.flush()
        readline.set_startup_hook(lambda: readline.insert_text(draft))
        try:
            return input(prompt)
        finally:
            readline.set_startup_hook()
    terminal.say(prompt, end="")
    typed = sys.stdin.readline()
    if not typed:
        raise EOFError
    return typed.rstrip("\n")


def _readline() -> Any:
    """The module that edits lines; None where this Python has none, or the answers go somewhere else."""
    if not sys.stdout.isatty():
        return None  # `input` would write its prompt there
    try:
        import readline
    except ImportError:
        return None
    return readline
