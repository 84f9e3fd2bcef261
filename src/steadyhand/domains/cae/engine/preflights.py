"""Decides what a script looks at before its first mutation; it must not change a part.

What is refused here has the code that the engine's own operation would give, as a `PreflightRefusal`: nothing has begun yet.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from steadyhand.domains.cae.engine.assigning import PARALLEL
from steadyhand.domains.cae.engine.edges import shortest_edge
from steadyhand.domains.cae.engine.errors import EngineRefusal, PreflightRefusal
from steadyhand.domains.cae.engine.inputs import LIMIT, as_direction
from steadyhand.domains.cae.engine.mesh import Flags, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Vector
from steadyhand.domains.cae.engine.regions import Region, elements_in, nodes_in
from steadyhand.domains.cae.engine.shapes import Axis, Shape, as_shape

T = TypeVar("T")

CHILDREN = {Shape.QUAD: 4, Shape.TRI: 4, Shape.BEAM: 2}


class Holder(Protocol):
    """What scripts call a part."""

    @property
    def data(self) -> Part:
        """The engine's part."""
        ...


def is_empty(part: Holder) -> None:
    """Refuse to build on a part that has nodes or elements: ``part_not_empty``."""
    mesh = part.data.mesh
    if not part.data.empty:
        raise PreflightRefusal("part_not_empty", nodes=mesh.node_count, elements=mesh.element_count)


def elements(
    part: Holder,
    *,
    set: str | None = None,  # noqa: A002  # the modelled API's word
    labels: tuple[int, ...] | None = None,
    box: tuple[Vector, Vector] | None = None,
    plane: tuple[Axis, float] | None = None,
    side: Any = None,
    everything: bool = False,
    shapes: tuple[Shape, ...] = (),
) -> Labels:
    """Return what the script's `pickElements` will mean. Refused: ``region_empty``, ``unknown_set``, ``unknown_element``."""
    region = _early(
        lambda: Region(set=set, labels=labels, box=box, plane=plane, side=side, everything=everything, shapes=tuple(shapes))
    )
    return _early(lambda: elements_in(part.data, region))


def nodes(
    part: Holder,
    *,
    set: str | None = None,  # noqa: A002  # the modelled API's word
    labels: tuple[int, ...] | None = None,
    box: tuple[Vector, Vector] | None = None,
    plane: tuple[Axis, float] | None = None,
    side: Any = None,
    everything: bool = False,
    shapes: tuple[Shape, ...] = (),
) -> Labels:
    """As `elements`, for `pickNodes`. Refused: ``region_empty``, ``unknown_set``, ``unknown_node``."""
    region = _early(
        lambda: Region(set=set, labels=labels, box=box, plane=plane, side=side, everything=everything, shapes=tuple(shapes))
    )
    return _early(lambda: nodes_in(part.data, region))


def apart(part: Holder, selections: Sequence[Labels]) -> None:
    """Refuse selections that have an element in common: ``selections_conflict``, naming the first and how many there are."""
    found = np.concatenate([np.unique(selection) for selection in selections])
    labels, counts = np.unique(found, return_counts=True)
    shared = labels[counts > 1]
    if len(shared):
        part.data.mesh.element_rows(shared)
        raise PreflightRefusal("selections_conflict", label=int(shared[0]), count=len(shared))


def section_fits(part: Holder, chosen: Labels, *, section: str, shapes: tuple[Shape, ...]) -> None:
    """Refuse a section for elements of other *shapes*: ``section_does_not_fit``."""
    mesh = part.data.mesh
    rows = mesh.element_rows(chosen)
    strange = ~np.isin(mesh.sizes[rows], [as_shape(shape).value for shape in shapes])
    if strange.any():
        row = int(rows[strange][0])
        shape = Shape(int(mesh.sizes[row])).name
        label = int(mesh.element_labels[row])
        raise PreflightRefusal("section_does_not_fit", section=section, shape=shape, label=label, count=int(strange.sum()))


def n1_stands(part: Holder, chosen: Labels, *, section: str, n1: Vector) -> None:
    """Refuse a direction along a beam, which leaves its section's first axis open: ``n1_parallel``."""
    mesh = part.data.mesh
    rows = mesh.element_rows(chosen)
    rows = rows[mesh.sizes[rows] == Shape.BEAM.value]
    along = mesh.xyz[mesh.conn[rows, 1]] - mesh.xyz[mesh.conn[rows, 0]]
    across = np.cross(along, np.array(_early(lambda: as_direction(n1))))
    lengths = np.sqrt((along**2).sum(axis=1))
    parallel: Flags = np.sqrt((across**2).sum(axis=1)) <= PARALLEL * lengths
    if parallel.any():
        label = int(mesh.element_labels[rows[parallel]].min())
        raise PreflightRefusal("n1_parallel", section=section, label=label, count=int(parallel.sum()))


def faces(part: Holder, chosen: Labels, *, load: str) -> None:
    """Refuse a pressure on beams: ``pressure_on_beam``."""
    mesh = part.data.mesh
    rows = mesh.element_rows(chosen)
    beams = mesh.sizes[rows] == Shape.BEAM.value
    if beams.any():
        raise PreflightRefusal("pressure_on_beam", load=load, label=int(chosen[beams].min()), count=int(beams.sum()))


def tolerance_fits(part: Holder, *, tolerance: float, elements: Labels | None = None) -> None:
    """Refuse to merge over half of the shortest edge or more: ``tolerance_too_large``."""
    mesh = part.data.mesh
    among: Flags | None = None
    if elements is not None:
        used = mesh.conn[mesh.element_rows(elements)]
        among = np.zeros(mesh.node_count, np.bool_)
        among[used[used >= 0]] = True
    shortest = shortest_edge(mesh, among)
    if tolerance >= 0.5 * shortest:
        raise PreflightRefusal("tolerance_too_large", tolerance=tolerance, shortest=shortest)


def array_fits(part: Holder, chosen: Labels, *, count: int) -> None:
    """Refuse more copies than a part can hold: ``array_too_large``."""
    total = part.data.mesh.element_count + len(chosen) * count
    if total > LIMIT:
        raise PreflightRefusal("array_too_large", count=count, elements=len(chosen), limit=LIMIT)


def refine_fits(part: Holder, chosen: Labels, *, levels: int) -> None:
    """Refuse more pieces than a part can hold: ``too_many_elements``."""
    mesh = part.data.mesh
    sizes = mesh.sizes[mesh.element_rows(chosen)]
    grown = sum(int((sizes == shape.value).sum()) * (factor**levels - 1) for shape, factor in CHILDREN.items())
    if mesh.element_count + grown > LIMIT:
        raise PreflightRefusal("too_many_elements", count=mesh.element_count + grown, limit=LIMIT)


def _early(look: Callable[[], T]) -> T:
    """Turn the engine's refusal into one that says that nothing has begun."""
    try:
        return look()
    except EngineRefusal as refusal:
        raise PreflightRefusal(refusal.code, **refusal.params) from None
