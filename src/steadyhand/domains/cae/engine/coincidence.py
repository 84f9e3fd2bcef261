"""Decides which points stand in one place within a tolerance; it must not decide what becomes of them.

Points are joined in chains: where A is near B and B near C, all three are one group, also when A is not near C.
"""

from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csgraph

from steadyhand.domains.cae.engine.equal_rows import Places, first_equal
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.search_tree import tree_of

MOST_PAIRS_EACH = 64
"""A heap in which points have more neighbours than this on average is refused: its pairs grow with the square of it."""
FREE_PAIRS = 1_000_000
"""As many pairs are always looked at."""


def groups(points: Floats, tolerance: float) -> Places:
    """Return for each point the place of the first point of its group.

    Raises `EngineRefusal` ``tolerance_too_crowded`` where so many points are that near to each other that looking at their pairs
    would take too long.
    """
    exact = _exact(points)
    singles = np.flatnonzero(exact == np.arange(len(points)))
    if tolerance == 0 or len(singles) < 2:
        return exact
    root = np.arange(len(points))
    root[singles] = singles[_near(points[singles], tolerance)]
    # The first of exactly coincident points stands for them, so its group's first is theirs as well.
    return root[exact]


def _exact(points: Floats) -> Places:
    bits = np.ascontiguousarray((points + 0.0).T).view(np.int64)  # −0 and 0 are one place
    return first_equal([bits[axis] for axis in range(3)])


def _near(points: Floats, tolerance: float) -> Places:
    """Return as `groups`, for points of which no two are equal."""
    root = np.arange(len(points))
    a_little_more = tolerance * (1 + 1e-9)  # who is near enough is decided once, by the pairs
    distances = tree_of(points).query(points, k=2, distance_upper_bound=a_little_more)[0]
    close = np.flatnonzero(np.isfinite(distances[:, 1]))
    if len(close) == 0:
        return root
    tree = tree_of(points[close])
    most = FREE_PAIRS + MOST_PAIRS_EACH * len(close)
    if tree.count_neighbors(tree, tolerance) > most:
        raise EngineRefusal("tolerance_too_crowded", tolerance=tolerance, nodes=len(close))
    pairs = tree.query_pairs(tolerance, output_type="ndarray")
    root[close] = close[joined(len(close), pairs[:, 0], pairs[:, 1])]
    return root


def joined(count: int, one: "NDArray[np.integer]", other: "NDArray[np.integer]") -> Places:
    """Return for each of *count* places the first place that it hangs together with, over links from *one* to *other*."""
    links = coo_matrix((np.ones(len(one), np.bool_), (one, other)), shape=(count, count))
    group = _connected(links, directed=False)[1]
    first = np.empty(count, np.int64)
    first[group[::-1]] = np.arange(count - 1, -1, -1)
    return first[group]


class _Connected(Protocol):
    def __call__(self, csgraph: object, *, directed: bool) -> tuple[int, NDArray[np.int32]]: ...


_connected = cast("_Connected", csgraph.connected_components)  # pyright: ignore[reportUnknownMemberType]  scipy ships no types for it
