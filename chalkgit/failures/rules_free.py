"""First lines that do not say what went wrong: those whose values follow, and those of any failure.

A line without a value of its own (`expect(received).toBe(expected)`) is joined with the next few lines that
hold them: never stack frames, code listings, headers of differences. A generic one (`AssertionError`, `exit
status 1`) is no evidence that two failures are the same: nothing is fingerprinted by it alone, nor found
alike by it alone.
"""

from __future__ import annotations

import re

from chalkgit import thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

JOINED_LINES = thresholds.FAILURE_JOINED_LINES
_LINE = thresholds.FAILURE_LINE_CHARACTERS

_VALUE_FREE = re.compile(
    r"(?:Error: )?expect\(.*\)(?:\.(?:not|resolves|rejects))*\.\w+\(.*"  # jest, vitest, bun, Playwright
    r"|(?:Error: )?thrown: .*[{\[(]"
    # Node's assert
    r"|(?:AssertionError(?: \[\w+\])?: )?(?:Expected (?:values|inputs|\"actual\") .*"
    r"|The expression evaluated to a falsy value"
    r"|Values have same structure .*|The input .*|The \".*\" validation function .*):"
    r"|.*\bassertion `left [!=]= right` failed(?::.*)?|assertion failed: `\(left [!=]= right\)`.*"  # Rust
    r"|.*\bassertion `left matches right` failed(?::.*)?"
    r"|\S+?(?::\d+|\(\d+\))?: (?:Failure|error:|FAILED:)|unknown file: Failure|FAILED:"  # GoogleTest, Catch2
    r"|.*\([-+]\w+,? [-+]\w+\):?"  # go-cmp: (-want +got)
    r"|(?:\S+\.go:\d+: ?)?(?:Error: )?"  # testify, gomega
    r"(?:Not equal:|mismatch:|Expected|(?:Expected|Unexpected) error:|Should .*:)"
    r"|\S+\.go:\d+:"
    r"|WARNING: DATA RACE"
    r"|Failed (?:\(TODO\) )?test (?:'.*'|\".*\"|at .* line \d+\.?)"  # Test::More
    r"|Failed asserting that two \w+ are (?:not )?(?:equal|identical|the same)\.?"  # PHPUnit
    # Hamcrest, AssertJ, Mockito: the class and nothing after it
    r"|(?:[\w$]+\.)*(?:Assertion(?:Failed)?Error|ComparisonFailure|MultipleFailuresError|\w+Invo(?:ked|cation\w*)):"
    r"|(?:[\w$.]+: )?(?:Multiple Failures \(\d+ failures?\)|Expecting(?: \w+)*:|Wanted but not invoked:)"
    r"|(?:AssertionError: )?(?:Regex pattern did not match\.|expected call not found\.|Calls not found\."
    r"|Element counts were not equal:|Items in the .* set but not the .*:)"  # Python
    r"|(?:[\w.]+: )?\d+ validation errors? for \S+"
    # rspec, minitest, Hamcrest, AssertJ: one half of a comparison
    r"|(?:[\w$.]+: )?[Ee]xpected(?: collection contained)? ?: (?!.*\b(?:to|but|got|was|actual|found)\b).*"
    r"|--- expected"  # minitest
    r"|-- .+ --"  # bats-assert
    r"|Assertion with .* failed|match \(.*\) failed|Expected (?:truthy|false or nil), got .*"  # ExUnit
    r"|(?:\S+\.lua:\d+: )?Expected (?:objects to .*|.*value was:|a different error\.?)"  # luassert
    r"|Assert\.\w+\(\) Failure(?::.*)?",
)
_HEADER = re.compile(
    r"[-+]{1,3} ?(?:Expected|Actual|expected|actual|Received|received|want|got)\b[\s\d]*"
    r"|\+ actual - expected.*|- Expected\s.*|\+ Received\s.*|@@.*"
    r"|[A-Za-z][A-Za-z ]*:"  # a label whose value is on the next line
    r"|\(compared using .*\)|at \S+ line \d+\.?"
    r"|[\W_]+"  # brackets, rules and carets
)
_END = re.compile(
    r"at [^:(]*[:(]\D*\d.*|❯ .*|-> at .*|# \./.*|(?=\S*[./])\S+:\d+(?::in .*)?|.*\+0x[0-9a-f]+"  # frames
    r"|File \".*\", line \d+.*|thread '.*|note: run with .*|stack(?:trace| backtrace):.*|Stack Trace:.*"
    r"|>?\s*\d+\s*[|:]\s.*|\d+\s*\||>?\s*\d+\s*\|.*"  # code
    r"|\]\s*\{|(?:generatedMessage|operator|diff): .*|code: '[A-Z_]+',?|Error Trace:.*|Test:\s.*"
    r"|Looks like you .*|--"
    r"|.*: Failure|\[ +FAILED +\].*|--- FAIL.*|=== RUN.*|FAIL\b.*|\S+\.go:\d+: .*"
)
# The same values once more, as a difference (RSpec, GoogleTest, mocha): not read where they were told before.
_AGAIN = ("Diff:", "With diff:", "+ expected - actual")
_DIFFERENCE = re.compile(r"[-+](?![-+]).*\w")
_FUNCTION = re.compile(r"(?!testing\.|runtime\.)[\w./*()·-]+\(\)")

