"""Observations of parts as the gate has them, without a mesh or with the facts of a real one."""

from typing import Any

from steadyhand.domains.cae.engine.observe import part_facts
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.shelf.looking import ABSENT
from steadyhand.gate.contract import Observation


def seen(module: str, facts: Any = ABSENT, **more: Any) -> Observation:
    """What is seen of the part ``ship/hull`` for a change in *module*."""
    exists = facts["observation"]["target_exists"]
    target = {"model_name": "ship", "part_name": "hull", "exists": exists}
    return Observation({"module": module, "target": target, **facts, **more}, {})


def seen_part(module: str, part: Part) -> Observation:
    """What is seen of *part*."""
    return seen(module, part_facts(part))


def full(module: str, nodes: int = 6, elements: int = 2) -> Observation:
    """What is seen of a part with so many nodes and elements, all QUADs."""
    summary = {
        "node_count": nodes,
        "element_count": elements,
        "bounding_box": {"minimum": [0, 0, 0], "maximum": [10, 10, 0]},
        "shape_counts": {"QUAD": elements, "TRI": 0, "BEAM": 0},
    }
    return seen(module, {**ABSENT, "observation": {"target_exists": True, "summary": summary, "sets": []}})
