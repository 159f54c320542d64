"""Floor 1: values, no I/O."""
