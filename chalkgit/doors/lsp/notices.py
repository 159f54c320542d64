"""The notifications, handled at once: a text is changed before the next message is read."""

from __future__ import annotations

import os

from lsprotocol import types

from chalkgit import config
from chalkgit.doors.lsp import requests
from chalkgit.doors.lsp.desk import Server
from chalkgit.doors.lsp.documents import Document, path_of
from chalkgit.render.clean import line
from chalkgit.store.place import LESSONS

WATCHED = f"**/{LESSONS}/**"


def serve(server: Server) -> None:
    """Register them all."""

    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        client = line(params.client_info.name)[:40] if params.client_info else "client"
        if ls.pulls:
            requests.serve_pull(ls)
        ls.lookups.session = f"lsp:{client}:{os.getpid()}-{os.urandom(4).hex()}"

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, params: types.InitializedParams) -> None:
        if config.bypassed("RULINGS"):
            ls.log(
                "rulings are switched off by CHALKGIT_BYPASS_RULINGS; records are still checked",
                types.MessageType.Info,
            )
        if ls.can("workspace.did_change_watched_files.dynamic_registration"):
            watchers = [types.FileSystemWatcher(WATCHED)]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted = types.Registration("chalkgit-records", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            ls.client_register_capability(types.RegistrationParams([wanted]))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = path_of(item.uri)
        if path is None:
            return
        document = Document(item.uri, path, item.version, item.text, ls.workspace.position_codec)
        ls.documents[item.uri] = document
        ls.abouts.pop(item.uri, None)
        if not ls.pulls:
            ls.later(ls.publish(document, fresh=True))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is None:
            return
        document.version = params.text_document.version
        for change in params.content_changes:
            document.text.change(change)
        if document.is_record and not ls.pulls:
            ls.later(ls.publish(document, fresh=False))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is None:
            return
        if document.is_record:
            ls.records_moved()
        else:
            ls.later(ls.renew([document]))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.abouts.pop(uri, None)
        if ls.documents.pop(uri, None) and not ls.pulls:
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        if any(f"/{LESSONS}" in change.uri for change in params.changes):
            ls.records_moved()

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: Server, params: None) -> None:
        ls.exit_code = 0
