"""Decides whether a part can be solved at all and what a person should know first; it must not write or run anything.

What the solver would answer silently wrong, or end without a reason, is refused here with the reason.
"""

import math
from collections.abc import Iterator

import numpy as np

from steadyhand.domains.cae.engine.components import components
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import UNASSIGNED, Flags, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection, Force, Gravity, Load, Material, Pressure, ShellSection
from steadyhand.domains.cae.engine.shapes import Profile, Shape
from steadyhand.domains.cae.solve.choosing import chosen, fits, memory_of, reason, slender
from steadyhand.domains.cae.solve.ends import USUAL_N1, askew, stubs
from steadyhand.domains.cae.solve.holding import Held, hold, rigid_rank
from steadyhand.domains.cae.solve.loading import densities, has_gravity
from steadyhand.domains.cae.solve.normals import corner_normals, is_beam, meeting
from steadyhand.domains.cae.solve.options import AUTO, LINEAR, QUADRATIC, Options, Remark
from steadyhand.domains.cae.solve.promoting import Model, promote

_DIMENSIONS = {Profile.RECT: 2, Profile.CIRC: 1, Profile.PIPE: 2, Profile.BOX: 6}
_SINE = 1e-3
_FLAT = 1e-9
_TEXT_THAT_COUNTS = frozenset(
    {
        "ELEMENT",
        "RIGID BODY",
        "EQUATION",
        "MPC",
        "TIE",
        "COUPLING",
        "KINEMATIC",
        "DISTRIBUTING",
        "CLOAD",
        "DLOAD",
        "DSLOAD",
        "BOUNDARY",
    }
    | {"TEMPERATURE", "CONTACT PAIR", "TRANSFORM", "PLASTIC", "ORIENTATION", "SPRING", "MASS", "ROTARY INERTIA", "GAP", "DASHPOT"}
    | {"EXPANSION", "INITIAL CONDITIONS", "NODAL THICKNESS", "NORMAL", "USER MATERIAL", "HYPERELASTIC", "HYPERFOAM", "CREEP"}
    | {"VISCOELASTIC", "CYCLIC HARDENING", "DEFORMATION PLASTICITY", "NO COMPRESSION", "NO TENSION", "CONCRETE", "DRUCKER PRAGER"}
)
"""Keywords of kept text that would change the answer; all others are only mentioned."""


def check(part: Part, options: Options) -> list[Remark]:
    """Return the remarks on *part*, or raise the `EngineRefusal` that says why it is not solved."""
    if options.elements not in {AUTO, LINEAR, QUADRATIC}:
        raise EngineRefusal("solve_unknown_elements", given=options.elements)
    _size(part, options)
    _kept(part)
    _properties(part)
    _shapes(part)
    _loads(part)
    model = promote(part, options)
    held = _supports(part, model)
    return [*_remarks(part, model, held, options)]


def _size(part: Part, options: Options) -> None:
    count = part.mesh.element_count
    if count == 0:
        raise EngineRefusal("solve_empty")
    elements = chosen(part, options)
    if count > options.max_elements:
        raise EngineRefusal("solve_too_large", count=count, limit=options.max_elements, memory_mib=memory_of(part, elements))
    if not fits(part, elements, options):
        raise EngineRefusal("solve_needs_memory", memory_mib=memory_of(part, elements), limit_mib=options.memory_mib)


def _keywords(part: Part) -> list[str]:
    return sorted({kept.keyword.lstrip("*").split(",")[0].strip().upper() for kept in part.kept})


def _kept(part: Part) -> None:
    counting = [keyword for keyword in _keywords(part) if keyword in _TEXT_THAT_COUNTS]
    if counting:
        raise EngineRefusal("solve_kept_text", keywords=", ".join(counting))


