"""Every threshold and budget, once, with its source. Nothing else in the package restates one."""

from __future__ import annotations

# --- records -------------------------------------------------------------------------------------
# A record is a page a person wrote. The largest of 1,809 real ones is under 3 kB; 256 KiB leaves room
# for a pasted log and bounds what a hostile repository can make a hook read.
RECORD_BYTES = 256 * 1024
RECORD_DEPTH = 8  # the deepest shape of the table is 3: failure > tests > line
RAW_BYTES = 1_200  # the cap of an entry taken as it was written
FILES_FROM_TEXT = 5  # paths or names read off a record's text when it lists none
KEY_LENGTH = 100  # YAML ends a simple key at 1,024 characters; ten may escape to one
PATH_LENGTH = 200  # a longer word in prose is no path
FOLD_AT = 90  # text longer than this is folded, so that a review shows it without scrolling

# --- the look at the work tree -------------------------------------------------------------------
# A kernel stamps files with the tick it last took (4 ms on Linux at HZ=250, 10 ms at HZ=100); a file
# younger than this may change again without its stamp changing, so it is read again next time.
RACY_NS = 100_000_000
# git as it is usually built compares seconds: one second, and a tick for the file system's clock.
GIT_GRAIN_NS = 1_100_000_000

MONITOR_SECONDS = 2.0  # our choice: how long git's file monitor may take before the files are looked at
# A file in doubt is read at every question, at 50 microseconds, until all are compared with git again.
DOUBTFUL = 64

# --- the index -----------------------------------------------------------------------------------
INDEX_HEAP_BYTES = 30_000_000  # tantivy refuses less than 15 MB a thread
QUERY_WORDS = 256  # distinct words of a proposal that are looked up; a longer one is a plan: `check -`
TYPO_LETTERS = 4  # shorter words are too close to each other for a slip to be told from another word
TABLE_SECONDS = 20.0  # how long SQLite waits for another process's write; no query of ours takes as long
LOCK_SECONDS = 10  # how long a refresh waits for another process's, before it answers from the files
INDEX_FORMAT = "2, tantivy 0.27"  # an index of any other format is rebuilt

# --- drift and staleness
# macOS gives a process 256 open files; a ruling takes at most six children of two pipes each.
DRIFT_AT_ONCE = 12
DRIFT_SENTENCES = 3  # our choice: what an interruption can carry; the rest is counted
DRIFT_TRACED = 3  # lost paths of a ruling searched for at once; more only where they would be shown
PATH_BYTES = 4_096  # PATH_MAX of Linux: a longer path names no file
RENAME_STEPS = 8  # our choice: renames of one path that are followed, each a git call after another
RENAME_LIMIT = 1_000  # git's own default (diff.renameLimit, 2.39): its cost grows with the square
# 5.7 MB of package-lock.json hold 19,000 packages, and json reads them in 28 ms (measured, CPython 3.11).
DEPENDENCY_BYTES = 5 * 1024 * 1024
REQUIREMENTS_FILES = 20  # our choice: a root with more requirements*.txt is generated or hostile
VERSION_LENGTH = 256  # npm's semver reads no longer version (MAX_LENGTH)
STALE_DAYS = 90  # our choice, not measured: a quarter
UNIT_TOLERANCE = 0.01  # float32 rounding moves a unit vector's squared length by less than 1e-5
VECTOR_SLACK = 1_000  # rows of changed records kept before the vectors are written anew

# --- matching ------------------------------------------------------------------------------------
# Measured on 221 development proposals against 1,809 real dead ends with all-MiniLM-L6-v2; the figures
# and the command that gives them stand in docs/recall.md. At most 10 % false alarms was the condition.
CANDIDATES = 50  # of each arm; a perfect judge of the best 50 would reach .98 of people's proposals
HITS = 10
SHARED_WORDS = 2  # one word in common is a mention, unless it is all there is
PSEUDO_DOCUMENTS = 50
WHOLE_ROUTE = 0.9  # a route that stands whole in a proposal is restated, whatever is said around it …
WHOLE_ROUTE_WORDS = 3  # … when it has three words that carry meaning,
SHORT_ROUTE_COVERAGE = 0.3  # or two, and the record covers this much of the proposal
LEXICAL_ALONE = 0.85
LEXICAL_NO_VECTOR = 0.74  # .72 to .75 is a plateau
STEEPNESS = 12.0  # confidence is the logistic of the margin: .5 is where the rule says yes
ORDER_BM25, ORDER_COVERAGE, ORDER_COVERAGE_ALONE = 0.2, 0.3, 0.5
NEAR_CONFIDENCE = 0.25
NEAR_LEXICAL = 0.5
BELOW_CONFIDENCE = 0.05


class Limits:
    """What one model's cosines mean: `alone` decides, `both` decides beside `lexical`, `near` is worth a
    look. Where `decides` is False the model ranks and the words decide."""

    __slots__ = ("alone", "both", "decides", "lexical", "measured", "near", "source")

    def __init__(
        self,
        alone: float,
        both: float,
        lexical: float,
        near: float,
        source: str,
        *,
        decides: bool = True,
        measured: bool = True,
    ) -> None:
        self.alone = alone
        self.both = both
        self.lexical = lexical
        self.near = near
        self.source = source
        self.decides = decides
        self.measured = measured


