"""A real Chromium without a window, driven over its DevTools protocol: what a browser makes of a page.

CHALKGIT_TEST_CHROMIUM names one, else PATH has one; where neither does, a test skips and says so. The network
is watched, and no page of ours asks it for anything.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 60.0  # seconds, of a machine that does much else
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-default-apps --disable-extensions "
    "--disable-sync --mute-audio --remote-debugging-port=0 --remote-allow-origins=*"
).split()


def program() -> str | None:
    """The browser to test with."""
    named = os.environ.get("CHALKGIT_TEST_CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab. `errors`: what its console and its exceptions said. `requests`: the addresses it asked for."""

    def __init__(self, address: str) -> None:
        import websocket

        self._socket = websocket.create_connection(address, timeout=PATIENCE)
        self._number = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._socket.close()

    def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            said = self._heard()
            if said.get("id") == self._number:
                assert "error" not in said, said
                return said["result"]

    def open(self, file: Path, *, width: int = 1200, scheme: str = "light", script: bool = True) -> None:
        """Show a file at this width, in light or dark, with or without script; wait until it is there."""
        self.errors.clear()
        self.requests.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url=file.as_uri())
        while self._heard().get("method") != "Page.loadEventFired":
            pass

    def ask(self, expression: str) -> Any:
        """What an expression of JavaScript comes to, as JSON; the page itself runs none."""
        done = self.call("Runtime.evaluate", expression=f"JSON.stringify({expression})", awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return json.loads(done["result"]["value"])

    def picture(self) -> bytes:
        """The whole page as PNG."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        return base64.b64decode(taken["data"])

    def _heard(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._socket.recv())
        params = said.get("params", {})
        match said.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Log.entryAdded":
                self.errors.append(params["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.errors.append(params["exceptionDetails"]["text"])
            case "Runtime.consoleAPICalled":
                self.errors.append(json.dumps(params["args"]))
        return said


@contextmanager
def opened(browser: str, home: Path) -> Iterator[Page]:
    """A tab of a browser of its own, whose profile lies in `home`."""
    with (home / "chromium.log").open("wb") as log:
        running = subprocess.Popen(
            [browser, *_FLAGS, f"--user-data-dir={home / 'profile'}", "about:blank"],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            page = Page(_address(home / "profile" / "DevToolsActivePort", running))
            try:
                yield page
            finally:
                page.close()
        finally:
            os.killpg(running.pid, 9)  # its children too; they are this test's own
            running.wait()


def _address(file: Path, running: subprocess.Popen[bytes]) -> str:
    import urllib.request

    until = time.monotonic() + PATIENCE
    while not (file.exists() and "\n" in file.read_text()):
        assert running.poll() is None, "the browser has ended"
        assert time.monotonic() < until, "the browser does not answer"
        time.sleep(0.05)
    port = file.read_text().split("\n")[0]
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answered:
            tabs = [tab for tab in json.load(answered) if tab["type"] == "page"]
        if tabs:
            return str(tabs[0]["webSocketDebuggerUrl"])
        time.sleep(0.05)
