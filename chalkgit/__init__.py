"""chalkgit: dead ends, lessons and procedures kept in git, brought back at the moment they help."""

from time import monotonic as _monotonic

__version__ = "0.1.0"
BEGAN = _monotonic()  # as near to the process's start as Python tells: what people wait for counts from here
