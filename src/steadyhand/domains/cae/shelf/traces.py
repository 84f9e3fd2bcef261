"""Decides what is told of an error in a generated script: which of its lines, and what was said; it must not tell places of the machine."""

import re
import traceback
from typing import Final

FILE: Final = "generated_script.py"
MOST_LINES: Final = 8
MOST_CHARS: Final = 300
_PLACE = re.compile(r"(?<![\w.])/(?:[^\s/'\",:;)\]]+/)*([^\s/'\",:;)\]]+)")


def trace_of(error: BaseException, text: str) -> list[str]:
    """Return the last lines of a traceback: the script's own lines with their numbers, then the error."""
    lines = text.splitlines()
    numbers = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    own = [f"{FILE}:{number}: {lines[number - 1].strip()}" for number in numbers if number and number <= len(lines)]
    said = f"{type(error).__name__}: {error}"
    return [_short(line) for line in [*own, said][-MOST_LINES:]]


def _short(line: str) -> str:
    plain = _PLACE.sub(r"\1", line)
    return plain if len(plain) <= MOST_CHARS else f"{plain[:MOST_CHARS]}…"
