"""Decides how what a part holds beside arrays is put into JSON and taken out again; it must not mend what does not fit: that raises."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import (
    Assignment,
    BeamSection,
    Force,
    Gravity,
    Load,
    Material,
    Pressure,
    Section,
    ShellSection,
    Support,
)
from steadyhand.domains.cae.engine.shapes import Profile

LOADS: Mapping[str, type[Load]] = {"force": Force, "pressure": Pressure, "gravity": Gravity}
PLAIN = ("type_names", "next_node", "next_element", "heading")
Fields = dict[str, Any]


def fields_of(part: Part) -> Fields:
    """Return everything but the arrays as JSON."""
    kinds = {kind: name for name, kind in LOADS.items()}
    return {
        **{name: getattr(part, name) for name in PLAIN},
        "materials": [asdict(material) for material in part.materials.values()],
        "sections": [_section_fields(section) for section in part.sections.values()],
        "assignments": [asdict(assignment) for assignment in part.assignments],
        "loads": [{"kind": kinds[type(load)], **asdict(load)} for load in part.loads.values()],
        "supports": [asdict(support) for support in part.supports.values()],
        "kept": [asdict(kept) for kept in part.kept],
    }


def part_of(fields: Fields) -> Part:
    """Return a part without arrays."""
    part = Part(**{name: fields[name] for name in PLAIN})
    part.materials = {entry["name"]: Material(**entry) for entry in fields["materials"]}
    part.sections = {entry["name"]: _section(entry) for entry in fields["sections"]}
    part.assignments = [Assignment(**_tuples(entry)) for entry in fields["assignments"]]
    part.loads = {entry["name"]: LOADS[entry.pop("kind")](**_tuples(entry)) for entry in fields["loads"]}
    part.supports = {entry["name"]: Support(**_tuples(entry)) for entry in fields["supports"]}
    part.kept = [Kept(**entry) for entry in fields["kept"]]
    return part


def _section_fields(section: Section) -> Fields:
    fields = asdict(section)
    if isinstance(section, BeamSection):
        fields["profile"] = section.profile.name
    return fields


def _section(fields: Fields) -> Section:
    if "profile" not in fields:
        return ShellSection(**fields)
    return BeamSection(**_tuples(fields | {"profile": Profile[fields["profile"]]}))


def _tuples(fields: Fields) -> Fields:
    return {name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value for name, value in fields.items()}
