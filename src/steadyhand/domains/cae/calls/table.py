"""Decides which wire tools there are, of which module, under which capability, in which order; it must not describe or compile one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from steadyhand.domains.cae.calls.analysis import ApplyBoundary, ApplyLoad, RunJob
from steadyhand.domains.cae.calls.geometry import AuditMesh, AuditPart, BuildPart, EditPart, RefineMesh, RepairPart, TransformPart
from steadyhand.domains.cae.calls.property import AssignProperty, AuditProperty, DefineProperty
from steadyhand.tools.base import Arguments

ModuleName: TypeAlias = Literal["part", "property", "mesh", "load", "analysis"]


@dataclass(frozen=True, slots=True)
class WireTool:
    """A tool on the wire: *capability* is its word in a spec's route."""

    name: str
    capability: str
    arguments: type[Arguments]


ORDER: Final = (
    WireTool("build_part", "build", BuildPart),
    WireTool("edit_part", "edit", EditPart),
    WireTool("transform_part", "transform", TransformPart),
    WireTool("repair_part", "repair", RepairPart),
    WireTool("refine_mesh", "refine", RefineMesh),
    WireTool("define_property", "define", DefineProperty),
    WireTool("assign_property", "assign", AssignProperty),
    WireTool("apply_boundary", "boundary", ApplyBoundary),
    WireTool("apply_load", "load", ApplyLoad),
    WireTool("audit_part", "audit", AuditPart),
    WireTool("audit_property", "audit", AuditProperty),
    WireTool("audit_mesh", "audit", AuditMesh),
    WireTool("run_job", "run", RunJob),
)
"""Every wire tool, in the one order in which a program runs them: shape, mesh, properties, supports, loads, looks, the job."""

TOOLS: Final[Mapping[str, WireTool]] = {tool.name: tool for tool in ORDER}

MODULES: Final[Mapping[ModuleName, tuple[str, ...]]] = {
    "part": ("build_part", "edit_part", "transform_part", "repair_part", "audit_part"),
    "property": ("define_property", "assign_property", "audit_property"),
    "mesh": ("refine_mesh", "audit_mesh"),
    "load": ("apply_boundary", "apply_load", "run_job"),
    "analysis": (
        "build_part",
        "edit_part",
        "transform_part",
        "repair_part",
        "refine_mesh",
        "define_property",
        "assign_property",
        "apply_boundary",
        "apply_load",
        "audit_part",
        "run_job",
    ),
}
"""What a person may pick, and the tools of each. *analysis* goes from the shape to the result in one change."""

EMPTY_ONLY: Final = frozenset({"build_part"})
"""Tools for a part that is absent or empty; there they come first, and on any other part they are refused."""
NEEDS_GEOMETRY: Final = frozenset({"edit_part", "transform_part", "repair_part"})
"""Tools that need a part with geometry of its own and never stand beside those of `EMPTY_ONLY`."""
