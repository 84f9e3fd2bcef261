"""Decides which material, section and direction elements can be given; it must not choose the elements."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import as_direction, as_labels, as_vector
from steadyhand.domains.cae.engine.mesh import Rows
from steadyhand.domains.cae.engine.naming import check_name
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, BeamSection, Material, Section, ShellSection, Vector
from steadyhand.domains.cae.engine.shapes import Profile, Shape

DIMENSIONS = {Profile.RECT: 2, Profile.CIRC: 1, Profile.PIPE: 2, Profile.BOX: 6}
"""How many dimensions each profile has."""
PARALLEL = 1e-6
"""The sine of the angle below which a direction counts as lying along a beam."""


def put_material(part: Part, material: Material) -> None:
    """Add *material*, or put it in the place of the one of its name."""
    check_name(material.name)
    _refuse_twin(material.name, part.materials)
    numbers = (material.youngs, material.poisson, material.density)
    if not all(map(math.isfinite, numbers)) or material.youngs <= 0 or not -1 < material.poisson < 0.5 or material.density < 0:
        raise EngineRefusal("bad_material", material=material.name)
    part.materials = {**part.materials, material.name: material}


def put_section(part: Part, section: Section) -> None:
    """Add *section*, or put it in the place of the one of its name. Refused when elements have that one and this does not fit them."""
    check_name(section.name)
    _refuse_twin(section.name, part.sections)
    if section.material not in part.materials:
        raise EngineRefusal("material_missing", section=section.name, material=section.material)
    _refuse_dimensions(section)
    places = [place for place, entry in enumerate(part.assignments) if entry.section == section.name]
    _refuse_misfit(part, section, np.flatnonzero(np.isin(part.mesh.assigned, places)).astype(np.int32))
    part.sections = {**part.sections, section.name: section}


def assign(part: Part, elements: ArrayLike, section_name: str, n1: "ArrayLike | None" = None) -> None:
    """Give *elements* the section *section_name*, and beams the direction *n1*; what they had before is replaced.

    Refused: ``section_missing``, ``section_does_not_fit``, ``n1_missing``, ``n1_zero``, ``n1_parallel``.
    """
    if section_name not in part.sections:
        raise EngineRefusal("section_missing", section=section_name)
    section, rows = part.sections[section_name], part.mesh.element_rows(as_labels(elements))
    _refuse_misfit(part, section, rows)
    direction = _direction(part, section, rows, n1)
    mesh, assignments = part.mesh, list(part.assignments)
    wanted = Assignment(section_name, direction)
    if wanted not in assignments:
        assignments.append(wanted)
    assigned = mesh.assigned.copy()
    assigned[rows] = assignments.index(wanted)
    part.mesh, part.assignments = replace(mesh, assigned=assigned), assignments


def _direction(part: Part, section: Section, rows: Rows, n1: "ArrayLike | None") -> Vector | None:
    if isinstance(section, ShellSection):
        return None
    if n1 is None:
        raise EngineRefusal("n1_missing", section=section.name)
    given = as_vector(n1)
    if not any(given):
        raise EngineRefusal("n1_zero", section=section.name)
    ends = part.mesh.xyz[part.mesh.conn[rows, :2]]
    along = ends[:, 1] - ends[:, 0]
    length = np.sqrt((along**2).sum(axis=1))
    across = np.cross(along, np.array(as_direction(given)))
    parallel = np.sqrt((across**2).sum(axis=1)) <= PARALLEL * length
    if parallel.any():
        label = int(part.mesh.element_labels[rows[parallel]].min())
        raise EngineRefusal("n1_parallel", section=section.name, label=label, count=int(parallel.sum()))
    return given


def _refuse_misfit(part: Part, section: Section, rows: Rows) -> None:
    beams = part.mesh.sizes[rows] == Shape.BEAM.value
    wrong = beams if isinstance(section, ShellSection) else ~beams
    if wrong.any():
        row = rows[wrong].min()
        shape = Shape(int(part.mesh.sizes[row])).name
        label = int(part.mesh.element_labels[row])
        raise EngineRefusal("section_does_not_fit", section=section.name, shape=shape, label=label, count=int(wrong.sum()))


def _refuse_dimensions(section: Section) -> None:
    if isinstance(section, ShellSection):
        well = math.isfinite(section.thickness) and section.thickness > 0 and abs(section.offset) <= 0.5
    else:
        well = _closed(section)
    if not well:
        raise EngineRefusal("bad_section", section=section.name)


def _closed(section: BeamSection) -> bool:
    sizes = section.dimensions
    if len(sizes) != DIMENSIONS[section.profile] or not all(math.isfinite(size) and size > 0 for size in sizes):
        return False
    if section.profile is Profile.PIPE:
        return sizes[1] < sizes[0]
    if section.profile is Profile.BOX:
        wide, high, *walls = sizes
        return walls[0] + walls[2] < wide and walls[1] + walls[3] < high
    return True


def _refuse_twin(name: str, known: "dict[str, Material] | dict[str, Section]") -> None:
    """Refuse a name that differs from a known one in capitals alone: a deck does not tell the two apart."""
    other = next((one for one in known if one != name and one.casefold() == name.casefold()), None)
    if other is not None:
        raise EngineRefusal("name_differs_in_case", name=name, other=other)
