"""Floor 3: what a failed run says."""
