"""Decides what is told of a part without handing it out: its summary, its regions, and single rows on demand. It must not change one.

Three of the four layers of observation are computed here (the first, which parts there are, needs no part): `part_facts` is the
summary with what properties and cases there are, `regions` where there is what, `detail` the rows of a selection, page by page.
All of it is JSON.
"""

from collections import Counter
from dataclasses import asdict
from typing import Final, Literal, TypeAlias

import numpy as np

from steadyhand.domains.cae.engine.components import components
from steadyhand.domains.cae.engine.mesh import UNASSIGNED, WIDTH, Flags, Floats, Labels, Mesh, Rows, Small
from steadyhand.domains.cae.engine.part import INTERNAL, Part
from steadyhand.domains.cae.engine.properties import BeamSection, Force, Load, Material, Pressure, Section, Support
from steadyhand.domains.cae.engine.proving import Facts, Told, box_of, proof
from steadyhand.domains.cae.engine.regions import Region, elements_in, nodes_in
from steadyhand.domains.cae.engine.shapes import Axis, Shape

Kind: TypeAlias = Literal["elements", "nodes"]

MOST_ROWS: Final = 200
"""So many rows one page of `detail` holds at most."""
MOST_COMPONENTS = 20
MOST_SETS = 40
STATIONS = 12
CELLS_ALONG = 4
"""A space grid has so many boxes along each axis that has an extent."""
SHAPES: Final = (Shape.QUAD, Shape.TRI, Shape.BEAM)


# ---- the summary -----------------------------------------------------------------------------------------------------


def part_facts(part: Part) -> Facts:
    """Return ``observation`` (the stable schema: counts, box, names of sets) and ``detail`` (what a compiler needs to know).

    Internal sets are left out of both. ``detail.unassigned`` and ``detail.assignments`` count elements by shape; ``detail.proof`` is
    for whoever verifies a change, not for a reader.
    """
    return {"observation": _observation(part), "detail": _detail(part)}


def _observation(part: Part) -> Facts:
    mesh = part.mesh
    return {
        "target_exists": True,
        "summary": {
            "node_count": mesh.node_count,
            "element_count": mesh.element_count,
            "bounding_box": box_of(mesh.xyz),
            "shape_counts": _counts(mesh.sizes),
        },
        "sets": list(
            dict.fromkeys(sorted(name for sets in (part.element_sets, part.node_sets) for name in sets if _named(name)))
        ),
    }


def _detail(part: Part) -> Facts:
    mesh = part.mesh
    found = components(mesh)
    used = mesh.used_nodes()
    return {
        "sets": _set_rows(part),
        "materials": {name: _fields(material) for name, material in part.materials.items()},
        "sections": {name: _section(section) for name, section in part.sections.items()},
        "assignments": _assignments(part),
        "unassigned": _counted(mesh.sizes[mesh.assigned == UNASSIGNED]),
        "loads": {name: _load(part, load) for name, load in part.loads.items()},
        "supports": {name: _support(part, support) for name, support in part.supports.items()},
        "components": int(found.max()) + 1 if len(found) else 0,
        "free_nodes": mesh.node_count - int(used.sum()),
        "types": _types(part),
        "kept": dict(sorted(Counter(kept.keyword for kept in part.kept).items())),
        "proof": proof(part),
    }


def _named(name: str) -> bool:
    return not name.startswith(INTERNAL)


def _set_rows(part: Part) -> list[Told]:
    """Return the sets by name; an element set and a node set may have the same."""
    mesh = part.mesh
    rows: list[Told] = []
    for name in sorted({*part.element_sets, *part.node_sets}):
        if name in part.element_sets and _named(name):
            rows.append({"name": name, "kind": "element", **_counted(mesh.sizes[mesh.element_rows(part.element_sets[name])])})
        if name in part.node_sets and _named(name):
            rows.append({"name": name, "kind": "node", "count": len(part.node_sets[name])})
    return rows


def _counted(sizes: Small) -> Facts:
    return {"count": len(sizes), "shape_counts": _counts(sizes)}


