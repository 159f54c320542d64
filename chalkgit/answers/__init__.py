"""Floor 4: the questions and their answers."""
