"""Decides how rows of numbers are read: whole blocks at once where every row looks alike, item by item where not; a wrong one has a line."""

import re
import warnings
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.lines import NEWLINE, Lines
from steadyhand.domains.cae.engine.deck.report import MOST_LABEL
from steadyhand.domains.cae.engine.mesh import Floats, Labels

T = TypeVar("T", np.float64, np.int64)
COMMA = 44
CHUNK = 1 << 23
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
LONGEST_SHOWN = 100


def alike(text: bytes, width: int) -> Floats | None:
    """Return rows of *width* numbers as (n, width); None where a row looks otherwise and has to be read item by item."""
    found: list[Floats] = []
    for begin, end in _chunks(text):
        rows = _parsed(_flat(text[begin:end], width), np.float64)
        if rows is None or len(rows) != width * text.count(b"\n", begin, end) or not bool(np.isfinite(rows).all()):
            return None
        found.append(rows.reshape(-1, width))
    return np.concatenate((np.zeros((0, width)), *found)) if len(found) != 1 else found[0]


def alike_labels(text: bytes, width: int) -> Labels | None:
    """As `alike`, for labels."""
    found: list[Labels] = []
    for begin, end in _chunks(text):
        rows = _parsed(_flat(text[begin:end], width), np.int64)
        if rows is None or len(rows) != width * text.count(b"\n", begin, end) or not _are_labels(rows):
            return None
        found.append(rows.reshape(-1, width))
    return np.concatenate((np.zeros((0, width), np.int64), *found)) if len(found) != 1 else found[0]


def labels_only(text: bytes) -> Labels | None:
    """Return all labels of rows of any length, None where something else stands among them."""
    flat = text.replace(b" ", b"").replace(b",\n", b"\n").rstrip(b"\n").replace(b"\n", b",")
    if not flat:
        return np.zeros(0, np.int64)
    found = _parsed(flat, np.int64)
    if found is None or len(found) != flat.count(b",") + 1:
        return None
    return found if _are_labels(found) else None


def _chunks(text: bytes) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", min(begin + CHUNK, len(text) - 1)) + 1
        yield begin, end
        begin = end


def _flat(text: bytes, width: int) -> bytes | None:
    """Return rows as one, where each has *width* items; None where one has more or fewer."""
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters == NEWLINE)
    commas = np.flatnonzero(letters == COMMA)
    if len(commas) != len(ends) * (width - 1):
        return None
    if width > 1:
        places = commas.reshape(-1, width - 1)
        if not ((places[:, -1] < ends).all() and (places[1:, 0] > ends[:-1]).all()):
            return None
    return text.replace(b"\n", b",")


def _are_labels(found: "Floats | Labels") -> bool:
    return bool(((found > 0) & (found <= MOST_LABEL)).all())


def _parsed(text: bytes | None, kind: type[T]) -> NDArray[T] | None:
    if text is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # text that is no number ends the parsing with a warning alone
        try:
            return np.fromstring(text, dtype=kind, sep=",")
        except (ValueError, DeprecationWarning):
            return None


def number(lines: Lines, line: int, item: str) -> float:
    """Return an item as a finite number; nothing is 0. Fortran's exponents are read too."""
    if not item:
        return 0.0
    if not is_number(item):
        lines.refuse(line, "deck_bad_number", item=shown(item))
    found = float(item.replace("d", "e").replace("D", "e"))
    if found in {float("inf"), float("-inf")}:
        lines.refuse(line, "deck_bad_number", item=shown(item))
    return found


def label(lines: Lines, line: int, item: str) -> int:
    """Return an item as a label: a whole number from 1 to 2³¹ − 1."""
    found = number(lines, line, item)
    if not found.is_integer():
        lines.refuse(line, "deck_bad_number", item=shown(item))
    if not 0 < found <= MOST_LABEL:
        lines.refuse(line, "deck_bad_label", label=shown(item), limit=MOST_LABEL)
    return int(found)


def is_number(item: str) -> bool:
    """Whether an item is a number and no name."""
    return NUMBER.fullmatch(item) is not None


def numbers(block: Block) -> list[tuple[int, list[float]]] | None:
    """Return the rows of a short block with their lines; None where an item is no number."""
    rows: list[tuple[int, list[float]]] = []
    for line, text in block.rows():
        split = [item.strip() for item in text.rstrip(",").split(",")]
        if not all(not item or is_number(item) for item in split):
            return None
        rows.append((line, [number(block.lines, line, item) for item in split]))
    return rows


def shown(item: str) -> str:
    """Return an item as a refusal may repeat it."""
    return item[:LONGEST_SHOWN].encode("ascii", "backslashreplace").decode()
