"""`chalkgit watch`: what `hook save` says, of every file that is saved, whatever saves it.

    src/a.py:1:1: note: Tried before, and failed: … [k7q2m9xd]

Each ruling once a session and file. What git itself writes (a checkout, a merge, a stash) is nobody's save.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Sequence

from chalkgit import config, thresholds
from chalkgit.doors import save, showing, watch_events, watch_folders, watch_saves
from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.store import place as places
from chalkgit.store.place import Place


def watched(
    directory: str | None,
    paths: Sequence[str],
    *,
    session: str | None,
    out: save.Tell,
    tell: save.Tell,
    poll: bool = False,
    reader: int | None = None,
) -> int:
    """Until interrupted; BrokenPipeError when `reader`, a pipe's descriptor, has nobody at its other end."""
    if config.bypassed("RULINGS"):
        tell("CHALKGIT_BYPASS_RULINGS is set: nothing is watched")
        return 0
    place = places.find(directory).require_store()
    start = os.path.realpath(directory or ".")
    scopes = showing.repository_paths(place, paths, start) if paths else ["."]
    missing = next((path for path in paths if not os.path.lexists(os.path.join(start, path))), None)
    if missing is not None:
        raise ChalkError(f"no such file or folder: {missing}")
    watch = Watch(place, scopes, start, session or f"watch:{os.urandom(4).hex()}", out, tell)
    try:
        watch.begin(poll=poll)
        if reader is not None:
            threading.Thread(target=_await_hangup, args=(reader, watch), daemon=True).start()
        while True:
            watch.take(watch_events.batch(watch.events))
    finally:
        watch.close()


