"""Decides what an audit of a part looks for and how it tells it; it must not change the part, nor call it good or bad."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.coincidence import groups
from steadyhand.domains.cae.engine.components import components
from steadyhand.domains.cae.engine.duplicates import find_duplicates
from steadyhand.domains.cae.engine.edge_census import edge_census, hanging_nodes
from steadyhand.domains.cae.engine.edges import Ends, doubled, shortest_edge
from steadyhand.domains.cae.engine.free_nodes import free_nodes
from steadyhand.domains.cae.engine.inputs import as_tolerance
from steadyhand.domains.cae.engine.mesh import UNASSIGNED, Flags, Floats, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.quality import FLAT_CORNER, Quality, quality

Shown: TypeAlias = int | str | tuple[int, int]

SCHEMA = "steadyhand.mesh-audit"
VERSION = 1
SHOWN = 20


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """From where on an element's form is told as a finding: above *aspect*, *warpage*, *skew* (degrees), below *jacobian*."""

    aspect: float = 10.0
    warpage: float = 15.0
    jacobian: float = 0.3
    skew: float = 60.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for: how often it was found, and some of where.

    *of* says what *shown* names: ``node`` and ``element`` labels, ``edge`` pairs of node labels, ``set`` names. Measured findings
    show the worst first, others the smallest label first.
    """

    of: str
    count: int
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst value of a measure in the part, and the element with the smallest label that has it; none without elements."""

    value: float | None
    element: int | None


@dataclass(frozen=True, slots=True)
class Component:
    """Elements that hang together: how many, and the smallest label among them."""

    elements: int
    first: int


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found. *findings* has every name, also with a count of nought; *tolerance_used* is smaller than *tolerance*
    where half of the shortest edge is.
    """

    nodes: int
    elements: int
    shapes: dict[str, int]
    edges: int
    components: int
    largest_components: tuple[Component, ...]
    tolerance: float
    tolerance_used: float
    limits: QualityLimits
    worst: dict[str, Worst]
    findings: dict[str, Finding] = field(default_factory=dict[str, Finding])

    @property
    def found(self) -> tuple[str, ...]:
        """The names of the findings that are there."""
        return tuple(name for name, finding in self.findings.items() if finding.count)

    def to_json(self) -> dict[str, object]:
        """Return it as JSON has it: plain values in an order that does not change, no infinity and no NaN."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "counts": {
                "nodes": self.nodes,
                "elements": self.elements,
                "shapes": dict(self.shapes),
                "edges": self.edges,
                "components": self.components,
            },
            "largest_components": [asdict(one) for one in self.largest_components],
            "tolerance": self.tolerance,
            "tolerance_used": self.tolerance_used,
            "limits": asdict(self.limits),
            "worst": {name: asdict(worst) for name, worst in self.worst.items()},
            "found": list(self.found),
            "findings": {
                name: {
                    "of": finding.of,
                    "count": finding.count,
                    "shown": [list(one) if isinstance(one, tuple) else one for one in finding.shown],
                }
                for name, finding in self.findings.items()
            },
        }


def audit(part: Part, *, tolerance: float = 1e-3, limits: QualityLimits | None = None, shown: int = SHOWN) -> Audit:
    """Look at *part*; nodes within *tolerance* (mm) of each other are in one place. At most *shown* places are named per finding.

    A tolerance of half of the shortest edge or more would find nodes that are meant to differ: it is taken smaller then.
    Raises `EngineRefusal` ``bad_tolerance``, ``tolerance_too_crowded``.
    """
    mesh, limits = part.mesh, limits or QualityLimits()
    asked = as_tolerance(tolerance)
    used = min(asked, 0.49 * shortest_edge(mesh))
    census, measured = edge_census(mesh), quality(mesh)
    component_of = components(mesh)
    lister = _Lister(mesh, shown)
    findings = {
        "free_edges": lister.edges(census.free),
        "non_manifold_edges": lister.edges(census.non_manifold),
        "flipped_edges": lister.edges(census.flipped),
        "coincident_nodes": lister.nodes(groups(mesh.xyz, used) != np.arange(mesh.node_count)),
        "hanging_nodes": lister.node_rows(hanging_nodes(mesh, census, used)),
        "free_nodes": lister.nodes(free_nodes(part)),
        **_of_elements(mesh, lister, measured, limits),
        **_of_sets(part, shown),
    }
    return Audit(
        nodes=mesh.node_count,
        elements=mesh.element_count,
        shapes=mesh.shape_counts(),
        edges=len(census.edges.start),
        components=int(np.max(component_of, initial=-1)) + 1,
        largest_components=_largest(mesh, component_of, shown),
        tolerance=asked,
        tolerance_used=used,
        limits=limits,
        worst=_worst(mesh, measured),
        findings=findings,
    )


