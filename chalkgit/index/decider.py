"""The client of a decider: yes-or-no questions about one state, to a server that speaks System One.

    POST {url}/v1/systemone   {"model": M, "state": {…}, "questions": {NAME: {"type": "noul", …}}}

One request, and so many seconds for all of it, whatever the server does: name, connection, answer. Nothing is
followed to another address, no proxy is asked on the way to this machine, no key of the environment is sent,
and of the answer a bounded part is read and each number looked at. Whatever is amiss is `NoAnswer`.
"""

from __future__ import annotations

import math
import threading
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import decider_setting

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from chalkgit.index.decider_setting import Setting

INSTALL = 'python -m pip install "chalkgit[decider]"'
# Why there was no answer, in one word for whoever counts.
ABSENT, UNTRUSTED, UNREACHED, LATE = "not installed", "not trusted", "no connection", "too late"
REFUSED, LARGE, GARBLED = "refused", "too large", "not understood"
# Where servers say which build of a model answered; System One itself has no field for it.
_REVISIONS = ("revision", "model_revision", "digest", "system_fingerprint")


class NoAnswer(ChalkError):
    """Why, in one line that begins with `kind`."""

    def __init__(self, kind: str, why: str = "", hint: str | None = None) -> None:
        super().__init__(f"{kind}: {_said(why)}" if why else kind, hint=hint)
        self.kind = kind


class Answered:
    """probabilities: of yes, by the question's name. revision: "" where the server says none."""

    __slots__ = ("probabilities", "revision")

    def __init__(self, probabilities: dict[str, float], revision: str) -> None:
        self.probabilities = probabilities
        self.revision = revision


def ask(setting: Setting, state: Mapping[str, Any], questions: Mapping[str, str], seconds: float) -> Answered:
    """The answer to all questions; NoAnswer where one of them has none."""
    if not decider_setting.trusted(setting.url):
        command = f"chalkgit decider trust {setting.url}"
        raise NoAnswer(UNTRUSTED, f"{setting.url} is not this machine", command)
    # A name that is looked up, or an answer that comes a byte a second, heeds no time limit of a socket.
    box: list[Answered | NoAnswer] = []
    deadline = time.monotonic() + seconds
    work = threading.Thread(target=_work, args=(box, setting, state, questions, deadline), daemon=True)
    work.start()
    work.join(seconds)
    found = box[0] if box else NoAnswer(LATE, f"there was no answer within {seconds:g} s")
    if isinstance(found, NoAnswer):
        raise found
    return found


def _work(
    box: list[Answered | NoAnswer],
    setting: Setting,
    state: Mapping[str, Any],
    questions: Mapping[str, str],
    deadline: float,
) -> None:
    try:
        box.append(_asked(setting, state, questions, deadline))
    except NoAnswer as error:
        box.append(error)
    except BaseException as error:  # it is nobody else's thread
        box.append(NoAnswer(GARBLED, f"{type(error).__name__}: {error}"))


def _asked(
    setting: Setting, state: Mapping[str, Any], questions: Mapping[str, str], deadline: float
) -> Answered:
    try:
        import httpx
        from systemone import Client, Noul, SystemOneError
    except ImportError as error:
        raise NoAnswer(ABSENT, f"the client of deciders cannot be loaded ({error})", INSTALL) from None

    class Bounded(httpx.SyncByteStream):
        """A body that ends with too many bytes, or too late."""

        def __init__(self, body: httpx.SyncByteStream) -> None:
            self._body = body

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in self._body:
                size += len(part)
                if size > thresholds.DECIDER_ANSWER_BYTES:
                    raise NoAnswer(LARGE, f"it answers more than {thresholds.DECIDER_ANSWER_BYTES:,} bytes")
                if time.monotonic() > deadline:
                    raise NoAnswer(LATE, "the answer did not end in time")
                yield part

        def close(self) -> None:
            self._body.close()

    seen: list[int] = []

    def before_it_is_read(response: httpx.Response) -> None:
        seen.append(response.status_code)
        if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            raise NoAnswer(GARBLED, "it answers compressed, which was not asked for")
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = Bounded(response.stream)

    here = decider_setting.on_loopback(setting.url)
    left = max(deadline - time.monotonic(), 0.001)
    # without its constructor, which sends a key of the environment and takes proxies from there
    client = Client.__new__(Client)
    client.base_url, client.model = setting.url, setting.model
    client._http = httpx.Client(
        base_url=setting.url,
        timeout=left,
        headers={"Accept-Encoding": "identity"},
        follow_redirects=False,
        trust_env=not here,
        # reading the authorities costs more than the question, and nothing is proved to this machine by them
        verify=setting.url.startswith("https:"),
        event_hooks={"response": [before_it_is_read]},
    )
    try:
        with client:
            found = client.system_one(state, {name: Noul(text) for name, text in questions.items()})
    except NoAnswer:
        raise
    except httpx.TimeoutException as error:
        raise NoAnswer(LATE, type(error).__name__) from None
    except httpx.TransportError as error:
        raise NoAnswer(UNREACHED, str(error)) from None
    except SystemOneError as error:
        raise _refused(error.status, error.detail) from None
    except Exception as error:
        if seen and seen[-1] != 200:
            raise _refused(seen[-1], "") from None
        raise NoAnswer(GARBLED, f"{type(error).__name__}: {error}") from None
    return _checked(found.raw, questions)


def _refused(status: int, detail: str) -> NoAnswer:
    if 300 <= status < 400:
        return NoAnswer(REFUSED, f"HTTP {status}: it sends elsewhere, which is not followed")
    return NoAnswer(REFUSED, f"HTTP {status} {detail}")


def _checked(raw: Any, questions: Mapping[str, str]) -> Answered:
    """What a stranger's server may have written, with every value looked at."""
    answers = raw.get("answers") if isinstance(raw, dict) else None
    found: dict[str, float] = {}
    for name in questions:
        answer = answers.get(name) if isinstance(answers, dict) else None
        value = answer.get("noul") if isinstance(answer, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise NoAnswer(GARBLED, f"its answer to “{name}” is no probability")
        found[name] = float(value)
        assert math.isfinite(found[name])  # a NaN is not between 0 and 1
    return Answered(found, _revision(raw))


def _revision(raw: dict[str, Any]) -> str:
    """Which build answered, as far as the server says; a gate that was passed with another holds no more."""
    meta = raw.get("meta")
    told = [raw.get(name) for name in _REVISIONS]
    told += [meta.get(name) for name in (*_REVISIONS, "model")] if isinstance(meta, dict) else []
    return next((_said(one) for one in told if isinstance(one, str) and one.strip()), "")


def _said(text: str) -> str:
    """A stranger's words on one line, and not many."""
    shown = "".join(c if c.isprintable() else " " for c in text[:2_000])
    return " ".join(shown.split())[: thresholds.DECIDER_SAID_CHARACTERS]
