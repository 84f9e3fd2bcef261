"""Decides how points are looked for by place: the one door to the search tree, with its types. It must not know what points are.

scipy is imported with the first tree: a small change of a part needs none, and the import takes longer than such a change.
"""

from collections.abc import Sequence
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.mesh import Floats


class SearchTree(Protocol):
    """What is used of scipy's tree."""

    def query(
        self, x: Floats, k: int = 1, *, distance_upper_bound: float = np.inf
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and places of the nearest points, infinite and the number of points where there is none."""
        ...

    def query_ball_point(self, x: Floats, r: Floats, *, return_sorted: bool) -> Sequence[Sequence[int]]:
        """Return for each of *x* the places of the points within its own distance *r*."""
        ...

    def count_neighbors(self, other: "SearchTree", r: float) -> int:
        """Return how many pairs of a point here and one in *other* are within *r*, without making them."""
        ...

    def query_pairs(self, r: float, *, output_type: Literal["ndarray"]) -> NDArray[np.int64]:
        """Return (n, 2) the pairs within *r*."""
        ...


def tree_of(points: Floats) -> SearchTree:
    """Return a search tree; splitting a box in its middle is quicker than at the median, and points of a mesh lie evenly enough."""
    from scipy.spatial import KDTree  # noqa: PLC0415  # see the module's docstring

    return cast("SearchTree", KDTree(points, balanced_tree=False))
