"""The report card's page in a real browser: its figures, its console, its width, its two schemes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import journal_story
import pytest
import report_page
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import keep, run
from repository import Repo
from test_report_page import EVIL, echoed

from chalkgit.answers import report_records
from chalkgit.store import experiment_file

BROWSER = browser.program()  # asked before a test's world is sealed
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium: CHALKGIT_TEST_CHROMIUM, or in PATH")

FIGURES = "[...document.querySelectorAll('[data-key]')].map(e => [e.dataset.key, e.textContent.trim()])"
WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]"
# every element with text of its own: its colour against the first ground behind it
CONTRASTS = """(() => {
  const parts = c => c.match(/[0-9.]+/g).map(Number);
  const light = c => { const [r, g, b] = parts(c).map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if ((parts(c)[3] ?? 1) > 0) return c; } return 'rgb(255, 255, 255)'; };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return [...document.body.querySelectorAll('*')].filter(e => own(e) && e.tagName !== 'title').map(e => {
    const colour = e.tagName === 'text' ? getComputedStyle(e).fill : getComputedStyle(e).color;
    const [one, two] = [light(colour), light(ground(e))].sort((a, b) => b - a);
    return [(one + 0.05) / (two + 0.05), e.tagName, e.textContent.slice(0, 30)]; });
})()"""


@pytest.fixture(name="tab")
def tab_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    assert BROWSER is not None
    with browser.opened(BROWSER, tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture(autouse=True)
def echoed_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_records, "echoed", lambda place, rows: echoed())


def written(chalk: Inside) -> Path:
    assert chalk("report", "--html", "report.html").code == 0
    return chalk.root / "report.html"


def looked(tab: browser.Page, file: Path, card: Any) -> None:
    """Whatever is on it, a page is quiet, fits, can be read, and says what the JSON says."""
    for width in (360, 1200):
        shots = []
        for scheme in ("light", "dark"):
            tab.open(file, width=width, scheme=scheme)
            assert tab.errors == []
            assert tab.requests == [file.as_uri()]
            wide, window = tab.ask(WIDTHS)
            assert (wide, window) == (width, width)
            found = tab.ask(CONTRASTS)
            assert len(found) > 50
            assert [one for one in found if one[0] < 4.5] == []
            shots.append(tab.picture())
        assert shots[0] != shots[1]
    figures = [(key, text) for key, text in tab.ask(FIGURES)]
    assert figures
    assert report_page.differing(card, figures) == []


def test_a_full_page_says_in_a_browser_what_the_json_says(
    repo: Repo, chalk: Inside, tab: browser.Page
) -> None:
    journal_story.told(repo)
    file = written(chalk)
    looked(tab, file, chalk.json("report"))
    assert len(tab.ask(FIGURES)) > 300
    pictures = tab.ask(
        "[...document.querySelectorAll('svg rect')].filter(r => r.getBBox().height > 1).length"
    )
    assert pictures > 50


def test_the_word_that_says_how_a_rule_stands_is_on_one_line(
    repo: Repo, chalk: Inside, tab: browser.Page
) -> None:
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    file = written(chalk)
    for width in (1200, 800, 360):
        tab.open(file, width=width)
        lines = "[...document.querySelectorAll('td.state')].map(e => [e.textContent, (() => { const r = "
        lines += "document.createRange(); r.selectNodeContents(e); return r.getClientRects().length; })()])"
        found = tab.ask(lines)
        assert {word for word, _ in found} == {"kept", "broken", "not yet"}
        assert {count for _, count in found} == {1}


def test_an_empty_page_has_its_charts_and_nothing_in_them(chalk: Inside, tab: browser.Page) -> None:
    file = written(chalk)
    looked(tab, file, chalk.json("report"))
    assert tab.ask("document.querySelectorAll('svg[role=img]').length") == 13
    assert tab.ask("document.querySelectorAll('svg rect').length") > 0  # what the echo says


def test_a_hostile_page_stays_what_it_is(repo: Repo, chalk: Inside, tab: browser.Page) -> None:
    long = "tests/" + "x" * 400 + EVIL
    name = repo.record(route=f"{EVIL} {'w' * 300}", observation="no way").id
    keep(
        repo,
        asked=[{"kind": "check", "surface": EVIL, "verdict": "tried", "ms": 3}],
        shown=[{"id": name, "surface": EVIL, "asked": "q", "path": "a"}],
        feedback=[{"id": name, "word": "wrong", "who": "v" * 200, "surface": EVIL}],
        runs=[run(one, one, 1, tests=json.dumps([long])) for one in ("a", "b")],
        decided=[{"request": "r", "model": EVIL, "url": "u" * 200, "trouble": None, "chosen": 1}],
    )
    file = written(chalk)
    looked(tab, file, chalk.json("report"))
    assert tab.ask("document.querySelectorAll('script, img, a, iframe').length") == 0
    assert tab.ask("document.body.textContent.includes('<script>alert(1)</script>')") is True


def test_the_page_is_the_same_where_scripts_are_off(repo: Repo, chalk: Inside, tab: browser.Page) -> None:
    journal_story.told(repo, days=30)
    file = written(chalk)
    tab.open(file)
    with_scripts = tab.picture()
    tab.open(file, script=False)
    assert tab.picture() == with_scripts


def test_the_browser_notices_what_a_page_does(tmp_path: Path, tab: browser.Page) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<body><div style='width:900px'>wide</div><img src='nothing.png'><script>boom()</script>")
    tab.open(bad, width=360)
    assert tab.errors
    assert len(tab.requests) == 2
    assert tab.ask(WIDTHS)[0] > 360


def test_every_picture_has_a_name_for_those_who_do_not_see_it(chalk: Inside, tab: browser.Page) -> None:
    tab.open(written(chalk))
    tab.call("Accessibility.enable")
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    said = [
        (node["role"]["value"], node.get("name", {}).get("value")) for node in nodes if not node["ignored"]
    ]
    pictures = [name for role, name in said if role in ("image", "img")]
    assert len(pictures) == 13
    assert all(pictures)
    assert {"banner", "main", "contentinfo"} <= {role for role, _ in said}
