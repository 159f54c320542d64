"""Every threshold and budget, once, with its source. Nothing else in the package restates one."""

from __future__ import annotations

from chalkgit.calibration import Calibration

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
READ_CHARACTERS = 16_384  # our choice: of a question, what is read for slips and names; three pages
TYPO_LONGEST = 32  # our choice: what is longer is data, no word
TWO_SLIPS_LETTERS = 8  # our choice: Elasticsearch's "auto" forgives two from 6, where many words are near
MEANT_WORDS = 12  # of a question's words that no record holds; a millisecond each
TWO_SLIPS_WORDS = 2  # of these, those looked at for two slips, at some milliseconds each
READINGS = 4  # our choice: what one word may stand for, the most used first
BEGUN_WORDS = 256  # our choice: words with one beginning that are counted
BEGUN_CHARACTER = 32  # our choice: words that begin with the one character asked for
PART_LETTERS, PARTS = 3, 4  # our choice: of a word that is taken for several written together
JOINED_LETTERS = 5  # `a` and `do` are not `ado`
USUAL_WORDS = 85  # of a record, which BM25 measures its length by: the mean of 1,809 real ones
READING_WEIGHT = 0.7  # what a word counts that was not asked for; from .7 to 1 people's proposals rank alike
TABLE_SECONDS = 20.0  # how long SQLite waits for another process's write; no query of ours takes as long
LOCK_SECONDS = 10  # how long a refresh waits for another process's, before it answers from the files
INDEX_FORMAT = "5, tantivy 0.27"  # an index of any other format is rebuilt
TOLD_ONE_BY_ONE = 500  # our choice: an id costs 20 microseconds, going over 100,000 files 30 ms
# Records that the words lack are compared one by one, at .2 ms each; writing to the words costs ten calls
# that wait for the disk. At most one in twenty of all, so that the average length hardly differs.
LATE_RECORDS = 32
LATE_SHARE = 20

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
CANDIDATES = 30  # of each arm; with 50 the same records are among the first three, in 4 ms more
COMPARED = 15  # of each arm, in their words: among these are all that interrupted, and all that were near
HITS = 10
SHARED_WORDS = 2  # one word in common is a mention, unless it is all there is
PSEUDO_DOCUMENTS = 50
# The least weight of the rarest word: in a store of 30 three names that one record holds make 1, two do not.
# (Of 1,809 records the rarest word weighs 7.5.)
RAREST = 6.4
WHOLE_ROUTE = 0.9  # a route that stands whole in a proposal is restated, whatever is said around it …
WHOLE_ROUTE_WORDS = 3  # … when it has three words that carry meaning,
SHORT_ROUTE_COVERAGE = 0.3  # or two, and the record covers this much of the proposal
# The order of candidates: cosine, and these times late interaction from the proposal's tokens to the record's
# and from the route's to the proposal's, and times BM25 as a share of the best. From 1 to 3, 0 to .6 and .1
# to .2 nothing changes by more than one proposal of a kind.
ORDER_FORWARD, ORDER_BACKWARD, ORDER_BM25 = 2.0, 0.3, 0.15
LATE_TOKENS = 64  # of a record, at 50 bytes: with 48 the far restatements begin to rank lower
AS_GOOD = 0.03  # below the best hit's order: what is so near to it may interrupt as well
# One step of either measure, so that the two may be compared: both lose a false alarm in about as many.
LEXICAL_SPREAD, SHARED_SPREAD = 0.1, 0.4
SHARED_MOST = 0.5  # margin that rare words can give: of what has more of them, no more is right
ROUTE_LEAST = 0.4  # of a route, in a proposal that interrupts by its words
NEAR_LEXICAL = 0.5
NEAR_SLACK = 0.1  # of the cosine, below `consent`: what is farther is not near, whatever single words say
# The best of many unrelated records is nearer than the best of few: by this for each factor e. (Of the
# proposals without targets half do not reach an order of 1.06 among 10 records, 1.40 among 100, 1.92 among
# 1,809.)
NEAR_GROWTH = 0.08
NEAR_LEAST = 10  # records
BELOW_LEXICAL = 0.35


