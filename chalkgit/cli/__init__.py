"""Floor 6: the command line, a file a command."""
