"""Decides which names there may be and what a set of that name holds; it must not choose who belongs to one."""

import re

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import as_labels
from steadyhand.domains.cae.engine.part import INTERNAL, Part, Sets
from steadyhand.domains.cae.engine.properties import Force, Pressure

LONGEST = 80
"""Characters of a name that every reader of decks takes."""
_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_.-]{{0,{LONGEST - 1}}}", re.ASCII)
_INTERNAL_NAME = re.compile(rf"{INTERNAL}[A-Za-z0-9_.-]{{1,{LONGEST - 1}}}", re.ASCII)


def check_name(name: str, *, internal: bool = False) -> str:
    """Return *name* when a deck can hold it: ASCII letters, digits and ``_ . -``, a letter first (internal: ``_``), at most 80.

    Raises `EngineRefusal` ``bad_name``.
    """
    if not (_INTERNAL_NAME if internal else _NAME).fullmatch(name):
        raise EngineRefusal("bad_name", name=name[:LONGEST], limit=LONGEST)
    return name


def put_element_set(part: Part, name: str, labels: ArrayLike) -> None:
    """Make the set *name* of the elements *labels*, in the place of one of that name. Names of internal sets begin with ``_``."""
    rows = part.mesh.element_rows(as_labels(labels))
    part.element_sets = _with(part.element_sets, name, part.mesh.element_labels[np.unique(rows)])


def put_node_set(part: Part, name: str, labels: ArrayLike) -> None:
    """As `put_element_set`, for nodes."""
    rows = part.mesh.node_rows(as_labels(labels))
    part.node_sets = _with(part.node_sets, name, part.mesh.node_labels[np.unique(rows)])


def remove_set(part: Part, name: str) -> None:
    """Take away the sets *name*, of elements and of nodes. Refused: ``unknown_set``, ``set_in_use`` when something refers to it."""
    if name not in part.element_sets and name not in part.node_sets:
        raise EngineRefusal("unknown_set", name=name[:LONGEST])
    user = _user_of(part, name)
    if user is not None:
        raise EngineRefusal("set_in_use", name=name, user=user)
    part.element_sets = {other: labels for other, labels in part.element_sets.items() if other != name}
    part.node_sets = {other: labels for other, labels in part.node_sets.items() if other != name}


def loaded_sets(part: Part) -> set[str]:
    """Return the names of the element sets that a load refers to."""
    return {load.element_set for load in part.loads.values() if isinstance(load, Pressure)}


def _with(sets: Sets, name: str, labels: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Sets:
    check_name(name, internal=name.startswith(INTERNAL))
    if name not in sets:
        # Decks do not tell capitals from small letters: the two would be one set when read again.
        twin = next((other for other in sets if other.casefold() == name.casefold()), None)
        if twin is not None:
            raise EngineRefusal("name_differs_in_case", name=name, other=twin)
    return {**sets, name: labels}


def _user_of(part: Part, name: str) -> str | None:
    for load in part.loads.values():
        if (isinstance(load, Force) and load.node_set == name) or (isinstance(load, Pressure) and load.element_set == name):
            return load.name
    for support in part.supports.values():
        if support.node_set == name:
            return support.name
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", re.IGNORECASE)
    return next((kept.keyword for kept in part.kept if word.search(kept.text)), None)
