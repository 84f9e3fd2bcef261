"""A small part that has something of everything that is told of a part."""

import numpy as np

from steadyhand.domains.cae.engine.building import add_elements, add_nodes, grid
from steadyhand.domains.cae.engine.naming import put_element_set, put_node_set
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import (
    Assignment,
    BeamSection,
    Force,
    Gravity,
    Material,
    Pressure,
    ShellSection,
    Support,
)
from steadyhand.domains.cae.engine.shapes import BEAM, BOX, TRI


def stiffened() -> Part:
    """A plate of 3 by 2 QUADs with BEAMs along an edge, a TRI apart from it, and a free node; properties, sets and cases."""
    part = Part(materials={"STEEL": Material("STEEL", 210000.0, 0.3, 7.85e-9)})
    part.sections = {
        "PLATE": ShellSection("PLATE", "STEEL", 10.0),
        "RIB": BeamSection("RIB", "STEEL", BOX, (40.0, 60.0, 2.0, 3.0, 4.0, 5.0)),
    }
    part.assignments = [Assignment("PLATE"), Assignment("RIB", (0.0, 0.0, 1.0))]
    plate = grid(part, (0, 0, 0), (300, 0, 0), (0, 200, 0), (3, 2))
    part.mesh.assigned = np.zeros(part.mesh.element_count, np.int32)
    edge = plate.nodes[0]
    add_elements(part, BEAM, np.stack([edge[:-1], edge[1:]], axis=1), assigned=1)
    add_elements(part, TRI, [add_nodes(part, [(0, 500, 0), (100, 500, 0), (0, 500, 80)])])
    add_nodes(part, [(300, 500, 0.1)])
    put_element_set(part, "DECK", plate.elements.ravel())
    put_element_set(part, "EDGE", plate.elements[0])
    put_node_set(part, "EDGE", edge)
    part.node_sets["_L_PULL"] = np.sort(plate.nodes[:, -1])
    part.element_sets["_L_WATER"] = np.sort(plate.elements.ravel())
    part.node_sets["_S_HELD"] = np.sort(plate.nodes[:, 0])
    part.loads = {
        "WATER": Pressure("WATER", "_L_WATER", 0.1),
        "PULL": Force("PULL", "_L_PULL", (0.0, 0.0, 10.0)),
        "WEIGHT": Gravity("WEIGHT", (0.0, 0.0, -9810.0)),
    }
    part.supports = {"HELD": Support("HELD", "_S_HELD", (1, 2, 3))}
    assert part.faults() == []
    return part
