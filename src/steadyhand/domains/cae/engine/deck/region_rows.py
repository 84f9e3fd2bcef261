"""Decides what rows of ``*BOUNDARY``, ``*CLOAD`` and ``*DLOAD`` mean; it must not guess: None is a form that the engine does not hold."""

import math
from dataclasses import dataclass

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.numbers import is_number, label, number, shown
from steadyhand.domains.cae.engine.deck.set_rows import SetRows, has
from steadyhand.domains.cae.engine.deck.words import items, word
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.properties import Vector
from steadyhand.domains.cae.engine.shapes import DOFS, SYMMETRY_DOFS

Region = str | int
Pushed = float | Vector
"""A pressure, or an acceleration."""
Held = tuple[tuple[int, ...], bool]
NAMED_TYPES: dict[str, Held] = {
    "ENCASTRE": (DOFS, False),
    "PINNED": ((1, 2, 3), False),
    **{f"{axis.name}SYMM": (dofs, True) for axis, dofs in SYMMETRY_DOFS.items()},
}


@dataclass(frozen=True, slots=True)
class RegionRows:
    """Reads rows that begin with a set or a label."""

    node_sets: SetRows
    element_sets: SetRows
    nodes: Labels
    elements: Labels
    everything: str

    def boundary(self, block: Block) -> dict[Region, Held] | None:
        """Return what is held at zero, by region."""
        held: dict[Region, set[int]] = {}
        symmetric: dict[Region, bool] = {}
        for line, text in block.rows():
            row = items(text)
            found = _dofs(block, line, row[1:]) if row else None
            if found is None:
                return None
            region = self._region(block, line, row[0], self.node_sets, self.nodes)
            if region is None:
                return None
            symmetric[region] = found[1] and symmetric.get(region, True)
            held.setdefault(region, set()).update(found[0])
        return {region: (tuple(sorted(dofs)), symmetric[region]) for region, dofs in held.items()}

    def cload(self, block: Block) -> dict[Region, Vector] | None:
        """Return forces on each node, by region."""
        pushed: dict[Region, dict[int, float]] = {}
        for line, text in block.rows():
            row = items(text)
            if (
                len(row) != 3
                or not is_number(row[1])
                or number(block.lines, line, row[1]) not in (1, 2, 3)
                or not is_number(row[2])
            ):
                return None
            region = self._region(block, line, row[0], self.node_sets, self.nodes)
            if region is None:
                return None
            dof, components = int(number(block.lines, line, row[1])), pushed.setdefault(region, {})
            if dof in components:
                return None
            components[dof] = number(block.lines, line, row[2])
        return {region: (found.get(1, 0.0), found.get(2, 0.0), found.get(3, 0.0)) for region, found in pushed.items()}

    def dload(self, block: Block) -> list[tuple[Region, Pushed]] | None:
        """Return pressures and accelerations in order; the region '' is everything."""
        found: list[tuple[Region, Pushed]] = []
        for line, text in block.rows():
            row = items(text)
            values = _values(block, line, row[2:])
            kind = row[1].upper() if len(row) > 2 else ""
            if values is None or (kind, len(values)) not in {("P", 1), ("GRAV", 4)}:
                return None
            region = self._region(block, line, row[0], self.element_sets, self.elements) if row[0] or kind == "P" else ""
            if region is None or (kind == "P" and region == self.everything):
                return None
            if kind == "GRAV":
                acceleration = _acceleration(values)
                if acceleration is None or not isinstance(region, str):
                    return None
                found.append((region, acceleration))
            else:
                found.append((region, values[0]))
        return found

    def _region(self, block: Block, line: int, item: str, sets: SetRows, known: Labels) -> Region | None:
        text = word(item).text
        bare = sets.without_instance(text)
        if is_number(bare) and not item.startswith('"'):
            wanted = label(block.lines, line, bare)
            if has(sets.others, wanted):
                return None
            if not has(known, wanted):
                code = "deck_unknown_node" if sets.kind == "NSET" else "deck_unknown_element"
                block.lines.refuse(line, code, label=wanted, element=0)
            return wanted
        entry = sets.find(text, "")
        if entry is None:
            block.lines.refuse(line, "deck_unknown_set", name=shown(text))
        if entry.whole:
            return entry.final
        return self.everything if entry.name == self.everything else None


def _dofs(block: Block, line: int, row: list[str]) -> Held | None:
    if not row:
        return None
    if not is_number(row[0]):
        return NAMED_TYPES.get(row[0].upper()) if len(row) == 1 else None
    values = _values(block, line, row)
    if values is None or len(values) > 3 or (len(values) == 3 and values[2] != 0.0):
        return None
    first = values[0]
    last = values[1] if len(values) > 1 and row[1] else first
    return (tuple(range(int(first), int(last) + 1)), False) if first in DOFS and last in DOFS and first <= last else None


def _values(block: Block, line: int, row: list[str]) -> list[float] | None:
    if not all(not item or is_number(item) for item in row):
        return None
    return [number(block.lines, line, item) for item in row]


def _acceleration(values: list[float]) -> Vector | None:
    """Return the acceleration of a size and a direction of any length."""
    length = math.hypot(*values[1:])
    if length == 0.0 or not math.isfinite(length):
        return None
    x, y, z = (values[0] * (component / length) for component in values[1:])
    return (x, y, z) if math.isfinite(math.hypot(x, y, z)) else None
