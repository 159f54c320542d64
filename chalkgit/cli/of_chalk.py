"""What is said to whoever still has Chalk's settings: they are ignored, and what it left on this machine."""

from __future__ import annotations

from chalkgit import config, settings

CONTAINER, VOLUME = "chalk-memory", "chalk-memory-data"


def warning() -> str | None:
    """One line, or None where none of its variables is set."""
    names = config.of_chalk()
    if not names:
        return None
    some = f"{names[0]} is" if len(names) == 1 else f"{', '.join(names)} are"
    return (
        f"{some} ignored (unset {' '.join(names)}). The CHALKGIT_BYPASS_* switches turn parts off, and "
        f"{settings.path()} holds settings. Its server is not needed: `docker rm -f {CONTAINER}` removes the "
        f"container, and `docker volume rm {VOLUME}` the volume, which deletes what it stored for good"
    )
