"""Putting chalkgit where it is met: git, editors and agents are told how to run it."""