@dataclass(frozen=True, slots=True)
class _Lister:
    mesh: Mesh
    most: int

    def nodes(self, flags: Flags) -> Finding:
        return self.node_rows(np.flatnonzero(flags))

    def node_rows(self, rows: "NDArray[np.int64]") -> Finding:
        return Finding("node", len(rows), _plain(self.mesh.node_labels[rows[: self.most]]))

    def elements(self, flags: Flags) -> Finding:
        rows = np.flatnonzero(flags)
        return Finding("element", len(rows), _plain(self.mesh.element_labels[rows[: self.most]]))

    def labels(self, labels: Labels) -> Finding:
        return Finding("element", len(labels), _plain(labels[: self.most]))

    def worst_elements(self, flags: Flags, badness: Floats) -> Finding:
        rows = np.flatnonzero(flags)
        rows = rows[np.argsort(-badness[rows], kind="stable")]
        return Finding("element", len(rows), _plain(self.mesh.element_labels[rows[: self.most]]))

    def edges(self, ends: Ends) -> Finding:
        labels = self.mesh.node_labels
        start, end = labels[ends.start[: self.most]].tolist(), labels[ends.end[: self.most]].tolist()
        return Finding("edge", len(ends.start), tuple(zip(start, end, strict=True)))


def _plain(labels: Labels) -> tuple[int, ...]:
    return tuple(labels.tolist())


def _of_elements(mesh: Mesh, lister: _Lister, measured: Quality, limits: QualityLimits) -> dict[str, Finding]:
    twice = find_duplicates(mesh)
    turned = measured.jacobian <= FLAT_CORNER
    return {
        "duplicate_elements": lister.labels(twice.removed),
        "flipped_duplicates": lister.labels(twice.flipped),
        "collapsed_elements": lister.elements(doubled(mesh.conn)),
        "elements_without_size": lister.elements(measured.pointless),
        "bow_ties": lister.elements(measured.bow_tie),
        "negative_jacobian": lister.worst_elements(turned, -measured.jacobian),
        "low_jacobian": lister.worst_elements(~turned & (measured.jacobian < limits.jacobian), -measured.jacobian),
        "high_aspect": lister.worst_elements(measured.aspect > limits.aspect, measured.aspect),
        "high_warpage": lister.worst_elements(measured.warpage > limits.warpage, measured.warpage),
        "high_skew": lister.worst_elements(measured.skew > limits.skew, measured.skew),
        "unassigned_elements": lister.elements(mesh.assigned == UNASSIGNED),
    }


def _of_sets(part: Part, most: int) -> dict[str, Finding]:
    def empty(sets: "dict[str, Labels]") -> Finding:
        names = sorted(name for name, labels in sets.items() if len(labels) == 0)
        return Finding("set", len(names), tuple(names[:most]))

    return {"empty_node_sets": empty(part.node_sets), "empty_element_sets": empty(part.element_sets)}


def _worst(mesh: Mesh, measured: Quality) -> dict[str, Worst]:
    def at(values: Floats, badness: Floats, digits: int) -> Worst:
        if len(values) == 0:
            return Worst(None, None)
        row = int(np.argmax(badness))
        return Worst(round(float(values[row]), digits), int(mesh.element_labels[row]))

    return {
        "aspect": at(measured.aspect, measured.aspect, 6),
        "warpage": at(measured.warpage, measured.warpage, 4),
        "jacobian": at(measured.jacobian, -measured.jacobian, 6),
        "skew": at(measured.skew, measured.skew, 4),
    }


def _largest(mesh: Mesh, component_of: Rows, most: int) -> tuple[Component, ...]:
    counts = np.bincount(component_of)
    first = np.empty(len(counts), np.int64)
    first[component_of[::-1]] = mesh.element_labels[::-1]  # the last that is written is the smallest label
    order: Sequence[int] = np.argsort(-counts, kind="stable")[:most].tolist()
    return tuple(Component(int(counts[place]), int(first[place])) for place in order)
