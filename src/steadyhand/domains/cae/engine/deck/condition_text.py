"""Decides how supports and loads stand in a deck, which a reader compares with; it must not know other keywords."""

import math

from steadyhand.domains.cae.engine.deck.claims import Told, comment
from steadyhand.domains.cae.engine.deck.words import Spelling
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.properties import Force, Gravity, Load, Pressure, Support
from steadyhand.domains.cae.engine.shapes import DOFS

Lines = tuple[str, ...]


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


def load_lines(load: Load, nodes: dict[str, Labels], elements: dict[str, Labels], spell: Spelling, everything: str) -> Lines:
    """Return the data lines of ``*CLOAD`` or ``*DLOAD`` for a load; *everything* is the set of all elements, empty for none."""
    if isinstance(load, Force):
        return _force_lines(load, len(nodes[load.node_set]), spell)
    if isinstance(load, Pressure):
        # A deck's positive pressure acts along the normal, the engine's against it.
        return (f"{spell(load.element_set)}, P, {-load.magnitude!r}",) if len(elements[load.element_set]) else ()
    size = _length(load.components)
    if not everything or size == 0.0:
        return ()
    along = ", ".join(repr(component / size) for component in load.components)
    return (f"{everything}, GRAV, {size!r}, {along}",)


def _force_lines(force: Force, count: int, spell: Spelling) -> Lines:
    if count == 0:
        return ()
    each = [component / count if force.total else component for component in force.components]
    return tuple(f"{spell(force.node_set)}, {dof}, {value!r}" for dof, value in enumerate(each, 1) if value != 0.0)


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
    return float(value)
