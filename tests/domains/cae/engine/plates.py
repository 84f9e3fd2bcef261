"""Small parts to try the engine on, and what of a part can be compared."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from steadyhand.domains.cae.engine.building import add_elements, grid, resolve
from steadyhand.domains.cae.engine.mesh import Floats, Labels, Mesh
from steadyhand.domains.cae.engine.naming import put_element_set, put_node_set
from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import (
    Assignment,
    BeamSection,
    Force,
    Material,
    Pressure,
    ShellSection,
    Support,
)
from steadyhand.domains.cae.engine.shapes import BEAM, BOX, TRI


def with_properties() -> Part:
    """An empty part with a material, a shell and a beam section, and an assignment of each: 0 and 1."""
    part = Part(materials={"STEEL": Material("STEEL", 210000.0, 0.3, 7.85e-9)})
    part.sections = {
        "PLATE": ShellSection("PLATE", "STEEL", 10.0, 0.5),
        "RIB": BeamSection("RIB", "STEEL", BOX, (40.0, 60.0, 2.0, 3.0, 4.0, 5.0), (0.0, 0.5)),
    }
    part.assignments = [Assignment("PLATE"), Assignment("RIB", (0.0, 0.0, 1.0))]
    return part


def stiffened(along: int = 3, across: int = 2) -> Part:
    """A plate of QUADs with a row of BEAMs on its lower edge and a TRI that stands up on its left one; sets, loads and a support."""
    part = with_properties()
    plate = grid(part, (0, 0, 0), (100 * along, 0, 0), (0, 100 * across, 0), (along, across))
    part.mesh = replace(part.mesh, assigned=np.zeros(part.mesh.element_count, np.int32))
    edge = plate.nodes[0]
    ribs = add_elements(part, BEAM, np.stack([edge[:-1], edge[1:]], axis=1), assigned=1)
    (peak,) = resolve(part, [(0, 50, 80)])
    tri = add_elements(part, TRI, [(plate.nodes[0, 0], plate.nodes[1, 0], peak)], assigned=0)
    put_element_set(part, "DECK", plate.elements.ravel())
    put_element_set(part, "RIBS", ribs)
    put_element_set(part, "LOADED", plate.elements[0])
    put_element_set(part, "_P1", tri)
    put_node_set(part, "LEFT", plate.nodes[:, 0])
    put_node_set(part, "_TIP", plate.nodes[:, -1])
    part.loads = {
        "WATER": Pressure("WATER", "LOADED", 0.1),
        "WIND": Pressure("WIND", "_P1", 0.1),
        "PULL": Force("PULL", "_TIP", (0.0, 0.0, 10.0)),
    }
    part.supports = {"HELD": Support("HELD", "LEFT", (1, 2, 3))}
    return part


def with_kept_text(part: Part, held: Labels) -> Part:
    """The same part, in which kept text has an element on the nodes *held* and names the set DECK."""
    part.held_nodes = np.sort(held)
    part.kept = [Kept("model", "*SPRING", "*SPRING, ELSET=DECK\n")]
    return part


def state(part: Part) -> dict[str, Any]:
    """Everything of *part*, to the byte, in a form that compares."""
    mesh = {field.name: _bytes(getattr(part.mesh, field.name)) for field in fields(Mesh)}
    rest = {field.name: getattr(part, field.name) for field in fields(Part) if field.name not in {"mesh", "held_nodes"}}
    for name in ("node_sets", "element_sets"):
        rest[name] = {key: _bytes(labels) for key, labels in rest[name].items()}
    plain = {
        name: dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
        for name, value in rest.items()
    }
    return {**mesh, **plain, "held_nodes": _bytes(part.held_nodes)}


def corners(mesh: Mesh, labels: Labels) -> list[Floats]:
    """The coordinates of the nodes of each element, in its order."""
    return [mesh.xyz[mesh.conn[row, : mesh.sizes[row]]] for row in mesh.element_rows(labels)]


def normals(mesh: Mesh, labels: Labels) -> Floats:
    """The right-handed normal of each flat TRI or QUAD, as long as twice its area."""
    return np.array([np.cross(points[1] - points[0], points[-1] - points[0]) for points in corners(mesh, labels)])


def second_axes(part: Part, labels: Labels) -> Floats:
    """The second axis of each BEAM: its direction times its first axis."""
    firsts = [part.assignments[part.mesh.assigned[row]].n1 for row in part.mesh.element_rows(labels)]
    along = [points[1] - points[0] for points in corners(part.mesh, labels)]
    return np.cross(np.array(along), np.array(firsts))


def labels_of(mesh: Mesh, *sizes: int) -> Labels:
    """The labels of the elements with that many nodes."""
    return mesh.element_labels[np.isin(mesh.sizes, sizes)]


def _bytes(array: "np.ndarray[Any, Any]") -> tuple[str, tuple[int, ...], bytes]:
    return str(array.dtype), array.shape, array.tobytes()
