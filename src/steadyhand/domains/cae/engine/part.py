"""Decides what a part holds beside its mesh, and which labels come next; it must not know files, operations or a program."""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from steadyhand.domains.cae.engine.mesh import USUAL_TYPES, Labels, Mesh, ascending
from steadyhand.domains.cae.engine.properties import Assignment, Force, Load, Material, Pressure, Section, Support

Sets: TypeAlias = dict[str, Labels]

INTERNAL = "_"
"""Sets whose name begins so were made by the program for a load or a support; they are no sets that a person asked for."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Text of a deck that the engine does not understand and writes back as it came.

    *place* says where it stands: ``model`` before the first step, ``model_last`` there behind the supports, ``step`` inside it, ``after``
    behind it; below the material *owner*, with which it goes, ``material_first`` before its constants and ``material`` behind them.
    *keyword* is its first keyword, for the report.
    """

    place: str
    keyword: str
    text: str
    owner: str = ""


@dataclass(slots=True)
class Part:
    """One part: its mesh, sets, properties, loads and supports.

    Sets hold labels, ascending and without doubles. A label is never given twice, also after a deletion: *next_node* and
    *next_element* only grow. *held_nodes* are used by elements in *kept* text: they are no free nodes.
    """

    mesh: Mesh = field(default_factory=Mesh)
    node_sets: Sets = field(default_factory=dict[str, Labels])
    element_sets: Sets = field(default_factory=dict[str, Labels])
    materials: dict[str, Material] = field(default_factory=dict[str, Material])
    sections: dict[str, Section] = field(default_factory=dict[str, Section])
    assignments: list[Assignment] = field(default_factory=list[Assignment])
    loads: dict[str, Load] = field(default_factory=dict[str, Load])
    supports: dict[str, Support] = field(default_factory=dict[str, Support])
    type_names: list[str] = field(default_factory=lambda: list(USUAL_TYPES))
    next_node: int = 1
    next_element: int = 1
    heading: str = ""
    kept: list[Kept] = field(default_factory=list[Kept])
    held_nodes: Labels = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def empty(self) -> bool:
        """Whether there is neither a node nor an element."""
        return self.mesh.node_count == 0 and self.mesh.element_count == 0

    def take_node_labels(self, count: int) -> Labels:
        """Return *count* new node labels, ascending."""
        first, self.next_node = self.next_node, self.next_node + count
        return np.arange(first, first + count, dtype=np.int64)

    def take_element_labels(self, count: int) -> Labels:
        """Return *count* new element labels, ascending."""
        first, self.next_element = self.next_element, self.next_element + count
        return np.arange(first, first + count, dtype=np.int64)

    def assignment(self, wanted: Assignment) -> int:
        """Return the place of *wanted* in the list, adding it when it is new."""
        if wanted not in self.assignments:
            self.assignments.append(wanted)
        return self.assignments.index(wanted)

    def faults(self) -> list[str]:
        """Return the names of the invariants that do not hold: references that lead nowhere, labels out of order or given twice."""
        mesh = self.mesh
        found = mesh.faults()
        if found:
            return found
        last = [int(labels[-1]) if len(labels) else 0 for labels in (mesh.node_labels, mesh.element_labels)]
        holds = {
            "type_names": tuple(self.type_names[:3]) == USUAL_TYPES,
            "next_labels": last[0] < self.next_node and last[1] < self.next_element,
            "node_sets": all(_inside(labels, mesh.node_labels) for labels in self.node_sets.values()),
            "element_sets": all(_inside(labels, mesh.element_labels) for labels in self.element_sets.values()),
            "types": ((mesh.types >= 0) & (mesh.types < len(self.type_names))).all(),
            "assigned": ((mesh.assigned >= -1) & (mesh.assigned < len(self.assignments))).all(),
            "assignments": all(entry.section in self.sections for entry in self.assignments),
            "materials": all(section.material in self.materials for section in self.sections.values()),
            "loads": all(self._has_region(load) for load in self.loads.values()),
            "supports": all(support.node_set in self.node_sets for support in self.supports.values()),
        }
        return [name for name, well in holds.items() if not well]

    def _has_region(self, load: Load) -> bool:
        if isinstance(load, Force):
            return load.node_set in self.node_sets
        return not isinstance(load, Pressure) or load.element_set in self.element_sets


def _inside(labels: Labels, known: Labels) -> bool:
    return ascending(labels) and bool(np.isin(labels, known, assume_unique=True).all())
