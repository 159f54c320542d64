"""What is said to whoever still has Chalk's settings: they are ignored, and what it left on this machine."""

from __future__ import annotations

from chalkgit import config, settings

# of what it was, and what does the same here
REPLACED = {
    "CHALK_MEMORY": "CHALKGIT_BYPASS_CHECK, CHALKGIT_BYPASS_RULINGS and CHALKGIT_BYPASS_RECALL switch it off",
}
CONTAINER, VOLUME = "chalk-memory", "chalk-memory-data"


def warning() -> str | None:
    """One line, or None where none of its variables is set."""
    names = config.of_chalk()
    if not names:
        return None
    instead = [REPLACED[name] for name in names if name in REPLACED]
    if len(names) > len(instead):
        instead.append(f"settings are in {settings.path()}")
    some = f"{names[0]} is" if len(names) == 1 else f"{', '.join(names)} are"
    return (
        f"{some} ignored: {'; '.join(instead)}. No server runs any more: docker rm -f {CONTAINER}, then "
        f"docker volume rm {VOLUME}, remove its container and its data"
    )
