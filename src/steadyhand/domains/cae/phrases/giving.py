"""Decides the calls for materials, sections and what they are given to. It must not hold a phrase.

A section needs a material: the one that the sentence names, else the only one that the part has, else steel, which is told as taken.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from steadyhand.domains.cae.phrases.drafting import FACES, Draft, Misfit, Vector
from steadyhand.domains.cae.phrases.matching import Statement
from steadyhand.domains.cae.phrases.places import cells
from steadyhand.domains.cae.phrases.sentence import SECTIONS

PRESETS: Final[Mapping[str, Mapping[str, float]]] = {
    "STEEL": {"youngs": 210_000.0, "poisson": 0.3, "density": 7.85e-9},
    "ALUMINIUM": {"youngs": 70_000.0, "poisson": 0.33, "density": 2.7e-9},
}
USUAL: Final = "STEEL"
_SIDE_OF: Final[Mapping[str, Vector]] = {"x": (0.0, 1.0, 0.0), "y": (-1.0, 0.0, 0.0), "z": (1.0, 0.0, 0.0)}
"""Where n1 points for a beam along an axis: sideways, so that the second dimension stands upright."""
_FREE: Final = (("z", "0 0 1"), ("y", "0 1 0"), ("x", "1 0 0"))
"""Directions that n1 may have where no beam lies along the axis."""


def give(draft: Draft) -> None:
    """Define what materials and sections the sentence names, and give the sections to elements."""
    sentence = draft.sentence
    materials = _materials(draft)
    thick = [one for one in sentence.statements if "thickness" in one.held]
    beams = sentence.of(*SECTIONS)
    if not thick and not beams:
        return
    material = _material(draft, materials)
    for one in thick:
        _shell(draft, one, material)
    for one in beams:
        _beam(draft, one, material)


def _materials(draft: Draft) -> list[str]:
    """Define the materials of the sentence, and return their names."""
    found: list[str] = []
    for one in draft.sentence.statements:
        if one.kind == "material":
            entry = _own(draft, one)
        elif "material" in one.held:
            entry = {"name": one.held["material"], **PRESETS[one.held["material"]]}
            draft.assume("preset", **entry)
        else:
            continue
        name = _define(draft, one, entry)
        found += [] if name in found else [name]
    return found


def _own(draft: Draft, one: Statement) -> dict[str, Any]:
    """Return a material whose values are said, with those of the usual material of that name where some are not."""
    held = one.held
    usual = PRESETS.get(held.get("preset", ""), {})
    entry = {"name": held.get("preset") or held["name"], "youngs": held["youngs"]}
    for key in ("poisson", "density"):
        if key in held:
            entry[key] = held[key]
        elif key in usual:
            entry[key] = usual[key]
            draft.assume(f"usual_{key}", name=entry["name"], value=usual[key])
    return entry


def _define(draft: Draft, one: Statement, entry: dict[str, Any]) -> str:
    """Define a material unless the part has just that one; a usual one does not take the place of another of its name."""
    known = draft.facts.named("materials")
    name = next((name for name in known if name.casefold() == entry["name"].casefold()), entry["name"])
    there = known.get(name)
    entry = {**entry, "name": name}
    same = there is not None and all(there.get(key) == value for key, value in entry.items() if key != "name")
    if same and any("thickness" in other.held or other.kind in SECTIONS for other in draft.sentence.statements):
        return str(name)
    call = draft.call("define_property")
    held = call.setdefault("materials", [])
    if entry in held:
        return str(entry["name"])
    if any(other["name"] == entry["name"] for other in held):
        raise Misfit("material_twice", one.text, name=entry["name"])
    if there is not None and not same and one.kind != "material":
        entry = {**entry, "name": draft.fresh(str(name), known)}
    elif there is not None:
        draft.note("standing", "stands.replaced", name=entry["name"])
    held.append(entry)
    return str(entry["name"])


def _material(draft: Draft, named: Sequence[str]) -> str:
    there = [*draft.facts.named("materials")]
    if len(named) > 1 or (not named and len(there) > 1):
        raise Misfit("which_material", names=", ".join(named or there))
    if named:
        return named[0]
    if there:
        draft.assume("only_material", name=there[0])
        return there[0]
    draft.assume("no_material")
    draft.assume("preset", name=USUAL, **PRESETS[USUAL])
    draft.call("define_property").setdefault("materials", []).append({"name": USUAL, **PRESETS[USUAL]})
    return USUAL


def _section(draft: Draft, group: str, entry: Mapping[str, Any]) -> str:
    """Define a section unless the part or the call has just that one, and return its name."""
    there, call = draft.facts.named("sections"), draft.call("define_property")
    told = {"shell_sections": "shell", "beam_sections": "beam"}[group]
    offset = 0.0 if told == "shell" else [0.0, 0.0]
    old = there.get(entry["name"])
    if old is not None and old == {**_bare(entry), "kind": told, "offset": offset}:
        if not call:
            del draft.calls["define_property"]
        return str(entry["name"])
    made = next((one for one in call.get(group, ()) if _bare(one) == _bare(entry)), None)
    if made is not None:
        return str(made["name"])
    name = draft.fresh(entry["name"], there)
    call.setdefault(group, []).append({**entry, "name": name})
    return name


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "name"}


def _shell(draft: Draft, one: Statement, material: str) -> None:
    thickness = one.held["thickness"]
    draft.note("dimensions", "thickness", value=thickness)
    name = _section(
        draft, "shell_sections", {"name": f"T{thickness:g}".replace("+", ""), "material": material, "thickness": thickness}
    )
    if _only_defined(draft):
        return
    for region in _faces(draft, one):
        _assign(draft, one, {"section": name, "region": region})


def _only_defined(draft: Draft) -> bool:
    """Tell whether there is nothing yet that a section could be given to; the spec says so."""
    nothing = draft.facts.empty and not draft.made
    if nothing and draft.module != "property":
        raise Misfit("no_geometry")
    if nothing:
        draft.note("limits", "limit.not_given")
    return nothing


def _faces(draft: Draft, one: Statement) -> list[dict[str, Any]]:
    """Return which elements a thickness is meant for: those that are said, else the new ones, else all."""
    if "where" in one.held:
        region = cells(draft, one.held["where"])
        return [draft.everything(FACES) if region == {"all": True} else _filtered(draft, region, FACES)]
    if not draft.facts.empty and draft.made:
        draft.assume("new_in_box")
        return [_filtered(draft, {"box": {"minimum": list(low), "maximum": list(high)}}, FACES) for low, high in draft.boxes]
    return [draft.everything(FACES)]


def _filtered(draft: Draft, region: dict[str, Any], shapes: Sequence[str]) -> dict[str, Any]:
    if "shapes" in region or not draft.shapes - set(shapes):
        return region
    return {**region, "shapes": list(shapes)}


def _assign(draft: Draft, one: Statement, entry: dict[str, Any]) -> None:
    held = draft.call("assign_property").setdefault("assignments", [])
    if entry in held:
        return
    if any(other["region"] == entry["region"] for other in held):
        raise Misfit("two_sections", one.text)
    held.append(entry)
    if not draft.facts.empty:
        draft.note("standing", "stands.given")


def _beam(draft: Draft, one: Statement, material: str) -> None:
    profile, sizes = _profile(one)
    words = "x".join(f"{size:g}" for size in sizes[:2]).replace("+", "")
    entry = {"name": f"{profile}_{words}", "material": material, "profile": profile, "dimensions": sizes}
    name = _section(draft, "beam_sections", entry)
    if _only_defined(draft):
        return
    region = draft.everything(("BEAM",))
    _assign(draft, one, {"section": name, "region": region, "n1": list(draft.sentence.n1 or _sideways(draft, one))})


def _profile(one: Statement) -> tuple[str, list[float]]:
    held = one.held
    radius = held["radius"] if "radius" in held else held.get("diameter", 0.0) / 2
    match one.kind:
        case "rect":
            return "RECT", list(held["size"])
        case "circ":
            return "CIRC", [radius]
        case "pipe":
            return "PIPE", [radius, held["wall"]]
        case _:
            return "BOX", [*held["size"], *[held["wall"]] * 4]


def _sideways(draft: Draft, one: Statement) -> Vector:
    """Return n1 for the new beams, where all lie along one axis and the part has no others."""
    axes = {_axis_of(shape.said) for shape in draft.sentence.shapes if shape.kind == "beam"}
    if draft.facts.shapes.get("BEAM") or len(axes) != 1 or None in axes:
        taken = {axis for axis in axes if axis}
        example = next((way for axis, way in _FREE if axis not in taken), "1 1 1")
        raise Misfit("direction_missing", one.text, example=example)
    n1 = _SIDE_OF[str(axes.pop())]
    draft.assume("n1", n1=n1)
    return n1


def _axis_of(beam: Statement) -> str | None:
    way = [b - a for a, b in zip(beam.held["p"], beam.held["q"], strict=True)]
    along = [axis for axis, part in zip("xyz", way, strict=True) if part]
    return along[0] if len(along) == 1 else None
