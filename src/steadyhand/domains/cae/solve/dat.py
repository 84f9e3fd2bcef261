"""Decides how the solver's printed tables (``.dat``) are read; it must not interpret them."""

import re
from pathlib import Path

import numpy as np

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.solve.frd import Block

_TITLE = re.compile(r"^\s(displacements|total force|forces|stresses)\b.* for set (\S+) and time")
_LOST_E = re.compile(r"(\d)([-+]\d{3})(?=\s|$)")
"""Fortran drops the E of an exponent with three digits."""


def read_dat(path: Path) -> dict[str, Block]:
    """Return the tables of *path* by name: ``displacements``, ``forces``, ``total force`` (node 0),
    and ``stresses`` (an element's number for each of its points, in their order; xx yy zz xy yz zx). Raises ``solve_unreadable``.
    """
    tables: dict[str, Block] = {}
    try:
        name, rows = "", list[str]()
        for line in [*path.read_text("ascii", "replace").splitlines(), " forces for set END and time"]:
            title = _TITLE.match(line)
            if title is None:
                rows += [line] if line.strip() else []
                continue
            if name:
                tables[name] = _points(rows) if name == "stresses" else _table(rows, name)
            name, rows = title.group(1), []
    except (OSError, ValueError) as error:
        raise EngineRefusal("solve_unreadable", file=path.name) from error
    return tables


def _table(rows: list[str], name: str) -> Block:
    first = 0 if name == "total force" else 1
    values = np.array([[float(text) for text in _LOST_E.sub(r"\1E\2", row).split()] for row in rows], np.float64)
    values = values.reshape(len(rows), first + 3)
    nodes = values[:, 0].astype(np.int64) if first else np.zeros(len(rows), np.int64)
    return Block(nodes, values[:, first:])


def _points(rows: list[str]) -> Block:
    """Read rows of element, point, xx yy zz xy zx yz and perhaps the name of an orientation."""
    values = np.array([[float(text) for text in _LOST_E.sub(r"\1E\2", row).split()[:8]] for row in rows], np.float64)
    values = values.reshape(len(rows), 8)
    return Block(values[:, 0].astype(np.int64), values[:, [2, 3, 4, 5, 7, 6]])
