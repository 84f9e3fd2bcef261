"""Decides which node stands for a coordinate that is asked for: one that is there, or one made once. It must not make one itself."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from steadyhand.domains.cae.engine.coincidence import FEW_POINTS
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Flags, Floats
from steadyhand.domains.cae.engine.search_tree import SearchTree, tree_of

SLACK = 1e-9
"""Trees round otherwise than we do: they are asked for a little more, and our own distances decide."""
SMALLEST = 1e-150
"""The least distance whose square is not zero."""
MOST_PAIRS = 16_000_000


@dataclass(frozen=True, slots=True)
class Resolved:
    """*rows* of nodes that are there, then, counting on, of *created* ones, for each coordinate asked for."""

    rows: Places
    created: Floats


def resolve_points(known: Floats, wanted: Floats, tolerance: float) -> Resolved:
    """Return what stands for each of *wanted*: the nearest within *tolerance*, of several as near the first.

    A coordinate near none of *known* is created, unless an earlier created one is near; so no created one is within *tolerance* of
    *known* or of another, what is answered is within *tolerance* of what was asked, and asking again creates nothing.
    """
    first, group = first_of_each(wanted)
    points = wanted[first]
    rows, away = _nearest(known, points, tolerance)
    missing = np.flatnonzero(rows < 0)
    if not len(missing):
        return Resolved(rows[group], np.zeros((0, 3)))
    makers = missing[_founders(points[missing], tolerance)]
    created = points[makers]
    rows[makers], away[makers] = len(known) + np.arange(len(makers)), 0.0
    others = np.flatnonzero(away > 0.0)
    fresh, fresh_away = _nearest(created, points[others], tolerance)
    nearer = fresh_away < away[others]
    rows[others[nearer]] = fresh[nearer] + len(known)
    return Resolved(rows[group], created)


def first_of_each(points: Floats) -> tuple[Places, Places]:
    """Return where each distinct point stands first, ascending, and for every point which of those it equals."""
    if not len(points):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.lexsort(points.T)
    inner = points[order]
    begins = np.concatenate([[True], (inner[1:] != inner[:-1]).any(axis=1)])
    heads = order[begins]  # lexsort is stable: the head of a run is its first
    ranks = np.empty(len(heads), np.int64)
    ranks[np.argsort(heads)] = np.arange(len(heads))
    group = np.empty(len(points), np.int64)
    group[order] = ranks[np.cumsum(begins) - 1]
    return np.sort(heads), group


def _nearest(known: Floats, wanted: Floats, tolerance: float) -> tuple[Places, Floats]:
    """Return the nearest row of *known* within *tolerance* and its distance, or −1 and infinity."""
    rows = np.full(len(wanted), -1, np.int64)
    away = np.full(len(wanted), np.inf)
    near = _near_on_every_axis(known, wanted, tolerance)
    if not len(near):
        return rows, away
    near = near[first_of_each(known[near])[0]]
    tree = tree_of(known[near])
    distances, places = tree.query(wanted, k=2, distance_upper_bound=_wider(tolerance))
    found = np.flatnonzero(np.isfinite(distances[:, 0]))
    rows[found] = near[places[found, 0]]
    away[found] = _distances(known[rows[found]], wanted[found])
    tied = np.flatnonzero(np.isfinite(distances[:, 1]) & (distances[:, 1] <= _all_wider(distances[:, 0])))
    if len(tied):
        rows[tied], away[tied] = _first_of_the_nearest(tree, known[near], near, wanted[tied], distances[tied, 0])
    too_far = away > tolerance
    rows[too_far], away[too_far] = -1, np.inf
    return rows, away


def _first_of_the_nearest(tree: SearchTree, points: Floats, rows: Places, wanted: Floats, reach: Floats) -> tuple[Places, Floats]:
    balls = tree.query_ball_point(wanted, _all_wider(reach), return_sorted=True)
    counts = np.array([len(ball) for ball in balls])
    places = np.concatenate([np.asarray(ball, np.int64) for ball in balls])
    asked = np.repeat(np.arange(len(wanted)), counts)
    away = _distances(points[places], wanted[asked])
    order = np.lexsort((rows[places], away, asked))
    heads = order[np.concatenate([[0], np.cumsum(counts)[:-1]])]
    return rows[places[heads]], away[heads]


def _founders(points: Floats, tolerance: float) -> Flags:
    """Return which of *points* are created, going through them in order: those with no created one within *tolerance*."""
    founder = np.ones(len(points), np.bool_)
    pairs = _pairs(points, tolerance)
    pairs = pairs[_distances(points[pairs[:, 0]], points[pairs[:, 1]]) <= tolerance]
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    heads, begins = np.unique(pairs[:, 0], return_index=True)
    ends = np.append(begins, len(pairs))[1:]
    # One at a time, since each answer hangs on the ones before; only coordinates nearly alike come here.
    for head, begin, end in zip(heads, begins, ends, strict=True):
        if founder[head]:
            founder[pairs[begin:end, 1]] = False
    return founder


def _pairs(points: Floats, tolerance: float) -> Places:
    """Return (n, 2) the pairs that may be within *tolerance*, the lower place first; every pair where there are few points."""
    if len(points) <= FEW_POINTS:
        return np.stack(np.triu_indices(len(points), 1), axis=1)
    tree = tree_of(points)
    if tree.count_neighbors(tree, _wider(tolerance)) > len(points) + MOST_PAIRS:
        raise EngineRefusal("coordinates_too_close", tolerance=tolerance)
    return tree.query_pairs(_wider(tolerance), output_type="ndarray")


def _near_on_every_axis(known: Floats, wanted: Floats, tolerance: float) -> Places:
    """Return the rows of *known* that some of *wanted* is near to along each axis: few, where few are wanted."""
    rows = np.arange(len(known))
    if not len(wanted) or not len(known):
        return rows[:0]
    margin = _wider(tolerance) + 2 * float(np.spacing(max(np.abs(known).max(), np.abs(wanted).max())))
    for axis in range(3):
        stops = np.unique(wanted[:, axis])
        values = known[rows, axis]
        after = cast("Places", np.searchsorted(stops, values - margin))
        inside = after < len(stops)
        inside[inside] = stops[after[inside]] <= values[inside] + margin
        rows = rows[inside]
    return rows


def _wider(distance: float) -> float:
    return max(distance * (1.0 + SLACK), SMALLEST)


def _all_wider(distances: Floats) -> Floats:
    return np.maximum(distances * (1.0 + SLACK), SMALLEST)


def _distances(one: Floats, other: Floats) -> Floats:
    step = one - other
    return np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2 + step[:, 2] ** 2)
