"""What programs read of a review: annotations, SARIF, rdjson, GitLab's report; each by its own tool."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reviewed
import validators

from chalkgit import __version__
from chalkgit.answers.finding import RULES, Review
from chalkgit.render import review
from chalkgit.thresholds import GITHUB_ANNOTATIONS, SARIF_RESULTS

REVIEWS: dict[str, Callable[[], Review]] = {
    "everything": reviewed.everything,
    "hostile": reviewed.hostile,
    "nothing": lambda: reviewed.review([], ("the history",)),
}


@pytest.fixture(name="made", params=REVIEWS)
def made_fixture(request: pytest.FixtureRequest) -> Review:
    return REVIEWS[request.param]()


def _json(made: Review, format: str) -> Any:
    return json.loads(review.rendered(made, format))


# --- GitHub's annotations ------------------------------------------------------------------------

RUNNER = set("error warning notice debug group endgroup add-mask add-matcher set-env set-output".split())
RUNNER |= {"stop-commands", "remove-matcher", "save-state", "add-path", "echo"}


def _obeyed(line: str) -> tuple[str, dict[str, str], str] | None:
    """The command a runner finds in a line: `::name a=b::data` at its start, `##[name a=b]data` anywhere."""
    start = line.strip()
    found = re.match(r"::(.*?)::(.*)", start, re.S) or re.search(r"##\[(.*?)\](.*)", start, re.S)
    if found is None or found[1].partition(" ")[0] not in RUNNER:
        return None
    name, _, properties = found[1].partition(" ")
    pairs = [pair.partition("=") for pair in properties.split(",") if "=" in pair]
    back = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
    plain = re.compile("|".join(back))
    values = {key: plain.sub(lambda code: back[code[0]], value) for key, _, value in pairs}
    return name, values, plain.sub(lambda code: back.get(code[0], code[0]), found[2])


def _commands(made: Review) -> list[tuple[str, dict[str, str], str]]:
    lines = review.rendered(made, "github").split("\n")
    return [found for line in lines if (found := _obeyed(line))]


def test_annotations_are_what_the_toolkit_of_github_prints(made: Review, tmp_path: Path) -> None:
    lines = [line for line in review.rendered(made, "github").split("\n") if line.startswith("::")]
    issued: list[dict[str, object]] = [
        {
            "level": name,
            "message": data,
            "properties": {
                "title": values["title"],
                **({"file": values["file"], "startLine": int(values["line"])} if "file" in values else {}),
            },
        }
        for name, values, data in _commands(made)
    ]
    assert validators.commands(issued, tmp_path) == lines
    assert bool(lines) == bool(made.findings)


def test_no_text_of_a_record_is_a_command_of_a_runner() -> None:
    hostile = reviewed.hostile()
    lines = review.rendered(hostile, "github").split("\n")
    found = [_obeyed(line) for line in lines]
    assert {one[0] for one in found if one} == {"notice", "warning", "error"}
    assert {frozenset(one[1]) for one in found if one} == {
        frozenset({"title", "file", "line"}),
        frozenset({"title"}),  # the one that counts what is left out
    }
    for format in set(review.FORMATS) - {"github"}:  # people print them in a log
        assert [one for line in review.rendered(hostile, format).splitlines() if (one := _obeyed(line))] == []
    obeyed = [one[0] for text in reviewed.HOSTILE for line in text.splitlines() if (one := _obeyed(line))]
    assert obeyed == ["error", "stop-commands", "add-mask", "error"]


def test_an_annotation_says_where_and_what() -> None:
    (found,) = _commands(reviewed.review([reviewed.finding("forged", "a,b:c%0A.yaml", "50%: x::y", line=3)]))
    title = "An approval that git does not prove [forged]"
    assert found == ("error", {"title": title, "file": "a,b:c%0A.yaml", "line": "3"}, "50%: x::y")


def test_annotations_stay_within_the_limits_and_the_rest_is_counted() -> None:
    found = _commands(reviewed.large(errors=30, warnings=12, notes=400))
    levels = Counter(name for name, _, _ in found)
    assert set(levels.values()) == {GITHUB_ANNOTATIONS}
    assert len(found) <= 50
    assert "secret 00029" in found[0][2]  # the heaviest
    name, _, said = found[-1]
    assert name == "notice"
    assert said.startswith(
        "413 more findings not shown here (20 errors, 2 warnings, 391 notes): chalkgit review"
    )


def test_annotations_that_fit_are_all_there() -> None:
    found = _commands(reviewed.large(errors=10, warnings=10, notes=10))
    assert len(found) == 30
    assert not [said for _, _, said in found if "not shown here" in said]


# --- SARIF ---------------------------------------------------------------------------------------


def test_sarif_is_valid_to_microsofts_tool(made: Review, tmp_path: Path) -> None:
    found = validators.sarif(review.rendered(made, "sarif"), tmp_path)
    # it would like an address of the project's; there is none yet
    assert [one for one in found if not one.startswith("SARIF2005")] == []


def test_sarif_that_is_damaged_is_not_valid_to_it(tmp_path: Path) -> None:
    damaged = _json(reviewed.everything(), "sarif")
    damaged["runs"][0]["results"][0]["ruleIndex"] = 99
    damaged["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b"
    found = validators.sarif(json.dumps(damaged), tmp_path)
    assert [one for one in found if not one.startswith("SARIF2005")] != []


def test_sarif_names_rule_tool_place_and_run() -> None:
    made = reviewed.everything()
    (run,) = _json(made, "sarif")["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("chalkgit", __version__)
    assert [rule["id"] for rule in driver["rules"]] == [rule.name for rule in RULES]
    assert all({"shortDescription", "fullDescription", "help"} <= set(rule) for rule in driver["rules"])
    assert run["automationDetails"]["id"] == "chalkgit/review/"
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert not place["artifactLocation"]["uri"].startswith(("/", "./"))
        assert place["region"]["startLine"] >= 1
    assert {found["ruleId"] for found in run["results"]} == {rule.name for rule in RULES}


def test_sarif_of_too_many_results_says_what_was_cut() -> None:
    (run,) = _json(reviewed.large(errors=10, warnings=5, notes=SARIF_RESULTS), "sarif")["runs"]
    assert len(run["results"]) == SARIF_RESULTS
    assert [result["level"] for result in run["results"][:10]] == ["error"] * 10
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith("15 more results left out (15 notes): ")
    (whole,) = _json(reviewed.everything(), "sarif")["runs"]
    (unseen,) = whole["invocations"][0]["toolExecutionNotifications"]
    assert "no model is set up" in unseen["message"]["text"]


# --- rdjson --------------------------------------------------------------------------------------


def test_rdjson_is_valid_to_its_validator(made: Review, tmp_path: Path) -> None:
    assert validators.rdjson(review.rendered(made, "rdjson"), tmp_path) == []


def test_rdjson_that_is_damaged_is_not_valid_to_it(tmp_path: Path) -> None:
    damaged = _json(reviewed.everything(), "rdjson")
    damaged["diagnostics"][0]["severity"] = "note"
    assert validators.rdjson(json.dumps(damaged), tmp_path) != []


def test_rdjson_has_every_finding_at_a_line() -> None:
    made = reviewed.everything()
    said = _json(made, "rdjson")
    assert (said["source"], said["severity"]) == ({"name": "chalkgit"}, "ERROR")
    assert Counter(one["code"]["value"] for one in said["diagnostics"]) == Counter(r.name for r in RULES)
    assert {one["severity"] for one in said["diagnostics"]} == {"INFO", "WARNING", "ERROR"}
    assert all(one["location"]["range"]["start"]["line"] >= 1 for one in said["diagnostics"])


# --- GitLab --------------------------------------------------------------------------------------


def test_gitlab_finds_what_its_contract_asks_for(made: Review) -> None:
    """GitLab publishes no tool; these are the rules of its documentation and of the schema that it checks."""
    said = _json(made, "gitlab")
    assert len(said) == len(made.findings)
    for issue in said:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert all(isinstance(issue[key], str) and issue[key] for key in set(issue) - {"location"})
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not issue["location"]["path"].startswith(("/", "./"))
        begin = issue["location"]["lines"]["begin"]
        assert isinstance(begin, int)
        assert begin >= 1


# --- names of findings ---------------------------------------------------------------------------


def _names(made: Review) -> list[str]:
    (run,) = _json(made, "sarif")["runs"]
    names = [result["partialFingerprints"]["chalkgitFinding/v1"] for result in run["results"]]
    assert names == [issue["fingerprint"] for issue in _json(made, "gitlab")]
    return names


def test_every_finding_has_a_name_of_its_own(made: Review) -> None:
    twice = reviewed.review([*made.findings, *made.findings])
    names = _names(twice)
    assert len(set(names)) == len(names) == 2 * len(made.findings)


def test_a_name_stays_when_lines_files_and_numbers_move() -> None:
    about = {"record": "k7q2m9zx", "title": reviewed.TITLE}

    def name(
        rule: str = "weakens", path: str = reviewed.PATH, message: str = "line 3 says less", **more: Any
    ) -> str:
        (found,) = _names(reviewed.review([reviewed.finding(rule, path, message, **{**about, **more})]))
        return found

    assert (
        name()
        == name(line=9)
        == name(path=".lessons/moved.k7q2m9zx.yaml")
        == name(message="line 40 says less")
    )
    others = [
        name("rots"),
        name(record="b3n8w2rt"),
        name(message="all of it says less"),
        name("touches", "src/a.py"),
    ]
    assert len({name(), *others, name("touches", "src/b.py")}) == 6
