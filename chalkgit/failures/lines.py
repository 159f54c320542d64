"""What a program printed, as lines that a person would read: decoded, without colours and CI's prefixes.

`lines` keeps indentation, which several runners give a meaning; `clean` is for one error line and takes
everything off that stands before its text. A line is cut before any pattern looks at it, and what is
kept of an output is bounded, so hostile input costs no more than its size.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter

from chalkgit import thresholds

LINE_CHARACTERS = thresholds.FAILURE_LINE_CHARACTERS
RAW_LINE_BYTES = thresholds.RUN_RAW_LINE_BYTES
OUTPUT_LINES = thresholds.RUN_LINES
_HEAD = 4

# CSI (colours, cursor), strings that end with BEL or ST (titles, links, Buildkite's times), charset
# selection, and the two-character escapes. Each class excludes what ends it, so that no text is looked at
# twice.
_ESCAPES = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]"
    rb"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"
    rb"|\x1b[ -/]+[0-~]"
    rb"|\x1b[0-~]?"
)
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\x1b") + b"\x7f"
_C1 = re.compile(rb"\xc2[\x80-\x9f]")

_DATE_TIME = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)(?![\w.]))?"
)
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_UNIT = r"[\w.-]{1,64} [\w./@-]{1,64}\[\d{1,10}\]:"
# Forms that nothing but a collector of logs writes; a fifth of the lines is enough to believe them.
_STAMPS = (
    re.compile(rf"[^\t]{{1,100}}\t[^\t]{{1,100}}\t\ufeff?{_DATE_TIME} ?"),  # gh run view --log
    re.compile(rf"\ufeff?{_DATE_TIME} {_UNIT} ?"),  # journalctl -o short-iso
    re.compile(rf"[A-Z][a-z][a-z] [ \d]\d {_CLOCK} {_UNIT} ?"),  # syslog, journalctl
    re.compile(rf"\ufeff?{_DATE_TIME} \d\d[OE](?:\+| |$)"),  # GitLab runner
    re.compile(
        rf"\ufeff?(?:\[{_DATE_TIME}\]|{_DATE_TIME}(?![\w.:-])) ?"
    ),  # GitHub, Azure, Jenkins, docker -t
    re.compile(rf"[A-Z][a-z][a-z] [ \d]\d {_CLOCK} ?"),  # ts
    re.compile(rf"(?:\[{_CLOCK}\]|{_CLOCK}(?![\w.:-]))(?:[ WEF]?:\t| )?"),  # Jenkins, AppVeyor, TeamCity
)
# Forms that a program could print of itself: nearly all lines must carry them, with few different names.
_NAMES = (
    re.compile(r"([A-Za-z][\w.-]{0,80}) +\| ?"),  # docker compose, foreman
    re.compile(r"(#\d{1,4}) \d{1,6}\.\d{1,4} ?"),  # docker build
    re.compile(r"(\u27a4 YN\d{4}: (?:\[[^\]]{1,80}\]:)?) ?"),  # yarn
    re.compile(r"([\w./@:-]{1,80})\t"),  # parallel --tag
    re.compile(r" {0,8}(\d{1,9})\t"),  # cat -n
    re.compile(r"(@?[A-Za-z][\w./-]{0,80}:[\w-]{1,40}): ?"),  # turbo
    re.compile(r"(@[\w.-]{1,80}/[\w.-]{1,80}): ?"),  # lerna
    re.compile(r"([\w@./-]{1,80} [\w:-]{1,40}): ?"),  # pnpm -r
    re.compile(r"(\[(?!INFO|ERROR|WARN|DEBUG|info|error|warn|debug|junit)[@\w][\w@./:-]{0,80}\]:?) ?"),
    re.compile(r"([│┃>])(?: |$)"),
)
_DIGITS = dict.fromkeys(map(ord, "0123456789"))  # a name that counts lines is one name
_SAMPLE = 2_000
_STAMPED, _NAMED, _DISTINCT, _FEWEST = 0.2, 0.85, 8, 2  # shares of the sample, different names, lines

_BEFORE_ERROR = re.compile(
    rf"(?:\[{_DATE_TIME}\]|{_DATE_TIME}(?![\w.:-])|\[{_CLOCK}\]|{_CLOCK}(?![\w.:-]))\s+(?:{_UNIT} )?"
    rf"|[A-Z][a-z][a-z] [ \d]\d {_CLOCK} {_UNIT}\s+"
    r"|[A-Za-z][\w.-]{0,80}[-_.]\d{1,4} +\| "
    r"|\[(?:\d{1,4}|gw\d{1,4}|ERROR|error|FATAL|fatal|junit|javac|exec)\]\s+"
    r"|#\d{1,4} \d{1,6}\.\d{1,4} "
    r"|##\[error\]|::error(?: [^:\n]{0,300})?::"
    r"|E\s{2,}|# +|\*\* (?=\()|[│┃→×]\s*|Uncaught (?=[\w$.]{1,80}(?::|$))"
)


def lines(data: bytes) -> list[str]:
    """The lines of an output: no controls but tabs, no blanks at ends; of an overprinted line its last
    state."""
    data = _utf8(_bounded(data))
    if b"\x1b" in data or b"\xc2\x9b" in data:
        if len(data) > RAW_LINE_BYTES:
            data = b"\n".join([line[:RAW_LINE_BYTES] for line in data.split(b"\n")])
        data = _ESCAPES.sub(b"", data)
    data = data.translate(None, _CONTROLS)
    if b"\xc2" in data:
        data = _C1.sub(b"", data)
    found = [line[: LINE_CHARACTERS + 200] for line in data.decode("utf-8", "replace").split("\n")]
    if b"\r" in data:
        found = [line.rstrip("\r").rsplit("\r", 1)[-1] if "\r" in line else line for line in found]
    found = _unprefixed(found)
    return [line[:LINE_CHARACTERS].rstrip() for line in found]


def clean(line: str) -> str:
    """One error line without anything that a runner, CI or a terminal put before or around it."""
    line = plain(line[:LINE_CHARACTERS])
    while found := _BEFORE_ERROR.match(line):
        line = line[found.end() :].lstrip()
    return line


def plain(line: str) -> str:
    """A line as a terminal would show it, without blanks around it."""
    if line.isprintable():
        return line.strip()
    shown = _ESCAPES.sub(b"", line.encode("utf-8", "replace")).decode("utf-8", "replace")
    shown = shown.rstrip("\r\n").rsplit("\r", 1)[-1]
    return "".join(c for c in shown if c.isprintable() or c.isspace()).strip()


def _bounded(data: bytes) -> bytes:
    head_bytes, tail_bytes = thresholds.RUN_HEAD_BYTES, thresholds.RUN_TAIL_BYTES
    if len(data) > head_bytes + tail_bytes:
        data = data[:head_bytes] + b"\n" + data[-tail_bytes:]
    if data.count(b"\n") > OUTPUT_LINES:
        head = OUTPUT_LINES // _HEAD
        first = data.split(b"\n", head)
        data = b"\n".join(first[:-1] + first[-1].rsplit(b"\n", OUTPUT_LINES - head)[1:])
    return data


def _utf8(data: bytes) -> bytes:
    """The bytes as UTF-8 without a mark: PowerShell redirects in UTF-16."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            data = data[len(mark) :]
            return data if name == "utf-8" else data.decode(name, "replace").encode("utf-8", "replace")
    start = data[:4_000]
    for offset, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if (
            len(start) >= 8
            and start[offset::2].count(0) > 0.8 * (len(start) // 2)
            and start[1 - offset :: 2].count(0) * 8 < len(start)
        ):
            return data.decode(name, "replace").encode("utf-8", "replace")
    return data


def _unprefixed(found: list[str]) -> list[str]:
    """Without the prefixes that most lines carry; of the blanks that all lines share, none is left."""
    for _ in range(4):
        sample = [line for line in found[:: max(1, len(found) // _SAMPLE)] if line.strip()]
        form = _form([line[:400] for line in sample])
        if form is None:
            break
        found = [line[match.end() :] if (match := form.match(line)) else line for line in found]
    return _dedented(found)


def _form(sample: list[str]) -> re.Pattern[str] | None:
    if len(sample) < _FEWEST:
        return None
    for stamp in _STAMPS:
        if sum(1 for line in sample if stamp.match(line)) >= _STAMPED * len(sample):
            return stamp
    for named in _NAMES:
        names = Counter(match[1].translate(_DIGITS) for line in sample if (match := named.match(line)))
        if names.total() >= _NAMED * len(sample) and len(names) <= min(_DISTINCT, max(1, names.total() // 3)):
            return named
    return None


def _dedented(found: list[str]) -> list[str]:
    shared = None
    for line in found:
        if line and (text := line.lstrip(" \t")):
            indent = line[: len(line) - len(text)]
            if shared is None:
                shared = indent
            elif not indent.startswith(shared):
                while not indent.startswith(shared):
                    shared = shared[:-1]
            if not shared:
                return found
    return [line[len(shared or "") :] for line in found]
