"""Decides how audits become fragments, and which report each one writes; it must not look at a mesh."""

from typing import Final

from steadyhand.domains.cae.calls.geometry import AuditMesh, AuditPart
from steadyhand.domains.cae.calls.property import AuditProperty
from steadyhand.domains.cae.compiling import writing
from steadyhand.domains.cae.compiling.scene import Fragment, Scene

REPORTS: Final = {"part": "part_audit.json", "property": "property_audit.json", "mesh": "mesh_audit.json"}


def audit(call: AuditPart | AuditProperty | AuditMesh, scene: Scene) -> Fragment:
    """Say an audit; its report is part of the evidence."""
    kind = "part" if isinstance(call, AuditPart) else "mesh" if isinstance(call, AuditMesh) else "property"
    scene.artifacts.append(REPORTS[kind])
    tolerance = "" if isinstance(call, AuditProperty) else f", tolerance={writing.number(call.tolerance)}"
    return Fragment(postflight=[f"part.audit(report={writing.text(REPORTS[kind])}, kind={writing.text(kind)}{tolerance})"])
