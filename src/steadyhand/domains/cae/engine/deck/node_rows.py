"""Decides how nodes are read, and that a label is given once; it must not know elements or sets."""

from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.numbers import alike, label, number
from steadyhand.domains.cae.engine.deck.report import MOST_LABEL
from steadyhand.domains.cae.engine.deck.words import items
from steadyhand.domains.cae.engine.fitting import all_fitted
from steadyhand.domains.cae.engine.mesh import Floats, Labels


@dataclass(slots=True)
class NodeRows:
    """The nodes of a deck as they come, block by block."""

    labels: list[Labels] = field(default_factory=list[Labels])
    xyz: list[Floats] = field(default_factory=list[Floats])
    blocks: list[Block] = field(default_factory=list[Block])
    with_normals: list[Block] = field(default_factory=list[Block])
    rounded: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    """Blocks with coordinates of more digits than fit, and the line of the first."""

    def take(self, block: Block) -> Labels:
        """Read a block and return its labels."""
        if "SYSTEM" in block.head.params and block.head.params["SYSTEM"].text.upper() not in {"", "R"}:
            block.lines.refuse(block.head.line, "deck_coordinate_system", keyword=block.head.name)
        text = block.raw()
        width = text[: text.find(b"\n")].rstrip(b", \t").count(b",") + 1
        table = alike(text, width) if 1 < width <= 7 else None
        if table is None or not _are_labels(table[:, 0]):
            labels, xyz, normals = _one_by_one(block)
        else:
            labels, normals = table[:, 0].astype(np.int64), width > 4
            xyz = np.zeros((len(labels), 3))
            xyz[:, : width - 1] = table[:, 1:4]
        if normals:
            self.with_normals.append(block)
        told, xyz = xyz, all_fitted(xyz)
        if told is not xyz:
            self.rounded.append((block, int(block.data[np.flatnonzero((told != xyz).any(axis=1))[0]])))
        self.labels.append(labels)
        self.xyz.append(xyz)
        self.blocks.append(block)
        return labels

    def settle(self) -> tuple[Labels, Floats]:
        """Return labels, ascending, and coordinates. A node that is told again at the same place is one node."""
        if not self.labels:
            return np.zeros(0, np.int64), np.zeros((0, 3))
        labels, xyz = np.concatenate(self.labels), np.concatenate(self.xyz)
        if bool((np.diff(labels) > 0).all()):
            return labels, xyz
        order = np.argsort(labels, kind="stable")
        labels, xyz = labels[order], xyz[order]
        again = np.flatnonzero(np.diff(labels) == 0) + 1
        moved = again[(xyz[again] != xyz[again - 1]).any(axis=1)]
        if len(moved):
            self._refuse_twice(int(order[moved].min()))
        return np.delete(labels, again), np.delete(xyz, again, axis=0)

    def _refuse_twice(self, place: int) -> None:
        for block, labels in zip(self.blocks, self.labels, strict=True):
            if place < len(labels):
                block.lines.refuse(int(block.data[place]), "deck_label_twice", kind="node", label=int(labels[place]))
            place -= len(labels)


def _are_labels(column: Floats) -> bool:
    return bool(((column > 0) & (column <= MOST_LABEL) & (np.floor(column) == column)).all())


def _one_by_one(block: Block) -> tuple[Labels, Floats, bool]:
    labels: list[int] = []
    xyz: list[tuple[float, float, float]] = []
    normals = False
    for line, text in block.rows():
        found = items(text)
        labels.append(label(block.lines, line, found[0] if found else ""))
        x, y, z = (number(block.lines, line, item) for item in (found[1:4] + [""] * 3)[:3])
        xyz.append((x, y, z))
        for item in found[4:]:
            number(block.lines, line, item)
        normals = normals or len(found) > 4
    return np.array(labels, np.int64), np.array(xyz, np.float64).reshape(-1, 3), normals
