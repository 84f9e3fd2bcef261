"""Decides what streamed text holds of the terminal, and which keys take it back. It must not write to it."""

import os

from rich.cells import cell_len

from steadyhand.cli.terminal.printing import JOINERS, clean
from steadyhand.core.canonical import Json


def cleaned(value: Json) -> Json:
    """Return data with every text in it as it may reach a terminal, on one line."""
    match value:
        case str():
            return clean(value).replace("\n", " ")
        case dict():
            return {key: cleaned(one) for key, one in value.items()}
        case list():
            return [cleaned(one) for one in value]
        case _:
            return value


class Provisional:
    """The streamed text that stands at the terminal from the beginning of a line on, and counts for nothing yet."""

    def __init__(self) -> None:
        self.text = ""
        self._size: os.terminal_size | None = None

    def taken(self, piece: str) -> str:
        """Add a piece; return what of it is to be printed."""
        piece = piece if self.text else piece.lstrip("\n")
        self.text += piece
        return piece

    def completed_by(self, message: str) -> str | None:
        """Return what is still to be printed where *message* begins with what stands there, which then counts; else None."""
        message = message.lstrip("\n")
        if not self.text.strip():
            return None
        if message.startswith(self.text):
            rest = message[len(self.text) :]
        elif message.rstrip() == self.text.rstrip():
            rest = ""
        else:
            return None
        self.text = ""
        return rest

    def erased_by(self, size: os.terminal_size) -> str | None:
        """Return the keys that take the text off a terminal of *size*; None where it may have left the screen, or is of unknown width."""
        rows = rows_below(self.text, size.columns)
        if rows >= size.lines - 1 or os.environ.get("TERM", "dumb") == "dumb" or any(mark in self.text for mark in JOINERS):
            return None
        return "\r" + (f"\x1b[{rows}A" if rows else "") + "\x1b[J"


def rows_below(text: str, columns: int) -> int:
    """Return how many rows further down the cursor stands after *text*; a row that is full wraps with the next mark only."""
    rows, used = 0, 0
    for mark in text:
        if mark == "\n":
            rows, used = rows + 1, 0
            continue
        width = cell_len(mark)
        if used + width > columns:
            rows, used = rows + 1, 0
        used += width
    return rows