def _counts(sizes: Small) -> Facts:
    counts = np.bincount(sizes, minlength=WIDTH + 1)
    return {shape.name: int(counts[shape.value]) for shape in SHAPES}


def _fields(value: Material | Section | Load | Support) -> Facts:
    """Return the fields but the name, which is the key that they stand under."""
    fields = asdict(value)
    return {name: [*held] if isinstance(held, tuple) else held for name, held in fields.items() if name != "name"}


def _section(section: Section) -> Facts:
    if isinstance(section, BeamSection):
        return {**_fields(section), "kind": "beam", "profile": section.profile.name}
    return {**_fields(section), "kind": "shell"}


def _assignments(part: Part) -> list[Told]:
    rows: list[Told] = []
    for place, entry in enumerate(part.assignments):
        sizes = part.mesh.sizes[part.mesh.assigned == place]
        if len(sizes):
            n1: Told = None if entry.n1 is None else list(entry.n1)
            rows.append({"section": entry.section, "n1": n1, **_counted(sizes)})
    return rows


def _load(part: Part, load: Load) -> Facts:
    fields = {"kind": type(load).__name__.lower(), **_fields(load)}
    if isinstance(load, Force):
        fields["count"] = len(part.node_sets[load.node_set])
    elif isinstance(load, Pressure):
        fields["count"] = len(part.element_sets[load.element_set])
    return fields


def _support(part: Part, support: Support) -> Facts:
    kind = "symmetry" if support.symmetry else "fix"
    return {"kind": kind, **_fields(support), "count": len(part.node_sets[support.node_set])}


def _types(part: Part) -> Facts:
    counts = np.bincount(part.mesh.types, minlength=len(part.type_names))
    return {name: int(count) for name, count in sorted(zip(part.type_names, counts, strict=True)) if count}


# ---- the regions -----------------------------------------------------------------------------------------------------


def regions(part: Part) -> Facts:
    """Return where there is what: components, stations along the longest axis, a grid of boxes, sets; the largest come first.

    An element belongs to the station and the box that its centre is in. Every list is capped and says how many were left out.
    """
    mesh = part.mesh
    centres = _centres(mesh)
    return {
        "bounding_box": box_of(mesh.xyz),
        "components": _components(mesh),
        "stations": _stations(mesh, centres),
        "boxes": _boxes(mesh, centres),
        "sets": _sets(part),
    }


def _centres(mesh: Mesh) -> Floats:
    total = np.zeros((mesh.element_count, 3))
    for column in range(WIDTH):
        held = mesh.conn[:, column] >= 0
        total[held] += mesh.xyz[mesh.conn[held, column]]
    return total / np.maximum(mesh.sizes, 1)[:, None]


def _components(mesh: Mesh) -> Facts:
    found = components(mesh)
    sizes = np.bincount(found)
    of_node = np.full(mesh.node_count, -1, np.int32)
    for column in range(WIDTH):
        held = mesh.conn[:, column] >= 0
        of_node[mesh.conn[held, column]] = found[held]
    shown = np.argsort(-sizes, kind="stable")[:MOST_COMPONENTS]
    rows: list[Told] = []
    for number in shown:
        nodes = of_node == number
        row: Facts = {"elements": int(sizes[number]), "nodes": int(nodes.sum()), "box": box_of(mesh.xyz[nodes])}
        rows.append({**row, "first_element": int(mesh.element_labels[np.argmax(found == number)])})
    return {"count": len(sizes), "rows": rows, "left_out": len(sizes) - len(rows)}


def _stations(mesh: Mesh, centres: Floats) -> Facts:
    if mesh.element_count == 0:
        return {"axis": None, "rows": []}
    low, high = mesh.xyz.min(axis=0), mesh.xyz.max(axis=0)
    axis = int(np.argmax(high - low))
    edges: Floats = np.linspace(float(low[axis]), float(high[axis]), STATIONS + 1, dtype=np.float64)
    place = np.clip(np.searchsorted(edges, centres[:, axis], side="right") - 1, 0, STATIONS - 1)
    rows: list[Told] = []
    for station in range(STATIONS):
        inside = place == station
        if inside.any():
            span: Facts = {"from": _short(edges[station]), "to": _short(edges[station + 1])}
            rows.append({**span, **_counted(mesh.sizes[inside])})
    return {"axis": Axis(axis).name, "rows": rows}