# Words alone.
WORDS = Calibration(0.70, 1.25, "docs/recall.md", sure=(0.6, 1.1), unsure=(-0.9, 0.1))
MEASURED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
# Of these the figures were taken; another conversion of a model may answer a little differently.
REVISIONS = {MEASURED_MODEL: ("7cc09e2963a4d8c7",)}
MODELS = {
    MEASURED_MODEL: Calibration(0.68, 1.0, "docs/recall.md", consent=0.4, near=1.65, sure=(0.2, 1.5)),
    # It cannot be measured where no hub is reached. Its cosines of unrelated texts are far higher than
    # MiniLM's; the design's starting value for it.
    "BAAI/bge-small-en-v1.5": Calibration(
        0.70, 1.25, "starting values", alike=0.74, sure=(0.2, 1.3), measured=False
    ),
}
# Nothing is known of this model's cosines: it ranks, and the words decide.
UNMEASURED = Calibration(0.70, 1.25, "no calibration", sure=(0.2, 1.3), measured=False)

# `model calibrate`. Of the 1,809 records of docs/recall.md, asked for by their own routes, a fifth have no
# other of an order above 1.64, or of a cosine above .39: this share carries the measured 1.65 and .40 over to
# another model. The 300 that are drawn there say 1.60 and .40.
CALIBRATION_QUANTILE = 0.2
CALIBRATION_RECORDS = 300  # a share of a fifth is then known to within a twentieth, nineteen times in twenty
CALIBRATION_LEAST = 50  # … and of these to within a ninth
ORDER_MOST = 4.0  # no order is larger: 1 + ORDER_FORWARD + ORDER_BACKWARD + ORDER_BM25
AMONG = 3  # as many as `check` shows
TITLE_CHARACTERS = 60  # our choice: of a route named in a line about another record

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

# What a cross-encoder reads for one proposal, at some ten milliseconds a record. Of the proposals of
# docs/recall.md 131 have their record among the candidates, 122 among so many.
RERANKED = 20

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

# --- failed runs: the ladder ---------------------------------------------------------------------
RECALLED = 3  # the design: as many lessons as one reads
ERROR_ALIKE = 0.5  # trigram similarity; of 22 pairs of lines that people call the same all are above it
# Of an error line and the end of an output. Of 121 real outputs 68 % are that like their own line, 6 % like
# another of their runner; of two outputs of one runner all are more alike than this.
OUTPUT_ALIKE = 0.1
SPEC_ALIKE = 0.6  # word similarity, pg_trgm's own default
ALIKE_MOST = 256  # our choice: strings that one question is told of
ALIKE_FAR = 65_536  # our choice: of those that are alike, looked at for three that may be recalled
ALIKE_CHARACTERS = 16_384  # our choice: of a string, from its end: 40 lines of 400
SPEC_CHARACTERS = 20_000  # our choice: a specification of six pages, from its beginning
SPEC_LEAST = 12  # our choice: trigrams of a phrase that a specification is compared with, two words
SPEC_STEPS = 2_000_000  # our choice: trigrams that a specification is compared over, at 140 ns each
SPEC_WINDOW = 160  # distinct trigrams: of a stretch that is alike to a line of 96 by more than .6
LESSONS_AT_ONCE = 2_000  # our choice: lessons whose failures are read in one transaction
LOOP_SECONDS = 24 * 3600  # our choice: an earlier run is of this loop for a day
SPINNING_TIMES = 3  # the design: the third time
DEJA_VU_DAYS = 30  # the design
# Our choice: of one run pytest's plugin tells, and a second later the command behind `||`, by the report.
TOLD_SECONDS = 120

