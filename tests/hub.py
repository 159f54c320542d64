"""A model hub on the loopback, enough of one for the real client to download from.

It can be told to be slow, so that a pull can be killed in the middle, and to hand out damaged weights.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REVISION = "5ca1ab1e" * 5
CHUNK = 256 * 1024


class Hub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, repository: str, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repository = repository
        self.files = files
        self.pause = 0.0
        self.served: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        prefix = f"/{self.server.repository}/resolve/{REVISION}/"
        if path == f"/api/models/{self.server.repository}":
            self._answer(json.dumps(self._listing()).encode(), {"Content-Type": "application/json"})
        elif path.startswith(prefix) and path[len(prefix) :] in self.server.files:
            data = self.server.files[path[len(prefix) :]]
            etag = hashlib.sha256(data).hexdigest()
            self._answer(data, {"ETag": f'"{etag}"', "X-Repo-Commit": REVISION})
        else:
            self._answer(b"{}", {"X-Error-Code": "RepoNotFound"}, 404)

    do_HEAD = do_GET

    def _listing(self) -> dict[str, object]:
        siblings = [{"rfilename": name, "size": len(data)} for name, data in self.server.files.items()]
        return {"id": self.server.repository, "sha": REVISION, "siblings": siblings}

    def _answer(self, body: bytes, headers: dict[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        self.server.served.append(self.path)
        for start in range(0, len(body), CHUNK):
            try:
                self.wfile.write(body[start : start + CHUNK])
            except OSError:
                return  # the client was killed
            time.sleep(self.server.pause)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def running(repository: str, folder: Path) -> Iterator[Hub]:
    """A hub that has the files of `folder` as `repository`, and a README that nobody needs."""
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    with Hub(repository, {**files, "README.md": b"# a model\n"}) as hub:
        thread = threading.Thread(target=hub.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()
