"""Decides how materials, sections and what they are given to become fragments, and what they are refused for; it must not change geometry."""

from collections.abc import Sequence
from typing import Final, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.calls.property import (
    AssignmentEntry,
    AssignProperty,
    BeamSectionEntry,
    DefineProperty,
    MaterialEntry,
    ShellSectionEntry,
)
from steadyhand.domains.cae.compiling import writing
from steadyhand.domains.cae.compiling.known import SHAPES
from steadyhand.domains.cae.compiling.points import length, minus, parallel
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.scene import Fragment, Scene
from steadyhand.domains.cae.compiling.shaping import check_region
from steadyhand.domains.cae.compiling.spans import Some
from steadyhand.gate.contract import Refusal

_DIMENSIONS: Final = {"RECT": 2, "CIRC": 1, "PIPE": 2, "BOX": 6}
_OF: Final = {"shell": ("QUAD", "TRI"), "beam": ("BEAM",)}
PARALLEL: Final = 1e-6
"""The sine of the smallest angle between n1 and a beam; the engine has the same."""


def define(call: DefineProperty, scene: Scene) -> Fragment:
    """Say materials, then sections."""
    if not call.materials and not call.shell_sections and not call.beam_sections:
        raise Unfit(Refusal("nothing_to_do"))
    fragment = Fragment()
    _once([entry.name for entry in call.materials], "material")
    _once([entry.name for entry in (*call.shell_sections, *call.beam_sections)], "section")
    materials: dict[str, object] = {}
    sections: dict[str, object] = {}
    for material in call.materials:
        fragment.mutation.append(_material(material))
        materials[material.name] = material.model_dump(mode="json", exclude={"name"})
    scene.materials |= set(materials)
    for section in (*call.shell_sections, *call.beam_sections):
        _check_section(section, scene)
        fragment.mutation.append(_shell(section) if isinstance(section, ShellSectionEntry) else _beam(section))
        kind = "shell" if isinstance(section, ShellSectionEntry) else "beam"
        scene.sections[section.name] = kind
        sections[section.name] = {"kind": kind, **section.model_dump(mode="json", exclude={"name"})}
    scene.properties |= {"materials": materials, "sections": sections}  # type: ignore[dict-item]  # both are JSON
    return fragment


def _once(names: Sequence[str], kind: str) -> None:
    found: set[str] = set()
    for name in names:
        if name in found:
            raise Unfit(Refusal("defined_twice", {"name": name, "kind": kind}))
        found.add(name)


def _check_section(section: ShellSectionEntry | BeamSectionEntry, scene: Scene) -> None:
    if section.material not in scene.materials:
        raise Unfit(Refusal("material_missing", {"section": section.name, "material": section.material}))
    kind = "shell" if isinstance(section, ShellSectionEntry) else "beam"
    if scene.sections.get(section.name, kind) != kind:
        raise Unfit(Refusal("section_of_other_kind", {"section": section.name}))
    if isinstance(section, BeamSectionEntry):
        _check_dimensions(section)


def _check_dimensions(section: BeamSectionEntry) -> None:
    sizes, wanted = section.dimensions, _DIMENSIONS[section.profile]
    if len(sizes) != wanted:
        params: dict[str, str | int | float | bool] = {"section": section.name, "profile": section.profile, "wanted": wanted}
        raise Unfit(Refusal("beam_dimensions", {**params, "given": len(sizes)}))
    if section.profile == "PIPE" and sizes[1] >= sizes[0]:
        raise Unfit(Refusal("pipe_wall", {"section": section.name, "radius": sizes[0], "wall": sizes[1]}))
    if section.profile == "BOX":
        width, height, right, top, left, bottom = sizes
        if right + left >= width or top + bottom >= height:
            raise Unfit(Refusal("box_walls", {"section": section.name}))


def _material(entry: MaterialEntry) -> str:
    values = f"youngs={writing.number(entry.youngs)}, poisson={writing.number(entry.poisson)}"
    return f"model.Material(name={writing.text(entry.name)}, {values}, density={writing.number(entry.density)})"


def _shell(entry: ShellSectionEntry) -> str:
    named = f"name={writing.text(entry.name)}, material={writing.text(entry.material)}"
    return f"model.ShellSection({named}, thickness={writing.number(entry.thickness)}, offset={writing.number(entry.offset)})"


def _beam(entry: BeamSectionEntry) -> str:
    named = f"name={writing.text(entry.name)}, material={writing.text(entry.material)}, profile={entry.profile}"
    return f"model.BeamSection({named}, dimensions={writing.vector(entry.dimensions)}, offset={writing.vector(entry.offset)})"


def assign(call: AssignProperty, scene: Scene) -> Fragment:
    """Say which section goes where; no element may get two in one program."""
    fragment = Fragment()
    chosen: list[str] = []
    somes: list[Some] = []
    for entry in call.assignments:
        somes.append(_check_assignment(entry, scene))
        found = scene.foreseen(entry.region, fragment)
        if found is not None:
            chosen.append(found)
            _look(entry, found, scene, fragment)
        name = scene.picked(entry.region, fragment)
        scene.weights.give(entry.region, entry.section, first=entry.section not in scene.known.given)
        n1 = "" if entry.n1 is None else f", n1={writing.vector(entry.n1)}"
        fragment.mutation.append(f"part.SectionAssignment(elements={name}, sectionName={writing.text(entry.section)}{n1})")
    _check_apart(call.assignments, scene)
    if len(chosen) > 1:
        fragment.preflight.append(f"preflight.apart(part, {writing.sequence(chosen)})")
    _count(call.assignments, somes, scene)
    return fragment


