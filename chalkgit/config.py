"""The settings: option, then CHALKGIT_*, then the user's file, then the default.

This module alone reads the environment (ruff's banned-api holds it). A repository's own files never name
a command that runs and never decide what is embedded: model, stores, decider and distiller are the user's.
"""

from __future__ import annotations

import os

# What a hook exports about *its* repository; for any other repository these are dropped.
# The list is `git rev-parse --local-env-vars` of git 2.39 and 2.55.
LOCAL_GIT = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
)
NO_HOME = "/nonexistent"  # what Debian gives users that have no home
FACULTIES = ("CHECK", "RULINGS", "RECALL", "SEMANTIC", "DECIDER")

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_ours: list[str] = []  # the root that this process's GIT_* speak of, once known


def variable(name: str) -> str | None:
    """CHALKGIT_<name>, None when unset or empty."""
    return os.environ.get(f"CHALKGIT_{name}") or None


def bypassed(faculty: str) -> bool:
    """Whether CHALKGIT_BYPASS_<faculty> is set to anything but nothing and 0."""
    return variable(f"BYPASS_{faculty}") not in (None, "0")


def switched_off() -> list[str]:
    """The faculties that are switched off, in small letters."""
    return [faculty.lower() for faculty in FACULTIES if bypassed(faculty)]


def no_switches() -> list[str]:
    """The variables that are set as switches are, and are none: CHALKGIT_BYPASS, CHALKGIT_BYPASS_CHEK."""
    known = [f"CHALKGIT_BYPASS_{faculty}" for faculty in FACULTIES]
    return sorted(
        name
        for name, value in os.environ.items()
        if name.startswith("CHALKGIT_BYPASS") and name not in known and value not in ("", "0")
    )


def of_chalk() -> list[str]:
    """The variables that are set of Chalk, the server that came before this: nothing reads them."""
    return sorted(
        name
        for name, value in os.environ.items()
        if value and (name == "CHALK_MEMORY" or name.startswith("CHALK_MEMORY_"))
    )


def environment_value(name: str) -> str | None:
    """A variable that is nobody's in particular: NO_COLOR, FORCE_COLOR, PATH, AI_AGENT …"""
    return os.environ.get(name) or None


def merged_heads() -> list[str]:
    """The commits that `git merge` is merging, as it names them to what it starts (GITHEAD_<commit>)."""
    return [name[8:] for name in os.environ if name.startswith("GITHEAD_") and len(name) >= 48]


def agent() -> str | None:
    """The coding agent that runs us, as each announces itself to the programs it starts."""
    for name, sign in (
        ("claude-code", "CLAUDECODE"),
        ("codex", "CODEX_CI"),
        ("gemini-cli", "GEMINI_CLI"),
        ("opencode", "OPENCODE"),
    ):
        if os.environ.get(sign):
            return name
    return os.environ.get("AI_AGENT") or None


def claim(root: str) -> None:
    """Say which root the GIT_* variables of this process speak of."""
    _ours[:] = [root]


def git_environment(root: str, settings: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """The environment for a git call in `root`: stable output, no prompt, no lock taken in passing.

    settings: of git's configuration, which win over its files.
    """
    # decoding 60 variables takes a tenth of what starting git does, and a hook starts four
    environment = dict(os.environ)
    if not _ours or root != _ours[0]:
        for name in LOCAL_GIT:
            environment.pop(name, None)
        for name in [n for n in environment if n.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))]:
            del environment[name]
    environment.pop("GIT_EXTERNAL_DIFF", None)
    # GIT_NO_LAZY_FETCH: a partial clone would ask its remote for a blob, and nothing here waits for a network
    environment.update(LC_ALL="C", GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1")
    if settings:
        told = environment.get("GIT_CONFIG_COUNT", "")
        count = int(told) if told.isdecimal() else 0
        for number, (name, value) in enumerate(settings, count):
            environment[f"GIT_CONFIG_KEY_{number}"] = name
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        environment["GIT_CONFIG_COUNT"] = str(count + len(settings))
    return environment


def home(kind: str) -> str:
    """Our folder of XDG kind CONFIG, DATA or CACHE."""
    default = {"CONFIG": ".config", "DATA": ".local/share", "CACHE": ".cache"}[kind]
    base = os.environ.get(f"XDG_{kind}_HOME") or ""
    # The XDG specification has relative paths ignored.
    if not os.path.isabs(base):
        user = os.path.expanduser("~")
        # nobody's: `~` stays as it is, and would be a folder of whatever repository we stand in
        base = os.path.join(user if os.path.isabs(user) else NO_HOME, default)
    return os.path.join(base, "chalkgit")
