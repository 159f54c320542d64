"""Floor 6: where chalkgit is met unasked: git hooks, editors and coding agents."""
