"""Rulings, problems and choices as the protocol's values. Stored text is data: nothing in it becomes live."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from chalkgit.doors.lsp.completion import Choice, Choices
from chalkgit.doors.lsp.documents import Document, uri_of
from chalkgit.doors.lsp.lookups import About
from chalkgit.errors import Problem
from chalkgit.records.record import title
from chalkgit.render.clean import line
from chalkgit.thresholds import LSP_TITLE_CHARACTERS

SOURCE = "chalkgit"
OPEN, RECORD = "chalkgit.open", "chalkgit.record"  # the commands


def of_rulings(document: Document, about: About) -> list[types.Diagnostic]:
    """One a ruling, on the first line. Clients show the code, so the message does not repeat it."""
    return [
        types.Diagnostic(
            document.text.range(0),
            ruling.text.removesuffix(f" [{ruling.standing.record.id}]"),
            severity=types.DiagnosticSeverity.Information,
            code=ruling.standing.record.id,
            code_description=types.CodeDescription(uri_of(about.record_file(ruling))),
            source=SOURCE,
        )
        for ruling in about.rulings
    ]


def of_problems(document: Document, problems: Sequence[Problem]) -> list[types.Diagnostic]:
    return [
        types.Diagnostic(
            document.text.range((found.line or 1) - 1),
            line(found.message) + _hint(found),
            severity=types.DiagnosticSeverity.Error if found.fatal else types.DiagnosticSeverity.Warning,
            source=SOURCE,
        )
        for found in problems
    ]


def _hint(found: Problem) -> str:
    # `chalkgit lint` would say what is being said
    said = found.hint if found.hint and not found.hint.startswith("chalkgit lint") else None
    return f" (hint: {line(said)})" if said else ""


def open_actions(about: About, diagnostics: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
    """A way to each record; with the diagnostic it belongs to, where the client has it."""
    found = []
    for ruling in about.rulings:
        record = ruling.standing.record
        label = f"Open the record {record.id}: {line(title(record))[:LSP_TITLE_CHARACTERS]}"
        command = types.Command(label, OPEN, arguments=[uri_of(about.record_file(ruling))])
        of_it = [one for one in diagnostics if one.source == SOURCE and one.code == record.id]
        kind = types.CodeActionKind.QuickFix
        found.append(types.CodeAction(label, kind=kind, diagnostics=of_it or None, command=command))
    return found


def record_action(document: Document) -> types.CodeAction:
    label = "Record a dead end here"
    command = types.Command(label, RECORD, arguments=[document.uri])
    # a kind of its own: nobody has it run at every save
    return types.CodeAction(label, kind=RECORD, command=command)


def wanted(
    kind: types.CodeActionKind | str | None, only: Sequence[types.CodeActionKind | str] | None
) -> bool:
    """Whether the client asks for this kind of action, or for one that it is a kind of."""
    asked = [_plain(one) for one in only or ()]
    name = _plain(kind or "")
    return not asked or any(one in ("", name) or name.startswith(one + ".") for one in asked)


def _plain(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def hover(text: str, markdown: bool, where: types.Range) -> types.Hover:
    """Text that is quoted as it is: a fence longer than any in it keeps links, images and HTML in it dead."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    if markdown:
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        text = f"{fence}text\n{text}\n{fence}"
    return types.Hover(types.MarkupContent(kind, text), range=where)


def completions(
    document: Document, place: tuple[int, int], chosen: Choices, items: Sequence[Choice], *, more: bool
) -> types.CompletionList:
    """The list, in its order. An item replaces what was typed, whatever the editor takes for a word."""
    row, column = place
    where = document.text.range(row, column - len(chosen.typed), column)
    return types.CompletionList(
        is_incomplete=more,
        items=[
            types.CompletionItem(
                item.label,
                kind=types.CompletionItemKind.Field if item.is_field else types.CompletionItemKind.Value,
                detail=item.detail,
                filter_text=f"{item.label} {item.detail}" if chosen.field else None,
                sort_text=f"{at:04}",
                text_edit=types.TextEdit(where, item.text),
            )
            for at, item in enumerate(items)
        ],
    )
