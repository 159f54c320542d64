"""English, as data: the words by which `fixes` tells a fix from a symptom. None of them is a threshold."""

from __future__ import annotations

import re

# What one does, in the form of an order. “retry”, “rerun” and “fix” are left out: they say that it went away.
ACTIONS = frozenset(
    (
        "abort accept activate adapt add adjust align allow allowlist always append apply ask assign "
        "attach avoid await backport batch bind block build bump bypass cache call cancel cap cast catch "
        "chain change check chmod choose clamp clean clear clone close collect commit compare compile "
        "configure connect convert copy correct count cover create deactivate debounce declare decode "
        "decrease deduplicate default define delay delete deny depend deploy detach detect disable "
        "discard divide do don't downcast downgrade downscale drain drop edit emit enable encode end "
        "ensure escape evict exclude execute expand export expose extend extract fetch filter finish "
        "flatten flip flush follow force free freeze gather generate give grant group guard handle "
        "hardcode hide hold ignore implement import include increase index initialise initialize inject "
        "insert install introduce invalidate isolate join keep kill launch limit link listen load lock "
        "login loosen lower make map mark merge migrate mock mount move multiply name never normalise "
        "normalize notify open order override pad parse pass patch pause pin point pop prefer prefix "
        "prepend prevent prune publish pull purge push put quote raise read rebase rebuild recompile "
        "reconfigure record recreate reduce refactor refresh regenerate register reindex reinstall relax "
        "release reload rely remember remove rename reorder repeat replace report request require reserve "
        "reset resize restart restore restrict return reuse revert rewrite roll rollback rotate round run "
        "sanitise sanitize save scale seed select send serialise serialize set share shorten shut skip "
        "sleep sort spawn specify split start stick stop store strip stub subtract supply swap switch "
        "sync synchronise synchronize tag teach tell throttle tighten track translate treat trim truncate "
        "try turn unblock unify uninstall unlink unlock unmount unpin unset unwrap update upgrade upload "
        "use validate vendor verify wait warm whitelist widen wrap write"
    ).split()
)
# … and their past tenses that do not end in -ed.
PAST = frozenset(
    "bound built chose froze gave kept made put ran read rewrote sent set shut split wrote".split()
)
# A verb in front of one of these is a noun: “build failed”, “read timed out” …
NOUN_SIGNS = frozenset(
    (
        "and are breaks broke crashed crashes did didn't does doesn't fail failed failing fails hangs hung "
        "is isn't not raised raises returned returns threw throws timed times was wasn't were"
    ).split()
)
# … and so are these verbs in front of one of those: “import error”, but “handle errors”.
COMPOUND = frozenset(
    (
        "build bind cast call close commit compile connect convert decode delete deploy encode fetch import "
        "install link load lock login merge migrate mount open parse pull push read request run send sync "
        "update upgrade upload validate wait write"
    ).split()
)
COMPOUNDED = frozenset(
    (
        "error errors exception exceptions failure failures issue issues problem problems timeout timeouts"
    ).split()
)
# Words that are surely English: what holds a sentence together, and what is said of any test.
ENGLISH = frozenset(
    (
        "a about actual after again all also an and any are as at be because been before being both build "
        "builds but by can cannot client code could did do does doesn't done down each every expected file "
        "files first for from gets got had has have here how i if in input into is it its job just last "
        "like line many more most my never no not now of off on one only or our out output over own page "
        "ran received result return returns run runs same second seems server she so some step still such "
        "suite test tests than that the their them then there these they this those through time times to "
        "too twice under until up user value very was we were what when where which while who why will with "
        "without would wrong yes yet you your"
    ).split()
)
# Function words of other languages that English does not have: with one of these a note is left alone.
FOREIGN = frozenset(
    (
        "att auf avec bei beim che dans das del della dem der det di een ein eine einen est het ikke il "
        "inte ist jest las le les los mit naar nach nao nicht nie niet noch och oder og para pas por pour "
        "que qui sind som sono sont sur uma una und une van vom voor wegen weil wird wurde zum zur"
    ).split()
)