def _look(entry: AssignmentEntry, chosen: str, scene: Scene, fragment: Fragment) -> None:
    shapes = writing.sequence(_OF[scene.sections[entry.section]])
    fragment.preflight.append(f"preflight.section_fits(part, {chosen}, section={writing.text(entry.section)}, shapes={shapes})")
    if entry.n1 is not None:
        fragment.preflight.append(
            f"preflight.n1_stands(part, {chosen}, section={writing.text(entry.section)}, n1={writing.vector(entry.n1)})"
        )


def _check_assignment(entry: AssignmentEntry, scene: Scene) -> Some:
    kind = scene.sections.get(entry.section)
    if kind is None:
        raise Unfit(Refusal("section_missing", {"section": entry.section}))
    if kind == "beam" and entry.n1 is None:
        raise Unfit(Refusal("n1_missing", {"section": entry.section}))
    if kind == "shell" and entry.n1 is not None:
        raise Unfit(Refusal("n1_not_for_shells", {"section": entry.section}))
    if entry.n1 is not None and not any(entry.n1):
        raise Unfit(Refusal("n1_zero", {"section": entry.section}))
    check_region(entry.region)
    some = scene.meant(entry.region)
    certain = entry.region.all or entry.region.set is not None
    surely = [shape for shape in SHAPES if some.shapes[shape].low and shape not in _OF[kind]]
    never = certain and not any(some.shapes[shape].high for shape in _OF[kind])
    asked = [shape for shape in entry.region.shapes if shape not in _OF[kind]]
    if surely or never or asked:
        shape = (surely or asked or [shape for shape in SHAPES if some.shapes[shape].high] or ["-"])[0]
        raise Unfit(Refusal("section_does_not_fit", {"section": entry.section, "shape": shape}))
    _check_in_sketch(entry, kind, scene)
    return some


def _check_in_sketch(entry: AssignmentEntry, kind: str, scene: Scene) -> None:
    drawn = scene.sketch
    inside = None if drawn is None else drawn.inside(entry.region)
    if drawn is None or inside is None:
        return
    if not inside:
        raise Unfit(Refusal("region_empty_for", {"name": entry.section}))
    strange = sorted(set(drawn.shapes(inside)) - set(_OF[kind]))
    if strange:
        raise Unfit(Refusal("section_does_not_fit", {"section": entry.section, "shape": strange[0]}))
    if entry.n1 is None:
        return
    for place in inside:
        first, last = drawn.elements[place].points
        if length(minus(last, first)) > 0 and parallel(entry.n1, minus(last, first), PARALLEL):
            raise Unfit(Refusal("n1_parallel", {"section": entry.section, "count": 1}))


def _check_apart(entries: Sequence[AssignmentEntry], scene: Scene) -> None:
    """Refuse two sections for one element, as far as it can be told without the mesh."""
    for place, entry in enumerate(entries):
        for other in entries[:place]:
            if _meet(entry, other, scene):
                raise Unfit(Refusal("selections_conflict", {"one": other.section, "other": entry.section}))


def _meet(entry: AssignmentEntry, other: AssignmentEntry, scene: Scene) -> bool:
    one, two = entry.region, other.region
    if one.shapes and two.shapes and not set(one.shapes) & set(two.shapes):
        return False
    if one == two:
        return True
    if scene.sketch is not None:
        inside = scene.sketch.inside(one), scene.sketch.inside(two)
        if inside[0] is not None and inside[1] is not None:
            return bool(inside[0] & inside[1])
    if (one.all and not one.shapes) or (two.all and not two.shapes):
        return True
    if one.labels is not None and two.labels is not None and one.shapes == two.shapes:
        return bool(set(one.labels) & set(two.labels))
    return False


def _count(entries: Sequence[AssignmentEntry], somes: Sequence[Some], scene: Scene) -> None:
    """Say how many elements at least have each section afterwards, and that none is without one where all were given one."""
    given: dict[str, int] = {}
    for entry, some in zip(entries, somes, strict=True):
        drawn = None if scene.sketch is None else scene.sketch.inside(entry.region)
        given[entry.section] = given.get(entry.section, 0) + (some.elements.low if drawn is None else len(drawn))
    total = scene.counts.all.elements
    everywhere = total.exact and sum(given.values()) == total.high
    scene.properties["assigned"] = {section: [low, low if everywhere else total.high] for section, low in given.items()}
    if everywhere:
        scene.properties["unassigned"] = 0
    axes: dict[str, list[list[float]]] = {}
    for entry in entries:
        if entry.n1 is not None:
            axes.setdefault(entry.section, []).append(list(entry.n1))
    scene.properties["n1"] = cast("Json", axes)