def _boxes(mesh: Mesh, centres: Floats) -> Facts:
    if mesh.element_count == 0:
        return {"divisions": [0, 0, 0], "rows": []}
    low, high = mesh.xyz.min(axis=0), mesh.xyz.max(axis=0)
    divisions = np.where(high > low, CELLS_ALONG, 1)
    step = np.where(high > low, (high - low) / divisions, 1.0)
    cell = np.clip(((centres - low) / step).astype(np.int64), 0, divisions - 1)
    numbers = np.ravel_multi_index(tuple(cell.T), tuple(int(count) for count in divisions))
    counts = np.bincount(numbers, minlength=int(divisions.prod()))
    rows: list[Told] = []
    for number in np.flatnonzero(counts):
        corner = low + np.array(np.unravel_index(number, divisions)) * step
        far = corner + np.where(high > low, step, 0.0)
        box: Facts = {"minimum": [_short(value) for value in corner], "maximum": [_short(value) for value in far]}
        rows.append({**box, "elements": int(counts[number])})
    return {"divisions": [int(count) for count in divisions], "rows": rows}


def _sets(part: Part) -> Facts:
    mesh = part.mesh
    found: list[tuple[int, str, str, Labels]] = []
    for kind, sets in (("element", part.element_sets), ("node", part.node_sets)):
        found += [(-len(labels), name, kind, labels) for name, labels in sets.items() if _named(name)]
    found.sort(key=lambda entry: entry[:3])
    rows: list[Told] = []
    for _, name, kind, labels in found[:MOST_SETS]:
        nodes = mesh.node_rows(labels) if kind == "node" else _nodes_of(mesh, mesh.element_rows(labels))
        rows.append({"name": name, "kind": kind, "count": len(labels), "box": box_of(mesh.xyz[nodes])})
    return {"count": len(found), "rows": rows, "left_out": len(found) - len(rows)}


def _nodes_of(mesh: Mesh, rows: Rows) -> Flags:
    used = np.zeros(mesh.node_count + 1, np.bool_)
    used[mesh.conn[rows]] = True  # the padding marks one place more
    return used[:-1]


# ---- single rows -----------------------------------------------------------------------------------------------------


def detail(part: Part, region: Region, kind: Kind = "elements", offset: int = 0, limit: int = MOST_ROWS) -> Facts:
    """Return the elements, or the nodes, of *region* from *offset* on, ascending, at most *limit* and never more than `MOST_ROWS`.

    ``total`` counts all of them. Raises `EngineRefusal` as `elements_in` and `nodes_in` do.
    """
    labels = elements_in(part, region) if kind == "elements" else nodes_in(part, region)
    page = labels[offset : offset + min(limit, MOST_ROWS)]
    rows = _element_rows(part, page) if kind == "elements" else _node_rows(part.mesh, page)
    return {"kind": kind, "total": len(labels), "offset": offset, "rows": rows, "more": max(len(labels) - offset - len(page), 0)}


def _element_rows(part: Part, labels: Labels) -> list[Told]:
    mesh = part.mesh
    rows: list[Told] = []
    for row in mesh.element_rows(labels):
        size, place = int(mesh.sizes[row]), int(mesh.assigned[row])
        nodes: list[Told] = [int(mesh.node_labels[node]) for node in mesh.conn[row, :size]]
        section = None if place == UNASSIGNED else part.assignments[place].section
        rows.append({"label": int(mesh.element_labels[row]), "shape": Shape(size).name, "nodes": nodes, "section": section})
    return rows


def _node_rows(mesh: Mesh, labels: Labels) -> list[Told]:
    rows = mesh.node_rows(labels)
    return [{"label": int(mesh.node_labels[row]), "coordinates": [float(value) + 0.0 for value in mesh.xyz[row]]} for row in rows]


def _short(value: np.floating) -> float:
    return float(f"{float(value):.9g}") + 0.0
