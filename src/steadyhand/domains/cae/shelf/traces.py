"""Decides what is told of an error in a generated script: which of its lines, and what was said; it must not tell places of the machine."""

import re
import traceback
from typing import Final

FILE: Final = "generated_script.py"
MOST_LINES: Final = 8
MOST_CHARS: Final = 300
_LOOK = re.compile(r"\w+ = preflight\.(?P<kind>nodes|elements)\(part, (?P<where>.*)\)$")
_PICK = re.compile(r"(?P<var>\w+) = part\.pick(?P<kind>Nodes|Elements)\((?P<where>.*)\)$")
_PLACE = re.compile(r"(?<![\w.])/(?:[^\s/'\",:;)\]]+/)*([^\s/'\",:;)\]]+)")


def trace_of(error: BaseException, text: str) -> list[str]:
    """Return the last lines of a traceback: the script's own lines with their numbers, then the error."""
    lines = text.splitlines()
    numbers = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    own = [f"{FILE}:{number}: {lines[number - 1].strip()}" for number in numbers if number and number <= len(lines)]
    said = f"{type(error).__name__}: {error}"
    return [_short(line) for line in [*own, said][-MOST_LINES:]]


def entry_of(error: BaseException, text: str) -> str:
    """Return the name of the support, load or section whose region the failing line of the script picks; empty where it is for none.

    The line may be the pick, or the look at the same region before any mutation; the entry stands in the line that takes what was picked.
    """
    lines = text.splitlines()
    numbers = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    failing = lines[numbers[-1] - 1] if numbers and numbers[-1] else ""
    look = _LOOK.match(failing)
    picks = [found for line in lines if (found := _PICK.match(line))]
    picked = [one for one in picks if look and one["kind"].lower() == look["kind"] and one["where"] == look["where"]]
    picked += [one for one in picks if one.string == failing]
    taken = (
        re.search(r"(?:name|sectionName)='([^']*)'", line)
        for one in picked
        for line in lines
        if re.search(rf"={one['var']}\b", line)
    )
    return next((found[1] for found in taken if found), "")


def _short(line: str) -> str:
    plain = _PLACE.sub(r"\1", line)
    return plain if len(plain) <= MOST_CHARS else f"{plain[:MOST_CHARS]}…"
