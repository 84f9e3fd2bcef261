"""The conversation at a terminal, and the sessions that it leaves."""
