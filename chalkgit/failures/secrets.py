"""Secrets in what a run printed, masked by the shape of their value before anything is stored.

A token is known by the prefix its issuer gives it, a key by its armour, a password by where it stands (in a
URL, in a header, after `password=`) and by not being a word. What only looks alike stays: hashes of commits
and images, UUIDs, test data, `password=''`, `token: expired`. Each pattern takes time linear in the text,
and is tried only where its literal is in it. masked(masked(x)) == masked(x).
"""

from __future__ import annotations

import math
import re
from collections import Counter

SECRET = "<secret>"
_PASSES = 4  # what one mask uncovers another may take; real text is settled after one
_RANDOM_LENGTH, _RANDOM_BITS = (
    12,
    2.9,
)  # hexadecimal digits drawn by lot: 12 of them have 3.1 bits each in the mean
_KEY_CHARACTERS = 20_000  # of an armoured key: 16,384 bits of RSA have 13,000

_FREE = r"(?<![0-9A-Za-z_-])"
# (a literal that is in the text, a pattern whose whole is the secret); issuers tell their prefixes.
_SHAPES = tuple(
    (literal, re.compile(_FREE + pattern))
    for literal, pattern in (
        *((start, start + r"[A-Z0-9]{16}(?![0-9A-Za-z])") for start in ("AKIA", "ASIA", "ABIA", "ACCA")),
        ("AIza", r"AIza[\w-]{30,}"),
        ("ya29.", r"ya29\.[\w.-]{20,}"),
        ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),
        ("8Q~", r"\w{3}8Q~[\w.~-]{30,}"),  # Azure: three characters, then this
        *((f"gh{kind}_", rf"gh{kind}_[0-9A-Za-z]{{20,}}") for kind in "pousr"),
        ("github_pat_", r"github_pat_\w{20,}"),
        ("gl", r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|sa)[-_][\w.-]{20,}"),
        ("GR1348941", r"GR1348941[\w-]{20,}"),
        ("xox", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}"),
        ("xapp-", r"xapp-\d-[\w-]{10,}"),
        ("_live_", r"[prs]k_live_[0-9A-Za-z]{16,}"),
        ("_test_", r"[prs]k_test_[0-9A-Za-z]{16,}"),
        ("whsec_", r"whsec_[\w+/=]{20,}"),
        ("sk-", r"sk-(?:(?:ant|proj|svcacct|admin|or|lf)-[\w-]{16,}|(?=[A-Za-z_-]*\d)[\w-]{20,})"),
        ("npm_", r"npm_[0-9A-Za-z]{30,}"),
        ("pypi-", r"pypi-[\w-]{30,}"),
        ("rubygems_", r"rubygems_[0-9a-f]{32,}"),
        ("dckr_", r"dckr_[a-z]{3}_[\w-]{20,}"),
        ("hf_", r"hf_[0-9A-Za-z]{30,}"),
        ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
        ("_v1_", r"do[opr]_v1_[0-9a-f]{40,}"),
        ("shp", r"shp[a-z]{2}_[0-9a-fA-F]{32,}"),
        ("dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
        ("dp.", r"dp\.[a-z]{2,6}\.[\w.-]{30,}"),
        ("hv", r"hv[bsr]\.[\w-]{20,}"),
        (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{30,}"),
        ("glc_", r"glc_[\w+/=]{30,}"),
        ("NRAK-", r"NRAK-[0-9A-Z]{20,}"),
        ("sntry", r"sntry[su]_[\w+/=-]{30,}"),
        ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
        ("pscale_", r"pscale_[a-z]+_[\w.-]{30,}"),
        ("sbp_", r"sbp_[0-9a-f]{40,}"),
        ("lin_api_", r"lin_api_[0-9A-Za-z]{30,}"),
        ("figd_", r"figd_[\w-]{30,}"),
        ("ntn_", r"ntn_[0-9A-Za-z]{30,}"),
        ("ATATT3", r"ATATT3[\w=-]{50,}"),
        ("PMAK-", r"PMAK-[0-9a-f]{20,}-[0-9a-f]{20,}"),
        ("pul-", r"pul-[0-9a-f]{40}"),
        ("gsk_", r"gsk_[0-9A-Za-z]{40,}"),
        ("xai-", r"xai-[0-9A-Za-z]{40,}"),
        ("pplx-", r"pplx-[0-9A-Za-z]{30,}"),
        ("tskey-", r"tskey-[a-z]+-[\w-]{16,}"),
        ("bk", r"bk(?:ua|at|pt)_[0-9a-f]{40}"),
        ("CCIPAT_", r"CCIPAT_[\w-]{30,}"),
        ("oy2", r"oy2[0-9a-z]{43}(?![0-9A-Za-z])"),
        (":AA", r"\d{8,10}:AA[\w-]{32,}"),  # Telegram
        ("eyJ", r"eyJ[\w-]{8,}\.(?:eyJ)?[\w-]{8,}(?:\.[\w-]*){0,3}"),  # JSON web tokens, also cut
        ("$", r"\$(?:2[abxy]|[156]|argon2\w{1,2}|scrypt|y)\$[\w./+=,$-]{20,}"),  # hashed passwords
    )
)
_WEBHOOK = re.compile(
    r"(hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/)[\w/-]{20,}"
)
_SECRET_URL = re.compile(r"(://[^\s/:@'\"<>]{0,64}:)([^\s/'\"<>]+)(?=@)")
_USER_URL = re.compile(r"(://)([^\s/:@'\"<>]{20,})(?=@)")
_HEADER = re.compile(
    r"(?i:(\b(?:proxy-)?authorization\b['\"]?[ ]{0,3}(?:=>|[:=])?[ ]{0,3}b?['\"]?"
    r"(?:(?:bearer|basic|token|digest|apikey|negotiate)[ ]{1,3})?"
    r"|\b(?:bearer|basic)[ ]{1,3}))([\w.~+/=-]{6,})"
)
_MARK = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_AFTER = re.compile(r"(?:(?:\s|\\[nr]|[|>│#] ?|E )*[0-9A-Za-z+/=]{16,})+")
_BODY = re.compile(r"[\s|>│#E]*[0-9A-Za-z+/=]{16,}\s*")
_LAST = re.compile(r"[\s|>│#E]*[0-9A-Za-z+/=]{1,15}\s*")
_NAMED = (
    "passw", "pwd", "passphrase", "secret", "token", "api", "key", "credential", "auth", "sig", "session",
    "cookie",
)  # fmt: skip
_LENIENT = ("passw", "pwd", "passphrase")
_PAIR = re.compile(
    r"(?i:(?P<name>passw(?:or)?d|passwd|pwd|passphrase|secret|token|api[_-]?key|(?:access|account|private|signing|encryption|master|service)[_-]?key"
    r"|credentials?|auth|signature|sig|session(?:[_-]?id)?|cookie|sharedaccesskey)(?P<more>[\w-]{0,20}))"
    r"(?P<between>(?:\\?['\"])?[ ]{0,3}(?:=>|[:=])[ ]{0,3}| )"
    r"(?:b?(?P<quote>\\?['\"])(?P<quoted>[^'\"\n]{1,4000})(?=\\?['\"])|(?P<bare>(?:[^\s'\",;&(){}\[\]<>]|&(?!\w{1,40}=)){1,4000}))"
)
_WORDS = frozenset(
    "none null nil true false undefined empty expired invalid required missing revoked rejected denied unset"
    " string str int integer number boolean bytes object list dict test testing example dummy fake mock"
    " password passwd secret token value unknown redacted hidden masked removed expected received actual"
    " function self".split()
)
_WORD = re.compile(r"[A-Za-z]+(?:[_. /-][A-Za-z]+)*[_.-]?\d{0,2}[.!?]?")
_PROSE = re.compile(r"[^\W\d_]+(?:[ _./-][^\W\d_]+)*[.!?]?")
_REFERENCE = re.compile(r"[$%<{*•.]|x{4,}|os\.|process\.|env[.\[]", re.IGNORECASE)


def masked(text: str) -> str:
    """The text with each secret in it replaced by `<secret>`."""
    for _ in range(_PASSES):
        before = text
        text = _once(text)
        if text == before:
            break
    return text


def _once(text: str) -> str:
    if "PRIVATE KEY" in text:
        text = _without_keys(text)
    for literal, pattern in _SHAPES:
        if literal in text:
            text = pattern.sub(SECRET, text)
    if "://" in text:
        text = _USER_URL.sub(_user, _SECRET_URL.sub(rf"\1{SECRET}", text))
    if "/services/" in text or "/workflows/" in text or "/webhooks/" in text:
        text = _WEBHOOK.sub(rf"\1{SECRET}", text)
    return "\n".join(map(_by_name, text.split("\n")))


def _by_name(line: str) -> str:
    folded = line.casefold()
    if not any(name in folded for name in _NAMED) and "bearer" not in folded and "basic " not in folded:
        return line
    return _PAIR.sub(_pair, _HEADER.sub(_header, line))


def _user(found: re.Match[str]) -> str:
    return found[1] + SECRET if _random(found[2]) else found[0]


def _header(found: re.Match[str]) -> str:
    return found[1] + SECRET if _random(found[2]) or _encoded(found[2]) else found[0]


def _pair(found: re.Match[str]) -> str:
    value = found["quoted"] if found["quote"] else found["bare"]
    name, between = found["name"].casefold(), found["between"]
    if value == SECRET or _REFERENCE.match(value) or value.casefold().strip(" .!?:") in _WORDS:
        return found[0]
    if between == " ":  # `--password hunter2`, never prose
        at = found.start()
        option = found.string[max(0, at - 20) : at].rpartition(" ")[2].startswith("--")
        secret = option and not value.startswith("-")
    elif name.startswith(_LENIENT):
        shell = found["name"].isupper() and between == "="
        given = "=" in between or bool(found["quote"])
        secret = len(value) >= 4 and (
            shell or bool(found["quote"] and given) or (given and not _PROSE.fullmatch(value))
        )
        secret = secret or _random(value)
    else:
        secret = _random(value) or (
            found["name"].isupper() and between == "=" and len(value) >= 8 and _mixed(value)
        )
    if not secret:
        return found[0]
    start, end = found.span("quoted" if found["quote"] else "bare")
    whole, offset = found[0], found.start()
    return whole[: start - offset] + SECRET + whole[end - offset :]


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _encoded(value: str) -> bool:
    """Base64 of something, as `Authorization: Basic` has it."""
    whole = len(value) >= 8 and len(value.rstrip("=")) % 4 != 1 and not value.isalpha()
    return whole or value.endswith("=")


def _random(value: str) -> bool:
    """Whether the value seems drawn by lot: long, digits and letters, no word, many different characters."""
    if len(value) < _RANDOM_LENGTH or not _mixed(value) or _WORD.fullmatch(value) or "/" in value[:2]:
        return False
    counts = Counter(value[:256])
    size = min(len(value), 256)
    return -sum(n / size * math.log2(n / size) for n in counts.values()) >= _RANDOM_BITS


def _without_keys(text: str) -> str:
    """The text without what is between the marks of private keys, also where it begins or ends inside one."""
    parts: list[str] = []
    at = 0
    marks = list(_MARK.finditer(text))
    for index, mark in enumerate(marks):
        if mark.start() < at:
            continue
        if mark[1] == "END":  # its beginning was cut off
            parts.append(_unarmoured(text[at : mark.start()]) + mark[0])
            at = mark.end()
            continue
        parts.append(text[at : mark.end()])
        following = marks[index + 1] if index + 1 < len(marks) else None
        if following and following[1] == "END" and following.start() - mark.end() <= _KEY_CHARACTERS:
            parts.append(SECRET)
            at = following.start()
            parts.append(following[0])
            at = following.end()
        else:
            body = _AFTER.match(text, mark.end())
            at = body.end() if body else mark.end()
            parts.append(SECRET if body else "")
    return "".join([*parts, text[at:]])


def _unarmoured(text: str) -> str:
    lines = text.split("\n")
    kept = len(lines)
    while kept and not lines[kept - 1].strip():
        kept -= 1
    if kept > 1 and _LAST.fullmatch(lines[kept - 1]) and _BODY.fullmatch(lines[kept - 2]):
        kept -= 1
    ended = kept
    while kept and _BODY.fullmatch(lines[kept - 1]):
        kept -= 1
    return text if kept == ended else "\n".join([*lines[:kept], SECRET, ""])