def _properties(part: Part) -> None:
    mesh = part.mesh
    bare = mesh.assigned == UNASSIGNED
    if bare.any():
        raise EngineRefusal("solve_without_section", count=int(bare.sum()), label=int(mesh.element_labels[bare][0]))
    misfit = is_beam(part)[mesh.assigned] != (mesh.sizes == Shape.BEAM.value)
    if misfit.any():
        row = int(np.flatnonzero(misfit)[0])
        name = part.assignments[int(mesh.assigned[row])].section
        raise EngineRefusal("solve_section_misfit", label=int(mesh.element_labels[row]), section=name)
    places: list[int] = np.unique(mesh.assigned).tolist()
    for place in places:
        section = part.sections[part.assignments[place].section]
        _material(part.materials[section.material])
        if isinstance(section, ShellSection):
            sound = _positive(section.thickness) and math.isfinite(section.offset)
        else:
            sound = _sound_beam(section)
        if not sound:
            raise EngineRefusal("solve_bad_section", section=section.name)


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _material(material: Material) -> None:
    if not _positive(material.youngs):
        raise EngineRefusal("solve_bad_youngs", material=material.name, value=str(material.youngs))
    if not -1 < material.poisson < 0.5:
        raise EngineRefusal("solve_bad_poisson", material=material.name, value=str(material.poisson))
    if not (math.isfinite(material.density) and material.density >= 0):
        raise EngineRefusal("solve_bad_density", material=material.name, value=str(material.density))


def _sound_beam(section: BeamSection) -> bool:
    size = section.dimensions
    if len(size) != _DIMENSIONS[section.profile] or not all(map(_positive, size)) or not all(map(math.isfinite, section.offset)):
        return False
    if section.profile is Profile.PIPE:
        return size[1] <= size[0]
    if section.profile is Profile.BOX:
        wide, high, first, second, third, fourth = size
        return first + third < wide and second + fourth < high
    return True


def _shapes(part: Part) -> None:
    """Refuse what has no area, no length, a corner that points inwards, or an n1 along its axis."""
    mesh = part.mesh
    bad = np.zeros(mesh.element_count, np.bool_)
    for shape in (Shape.TRI, Shape.QUAD):
        rows = np.flatnonzero(mesh.sizes == shape.value)
        corners = mesh.xyz[mesh.conn[rows][:, : shape.value]]
        normals = corner_normals(corners)
        mean = normals.sum(axis=1)
        ahead, behind = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
        lengths = np.linalg.norm(ahead, axis=2) * np.linalg.norm(behind, axis=2)
        sines = np.linalg.norm(np.cross(ahead, behind), axis=2)
        bad[rows] = (sines <= _FLAT * lengths).any(axis=1) | (np.einsum("ekc,ec->ek", normals, mean) <= 0).any(axis=1)
    beams = np.flatnonzero(mesh.sizes == Shape.BEAM.value)
    axes = mesh.xyz[mesh.conn[beams, 1]] - mesh.xyz[mesh.conn[beams, 0]]
    lengths = np.linalg.norm(axes, axis=1)
    bad[beams] = lengths == 0
    if bad.any():
        labels = mesh.element_labels[bad]
        raise EngineRefusal("solve_bad_shape", count=len(labels), label=int(labels[0]))
    firsts = np.array([entry.n1 or USUAL_N1 for entry in part.assignments] or [USUAL_N1])[mesh.assigned[beams]]
    sizes = np.linalg.norm(firsts, axis=1)
    parallel = ~(np.linalg.norm(np.cross(firsts, axes), axis=1) > _SINE * sizes * lengths)
    if parallel.any():
        labels = mesh.element_labels[beams[parallel]]
        raise EngineRefusal("solve_n1_parallel", count=len(labels), label=int(labels[0]))


