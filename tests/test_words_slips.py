"""Slips of the hand: what a word that no record holds may stand for."""

from __future__ import annotations

import time

import pytest

from chalkgit import thresholds
from chalkgit.index.lexical import Document, Lexical
from chalkgit.index.readings import edits
from chalkgit.index.words import close

ROUTES = {
    "redis": "Use Redis as the session storage",
    "xdist": "Run the tests with pytest-xdist on every core",
    "auth": "Skip authentication for internal requests",
    "variables": "Generate the configuration from environment variables",
    "optimise": "Turn on link time optimization for releases",
    "vendor": "Vendor every dependency of the service",
    "operators": "Deploy on Kubernetes with operators",
    "installer": "Write an end to end test of the installer",
    "text": "Render text with a custom rasteriser",
    "lock": "Take a file lock around each write",
    "look": "Change the look of the toolbar",
    "sha": "Name each blob by its sha256",
    "Russian": "Кэшировать манифесты в памяти",
}


def index_of(routes: dict[str, str]) -> Lexical:
    made = Lexical(None)
    made.write((), [Document(name, route) for name, route in routes.items()])
    return made


@pytest.fixture(scope="module")
def index() -> Lexical:
    return index_of(ROUTES)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("redis", "redsi storge"),
        ("redis", "Rdeis sesion storrage"),
        ("redis", "tedis"),
        ("redis", "erdis"),
        ("xdist", "pytset-xdist"),
        ("auth", "auth"),
        ("auth", "athentication"),
        ("auth", "uthentication"),
        ("auth", "authenticaiton"),
        ("auth", "authentciatoin"),
        ("variables", "configuraiton"),
        ("variables", "confguratoin"),
        ("variables", "cnofigurtaion"),
        ("variables", "config"),
        ("variables", "enviroment varaibles"),
        ("optimise", "optmization"),
        ("optimise", "optimisation"),
        ("vendor", "dependancy"),
        ("vendor", "dependncies"),
        ("operators", "kuberntes"),
        ("operators", "kubernets"),
        ("installer", "installer tset"),
        ("text", "txet rasterizer"),
        ("Russian", "минифест"),
    ],
)
def test_a_slip_finds_what_was_meant(index: Lexical, name: str, asked: str) -> None:
    assert index.search(asked, 3)[0][0] == name


def test_a_word_that_records_hold_is_no_slip_of_another(index: Lexical) -> None:
    assert index.readings("look lock text test") == {}
    assert [path for path, _ in index.search("lock", 9)] == ["lock"]
    assert index.search("toolbar lock look", 1)[0][0] == "look"


def test_numbers_are_no_slips_of_each_other(index: Lexical) -> None:
    assert index.readings("sha255") == {}
    assert not close("sha256", "sha255")


def test_a_slip_is_known_by_the_words_of_records_that_are_there() -> None:
    index = index_of(ROUTES)
    index.write(["redis"], ())
    assert index.readings("redsi") == {}
    index.take([("late", "Keep Redis warm")])
    assert index.readings("redsi") == {"redsi": (("redi",),)}
    index.take([("late", "Keep Redis warm"), ("auth", None)])
    assert index.readings("internl") == {}
    # two slips, in a record that came late
    index.take([("late", "Keep the synchronized clock")])
    assert index.readings("sybchronkzed") == {"sybchronkz": (("synchron",),)}


def test_every_edit_is_one_slip_away() -> None:
    for word in ("cache", "манифест", "parameter"):
        assert all(close(word, other) for other in edits(word))


def test_what_a_thousand_unknown_words_cost_is_bounded(index: Lexical) -> None:
    asked = " ".join(f"{'qxjz' * (n % 7 + 1)}{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(650))
    started = time.monotonic()
    assert index.search(asked, 9) == []
    assert time.monotonic() - started < 5
    assert len(index.readings(asked)) <= thresholds.MEANT_WORDS
