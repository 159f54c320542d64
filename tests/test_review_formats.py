"""How a review is told: to a person, in a comment, as JSON.

After a change of words: `GOLDEN=write pytest tests/test_review_formats.py`.
"""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import pytest
import reviewed
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.answers.finding import LEVELS, RULES
from chalkgit.render import review, text
from chalkgit.render.review_markdown import MARKER, code, prose
from chalkgit.thresholds import MARKDOWN_BYTES, REVIEW_DETAILS, REVIEW_LINE_CHARACTERS, REVIEW_SECTION

GOLDEN = Path(__file__).with_name("golden")
ENDINGS = {
    "text": "txt",
    "markdown": "md",
    "github": "txt",
    "sarif": "json",
    "rdjson": "json",
    "gitlab": "json",
}


@pytest.mark.parametrize("format", review.FORMATS)
def test_each_format_says_one_of_everything_in_these_words(format: str) -> None:
    made = review.rendered(reviewed.everything(), format) + "\n"
    made = re.sub(r'("\w*[vV]ersion": )"\d+\.\d+\.\d+"(?=,\n +"(semanticVersion|rules))', r'\1"0.0.0"', made)
    file = GOLDEN / f"review-{format}.{ENDINGS[format]}"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(made, encoding="utf-8")
    assert made == file.read_text(encoding="utf-8")


def test_one_of_everything_is_one_of_every_rule() -> None:
    assert {finding.rule.name for finding in reviewed.everything().findings} == {rule.name for rule in RULES}


# --- text ----------------------------------------------------------------------------------------


def test_what_is_wrong_stands_before_what_the_change_does() -> None:
    said = review.rendered(reviewed.everything(), "text").splitlines()
    levels = [found[1] for row in said if (found := re.match(r"\S[^ ]*: (error|warning|note): ", row))]
    assert levels == sorted(levels, key=LEVELS.index, reverse=True)
    assert len(levels) == len(RULES)
    assert [row for row in said if row in ("Wrong", "Still true?")] == ["Wrong", "Still true?"]


def test_a_finding_is_a_line_that_editors_and_matchers_of_problems_read() -> None:
    said = review.rendered(reviewed.everything(), "text")
    matcher = re.compile(r"^(.+?):(\d+)(?::(\d+))?: (note|warning|error): (.+) \[([a-z]+)\]$", re.M)
    found = {match[6]: match for match in matcher.finditer(said)}
    assert (found["forged"][1], found["forged"][2], found["forged"][4]) == (reviewed.PATH, "12", "error")


def test_a_review_without_findings_is_one_honest_line() -> None:
    said = "Nothing in this change bears on the lessons."
    assert review.rendered(reviewed.review([]), "text") == said
    unseen = reviewed.review([], ("the history: this clone is shallow",))
    assert review.rendered(unseen, "text") == f"{said}\nNot looked at: the history: this clone is shallow"
    for format in ("markdown", "github"):
        assert "this clone is shallow" in review.rendered(unseen, format)


def test_the_looks_of_a_terminal_change_no_word() -> None:
    plain = review.rendered(reviewed.everything(), "text")
    styled = review.rendered(reviewed.everything(), "text", text.coloured)
    assert styled != plain
    assert re.sub(r"\x1b\[\d+m", "", styled) == plain


def test_a_title_is_said_once() -> None:
    for format in ("text", "markdown"):
        said = review.rendered(reviewed.everything(), format)
        assert said.count(f"{reviewed.TITLE} [k7q2m9zx]") == 1


def test_thousands_of_notes_are_counted_and_no_error_is_left_out() -> None:
    said = review.rendered(reviewed.large(errors=80, warnings=80, notes=5_000), "text")
    assert said.count(" error: ") == 80
    assert said.count(" warning: ") == said.count(" note: ") == REVIEW_SECTION
    assert "and 4,950 more findings of these" in said
    assert "chalkgit review --json main..HEAD" in said
    assert "more finding" not in review.rendered(reviewed.large(notes=REVIEW_SECTION), "text")


def test_a_long_message_and_many_details_are_cut_where_json_has_all() -> None:
    long = "x" * 5_000
    one = reviewed.review([reviewed.finding("adds", message=long, details=[long] * 40)])
    for format in ("text", "markdown", "github", "sarif", "rdjson", "gitlab"):
        said = review.rendered(one, format)
        assert "x" * (REVIEW_LINE_CHARACTERS - 1) + "…" in said
        assert len(said) < 21_000 + REVIEW_LINE_CHARACTERS * (REVIEW_DETAILS + 1)
    (found,) = review.as_json(one)["findings"]
    assert (found["message"], found["details"]) == (long, [long] * 40)


