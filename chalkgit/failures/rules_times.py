"""Rules for dates and times of day: when a run happened says nothing about why it failed."""

from __future__ import annotations

from chalkgit.failures.rule import Rule

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:19|20)\d\d"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:[.,]\d{1,9})?(?![:\d])(?: ?[AaPp][Mm]\b)?"
# Names are listed: "12:00:00 WARN boom" has a level where another line has its zone.
_NAMED = (
    r"(?:UTC|GMT|[ECMP][SD]T|CES?T|WES?T|EES?T|BST|IST|JST|KST|MSK|SGT|HKT|A[ECW][SD]T|NZ[SD]T|A?KS?T|HST)\b"
)
_OFFSET = r"(?:[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d))"
_ZONE = (
    rf"(?:Z\b| ?{_NAMED}{_OFFSET}?| ?{_OFFSET}(?: {_NAMED}| {_OFFSET})?)?"
    r"(?:\[[A-Za-z]+/[A-Za-z_/]+\])?(?: m=[+-]\d+\.\d+)?"
    # JavaScript names the zone once more, in the reader's language
    r"(?: \([A-Z][A-Za-z ]{2,60}\))?"
)

RULES = (
    Rule(
        "klog",
        "the header of Go's klog and glog: level, day, time, process and place",
        r"^[IWEF](?:0[1-9]|1[0-2])[0-3]\d [\d:]{8}\.\d{3,6}(?: \d+ [\w.-]+(?::\d+)?\])? ",
        "",
        digits=True,
        equal=("I0102 15:04:05.000 boom", "E1130 08:22:34.123456    4711 sync.go:12] boom"),
        differ=("I0102 15:04:05.000 boom", "I0102 15:04:05.000 bang"),
    ),
    Rule(
        "date-iso",
        "ISO 8601 and what databases, Go, Ruby and Java print of it, with zone and Go's monotonic reading",
        rf"(?<!\d){_YEAR}(?P<s>[-/])(?:0[1-9]|1[0-2])(?P=s)(?:0[1-9]|[12]\d|3[01])"
        rf"(?:[T _](?:[01]\d|2[0-3])(?:[:-][0-5]\d){{1,2}}(?:[.,]\d{{1,9}})?{_ZONE})?(?!\d)",
        "<date>",
        digits=True,
        ids=True,
        equal=(
            "lease of 2026-11-30 03:27:43.600981372 -0500 EST m=+0.000328509",
            "lease of 2025-01-02T15:04:05Z",
        ),
        differ=("day 2006-01-40 refused", "day 2006-01-41 refused"),
    ),
    Rule(
        "date-compact",
        "dates without separators, beside a time of day; alone they are numbers",
        rf"(?<!\d){_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
        rf"(?:[T _-](?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\.\d{{1,9}})?|[T ]{_CLOCK}){_ZONE}(?!\d)",
        "<date>",
        digits=True,
        ids=True,
        equal=("dump 20060102T150405Z lost", "dump 20261130 08:22:34.000001 lost"),
        differ=("order 20261130 lost", "order 20261131 lost"),
    ),
    Rule(
        "date-numeric",
        "day, month and year by slashes or dots, with or without a time of day",
        rf"(?<![\d./])(?:{_DAY}/{_DAY}/(?:{_YEAR}(?:,? {_CLOCK})?|\d\d,? {_CLOCK})"
        rf"|{_DAY}\.(?:0?[1-9]|1[0-2])\.{_YEAR}(?:,? {_CLOCK})?)(?![\d/])",
        "<date>",
        needs=("/", "."),
        digits=True,
        ids=True,
        equal=("failed @ 12/10/25 13:52:29.244", "failed @ 1/2/2025 1:02:03"),
        differ=("failed @ 12/10/25", "failed @ 1/2/25"),
    ),
    Rule(
        "date-words-day-first",
        "RFC 822, 850 and 1123, as mail and HTTP have them",
        rf"\b{_WEEKDAY}{_DAY}[ -]{_MONTH}[ -](?:{_YEAR}|\d\d)\b"
        rf"(?:,? (?:{_CLOCK}|[0-2]?\d:[0-5]\d\b){_ZONE})?",
        "<date>",
        digits=True,
        ids=True,
        equal=("expired at Mon, 02 Jan 06 15:04 MST", "expired at Friday, 27-Nov-26 08:22:34 GMT"),
        differ=("due in 12 May", "due in 13 May"),
    ),
    Rule(
        "date-words-month-first",
        "syslog, C, Java and JavaScript: month, day, and year or time of day",
        rf"\b{_WEEKDAY}{_MONTH}  ?{_DAY}"
        rf"(?:,? {_YEAR}(?:,? {_CLOCK}{_ZONE})?|,? {_CLOCK}{_ZONE}(?: {_YEAR})?)(?!\d)",
        "<date>",
        digits=True,
        ids=True,
        equal=(
            "slot of Mon Nov 30 09:45:48 CET 2026",
            "slot of Mon Jan 02 2006 14:04:05 GMT-0800 (Pacific Standard Time)",
        ),
        differ=("slot of Nov 30", "slot of Nov 29"),
    ),
    Rule(
        "date-python",
        "how Python shows a date as a value",
        r"\bdatetime\.(?:datetime|date|time)\([\d, ]+"
        r"(?:, (?:fold=\d|tzinfo=[\w.]+(?:\([\w=., '/+-]*\))*))*\)",
        "<date>",
        needs=("datetime.",),
        digits=True,
        equal=("at datetime.datetime(2025, 6, 24, 18, 33, 0, 4)", "at datetime.date(2026, 11, 30)"),
        differ=("at datetime.timedelta(days=1)", "at datetime.timedelta(days=2)"),
    ),
    Rule(
        "clock",
        "a time of day; hours and minutes alone may be a ratio or a place, and stay",
        rf"(?<![\w:.-]){_CLOCK}{_ZONE}(?![\d:])|(?<![\w:.])(?:0?\d|1[0-2]):[0-5]\d ?[AaPp][Mm]\b",
        "<time>",
        needs=(":",),
        digits=True,
        ids=True,
        equal=("slot 12:31:12 taken", "slot 11:21:12 PM taken"),
        differ=("slot 12:59 taken", "slot 12:58 taken"),
    ),
    Rule(
        "leading-time",
        "a time before the message is the log's, and other runners print none",
        r"^(?:[\[(]?<(?:date|time)>[\])]? ?[:|,-]? ?"
        r"(?:(?:FATAL|CRITICAL|ERROR|WARNING|INFO|DEBUG) - )?)+(?=\S)",
        "",
        needs=("<date>", "<time>"),
        equal=("23:57:52    ERROR - Return code: 1", "[2026-11-30 08:22:34] Return code: 1"),
        differ=("08:22:34 boom", "08:22:34 bang"),
    ),
)
