"""Decides how rows of numbers are read, whole blocks at once where all rows look alike; it must not take what is no number without its line."""

import io
import re
import warnings

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.lines import NEWLINE, Lines
from steadyhand.domains.cae.engine.deck.report import MOST_LABEL
from steadyhand.domains.cae.engine.fitting import fitted
from steadyhand.domains.cae.engine.mesh import Floats, Labels

COMMA = 44
CHUNK = 1 << 23
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
LONGEST_SHOWN = 100


def alike(text: bytes, width: int) -> Floats | None:
    """Return rows of *width* numbers as (n, width); None where a row looks otherwise and has to be read item by item."""
    found = _alike(text, width)
    return _alike(text.replace(b",\n", b"\n"), width) if found is None and b",\n" in text else found


def _alike(text: bytes, width: int) -> Floats | None:
    if not text:
        return np.zeros((0, width))
    try:
        found = np.loadtxt(io.BytesIO(text), delimiter=",", comments=None, ndmin=2)
    except ValueError:
        return None
    return found if found.shape == (text.count(b"\n"), width) and bool(np.isfinite(found).all()) else None


def alike_labels(text: bytes, width: int) -> Labels | None:
    """As `alike`, for labels."""
    found = _alike_labels(text, width)
    return _alike_labels(text.replace(b",\n", b"\n"), width) if found is None and b",\n" in text else found


def _alike_labels(text: bytes, width: int) -> Labels | None:
    found: list[Labels] = []
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", min(begin + CHUNK, len(text) - 1)) + 1
        part = text[begin:end]
        letters = np.frombuffer(part, np.uint8)
        between = letters[(letters == COMMA) | (letters == NEWLINE)]
        if len(between) % width or not bool((between.reshape(-1, width) == [COMMA] * (width - 1) + [NEWLINE]).all()):
            return None
        rows = _parsed(part.replace(b"\n", b","))
        if rows is None or len(rows) != len(between) or not _are_labels(rows):
            return None
        found.append(rows.reshape(-1, width))
        begin = end
    return np.concatenate((np.zeros((0, width), np.int64), *found)) if len(found) != 1 else found[0]


def labels_only(text: bytes) -> Labels | None:
    """Return all labels of rows of any length, None where something else stands among them."""
    flat = text.replace(b",\n", b"\n").rstrip(b"\n").replace(b"\n", b",")
    if not flat:
        return np.zeros(0, np.int64)
    found = _parsed(flat)
    if found is None or len(found) != flat.count(b",") + 1:
        return None
    return found if _are_labels(found) else None


def _are_labels(found: Labels) -> bool:
    return bool(((found > 0) & (found <= MOST_LABEL)).all())


def _parsed(text: bytes) -> Labels | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # text that is no number ends the parsing with a warning alone
        try:
            return np.fromstring(text, dtype=np.int64, sep=",")
        except (ValueError, DeprecationWarning):
            return None


def number(lines: Lines, line: int, item: str) -> float:
    """Return an item as a finite number that a part can hold; nothing is 0. Fortran's exponents are read too."""
    if not item:
        return 0.0
    if not is_number(item):
        lines.refuse(line, "deck_bad_number", item=shown(item))
    found = float(item.replace("d", "e").replace("D", "e"))
    if found in {float("inf"), float("-inf")}:
        lines.refuse(line, "deck_bad_number", item=shown(item))
    return fitted(found)


def label(lines: Lines, line: int, item: str) -> int:
    """Return an item as a label: a whole number from 1 to 2³¹ − 1."""
    found = number(lines, line, item)
    if not found.is_integer():
        lines.refuse(line, "deck_bad_number", item=shown(item))
    if not 0 < found <= MOST_LABEL:
        lines.refuse(line, "deck_bad_label", label=shown(item), limit=MOST_LABEL)
    return int(found)


def label_or_none(lines: Lines, line: int, item: str) -> int:
    """As `label`; 0 for what says that there is none: nothing, or a 0, as the ends of a network have."""
    return label(lines, line, item) if number(lines, line, item) else 0


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
