"""Which files a record is about: those it lists, else the few that its text names."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.records.record import Record

_READ = ("route", "observation", "trap", "alternative", "lesson", "resolution", "raw")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXTENSIONS = _words("""
    adoc asm astro bash bat bzl c cc cfg cjs clj cljs cmake cmd conf cpp cs css csv cts cu cue cxx dart diff
    dockerfile edn eex ejs el elm erb erl ex exs f90 fish fs fsx gd gemspec glsl go gql gradle graphql groovy
    h haml hbs hcl heex hh hpp hrl hs htm html hxx ini ipynb j2 java jinja jinja2 jl js json json5 jsonc
    jsonl jsx kt kts less lhs lock lua m4 make markdown md mdx mjs mk ml mli mm mod mts mustache nim nix
    patch php pl plist pm po pp prisma properties proto ps1 psql pug puml py pyi pyx r rake rb rego rs rst
    sass sbt scala scm scss service sh sol sql styl sum sv svelte svg swift tcl templ tex tf tfvars thrift
    timer tmpl toml tpl ts tsx txt twig v vb vhd vim vue wat wgsl xhtml xml xsd xsl yaml yml zig zsh
""")
_NAMES = _words("""
    .babelrc .bazelrc .clang-format .clang-tidy .dockerignore .editorconfig .env .eslintrc .flake8
    .gitattributes .gitignore .gitmodules .npmrc .nvmrc .prettierrc .pylintrc
    brewfile caddyfile containerfile dockerfile gemfile jenkinsfile justfile makefile pipfile procfile
    rakefile vagrantfile
""")
# Names of products and sites that end like a file's.
_PRODUCTS = _words("""
    alpine angular backbone chart d3 day discord ember express handlebars knockout moment nest next node
    nuxt p5 pdf react require solid three vue
""")
_SITES = frozenset(("crates.rs", "docs.rs"))
# A folder is told from slashed prose (read/write/execute) by how repositories are laid out.
_FOLDERS = _words("""
    api app apps assets backend bench bin build charts ci client cmd components config configs contrib core
    crates data db deploy dist doc docs etc examples ext frontend hooks include infra internal lib libs
    migrations modules packages pkg plugins proto public schema scripts server services site spec src static
    templates test testdata tests third_party tools ui util utils vendor web
""")

_CUT = re.compile(r"""[\s`'"()<>\[\]{},;|=…“”‘’«»]+""")
_SEGMENT = re.compile(r"[\w.@+~-]+\Z")
_LINE_NUMBER = re.compile(r"(?::\d+(?:-\d+)?)+\Z")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|edu|gov|co|de|uk|eu|fr|info|cloud)\Z", re.I)
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")


def validate(path: str) -> str | None:
    """Why this cannot name files of the repository; None where it can."""
    if not path.strip() or path != path.strip():
        return f"“{path}” is no path: it is blank or has blanks around it"
    if "://" in path:
        return f"“{path}” is a URL: list it under evidence"
    if path.startswith(("/", "~", "\\")) or _DRIVE.match(path):
        return f"“{path}” is absolute: write it from the repository's root"
    if ".." in path.replace("\\", "/").split("/"):
        return f"“{path}” leaves its folder with “..”: write it from the repository's root"
    return None


def named(record: Record) -> list[str]:
    """The record's files; where it has no such field, up to five paths or names found in its text."""
    if isinstance(record.get("files"), list):
        return record.items("files")
    return in_text("\n".join(record.text(name) or "" for name in _READ))


def in_text(text: str) -> list[str]:
    """The first few paths and file names of a text: no URLs, no absolute paths, no “..”."""
    found: dict[str, None] = {}
    for word in text.split():
        if "://" in word or word.startswith("www."):
            continue
        for piece in _CUT.split(word):
            found.update(dict.fromkeys(_read(piece)))
        if len(found) >= thresholds.FILES_FROM_TEXT:
            break
    return list(found)[: thresholds.FILES_FROM_TEXT]


def _read(piece: str) -> list[str]:
    if not piece or len(piece) > thresholds.PATH_LENGTH or "\\" in piece:
        return []
    word = piece.split("#", 1)[0].split("::", 1)[0].strip("*").rstrip(".:!?")
    word = _LINE_NUMBER.sub("", word).removeprefix("./")
    if "/" not in word:
        return [word] if _is_file(word) else []
    parts = word.removesuffix("/").split("/")
    if not all(_SEGMENT.match(part) and part not in (".", "..") for part in parts) or _DOMAIN.match(parts[0]):
        return []
    if all(_is_file(part) for part in parts):  # reader.go/writer.go
        return parts
    return [word] if _is_path(word, parts) else []


def _is_path(word: str, parts: list[str]) -> bool:
    if "@" in parts[0] or "~" in parts[0] or len(parts[0]) < 2:
        return False
    if word.endswith("/") or _is_file(parts[-1]):
        return not parts[0].isdecimal()
    return len(parts) > 2 and (parts[0] in _FOLDERS or parts[0].startswith("."))


def _is_file(name: str) -> bool:
    """Whether a bare name is a file's: reader.go, Dockerfile, .env.local; not node.js, 1.2.3 or e.g."""
    lower = name.lower()
    if lower in _NAMES or lower.startswith((".env.", "dockerfile.", "makefile.")):
        return bool(_SEGMENT.match(name)) and "@" not in name
    stem, dot, extension = lower.rpartition(".")
    if not dot or extension not in _EXTENSIONS or not _SEGMENT.match(name) or "@" in name:
        return False
    if (extension == "js" and stem in _PRODUCTS) or lower in _SITES:
        return False
    return len(stem) > 1 or (len(extension) > 1 and stem.isalnum())
