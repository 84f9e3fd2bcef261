"""Decides which report each kind of audit leaves; it must not look itself, and must not change the part."""

from typing import Any, Final

import numpy as np

from steadyhand.domains.cae.engine.audit import audit
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import UNASSIGNED
from steadyhand.domains.cae.engine.naming import LONGEST, check_name
from steadyhand.domains.cae.engine.observe import part_facts
from steadyhand.domains.cae.engine.part import Part

SHOWN: Final = 20
PROPERTY_SCHEMA: Final = "steadyhand.property-audit"
VERSION: Final = 1
REPORT: Final = "_audit.json"
"""The end of every report's name: by it what is written beside a deck is known as one."""
_OF_PROPERTIES: Final = ("materials", "sections", "assignments", "unassigned")


def check_report(name: str) -> str:
    """Return *name* when a report can be called so: a plain name, which leads to no other folder. Raises `EngineRefusal` ``bad_name``."""
    if not name.endswith(REPORT):
        raise EngineRefusal("bad_name", name=name[:LONGEST], limit=LONGEST)
    return check_name(name)


def report(part: Part, kind: str, tolerance: float) -> dict[str, Any]:
    """Return the report of an audit of *kind* ``part``, ``mesh`` or ``property``, as JSON."""
    if kind == "property":
        return _properties(part)
    if kind not in ("part", "mesh"):
        raise EngineRefusal("unknown_audit", kind=kind[:SHOWN])
    return {**audit(part, tolerance=tolerance).to_json(), "kind": kind}


def _properties(part: Part) -> dict[str, Any]:
    """Return which elements have which section, which have none, and what nothing uses."""
    facts: Any = part_facts(part)["detail"]
    bare = part.mesh.element_labels[part.mesh.assigned == UNASSIGNED]
    places: list[int] = np.unique(part.mesh.assigned).tolist()
    used = {part.assignments[place].section for place in places if place != UNASSIGNED}
    materials = {part.sections[name].material for name in part.sections}
    return {
        "schema": PROPERTY_SCHEMA,
        "version": VERSION,
        "kind": "property",
        "elements": part.mesh.element_count,
        **{name: facts[name] for name in _OF_PROPERTIES},
        "unassigned_shown": [int(label) for label in bare[:SHOWN]],
        "unused_sections": sorted(set(part.sections) - used),
        "unused_materials": sorted(set(part.materials) - materials),
        "without_density": sorted(name for name, material in part.materials.items() if material.density == 0.0),
    }