# --- failed runs: reading ------------------------------------------------------------------------
# Of a larger report or output the beginning and the end are read: runners sum up at the end, and what is read
# costs a tenth of a second a megabyte.
RUN_HEAD_BYTES = 8 * 1024 * 1024
RUN_TAIL_BYTES = 24 * 1024 * 1024
STALE_REPORT_SECONDS = 6 * 3600  # our choice: a run writes its report near its last line, whatever it took
RUN_OTHERS = 5  # our choice: further errors of one run that are compared, at a hundredth of a second each
RUN_LINES = 250_000  # of more lines the first quarter and the last three are read
RUN_RAW_LINE_BYTES = 16_000  # of a line before its colours are off: true colours take 19 bytes a letter
FAILURE_LINE_CHARACTERS = (
    2_000  # of a line before any pattern; no first line comes near, what is longer is data
)
DETAIL_LINES = 8  # our choice; gtest's longest comparison of two values takes six
FAILURE_JOINED_LINES = 4  # GoogleTest's EXPECT_EQ needs four: two expressions, two values
FAILURE_LOOKED_AT = 64  # lines of an error; readers give eight, a record written by hand may hold more
BLOCK_LINES = 400  # a failure is told in its first lines; mocha's longest difference stays below
PRINTED_FAILURES = 5_000  # nobody records a lesson for more; 10 MB of nothing but failures stay below 2 s
PROVE_TESTS = 10_000  # of a range of numbers; what is named by them is few
GO_OUTPUT_LINES = 2_000  # of one test; more than a stack of all goroutines
GO_EVENT_CHARACTERS = 100_000  # test2json cuts a line of output at 4 KB
REPORT_BYTES = 64_000_000  # our choice; of a larger report its beginning is read
REPORT_FILES = 5_000  # our choice: of a folder of reports, one a class
REPORT_TEXT_CHARACTERS = 200_000  # of one failure's text; its first lines are what is looked for
REPORT_SUITES_NAMED = 50  # of 5,000 nested suites only the innermost name a test
REPORT_NESTED = 100_000  # deeper than any report; expat keeps a name for each
REPORT_FAILURES = 10_000  # failing tests of one report; ids of more tell nothing new
REPORT_DOCUMENTS = 1_000  # reports appended to one file
REPORT_BROKEN = 20  # a cut document breaks off in one list within another; each costs its whole length
REPORT_SUITES = 10_000  # nested suites of Playwright; no recursion
PASSING_LINES = 400  # our choice: of the end of an output, where a runner sums up; packages have a line each

# --- failed runs: commands -----------------------------------------------------------------------
FIX_EMPTY_CHARACTERS = 60  # our choice: whoever writes more says something, be it a symptom alone
FIX_CHARACTERS = 2_000  # our choice: of a note, what is read; the rest explains
FIX_ENGLISH_SHARE = 0.4  # of a note's plain words, those that are surely English
DISTIL_SECONDS = 60.0  # our choice: a model on one's own machine needs half of it
DISTIL_SECONDS_MOST = 600.0  # our choice: somebody waits for it
DISTIL_BYTES = 4 * 1024  # our choice: a rule is some 150; what writes more writes an essay
DISTIL_CHARACTERS = 600  # our choice: three lines are a rule, a paragraph is none
DISTIL_READ_BYTES = 16 * 1024  # of each stream: a traceback on stderr is longer
DISTIL_SAID_CHARACTERS = 200  # of its last line on stderr
DISTIL_OUTPUT_BYTES = 32 * 1024  # of a stored output: its end
CANDIDATES_NAMED = 5  # our choice: open lessons that one line can list
PYTEST_SECONDS = 5.0  # our choice: a run that failed is looked at anyway
PYTEST_TEXT_CHARACTERS = 200_000  # of one failure's traceback: its beginning and its end
PYTEST_TEXTS_CHARACTERS = 4_000_000  # of all tracebacks
PYTEST_FAILURES = 20_000  # whose ids are kept
NOTE_LEAST = 4  # our choice: `help` and `yes` were meant otherwise than as what fixed it
HOURS_TESTS = 5  # our choice: failing tests named; the rest is counted
HOURS_COLUMNS = (20, 100)  # our choice: columns that text is wrapped to
CONTENT_SECONDS = 3.0  # our choice; 50,000 unchanged files take .3 s (measured)
CONTENT_FILES = 2_000  # our choice: files that are not as in the index, read one by one
RUNS_ROWS = 2_000  # our choice: failed runs kept; with some dozen tests each a megabyte
RUNS_MOST = 50  # our choice: earlier runs that a verdict looks at
RUNS_TESTS_BYTES = 64 * 1024  # our choice: of the ids of failing tests; more are not kept
COMMAND_TICK = 0.05  # how late the end of a command is seen that left its output open to another
COMMAND_GRACE = 0.5  # between SIGTERM and SIGKILL, for those that tidy up
DIFF_LINES = 300  # the design: what a distiller is given
DIFF_LINE_CHARACTERS = 400  # our choice: a longer line is data or minified
DIFF_SECONDS = 10.0  # our choice: git on a work tree of a million files takes seconds
DIFF_BYTES = 1 << 20  # read of one file's diff before it is cut
DIFF_NAMED = 10  # our choice: files left out that are named
PROBE_SECONDS = 300  # our choice: a test and what it needs built
PROBE_SECONDS_MOST = 24 * 3600  # our choice
PROBE_CHARACTERS = 1_000  # our choice: what a person reads before saying yes
PROBE_OUTPUT_BYTES = 64 * 1024  # of the end of its output

