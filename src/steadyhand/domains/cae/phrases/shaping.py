"""Decides the calls for shapes, transforms, cleaning, refining and deleting. It must not hold a phrase."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from steadyhand.domains.cae.calls.geometry import MOST_DIVISIONS
from steadyhand.domains.cae.phrases.drafting import Draft, Misfit, Vector
from steadyhand.domains.cae.phrases.matching import Statement
from steadyhand.domains.cae.phrases.places import cells
from steadyhand.domains.cae.phrases.sentence import Shape

DEFAULT_PARTS: Final = 10
"""A plate's shorter edge, and a beam, are cut into so many elements where no size is said."""
MERGE_WITHIN: Final = 0.01
_MOST_BEAM: Final = 2_000
_WHOLE: Final = 1e-9
_PLANES: Final[Mapping[str, tuple[int, int]]] = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_UNIT: Final[Mapping[str, Vector]] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_ORIGIN: Final[Vector] = (0.0, 0.0, 0.0)


def shapes(draft: Draft) -> None:
    """Build or add the shapes of the sentence, and the sets that it asks for."""
    if not draft.sentence.shapes:
        return
    call = draft.call("build_part" if draft.facts.empty else "edit_part")
    places = _Places(call)
    elements: list[dict[str, Any]] = []
    ids: list[list[str]] = []
    for place, shape in enumerate(draft.sentence.shapes, 1):
        if shape.kind == "plate":
            ids.append([f"P{place}"])
            call.setdefault("grids", []).append(_plate(draft, shape, f"P{place}"))
        else:
            made = _elements(draft, shape, places, len(elements))
            elements += made
            ids.append([one["id"] for one in made])
    if draft.facts.empty:
        call.setdefault("nodes", [])
        call["elements"] = elements
    elif elements:
        call["add_elements"] = elements
    for name, members in draft.sentence.sets.items():
        if name.casefold() in {one.casefold() for one in draft.facts.sets}:
            raise Misfit("set_taken", name=name)
        entry = {"name": name, "element_ids": [one for member in members for one in ids[member]]}
        call.setdefault("element_sets", []).append(entry)
    draft.note("standing", "stands.new" if draft.facts.empty else "stands.added")


class _Places:
    """The coordinates of a call, each under one name."""

    def __init__(self, call: dict[str, Any]) -> None:
        self._call = call
        self._names: dict[Vector, str] = {}

    def name(self, point: Vector) -> str:
        if point not in self._names:
            self._names[point] = f"N{len(self._names) + 1}"
            self._call.setdefault("nodes", []).append({"id": self._names[point], "coordinates": list(point)})
        return self._names[point]


def _plate(draft: Draft, shape: Shape, name: str) -> dict[str, Any]:
    held = shape.said.held
    edges = held["size"] if "size" in held else (held["length"], held["width"])
    plane = shape.more.get("in_plane", "xy")
    u, v = (tuple(edge if axis == along else 0.0 for axis in range(3)) for edge, along in zip(edges, _PLANES[plane], strict=True))
    origin = _corner(draft, shape, u, v)
    if "in_plane" not in shape.more:
        draft.assume("plane_xy")
    divisions = shape.more.get("divisions") or _divisions(draft, shape, edges)
    far = _vector(a + b + c for a, b, c in zip(origin, u, v, strict=True))
    draft.made.append("QUAD")
    draft.corners += [origin, far]
    draft.boxes.append((origin, far))
    draft.note("dimensions", "plate", length=edges[0], width=edges[1], along=divisions[0], across=divisions[1])
    draft.note("coordinates", "plate_at", origin=origin, plane=plane.upper())
    return {"id": name, "origin": list(origin), "u": list(u), "v": list(v), "divisions": list(divisions)}


def _corner(draft: Draft, shape: Shape, u: Sequence[float], v: Sequence[float]) -> Vector:
    if "center" in shape.more:
        return _vector(at - (a + b) / 2 for at, a, b in zip(shape.more["center"], u, v, strict=True))
    if "origin" in shape.more:
        return _vector(shape.more["origin"])
    draft.assume("origin")
    return _ORIGIN


def _divisions(draft: Draft, shape: Shape, edges: tuple[float, float]) -> tuple[int, int]:
    size = shape.more.get("element_size")
    if size is None:
        size = min(edges) / DEFAULT_PARTS
        draft.assume("element_size", size=size)
    one, two = (_parts(edge, size, MOST_DIVISIONS, shape.said.text) for edge in edges)
    if any(abs(edge / size - count) > _WHOLE * count for edge, count in zip(edges, (one, two), strict=True)):
        draft.assume("rounded_plate", size=size, one=edges[0] / one, two=edges[1] / two)
    return one, two


def _parts(length: float, size: float, most: int, clause: str) -> int:
    count = max(1, math.floor(length / size + 0.5))
    if count > most:
        raise Misfit("too_fine", clause, count=count, most=most)
    return count


def _elements(draft: Draft, shape: Shape, places: _Places, before: int) -> list[dict[str, Any]]:
    if shape.kind == "beam":
        points = _along(draft, shape)
        chains = [points[at : at + 2] for at in range(len(points) - 1)]
        word = "BEAM"
    else:
        chains = [list(shape.said.held["points"])]
        word = "TRI" if shape.kind == "triangle" else "QUAD"
    draft.made.append(word)
    draft.corners += [point for chain in chains for point in chain]
    corners = [[*axis] for axis in zip(*(point for chain in chains for point in chain), strict=True)]
    draft.boxes.append((_vector(min(axis) for axis in corners), _vector(max(axis) for axis in corners)))
    return [
        {"id": f"E{before + place}", "shape": word, "node_ids": [places.name(point) for point in chain]}
        for place, chain in enumerate(chains, 1)
    ]