def _has_region(part: Part, entry: Load) -> None:
    """Refuse a load of which some would be lost."""
    mesh = part.mesh
    if isinstance(entry, Force):
        rows = mesh.node_rows(part.node_sets[entry.node_set])
        free = ~mesh.used_nodes()[rows]
        if len(rows) == 0:
            raise EngineRefusal("solve_empty_region", name=entry.name)
        if free.any():
            raise EngineRefusal("solve_force_on_free_node", load=entry.name, label=int(mesh.node_labels[rows[free]][0]))
    elif isinstance(entry, Pressure):
        rows = mesh.element_rows(part.element_sets[entry.element_set])
        if not (mesh.sizes[rows] != Shape.BEAM.value).any():
            raise EngineRefusal("solve_empty_region", name=entry.name)


def _loads(part: Part) -> None:
    if not part.loads:
        raise EngineRefusal("solve_nothing_loaded")
    acts = False
    for entry in part.loads.values():
        parts = (entry.magnitude,) if isinstance(entry, Pressure) else entry.components
        if not all(map(math.isfinite, parts)):
            raise EngineRefusal("solve_bad_load", load=entry.name)
        acts = acts or any(parts)
        _has_region(part, entry)
    if not acts:
        raise EngineRefusal("solve_nothing_loaded")
    if has_gravity(part) and not (densities(part) > 0).any():
        name = next(entry.name for entry in part.loads.values() if isinstance(entry, Gravity))
        raise EngineRefusal("solve_gravity_without_density", load=name)


def _supports(part: Part, model: Model) -> Held:
    if not part.supports:
        raise EngineRefusal("solve_no_supports")
    held = hold(part, model)
    for name, nodes in held.supports.items():
        if len(nodes) == 0:
            raise EngineRefusal("solve_empty_region", name=name)
    body = components(part.mesh)
    of_node = np.full(len(model.xyz), -1, np.int64)
    for column in range(model.conn.shape[1]):
        there = model.conn[:, column] >= 0
        of_node[model.conn[there, column]] = body[there]
    nodes = held.flat
    owners = of_node[nodes]
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(int(body.max()) + 2))
    for number in range(int(body.max()) + 1):
        mine: Labels = nodes[order[starts[number] : starts[number + 1]]]
        rank = rigid_rank(model.xyz[mine], [held.nodes[node] for node in mine.tolist()])
        if rank < 6:
            label = int(part.mesh.element_labels[np.flatnonzero(body == number)[0]])
            raise EngineRefusal("solve_not_held", free=6 - rank, label=label, bodies=int(body.max()) + 1)
    return held


def _remarks(part: Part, model: Model, held: Held, options: Options) -> Iterator[Remark]:
    mesh = part.mesh
    angled, mixed = meeting(part, model)
    yield from _counted("solve_knots", angled)
    yield from _counted("solve_beam_knots", mixed)
    yield from _counted("solve_tri", mesh.sizes == Shape.TRI.value)
    yield from _counted("solve_slender", ~model.quadratic & slender(part))
    why = reason(part, options)
    if why is not None:
        yield why
    if why is None or why.code != "solve_chose_s8r":
        yield from _counted("solve_promoted", model.quadratic & (mesh.sizes == Shape.QUAD.value))
    yield from _counted("solve_free_nodes", ~mesh.used_nodes())
    added = stubs(part, model, held)
    if askew(added):
        yield Remark("solve_knotted_ends", {"count": len(added)})
    if held.turned:
        yield Remark("solve_curved_support", {"count": held.turned})
    if held.left_out:
        yield Remark("solve_rotation_left_out", {"count": held.left_out})
    if has_gravity(part):
        yield from _counted("solve_weightless", densities(part) == 0)
    if any(section.offset not in {0.0, (0.0, 0.0)} for section in part.sections.values()):
        yield Remark("solve_offset", {})
    keywords = _keywords(part)
    if keywords:
        yield Remark("solve_text_not_used", {"keywords": ", ".join(keywords)})


def _counted(code: str, flags: Flags) -> Iterator[Remark]:
    count = int(flags.sum())
    if count:
        yield Remark(code, {"count": count})