class Watch:
    """One work tree. `take` is what a burst of events does; nothing else looks, prints or remembers."""

    def __init__(
        self,
        place: Place,
        scopes: Sequence[str],
        start: str,
        session: str,
        out: save.Tell,
        tell: save.Tell,
    ) -> None:
        self.place = place
        self.events: watch_events.Queue = queue.SimpleQueue()
        self._start, self._session = start, session
        self._out, self._tell = out, tell
        self._told = ""
        self._unheard = False  # what is printed reaches nobody any more
        self._folders = watch_folders.Folders(place, scopes)
        self._saves = watch_saves.Saves(place)
        self._source: watch_events.Source | None = None

    def begin(self, *, poll: bool = False) -> None:
        if poll:
            self._poll()
        else:
            self._watch_or_poll()
        self._saves.begin()
        assert self._source is not None
        count = len(self._source.folders)
        where = ", ".join(line(folder) for folder in self._folders.tops)
        self._tell(f"watching {count:,} folder{'s' * (count != 1)} of {where}{self._source.how}")

    def close(self) -> None:
        if self._source is not None:
            self._source.close()

    def take(self, batch: Sequence[watch_events.Event]) -> None:
        """Show what stands about the files that these events say were saved."""
        if any(kind == watch_events.CLOSED for kind, _ in batch):
            raise BrokenPipeError
        self._await_git()
        if not any(map(os.path.isdir, self._folders.tops)):
            raise ChalkError("what was watched is gone", where=self.place.root)
        # its configuration may have changed: a new place switches off what it names
        self.place = Place(self.place.root, self.place.git_dir, self.place.common_dir)
        try:
            self._show(self._hinted(batch))
        except ChalkError as error:
            if self._unheard:
                raise
            self._tell_once(f"nothing is shown for what was saved now: {error.message}")

    def _hinted(self, batch: Sequence[watch_events.Event]) -> list[str]:
        """The repository paths to look at, once the folders that came and went are taken in."""
        files = {path for kind, path in batch if kind == watch_events.FILE}
        folders = {path for kind, path in batch if kind in (watch_events.FOLDER, watch_events.GONE)}
        for folder in folders:
            self._watching.drop(folder)
        parents, tops = self._watching.folders, self._folders.tops
        new = self._folders.below(f for f in sorted(folders) if os.path.dirname(f) in parents or f in tops)
        lost = any(kind == watch_events.LOST for kind, _ in batch)
        if lost or any(os.path.basename(path) == ".gitignore" for path in files):
            new = self._folders.all()
        added = self._add(new)
        # what was written into a folder before it was watched
        files.update(watch_folders.files(added))
        root = len(self.place.root.rstrip("/")) + 1
        named = [file[root:] for file in sorted(files)] + (self._saves.differing() if lost else [])
        return [path for path in named if self._folders.holds(path)]

    def _show(self, paths: Sequence[str]) -> None:
        began = time.monotonic()
        saved = self._saves.saved(paths)
        if saved:
            named = {path: self._called(path) for path in saved}
            save.show(
                self.place,
                named,
                session=self._session,
                out=self._print,
                tell=self._tell_once,
                surface="watch",
                most=thresholds.WATCH_LINES,
                began=began,
            )

    def _called(self, path: str) -> str:
        """A path as it is reached from where the watch was started, with nothing a terminal would obey."""
        called = os.path.relpath(os.path.join(self.place.root, path), self._start)
        return called if called.isprintable() else line(called)

    def _print(self, text: str) -> None:
        try:
            self._out(text)
        except ChalkError:
            self._unheard = True
            raise

    def _tell_once(self, message: str) -> None:
        """Not again with every save."""
        if message != self._told:
            self._told = message
            self._tell(message)

    @property
    def _watching(self) -> watch_events.Source:
        assert self._source is not None, "begin comes first"
        return self._source

    def _add(self, folders: Sequence[str]) -> list[str]:
        try:
            return self._watching.add(folders)
        except watch_events.Exhausted as error:
            return self._exhausted(error)

    def _watch_or_poll(self) -> None:
        try:
            self._source = watch_events.native(self._folders.tops, self.events)
            self._source.add(self._folders.all())
        except watch_events.Exhausted as error:
            self._exhausted(error)

    def _exhausted(self, error: watch_events.Exhausted) -> list[str]:
        setting, now = _limit(error.settings)
        watches = setting.endswith("watches")
        least = thresholds.WATCH_LIMIT if watches else thresholds.WATCH_INSTANCES
        self._tell(
            f"the kernel gives no more watches ({setting} is {now}), so files are looked at instead, "
            f"which is slower (hint: sudo sysctl {setting}={max(2 * now, least)})"
        )
        self.close()
        return self._poll()

    def _poll(self) -> list[str]:
        self.events = queue.SimpleQueue()  # what the other source still had to say is looked at anyway
        self._source = watch_events.Tree(self._folders.tops, self.events, poll=True)
        return self._source.add(self._folders.all())

    def _await_git(self) -> None:
        """While git writes: what it has written is told from a save by the index, which it writes last."""
        lock = os.path.join(self.place.git_dir, "index.lock")
        while True:
            try:
                age = abs(time.time() - os.lstat(lock).st_mtime)
            except OSError:
                return
            if age > thresholds.WATCH_GIT_SECONDS:
                return
            time.sleep(thresholds.WATCH_GIT_TICK)


def _await_hangup(reader: int, watch: Watch) -> None:
    import select

    poll = select.poll()
    poll.register(reader, 0)  # errors alone: the other end is closed
    poll.poll()
    watch.events.put((watch_events.CLOSED, ""))


def _limit(settings: Sequence[str]) -> tuple[str, int]:
    """The setting that is in the way, and its value: the smallest, since a container has one of its own."""
    found = {}
    for setting in settings:
        try:
            with open("/proc/sys/" + setting.replace(".", "/"), encoding="ascii") as file:
                found[setting] = int(file.read())
        except (OSError, ValueError):
            continue
    setting = min(found, key=lambda name: found[name], default=settings[0])
    return setting, found.get(setting, 0)
