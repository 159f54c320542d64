"""Floor 2: the truth, which is files in git."""
