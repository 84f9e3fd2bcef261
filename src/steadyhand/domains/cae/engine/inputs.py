"""Decides what counts as coordinates, a vector, labels, a tolerance or a count; it must not know a part."""

import math
import operator
from collections.abc import Iterable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import all_fitted, fitted
from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.properties import Vector

TOLERANCE = 1e-6
"""How far apart, in mm, two places may lie and still be one, where nothing else is said."""
LARGEST = 1e12
"""No coordinate, vector or tolerance in mm is larger; what is, is a slip, and squares of much larger ones are beyond all numbers."""
LIMIT = 8_000_000
"""How many elements a part may grow to; more is a slip of the keyboard, and would be refused by the machine later and worse."""


def as_points(value: ArrayLike) -> Floats:
    """Return *value* as (n, 3) coordinates within `LARGEST` that a deck can tell, −0 made 0. Raises `EngineRefusal` ``bad_coordinates``."""
    given = _as_array(value, "iuf", "bad_coordinates")
    points = np.asarray(given, np.float64) + 0.0
    if points.size == 0:
        return np.zeros((0, 3))
    if points.ndim != 2 or points.shape[1] != 3 or not (np.abs(points) <= LARGEST).all():
        raise EngineRefusal("bad_coordinates")
    return all_fitted(points)


def as_number(value: float) -> float:
    """Return *value* as a number that a deck can tell; whether it is finite is asked by those who know what it is for."""
    return fitted(float(value))


def as_vector(value: ArrayLike) -> Vector:
    """Return *value* as three numbers within `LARGEST`. Raises `EngineRefusal` ``bad_coordinates``."""
    given = _as_array(value, "iuf", "bad_coordinates")
    if given.shape != (3,):
        raise EngineRefusal("bad_coordinates")
    x, y, z = (float(number) for number in as_points(given[None, :])[0])
    return x, y, z


def as_direction(value: ArrayLike) -> Vector:
    """Return the unit vector along *value*. Raises `EngineRefusal` ``zero_vector`` for one that points nowhere."""
    vector = as_vector(value)
    largest = max(abs(part) for part in vector)
    if largest == 0.0:
        raise EngineRefusal("zero_vector")
    x, y, z = (part / largest for part in vector)  # first, so that no square vanishes
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def as_labels(value: ArrayLike) -> Labels:
    """Return *value* as labels in their order, doubles and all. Raises `EngineRefusal` ``bad_labels`` for what is no row of whole numbers."""
    labels = as_label_rows(value)
    if labels.ndim != 1:
        raise EngineRefusal("bad_labels")
    return labels


def as_label_rows(value: ArrayLike) -> Labels:
    """As `as_labels`, for an array of any shape; nothing is one without rows."""
    given = _as_array(value, "iu", "bad_labels")
    if given.size == 0:
        return np.zeros(0, np.int64)
    if int(given.max()) > np.iinfo(np.int64).max:
        raise EngineRefusal("bad_labels")
    return given.astype(np.int64)


def as_tolerance(value: float) -> float:
    """Return *value* when it is a distance of at most `LARGEST`. Raises `EngineRefusal` ``bad_tolerance``."""
    if not 0.0 <= value <= LARGEST:
        raise EngineRefusal("bad_tolerance")
    return float(value)


def as_counts(values: Iterable[object]) -> tuple[int, ...]:
    """Return *values* when each is a whole number of at least 1. Raises `EngineRefusal` ``bad_count``."""
    counts: list[int] = []
    for value in values:
        count = operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else 0
        if count < 1:
            raise EngineRefusal("bad_count")
        counts.append(count)
    return tuple(counts)


def within_limit(count: int, limit: int) -> None:
    """Raise `EngineRefusal` ``too_many_elements`` when a part would come to hold *count*, before anything is allocated."""
    if count > limit:
        raise EngineRefusal("too_many_elements", count=count, limit=limit)


def _as_array(value: ArrayLike, kinds: str, code: str) -> NDArray[np.generic]:
    try:
        given: NDArray[np.generic] = np.asarray(value)
    except (ValueError, OverflowError):  # rows of unequal length, whole numbers without end
        raise EngineRefusal(code) from None
    if given.size and given.dtype.kind not in kinds:
        raise EngineRefusal(code)
    return given
