"""Floor 5: words, no I/O."""
