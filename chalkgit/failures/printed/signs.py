"""What an error line looks like, by how near it is to the cause, and what only looks like one.

`weight` is asked of each line: 1 a compiler, a linter or an uncaught exception tells place or type; 2 a tool
says that it ends for this; 3 a log's level says so; 4 the words do; 0 is no error. Lines that only
repeat that something before them failed (`make: *** [all] Error 2`, `Process completed with exit code
1`) are 0: they are never what to look for.
"""

from __future__ import annotations

import re

_TOKENS = tuple(
    "error|fail|fatal|exception|cannot|can't|could not|couldn't|not found|no such|denied|refused|panic"
    "|segmentation|abort|killed|unable|undefined|err!|***|timed out|e: |sanitizer|died|unhandled|assertion"
    "|critical|severe|core dumped|! |crash|out of memory|no rule|no space".split("|")
)

# (weight, a word that must be in the lower-case line, the pattern)
_PATTERNS: tuple[tuple[int, str, re.Pattern[str]], ...] = tuple(
    (weight, word, re.compile(pattern))
    for weight, word, pattern in (
        # compilers and linters, where no place stands before `error:` (`_placed` knows those)
        (1, "error", r"error\[[A-Z]\d{1,5}\]: "),
        (
            1,
            "error",
            r"(?:ld|lld|link|clang|clang\+\+|cc1plus|cc1|gcc|g\+\+)(?:\.exe|\.lld)?: (?:fatal )?error: ",
        ),
        (1, "undefined", r"\S.{0,500}: undefined (?:reference to|symbol) "),
        (1, "e: ", r"e: (?:file://)?/?\S{1,500}:\d{1,9}:\d{1,9}"),  # Kotlin
        (1, "error", r"\d{1,9}:\d{1,9}\s{1,20}error\s{1,20}\S"),  # eslint
        (1, "", r"\S{1,500}\.(?:go|py|rb|js|ts|css|sh|lua):\d{1,9}:\d{1,9}: (?:[A-Z]{1,4}\d{3,5} )?\S"),
        (1, "", r"\S{1,500}\.(?:java|kt|scala):\[\d{1,9},\d{1,9}\] \S"),  # Maven
        (1, "cmake error", r"CMake Error(?: at |: |\b)"),
        (1, "fatal error", r"(?:PHP )?(?:Fatal|Parse) error: "),
        (1, "parse error", r"(?:PHP )?Parse error: "),
        # uncaught exceptions
        (1, "exception in thread", r"Exception in thread "),
        (1, "unhandled", r"(?:Unhandled|Uncaught) (?:exception|rejection|Exception)"),
        (1, "panic", r"panic: |thread '[^']{0,300}'(?: \(\d{1,20}\))? panicked at "),
        (1, "(", r"\S{1,500}:\d{1,9}:in [`'].{1,1000} \((?:[A-Z]\w{0,100}::){0,6}[A-Z]\w{0,100}\)$"),  # Ruby
        (1, "", r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception)(?: \[[\w-]{1,80}\])?: \S"),
        (
            1,
            "error",
            r"(?:Type|Reference|Syntax|Range|Eval|URI|Assertion|Aggregate)?Error(?: \[\w{1,80}\])?: \S",
        ),
        # tools and shells
        (2, "fatal error", r"fatal error: |FATAL ERROR: "),
        (2, "fatal", r"(?:\S{1,80}: )?(?:fatal|FATAL|Fatal)(?: error)?(?:\[[\w-]{1,40}\])?: \S"),
        (
            2,
            "error",
            r"(?:[\w./@-]{1,80}: )?(?:error|Error|ERROR)(?: [A-Z]{0,6}\d{1,6}|\[[\w-]{1,40}\])?: \S",
        ),
        (2, "error", r"(?:ERROR|Error) in \S|Error from server|Error response from daemon"),
        (
            2,
            "err",
            r"npm (?:ERR!|error) (?!(?:code|errno|syscall|path|command|sh|cwd|dest|A complete"
            r"|Exit status) )\S",
        ),
        (2, "error", r"(?:error|ERROR) {1,4}\S.{0,100}: "),  # yarn
        (2, "error", r"error Couldn't "),
        (2, "e: ", r"E: \S"),  # apt
        (2, "segmentation", r".{0,300}Segmentation fault"),
        (2, "core dumped", r".{0,300}\(core dumped\)"),
        (2, "killed", r"(?:.{0,300}: line \d{1,9}: {1,4}\d{1,10} )?Killed(?: |$)"),
        (2, "command not found", r"\S.{0,300}: command not found"),
        (2, "not found", r"(?:/\S{1,300}|sh|bash|dash|zsh|ash): (?:line )?\d{1,9}: \S{1,300}: not found"),
        (2, "no such file", r"[\w./-]{1,200}: .{0,1000}: No such file or directory"),
        (2, "denied", r"[\w./-]{1,200}: .{0,1000}: Permission denied"),
        (2, "cannot", r"(?:[\w./+-]{1,100}: ){1,3}(?:cannot|can't) \S"),
        (2, "unable", r"(?:[\w./+-]{1,100}: ){1,3}unable to \S"),
        (2, "could not", r"(?:[\w./+-]{1,100}: ){1,3}(?:\(\d{1,3}\) )?(?:could not|Could not) \S"),
        (
            2,
            "assertion",
            r".{0,1000}\bAssertion [`'].{0,1000}' failed|.{0,300}\b[Aa]ssertion fail(?:ed|ure)\b",
        ),
        (2, "sanitizer", r".{0,100}(?:ERROR|SUMMARY): \w{1,40}Sanitizer"),
        (2, "data race", r"WARNING: DATA RACE$"),
        (2, "no rule", r"\S{0,80}: \*\*\* No rule to make target "),
        (2, "***", r"[\w./-]{1,200}:\d{1,9}: \*\*\* \S"),
        (2, "abort", r"abort: |terminate called after throwing|.{0,80}###!!! ABORT"),
        (2, "test-unexpected-", r".{0,100}TEST-UNEXPECTED-"),
        (2, "process-crash", r".{0,100}PROCESS-CRASH"),
        (2, "out of memory", r".{0,300}\b[Oo]ut of memory\b"),
        (2, "no space", r".{0,500}No space left on device"),
        (2, "! ", r"! [A-Z].{0,300}\.$"),  # TeX
        # a log's level
        (3, "", r"(?:\S{1,100} ){0,3}\[?(?:ERROR|FATAL|CRITICAL|SEVERE|CRIT|EMERG)\]?(?:[:\s]|$)"),
        (3, "level=", r".{0,300}\blevel=(?:error|fatal|critical|panic)\b"),
        (3, '"level"', r".{0,300}\"level\": ?\"(?:error|fatal|critical)\""),
        (3, "error", r"\S{1,200} error: \S|error: "),
        # words
        (
            4,
            "error",
            r"(?i)(?:an? |unexpected |internal |unknown |\S{1,80} )?error (?:occurred|while|during|when"
            r"|reading|loading"
            r"|opening|parsing|writing|connecting|creating|running|executing)\b",
        ),
        (
            4,
            "",
            r"(?i).{0,300}\b(?:failed|failure|cannot|can't|could not|couldn't|unable to|not found"
            r"|no such file|denied"
            r"|refused|timed out|aborted|crashed|died)\b",
        ),
    )
)

