"""Decides how new nodes, elements and plates of a call are checked and said; it must not decide whether the part may take them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from steadyhand.domains.cae.calls.geometry import BuildPart, EditPart, ElementEntry, ElementSetEntry, GridEntry
from steadyhand.domains.cae.compiling import writing
from steadyhand.domains.cae.compiling.points import Point, cross, distinct, lattice, length, minus, parallel, same
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.scene import MOST_ELEMENTS, Fragment, Scene
from steadyhand.domains.cae.compiling.spans import CORNERS, Some, Span
from steadyhand.gate.contract import Refusal

_CODES: Final = {"QUAD": "quad_needs_four_points", "TRI": "tri_needs_three_points", "BEAM": "beam_needs_two_points"}
_FLAT: Final = 1e-9
_MOST_POINTS: Final = 200_000
"""Of more coordinates the distinct ones are not counted here; the count is a range then."""


@dataclass(frozen=True, slots=True)
class Added:
    """What a call adds: the places of its node ids, how many distinct ones, the counts of its elements, whether all nodes are used."""

    where: dict[str, Point]
    points: Span
    counts: dict[str, int]
    all_used: bool


def check(call: BuildPart | EditPart, elements: Sequence[ElementEntry]) -> Added:
    """Check what *call* adds on its own. Raises `Unfit`."""
    where = _places(call)
    names = [*(entry.id for entry in elements), *(grid.id for grid in call.grids)]
    twice = _twice(names)
    if twice is not None:
        raise Unfit(Refusal("element_id_twice", {"id": twice}))
    for element in elements:
        _check_element(element, where)
    for grid in call.grids:
        _check_grid(grid)
    _check_sets(call.element_sets, set(names))
    counts = {shape: sum(entry.shape == shape for entry in elements) for shape in CORNERS}
    counts["QUAD"] += sum(grid.divisions[0] * grid.divisions[1] for grid in call.grids)
    total = sum(counts.values())
    if total > MOST_ELEMENTS:
        raise Unfit(Refusal("too_many_elements", {"count": total, "limit": MOST_ELEMENTS}))
    used = {name for element in elements for name in element.node_ids}
    return Added(where, _points(call, where), counts, used == set(where))


def say(call: BuildPart | EditPart, elements: Sequence[ElementEntry], scene: Scene, fragment: Fragment) -> None:
    """Write the resolving, making and naming of what *call* adds."""
    lines = fragment.mutation
    nodes = scene.name("nodes")
    if call.nodes:
        table = writing.rows([writing.vector(entry.coordinates) for entry in call.nodes])
        lines.append(f"{nodes} = part.resolveNodes({table})")
    rank = {entry.id: place for place, entry in enumerate(call.nodes)}
    members: dict[str, str] = {}
    for shape, run in groupby(elements, key=lambda entry: entry.shape):
        made, held = scene.name("elements"), list(run)
        table = writing.rows([writing.sequence(f"{nodes}[{rank[name]}]" for name in entry.node_ids) for entry in held])
        lines.append(f"{made} = part.Elements(nodes={table}, elemShape={shape})")
        members |= {entry.id: f"{made}[{place}]" for place, entry in enumerate(held)}
    for grid in call.grids:
        made = scene.name("plate")
        edges = f"origin={writing.vector(grid.origin)}, u={writing.vector(grid.u)}, v={writing.vector(grid.v)}"
        lines.append(f"{made} = part.Grid({edges}, divisions={writing.labels(grid.divisions)})")
        members[grid.id] = f"*{made}"
    for entry in call.element_sets:
        named = writing.sequence(members[name] for name in entry.element_ids)
        lines.append(f"part.Set(name={writing.text(entry.name)}, elements={named})")


def put(call: BuildPart | EditPart, added: Added, scene: Scene, elements: Sequence[ElementEntry]) -> None:
    """Count what *call* adds."""
    for entry in call.element_sets:
        if entry.name in scene.counts.sets and scene.counts.sets[entry.name].elements.high > 0:
            raise Unfit(Refusal("set_name_taken", {"name": entry.name}))
    nothing = scene.counts.nodes.high == 0
    scene.weights.add(call, added.where, exact=nothing and added.points.exact)
    scene.counts.put_points(added.points)
    scene.counts.put_elements(added.counts)
    if nothing and added.all_used:
        scene.counts.used = scene.counts.nodes
    shapes = {entry.id: {str(entry.shape): 1} for entry in elements}
    shapes |= {grid.id: {"QUAD": grid.divisions[0] * grid.divisions[1]} for grid in call.grids}
    for entry in call.element_sets:
        held = {shape: Span.of(sum(shapes[name].get(shape, 0) for name in entry.element_ids)) for shape in CORNERS}
        scene.counts.sets[entry.name] = Some(Span.of(sum(span.low for span in held.values())), held)
        scene.gone.discard(entry.name)
    scene.within_limit()


def _places(call: BuildPart | EditPart) -> dict[str, Point]:
    twice = _twice(entry.id for entry in call.nodes)
    if twice is not None:
        raise Unfit(Refusal("node_id_twice", {"id": twice}))
    return {entry.id: entry.coordinates for entry in call.nodes}


def _twice(names: Iterable[str]) -> str | None:
    found: set[str] = set()
    for name in names:
        if name in found:
            return name
        found.add(name)
    return None


def _check_element(element: ElementEntry, where: dict[str, Point]) -> None:
    for name in element.node_ids:
        if name not in where:
            raise Unfit(Refusal("node_id_unknown", {"element": element.id, "id": name}))
    points = [where[name] for name in element.node_ids]
    wanted = CORNERS[element.shape]
    apart = all(not same(one, other) for place, one in enumerate(points) for other in points[:place])
    if len(points) != wanted or not apart:
        raise Unfit(Refusal(_CODES[element.shape], {"element": element.id, "given": len(points)}))
    if element.shape != "BEAM":
        _check_face(element.id, points)


def _check_face(name: str, points: Sequence[Point]) -> None:
    turns = [cross(minus(after, at), minus(before, at)) for before, at, after in _corners(points)]
    size = max(math.dist(one, other) for place, one in enumerate(points) for other in points[:place])
    if max(length(turn) for turn in turns) <= _FLAT * size * size:
        raise Unfit(Refusal("element_without_area", {"element": name}))
    against = sum(sum(a * b for a, b in zip(turn, turns[0], strict=True)) < 0 for turn in turns)
    if len(points) == CORNERS["QUAD"] and against == 2:
        raise Unfit(Refusal("quad_crosses_itself", {"element": name}))


def _corners(points: Sequence[Point]) -> list[tuple[Point, Point, Point]]:
    many = len(points)
    return [(points[place - 1], points[place], points[(place + 1) % many]) for place in range(many)]


def _check_grid(grid: GridEntry) -> None:
    if not any(grid.u) or not any(grid.v):
        raise Unfit(Refusal("zero_vector", {"name": grid.id}))
    if parallel(grid.u, grid.v, _FLAT):
        raise Unfit(Refusal("grid_flat", {"name": grid.id}))


def _check_sets(entries: Sequence[ElementSetEntry], known: set[str]) -> None:
    twice = _twice(entry.name for entry in entries)
    if twice is not None:
        raise Unfit(Refusal("set_name_taken", {"name": twice}))
    for entry in entries:
        for name in entry.element_ids:
            if name not in known:
                raise Unfit(Refusal("set_element_unknown", {"name": entry.name, "id": name}))


def _points(call: BuildPart | EditPart, where: dict[str, Point]) -> Span:
    sizes = [(grid.divisions[0] + 1) * (grid.divisions[1] + 1) for grid in call.grids]
    if not where and len(sizes) == 1:
        return Span.of(sizes[0])
    if len(where) + sum(sizes) > _MOST_POINTS:
        return Span(max(sizes, default=1), len(where) + sum(sizes))
    return distinct([*where.values(), *(point for grid in call.grids for row in lattice(grid) for point in row)])
