"""Decides which elements and nodes a region means; it must not name them or change a part."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import TOLERANCE, as_labels, as_tolerance, as_vector
from steadyhand.domains.cae.engine.mesh import Flags, Labels, Mesh
from steadyhand.domains.cae.engine.naming import LONGEST
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Vector
from steadyhand.domains.cae.engine.shapes import Axis, Shape, as_axis, as_shape

Side: TypeAlias = Literal["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
SIDES: tuple[str, ...] = get_args(Side)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Where something applies, said in exactly one way, and optionally only elements of these *shapes* (nodes: on one of them).

    *labels* are of elements for `elements_in`, of nodes for `nodes_in`. *box* is two corners, *plane* an axis and a coordinate, *side*
    the plane at that end of `extent`; *tolerance* widens these three. A set of elements stands for its nodes where no node set has
    the name.
    """

    set: str | None = None
    labels: tuple[int, ...] | None = None
    box: tuple[Vector, Vector] | None = None
    plane: tuple[Axis, float] | None = None
    side: Side | None = None
    everything: bool = False
    shapes: tuple[Shape, ...] = ()
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        """Refuse a region that says nothing or twice, or what is no box, plane, side or shape."""
        ways = (self.set, self.labels, self.box, self.plane, self.side, self.everything or None)
        if sum(way is not None for way in ways) != 1:
            raise EngineRefusal("region_ways")
        as_tolerance(self.tolerance)
        for shape in self.shapes:
            as_shape(shape)
        if self.side is not None and self.side not in SIDES:
            raise EngineRefusal("region_side", side=str(self.side)[:LONGEST])
        if self.plane is not None:
            as_axis(self.plane[0])
            as_vector((self.plane[1], 0.0, 0.0))
        if self.box is not None:
            low, high = as_vector(self.box[0]), as_vector(self.box[1])
            if any(least > most for least, most in zip(low, high, strict=True)):
                raise EngineRefusal("region_box")


def elements_in(part: Part, region: Region) -> Labels:
    """Return the labels of the elements in *region*, ascending: in a box, plane or side when all their nodes are.

    Raises `EngineRefusal` ``region_empty``, ``unknown_set``, ``unknown_element``.
    """
    mesh = part.mesh
    if region.set is not None:
        inside = _marked(mesh.element_count, mesh.element_rows(_named(part.element_sets, region.set)))
    elif region.labels is not None:
        inside = _marked(mesh.element_count, mesh.element_rows(as_labels(region.labels)))
    else:
        inside = np.append(_places(part, region), [True])[mesh.conn].all(axis=1)  # one more, for the padding
    return _found(mesh.element_labels[inside & _of_shapes(mesh, region)])


def nodes_in(part: Part, region: Region) -> Labels:
    """Return the labels of the nodes in *region*, ascending. Raises `EngineRefusal` ``region_empty``, ``unknown_set``, ``unknown_node``."""
    mesh = part.mesh
    if region.set is not None and (region.set in part.node_sets or region.set not in part.element_sets):
        inside = _marked(mesh.node_count, mesh.node_rows(_named(part.node_sets, region.set)))
    elif region.set is not None:
        inside = _on(mesh, _marked(mesh.element_count, mesh.element_rows(part.element_sets[region.set])))
    elif region.labels is not None:
        inside = _marked(mesh.node_count, mesh.node_rows(as_labels(region.labels)))
    else:
        inside = _places(part, region)
    if region.shapes:
        inside &= _on(mesh, _of_shapes(mesh, region))
    return _found(mesh.node_labels[inside])


def extent(part: Part) -> tuple[Vector, Vector] | None:
    """Return the corners of the box around all elements, those in kept text too; around all nodes where no element is."""
    mesh = part.mesh
    used = mesh.used_nodes()
    used[mesh.node_rows(part.held_nodes)] = True
    xyz = mesh.xyz[used] if used.any() else mesh.xyz
    return (as_vector(xyz.min(axis=0)), as_vector(xyz.max(axis=0))) if len(xyz) else None


def _places(part: Part, region: Region) -> Flags:
    """Return which nodes lie in the box, plane or side, or all."""
    xyz, reach = part.mesh.xyz, region.tolerance
    if region.box is not None:
        low, high = np.array(region.box[0]), np.array(region.box[1])
        return np.all((xyz >= low - reach) & (xyz <= high + reach), axis=1)
    plane = region.plane or _plane_of(part, region.side)
    if plane is None:
        return np.ones(len(xyz), np.bool_)
    return np.abs(xyz[:, plane[0].value] - plane[1]) <= reach


def _plane_of(part: Part, side: Side | None) -> tuple[Axis, float] | None:
    if side is None:
        return None
    corners = extent(part)
    if corners is None:
        raise EngineRefusal("region_empty")
    axis = Axis["XYZ"["xyz".index(side[0])]]
    return axis, corners[side.endswith("max")][axis.value]


def _named(sets: dict[str, Labels], name: str) -> Labels:
    if name not in sets:
        raise EngineRefusal("unknown_set", name=name[:LONGEST])
    return sets[name]


def _of_shapes(mesh: Mesh, region: Region) -> Flags:
    if not region.shapes:
        return np.ones(mesh.element_count, np.bool_)
    return np.isin(mesh.sizes, [shape.value for shape in region.shapes])


def _on(mesh: Mesh, elements: Flags) -> Flags:
    rows = mesh.conn[elements]
    return _marked(mesh.node_count, rows[rows >= 0])


def _marked(count: int, rows: "np.ndarray[tuple[int], np.dtype[np.int32]]") -> Flags:
    marks = np.zeros(count, np.bool_)
    marks[rows] = True
    return marks


def _found(labels: Labels) -> Labels:
    if not len(labels):
        raise EngineRefusal("region_empty")
    return labels
