"""Decides what is told of a part as it lies: facts from its manifest and summary, without reading its mesh; it must not change one."""

from collections.abc import Mapping
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.shelf.places import DECK, PartFolder
from steadyhand.domains.cae.shelf.records import EMPTY_REGIONS, At, damaged, summary_of
from steadyhand.gate.contract import Observation

_NO_SHAPES: Final[Mapping[str, Json]] = {"BEAM": 0, "QUAD": 0, "TRI": 0}
ABSENT: Final[Mapping[str, Any]] = {
    "observation": {
        "target_exists": False,
        "summary": {"node_count": 0, "element_count": 0, "bounding_box": None, "shape_counts": _NO_SHAPES},
        "sets": [],
    },
    "detail": {
        "sets": [],
        "materials": {},
        "sections": {},
        "assignments": [],
        "unassigned": {"count": 0, "shape_counts": _NO_SHAPES},
        "loads": {},
        "supports": {},
        "components": 0,
        "free_nodes": 0,
        "types": {},
        "kept": {},
        "proof": {},
    },
}
"""What `engine.observe.part_facts` says of a part without anything but that it is there, so that nobody needs numpy to look at a part that is absent."""


def observed(folder: PartFolder, start: At, module: str) -> Observation:
    """Return what is known of the part as it is *start*. Raises `OperatorRepairs` ``part_damaged``."""
    if start.manifest is None:
        return Observation(facts_of(folder, module, ABSENT, 0, {}, {}), EMPTY_REGIONS)
    manifest = start.manifest
    if not (folder.version(manifest.version) / DECK).is_file():
        raise damaged(folder, f"versions/{manifest.version}/{DECK}")
    facts = facts_of(folder, module, summary_of(folder, manifest), manifest.version, manifest.files, manifest.jobs)
    return Observation(facts, dict(manifest.regions))


def facts_of(
    folder: PartFolder,
    module: str,
    read: Mapping[str, Any],
    version: int,
    files: Mapping[str, str],
    jobs: Mapping[str, Json],
) -> dict[str, Json]:
    """Return facts in the one form that observations, read-backs and rehearsals have."""
    observation = cast("Mapping[str, Json]", read["observation"])
    return {
        "module": module,
        "target": {"model_name": folder.name.model, "part_name": folder.name.part, "exists": observation["target_exists"]},
        "observation": observation,
        "detail": {**read["detail"], "version": version, "results": sorted(jobs)},
        "artifacts": {name: sha256 for name, sha256 in files.items() if name.endswith("_audit.json")},
        "results": dict(jobs),
    }
