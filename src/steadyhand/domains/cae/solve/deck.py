"""Decides how a part is written for CalculiX, one model and one static step; it must not check, run or read back.

This deck is made for one run: nodes and elements are numbered 1, 2, 3 … (a single large label costs the solver gigabytes), names are
its own, and nothing of the part's archive form is kept.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import UNITS, Assignment, BeamSection
from steadyhand.domains.cae.engine.shapes import Profile
from steadyhand.domains.cae.solve.ends import Stub, stubs
from steadyhand.domains.cae.solve.holding import Held, hold
from steadyhand.domains.cae.solve.loading import Loading, densities, load
from steadyhand.domains.cae.solve.options import Options
from steadyhand.domains.cae.solve.promoting import KINDS, Kind, Model, promote

PER_LINE = 16


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck's *text* and what it was made from."""

    text: str
    model: Model
    held: Held
    loading: Loading
    stubs: tuple[Stub, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()


def compose(part: Part, options: Options, *, knotted: bool = False) -> Deck:
    """Return the deck of *part*, the same bytes every time; *knotted*: with a stub at each clamped end of beams."""
    model = promote(part, options)
    held = hold(part, model)
    loading = load(part, model)
    added = tuple(stubs(part, model, held)) if knotted else ()
    lines = [*_head(part, model), *_mesh(part, model), *_properties(part, model), *_stubs(part, model, added)]
    lines += [*_supports(held), *_step(part, held, loading)]
    return Deck("\n".join(lines) + "\n", model, held, loading, added)


def _head(part: Part, model: Model) -> Iterator[str]:
    yield "*HEADING"
    yield f"static, {UNITS}, {len(model.rows)} nodes of the part, {len(model.ends)} middles, {part.mesh.element_count} elements"
    yield f"** units: {UNITS}; nodes and elements are renumbered from 1"


def _mesh(part: Part, model: Model) -> Iterator[str]:
    yield "*NODE, NSET=NALL"
    for number, (x, y, z) in enumerate(model.xyz.tolist(), 1):
        yield f"{number}, {_number(x)}, {_number(y)}, {_number(z)}"
    for place, name, kind in _groups(part, model):
        rows = np.flatnonzero((part.mesh.assigned == place) & (model.kinds == KINDS.index(kind)))
        yield f"*ELEMENT, TYPE={kind.value[0]}, ELSET={name}"
        columns = [0, 2, 1] if kind is Kind.B32R else list(range(kind.value[1]))
        for row, nodes in zip(rows.tolist(), (model.conn[rows][:, columns] + 1).tolist(), strict=True):
            yield ", ".join(map(str, [row + 1, *nodes]))


def _groups(part: Part, model: Model) -> list[tuple[int, str, Kind]]:
    """Return assignment, name and kind of each group of elements that share a section card."""
    pairs: list[tuple[int, int]] = np.unique(np.stack([part.mesh.assigned, model.kinds], axis=1), axis=0).tolist()
    return [(place, f"S{place + 1}_{KINDS[kind].value[0]}", KINDS[kind]) for place, kind in pairs]


def _properties(part: Part, model: Model) -> Iterator[str]:
    names = {name: f"M{number}" for number, name in enumerate(part.materials, 1)}
    for material in part.materials.values():
        yield f"*MATERIAL, NAME={names[material.name]}"
        yield "*ELASTIC"
        yield f"{_number(material.youngs)}, {_number(material.poisson)}"
        if material.density > 0:
            yield "*DENSITY"
            yield _number(material.density)
    for place, name, _kind in _groups(part, model):
        entry = part.assignments[place]
        yield from _section(part, entry, name, names[part.sections[entry.section].material])


def _section(part: Part, entry: Assignment, name: str, material: str) -> Iterator[str]:
    section = part.sections[entry.section]
    if not isinstance(section, BeamSection):
        offset = f", OFFSET={_number(section.offset)}" if section.offset else ""
        yield f"*SHELL SECTION, ELSET={name}, MATERIAL={material}{offset}"
        yield _number(section.thickness)
        return
    profile, size = section.profile, section.dimensions
    if (
        profile is Profile.CIRC
    ):  # a pipe without a hole: measured closer than the solver's own CIRC, and with a radius as we have it
        profile, size = Profile.PIPE, (size[0], size[0])
    offset = "".join(f", OFFSET{axis}={_number(value)}" for axis, value in enumerate(section.offset, 1) if value)
    yield f"*BEAM SECTION, ELSET={name}, MATERIAL={material}, SECTION={profile.value}{offset}"
    yield ", ".join(map(_number, size))
    if entry.n1 is not None:
        yield ", ".join(map(_number, entry.n1))


def _stubs(part: Part, model: Model, added: tuple[Stub, ...]) -> Iterator[str]:
    materials = list(part.materials)
    for number, stub in enumerate(added, 1):
        node, element = len(model.xyz) + number, part.mesh.element_count + number
        material = materials.index(part.sections[part.assignments[stub.assignment].section].material) + 1
        yield from ("*NODE", ", ".join([str(node), *map(_number, stub.tip.tolist())]))
        yield from (f"*ELEMENT, TYPE=B31, ELSET=STUB{number}", f"{element}, {stub.node + 1}, {node}")
        yield f"*BEAM SECTION, ELSET=STUB{number}, MATERIAL=M{material}, SECTION=RECT"
        yield f"{_number(stub.width)}, {_number(stub.height)}"
        yield ", ".join(map(_number, stub.axis.tolist()))


def _supports(held: Held) -> Iterator[str]:
    if not held.nodes:
        return
    yield from _set("*NSET, NSET=HELD", held.flat)
    for node, fixed in held.nodes.items():
        if fixed.frame is not None:
            yield f"*NSET, NSET=A{node + 1}"
            yield f"{node + 1},"
            yield f"*TRANSFORM, NSET=A{node + 1}, TYPE=R"
            yield ", ".join(map(_number, fixed.frame[:2].reshape(-1).tolist()))
    yield "*BOUNDARY"
    for node, fixed in held.nodes.items():
        for first, last in _runs(fixed.dofs):
            yield f"{node + 1}, {first}, {last}"


def _step(part: Part, held: Held, loading: Loading) -> Iterator[str]:
    pressures = [value for value in np.unique(loading.pressures).tolist() if value]
    heavy = np.flatnonzero(densities(part) > 0)
    for number, value in enumerate(pressures, 1):
        yield from _set(f"*ELSET, ELSET=P{number}", np.flatnonzero(loading.pressures == value))
    size = float(np.linalg.norm(loading.acceleration))
    if size > 0 and len(heavy):
        yield from _set("*ELSET, ELSET=HEAVY", heavy)
    yield from ("*ELSET, ELSET=EALL, GENERATE", f"1, {part.mesh.element_count}, 1", "*STEP", "*STATIC")
    yield from _forces(held, loading.forces)
    if pressures or (size > 0 and len(heavy)):
        yield "*DLOAD"
    for number, value in enumerate(pressures, 1):
        yield f"P{number}, P, {_number(-value)}"  # measured: the solver's positive pressure pushes along the normal
    if size > 0 and len(heavy):
        yield ", ".join(["HEAVY, GRAV", *map(_number, [size, *(loading.acceleration / size).tolist()])])
    yield from _wanted(held)
    yield "*END STEP"


def _wanted(held: Held) -> Iterator[str]:
    """Ask for displacements at the part's own nodes, reactions, and stresses of the expanded solids: at nodes, and at their own points.

    Never ``OUTPUT=2D`` for stresses: it averages through the thickness, and pure bending prints 0.
    """
    yield from ("*NODE FILE", "U", "*EL FILE", "S", "*NODE PRINT, NSET=NALL, GLOBAL=YES", "U")
    if held.nodes:
        yield from ("*NODE PRINT, NSET=HELD, TOTALS=ONLY, GLOBAL=YES", "RF", "*NODE PRINT, NSET=HELD, GLOBAL=YES", "RF")
    yield from ("*EL PRINT, ELSET=EALL, GLOBAL=YES", "S")


def _forces(held: Held, forces: Floats) -> Iterator[str]:
    nodes = np.flatnonzero(forces.any(axis=1)).tolist()
    if nodes:
        yield "*CLOAD"
    for node in nodes:
        fixed = held.nodes.get(node)
        parts = forces[node] if fixed is None or fixed.frame is None else fixed.frame @ forces[node]
        for axis, value in enumerate(parts.tolist(), 1):
            if value:
                yield f"{node + 1}, {axis}, {_number(value)}"


def _set(card: str, rows: Labels) -> Iterator[str]:
    """Write a set of labels (rows from 0) below its card, at most 16 on a line."""
    yield card
    labels = (rows + 1).tolist()
    for start in range(0, len(labels), PER_LINE):
        yield ", ".join(map(str, labels[start : start + PER_LINE])) + ","


def _runs(dofs: Iterable[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for dof in dofs:
        if runs and runs[-1][1] == dof - 1:
            runs[-1] = (runs[-1][0], dof)
        else:
            runs.append((dof, dof))
    return runs


def _number(value: float) -> str:
    """Write 13 digits: the solver reads 20 characters of a number and would lose the exponent of a longer one."""
    return f"{value + 0.0:.13g}"
