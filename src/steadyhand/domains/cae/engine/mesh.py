"""Decides how nodes and elements are held: arrays in ascending order of their labels. It must not know properties, files or operations."""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.shapes import Shape

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int32]
Small: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]

WIDTH = 4
"""Columns of a connectivity row; unused ones hold −1."""
UNASSIGNED = -1
USUAL_TYPES = ("B31", "S3", "S4")
"""The deck's element types that a new BEAM, TRI and QUAD get; they are the first three of every part's type list."""
USUAL_TYPE = {Shape.BEAM: 0, Shape.TRI: 1, Shape.QUAD: 2}


@dataclass(slots=True)
class Mesh:
    """Nodes and elements. Operations return a new mesh, or replace the arrays of one whole; they never leave it half done.

    * ``xyz`` (N, 3), mm; ``node_labels`` (N,), strictly ascending, positive.
    * ``conn`` (E, 4), rows of ``xyz``, padded with −1 at the end; ``sizes`` (E,), 2, 3 or 4: the number of nodes, so the shape.
    * ``element_labels`` (E,), strictly ascending, positive; ``types`` (E,), places in `Part.type_names`.
    * ``assigned`` (E,), places in `Part.assignments`, −1 where none.
    """

    xyz: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    node_labels: Labels = field(default_factory=lambda: np.zeros(0, np.int64))
    conn: Rows = field(default_factory=lambda: np.zeros((0, WIDTH), np.int32))
    sizes: Small = field(default_factory=lambda: np.zeros(0, np.int8))
    element_labels: Labels = field(default_factory=lambda: np.zeros(0, np.int64))
    types: Rows = field(default_factory=lambda: np.zeros(0, np.int32))
    assigned: Rows = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.node_labels)

    @property
    def element_count(self) -> int:
        """How many elements there are."""
        return len(self.element_labels)

    def shape_counts(self) -> dict[str, int]:
        """Return how many elements each shape has, every shape named."""
        counts = np.bincount(self.sizes, minlength=WIDTH + 1)
        return {shape.name: int(counts[shape.value]) for shape in (Shape.QUAD, Shape.TRI, Shape.BEAM)}

    def node_rows(self, labels: "Labels | list[int]") -> Rows:
        """Return the rows of node *labels*, in their order. Raises `EngineRefusal` ``unknown_node`` naming the first that is none."""
        return _rows_of(self.node_labels, np.asarray(labels, np.int64), "unknown_node")

    def element_rows(self, labels: "Labels | list[int]") -> Rows:
        """Return the rows of element *labels*, in their order. Raises `EngineRefusal` ``unknown_element``."""
        return _rows_of(self.element_labels, np.asarray(labels, np.int64), "unknown_element")

    def used_nodes(self) -> Flags:
        """Return (N,) which nodes an element uses."""
        used = np.zeros(self.node_count, np.bool_)
        used[self.conn[self.conn >= 0]] = True
        return used

    def faults(self) -> list[str]:
        """Return the names of the invariants that do not hold; none for a mesh that an operation or a reader may hand out."""
        nodes, elements = self.node_count, self.element_count
        if self.xyz.shape != (nodes, 3) or self.conn.shape != (elements, WIDTH):
            return ["shapes"]
        if not self.sizes.shape == self.types.shape == self.assigned.shape == (elements,):
            return ["shapes"]
        used = np.arange(WIDTH)[None, :] < self.sizes[:, None]
        rows = self.conn[used]
        holds = {
            "finite": np.isfinite(self.xyz).all(),
            "node_labels": ascending(self.node_labels),
            "element_labels": ascending(self.element_labels),
            "sizes": ((self.sizes >= 2) & (self.sizes <= WIDTH)).all(),
            "padding": (self.conn[~used] == -1).all(),
            "rows": ((rows >= 0) & (rows < nodes)).all(),
        }
        return [name for name, well in holds.items() if not well]


def ascending(labels: Labels) -> bool:
    """Return whether *labels* are positive, strictly ascending and so without doubles."""
    return len(labels) == 0 or (bool(labels[0] > 0) and bool((np.diff(labels) > 0).all()))


def _rows_of(known: Labels, labels: Labels, code: str) -> Rows:
    places = np.searchsorted(known, labels)
    found = np.zeros(len(labels), np.bool_)
    inside = places < len(known)
    found[inside] = known[places[inside]] == labels[inside]
    if not found.all():
        raise EngineRefusal(code, label=int(labels[~found][0]), count=int((~found).sum()))
    return places.astype(np.int32)