# After one of these a verb is what somebody ought to do …
ORDERS = (
    r"(?:needs?|needed|has|have|had|ought) to|must|should|shall|instead|then|please|just|simply|better|fixed"
)
# … and after one of these it is what a person did.
PERSONS = r"i|we|i've|we've|i have|we have|had to|by"
# What may stand around the words that say nothing.
AROUND = (
    r"it |this |that |they |everything |all |(?:the )?tests? |the build |ci |now |is |was |are |were "
    r"|has been |have been |i |we |just |finally |already |seems? |looks? |should |be |to |again "
)
# What is said of a failure that went away, and says nothing.
NOTHING_SAID = (
    r"fixed|resolved|solved|done|ok|okay|fine|good|green|works?|worked|working|pass(?:es|ed|ing)?"
    r"|gone|handled|no longer (?:fails?|happens?|occurs?|reproduces?)|went away|goes away|disappeared"
    r"|closed|sorted|ignored?|never ?mind|n/?a|none|nothing|unknown|todo|tbd|wip|idk|dunno|not sure"
    r"|wontfix|won't fix|see (?:the )?(?:above|below|logs?|output|ci)|no idea(?: why)?|known issue"
    r"|same (?:as|problem|issue|thing)(?: \w+){0,3}"
    r"|(?:can ?not|can't|could not|couldn't) (?:be )?reproduced?|fix|a fix"
)
# … and after them.
AFTERWARDS = (
    r" it| this| that| now| again| locally| for me| on (?:my machine|main|master|ci)| today"
    r"| the (?:test|bug|issue|problem|build|failure|error)s?"
    r"| after (?:a |the )?(?:rerun|re-run|retry|restart)"
)
# What went wrong, said as such.
SYMPTOMS = (
    r"fail(?:s|ed|ing|ures?)?|errors?|errored|exceptions?|crash(?:es|ed|ing)?|broken?|breaks|hangs?|hung|stuck"
    r"|time(?:s|d)?[ -]?outs?|flak(?:y|es?|ed|iness)|intermittent(?:ly)?|randomly|sometimes|occasionally"
    r"|sporadic(?:ally)?|segfault(?:s|ed)?|segmentation fault|panics?|panicked|throws?|threw|raises?|raised"
    r"|red on|(?:does|did) ?n[o']t (?:work|pass|start|build|compile)"
    r"|not work(?:ing)?|can ?not|can't|could not|couldn't|unable to|refused|rejected|denied|missing|not found"
    r"|undefined|wrong (?:result|answer|value|output)|expected .{0,80}?\b(?:got|but|actual|received|was)"
    r"|exit(?:ed)?(?: with)?(?: code| status)? \d+|status \d{3}|retry(?:ing)?|re-?r[ua]n(?:ning|s)?"
    r"|killed|core dumped|race condition|(?:is|was|went) wrong|no idea|(?:second|next) (?:try|run|attempt)"
    r"|(?:is|are|turned|went|still) red|(?:an?|got|with|status) [45]\d\d"
    r"|transient|weird|strange|unstable|slow|sorry|as an ai|nullpointer\w*"
    r"|[A-Z]\w*(?:Error|Exception|Failure|Warning)"
)

EMPTY = re.compile(f"(?:{AROUND})*(?:{NOTHING_SAID})(?:{AFTERWARDS})*")
SYMPTOM = re.compile(rf"\b(?:{SYMPTOMS})\b")
# A symptom and nothing but what stands around the words that say nothing.
BARE = re.compile(
    rf"(?:{AROUND}|an? |very |really |so |only |likely |probably )*(?:(?:{SYMPTOMS.casefold()})(?: |$))+"
    r"(?:(?:tests?|again|locally|now|once|only|as usual|on (?:ci|main|master)|here|there|run|build) ?)*"
)
# Where a clause begins: an order may stand there. A comma ends “When S”.
CLAUSE = re.compile(r"[.;:,!?()\n—–→]|->|=>| - ")
WORD = re.compile(r"[A-Za-z][A-Za-z'_-]*")
ORDERED = re.compile(rf"\b(?:{ORDERS}|and) (?:not )?([a-z'-]+) ([\w'-]+)")
DID = re.compile(rf"\b(?:{PERSONS}) (?:just |only |now |also )?([a-z-]+)")
INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer than|at least|at most|only (?:if|when|after))\b"
)
_TOOLS = "pip|npm|yarn|pnpm|cargo|go|git|docker|make|poetry|uv|bundle|apt|apt-get|brew|conda"
# Shapes that say what to write, and where: a symptom beside them is explained.
SETTING = re.compile(
    r"(?<![\w-])--?[a-z][\w-]{2,}"  # an option
    r"|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\s?="  # a variable that is set
    r"|\b[\w.-]+\s?(?:==|>=|<=|~=|!=|<|>|@)\s?v?\d+(?:\.\d+)*"  # a version that is asked for
    r"|\b\w+ ?= ?[\"'\w]+"  # a value that is given
    r"|`[^`\n]{2,200}`"  # code
    rf"|\b(?:{_TOOLS}) [a-z-]{{2,20}}\b"  # a command
)
# What a runner puts in front of the error that it prints.
PRINTED = re.compile(r"^(?:E\s+|>\s*|#\s*|\[?error\]?:?\s+|error:\s*)", re.IGNORECASE)