def _controls(said: str) -> list[str]:
    return [
        c for c in said if c != "\n" and (ord(c) < 32 or ord(c) == 127 or c in "\u202e\u2066\u200b\udcff")
    ]


@pytest.mark.parametrize("format", review.FORMATS)
def test_no_format_prints_what_a_terminal_obeys(format: str) -> None:
    assert _controls(review.rendered(reviewed.hostile(), format)) == []
    assert _controls(reviewed.HOSTILE[-1]) != []
    review.rendered(reviewed.hostile(), format).encode("utf-8")


# --- JSON ----------------------------------------------------------------------------------------


def test_json_is_as_documented() -> None:
    made = review.as_json(reviewed.everything())
    assert list(made) == ["version", "asked", "base", "head", "records", "findings", "skipped"]
    assert made["records"] == {"before": 5, "after": 7}
    keys = ["rule", "level", "path", "line", "record", "title", "message", "details", "mend"]
    assert [list(found) for found in made["findings"]] == [keys] * len(RULES)
    assert json.loads(json.dumps(made)) == made


# --- Markdown ------------------------------------------------------------------------------------

TAGS = {"h3", "h4", "p", "ul", "li", "strong", "code", "sub", "span"}
# What a forge makes something of in text that is no code.
SEEN = re.compile(r"(?<![\w`])[@#][\w]|\bGH-\d|(?<!\w)[!$%~&][\w]|:\w+:|https?://|ftp://|\bwww\.|mailto:")


class _Page(HTMLParser):
    """The tags of a page with their attributes, its comments, and its text outside of code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.comments: list[str] = []
        self.prose: list[str] = []
        self.code: list[str] = []
        self._depth = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self._depth += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        (self.code if self._depth else self.prose).append(data)


def _page(markdown: str) -> _Page:
    """As GitHub's own library makes HTML of it, with raw HTML let through."""
    return _Page(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))


def test_no_record_makes_a_link_an_image_a_mention_html_or_layout() -> None:
    page = _page(review.rendered(reviewed.hostile(), "markdown"))
    assert page.tags <= TAGS
    assert page.attributes == []
    assert page.comments == [" chalkgit review "]
    assert [found for part in page.prose for found in SEEN.findall(part)] == []
    assert page.tags >= TAGS - {"span"}


def test_what_is_escaped_would_have_been_seen() -> None:
    bare = _page("\n\n".join(reviewed.HOSTILE).replace("\udcff", ""))
    assert bare.tags >= {"a", "img", "del", "table", "h1", "pre", "blockquote"}
    assert [found for part in bare.prose for found in SEEN.findall(part)] != []


@pytest.mark.parametrize("stored", reviewed.HOSTILE)
def test_escaped_text_still_says_what_it_said(stored: str) -> None:
    shown = review.rendered(reviewed.review([reviewed.finding("adds", message=stored)]), "text")
    said = re.search(r" note: (.*) \[adds\]$", shown, re.M)
    assert said
    page = _page(f"- **x** {prose(stored)}")
    assert "".join([*page.prose]).replace("\u200b", "").strip() == f"x {said[1]}"
    quoted = _page(f"- x {code(stored)}")
    assert quoted.code == [said[1]]


@given(st.text(alphabet=st.sampled_from("`~*_[]()<>!@#&$%:;/\\|.-+=ax1 w\n\r'\""), max_size=60))
def test_no_text_at_all_gets_out_of_its_place(stored: str) -> None:
    page = _page(f"- **x** {code(stored)}: {prose(stored)} {code('end')}")
    assert page.tags <= {"ul", "li", "strong", "code", "span"}
    assert page.attributes == []
    assert page.code[-1] == "end"
    assert [found for part in page.prose for found in SEEN.findall(part)] == []


def test_a_comment_begins_with_a_line_that_never_changes() -> None:
    for one in (reviewed.everything(), reviewed.review([]), reviewed.hostile(), reviewed.large(3, 3, 3)):
        assert review.rendered(one, "markdown").splitlines()[0] == MARKER == "<!-- chalkgit review -->"


def test_a_comment_fits_and_says_what_it_leaves_out_after_the_most_important() -> None:
    many = reviewed.large(errors=60, warnings=60, notes=60)
    said = review.rendered(many, "markdown")
    assert MARKDOWN_BYTES * 0.9 < len(said.encode()) <= MARKDOWN_BYTES < 65_536
    told = said.count("\n- **")
    assert f"{len(many.findings) - told} more findings" in said
    assert "**secret**" in said
    assert "00059:" in said.split("- **")[1]  # the heaviest first
    assert "more finding" not in review.rendered(reviewed.large(notes=5), "markdown")
