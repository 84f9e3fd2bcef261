"""Decides which elements hang together through shared nodes; it must not say whether they should."""

import numpy as np

from steadyhand.domains.cae.engine.coincidence import joined
from steadyhand.domains.cae.engine.mesh import WIDTH, Mesh, Rows


def components(mesh: Mesh) -> Rows:
    """Return (E,) the number of each element's component, counted from 0 in the order of their first elements."""
    first = mesh.conn[:, 0]
    held = [mesh.conn[:, column] >= 0 for column in range(1, WIDTH)]
    one = np.concatenate([first[there] for there in held])
    other = np.concatenate([mesh.conn[there, column] for column, there in enumerate(held, 1)])
    head = joined(mesh.node_count, one, other)[first]
    begins = np.empty(mesh.node_count, np.int64)
    begins[head[::-1]] = np.arange(mesh.element_count - 1, -1, -1)  # the last that is written is the first element
    begin = begins[head]
    rank = np.cumsum(begin == np.arange(mesh.element_count), dtype=np.int32) - np.int32(1)
    return rank[begin]