# Words that say a test failed, and nothing of why.
_SAYS_NOTHING = frozenset(
    "a abort aborted actual an and are assert asserting assertion be been build but by call code "
    "collection command completed core could data detected did dubious due dumped during elifecycle eq "
    "equal err error errors evaluated exception executing execution exit exited expected expression "
    "fail failed failing failure failures false falsey falsy fatal fault for found got in instead is it "
    "job killed last lifecycle looks make most nil non none not npm null of on or out panic previous "
    "process race received recent return returned run script segmentation signal something stack status "
    "step target task terminated test tests than that the there this timed timeout to trace traceback "
    "true truthy uncaught undefined unexpected unhandled unknown value warning was went were with wrong "
    "wstat you zero".split()
)
_CLASS = re.compile(
    r"(?:[\w$]+(?:\.|::|\\|/))*[A-Z][\w$]*(?:Error|Exception|Failure|Failed|Warning|Exit|Interrupt)[:.]?"
)
_WORD = re.compile(r"[^\W\d_]+")
_SPECIFIC = re.compile(r"['\"`<>{}=\[\]/\\$]|[A-Za-z]\.[A-Za-z]")
_SUMMARY = re.compile(
    r"(?:g?make|mingw32-make)(?:\[\d+\])?: \*\*\* .*"
    r"|error: (?:test failed, to rerun pass|could not compile) .*"
    r"|npm ERR! .*|FAILED \(.*\)|Tests run: .*|\d+ (?:failed|failures?|errors?)\b.*"
    r"|\d+ (?:tests?|examples?|assertions?), .*"
)
_COUNTED = frozenset(
    "a code command completed err error errors exit exited fail failed failing failure failures make "
    "non npm of process return returned script signal status step test tests the there was were with "
    "zero".split()
)
_FIRST_CLASS = re.compile(
    r"^(?:(?:[\w$]+\.)*(?:AssertionError|AssertionFailedError|Error|Exception|Failed)): ?"
)


def value_free(line: str) -> bool:
    """Whether the line says what was compared, and the lines after it with what result."""
    text = line[:_LINE].strip()
    return _VALUE_FREE.fullmatch(text) is not None


def generic(line: str) -> bool:
    """Whether the line could begin any failure's message."""
    text = line[:_LINE].strip()
    if value_free(text) or _CLASS.fullmatch(text) or _SUMMARY.fullmatch(text):
        return True
    if _SPECIFIC.search(text):
        return False
    words = {word.lower() for word in _WORD.findall(_FIRST_CLASS.sub("", text))}
    return words <= (_COUNTED if any(character.isdigit() for character in text) else _SAYS_NOTHING)


def joined(line: str, detail: Sequence[str]) -> list[str]:
    """Of the lines after a first one those with its values; [] where it has its own."""
    if not value_free(line):
        return []
    if line.strip() == "WARNING: DATA RACE":
        return _racing(detail)
    found: list[str] = []
    for told in detail:
        text = " ".join(told[:_LINE].split())
        if _END.fullmatch(text) or (found and text in _AGAIN):
            break
        if text and text not in _AGAIN and not _HEADER.fullmatch(text):
            found.append(text)
    differences = [text for text in found if _DIFFERENCE.match(text)]
    return (differences or found)[:JOINED_LINES]


def _racing(detail: Sequence[str]) -> list[str]:
    """The functions that raced: which of them read first, and in which goroutine, differs from run to run."""
    return sorted({text for told in detail if _FUNCTION.fullmatch(text := told[:_LINE].strip())})[:2]