# --- doors ---------------------------------------------------------------------------------------
BRIEF_CHARACTERS = 240  # a line that is read in passing: three lines of a terminal of 80 columns
HOOK_RULINGS = 7  # our choice: what a commit prints beside the frameworks' own lines; the rest is counted
HOOK_PATHS = 2_000  # our choice: staged paths looked up in one commit; more are an import or a merge
JOURNAL_SECONDS = 0.2  # how long a showing waits for another process's, before it is not kept
JOURNAL_ROWS = 50_000  # our choice: some megabytes; the oldest go
JOURNAL_SWEEP = 1_000  # rows between two looks at the size
JOURNAL_LOCKED_SECONDS = 5.0  # our choice: after a wait in vain, so long a process reads without another one
JOURNAL_ASIDE = 4  # our choice: damaged journals that lie beside it; more would be a heap

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

# --- doors: the helper
# How long a question waits for the helper's answer, which takes some hundredths of it, before it answers by
# itself: what the slowest `check` without one takes. A client that says nothing is let go after the same.
HELPER_SECONDS = 2.0
HELPER_IDLE_SECONDS = 900  # our choice: a pause in one's work; with a model it holds some 200 MB
HELPER_LOOK_SECONDS = 60  # our choice: how late a write that no event tells of may be seen
HELPER_QUIET_SECONDS = 0.3  # after an event, before the index follows unasked: a checkout is many
HELPER_AGAIN_SECONDS = 60  # our choice: one that cannot start is tried once a minute
HELPER_TICK_SECONDS = 2.0  # between two looks whether its socket is still there
HELPER_WALK_SECONDS = 1.0  # our choice: the walk over history between two questions; a client waits longer
HELPER_COMMITS = 1_000  # our choice: a HEAD that is further on is walked to from nothing
HELPER_CLIENTS = 32  # at once; the next wait
HELPER_REQUEST_BYTES = 4 * 1024 * 1024  # Linux gives a new process at most 2 MiB of arguments and environment
HELPER_REPLY_BYTES = 16 * 1024 * 1024  # some dozen records of the largest size

BLOBS_AT_ONCE = 4096  # contents that one `git cat-file --batch` gives: of a kilobyte each, 4 MB

# --- review: what its formats hold
REVIEW_LINE_CHARACTERS = 400  # our choice: of a message or a detail; five lines of a terminal
REVIEW_DETAILS = 12  # our choice: further lines of one finding; a record has some dozen fields
REVIEW_SECTION = 50  # our choice: findings of one section that a person reads; an import adds thousands
MARKDOWN_BYTES = 65_000  # GitHub refuses a comment of more than 65,536 characters; a byte is at most one
# GitHub shows ten annotations of a level for a step, and fifty for a job, and drops the rest in silence
# (actions/toolkit docs/problem-matchers.md). Three levels of ten stay below fifty.
GITHUB_ANNOTATIONS = 10
SARIF_RESULTS = 5_000  # GitHub takes 25,000 of a run and shows 5,000 (docs: “SARIF results exceed limit”)

MERGE_MARKER = 1_000  # our choice: git's have 7 characters, but attributes may ask for any number

