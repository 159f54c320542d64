"""Reviews made by hand: one of every rule, one whose every text is hostile, a large one."""

from __future__ import annotations

from chalkgit.answers.finding import RULES, Finding, Review

BASE, HEAD = "1" * 40, "2" * 40
PATH = ".lessons/dead-ends/cache-the-manifest.k7q2m9zx.yaml"
OTHER = ".lessons/dead-ends/share-one-pool.b3n8w2rt.yaml"
TITLE = "cache the parsed manifest between test runs"

# Names that a forge would tell, links, layout, commands of a CI runner, what a terminal would obey.
HOSTILE = (
    "@team and @ada, ada@example.org, #1, GH-12, owner/repo#7, !3, ~bug, %4, :tada:",
    "<img src=x onerror=alert(1)> <!-- <script>alert(1)</script> </details> &lt;b&gt; &#64;team",
    "[x](javascript:alert(1)) ![x](http://x.example/y.png) [x]: http://x.example <http://x.example>",
    "http://x.example/a www.x.example _www.y.example ftp://x.example mailto:a@x.example $x^2$ $$y$$",
    "`one` ``two`` ```three ~~~ `` ` \\` end`",
    "| a | b |\n| --- | --- |\n\n# heading\n> quote\n- item\n1. item\n===\n\n```\n    code\n```",
    "**bold** __bold__ *it* _it_ ~~gone~~ \\* [^1] [ ] [x] ***",
    "\n::error file=a,line=1::owned\n::stop-commands::x\r\n  ::add-mask::e%0A::set-output name=a::b%25%0D",
    "##[error]owned ##[add-mask]e ##[set-env name=PATH;]x 100% a,b:c=d;e",
    "\u202eevil\u202c \u200bzero\u2066x\u2069 \x1b[31mred\x1b]0;title\x07 \x00 \udcff \U000e0041",
)


def finding(rule: str, path: str = PATH, message: str = "k7q2m9zx says so", **more: object) -> Finding:
    return Finding(rule, path, message, **more)  # type: ignore[arg-type]


def review(findings: list[Finding], skipped: tuple[str, ...] = ()) -> Review:
    made = Review("main..HEAD", BASE, HEAD)
    made.before, made.after = 5, 7
    made.findings = findings
    made.skipped = list(skipped)
    made.sort()
    return made


def everything() -> Review:
    """One finding of every rule, the details and commands of some, and what could not be looked at."""
    about = {"record": "k7q2m9zx", "title": TITLE}
    particular = {
        "adds": finding("adds", message=f"k7q2m9zx is new: {TITLE}", line=1, **about),
        "weakens": finding(
            "weakens",
            message="k7q2m9zx claims less than before",
            line=6,
            details=["degree: contradicted → partial", "scope: general → local"],
            weight=2.0,
            **about,
        ),
        "deletes": finding(
            "deletes",
            OTHER,
            "b3n8w2rt is gone, and nothing tells why",
            record="b3n8w2rt",
            title="share one pool between the workers",
            mend="git checkout main -- .lessons/dead-ends && chalkgit retire b3n8w2rt --because WHY",
        ),
        "forged": finding(
            "forged",
            message="k7q2m9zx says that Ada approved it; no commit of hers does",
            line=12,
            mend="chalkgit approve k7q2m9zx",
            **about,
        ),
        "unapproves": finding(
            "unapproves",
            message="the approval of k7q2m9zx by Ada counts no longer: it speaks of other content",
            line=12,
            details=["a listed reviewer can approve it as it is now"],
            mend="chalkgit approve k7q2m9zx",
            **about,
        ),
        "damaged": finding("damaged", ".lessons/broken.yaml", "line 3: a value is missing", line=3),
        "touches": finding(
            "touches",
            "src/manifest.py",
            "This change edits src/manifest.py, which k7q2m9zx rules about: still true?",
            mend="chalkgit settle k7q2m9zx --by COMMIT",
            **about,
        ),
        "repeats": finding(
            "repeats",
            message="k7q2m9zx says nearly what b3n8w2rt says (0.93)",
            details=["share one pool between the workers [b3n8w2rt]"],
            mend="chalkgit supersede b3n8w2rt --by k7q2m9zx",
            **about,
        ),
        "reviewers": finding("reviewers", ".lessons/config.yaml", "eve@example.org may approve", line=2),
    }
    rest = [
        finding(rule.name, message=f"k7q2m9zx: {rule.short.lower()}", line=number + 1, **about)
        for number, rule in enumerate(RULES)
        if rule.name not in particular
    ]
    return review([*particular.values(), *rest], ("near-duplicates by meaning: no model is set up",))


def hostile() -> Review:
    """Every text of every finding is hostile, in turn; so are what was asked and what was skipped."""
    found = []
    for number, text in enumerate(HOSTILE):
        rule = RULES[number % len(RULES)].name
        found += [
            finding(rule, message=text, record="k7q2m9zx", title=text, details=[text, text], mend=text),
            finding("secret", text, f"x {text} y", line=number + 1),
            finding("touches", f"src/{text}", text * 20, details=["", " ", text]),
        ]
    made = review(found, HOSTILE)
    made.asked = f"main..{HOSTILE[4]}"
    return made


def large(errors: int = 0, warnings: int = 0, notes: int = 0) -> Review:
    """Many findings of each level, each with long texts, the heavier the later it was made."""
    found = []
    for rule, number in (("secret", errors), ("weakens", warnings), ("adds", notes)):
        for index in range(number):
            text = f"{rule} {index:05}: " + "words of a record and `code` <b> " * 8
            details = [text] * 3
            found.append(
                finding(rule, f".lessons/{rule}{index:05}.yaml", text, details=details, weight=float(index))
            )
    return review(found)
