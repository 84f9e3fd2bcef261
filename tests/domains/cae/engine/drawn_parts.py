"""Draws parts with anything that a deck has to hold, and compares two of them to the bit."""

from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import strategies as st

from steadyhand.domains.cae.engine.fitting import fitted
from steadyhand.domains.cae.engine.mesh import Labels, Mesh
from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import (
    Assignment,
    BeamSection,
    Force,
    Gravity,
    Material,
    Pressure,
    ShellSection,
    Support,
)
from steadyhand.domains.cae.engine.shapes import Profile

FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(fitted)
MODEST = st.floats(-1e150, 1e150).map(fitted)
VECTORS = st.tuples(MODEST, MODEST, MODEST)
PRINTED = st.characters(codec="utf-8", exclude_characters='"').filter(str.isprintable)
NAMES = st.one_of(
    st.sampled_from(
        ["A", "a", "_int", "12", "1e5", " x", "a,b", "Blech ä", "_deck-0", "_deck-all", "ENCASTRE", "*NODE", "S=1", "ß", "SS"]
    ),
    st.text(PRINTED, min_size=1, max_size=80),
)
KINDS = {"S4": 4, "S4R": 4, "S3": 3, "STRI3": 3, "B31": 2, "B31R": 2}
KEPT = st.sampled_from(
    [
        Kept("model", "SURFACE", "*Surface, type=ELEMENT, name=S\n _A,  SPOS"),
        Kept("model", "AMPLITUDE", "*AMPLITUDE, NAME=A\n0., 0.,\n** in between\n\n1., 1."),
        Kept("model", "ORIENTATION", "*orientation,\nname=ä"),
        Kept("model", "BOUNDARY", "*BOUNDARY, OP=NEW"),
        Kept("step", "STEP", "*Step, NLGEOM=YES\nA title"),
        Kept("step", "STATIC", "*STATIC\n1., 1."),
        Kept("step", "BUCKLE", "*BUCKLE\n10"),
        Kept("step", "OUTPUT", "*Output, field, variable=PRESELECT"),
        Kept("after", "STEP", "*STEP"),
        Kept("after", "CLOAD", "*CLOAD\n_unmatched, 2, 3."),
        Kept("after", "END STEP", "*END STEP"),
    ]
)
ORDER = ("material", "model", "step", "after")


@st.composite
def meshes(draw: st.DrawFn) -> tuple[Mesh, list[str]]:
    """A mesh and its type list."""
    labels = draw(st.lists(st.integers(1, 2**31 - 1) | st.integers(1, 30), unique=True, max_size=12).map(sorted))
    xyz = draw(st.lists(st.tuples(FLOATS, FLOATS, FLOATS), min_size=len(labels), max_size=len(labels)))
    names = ["B31", "S3", "S4", *draw(st.permutations(["S4R", "STRI3", "B31R"]))[: draw(st.integers(0, 3))]]
    elements = draw(st.lists(st.integers(1, 2**31 - 1), unique=True, max_size=8).map(sorted)) if labels else []
    types = draw(st.lists(st.integers(0, len(names) - 1), min_size=len(elements), max_size=len(elements)))
    conn = np.full((len(elements), 4), -1, np.int32)
    for row, kind in enumerate(types):
        size = KINDS[names[kind]]
        conn[row, :size] = draw(st.lists(st.integers(0, len(labels) - 1), min_size=size, max_size=size))
    mesh = Mesh(
        xyz=np.array(xyz, np.float64).reshape(-1, 3),
        node_labels=np.array(labels, np.int64),
        conn=conn,
        sizes=np.array([KINDS[names[kind]] for kind in types], np.int8),
        element_labels=np.array(elements, np.int64),
        types=np.array(types, np.int32),
        assigned=np.full(len(elements), -1, np.int32),
    )
    return mesh, names


def _sets(draw: st.DrawFn, labels: Labels) -> dict[str, Labels]:
    picked = st.lists(st.sampled_from(labels.tolist()), unique=True) if len(labels) else st.just([])
    return {name: np.array(sorted(draw(picked)), np.int64) for name in draw(st.lists(NAMES, unique=True, max_size=4))}


