"""Parts from plain lists, also such as no operation would make, and random ones."""

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from steadyhand.domains.cae.engine.building import grid
from steadyhand.domains.cae.engine.mesh import USUAL_TYPE, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, Force, Material, ShellSection, Support
from steadyhand.domains.cae.engine.shapes import Shape

STEP = 10.0
NEAR = 1e-4
TOLERANCE = 1e-3


def part_of(points: Iterable[Sequence[float]], elements: Iterable[Sequence[int]], labels: Sequence[int] | None = None) -> Part:
    """A part with nodes *labels* (1, 2, … when not given) and elements 1, 2, … over places in *points*."""
    xyz = np.array(list(points), float).reshape(-1, 3)
    rows = list(elements)
    conn = np.full((len(rows), 4), -1, np.int32)
    for place, row in enumerate(rows):
        conn[place, : len(row)] = row
    sizes = [len(row) for row in rows]
    node_labels = np.array(labels if labels is not None else range(1, len(xyz) + 1), np.int64)
    mesh = Mesh(
        xyz=xyz,
        node_labels=node_labels,
        conn=conn,
        sizes=np.array(sizes, np.int8),
        element_labels=np.arange(1, len(rows) + 1),
        types=np.array([USUAL_TYPE[Shape(size)] for size in sizes], np.int32),
        assigned=np.full(len(rows), -1, np.int32),
    )
    return Part(mesh=mesh, next_node=int(node_labels.max(initial=0)) + 1, next_element=len(rows) + 1)


def plate(across: int = 2, along: int = 2, size: float = STEP) -> Part:
    """A flat plate of QUADs of *size* from the origin in the plane of x and y."""
    part = Part()
    grid(part, (0, 0, 0), (across * size, 0, 0), (0, along * size, 0), (across, along))
    return part


def numbers(labels: Iterable[int]) -> list[int]:
    """Labels as plain numbers."""
    return [int(label) for label in labels]


@st.composite
def parts(draw: st.DrawFn, *, held: bool = True) -> Part:
    """Nodes in heaps on a lattice, elements between heaps, sets, a support, a shared force, sections and held nodes."""
    places = draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=4, max_size=10, unique=True))
    shifts = st.sampled_from([0.0, -0.0, NEAR, -NEAR, 3 * NEAR])
    points, heaps = [], []
    for place in places:
        heap = draw(st.lists(st.tuples(shifts, shifts, shifts), min_size=1, max_size=3))
        heaps.append(range(len(points), len(points) + len(heap)))
        points += [tuple(STEP * at + shift for at, shift in zip(place, move, strict=True)) for move in heap]
    order = draw(st.permutations(range(len(points))))
    elements = []
    for _ in range(draw(st.integers(0, 8))):
        corners = draw(st.lists(st.sampled_from(range(len(heaps))), min_size=2, max_size=4, unique=True))
        elements.append([order[draw(st.sampled_from(heaps[corner]))] for corner in corners])
    gaps = np.array(draw(st.lists(st.integers(1, 5), min_size=len(points), max_size=len(points))))
    shuffled = [points[order.index(row)] for row in range(len(points))]
    part = part_of(shuffled, elements, np.cumsum(gaps))
    furnish(part, draw)
    if held:
        part.held_nodes = some_of(draw, part.mesh.node_labels)
    assert part.faults() == []
    return part


def furnish(part: Part, draw: st.DrawFn) -> None:
    part.materials["STEEL"] = Material("STEEL", 210000.0, 0.3)
    part.sections = {name: ShellSection(name, "STEEL", thickness) for name, thickness in (("THIN", 2.0), ("THICK", 20.0))}
    part.assignments = [Assignment("THIN"), Assignment("THICK")]
    part.mesh.assigned = np.array([draw(st.integers(-1, 1)) for _ in range(part.mesh.element_count)], np.int32)
    part.node_sets = {"HELD": some_of(draw, part.mesh.node_labels), "PULLED": some_of(draw, part.mesh.node_labels)}
    part.element_sets = {"SOME": some_of(draw, part.mesh.element_labels), "OTHERS": some_of(draw, part.mesh.element_labels)}
    part.supports["FIX"] = Support("FIX", "HELD", (1, 2, 3))
    part.loads["PULL"] = Force("PULL", "PULLED", (0.0, 0.0, 1.0))


def some_of(draw: st.DrawFn, labels: np.ndarray) -> np.ndarray:
    chosen = draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels)))
    return labels[np.array(chosen, bool)]
