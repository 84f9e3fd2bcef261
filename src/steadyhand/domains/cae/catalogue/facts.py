"""Decides how an observation of a part is read by code that has no part: module, target, emptiness. It must not look at files."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.domains.cae.calls.table import MODULES, ModuleName
from steadyhand.gate.contract import Observation


def facts_of(seen: Observation) -> Mapping[str, Any]:
    """Return the facts of an observation of the domain."""
    return cast("Mapping[str, Any]", seen.facts)


def module_of(seen: Observation) -> ModuleName:
    """Return the module that the person picked, which is frozen with the change."""
    module = cast("ModuleName", facts_of(seen)["module"])
    if module not in MODULES:
        raise ValueError(module)
    return module


def is_empty(seen: Observation) -> bool:
    """Whether the part is absent, or has neither a node nor an element."""
    observation = cast("Mapping[str, Any]", facts_of(seen)["observation"])
    summary = cast("Mapping[str, int]", observation["summary"])
    return not observation["target_exists"] or (summary["node_count"] == 0 and summary["element_count"] == 0)
