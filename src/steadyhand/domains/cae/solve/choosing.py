"""Decides which elements stand for QUAD where the choice is left to the program; it must not build a model.

S4 has one curvature an element, so that a stress is that of its middle, and locks without a word where plates are thin and bend both ways;
with mid-side nodes it does neither, but beams that meet shells come out stiffer still. So QUAD get mid-side nodes unless a BEAM shares a
node with a shell, or they would take more memory than there is.
"""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection, ShellSection
from steadyhand.domains.cae.engine.shapes import Profile, Shape
from steadyhand.domains.cae.solve.options import AUTO, LINEAR, QUADRATIC, Options, Remark

_KIB_PER_LINEAR, _KIB_PER_QUADRATIC = 72, 210
"""Measured: 10,000 S4 take 0.68 GiB, 10,000 S8R 2.0 GiB."""
_FLAT = 1e-9
_SLENDER = 5.0
"""The longest edge of a QUAD, in thicknesses, up to which S4 answers well.

Measured on a clamped square plate under pressure, against theory: 1.01 at 3, 0.97 at 6, 0.60 at 12, 0.06 at 60, without a word.
"""


def slender(part: Part) -> Flags:
    """Return (E,) which QUADs have an edge of more than `_SLENDER` thicknesses."""
    mesh = part.mesh
    corners = mesh.xyz[mesh.conn]
    longest = np.sqrt(((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2)).max(axis=1)
    return (mesh.sizes == Shape.QUAD.value) & (longest > (1 + _FLAT) * _SLENDER * makes(part)[:, 0])


def chosen(part: Part, options: Options) -> str:
    """Return the elements that *options* name, or S4 or S8R where they leave it open."""
    if options.elements != AUTO:
        return options.elements
    wanted = _quads(part) and not _stiffened(part)
    return QUADRATIC if wanted and fits(part, QUADRATIC, options) else LINEAR


def reason(part: Part, options: Options) -> Remark | None:
    """Return why the elements were chosen as they were; None where nothing was chosen."""
    count = _quads(part)
    if options.elements != AUTO or not count:
        return None
    if chosen(part, options) == QUADRATIC:
        return Remark("solve_chose_s8r", {"count": count})
    if _stiffened(part):
        return Remark("solve_chose_s4", {"count": count})
    needed = memory_of(part, QUADRATIC)
    return Remark("solve_chose_s4_memory", {"count": count, "memory_mib": needed, "limit_mib": options.memory_mib})


def quadratic_as(part: Part, elements: str) -> Flags:
    """Return (E,) which elements are quadratic for their own sake when QUAD are solved as *elements*."""
    mesh = part.mesh
    sections = [part.sections[entry.section] for entry in part.assignments]
    curved = [isinstance(section, BeamSection) and section.profile is not Profile.RECT for section in sections]
    profiled = np.array([*curved, False])[mesh.assigned]
    wanted = (mesh.sizes == Shape.TRI.value) | ((mesh.sizes == Shape.BEAM.value) & profiled)
    return wanted | ((mesh.sizes == Shape.QUAD.value) & (elements == QUADRATIC))


def memory_of(part: Part, elements: str) -> int:
    """Return about how much memory the solver would take with QUAD as *elements*, MiB."""
    high = int(quadratic_as(part, elements).sum())
    return math.ceil((high * _KIB_PER_QUADRATIC + (part.mesh.element_count - high) * _KIB_PER_LINEAR) / 1024)


def fits(part: Part, elements: str, options: Options) -> bool:
    """Return whether that is within the bound of *options*, if there is one."""
    return not options.memory_mib or memory_of(part, elements) <= options.memory_mib


def makes(part: Part) -> Floats:
    """Return (E, 2) thickness and offset of shells, zeros for beams and elements without a section."""
    table = np.zeros((len(part.assignments) + 1, 2))
    for place, entry in enumerate(part.assignments):
        section = part.sections[entry.section]
        if isinstance(section, ShellSection):
            table[place] = (section.thickness, section.offset)
    return table[part.mesh.assigned]


def _quads(part: Part) -> int:
    return int((part.mesh.sizes == Shape.QUAD.value).sum())


def _stiffened(part: Part) -> bool:
    mesh = part.mesh
    is_bar = mesh.sizes == Shape.BEAM.value
    return bool(np.isin(mesh.conn[is_bar][:, :2], mesh.conn[~is_bar]).any())
