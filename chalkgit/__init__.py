"""chalkgit: dead ends, lessons and procedures kept in git, brought back at the moment they help."""

__version__ = "0.1.0"