_ERROR = re.compile(r"\berror\b(?: [A-Z]{1,6}\d{1,6})?:")
_PLACE = re.compile(r"[:(]\d{1,9}(?:[,.:-]\d{1,9}){0,3}\)?:? (?:- )?(?:fatal )?$")
_SURFACE = re.compile(
    r"(?i)(?:error: |(?:error|fatal|critical) {1,4}- {1,4}|##\[error\]|err_\w{1,80}\s{1,9})?(?:"
    r"process completed with exit code|return code:|exit (?:code|status)\b|script returned exit code"
    r"|(?:the )?process .{0,300} (?:failed with exit code|did not complete successfully)"
    r"|(?:error )?command (?:failed|exited)\b|(?:bash|cmd\.exe) exited|traceback \(most recent"
    r"|command '.{0,500}' (?:failed with exit|returned non-zero)"
    r"|the command .{0,1000} returned a non-zero code"
    r"|(?:g|moz)?make(?:\.exe)?(?:\[\d{1,6}\])?: (?:\*\*\* \[|target |leaving )|recipe .{0,200} failed"
    r"|job failed|finished: failure|build failed|ninja: build stopped|failed: \S{1,300}\.(?:o|obj|a|so|dll)\b"
    r"|failed: \[code=|cc1(?:plus)?(?:\.exe)?: (?:all|some) warnings being treated|could not compile "
    r"|collect2(?:\.exe)?: error: ld returned|clang(?:\+\+)?: error: linker command failed|aborting due to "
    r"|failed to solve: process|subprocess-exited-with-error|.{0,1000}CalledProcessError: "
    r"|executor failed running"
    r"|builder for .{0,300} failed with exit|script .{0,200} exited with|errors during|lifecycle script"
    r"|elifecycle\b"
    r"|found \d{1,9} errors?|\d{1,9} errors? (?:generated|found)|npm err! (?:code|errno) "
    r"|test failed, to rerun"
    r"|target .{0,200} failed to build|execution failed for task|some errors have detailed"
    r"|for more information about"
    r"|cleaning up|failed to execute goal)"
)
_QUIET = re.compile(
    r"(?i)\b(?:0|no|zero|without|any|non-fatal|nonfatal|ignor(?:e|ed|ing)) {1,4}(?:\w{1,20} )?"
    r"(?:errors?|failures?|failed)\b"
    r"|\b(?:errors?|failures?|failed|err)['\"]?(?:=| {0,4}: {0,4})['\"]?(?:0|none|null|nil|false|no|''"
    r"|\"\"|<nil>)"
    r"['\"]?(?=[,;)}|\]]|$)"
    r"|\b(?:errors?|failures?|failed|err)=['\"]?(?:0|none|null|nil|false|no|<nil>)\b(?!\.)"
)
_PASSED = re.compile(
    r"\s{0,80}(?:[✓✔√·]|ok\b|PASS(?:ED)?\b|--- (?:PASS|SKIP)|\[ {1,9}(?:OK|RUN) {1,9}\]|[+$>] |#+ |[├└]"
    r"|(?:INFO|DEBUG|TRACE|NOTE|note|help|hint|info|debug|trace|TEST-INFO|TEST-PASS|TEST-OK|remark|Compiling"
    r"|Downloading|Installing|Copying|Requirement)\b|\[(?:INFO|DEBUG|TRACE|info|debug)\])"
)
_WARNED = re.compile(
    r"(?i)(?:\S{1,300}:\d{1,9}(?::\d{1,9})?:? {1,4})?(?:\S{1,80}: )?\[?\w{0,60}warn(?:ing)?s?\b"
    r"|.{0,120}\bwarning:|npm warn"
)
_INFO_LEVEL = re.compile(
    r"(?:\S{1,100} ){0,3}[\[(]?(?:INFO|DEBUG|TRACE|NOTICE|WARN|WARNING)[\])]?(?:[:\s]|$)"
)
_COUNTED = re.compile(
    r"(?i)\s{0,20}(?:[=!-]{1,100} ?)?(?:\w{1,20}:? ){0,3}\d{1,9} (?:\w{1,20},? ){0,3}(?:errors?|failed"
    r"|failures?|failing)\b"
)
_JUDGED = 500  # characters: what an error is stands at its beginning
_PASSED_AFTER = (" ok", "... ok", " PASSED", " passed", " (OK)", "✓")


