"""Decides what of a part a region's digest covers, so that a change elsewhere leaves it alone; it must not compare two of them.

Digests are of the content, not of how it is held: the order of assignments in memory, of sets in a dictionary, or the sign of a
zero does not show in them.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.mesh import Rows
from steadyhand.domains.cae.engine.part import INTERNAL, Part

FORM: Final = "steadyhand-part-1"
"""Part of every digest: another form of them never looks like this one."""


def regions(part: Part) -> dict[str, str]:
    """Return the digest of each region: ``geometry``, ``sets``, ``properties``, ``cases``."""
    return {name: take(part) for name, take in _REGIONS.items()}


class _Sum:
    """A running digest of named fields; each is written with its length, so that no two contents read alike."""

    def __init__(self, name: str) -> None:
        self._sum = hashlib.sha256()
        self.words(FORM, name)

    def words(self, *values: object) -> None:
        self._bytes(_text(values).encode("ascii"))

    def array(self, values: NDArray[Any], kind: str) -> None:
        held: NDArray[Any] = np.ascontiguousarray(values, dtype=kind)
        if kind == "<f8":
            held = held + 0.0  # −0 and 0 are one place
        self.words(kind, list(held.shape))
        self._sum.update(held.data)

    def _bytes(self, data: bytes) -> None:
        self._sum.update(len(data).to_bytes(8, "little"))
        self._sum.update(data)

    def digest(self) -> str:
        return self._sum.hexdigest()


def _text(value: object) -> str:
    return json.dumps(_even(value), ensure_ascii=True, sort_keys=True, allow_nan=False)


def _even(value: object) -> object:
    """Return *value* as JSON has it, without the sign of a zero."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, (list, tuple)):
        return [_even(one) for one in cast("list[object]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(_even(getattr(value, field.name)) for field in fields(value))]
    return value


def _geometry(part: Part) -> str:
    mesh, total = part.mesh, _Sum("geometry")
    total.array(mesh.node_labels, "<i8")
    total.array(mesh.xyz, "<f8")
    total.array(mesh.element_labels, "<i8")
    total.array(mesh.sizes, "|i1")
    total.array(mesh.conn, "<i4")
    _add_named(total, part.type_names, mesh.types)
    total.words(part.next_node, part.next_element, part.heading, part.kept)
    total.array(part.held_nodes, "<i8")
    return total.digest()


def _add_named(total: _Sum, names: list[str], places: Rows) -> None:
    """Add which name each has, in a way that the order of *names* in memory does not matter for."""
    used: list[int] = np.unique(places).tolist()
    ordered = sorted({names[place] for place in used})
    total.words(ordered)
    numbers = np.zeros(len(names), np.int32)
    numbers[used] = [ordered.index(names[place]) for place in used]
    total.array(numbers[places], "<i4")


def _sets(part: Part) -> str:
    total = _Sum("sets")
    _add_sets(total, part, internal=False)
    return total.digest()


def _add_sets(total: _Sum, part: Part, *, internal: bool) -> None:
    for kind, held in (("node", part.node_sets), ("element", part.element_sets)):
        for name in sorted(held):
            if name.startswith(INTERNAL) == internal:
                total.words(kind, name)
                total.array(held[name], "<i8")


def _properties(part: Part) -> str:
    total = _Sum("properties")
    for held in (part.materials, part.sections):
        total.words([held[name] for name in sorted(held)])
    given = np.flatnonzero(part.mesh.assigned >= 0)
    total.array(part.mesh.element_labels[given], "<i8")
    _add_named(total, [_text(one) for one in part.assignments], part.mesh.assigned[given])
    return total.digest()


def _cases(part: Part) -> str:
    total = _Sum("cases")
    for held in (part.loads, part.supports):
        total.words([held[name] for name in sorted(held)])
    _add_sets(total, part, internal=True)
    return total.digest()


_REGIONS: Final[Mapping[str, Callable[[Part], str]]] = {
    "geometry": _geometry,
    "sets": _sets,
    "properties": _properties,
    "cases": _cases,
}
NAMES: Final = tuple(_REGIONS)
