"""Decides which points stand in one place within a tolerance; it must not decide what becomes of them.

Points are joined in chains: where A is near B and B near C, all three are one group, also when A is not near C.
scipy is imported where there are many points or links: for few of them the import takes longer than the work.
"""

from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.equal_rows import Places, first_equal
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.search_tree import tree_of

MOST_PAIRS_EACH = 64
"""A heap in which points have more neighbours than this on average is refused: its pairs grow with the square of it."""
FREE_PAIRS = 1_000_000
"""As many pairs are always looked at."""
FEW_POINTS: Final = 256
"""Of up to so many points every pair is looked at, without a tree."""
FEW_LINKS: Final = 20_000
"""Up to so many links are followed here, without scipy."""


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
    return _near_of_few(points, tolerance) if len(points) <= FEW_POINTS else _near_of_many(points, tolerance)


def _near_of_few(points: Floats, tolerance: float) -> Places:
    one, other = np.triu_indices(len(points), 1)
    near = ((points[one] - points[other]) ** 2).sum(axis=1) <= tolerance * tolerance
    _refuse_a_heap(2 * int(near.sum()), len(points), tolerance)
    return joined(len(points), one[near], other[near])


def _near_of_many(points: Floats, tolerance: float) -> Places:
    root = np.arange(len(points))
    a_little_more = tolerance * (1 + 1e-9)  # who is near enough is decided once, by the pairs
    distances = tree_of(points).query(points, k=2, distance_upper_bound=a_little_more)[0]
    close = np.flatnonzero(np.isfinite(distances[:, 1]))
    if len(close) == 0:
        return root
    tree = tree_of(points[close])
    _refuse_a_heap(tree.count_neighbors(tree, tolerance), len(close), tolerance)
    pairs = tree.query_pairs(tolerance, output_type="ndarray")
    root[close] = close[joined(len(close), pairs[:, 0], pairs[:, 1])]
    return root


def _refuse_a_heap(pairs: int, nodes: int, tolerance: float) -> None:
    if pairs > FREE_PAIRS + MOST_PAIRS_EACH * nodes:
        raise EngineRefusal("tolerance_too_crowded", tolerance=tolerance, nodes=nodes)


def joined(count: int, one: "NDArray[np.integer]", other: "NDArray[np.integer]") -> Places:
    """Return for each of *count* places the first place that it hangs together with, over links from *one* to *other*."""
    return _joined_by_few(count, one, other) if len(one) <= FEW_LINKS else _joined_by_many(count, one, other)


def _joined_by_few(count: int, one: "NDArray[np.integer]", other: "NDArray[np.integer]") -> Places:
    """Hang the root of each link's later end on that of its earlier one, until all links have one root at both ends."""
    root = np.arange(count)
    while True:
        ends = root[one], root[other]
        low, high = np.minimum(*ends), np.maximum(*ends)
        if (low == high).all():
            return root
        np.minimum.at(root, high, low)
        while (root[root] != root).any():
            root = root[root]


def _joined_by_many(count: int, one: "NDArray[np.integer]", other: "NDArray[np.integer]") -> Places:
    from scipy.sparse import coo_matrix, csgraph  # noqa: PLC0415  # see the module's docstring

    connected = cast("_Connected", csgraph.connected_components)  # pyright: ignore[reportUnknownMemberType]  scipy ships no types for it
    links = coo_matrix((np.ones(len(one), np.bool_), (one, other)), shape=(count, count))
    group = connected(links, directed=False)[1]
    first = np.empty(count, np.int64)
    first[group[::-1]] = np.arange(count - 1, -1, -1)
    return first[group]


class _Connected(Protocol):
    def __call__(self, csgraph: object, *, directed: bool) -> tuple[int, NDArray[np.int32]]: ...
