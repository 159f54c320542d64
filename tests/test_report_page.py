"""The report card's page: one file that loads and runs nothing, which no record can write into."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

import journal_story
import pytest
import report_page
from inside import Inside, chalk_fixture  # noqa: F401
from reporting import NOW, keep, run
from repository import Repo

from chalkgit.answers import report_records
from chalkgit.render import report_charts, report_style
from chalkgit.render.report_parts import BESIDE, ROWS, ROWS_STACKED, STACKED, Chart
from chalkgit.store import experiment_file, journal_file

EVIL = (
    "</title></style></svg><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"
    "\"'><svg onload=alert(3)>&lt;b&gt; ]]> <!-- javascript:alert(4)"
)


@pytest.fixture(autouse=True)
def echoed_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_records, "echoed", lambda place, rows: echoed())


def echoed() -> list[dict[str, Any]]:
    used = {
        "shown": 40,
        "cited": 3,
        "adopted": 2,
        "proposed_again": 1,
        "before_fix": 2,
        "drawn": 0,
        "last_shown": None,
    }
    rows = [{"id": "abcdefgh", "surface": surface, **used} for surface in ("check", "commit")]
    return report_records.Echoed(rows)


def page(chalk: Inside, name: str = "report.html") -> str:
    done = chalk("report", "--html", name)
    assert done.code == 0, done
    return (chalk.root / name).read_text(encoding="utf-8")


def test_the_page_loads_nothing_and_runs_nothing(repo: Repo, chalk: Inside) -> None:
    journal_story.told(repo, days=40)
    text = page(chalk)
    found = report_page.read(text).all()
    assert {tag.name for tag in found} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "a",
        "use",
    } == set()
    for tag in found:
        assert not {"src", "href", "xlink:href", "style", "action"} & set(tag.attributes), tag.name
        assert not [name for name in tag.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|javascript:", text)
    assert "http" not in text.replace("http-equiv", "").replace(
        "http://127.0.0.1:8080", ""
    )  # the decider's own
    (policy,) = [tag for tag in found if tag.attributes.get("http-equiv") == "Content-Security-Policy"]
    assert policy.attributes["content"].startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_no_stored_text_becomes_an_element_or_an_attribute(repo: Repo, chalk: Inside) -> None:
    def kept(said: str) -> set[tuple[str, tuple[str, ...]]]:
        route = repo.record(route=f"a way {said}", observation="no way").id
        repo.record("lesson", failure={"error": f"E: {said}", "ticket": said})
        keep(
            repo,
            asked=[{"kind": "check", "surface": said, "verdict": said, "ms": 3}],
            shown=[{"id": route, "surface": said, "asked": "q", "path": said}],
            feedback=[{"id": name, "word": "wrong", "who": said, "surface": said} for name in (route, said)],
            runs=[run(f"{n}{said}", f"{n}{said}", n, tests=json.dumps([said])) for n in (1, 2)],
            decided=[
                {"request": "r", "model": said, "url": said, "revision": said, "purpose": said, "chosen": 1},
                {"request": "s", "trouble": said},
            ],
            experiments=[{"id": said, "manifest": said, "digest": said, "why": said}],
            trials=[{"loop": said, "arm": said, "experiment": said, "digest": said}],
        )
        text = page(chalk)
        (repo.root / ".git" / journal_file.FOLDER / journal_file.FILE).unlink()
        for file in (repo.root / ".lessons").rglob("*.yaml"):
            file.unlink(missing_ok=file.name != "config.yaml")
        shapes = {(tag.name, tuple(sorted(tag.attributes))) for tag in report_page.read(text).all()}
        assert said in report_page.read(text).text  # it is there, as text
        return shapes

    assert kept("harmless words") == kept(EVIL)


def test_a_chart_takes_no_stored_text_for_more_than_text() -> None:
    series = [(EVIL, "strong", [3, 1]), ("other", "warm", [1, 2])]
    for shape in (STACKED, ROWS, ROWS_STACKED):
        (svg,) = report_charts.drawn([Chart("x", EVIL, shape, [EVIL, f"{EVIL} 2"], series)]).values()
        found = report_page.read(svg).all()
        assert {tag.name for tag in found} <= {"svg", "g", "rect", "path", "text", "title"}
        allowed = {
            "viewbox",
            "role",
            "aria-labelledby",
            "class",
            "id",
            "transform",
            "x",
            "y",
            "width",
            "height",
            "d",
        }
        assert {name for tag in found for name in tag.attributes} <= allowed
        assert "<script" not in svg
        assert EVIL in report_page.read(svg).text.replace("\u200b", "")


def test_bars_are_as_long_as_their_numbers() -> None:
    values = [40, 10, 0, 25]
    (svg,) = report_charts.drawn(
        [Chart("x", "x", ROWS, ["a", "b", "c", "d"], [("n", "strong", values)])]
    ).values()
    bars = report_page.read(svg).all("rect")
    widths = [float(tag.attributes.get("width", "0")) for tag in bars]
    unit = widths[-1] / 40  # rows are drawn from the bottom up
    assert [round(width / unit) for width in reversed(widths)] == values
    tops = [float(tag.attributes["y"]) for tag in bars]
    assert tops == sorted(tops, reverse=True)


def test_bars_whose_sum_is_no_number_stand_beside_each_other() -> None:
    series = [("failed", "soft", [3, 1]), ("passed", "strong", [2, 1])]
    for shape, stacked in ((STACKED, True), (BESIDE, False)):
        (svg,) = report_charts.drawn([Chart("x", "x", shape, ["a", "b"], series)]).values()
        found = report_page.read(svg)
        lefts = [tag.attributes["x"] for tag in found.all("rect") if float(tag.attributes["height"]) > 1]
        assert (len(set(lefts)) < len(lefts)) is stacked
        bottoms = {
            round(float(tag.attributes["y"]) + float(tag.attributes["height"]))
            for tag in found.all("rect")
            if float(tag.attributes["height"]) > 1 and float(tag.attributes["y"]) > 0
        }
        assert (len(bottoms) > 1) is stacked


def test_a_rule_that_is_not_yet_kept_is_not_marked_as_broken(repo: Repo, chalk: Inside) -> None:
    experiment_file.start(repo.place, holdout=0.5, size=100, aa=False)
    found = report_page.read(page(chalk))
    states = {
        tag.text: tag.attributes["class"]
        for tag in found.all("td")
        if tag.attributes.get("data-key", "").endswith(".kept")
    }
    assert states == {"kept": "state", "broken": "state broken", "not yet": "state"}


def test_the_page_has_landmarks_one_heading_of_the_first_order_and_names_for_its_pictures(
    repo: Repo, chalk: Inside
) -> None:
    for told in (False, True):
        if told:
            journal_story.told(repo, days=40)
        found = report_page.read(page(chalk))
        assert found.all("html")[0].attributes["lang"] == "en"
        assert [len(found.all(name)) for name in ("header", "main", "footer", "h1")] == [1, 1, 1, 1]
        headings = [int(tag.name[1]) for tag in found.all() if re.fullmatch("h[1-6]", tag.name)]
        assert headings == [1] + [2] * (len(headings) - 1)
        ids = {tag.attributes["id"]: tag.text for tag in found.all() if "id" in tag.attributes}
        for section in found.all("section"):
            assert ids[section.attributes["aria-labelledby"]]
            figures = section.all("figure")
            assert figures
            assert len(section.all("table")) >= len(figures)
            for svg in section.all("svg"):
                assert svg.attributes["role"] == "img"
                assert ids[svg.attributes["aria-labelledby"]].strip()
        for table in found.all("table"):
            assert len(table.all("caption")) == 1
        assert "viewport" in {tag.attributes.get("name") for tag in found.all("meta")}
        assert ("no data yet" in found.text) is not told


def test_text_stands_out_from_its_ground_in_light_and_in_dark() -> None:
    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        high, low = sorted((light(one), light(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    assert round(contrast("#000000", "#ffffff")) == 21
    for scheme in report_style.COLOURS.values():
        for name in ("text", "quiet", "warm"):
            assert contrast(scheme[name], scheme["ground"]) >= 4.5, name


def test_the_page_says_what_the_json_says(repo: Repo, chalk: Inside) -> None:
    journal_story.told(repo, days=120)
    found = report_page.keyed(report_page.read(page(chalk)))
    assert len(found) > 300
    card = chalk.json("report")
    assert report_page.differing(card, found) == []
    key, text = next((key, text) for key, text in found if text == written_one(card, key))
    assert report_page.differing(card, [(key, f"{text}1")])  # another number would be seen


def written_one(card: Any, key: str) -> str:
    return report_page.written(key, report_page.value(card, key))


def test_the_page_is_written_whole_for_its_owner_alone_and_over_nothing_but_a_file(
    repo: Repo, chalk: Inside, tmp_path: Path
) -> None:
    written = chalk("report", "--html", "out.html")
    file = repo.root / "out.html"
    assert (written.code, written.out) == (0, f"wrote {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(repo.root.glob(".out*"))
    file.chmod(0o644)
    assert chalk("report", "--html", "out.html").code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    (repo.root / "folder").mkdir()
    outside = tmp_path / "outside.html"
    outside.write_text("mine")
    (repo.root / "link.html").symlink_to(outside)
    os.mkfifo(repo.root / "pipe.html")
    for name, kind in (("folder", "a folder"), ("link.html", "a link"), ("pipe.html", "no file")):
        refused = chalk("report", "--html", name)
        assert (refused.code, kind in refused.err) == (2, True), refused
    assert outside.read_text() == "mine"
    assert chalk("report", "--html", "none/out.html").code == 2
    assert chalk("-C", str(repo.root), "report", "--html", "there.html", cwd=tmp_path).code == 0
    assert (repo.root / "there.html").exists()


def test_a_report_that_is_not_whole_makes_a_page_that_says_so(repo: Repo, chalk: Inside) -> None:
    keep(repo, asked=[{"kind": "check", "surface": "check", "verdict": "tried", "ms": 9, "at": NOW}])
    assert "This report is not whole" not in page(chalk)
    (repo.root / ".git" / journal_file.FOLDER / journal_file.FILE).write_bytes(b"no database" * 500)
    found = report_page.read(page(chalk))
    assert "This report is not whole: the journal cannot be read" in found.text
    assert len(found.all("section")) == 10
    assert "This cannot be told" in found.text


def test_without_pygal_the_page_is_refused_in_one_line_and_the_rest_works(
    chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygal", None)
    refused = chalk("report", "--html", "out.html")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.splitlines() == [
        "chalkgit: the page's charts need pygal",
        'hint: python -m pip install "chalkgit[report]"',
    ]
    assert not (chalk.root / "out.html").exists()
    assert chalk("report").code == 0
    assert chalk.json("report")["whole"] is True
    monkeypatch.undo()
    assert "pygal" not in chalk("report", "--html", "out.html").err