# --- near duplicates and contradictions
# Two records say nearly the same where each holds this much of the other. Of 60 proposals that restate a
# record in its words (docs/recall.md) 22 do, of 76 that nothing rules out none; of 1.6 million pairs among
# those 1,809 records 29, and 21 where meaning agrees: by hand 13 of these are one idea, or one refines the
# other, and 8 are alternatives of one document that differ by a sign or a name.
REPEATS_LEXICAL = 0.80
REPEATS_OVER_CONSENT = 0.3  # of the cosine, over `consent`: for all-MiniLM-L6-v2 .7
REPEATS_SHARE = 0.65  # of a record's own BM25: none of the 29 has less than .72

# --- curate
CURATE_MONTHS = 6  # our choice: a release or two
CURATE_SHOWN = 20  # our choice: findings of a section that a person reads; the rest is counted
CURATE_DRIFT_COMMITS = 3  # our choice: of fewer `check` and `at` tell anyway
CURATE_DRIFT_WALK = 20_000  # the newest commits: their ancestors take 50 MB as bits
CURATE_DRIFT_ASKED = 100  # our choice: records of commits that HEAD lacks, asked of git one by one
CURATE_MENDS = 3  # our choice: ways out of one circle or fork that are named

# --- approvals
KEY_BYTES = 16 * 1024  # a public key is one line: an RSA key of 16,384 bits has 2,800 bytes

# --- review: what it says
REVIEW_QUOTED = 120  # our choice: characters of one side of what differs; both make two lines of a terminal
REVIEW_CONTEXT = 3  # our choice: words around what differs
REVIEW_PLACED = 200  # our choice: edited files whose first new line is looked for; the others get none
REVIEW_TOUCHED = 300  # rulings that wait for a file and are asked of git, 10 ms each (measured)
REVIEW_SECONDS = 20.0  # for comparing globs: 10,000 with 1,000 files, at 2 µs each (measured)
REVIEW_ATTRIBUTES = 100  # our choice: files of attributes that git is asked about, 3 ms each (measured)
REVIEW_NAMED = 3  # our choice: files named in one finding; the rest is counted

# --- history
HISTORY_AT_ONCE = 2_000  # commits that are compared, read and forgotten before the next: some 20 MB
HISTORY_BYTES = 1024 * 1024 * 1024  # a table of a million versions; it is read as a whole
BROUGHT_FILES = (
    5_000  # our choice: files of one commit that are looked at, some 10 µs each; more is an import
)

# --- decider -------------------------------------------------------------------------------------
DECIDER_LESSONS = 30  # the design: resolved lessons, before which the ladder alone is good enough
DECIDER_CANDIDATES = 5  # the design: questions of one request
DECIDER_STATE_CHARACTERS = 4_000  # the design: of what is sent, as JSON writes it
DECIDER_CURRENT_CHARACTERS = 1_500  # the design: of these, the current failure or proposal
DECIDER_SECONDS = 2.0  # the design: one request, its connection included
DECIDER_JUDGED = 20  # the design: judged answers, before which a decider changes nothing …
DECIDER_RIGHT = 0.9  # … and the share of these that has to be right
DECIDER_JUDGED_DAYS = 30  # our choice: an answer that is older was not what the feedback is about
DECIDER_THRESHOLD = 0.7  # our choice: a coin's .5 interrupts nobody; the user's setting wins
DECIDER_ALIKE = 0.2  # our choice: trigram similarity of a line that is worth a question; five are asked about
# The cosine from which on two failures may be the same in other words, where a model has no measured
# `consent`. The design's starting value.
DECIDER_MEANT = {"BAAI/bge-small-en-v1.5": 0.7}
DECIDER_FILL_SECONDS = 1.0  # our choice: for vectors of failures that are missing; `index` writes all
DECIDER_ANSWER_BYTES = 64 * 1024  # as much as System One's servers take; five answers have 300 bytes
DECIDER_SAID_CHARACTERS = 200  # of what a server says of itself
DECIDER_TEXT_CHARACTERS = 20_000  # of a stored text, looked at before it is cut
DECIDER_TESTS = 5  # our choice: failing tests named in a state
DECIDER_AGAIN_SECONDS = 60  # our choice: one that gave no answer is left alone by the same process
DECIDER_TROUBLES = 5  # our choice: of the last ones, told by `decider status`
DECIDER_UNJUDGED = 5  # our choice: of the newest answers that wait for a word, told by `decider status`
DECIDER_SHOWN_SECONDS = 60  # our choice: from an answer to what was shown with it; a plan has many steps