def _along(draft: Draft, shape: Shape) -> list[Vector]:
    begin, end = shape.said.held["p"], shape.said.held["q"]
    length = math.dist(begin, end)
    if length == 0:
        raise Misfit("no_length", shape.said.text)
    size = shape.more.get("element_size")
    if size is None:
        size = length / DEFAULT_PARTS
        draft.assume("element_size", size=size)
    count = _parts(length, size, _MOST_BEAM, shape.said.text)
    if abs(length / size - count) > _WHOLE * count:
        draft.assume("rounded_beam", size=size, one=length / count)
    draft.note("dimensions", "beam", length=length, count=count)
    draft.note("coordinates", "beam_at", begin=begin, end=end)
    return [_vector(a + (b - a) * step / count for a, b in zip(begin, end, strict=True)) for step in range(count + 1)]


def _vector(values: Any) -> Vector:
    x, y, z = (float(f"{value:.12g}") + 0.0 for value in values)
    return (x, y, z)


# ---- what is there -----------------------------------------------------------------------------------------------------


def transform(draft: Draft, one: Statement) -> None:
    """Move, copy, turn, mirror or repeat elements."""
    held = one.held
    region = cells(draft, held.get("where"))
    step = (
        held["vector"]
        if "vector" in held
        else _vector(held["distance"] * part for part in held["signed"])
        if "signed" in held
        else None
    )
    kind = one.kind.removesuffix("_copy")
    operation: dict[str, Any] = {"region": region}
    match kind:
        case "copy" | "move":
            operation |= {"kind": "translate", "vector": list(step or _ORIGIN), "copy_elements": kind == "copy"}
        case "rotate":
            operation |= {"kind": "rotate", **_axis(draft, held), "degrees": held["degrees"], "copy_elements": one.kind != kind}
        case "mirror":
            operation |= {"kind": "mirror", **_mirror(draft, held), "copy_elements": one.kind != kind}
        case "linear_array":
            operation |= {"kind": "linear_array", "vector": list(step or _ORIGIN), "count": held["count"]}
            draft.assume("beside", count=held["count"])
        case _:
            operation |= {"kind": "polar_array", **_axis(draft, held), "degrees": held["degrees"], "count": held["count"]}
            draft.assume("beside", count=held["count"])
    draft.call("transform_part").setdefault("operations", []).append(operation)
    draft.note(
        "standing", "stands.kept" if "_copy" in one.kind or kind in ("copy", "linear_array", "polar_array") else "stands.moved"
    )


def _axis(draft: Draft, held: Mapping[str, Any]) -> dict[str, Any]:
    if "point" not in held:
        draft.assume("axis_through_origin", axis=held["axis"])
    return {"point": list(held.get("point", _ORIGIN)), "direction": list(_UNIT[held["axis"]])}


def _mirror(draft: Draft, held: Mapping[str, Any]) -> dict[str, Any]:
    if "at" not in held:
        draft.assume("mirror_plane", axis=held["axis"])
    normal = _UNIT[held["axis"]]
    return {"point": [held.get("at", 0.0) * part + 0.0 for part in normal], "normal": list(normal)}


def repair(draft: Draft, one: Statement) -> None:
    """Merge nodes, remove duplicates or free nodes."""
    call = draft.call("repair_part")
    if one.kind == "merge":
        if "tolerance" not in one.held:
            draft.assume("merge_within", tolerance=MERGE_WITHIN)
        call["merge_tolerance"] = one.held.get("tolerance", MERGE_WITHIN)
    elif one.kind == "duplicates":
        call["remove_duplicate_elements"] = True
    else:
        call["remove_free_nodes"] = True


def refine(draft: Draft, one: Statement) -> None:
    """Halve edges. Two refinements in one sentence are not one call."""
    call = draft.call("refine_mesh")
    if call:
        raise Misfit("refined_twice", one.text)
    call["levels"] = one.held["levels"]
    if "only" in one.held:
        call["shapes"] = [one.held["only"]]
    if one.held.get("where", ("all", {}))[0] == "shape":
        call["shapes"] = [one.held["where"][1]["shape"]]
    elif one.held.get("where", ("all", {}))[0] != "all":
        call["region"] = cells(draft, one.held["where"])


def delete(draft: Draft, one: Statement) -> None:
    """Delete elements, nodes, what lies in a region, or the name of a set."""
    call, held = draft.call("edit_part"), one.held
    draft.note("standing", "stands.deleted")
    if one.kind == "remove_set":
        if held["name"] not in draft.facts.sets:
            raise Misfit("unknown_set", one.text, name=held["name"])
        call.setdefault("remove_sets", []).append(held["name"])
    elif one.kind == "delete_region":
        if "delete_region" in call:
            raise Misfit("two_deletions", one.text)
        way = "set" if "set" in held else "side" if "side" in held else "plane" if "axis" in held else "box"
        call["delete_region"] = cells(draft, (way, {**held, "name": held.get("set")}))
    else:
        name = "delete_element_labels" if one.kind == "delete_elements" else "delete_node_labels"
        call[name] = sorted({*call.get(name, ()), *held["labels"]})
