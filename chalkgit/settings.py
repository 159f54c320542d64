"""The user's own file: which model, which stores, which decider and distiller.

Every `check` reads it, and importing PyYAML costs two bare interpreters: so what the file said is kept as
JSON until the file changes. Scalars are strings, whatever they look like. Writing keeps the keys we do not
know, the user's comments, and what another `chalkgit` wrote a moment ago.
"""

from __future__ import annotations

import errno
import os

from chalkgit import config
from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    import yaml

    Changes = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any]]


def path() -> str:
    return os.path.join(config.home("CONFIG"), "config.yaml")


def read() -> dict[str, Any]:
    """The settings; {} where the user has no file. Strings, lists and mappings of those."""
    file = path()
    try:
        status = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _unreadable(file, error) from None
    # ctime beside mtime: it moves with a chmod too, and nobody can set it back
    key = [file, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]
    kept = _kept(key)
    if kept is None:
        kept = parsed(_text(file), file)
        _keep(key, kept)
    return kept


def update(changes: Changes) -> None:
    """Set these keys; None removes one. A function is given the settings as they are under the lock."""
    file = os.path.realpath(path())  # a link into a folder of dotfiles stays a link
    with Lock(path() + ".lock"):
        text = _text(file) if os.path.exists(file) else ""
        before = parsed(text, file)
        changed = changes(before) if callable(changes) else changes
        after = {key: value for key, value in {**before, **changed}.items() if value is not None}
        if after != before:
            _replace(file, _edited(text, after))


class Lock:
    """An exclusive lock for the length of a block, in a file of its own.

    BlockingIOError where somebody holds it and `wait` is False.
    """

    def __init__(self, path: str, *, wait: bool = True) -> None:
        self._path = path
        self._wait = wait
        self._handle = -1

    def __enter__(self) -> None:
        import fcntl

        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ChalkError(f"cannot be written: {error.strerror}", where=self._path) from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if self._wait else fcntl.LOCK_NB))
        except BaseException:
            os.close(self._handle)
            raise

    def __exit__(self, *error: object) -> None:
        os.close(self._handle)


def keep(name: str, value: object) -> None:
    """Keep `value` as JSON in our cache folder; a cache that cannot be written is no error."""
    import json

    file = os.path.join(config.home("CACHE"), name)
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        _put(file, json.dumps(value).encode(), flush=False)
    except OSError:
        pass


def kept(name: str) -> Any:
    """What `keep` was given, or None."""
    import json

    try:
        with open(os.path.join(config.home("CACHE"), name), "rb") as handle:
            return json.loads(handle.read())
    except (OSError, ValueError, RecursionError):
        return None


def _kept(key: list[Any]) -> dict[str, Any] | None:
    entry = kept("settings.json")
    if isinstance(entry, dict) and entry.get("key") == key and isinstance(entry.get("value"), dict):
        return dict(entry["value"])
    return None


def _keep(key: list[Any], value: dict[str, Any]) -> None:
    keep("settings.json", {"key": key, "value": value})


def _unreadable(file: str, error: OSError) -> ChalkError:
    return ChalkError(
        f"the settings cannot be read: {error.strerror}",
        where=file,
        hint=f"chmod u+r {file}, or move it away",
    )


def _text(file: str) -> str:
    try:
        # a FIFO in its place would be waited for
        if not os.path.isfile(file):
            raise FileNotFoundError(errno.ENOENT, "it is no file")
        with open(file, encoding="utf-8") as handle:
            return handle.read()
    except OSError as error:
        raise _unreadable(file, error) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _wrong(file, line, "is not UTF-8") from None


def parsed(text: str, file: str) -> dict[str, Any]:
    """A settings file's text; scalars are strings. `file` is what errors name."""
    try:
        node = _composed(text, file)
        value = {} if node is None else _value(node, file)
    except RecursionError:
        raise _wrong(file, 1, "is nested without end") from None
    if not isinstance(value, dict):
        raise _wrong(file, 1, "is no mapping of settings (`stores:`, `model:`)")
    return value


def _composed(text: str, file: str) -> yaml.Node | None:
    import yaml

    try:
        return yaml.compose(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else text[: getattr(error, "position", 0)].count("\n") + 1
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "a mistake"
        raise _wrong(file, line, f"is no YAML: {what}") from None


def _value(node: yaml.Node, file: str) -> Any:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [_value(item, file) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return str(node.value)
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _wrong(file, key.start_mark.line + 1, "has a key that is no word")
        if key.value in found:
            raise _wrong(file, key.start_mark.line + 1, f"says “{key.value}” twice")
        found[key.value] = _value(value, file)
    return found


def _wrong(file: str, line: int, what: str) -> ChalkError:
    where = f"{file}:{line}"
    return ChalkError(f"the settings file {what}", where=where, hint=f"edit line {line} of {file}")


def _edited(text: str, after: dict[str, Any]) -> str:
    """The file saying `after`, with every line that need not change as the user wrote it."""
    import yaml

    edited = _lines_changed(text, after)
    try:
        if parsed(edited, "") == after:
            return edited
    except ChalkError:
        pass  # `{…}` or an end marker: lines cannot be exchanged there
    return yaml.safe_dump(after, sort_keys=False, allow_unicode=True) if after else ""


def _lines_changed(text: str, after: dict[str, Any]) -> str:
    import yaml

    before = parsed(text, "")
    lines = (text if not text or text.endswith("\n") else text + "\n").splitlines(keepends=True)
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    for key, start, stop in reversed(_spans(text, lines)):
        if key in changed:
            lines[start:stop] = [yaml.safe_dump({key: changed.pop(key)}, allow_unicode=True)]
        elif key not in after:
            del lines[start:stop]
    lines += [yaml.safe_dump({key: value}, allow_unicode=True) for key, value in changed.items()]
    return "".join(lines)


def _spans(text: str, lines: list[str]) -> list[tuple[str, int, int]]:
    """(key, first line, line after the last) of each setting; comments above the next key belong to that."""
    node = _composed(text, "")
    pairs = node.value if node is not None else []
    starts = [key.start_mark.line for key, _ in pairs]
    spans = []
    for (key, _), start, stop in zip(pairs, starts, [*starts[1:], len(lines)], strict=False):
        while stop > start + 1 and lines[stop - 1].strip()[:1] in ("", "#"):
            stop -= 1
        spans.append((key.value, start, stop))
    return spans


def _replace(file: str, text: str) -> None:
    try:
        _put(file, text.encode("utf-8"), flush=True)
    except OSError as error:
        raise ChalkError(f"the settings cannot be written: {error.strerror}", where=file) from None


def _put(file: str, data: bytes, *, flush: bool) -> None:
    temporary = f"{file}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            if flush:
                os.fsync(handle)
        os.replace(temporary, file)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