MODELS = {
    # near: at .35 the far restatements that rank are shown (.37 of them in the first three; .28 at .45) and
    # .008 of unrelated pairs are over it; at .30 nearly every question is near at 1,809 records.
    "sentence-transformers/all-MiniLM-L6-v2": Limits(0.74, 0.62, 0.60, 0.35, "docs/recall.md"),
    # The design's starting values, which were taken for this model; it cannot be measured where no hub is
    # reached. Its cosines of unrelated texts are far higher than MiniLM's, hence the high bar for `near`.
    "BAAI/bge-small-en-v1.5": Limits(0.80, 0.74, 0.60, 0.74, "starting values", measured=False),
}
# Nothing is known of this model's cosines: it ranks, and the words decide.
UNMEASURED = Limits(1.01, 1.01, 1.01, 1.01, "no calibration", decides=False, measured=False)

# Words that any two proposals share. They weigh nothing unless a text has no others.
STOP_WORDS = (
    "a an the and or but if of to in on at by for from with without as is are be been was were do does did "
    "done it its this that these those there here we i you they he she our my your their me us them let "
    "lets s t d ll m re ve so not no just only also than then too very can could would should will shall "
    "may might must have has had one when where which who what how why all any some such more most own "
    "same into out up about over after before instead rather use using make want need"
)

# --- the semantic arm ----------------------------------------------------------------------------
EMBED_RECORDS = 64  # written at once: what a stopped run has done is kept
FILL_SECONDS = 20.0  # what one `check` spends on missing vectors before it answers with those there are

# --- transaction time
RECORDED_AT_ONCE = 24  # our choice: files asked of git one by one, two processes each

# --- renames -------------------------------------------------------------------------------------
LOST_AT_ONCE = 100  # paths searched for in one answer, a walk over history each; the rest next time
GLOB_SECONDS = 1.0  # our choice: what a hook spends on comparing globs; a thousand take a hundredth of it
HURRIED_FILES = 300  # our choice: record files that a hook reads first, at half a millisecond each
HURRIED_LOST = 8  # of these in a hook, where a person waits
HURRIED_SECONDS = 0.3  # our choice: what a hook spends on history before it leaves it to the background
PROGRESS_FROM = 500  # work on fewer records is over before a line about it is read

# --- writing -------------------------------------------------------------------------------------
WRITE_LOCK_SECONDS = 60  # an import of thousands holds the lock for seconds
TWIN_LEXICAL = 0.95  # a whole route restated with nothing of weight around it
OUTPUT_LINES = 40  # the tail of a failed run's output that a lesson keeps

# --- doors ---------------------------------------------------------------------------------------
BRIEF_CHARACTERS = 240  # a line that is read in passing: three lines of a terminal of 80 columns
HOOK_RULINGS = 7  # our choice: what a commit prints beside the frameworks' own lines; the rest is counted
HOOK_PATHS = 2_000  # our choice: staged paths looked up in one commit; more are an import or a merge
JOURNAL_SECONDS = 0.2  # how long a showing waits for another process's, before it is not kept
JOURNAL_ROWS = 50_000  # our choice: some megabytes; the oldest go
JOURNAL_SWEEP = 1_000  # rows between two looks at the size

# --- doors: coding agents
# Claude Code keeps 9,900 characters of a hook's context in the prompt and makes a file of 10,050 (measured);
# Codex has the same number.
AGENT_CHARACTERS = 9_900
# A tool's answer carries the file before and after the edit; an editor of agents takes no larger ones.
AGENT_INPUT_BYTES = 16 * 1024 * 1024
AGENT_START_RULINGS = 3  # our choice: what is read at every start has to be little
AGENT_PROMPT_RULINGS = 3  # as many as `check` shows
# A longer prompt is a plan, or holds pasted text: its lines are asked one by one, at some milliseconds each.
AGENT_PROMPT_STEPS = 20
# How long an agent waits for us. At a session's start an index may have to be built; an edit waits for less.
AGENT_SECONDS, AGENT_START_SECONDS = 10, 60
AGENT_SETTINGS_BYTES = 4 * 1024 * 1024  # no settings file that people write is near it

# --- doors: installing
CONFIG_HOOKS = (2, 54)  # hook.<name>.command and .event (RelNotes/2.54.0); an older git ignores them silently
FRAMEWORK_BYTES = 1 << 18  # of a hook or of a framework's settings: whose it is, and whether it runs us

# --- doors: watching
WATCH_LINES = 20  # our choice: what one burst may print; the rest is counted
WATCH_QUIET_SECONDS = 0.2  # an editor's save is over by then: write, sync, rename, attributes
WATCH_BATCH_SECONDS = 1.0  # how long a burst may hold back its first file
WATCH_POLL_SECONDS = 1.0  # the least time between two looks …
WATCH_POLL_SHARE = 40  # … and the multiple of what a look takes: with its comparison about 5 % of a processor
WATCH_BYTES = 4 * 1024 * 1024  # of a larger file its size and time stand for the content
WATCH_PATHSPECS = 100  # git compares each with every entry of its index: more, and it lists all of them
# A lock of git's that is older was left behind by a crash; the checkout of a large tree takes seconds.
WATCH_GIT_SECONDS = 60
WATCH_GIT_TICK = 0.05  # between two looks at git's lock, while there is one
WATCH_LIMIT = 524_288  # inotify watches to ask for: what editors advise, half a gigabyte if all were used
WATCH_INSTANCES = 1_024  # the kernel gives 128 where nobody says otherwise

# --- doors: the language server
LSP_OFFERED = 200  # our choice: records or files in one completion; the client asks again as one types
LSP_TITLE_CHARACTERS = 60  # our choice: a menu's line