# --- experiment
EXPERIMENT_HOLDOUT = 0.2  # our choice: of five loops one goes without; a half is decided soonest
EXPERIMENT_HOLDOUT_LEAST = 0.05  # our choice: of fewer the smaller arm takes years
EXPERIMENT_DIRECTION = 50  # the design: loops in each arm for a direction
EXPERIMENT_DECISION = 100  # the design: loops in each arm to decide
EXPERIMENT_AA = 0.03  # the design: how far apart the arms of an A/A run may be …
EXPERIMENT_AA_LOOPS = 100  # … over at least so many loops in each
EXPERIMENT_AA_MISSED = (
    0.05  # our choice: of honest A/A runs of the size that is advised, one in twenty misses
)
EXPERIMENT_EXCLUDED = 0.10  # the design: of an arm's loops
# O'Brien and Fleming's boundaries for two looks, the first at half the size: C times the root of two, and C.
# At 5 % two-sided C is 1.977 (Jennison and Turnbull, Group Sequential Methods, table 2.3). With that and
# Newcombe's interval 5.1 % of experiments without any effect claim one (300,000 simulated, half of the loops
# fixed); with 2.05 it is 4.2 %, and of effects of 20 points 83 % are found, not 84 %.
EXPERIMENT_Z_HALF = 2.899
EXPERIMENT_Z_WHOLE = 2.05
EXPERIMENT_Z = 1.96  # of one rate's own interval, 95 %
EXPERIMENT_EMPTY = 10  # our choice: loops of an arm; where nothing was injected into any, it is over
EXPERIMENT_BYTES = 16 * 1024  # of a manifest, which has 300

# --- report
REPORT_BUCKETS = 53  # our choice: bars side by side, a year of weeks; on a phone each has five points
REPORT_LISTED = 12  # our choice: records, lessons or tests that a person reads; the rest is counted
REPORT_ROWS = 1_000  # our choice: of one list in JSON
REPORT_TITLE = 90  # our choice: characters of a title; two lines of a phone
REPORT_NAME = 24  # our choice: characters of a label of a chart that is none of ours
REPORT_AGAIN = 2  # the word: a test that failed in two loops fails again
REPORT_OFTEN = 5  # our choice: showings after which a record that was never used is called so
REPORT_AGES = (7, 30, 90)  # our choice: days at which an open lesson passes into the next group

# --- echo and feedback
ECHO_COMMITS = 5_000  # the newest; git gives so many messages in .1 s (measured)
ECHO_MESSAGE_CHARACTERS = 10_000  # of one message: a longer one is a list of others
# git takes the time of a commit before its hooks run and its editor opens (measured, 2.39): what they show is
# dated later than the commit that was written after it.
ECHO_LATE_SECONDS = 300
# Of what an alternative says and its route does not, by weight, that a message holds. Of 36 alternatives of
# our own and 94 commits of this repository (3,384 pairs) two messages reach .6, and both commits did it.
ECHO_MESSAGE = 0.6
ECHO_WORDS = 3  # … in so many words: with two, 25 pairs more reach ECHO_ADDED, most by “index” and “write”
# The same in neighbouring added lines: of those pairs three reach .9 in three lines, and all three say or do
# it. At .8 four of twelve are wrong; of whole files 46 hold .9.
ECHO_ADDED = 0.9
ECHO_ADDED_LINES = 3
ECHO_ADDED_COMMITS = 200  # our choice: the newest whose added lines are read, each a git call of 5 ms …
ECHO_ADDED_MOST = 2_000  # … so many lines of each: more is an import
FEEDBACK_SILENT = 1  # our choice: so many more people say wrong than useful, and it interrupts no more
FEEDBACK_CHARACTERS = 1_000  # our choice: of a reason; more is a record
