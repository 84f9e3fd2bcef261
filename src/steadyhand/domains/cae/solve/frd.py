"""Decides how the solver's ASCII ``.frd`` is read: expanded elements, stresses, displacements; it must not interpret them.

A record's columns are fixed, but a negative number with a three-digit exponent is one character wider than its column, so a block whose
lines differ in length is read number by number.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats, Labels

_HEAD = 13
_FIELD = 12
_WHOLE = 10
_END = b"9999"
_NUMBER = re.compile(rb"[-+]?(?:\d\.\d+E[-+]\d+|NaN|Inf(?:inity)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """Values at expanded nodes: *nodes* (k,) ascending, *values* (k, components)."""

    nodes: Labels
    values: Floats

    def at(self, nodes: Labels) -> Floats:
        """Return the values at *nodes* (any shape, −1 or unknown: NaN)."""
        place = np.minimum(np.searchsorted(self.nodes, nodes), max(len(self.nodes) - 1, 0))
        found = self.values[place].copy()
        found[self.nodes[place] != nodes] = np.nan
        return found


@dataclass(slots=True)
class Frd:
    """What a file holds: the nodes of each expanded *element* by its number, and the last block of each name."""

    elements: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    blocks: dict[str, Block] = field(default_factory=dict[str, Block])


def read_frd(path: Path) -> Frd:
    """Return what *path* holds. Raises `EngineRefusal` ``solve_unreadable`` for anything that is no such file."""
    found = Frd()
    try:
        lines = path.read_bytes().rstrip().split(b"\n")
        if lines[-1].strip() != _END:
            raise ValueError(_END)  # noqa: TRY301  # cut short: the same answer as for anything else unreadable
        place = 0
        while place < len(lines):
            line = lines[place]
            if line.startswith(b"    3C"):
                place = _elements(lines, place + 1, found.elements)
            elif line.startswith(b" -4"):
                place = _block(lines, place, found.blocks)
            else:
                place += 1
    except (OSError, ValueError, IndexError) as error:
        raise EngineRefusal("solve_unreadable", file=path.name) from error
    return found


def _elements(lines: list[bytes], place: int, elements: dict[int, list[int]]) -> int:
    number = 0
    while not lines[place].startswith(b" -3"):
        line = lines[place]
        if line.startswith(b" -1"):
            number = int(line[3:_HEAD])
            elements[number] = []
        else:
            elements[number] += [int(line[at : at + _WHOLE]) for at in range(3, len(line.rstrip()), _WHOLE)]
        place += 1
    return place + 1


def _block(lines: list[bytes], place: int, blocks: dict[str, Block]) -> int:
    name = lines[place].split()[1].decode("ascii")
    place += 1
    components = 0
    while lines[place].startswith(b" -5"):
        components += b" ALL " not in lines[place]
        place += 1
    start = place
    while lines[place].startswith(b" -1"):
        place += 1
    blocks[name] = _values(lines[start:place], components)
    return place + 1


def _values(lines: list[bytes], components: int) -> Block:
    width = _HEAD + _FIELD * components
    if all(len(line) == width for line in lines):
        table = np.frombuffer(b"".join(lines), dtype=np.uint8).reshape(len(lines), width)
        nodes = table[:, 3:_HEAD].copy().view(f"S{_WHOLE}").reshape(-1).astype(np.int64)
        texts = np.ascontiguousarray(table[:, _HEAD:]).view(f"S{_FIELD}")
        return Block(nodes, texts.astype(np.float64).reshape(len(lines), components))
    nodes = np.array([int(line[3:_HEAD]) for line in lines], np.int64)
    values = [[float(text) for text in _NUMBER.findall(line, _HEAD)] for line in lines]
    return Block(nodes, np.array(values, np.float64).reshape(len(lines), components))
