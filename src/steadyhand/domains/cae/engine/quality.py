"""Decides how good the form of each element is, in numbers; it must not decide which number is too bad.

Cross products are written out and elements are looked at in blocks: both are many times quicker here than the general way.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steadyhand.domains.cae.engine.edges import BLOCK, doubled
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Mesh

Triple: TypeAlias = tuple[Floats, Floats, Floats]

NOTHING = 1e-12
"""Below this share of an element's size a length or area is none."""
FLAT_CORNER = 1e-9
"""A corner's Jacobian below this share of the largest corner's is not positive."""


@dataclass(frozen=True, slots=True)
class Quality:
    """For each element, with the value of a perfect one where a measure does not apply to it:

    * *aspect*, from 1: QUAD longest by shortest edge; TRI longest edge by the height on it, an equilateral one being 1.
    * *warpage*, degrees from 0: QUAD, the angle between the halves along a diagonal, the worse diagonal.
    * *jacobian*, up to 1: QUAD, least by largest determinant at the corners; zero or less where the element is turned inside out.
    * *skew*, degrees from 0: QUAD, what the lines between middles of opposite edges lack to a right angle.
    * *pointless*: it has no length or no area, though its nodes differ. *bow_tie*: edges of a QUAD cross.

    Collapsed elements are not measured.
    """

    aspect: Floats
    warpage: Floats
    jacobian: Floats
    skew: Floats
    pointless: Flags
    bow_tie: Flags


def quality(mesh: Mesh) -> Quality:
    """Measure the elements of *mesh*."""
    count = mesh.element_count
    found = Quality(
        aspect=np.ones(count),
        warpage=np.zeros(count),
        jacobian=np.ones(count),
        skew=np.zeros(count),
        pointless=np.zeros(count, np.bool_),
        bow_tie=np.zeros(count, np.bool_),
    )
    columns = np.ascontiguousarray(mesh.xyz.T)
    whole = ~doubled(mesh.conn)
    with np.errstate(all="ignore"):  # what has no size divides by zero; it is told apart by a comparison that fails
        for size, measure in ((2, _beams), (3, _tris), (4, _quads)):
            rows = np.flatnonzero(whole & (mesh.sizes == size))
            for begin in range(0, len(rows), BLOCK):
                block = rows[begin : begin + BLOCK]
                measure(found, block, _ways(mesh, columns, block, size))
    return found


def _ways(mesh: Mesh, columns: Floats, rows: Places, size: int) -> list[Triple]:
    """Return the ways from the first node to each other one, as shares of the longest component among them."""
    conn = [mesh.conn[rows, corner] for corner in range(size)]
    origin = [column[conn[0]] for column in columns]
    ways = [[columns[axis][conn[corner]] - origin[axis] for axis in range(3)] for corner in range(1, size)]
    scale = np.zeros(len(rows))
    for way in ways:
        for component in way:
            np.maximum(scale, np.abs(component), out=scale)
    return [(way[0] / scale, way[1] / scale, way[2] / scale) for way in ways]


def _minus(one: Triple, other: Triple) -> Triple:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def _plus(one: Triple, other: Triple) -> Triple:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _cross(one: Triple, other: Triple) -> Triple:
    return (
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )


def _dot(one: Triple, other: Triple) -> Floats:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def _beams(found: Quality, rows: Places, ways: list[Triple]) -> None:
    found.pointless[rows] = ~(_dot(ways[0], ways[0]) > 0)


def _tris(found: Quality, rows: Places, ways: list[Triple]) -> None:
    one, other = ways
    across = _minus(other, one)
    longest = np.maximum(np.maximum(_dot(one, one), _dot(other, other)), _dot(across, across))
    normal = _cross(one, other)
    area = np.sqrt(_dot(normal, normal))
    sound = area > NOTHING
    found.pointless[rows] = ~sound
    found.aspect[rows] = np.where(sound, np.sqrt(0.75) * longest / area, 1.0)


def _quads(found: Quality, rows: Places, ways: list[Triple]) -> None:
    second, third, fourth = ways
    edges = (second, _minus(third, second), _minus(fourth, third), (-fourth[0], -fourth[1], -fourth[2]))
    squares = [_dot(edge, edge) for edge in edges]
    longest = np.maximum(np.maximum(squares[0], squares[1]), np.maximum(squares[2], squares[3]))
    shortest = np.minimum(np.minimum(squares[0], squares[1]), np.minimum(squares[2], squares[3]))
    corners = [_cross(edges[corner - 1], edges[corner]) for corner in range(4)]
    areas = [_dot(corner, corner) for corner in corners]
    largest = np.maximum(np.maximum(areas[0], areas[1]), np.maximum(areas[2], areas[3]))
    sound = (shortest > NOTHING**2) & (largest > NOTHING**2)
    found.pointless[rows] = ~sound
    found.aspect[rows] = np.where(sound, np.sqrt(longest / shortest), 1.0)
    least, most, negative = _determinants(corners, areas)
    ratio = np.where(sound, least / most, 1.0)
    found.jacobian[rows] = ratio
    found.bow_tie[rows] = sound & (negative == 2)
    right = sound & (ratio > FLAT_CORNER)
    found.warpage[rows] = np.where(right, _degrees_between(corners, areas), 0.0)
    found.skew[rows] = np.where(right, _skew(second, third, fourth), 0.0)


def _determinants(corners: list[Triple], areas: list[Floats]) -> tuple[Floats, Floats, Places]:
    """Return the least and the largest determinant of the corners against the mean normal, and how many are negative."""
    mean = _plus(corners[0], corners[2])
    none = ~(_dot(mean, mean) > NOTHING**2)
    for axis in range(3):  # the halves of a bow-tie cancel out: then a corner says which side is up
        corner = np.where(areas[0] > areas[1], corners[0][axis], corners[1][axis])
        mean[axis][none] = corner[none]
    sizes = np.sqrt(_dot(mean, mean))
    values = [_dot(corner, mean) / sizes for corner in corners]
    least = np.minimum(np.minimum(values[0], values[1]), np.minimum(values[2], values[3]))
    most = np.maximum(np.maximum(values[0], values[1]), np.maximum(values[2], values[3]))
    negative = np.zeros(len(most), np.int64)
    for value in values:
        negative += value < -FLAT_CORNER * most
    return least, most, negative


def _degrees_between(corners: list[Triple], areas: list[Floats]) -> Floats:
    one = _dot(corners[0], corners[2]) / np.sqrt(areas[0] * areas[2])
    other = _dot(corners[1], corners[3]) / np.sqrt(areas[1] * areas[3])
    return np.degrees(np.arccos(np.clip(np.minimum(one, other), -1.0, 1.0)))


def _skew(second: Triple, third: Triple, fourth: Triple) -> Floats:
    along = _minus(_plus(second, third), fourth)
    across = _minus(_plus(third, fourth), second)
    share = np.abs(_dot(along, across)) / np.sqrt(_dot(along, along) * _dot(across, across))
    return np.degrees(np.arcsin(np.minimum(share, 1.0)))
