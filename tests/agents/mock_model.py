"""A model for real coding agents: it plays scripted tool calls, and keeps every request it was sent.

It speaks what each client speaks: Anthropic's messages, OpenAI's responses and chat completions, Gemini's
content. It keeps no state: the turn is the number of tool calls that the conversation holds already.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Call = tuple[str, Any]  # a tool's name and its arguments; text for a tool that takes text
Event = tuple[str | None, Any]
DONE = "done"


class Model:
    """`with Model([("Write", {…})]) as model:` serves at `model.url`; `model.read` is what was sent to it."""

    def __init__(self, script: Sequence[Call]) -> None:
        self.script = list(script)
        self.requests: list[Any] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Model:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reads(self, text: str) -> list[int]:
        """The numbers of the requests in which the model could read this text."""
        return [n for n, sent in enumerate(self.requests) if any(text in said for said in _strings(sent))]

    def call(self, turn: int, sent: Any) -> Call | None:
        # a side question (a title, a summary) brings no tools
        return self.script[turn] if sent.get("tools") and turn < len(self.script) else None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _count(value: Any, **marks: str) -> int:
    """How many objects inside say this of themselves."""
    if isinstance(value, list):
        return sum(_count(part, **marks) for part in value)
    if not isinstance(value, dict):
        return 0
    return all(value.get(k) == v for k, v in marks.items()) + sum(_count(v, **marks) for v in value.values())


def _anthropic(model: Model, sent: Any) -> list[Event]:
    turn = _count(sent.get("messages"), type="tool_use")
    call = model.call(turn, sent)
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": sent.get("model")}
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{turn}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": DONE}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    events = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]  # type: ignore[misc]


def _responses(model: Model, sent: Any) -> list[Event]:
    given = sent.get("input")
    turn = _count(given, type="function_call") + _count(given, type="custom_tool_call")
    call = model.call(turn, sent)
    item: dict[str, Any]
    if call is None:
        content = [{"type": "output_text", "text": DONE, "annotations": []}]
        item = {"type": "message", "id": f"m{turn}", "role": "assistant", "content": content}
    elif isinstance(call[1], str):
        item = {"type": "custom_tool_call", "name": call[0], "input": call[1]}
    else:
        item = {"type": "function_call", "name": call[0], "arguments": json.dumps(call[1])}
    item |= {"id": f"i{turn}", "status": "completed", **({"call_id": f"c{turn}"} if call else {})}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    response = {
        "id": f"r{turn}",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    return [
        ("response.created", {"type": "response.created", "response": {**response, "output": []}}),
        (
            "response.output_item.added",
            {"type": "response.output_item.added", "output_index": 0, "item": item},
        ),
        ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
        ("response.completed", {"type": "response.completed", "response": response}),
    ]


def _completions(model: Model, sent: Any) -> list[Event]:
    turn = _count(sent.get("messages"), type="function")
    call = model.call(turn, sent)
    delta: dict[str, Any] = {"role": "assistant", "content": DONE}
    if call is not None:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        tool = {"index": 0, "id": f"call_{turn}", "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [tool]}
    head = {"id": f"c{turn}", "object": "chat.completion.chunk", "created": 1, "model": sent.get("model")}
    end = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [
        (None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        (None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}),
        (None, "[DONE]"),
    ]


def _gemini(model: Model, sent: Any) -> list[Event]:
    parts = [part for content in sent.get("contents", []) for part in content.get("parts", [])]
    call = model.call(sum("functionCall" in part for part in parts), sent)
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": DONE}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [(None, {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage})]


def _answer(model: Model, path: str, sent: Any) -> list[Event]:
    if path.endswith("/responses"):
        return _responses(model, sent)
    if path.endswith("/chat/completions"):
        return _completions(model, sent)
    return _gemini(model, sent) if ":" in path else _anthropic(model, sent)


def _stream(events: list[Event]) -> bytes:
    lines = []
    for name, data in events:
        lines += [f"event: {name}\n"] if name else []
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return "".join(lines).encode()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.split("?")[0]
            try:
                sent = json.loads(data)
            except ValueError:
                self._send(b"{}", "application/json")
                return
            model.requests.append(sent)
            if path.endswith(("count_tokens", ":countTokens")):
                self._send(b'{"input_tokens": 1, "totalTokens": 1}', "application/json")
                return
            events = _answer(model, path, sent)
            if path.endswith(":generateContent"):
                self._send(json.dumps(events[0][1]).encode(), "application/json")
            else:
                self._send(_stream(events), "text/event-stream")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
