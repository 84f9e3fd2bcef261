"""Decides which rows of columns of whole numbers are equal; it must not know what the numbers stand for."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.mesh import Flags

Columns: TypeAlias = Sequence[NDArray[np.int64]]
Places: TypeAlias = NDArray[np.int64]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)
MOST_BITS = 23
"""Hashes are counted in at most two to the power of this many drawers, 64 MiB."""


def first_equal(columns: Columns) -> Places:
    """Return for each row the place of the first row that equals it, its own where none before it does."""
    hashed = _hashed(columns)
    first = np.arange(len(hashed))
    some = _not_alone(hashed)
    first[some] = some[_first_among([column[some] for column in columns], hashed[some])]
    return first


def _not_alone(hashed: NDArray[np.uint64]) -> Places:
    """Return which hashes share a drawer with another: most rows have no equal, and counting is quicker than sorting."""
    bits = min(len(hashed).bit_length() + 2, MOST_BITS)
    drawers = (hashed >> np.uint64(64 - bits)).astype(np.intp)
    return np.flatnonzero(np.bincount(drawers, minlength=1 << bits)[drawers] > 1)


def _first_among(columns: Columns, hashed: NDArray[np.uint64]) -> Places:
    order = np.argsort(hashed, kind="stable")
    same = hashed[order[1:]] == hashed[order[:-1]]
    equal = same & _equal(columns, order)
    if not np.array_equal(same, equal):
        # Different rows share a hash, so equal ones may lie apart: sort by the columns themselves.
        order = np.lexsort(tuple(columns))
        equal = _equal(columns, order)
    begins = np.flatnonzero(np.concatenate(([True], ~equal))) if len(order) else np.zeros(0, np.int64)
    first = np.empty(len(order), np.int64)
    first[order] = np.repeat(order[begins], np.diff(np.append(begins, len(order))))
    return first


def _equal(columns: Columns, order: Places) -> Flags:
    """Return which rows, taken in *order*, equal the one before them."""
    equal = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        taken = column[order]
        equal &= taken[1:] == taken[:-1]
    return equal


def _hashed(columns: Columns) -> NDArray[np.uint64]:
    total = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        total ^= column.view(np.uint64)
        total *= _MIX
        total ^= total >> _FOLD
    return total
