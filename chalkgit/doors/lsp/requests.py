"""The requests: diagnostics that are pulled, hover, code actions, completion, and the actions' commands."""

from __future__ import annotations

from lsprotocol import types

from chalkgit.doors.lsp import completion, display
from chalkgit.doors.lsp.completion import Choice
from chalkgit.doors.lsp.desk import Server
from chalkgit.doors.lsp.documents import Document, path_of, uri_of

COMPLETE_AT = [":", "/"]  # not blanks: every file's editor would ask at every word


def serve_pull(server: Server) -> None:
    """Register the answer to a client that asks for diagnostics; one that does not must not be told of it."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=display.SOURCE
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = ls.documents.get(params.text_document.uri)
        found = await ls.safe(ls.diagnostics(document), []) if document else []
        if document is not None:
            ls.shown_by_answer(document)
        return types.RelatedFullDocumentDiagnosticReport(found)


def serve(server: Server) -> None:
    """Register all others."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
        document = ls.documents.get(params.text_document.uri)
        return await ls.safe(_hover(ls, document, params.position), None) if document else None

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, display.RECORD]),
    )
    async def actions(
        ls: Server, params: types.CodeActionParams
    ) -> list[types.CodeAction | types.Command] | None:
        document = ls.documents.get(params.text_document.uri)
        found = await ls.safe(_actions(ls, document, params), []) if document else []
        if ls.can("text_document.code_action.code_action_literal_support"):
            return list(found)
        return [action.command for action in found if action.command]

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=COMPLETE_AT))
    async def complete(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
        document = ls.documents.get(params.text_document.uri)
        if document is None or not document.is_record:
            return None
        return await ls.safe(_complete(ls, document, params.position), None)

    @server.command(display.OPEN)
    async def open_record(ls: Server, uri: str) -> str:
        ls.show(uri)
        return uri

    @server.command(display.RECORD)
    async def record(ls: Server, uri: str) -> str | None:
        return await ls.safe(_record(ls, uri), None)


async def _hover(ls: Server, document: Document, position: types.Position) -> types.Hover | None:
    row, column = document.text.place(position)
    if document.is_record:
        field = completion.meaning(document.text.lines, row, column)
        if field and (await ls.ask(ls.lookups.is_in_store, document.path)) is True:
            name, meaning, start, end = field
            return display.hover(
                f"{name}: {meaning}", ls.reads_markdown, document.text.range(row, start, end)
            )
    if position.line != 0:
        return None
    whole = await ls.ask(ls.lookups.whole, document.path)
    return display.hover(whole, ls.reads_markdown, document.text.range(0)) if whole else None


async def _actions(ls: Server, document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
    only, given = params.context.only, params.context.diagnostics
    found = []
    if params.range.start.line == 0 or any(one.source == display.SOURCE for one in given):
        found = display.open_actions(await ls.about(document), given)
    # asked for by a person, and not by a moving cursor or a save
    asked = params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
    if asked and not document.is_record and await ls.ask(ls.lookups.is_in_store, document.path):
        found.append(display.record_action(document))
    return [action for action in found if display.wanted(action.kind, only)]


async def _complete(ls: Server, document: Document, position: types.Position) -> types.CompletionList | None:
    if not await ls.ask(ls.lookups.is_in_store, document.path):
        return None
    row, column = place = document.text.place(position)
    chosen = completion.at(document.text.lines, row, column)
    items, more = chosen.items, False
    if chosen.field == completion.RECORDS:
        records, more = await ls.ask(ls.lookups.records, document.path, chosen.typed.lower())
        items = [Choice(record_id, title) for record_id, title in records]
    elif chosen.field == completion.FILES:
        files, more = await ls.ask(ls.lookups.files, document.path, chosen.typed)
        items = [Choice(name, "folder" if name.endswith("/") else "file") for name in files]
    return display.completions(document, place, chosen, items, more=more)


async def _record(ls: Server, uri: str) -> str | None:
    path = path_of(uri)
    if path is None:
        return None
    file, row = await ls.ask(ls.lookups.begin, path)
    ls.show(uri_of(file), row, len("route:"))
    return uri_of(file)
