"""Decides how elements are read and how their nodes become rows; it must not hold elements of other types, only their labels and nodes."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.element_types import SHAPES, nodes_of_type
from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.deck.numbers import alike_labels, label, label_or_none
from steadyhand.domains.cae.engine.deck.set_rows import once
from steadyhand.domains.cae.engine.deck.set_text import IN_A_LINE
from steadyhand.domains.cae.engine.deck.words import items
from steadyhand.domains.cae.engine.mesh import USUAL_TYPES, WIDTH, Flags, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.shapes import Shape

Reader = Callable[[Lines, int, str], int]


@dataclass(frozen=True, slots=True)
class ElementRows:
    """One block: its labels, (n, k) nodes, place in the type list, and the line of each element (None: one line each).

    Where elements have different numbers of nodes, *nodes* is (m, 1) and *owners* (m,) tells whose each is.
    """

    block: Block
    labels: Labels
    nodes: Labels
    kind: int
    lines: Labels | None = None
    owners: Labels | None = None

    def line(self, place: int) -> int:
        """Return where an element stands."""
        return int(self.block.data[place] if self.lines is None else self.lines[place])


@dataclass(slots=True)
class Elements:
    """The elements of a deck as they come; *others* are those that stay text."""

    type_names: list[str] = field(default_factory=lambda: list(USUAL_TYPES))
    kinds: dict[str, int] = field(default_factory=lambda: {name: place for place, name in enumerate(USUAL_TYPES)})
    held: list[ElementRows] = field(default_factory=list[ElementRows])
    others: list[ElementRows] = field(default_factory=list[ElementRows])
    gaps: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    """Blocks of others that name nodes which do not exist, and the line of the first."""

    def take(self, block: Block) -> tuple[Labels, bool]:
        """Read a block; return its labels and whether the engine holds its elements."""
        named = block.head.params.get("TYPE")
        if named is None:
            block.lines.refuse(block.head.line, "deck_without", keyword="ELEMENT", parameter="TYPE")
        name = named.text.upper()
        shape = SHAPES.get(name)
        rows = _like_the_shape(block, shape, self._kind(name)) if shape is not None else None
        if rows is None:
            self.others.append(_others(block, nodes_of_type(name)))
            return self.others[-1].labels, False
        self.held.append(rows)
        return rows.labels, True

    def _kind(self, name: str) -> int:
        self.declare([name] if name not in self.kinds else [])
        return self.kinds[name]

    def declare(self, names: list[str]) -> None:
        """Put *names* into the list of types."""
        for name in names:
            self.kinds.setdefault(name, len(self.type_names))
            self.type_names.append(name)

    def settle(self, node_labels: Labels) -> "tuple[Mesh, Labels, Labels]":
        """Return a mesh without coordinates, the labels of the elements that stay text, and the nodes that these use."""
        labels = _all([rows.labels for rows in self.held])
        conn = np.full((len(labels), WIDTH), -1, np.int32)
        sizes, types = np.zeros(len(labels), np.int8), np.zeros(len(labels), np.int32)
        at = 0
        for rows in self.held:
            end, size = at + len(rows.labels), rows.nodes.shape[1]
            conn[at:end, :size] = self._rows(rows, node_labels)
            sizes[at:end], types[at:end] = size, rows.kind
            at = end
        others = _all([rows.labels for rows in self.others])
        for rows in self.others:
            well = _found(rows.nodes, node_labels)[1].all(axis=1)
            if not well.all():
                row = int(np.flatnonzero(~well)[0])
                self.gaps.append((rows.block, rows.line(row if rows.owners is None else int(rows.owners[row]))))
        self._check_once(labels, others)
        if not bool((np.diff(labels) > 0).all()):
            order = np.argsort(labels, kind="stable")
            labels, conn, sizes, types = labels[order], conn[order], sizes[order], types[order]
        mesh = Mesh(conn=conn, sizes=sizes, element_labels=labels, types=types)
        mesh.assigned = np.full(len(labels), -1, np.int32)
        nodes = once(self.used_by_others()[1])
        return mesh, np.sort(others), nodes[np.isin(nodes, node_labels)]

    def used_by_others(self) -> tuple[Labels, Labels]:
        """Return the labels of elements that stay text, each as often as it has nodes, and these nodes."""
        owners = [
            np.repeat(rows.labels, rows.nodes.shape[1]) if rows.owners is None else rows.labels[rows.owners]
            for rows in self.others
        ]
        return _all(owners), _all([rows.nodes.ravel() for rows in self.others])

    def _rows(self, rows: ElementRows, known: Labels) -> Rows:
        """Return *nodes* as rows of the ascending labels *known*."""
        found, well = _found(rows.nodes, known)
        if not well.all():
            row, column = (int(place) for place in np.argwhere(~well)[0])
            label_of, missing = int(rows.labels[row]), int(rows.nodes[row, column])
            rows.block.lines.refuse(rows.line(row), "deck_unknown_node", label=missing, element=label_of)
        return found.astype(np.int32)

    def _check_once(self, labels: Labels, others: Labels) -> None:
        together = np.concatenate((labels, others))
        if bool((np.diff(together) > 0).all()):
            return
        order = np.argsort(together, kind="stable")
        again = order[1:][np.diff(together[order]) == 0]
        if len(again):
            place = int(again.min())
            for rows in (*self.held, *self.others):
                if place < len(rows.labels):
                    at = rows.line(place)
                    rows.block.lines.refuse(at, "deck_label_twice", kind="element", label=int(rows.labels[place]))
                place -= len(rows.labels)


def _found(wanted: Labels, known: Labels) -> tuple[Labels, Flags]:
    """Return where *wanted* are among the ascending labels *known*, and which of them are there."""
    if len(known) and int(known[-1]) - int(known[0]) == len(known) - 1:
        found = wanted - known[0]
        return found, (found >= 0) & (found < len(known))
    found = np.searchsorted(known, wanted)
    well = found < len(known)
    well[well] = known[found[well]] == wanted[well]
    return found, well


def _all(parts: list[Labels]) -> Labels:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _like_the_shape(block: Block, shape: Shape, kind: int) -> ElementRows | None:
    """Return the rows of a block; None for beams that name a third node, which the engine does not hold."""
    size = shape.value
    table = alike_labels(block.raw(), size + 1)
    if table is not None:
        return ElementRows(block, table[:, 0], table[:, 1:], kind)
    found: list[list[int]] = []
    lines: list[int] = []
    for line, row in _logical(block, size + 1):
        if shape is Shape.BEAM and len(row) == size + 2:
            return None
        if len(row) != size + 1:
            block.lines.refuse(line, "deck_bad_count", wanted=size + 1, found=len(row))
        lines.append(line)
        found.append(row)
    rows = np.array(found, np.int64).reshape(-1, size + 1)
    return ElementRows(block, rows[:, 0], rows[:, 1:], kind, np.array(lines, np.int64))


def _others(block: Block, size: int) -> ElementRows:
    """Return labels and nodes of elements that stay text: *size* nodes each, or any number where that is 0."""
    text = block.raw()
    width = size + 1 if size else text[: text.find(b"\n")].count(b",") + 1
    table = None if b",\n" in text and not size else alike_labels(text, width)
    if table is not None and table.shape[1] > 1:
        return ElementRows(block, table[:, 0], table[:, 1:], -1)
    found = [(line, row) for line, row in _logical(block, size + 1 if size else 0, read=label_or_none) if row[0]]
    labels = np.array([row[0] for _, row in found], np.int64)
    used = [[node for node in row[1:] if node] for _, row in found]
    nodes = np.array([node for row in used for node in row], np.int64).reshape(-1, 1)
    owners = np.repeat(np.arange(len(found)), [len(row) for row in used]).astype(np.int64)
    return ElementRows(block, labels, nodes, -1, np.array([line for line, _ in found], np.int64), owners)


def _logical(block: Block, enough: int, read: Reader = label) -> "list[tuple[int, list[int]]]":
    """Return the elements. A comma at the end of a line goes on in the next one, until there are *enough* numbers (0: always).

    Where no line holds enough, the comma may be missing: solvers count nodes, not commas.
    """
    found: list[tuple[int, list[int]]] = []
    open_row: list[int] | None = None
    for line, text in block.rows():
        row = [read(block.lines, line, item) for item in items(text)]
        if open_row is None:
            open_row = row
            found.append((line, open_row))
        else:
            open_row.extend(row)
        goes_on = text.endswith(",") or enough > IN_A_LINE
        if not goes_on or 0 < enough <= len(open_row):
            open_row = None
    return [(line, row or [read(block.lines, line, "")]) for line, row in found]
