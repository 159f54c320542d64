"""Floor 3: derived data, rebuilt at will."""
