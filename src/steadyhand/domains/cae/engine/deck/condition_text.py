"""Decides how supports and loads stand in a deck, which a reader compares with; it must not know other keywords."""

import math

import numpy as np

from steadyhand.domains.cae.engine.deck.claims import Told, comment
from steadyhand.domains.cae.engine.deck.words import Spelling
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import all_fitted, fitted
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force, Gravity, Load, Pressure, Support
from steadyhand.domains.cae.engine.shapes import DOFS
from steadyhand.domains.cae.engine.sharing import shares

Lines = tuple[str, ...]
ALIKE = 1e-12
"""Shares that differ by less are one."""


def support_lines(support: Support, sets: dict[str, Labels], spell: Spelling) -> Lines:
    """Return the data lines of ``*BOUNDARY`` for a support, none where nothing is held."""
    if not len(sets[support.node_set]):
        return ()
    runs: list[list[int]] = []
    for dof in sorted(set(support.dofs)):
        if runs and runs[-1][1] == dof - 1:
            runs[-1][1] = dof
        else:
            runs.append([dof, dof])
    return tuple(f"{spell(support.node_set)}, {first}, {last}" for first, last in runs)


def load_lines(load: Load, part: Part, spell: Spelling, everything: str) -> Lines:
    """Return the data lines of ``*CLOAD`` or ``*DLOAD`` for a load; *everything* is the set of all elements, empty for none."""
    if isinstance(load, Force):
        return _force_lines(load, part, spell)
    if isinstance(load, Pressure):
        # A deck's positive pressure acts along the normal, the engine's against it.
        some = len(part.element_sets[load.element_set])
        return (f"{spell(load.element_set)}, P, {fitted(-load.magnitude)!r}",) if some else ()
    size = _length(load.components)
    if not everything or size == 0.0:
        return ()
    along = ", ".join(repr(fitted(component / size)) for component in load.components)
    return (f"{everything}, GRAV, {fitted(size)!r}, {along}",)


def _force_lines(force: Force, part: Part, spell: Spelling) -> Lines:
    """Return one line for the set and a direction where all nodes take the same, else one for each node."""
    labels = part.node_sets[force.node_set]
    if not len(labels):
        return ()
    if not force.total:
        return _same_lines(force, spell, 1)
    taken = shares(part.mesh, part.mesh.node_rows(labels))
    if bool((np.abs(taken * len(labels) - 1.0) < ALIKE).all()):
        return _same_lines(force, spell, len(labels))
    return tuple(
        f"{label}, {dof}, {value!r}"
        for dof, component in enumerate(force.components, 1)
        for label, value in zip(labels.tolist(), all_fitted(component * taken).tolist(), strict=True)
        if value != 0.0
    )


def _same_lines(force: Force, spell: Spelling, count: int) -> Lines:
    each = [fitted(component / count) for component in force.components]
    return tuple(f"{spell(force.node_set)}, {dof}, {value!r}" for dof, value in enumerate(each, 1) if value != 0.0)


def former_lines(load: Load, part: Part, spell: Spelling) -> Lines:
    """Return the lines that were written for a force in total while nodes shared it equally: decks that are kept have them."""
    count = len(part.node_sets[load.node_set]) if isinstance(load, Force) and load.total else 0
    return _same_lines(load, spell, count) if isinstance(load, Force) and count else ()


def _length(components: tuple[float, float, float]) -> float:
    size = math.hypot(*components)
    if not math.isfinite(size):
        raise EngineRefusal("deck_not_finite", name="gravity")
    return size


def support_claim(support: Support) -> str:
    """Return the comment line of a support."""
    if not set(support.dofs) <= set(DOFS):
        raise EngineRefusal("deck_bad_dofs", name=support.name)
    dofs: list[Told] = list(support.dofs)
    return comment({"support": support.name, "set": support.node_set, "dofs": dofs, "symmetry": support.symmetry})


def load_claim(load: Load) -> str:
    """Return the comment line of a load."""
    if isinstance(load, Pressure):
        return comment({"pressure": load.name, "set": load.element_set, "magnitude": finite(load.name, load.magnitude)})
    components: list[Told] = [finite(load.name, component) for component in load.components]
    if isinstance(load, Gravity):
        return comment({"gravity": load.name, "components": components})
    return comment({"force": load.name, "set": load.node_set, "components": components, "total": load.total})


def finite(name: str, value: float) -> float:
    """Return *value* as a float that a deck can hold."""
    if not math.isfinite(value):
        raise EngineRefusal("deck_not_finite", name=name)
    return fitted(float(value))
