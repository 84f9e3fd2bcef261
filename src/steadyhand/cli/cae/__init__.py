"""Engineering parts at the command line."""
