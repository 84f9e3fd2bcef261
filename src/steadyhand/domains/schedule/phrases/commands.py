"""Decides which command a person types for what no tool of a turn does; it must not run it."""

import shlex


def command(*words: str) -> str:
    """Return a command of the timetable as it can be typed at a shell."""
    return shlex.join(["steady", "schedule", *words])
