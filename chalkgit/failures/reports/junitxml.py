"""JUnit XML: every failing testcase that the bytes hold whole.

Read by the stdlib's expat as a stream of events, without entities, document types or external files: nothing
is fetched or expanded, nesting costs no recursion, and what came before a damage counts. Parsers that build
trees give all or nothing.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.failures.reports import texts
from chalkgit.failures.reports.case import Case

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT_CHARACTERS = thresholds.REPORT_TEXT_CHARACTERS
SUITES_NAMED = thresholds.REPORT_SUITES_NAMED
NESTED = thresholds.REPORT_NESTED
FAILURES = thresholds.REPORT_FAILURES
DOCUMENTS = thresholds.REPORT_DOCUMENTS
_PIECE = 1 << 22  # expat begins a tag that a piece cuts again: small pieces make a long tag quadratic
_ROOTS = ("testsuites", "testsuite", "testcase")
_FAILED = ("failure", "error")
_PRINTED = ("system-out", "system-err")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL_REFERENCE = re.compile(r"&#(?:0{0,6}(\d{1,2})|[xX]0{0,6}([0-9A-Fa-f]{1,2}));")
# What is markup in a report, so that any other `<` and `&` is text that its writer forgot to escape.
_LOOSE_AND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});)")
_LOOSE_LESS = re.compile(
    r"<(?!/?(?:testsuites?|testcase|failure|error|skipped|system-(?:out|err)|propert(?:y|ies)"
    r"|rerun(?:Failure|Error)|flaky(?:Failure|Error)|stackTrace|attachments?|warning)[\s/>]|\?xml|!--|!DOCTYPE)"
)


class Unread(ChalkError):
    """The bytes are no report at all."""


def cases(text: str) -> tuple[list[Case], bool]:
    """(failing testcases in the order of the report, whether it is whole).

    Raises Unread, or ChalkError where it declares a document type.
    """
    found = _parsed(_legal(text))
    if found.broken:
        mended = _parsed(_mended(text))
        if not mended.broken or len(mended.cases) > len(found.cases):
            found = mended
    if not found.rooted:
        raise Unread("the report ends before its first test", hint="--output FILE takes plain text")
    return found.cases, not found.broken


def _parsed(text: str) -> _Events:
    data = text.encode("utf-8", "replace")
    events = _Events()
    start: int | None = 0
    for _ in range(DOCUMENTS):
        if start is None:
            return events
        start = _document(data, start, events)
    events.broken = events.broken or start is not None
    return events


def _document(data: bytes, start: int, events: _Events) -> int | None:
    """Where the next document begins, if another one was appended to this one."""
    parser = expat.ParserCreate("utf-8")  # the bytes are ours, whatever the report declares
    parser.buffer_text = True
    parser.StartElementHandler = events.start
    parser.EndElementHandler = events.end
    parser.CharacterDataHandler = events.text
    parser.StartDoctypeDeclHandler = _refuse
    events.begin(parser)
    try:
        for at in range(start, len(data), _PIECE):
            parser.Parse(data[at : at + _PIECE])
            if events.ended:
                break
        else:
            parser.Parse(b"", True)
    except expat.ExpatError:
        events.broken = events.broken or not events.ended
    except _TooDeep:
        events.broken = True
    except Unread:
        if not events.cases:
            raise
    if not events.ended:
        return None
    suite = data.find(b"<testsuite", start + events.ended)
    declared = data.find(b"<?xml", start + events.ended, max(suite, 0))
    return declared if declared >= 0 else suite if suite >= 0 else None


class _TooDeep(Exception):
    pass


class _Events:
    """What the parser saw, as cases."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.broken = False
        self.rooted = False

    def begin(self, parser: expat.XMLParserType) -> None:
        self.ended = 0  # the byte where the end of the root began
        self._parser = parser
        self._root: Mapping[str, str] = {}
        self._depth = 0
        self._suites: list[Mapping[str, str]] = []
        self._properties: set[str] = set()
        self._case: Case | None = None
        self._in: str | None = None
        self._parts: list[str] = []
        self._size = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self._depth += 1
        if self._depth > NESTED:
            raise _TooDeep
        if self._depth == 1:
            if tag not in _ROOTS:
                raise Unread(
                    f"the report is XML of another kind: it begins with <{tag[:40]}>",
                    hint="give the JUnit report, or --output FILE for plain text",
                )
            self.rooted, self._root = True, attributes
        if tag == "testsuite":
            self._suites.append(attributes)
            self._properties = set()
        elif tag == "property" and len(self._properties) < 100:
            self._properties.add(attributes.get("name", "").partition(".")[0])
        elif tag == "testcase":
            suites = [suite for suite in self._suites[-SUITES_NAMED:] if suite.get("name")]
            self._case = Case(attributes, suites, self._root, self._properties)
        elif self._in is None:
            self._open(tag, attributes)

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _FAILED and self._case is None and self._suites:  # the suite itself: it did not load
            suites = [suite for suite in self._suites[-SUITES_NAMED:] if suite.get("name")]
            self._case = Case({}, suites, self._root, self._properties)
        if self._case is None:
            return
        if tag in (*_FAILED, "skipped") and not self._case.kind:
            self._case.kind = tag
            self._case.message = attributes.get("message", "")[:TEXT_CHARACTERS]
            self._case.type = attributes.get("type", "")
            self._collect(tag)
        elif tag in _PRINTED:
            self._collect(tag)

    def _collect(self, tag: str) -> None:
        self._in, self._parts, self._size = tag, [], 0

    def text(self, text: str) -> None:
        if self._in is not None and self._size < TEXT_CHARACTERS:
            self._parts.append(text[: TEXT_CHARACTERS - self._size])
            self._size += len(text)

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        self._depth -= 1
        if tag == self._in and self._case is not None:
            whole = "".join(self._parts)
            if tag in _PRINTED:
                self._case.out += whole[: max(0, TEXT_CHARACTERS - len(self._case.out))]
            else:
                self._case.text = whole
            self._in = None
            if not self._case.attributes:
                self._keep()
        elif tag == "testcase":
            self._keep()
        elif tag == "testsuite" and self._suites:
            self._suites.pop()
        if self._depth == 0:
            self.ended = max(self._parser.CurrentByteIndex, 1)

    def _keep(self) -> None:
        case = self._case
        # ctest counts a test as failed that it could not start, and reports it as skipped
        if case is not None and (
            case.kind in _FAILED or (case.kind and case.attributes.get("status") == "notrun")
        ):
            self.cases.extend([case] if len(self.cases) < FAILURES else ())
        self._case, self._in = None, None


def _legal(text: str) -> str:
    """Without characters that XML has not, colours first: what a colour leaves behind would be text."""
    return _ILLEGAL.sub("", texts.unescaped(text)) if _ILLEGAL.search(text) else text


def _mended(text: str) -> str:
    """With what its writer forgot to escape escaped; what stands in CDATA is text already."""
    text = _legal(_CONTROL_REFERENCE.sub(_character, text))
    pieces: list[str] = []
    at = 0
    while (start := text.find("<![CDATA[", at)) >= 0:
        pieces.append(_escaped(text[at:start]))
        end = text.find("]]>", start)
        at = len(text) if end < 0 else end + 3
        pieces.append(text[start:at])
    return "".join([*pieces, _escaped(text[at:])])


def _character(reference: re.Match[str]) -> str:
    code = int(reference[1]) if reference[1] else int(reference[2], 16)
    return chr(code) if code < 32 and code not in (9, 10, 13) else reference[0]


def _escaped(text: str) -> str:
    return _LOOSE_LESS.sub("&lt;", _LOOSE_AND.sub("&amp;", text))


def _refuse(*declaration: object) -> None:
    raise ChalkError(
        "the report declares a document type, which is not read (entities could be hidden in it)",
        hint="--output FILE takes plain text",
    )