def _properties(draw: st.DrawFn, part: Part) -> None:
    for name in draw(st.lists(NAMES, unique=True, max_size=3)):
        part.materials[name] = Material(name, draw(FLOATS), draw(FLOATS), draw(FLOATS | st.just(0.0)))
    if part.materials:
        material = st.sampled_from(list(part.materials))
        for name in draw(st.lists(NAMES, unique=True, max_size=3)):
            beam = BeamSection(
                name,
                draw(material),
                draw(st.sampled_from(Profile)),
                draw(st.tuples(FLOATS, FLOATS)),
                draw(st.tuples(FLOATS, FLOATS)),
            )
            part.sections[name] = draw(st.sampled_from([ShellSection(name, draw(material), draw(FLOATS), draw(FLOATS)), beam]))
        chosen = draw(st.sets(material, max_size=2))
        part.kept += [Kept("material", "PLASTIC", "*PLASTIC\n235., 0.0", name) for name in part.materials if name in chosen]
    if part.sections:
        assignments = st.builds(Assignment, st.sampled_from(list(part.sections)), st.none() | VECTORS)
        part.assignments = draw(st.lists(assignments, max_size=4))
    if part.assignments and part.mesh.element_count:
        places = st.lists(
            st.integers(-1, len(part.assignments) - 1), min_size=part.mesh.element_count, max_size=part.mesh.element_count
        )
        part.mesh.assigned = np.array(draw(places), np.int32)


def _conditions(draw: st.DrawFn, part: Part) -> None:
    for name in draw(st.lists(NAMES, unique=True, max_size=4)):
        loads: list[Any] = [Gravity(name, draw(VECTORS))]
        if part.node_sets:
            loads.append(Force(name, draw(st.sampled_from(list(part.node_sets))), draw(VECTORS), draw(st.booleans())))
        if part.element_sets:
            loads.append(Pressure(name, draw(st.sampled_from(list(part.element_sets))), draw(FLOATS)))
        part.loads[name] = draw(st.sampled_from(loads))
    for name in draw(st.lists(NAMES, unique=True, max_size=3)) if part.node_sets else ():
        dofs = tuple(draw(st.lists(st.integers(1, 6), max_size=6)))
        part.supports[name] = Support(name, draw(st.sampled_from(list(part.node_sets))), dofs, draw(st.booleans()))


@st.composite
def parts(draw: st.DrawFn) -> Part:
    """Any part without a fault that a deck can hold."""
    mesh, names = draw(meshes())
    part = Part(mesh=mesh, type_names=names, heading=draw(st.just("") | st.text(max_size=60)))
    part.node_sets = _sets(draw, mesh.node_labels)
    part.element_sets = _sets(draw, mesh.element_labels)
    _properties(draw, part)
    _conditions(draw, part)
    part.kept += sorted(draw(st.lists(KEPT, max_size=5, unique_by=lambda kept: kept.keyword)), key=_place)
    last = [int(labels[-1]) if len(labels) else 0 for labels in (mesh.node_labels, mesh.element_labels)]
    part.next_node, part.next_element = (label + 1 + draw(st.integers(0, 1000)) for label in last)
    held = draw(st.lists(st.sampled_from(mesh.node_labels.tolist()), unique=True)) if mesh.node_count else []
    part.held_nodes = np.array(sorted(held), np.int64)
    return part


def _place(kept: Kept) -> tuple[int, int]:
    return ORDER.index(kept.place), {"STEP": 0, "STATIC": 1, "BUCKLE": 1}.get(kept.keyword, 2) if kept.place == "step" else 0


def told(part: Part) -> dict[str, Any]:
    """Everything of a part in a form that compares to the bit, −0.0 and the order of names included."""
    found: dict[str, Any] = {f"mesh.{item.name}": _told(getattr(part.mesh, item.name)) for item in fields(Mesh)}
    for item in fields(Part):
        value = getattr(part, item.name)
        if item.name != "mesh":
            found[item.name] = _told(value)
    return found


def _told(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return [(name, _told(entry)) for name, entry in value.items()]
    return repr(value)
