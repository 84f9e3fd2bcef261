"""Decides which operations take a change of a part back: the version before it, whole; it must not restore one."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.shelf.places import DECK
from steadyhand.gate.contract import Observation, Operations, Program, Receipt, Refusal


def inverse(program: Program, receipt: Receipt, now: Observation) -> Operations | Refusal:
    """Return the restoring of the base that *program* ran on; refused when the part is no longer as the change left it."""
    changed = sorted(name for name, left in receipt.footprint_after.items() if now.footprint.get(name) != left)
    if changed:
        return Refusal("part_changed_since", {"regions": ", ".join(changed)})
    result = cast("Mapping[str, Any]", receipt.result)
    replaced = cast("Mapping[str, Json]", result["replaced"])
    if result["files"][DECK] == replaced["sha256"]:
        return Refusal("nothing_to_restore")
    module = str(cast("Mapping[str, Any]", program.evidence)["module"])
    return Operations(({"tool": "restore_version", "arguments": replaced},), {"module": module})
