"""The server's desk: the open documents, the one thread that asks the stores, and how the client is told.

A lookup never holds up the next message, and what goes wrong in one costs that answer: the client's log says
so, once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import (
    FeatureNotificationError,
    FeatureRequestError,
    JsonRpcInvalidParams,
    JsonRpcMethodNotFound,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from chalkgit import __version__
from chalkgit.doors.lsp import display
from chalkgit.doors.lsp.documents import Document, path_of
from chalkgit.doors.lsp.lookups import NOTHING, About, Lookups
from chalkgit.errors import ChalkError

T = TypeVar("T")
Bug = Callable[[], object]  # keeps the traceback of the exception being handled


class Protocol(LanguageServerProtocol):
    """Without pygls's own documents: they misplace edits, and move the positions in the message they came in.

    It also keeps a future for good for every notification whose handler is a generator, as its own are.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)


class Server(LanguageServer):
    """The client's open documents, and the one thread on which the stores are asked."""

    def __init__(self, bug: Bug) -> None:
        super().__init__("chalkgit", __version__, protocol_cls=Protocol)
        self.documents: dict[str, Document] = {}
        self.abouts: dict[str, About] = {}  # of open documents: a client that pulls asks at every key
        self.lookups = Lookups(self._tell_from_thread)
        self.exit_code = 1  # until the client has said shutdown
        self._bug = bug
        self._thread = ThreadPoolExecutor(1, "lookups")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def can(self, capability: str) -> bool:
        """Whether the client says that it has this."""
        return bool(get_capability(self.client_capabilities, capability))

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics, and is not sent them: it would show them twice.

        One that cannot be told to ask again is sent them. Neovim 0.11 asks when a text changed alone, and
        would not see that a record did.
        """
        asks = get_capability(self.client_capabilities, "text_document.diagnostic") is not None
        return asks and self.can("workspace.diagnostics.refresh_support")

    @property
    def reads_markdown(self) -> bool:
        formats = get_capability(self.client_capabilities, "text_document.hover.content_format") or []
        return types.MarkupKind.Markdown in formats

    async def ask(self, what: Callable[..., T], *arguments: object) -> T:
        """A lookup, off the event loop; ChalkError where it has no answer."""
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(self._thread, what, *arguments)

    def later(self, work: Coroutine[Any, Any, object]) -> None:
        """Work that no request waits for. (pygls keeps the task of an async notification for good.)"""
        task = asyncio.get_running_loop().create_task(self.safe(work, None))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def safe(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """The work's answer; `otherwise` where there is none, which the client's log is told."""
        try:
            return await work
        except ChalkError as error:
            hint = f" (hint: {error.hint})" if error.hint else ""
            self.lookups.tell(f"{error.where + ': ' if error.where else ''}{error.message}{hint}")
        except Exception as error:
            self._bug()
            self.lookups.tell(f"this is a bug in chalkgit ({type(error).__name__}: {error})")
        return otherwise

    async def about(self, document: Document, *, fresh: bool = False) -> About:
        """The rulings on an open document, looked up again where something may have moved."""
        if fresh or document.uri not in self.abouts:
            found = await self.ask(self.lookups.about, document.path)
            if self.documents.get(document.uri) is not document:
                return NOTHING  # closed meanwhile
            self.abouts[document.uri] = found
        return self.abouts[document.uri]

    async def diagnostics(self, document: Document, *, fresh: bool = False) -> list[types.Diagnostic]:
        found = display.of_rulings(document, await self.about(document, fresh=fresh))
        if document.is_record:
            problems = await self.ask(self.lookups.problems, document.path, document.text.source)
            found += display.of_problems(document, problems)
        return found

    async def publish(self, document: Document, *, fresh: bool) -> None:
        """Tell a client that does not ask."""
        version = document.version
        found = await self.diagnostics(document, fresh=fresh)
        # a record's text that moved on meanwhile is told of by its own change; rulings are of no version
        if document.is_record and document.version != version:
            return
        if self.documents.get(document.uri) is not document:
            return
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, found, document.version)
        )
        await self.shown(document)

    async def shown(self, document: Document) -> None:
        await self.ask(self.lookups.shown, self.abouts.get(document.uri, NOTHING))

    def shown_by_answer(self, document: Document) -> None:
        """`shown`, for a request whose answer pygls sends first when this task ends."""
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: self.later(self.shown(document)))

    async def renew(self, documents: Iterable[Document]) -> None:
        """What these open documents show follows the records."""
        moved = False
        for document in documents:
            if self.pulls:
                before = self.abouts.get(document.uri, NOTHING).keys()
                moved = (await self.about(document, fresh=True)).keys() != before or moved
            else:
                await self.publish(document, fresh=True)
        if moved:
            self.workspace_diagnostic_refresh(None)

    def records_moved(self) -> None:
        self.lookups.moved()
        self.later(self.renew(list(self.documents.values())))

    def show(self, uri: str, line: int = 0, column: int = 0) -> None:
        """Have the client open a file; where it cannot, name it."""
        if self.can("window.show_document.support"):
            at = types.Position(line, column)
            # the answer is not waited for: a client may send none before it has ours
            self.window_show_document(
                types.ShowDocumentParams(uri, take_focus=True, selection=types.Range(at, at))
            )
        else:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"open {path_of(uri)}"))

    def log(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: object) -> None:
        """What pygls met: to the client's log, not into a window over somebody's work."""
        handled = source in (FeatureRequestError, FeatureNotificationError)
        if handled and not isinstance(error, (JsonRpcMethodNotFound, JsonRpcInvalidParams)):
            self._bug()
            self.lookups.tell(f"this is a bug in chalkgit ({error})")
        elif source is not FeatureRequestError:  # else the answer says so
            self.lookups.tell(f"a message was not understood: {error}")

    def _tell_from_thread(self, message: str) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self.log, message)
        else:
            self.log(message)
