"""The short way in for what runs hundreds of times a day, without importing click.

It knows a strict subset of the options of `at`, `check` and some hooks, and gives None for anything else,
which then goes through click: both ways end in the same functions, and a test holds that they answer alike.
What is switched off is told before anything is looked for.
"""

from __future__ import annotations

from chalkgit import config

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chalkgit.store.ahead import Ahead
    from chalkgit.store.place import Place

_FLAGS = {"check": ("--json", "--lexical", "--here"), "at": ("--json",)}


def run(arguments: Sequence[str]) -> int | None:
    """The exit code, or None where click has to look."""
    left = list(arguments)
    directory = None
    if len(left) > 2 and left[0] == "-C":
        directory = left[1]
        del left[:2]
    command = left.pop(0) if left else ""
    if command in _FLAGS:
        return _asked(directory, command, left)
    hook = _HOOKS.get(left[0]) if command == "hook" and left else None
    return hook(directory, left[1:]) if hook is not None else None


def _asked(directory: str | None, command: str, left: list[str]) -> int | None:
    flags = [word for word in left if word in _FLAGS[command]]
    words = [word for word in left if word not in _FLAGS[command]]
    if not words or any(word.startswith("-") or not word.strip() for word in words):
        return None
    if command == "check" and len(words) != 1:
        return None
    place = None
    if not config.bypassed(_FACULTY[command]):
        from chalkgit.store import place as places

        place = places.find(directory)
    if command == "at":
        return _at(directory, words, place, as_json="--json" in flags)
    if place is not None:
        code = _helped(place, directory, flags, words[0])
        if code is not None:
            return code
    code = _check(directory, words[0], place, flags)
    if place is not None:
        from chalkgit.doors import helper

        helper.start(place)  # for the next ones, where the user wants it
    return code


_FACULTY = {"at": "RULINGS", "check": "CHECK"}


def _at(directory: str | None, paths: list[str], place: Place | None, *, as_json: bool) -> int:
    ahead = _look_ahead(place)
    from chalkgit.cli import asking

    return _through(lambda _: asking.at(directory, paths, as_json=as_json, ahead=ahead))


def _check(directory: str | None, proposal: str, place: Place | None, flags: list[str]) -> int:
    ahead = _look_ahead(place)
    from chalkgit.cli import asking

    lexical, here = "--lexical" in flags, "--here" in flags
    as_json = "--json" in flags
    return _through(
        lambda _: asking.check(directory, proposal, as_json=as_json, lexical=lexical, here=here, ahead=ahead)
    )


def _look_ahead(place: Place | None) -> Ahead | None:
    """A look at the records that runs beside the imports."""
    if place is None:
        return None
    import os

    from chalkgit.store.ahead import Ahead

    return Ahead(place) if os.path.isdir(place.lessons) else None


def _helped(place: Place, directory: str | None, flags: list[str], proposal: str) -> int | None:
    """What the resident helper answers, where there is one."""
    from chalkgit.doors import helper

    if not helper.there(place):
        return None
    import sys

    from chalkgit.cli import terminal

    terminal.begin()
    answer = helper.ask(place, proposal, directory, flags, terminal=sys.stdout.isatty())
    if answer is None:
        return None
    code, out, err, kept = answer
    if err:
        terminal.say(err, end="")
    terminal.out(out.removesuffix("\n"))
    terminal.finish()
    from chalkgit.cli import asked

    asked.keep(place, directory, asked.heard(kept))
    return code


# --- hooks ---------------------------------------------------------------------------------------


def _commit(directory: str | None, left: list[str]) -> int | None:
    if left:
        return None
    if config.bypassed("RULINGS"):
        return 0
    from chalkgit.store import staging

    early = staging.early(directory)
    from chalkgit.doors import commit

    return _through(lambda t: commit.commit(directory, out=t.show, tell=t.tell, early=early))


def _message(directory: str | None, left: list[str]) -> int | None:
    if len(left) != 1 or left[0].startswith("-"):
        return None
    if config.bypassed("RULINGS"):
        return 0
    from chalkgit.doors import message

    return _through(lambda t: message.message(directory, left[0], out=t.show, tell=t.tell))


def _save(directory: str | None, left: list[str]) -> int | None:
    session = None
    if len(left) > 2 and left[0] == "--session":
        session = left[1]
        del left[:2]
    if not left or any(word.startswith("-") for word in left):
        return None
    if config.bypassed("RULINGS"):
        return 0
    import os

    from chalkgit.store import ahead as looks

    try:
        ahead = looks.begin(os.path.dirname(os.path.abspath(os.path.join(directory or "", left[0]))))
    except (OSError, ValueError):
        ahead = None  # what is wrong with it is said below
    from chalkgit.doors import save

    return _through(
        lambda t: save.saved(directory, left, session=session, out=t.show, tell=t.tell, ahead=ahead)
    )


def _agent(directory: str | None, left: list[str]) -> int | None:
    client = left[1] if len(left) == 2 and left[0] == "--client" else None
    if left and client is None:
        return None
    import sys

    from chalkgit.doors import agent

    if sys.stdin is None or sys.stdin.isatty():
        return None
    ahead = agent.begun(directory)
    data = agent.read(sys.stdin.buffer)
    if agent.silent(data):
        return 0
    from chalkgit.cli import hook_agent_answer

    return hook_agent_answer.answered(data, client, directory, ahead)


def _through(door: Callable[..., int]) -> int:
    from chalkgit.cli import terminal

    terminal.begin()
    code = door(terminal)
    terminal.finish()
    return code


_HOOKS: dict[str, Callable[[str | None, list[str]], int | None]] = {
    "pre-commit": _commit,
    "pre-merge-commit": _commit,
    "commit-msg": _message,
    "save": _save,
    "agent": _agent,
}
