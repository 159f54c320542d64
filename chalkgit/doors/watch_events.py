"""The one importer of watchdog: what happens in watched folders, as hints in a queue.

Events are hints and no news: which file was written to, which folder came or went, or that some were lost.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import time
from collections.abc import Iterable, Sequence
from typing import Any

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserverVFS
from watchdog.utils.dirsnapshot import DirectorySnapshot

from chalkgit.thresholds import (
    WATCH_BATCH_SECONDS,
    WATCH_POLL_SECONDS,
    WATCH_POLL_SHARE,
    WATCH_QUIET_SECONDS,
)

FILE, FOLDER, GONE, LOST, CLOSED = "file", "folder", "gone", "lost", "closed"
WRITTEN = ("created", "modified", "closed", "moved")
Event = tuple[str, str]
Queue = queue.SimpleQueue[Event]

# what it warns of (a full queue, say) is handled here, and said in our words
logging.getLogger("watchdog").setLevel(logging.CRITICAL)


class Exhausted(Exception):
    """The kernel gives no more watches; `settings` are the names of what limits them."""

    def __init__(self, *settings: str) -> None:
        super().__init__(*settings)
        self.settings = settings


def batch(events: Queue) -> list[Event]:
    """Wait for an event, and take all that come until it is quiet."""
    found = [events.get()]
    end = time.monotonic() + WATCH_BATCH_SECONDS
    while (left := end - time.monotonic()) > 0 and found[-1][0] != CLOSED:
        try:
            found.append(events.get(timeout=min(left, WATCH_QUIET_SECONDS)))
        except queue.Empty:
            break
    return found


class Inotify:
    """One inotify instance and one thread for all folders.

    watchdog's Observer starts a thread for each folder that is not watched with all below it (1,000: 0.2 s
    and 22 MB, 3,000: 1.9 s), and with all below it, it watches ignored folders too and swallows ENOSPC.
    """

    how = ""

    def __init__(self, events: Queue) -> None:
        from watchdog.observers.inotify_c import InotifyConstants as In
        from watchdog.observers.inotify_c import InotifyFD, Mask

        self.folders: dict[str, tuple[Any, _Folder]] = {}
        self._events = events
        wanted = In.IN_CLOSE_WRITE | In.IN_MOVED_TO | In.IN_MOVED_FROM | In.IN_CREATE | In.IN_DELETE_SELF
        self._mask = Mask(wanted | In.IN_ONLYDIR | In.IN_DONT_FOLLOW)
        try:
            self._inotify = InotifyFD()
        except OSError as error:
            raise _exhausted(error) from error
        self._inotify.start()

    def add(self, folders: Iterable[str]) -> list[str]:
        """Watch these too; those that are new."""
        return [folder for folder in folders if folder not in self.folders and self._added(folder)]

    def _added(self, path: str) -> bool:
        folder = _Folder(path, self._events)
        try:
            watch = self._inotify.add_callback(os.fsencode(path), self._mask, folder, _id(folder))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
                return False  # gone since, or not ours to read
            raise _exhausted(error) from error
        self.folders[path] = watch, folder
        return True

    def drop(self, folder: str) -> None:
        """Let go of a folder and all below it."""
        for path in [p for p in self.folders if p == folder or p.startswith(folder + "/")]:
            watch, callback = self.folders.pop(path)
            self._inotify.remove_callbacks([(watch, _id(callback))])

    def close(self) -> None:
        self._inotify.stop()


class _Folder:
    """What inotify tells about one folder. A path of its own, so that an event never waits for a table."""

    __slots__ = ("_events", "_path")

    def __init__(self, path: str, events: Queue) -> None:
        self._path = path
        self._events = events

    def on_event(self, event: Any) -> None:
        path = os.path.join(self._path, os.fsdecode(event.name)) if event.name else self._path
        if event.is_directory or event.is_delete_self:
            self._events.put((GONE if event.is_moved_from or event.is_delete_self else FOLDER, path))
        elif event.is_close_write or event.is_moved_to:
            self._events.put((FILE, path))

    def on_watch_deleted(self, wd: object) -> None:
        self._events.put((GONE, self._path))

    def on_queue_overflow(self) -> None:
        self._events.put((LOST, self._path))


def _id(folder: _Folder) -> Any:
    return id(folder)


def _exhausted(error: OSError) -> Exception:
    if error.errno == errno.ENOSPC:
        return Exhausted("fs.inotify.max_user_watches", "user.max_inotify_watches")
    if error.errno == errno.EMFILE:
        return Exhausted("fs.inotify.max_user_instances", "user.max_inotify_instances")
    return error


class Tree(FileSystemEventHandler):
    """Whole trees by a watchdog observer: polling, or the system's own where there is no inotify."""

    def __init__(self, tops: Sequence[str], events: Queue, *, poll: bool) -> None:
        self.folders: set[str] = set()
        self.how = ""
        self._tops = tops
        self._events = events
        self._offered: set[str] = set()
        self._poll = poll
        self._observer: BaseObserver | None = None

    def add(self, folders: Iterable[str]) -> list[str]:
        new = [folder for folder in folders if folder not in self.folders]
        self.folders.update(new)
        if self._observer is None:
            try:
                self._observer = self._polling() if self._poll else Observer()
                for top in self._tops:
                    self._observer.schedule(self, top, recursive=True)
                self._observer.start()
            except OSError as error:
                raise _exhausted(error) from error
        return new

    def drop(self, folder: str) -> None:
        for known in (self.folders, self._offered):
            known -= {path for path in set(known) if path == folder or path.startswith(folder + "/")}

    def close(self) -> None:
        if self._observer is not None:
            self._observer.stop()

    def on_any_event(self, event: FileSystemEvent) -> None:
        came, went = os.fsdecode(event.dest_path or event.src_path), os.fsdecode(event.src_path)
        if event.is_directory:
            if event.event_type in ("moved", "deleted"):
                self._events.put((GONE, went))
            if event.event_type in ("moved", "created") and os.path.dirname(came) in self.folders:
                self._events.put((FOLDER, came))
        elif event.event_type in WRITTEN and os.path.dirname(came) in self.folders:
            self._events.put((FILE, came))

    def _polling(self) -> BaseObserver:
        began = time.monotonic()
        for top in self._tops:
            DirectorySnapshot(top, stat=os.lstat, listdir=self._listed)  # type: ignore[arg-type]
        seconds = max(WATCH_POLL_SECONDS, WATCH_POLL_SHARE * (time.monotonic() - began))
        self.how = f", looking every {seconds:.0f} s"
        return PollingObserverVFS(os.lstat, self._listed, polling_interval=seconds)  # type: ignore[arg-type]

    def _listed(self, folder: str | None) -> list[os.DirEntry[str]]:
        """What is in a folder, without the folders in it that are not watched."""
        kept = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False) or entry.path in self.folders:
                    kept.append(entry)
                elif entry.path not in self._offered:  # git is asked about it once
                    self._offered.add(entry.path)
                    self._events.put((FOLDER, entry.path))
        return kept


Source = Inotify | Tree


def native(tops: Sequence[str], events: Queue) -> Source:
    """inotify where there is one, as watchdog 7 knows it; elsewhere what watchdog has for the system."""
    try:
        return Inotify(events)
    except (ImportError, AttributeError, TypeError):
        return Tree(tops, events, poll=False)
