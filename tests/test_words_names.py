"""Names, scripts and spellings: a question finds what a record writes otherwise."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repository import Repo

from chalkgit.index import words
from chalkgit.index.lexical import Document, Lexical

ROUTES = {
    "xdist": "Run the tests with pytest-xdist on every core",
    "camel": "Rename getUserName to fetchUser everywhere",
    "number": "Replace HTTPServer2 by nginx",
    "charset": "Store file names as UTF-8",
    "oauth": "Log in through OAuth2 tokens",
    "plural": "Shorten URLs with a bloom filter",
    "c++": "Rewrite the parser in C++",
    "c#": "Port the plugin to C# code",
    "net": "Target .NET for the desktop client",
    "node": "Run the exporter under node.js",
    "types": "Depend on @types/react for the forms",
    "vector": "Return std::vector from the loader",
    "call": "Call config.loader.reload() after each request",
    "flag": "Commit with --no-verify in the release job",
    "path": "Move the argument parsing into src/cli/main.rs",
    "version": "Require Python 3.11 for the build",
    "ticket": "Close ticket 311 without an answer",
    "system": "Watch the file system for changes",
    "German": "Die Straße und die Größe der Änderungen prüfen",
    "French": "Mettre l'index dans la mémoire où naît l'élève",
    "Russian": "Кэшировать манифесты в памяти, где зелёная ёлка",
    "Greek": "Αποθήκευση των παραμέτρων στη μνήμη",
    "Turkish": "İstanbul sunucusuna ışık hızında yedekleme",
    "Arabic": "تخزين المُعَامَلات في الذاكرة المؤقتة",
    "Hebrew": "שמירת הַקְּבָצִים בזיכרון",
    "Hindi": "मैनिफेस्ट को कैश में रखना",
    "Chinese": "把已解析的清单保存到缓存",
    "Japanese": "マニフェストをRedisに保存する",
    "Thai": "เก็บรายการไว้ในแคช",
    "Korean": "캐시를 미리 데우기",
    "wide": "ＷＩＤＥ ｗａｒｍｅｒ thread",
}
ASKED = [
    *[
        ("xdist", asked)
        for asked in ("xdist", "pytestxdist", "pytest-xdist", "py test xdist", "PyTest_XDist")
    ],
    *[("camel", asked) for asked in ("getUserName", "get_user_name", "get-user-name", "GETUSERNAME")],
    *[("camel", asked) for asked in ("GET_USER_NAME", "getusername", "get username")],
    *[("number", asked) for asked in ("HTTPServer2", "http server 2", "httpserver", "HttpServer")],
    *[("charset", asked) for asked in ("utf8", "UTF8", "utf-8")],
    *[("oauth", asked) for asked in ("oauth", "OAuth 2", "OAuth2", "oauth2")],
    *[("plural", asked) for asked in ("URL", "urls", "url")],
    *[("c++", "C++"), ("c++", "c++"), ("c#", "C#"), ("c#", "c#"), ("net", ".NET"), ("net", ".net desktop")],
    *[("node", asked) for asked in ("node.js", "nodejs", "Node JS")],
    *[("types", "@types/react"), ("types", "types react"), ("vector", "std::vector"), ("vector", "vector")],
    *[("call", "config.loader.reload()"), ("call", "config.loader"), ("call", "reload")],
    *[("flag", asked) for asked in ("--no-verify", "no-verify", "noverify")],
    *[("path", asked) for asked in ("src/cli/main.rs", "src/cli/main", "main.rs")],
    *[("version", asked) for asked in ("3.11", "python 3.11", "python3.11", "v3.11")],
    *[("ticket", "311"), ("system", "filesystem"), ("system", "file-system"), ("system", "FileSystem")],
    *[("German", asked) for asked in ("strasse", "STRASSE", "STRAẞE", "Grösse", "anderungen")],
    *[("French", asked) for asked in ("index", "L’INDEX", "d'index", "eleve", "memoire", "naît")],
    *[("Russian", asked) for asked in ("КЭШИРОВАТЬ", "манифест", "манифестов", "кешировать", "зеленая елка")],
    *[("Greek", asked) for asked in ("ΠΑΡΑΜΕΤΡΩΝ", "παράμετροι", "μνημη")],
    *[("Turkish", asked) for asked in ("istanbul", "ISTANBUL", "İSTANBUL", "isik")],
    *[("Arabic", asked) for asked in ("المعاملات", "ذاكرة", "الذاكره")],
    *[("Hebrew", "הקבצים"), ("Hindi", "कैश"), ("Hindi", "मैनिफेस्ट")],
    *[("Chinese", asked) for asked in ("缓存", "解析清单", "存", "清")],
    *[("Japanese", asked) for asked in ("Redisに保存", "マニフェスト", "ﾏﾆﾌｪｽﾄ")],
    *[("Thai", "แคช"), ("Korean", "캐시"), ("Korean", "캐시는"), ("wide", "wide warmer")],
]


@pytest.fixture(scope="module")
def index() -> Lexical:
    made = Lexical(None)
    made.write((), [Document(name, route) for name, route in ROUTES.items()])
    return made


@pytest.mark.parametrize(("name", "asked"), ASKED)
def test_a_name_is_found_however_it_is_written(index: Lexical, name: str, asked: str) -> None:
    assert index.search(asked, 3)[0][0] == name


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_a_record_is_found_by_its_own_route_in_capitals_and_without(index: Lexical, route: str) -> None:
    for asked in (route, route.upper(), route.lower()):
        assert ROUTES[index.search(asked, 1)[0][0]] == route


def test_a_version_is_no_other_number(index: Lexical) -> None:
    assert [path for path, _ in index.search("311", 9)] == ["ticket"]
    assert "ticket" not in [path for path, _ in index.search("3.11", 9)]


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("parseHTTPHeader", "parse HTTP Header"),
        ("getURLsNow IDs", "get URLs Now IDs"),
        ("python3 k8s s3 sha256", "python 3 k8s s3 sha 256"),
        ("issue#12 count++ c++", "issue 12 count c++"),
        ("l'index don't O'Reilly qu'il", "index don't O'Reilly il"),
        ("1.10.2", "1 10 2"),
    ],
)
def test_a_name_is_taken_apart_where_people_part_it(text: str, taken: str) -> None:
    assert words.parts(text).split() == taken.split()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.text(max_size=40))
def test_what_was_taken_apart_is_not_taken_apart_again(text: str) -> None:
    once = words.parts(text)
    assert words.parts(once).split() == once.split()
    for name in words.wholes(text):
        assert words.wholes(name) in ([], [name])


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6), asked=st.text(max_size=30))
def test_any_question_to_any_records_is_answered_and_readings_are_known_words(
    texts: list[str], asked: str
) -> None:
    index = Lexical(None)
    index.write((), [Document(str(n), text) for n, text in enumerate(texts)])
    index.search(asked, 9)
    for readings in index.readings(asked).values():
        assert all(index.frequency(word) for reading in readings for word in reading)
    for n, text in enumerate(texts):
        if index.content(text):
            assert str(n) in [path for path, _ in index.search(text, 9)]


@pytest.mark.parametrize("asked", ["🙈🙈", "…", "。", "\u200b", "->"])
def test_a_question_without_words_is_no_failure(repo: Repo, asked: str) -> None:
    repo.record(route="warm the cache")
    result = repo.run("check", "--here", "--lexical", "--", asked)
    assert (result.code, result.err) == (0, "")
