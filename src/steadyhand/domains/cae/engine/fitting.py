"""Decides which numbers a part can hold: those that a deck's reader of 20 signs reads whole. It must not know what a number is for.

CalculiX takes the first 20 signs of a number and drops the rest, its exponent first of all: 7.105427357601002e-15 is read as 0.71. So a
number is held with the most digits whose shortest form takes at most 20 signs, a minus among them whether it has one or not: what is
mirrored stays as exact as it was. That is 13 digits at least, and every digit from 0.1 up to 1e16.
"""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats

SIGNS = 20
_DIGITS = range(16, 12, -1)
_WHOLE_FROM, _WHOLE_BELOW = 0.1, 1e16
"""Between these the shortest form of any number is short enough."""
_EXACT = (1e14, 1e17)
"""What a number below `_WHOLE_FROM` is a whole multiple of, when divided by one of these, has at most 17 decimals: it fits."""
_DUST, _GRID = 1e-14, 10


def fitted(value: float) -> float:
    """Return *value* with the most digits that fit; itself where all of them do."""
    if _fits(value):
        return value
    return next(found for digits in _DIGITS if _fits(found := float(f"{value:.{digits}g}")) and math.isfinite(found))


def all_fitted(values: Floats) -> Floats:
    """As `fitted`, for an array, which is returned itself where all its numbers fit."""
    size = np.abs(values)
    odd = size < _WHOLE_FROM
    odd &= values != 0.0
    odd |= size >= _WHOLE_BELOW
    if not odd.any():
        return values
    left = values[odd]
    doubtful = np.ones(len(left), np.bool_)
    with np.errstate(over="ignore"):
        for unit in _EXACT:
            doubtful &= ~((np.abs(left) < _WHOLE_FROM) & (np.rint(left * unit) / unit == left))
    if not doubtful.any():
        return values
    told = left[doubtful].tolist()
    held = [fitted(value) for value in told]
    if held == told:
        return values
    left[doubtful] = held
    found = values.copy()
    found[odd] = left
    return found


def without_dust(values: Floats, extent: float) -> Floats:
    """Return *values*, computed from numbers of up to *extent*, without what rounding left on them.

    One that lies within 1e-14 of the extent from a number with ten digits or fewer after the extent's first is that number: 7e-15 on a
    part of 100 mm becomes 0, and 30.000000000000004 becomes 30.
    """
    if not 0.0 < extent < math.inf:
        return values
    decimals = _GRID - math.ceil(math.log10(extent))
    if abs(decimals) > 2 * _GRID:
        return values  # no power of ten beyond is a whole number exactly
    power = 10.0 ** abs(decimals)
    near = np.rint(values * power) / power if decimals > 0 else np.rint(values / power) * power
    away = values - near
    np.abs(away, out=away)
    np.copyto(near, values, where=away > _DUST * extent)
    return near


def _fits(value: float) -> bool:
    return len(repr(abs(value))) < SIGNS