def may_be_error(line: str) -> bool:
    """A cheap look: whether any pattern could speak of it."""
    low = line.lower()
    return any(token in low for token in _TOKENS)


def repeats(line: str) -> bool:
    """Whether the line only says that something before it failed."""
    return bool(_SURFACE.match(line[:_JUDGED]))


def weight(line: str, raw: str) -> int:
    """How an error line speaks of its cause, 1 (best) to 4; 0 for no error. raw: the line with its
    prefixes."""
    line = line[:_JUDGED]
    if raw.endswith(_PASSED_AFTER) or _PASSED.match(raw) or repeats(line):
        return 0
    if _WARNED.match(line) and "DATA RACE" not in line:
        return 0
    line = _QUIET.sub("", line)
    low = line.lower()
    if _placed(line):
        return 1
    level = _INFO_LEVEL.match(line) is not None
    for weight, word, pattern in _PATTERNS:
        if word in low and pattern.match(line):
            if level or (weight == 4 and _COUNTED.match(line)):
                return 0
            return weight
    return 3 if raw.lstrip().startswith(("##[error]", "::error", "[ERROR]", "[error]")) and low.strip() else 0


def _placed(line: str) -> bool:
    """Whether a place stands before `error:`, as compilers write it: `a.c:3:5: error: …`, `a.ts(3,5):
    error TS1: …`."""
    for count, found in enumerate(_ERROR.finditer(line)):
        start = found.start()
        if count < 5 and start and _PLACE.search(line, max(0, start - 60), start):
            return True
    return False
