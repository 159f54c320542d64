"""`decider:` in the user's own settings: which server is asked, and whether it may be.

    decider: {url: "http://127.0.0.1:11434", model: small, mode: shadow, threshold: 0.7}

No file of a repository is read here. A server on this machine may be asked; any other address only after
`chalkgit decider trust URL`, whose answer stands in the same settings.
"""

from __future__ import annotations

import math

from chalkgit import config, settings, thresholds
from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

OFF, SHADOW, ON = "off", "shadow", "on"
MODES = (OFF, SHADOW, ON)
TRUSTED = "decider-trusted"
ROUTE = "/v1/systemone"
EXAMPLE = 'decider: {url: "http://127.0.0.1:11434", model: NAME, mode: shadow}'


class Setting:
    """url: as `normal` writes it. threshold: of a probability of yes, 0 to 1."""

    __slots__ = ("mode", "model", "threshold", "url")

    def __init__(self, url: str, model: str, mode: str, threshold: float) -> None:
        self.url = url
        self.model = model
        self.mode = mode
        self.threshold = threshold


def named() -> Setting | None:
    """What the settings say, whatever the mode; None where they name none. ChalkError for a wrong one."""
    said = settings.read().get("decider")
    if said in (None, "", [], {}):
        return None
    if not isinstance(said, dict):
        raise _wrong("it is no mapping")
    model = said.get("model")
    if not isinstance(model, str) or not model.strip() or not model.isprintable():
        raise _wrong("it names no `model`")
    mode = said.get("mode", OFF)
    # YAML's own words for off and on
    mode = {"false": OFF, "no": OFF, "true": ON, "yes": ON}.get(str(mode).lower(), str(mode).lower())
    if mode not in MODES:
        raise _wrong(f"mode “{mode}” is none of {', '.join(MODES)}")
    return Setting(normal(said.get("url")), model.strip(), mode, _threshold(said.get("threshold")))


def configured() -> Setting | None:
    """The decider that takes part, None where there is none or its mode is off."""
    found = named()
    return found if found is not None and found.mode != OFF else None


def bypassed() -> bool:
    return config.bypassed("DECIDER")


def normal(url: Any, *, argument: bool = False) -> str:
    """The server's address in the one form that is compared: scheme, host, port, path.

    ChalkError for what is none, or holds what would be shown or sent unasked: a password, a query.
    argument: of a command, not of the settings.
    """
    from urllib.parse import urlsplit

    wrong, name = (_wrong_argument, "URL") if argument else (_wrong, "`url`")
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise wrong(f"{name} is no address of a server")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong(f"{name} “{url}” is no address") from None
    if parts.scheme not in ("http", "https") or not host or "%" in host:
        raise wrong(f"{name} “{url}” is no http:// or https:// address")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise wrong(f"{name} holds more than scheme, host, port and path")
    host = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix(ROUTE).rstrip("/")
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"


def on_loopback(url: str) -> bool:
    """Whether what is sent there stays on this machine: 127.0.0.0/8, ::1 or localhost, as written."""
    from ipaddress import IPv4Address, ip_address
    from urllib.parse import urlsplit

    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        found = ip_address(host)
    except ValueError:
        return False  # another name may be led anywhere
    return found.is_loopback if isinstance(found, IPv4Address) else str(found) == "::1"


def trusted(url: str) -> bool:
    """Whether it may be asked."""
    return on_loopback(url) or url in _trusted(settings.read())


def trust(url: str) -> None:
    """Keep in the user's settings that this address may be asked."""
    settings.update(lambda before: {TRUSTED: [*(one for one in _trusted(before) if one != url), url]})


def distrust(url: str) -> bool:
    """Whether it was trusted."""
    if url not in _trusted(settings.read()):
        return False
    settings.update(lambda before: {TRUSTED: [one for one in _trusted(before) if one != url] or None})
    return True


def _trusted(said: dict[str, Any]) -> list[str]:
    found = said.get(TRUSTED)
    found = found if isinstance(found, list) else [found]
    return [one for one in found if isinstance(one, str)]


def _threshold(said: Any) -> float:
    if said is None:
        return thresholds.DECIDER_THRESHOLD
    try:
        value = float(said)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value <= 1:  # a NaN is none of these
        raise _wrong(f"threshold “{said}” is no number from 0 to 1")
    return value


def _wrong_argument(why: str) -> ChalkError:
    return ChalkError(why, hint="chalkgit decider trust https://HOST:PORT")


def _wrong(why: str) -> ChalkError:
    return ChalkError(f"the setting `decider` is not used: {why}", where=settings.path(), hint=EXAMPLE)
