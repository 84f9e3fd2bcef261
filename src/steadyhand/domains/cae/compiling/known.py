"""Decides what is known of a part before a program runs, read from the observed facts; it must not look at a mesh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from steadyhand.gate.contract import Observation

SHAPES: Final = ("QUAD", "TRI", "BEAM")
REGIONS: Final = ("geometry", "sets", "properties", "cases")
"""The regions of a footprint, as the engine's digests name them."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was observed. Sets are those that a person named, with the number of elements of each shape; *kept*: text of a deck.

    *given* are sections that elements have, *moments* are the sums of the engine's proof, by shape; None where nothing was told of them.
    """

    module: str
    exists: bool
    nodes: int
    free_nodes: int
    elements: int
    shapes: Mapping[str, int]
    element_sets: Mapping[str, Mapping[str, int]]
    node_sets: frozenset[str]
    materials: frozenset[str]
    sections: Mapping[str, str]
    loads: Mapping[str, str]
    supports: Mapping[str, str]
    kept: bool
    given: frozenset[str]
    moments: Mapping[str, Sequence[float]] | None
    set_moments: Mapping[str, Mapping[str, Sequence[float]]]
    box: Mapping[str, Sequence[float]] | None

    @property
    def empty(self) -> bool:
        """Whether there is neither a node nor an element, or no part at all."""
        return self.nodes == 0 and self.elements == 0


def known(seen: Observation) -> Known:
    """Read the facts of an observation."""
    facts = cast("Mapping[str, Any]", seen.facts)
    observed = _part(facts, "observation")
    summary, detail = _part(observed, "summary"), _part(facts, "detail")
    proof = _part(detail, "proof")
    return Known(
        module=str(facts.get("module") or ""),
        exists=bool(observed.get("target_exists")),
        nodes=int(summary.get("node_count") or 0),
        free_nodes=int(detail.get("free_nodes") or 0),
        elements=int(summary.get("element_count") or 0),
        shapes=counts(summary.get("shape_counts")),
        element_sets={name: counts(row.get("shape_counts")) for name, row in element_sets(detail).items()},
        node_sets=frozenset(str(row["name"]) for row in _rows(detail) if row["kind"] == "node"),
        materials=frozenset(_part(detail, "materials")),
        sections={name: str(entry["kind"]) for name, entry in _part(detail, "sections").items()},
        loads={name: str(entry["kind"]) for name, entry in _part(detail, "loads").items()},
        supports={name: str(entry["kind"]) for name, entry in _part(detail, "supports").items()},
        kept=bool(detail.get("kept")),
        given=frozenset(str(row["section"]) for row in cast("Sequence[Mapping[str, Any]]", detail.get("assignments") or ())),
        moments=proof.get("moments"),
        set_moments={name: entry["moments"] for name, entry in _part(proof, "element_sets").items()},
        box=summary.get("bounding_box"),
    )


def element_sets(detail: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the rows of the element sets in the detail of facts, by name."""
    return {str(row["name"]): row for row in _rows(detail) if row["kind"] == "element"}


def _rows(detail: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return cast("Sequence[Mapping[str, Any]]", detail.get("sets") or ())


def counts(value: Any) -> dict[str, int]:
    """Return the number of elements of each shape, every shape named."""
    found = cast("Mapping[str, Any]", value or {})
    return {shape: int(found.get(shape) or 0) for shape in SHAPES}


def _part(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", facts.get(name) or {})
