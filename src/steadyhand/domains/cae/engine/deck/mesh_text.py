"""Decides how nodes and elements are written, exactly and fast; it must not know sets or properties."""

from collections.abc import Iterator

import numpy as np

from steadyhand.domains.cae.engine.deck.element_types import SHAPES
from steadyhand.domains.cae.engine.deck.report import MOST_LABEL
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import all_fitted
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Part

ROWS = 1 << 15


def node_text(part: Part) -> Iterator[str]:
    """Yield ``*NODE`` with all nodes."""
    mesh = part.mesh
    for labels in (mesh.node_labels, mesh.element_labels):
        if len(labels) and int(labels[-1]) > MOST_LABEL:
            raise EngineRefusal("deck_bad_label", file="", line=0, label=str(int(labels[-1])), limit=MOST_LABEL)
    if not bool(np.isfinite(mesh.xyz).all()):
        raise EngineRefusal("deck_not_finite", name="NODE")
    if not mesh.node_count:
        return
    yield "*NODE\n"
    xyz = all_fitted(mesh.xyz)
    for at in range(0, mesh.node_count, ROWS):
        part_of = slice(at, at + ROWS)
        yield _node_rows(mesh.node_labels[part_of].tolist(), xyz[part_of].T.tolist())


def element_text(part: Part, own: str) -> Iterator[str]:
    """Yield ``*ELEMENT`` for each assignment and type that there are; the sets of assignments begin with *own*."""
    mesh = part.mesh
    kinds = len(part.type_names)
    groups = (mesh.assigned.astype(np.int64) + 1) * kinds + mesh.types
    order = np.argsort(groups, kind="stable")
    found, starts = np.unique(groups[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    for place, group in enumerate(int(value) for value in found):
        rows: Labels = np.sort(order[starts[place] : ends[place]])
        name = part.type_names[group % kinds]
        shape = SHAPES.get(name)
        first = part.type_names.index(name)
        if shape is None or first != group % kinds or not bool((mesh.sizes[rows] == shape.value).all()):
            raise EngineRefusal("deck_type_does_not_fit", type=name, label=int(mesh.element_labels[rows[0]]))
        assigned = group // kinds - 1
        yield f"*ELEMENT, TYPE={name}" + (f", ELSET={own}{assigned}\n" if assigned >= 0 else "\n")
        yield from _elements(part, rows, shape.value)


def _elements(part: Part, rows: Labels, size: int) -> Iterator[str]:
    mesh = part.mesh
    width = 1 + len(str(int(max(mesh.node_labels[-1], mesh.element_labels[-1]))))
    for at in range(0, len(rows), ROWS):
        some = rows[at : at + ROWS]
        yield label_rows(np.column_stack((mesh.element_labels[some], mesh.node_labels[mesh.conn[some, :size]])), width)


def _node_rows(labels: list[int], xyz: list[list[float]]) -> str:
    """Return rows of a label and three coordinates; the printed form of a float is the shortest that reads back as itself."""
    flat: list[float] = [0.0] * (4 * len(labels))
    flat[::4] = labels
    for axis, column in enumerate(xyz, 1):
        flat[axis::4] = column
    return "%d, %r, %r, %r\n" * len(labels) % tuple(flat)  # one call for all rows is twice as fast as one for each


def label_rows(labels: Labels, width: int) -> str:
    """Return rows of labels, each *width* wide with blanks in front, digit by digit for all of them at once."""
    left = labels.astype(np.uint32)
    cells = np.full((*labels.shape, width + 1), ord(","), np.uint8)
    cells[:, -1, -1] = ord("\n")
    for place in range(width - 1, -1, -1):
        rest = left // 10
        cells[:, :, place] = np.where(left > 0, left - rest * 10 + ord("0"), ord(" "))
        left = rest
    return cells.tobytes().decode("ascii")
