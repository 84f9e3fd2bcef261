"""Decides how much of a mesh lies in the place of something else; it must not decide whether that is meant."""

from dataclasses import replace

import numpy as np

from steadyhand.domains.cae.engine.coincidence import groups
from steadyhand.domains.cae.engine.duplicates import find_duplicates
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import TOLERANCE
from steadyhand.domains.cae.engine.mesh import Mesh


def stacked(mesh: Mesh) -> dict[str, int]:
    """Return how many ``nodes`` lie in the place of an earlier one, and how many ``elements`` in that of one with a smaller label.

    Elements are compared by where their corners are, also where each has nodes of its own.
    """
    try:
        first = groups(mesh.xyz, TOLERANCE)
    except EngineRefusal:  # too crowded to look at every pair; what is in exactly one place is told
        first = groups(mesh.xyz, 0.0)
    nodes = int((first != np.arange(len(first))).sum())
    places = np.append(first, -1).astype(np.int32)  # the −1 that pads a row leads to the last one
    placed = replace(mesh, conn=places[mesh.conn]) if nodes else mesh
    return {"nodes": nodes, "elements": len(find_duplicates(placed).removed)}
