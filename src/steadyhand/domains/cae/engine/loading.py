"""Decides how loads and supports come to a part and leave it, with the sets that they keep for themselves; it must not solve."""

import math
from typing import TypeAlias

from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import as_labels, as_number, as_vector
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.naming import check_name, put_element_set, put_node_set
from steadyhand.domains.cae.engine.part import INTERNAL, Part
from steadyhand.domains.cae.engine.properties import Force, Gravity, Load, Pressure, Support
from steadyhand.domains.cae.engine.shapes import DOFS, SYMMETRY_DOFS, Axis, Shape, as_axis

Case: TypeAlias = Load | Support
LOAD_SET, SUPPORT_SET = f"{INTERNAL}load_", f"{INTERNAL}support_"


def put_force(part: Part, name: str, nodes: ArrayLike, components: ArrayLike, *, total: bool = True) -> None:
    """Add a concentrated force, or put it in the place of the load of its name."""
    _put_load(part, Force(check_name(name), f"{LOAD_SET}{name}", as_vector(components), total), _some(nodes, name))


def put_pressure(part: Part, name: str, elements: ArrayLike, magnitude: float) -> None:
    """Add a pressure, or put it in the place of the load of its name. Refused on beams: ``pressure_on_beam``."""
    labels = _some(elements, name)
    rows = part.mesh.element_rows(labels)
    beams = part.mesh.sizes[rows] == Shape.BEAM.value
    if beams.any():
        raise EngineRefusal("pressure_on_beam", load=name, label=int(labels[beams].min()), count=int(beams.sum()))
    if not math.isfinite(magnitude):
        raise EngineRefusal("bad_load", load=name)
    _put_load(part, Pressure(check_name(name), f"{LOAD_SET}{name}", as_number(magnitude)), labels)


def put_gravity(part: Part, name: str, components: ArrayLike) -> None:
    """Add an acceleration, or put it in the place of the load of its name."""
    _put_load(part, Gravity(check_name(name), as_vector(components)), None)


def put_fix(part: Part, name: str, nodes: ArrayLike, dofs: "tuple[int, ...]" = DOFS) -> None:
    """Add a support that holds *dofs*, or put it in the place of the support of its name."""
    held = tuple(sorted(set(dofs)))
    if not held or not set(held) <= set(DOFS):
        raise EngineRefusal("bad_support", support=name)
    _put_support(part, Support(check_name(name), f"{SUPPORT_SET}{name}", held), _some(nodes, name))


def put_symmetry(part: Part, name: str, nodes: ArrayLike, axis: Axis) -> None:
    """Add a plane of symmetry with normal *axis*, or put it in the place of the support of its name."""
    dofs = SYMMETRY_DOFS[as_axis(axis)]
    _put_support(part, Support(check_name(name), f"{SUPPORT_SET}{name}", dofs, symmetry=True), _some(nodes, name))


def remove_load(part: Part, name: str) -> None:
    """Take the load *name* away. Refused: ``unknown_load``."""
    if name not in part.loads:
        raise EngineRefusal("unknown_load", load=name)
    part.loads = {other: load for other, load in part.loads.items() if other != name}
    _drop_unused(part)


def remove_support(part: Part, name: str) -> None:
    """Take the support *name* away. Refused: ``unknown_support``."""
    if name not in part.supports:
        raise EngineRefusal("unknown_support", support=name)
    part.supports = {other: support for other, support in part.supports.items() if other != name}
    _drop_unused(part)


def _some(labels: ArrayLike, name: str) -> Labels:
    found = as_labels(labels)
    if not len(found):
        raise EngineRefusal("region_empty", name=name)
    return found


def _put_load(part: Part, load: Load, labels: "Labels | None") -> None:
    """Put the set first: it is what can be refused."""
    if isinstance(load, Force):
        put_node_set(part, load.node_set, labels if labels is not None else ())
    elif isinstance(load, Pressure):
        put_element_set(part, load.element_set, labels if labels is not None else ())
    part.loads = {**part.loads, load.name: load}
    _drop_unused(part)


def _put_support(part: Part, support: Support, labels: Labels) -> None:
    put_node_set(part, support.node_set, labels)
    part.supports = {**part.supports, support.name: support}
    _drop_unused(part)


def _drop_unused(part: Part) -> None:
    """Drop the sets that a load or support kept for itself and that no case refers to any more."""
    nodes = {support.node_set for support in part.supports.values()}
    nodes |= {load.node_set for load in part.loads.values() if isinstance(load, Force)}
    elements = {load.element_set for load in part.loads.values() if isinstance(load, Pressure)}
    part.node_sets = {name: held for name, held in part.node_sets.items() if name in nodes or not _own(name)}
    part.element_sets = {name: held for name, held in part.element_sets.items() if name in elements or not _own(name)}


def _own(name: str) -> bool:
    return name.startswith((LOAD_SET, SUPPORT_SET))
