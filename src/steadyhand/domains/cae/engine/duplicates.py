"""Decides which elements lie over each other node by node, and which of them stays; it must not know nodes that are merely near."""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.compacting import replaced, within
from steadyhand.domains.cae.engine.deleting import delete_elements
from steadyhand.domains.cae.engine.edges import doubled
from steadyhand.domains.cae.engine.equal_rows import Columns, Places, first_equal
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import WIDTH, Flags, Labels, Mesh, Rows, Small
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Pressure


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Elements of one shape over the same nodes in the same round: each of *removed* lies over the one of *survivors* beside it.

    *flipped* are those of *removed* that run the other way round (BEAM: the other way); *other_section* those that were
    assigned something else than what survives.
    """

    removed: Labels
    survivors: Labels
    flipped: Labels
    other_section: Labels


def find_duplicates(mesh: Mesh) -> Duplicates:
    """Return what lies over an element with a smaller label.

    The same nodes crosswise (1-2-3-4 and 1-3-2-4) are no duplicate: one of them is a bow-tie, and only a person knows which is meant.
    """
    over, under = _overlaps(mesh)
    labels = mesh.element_labels
    flipped = _direction(mesh, over) != _direction(mesh, under)
    other = mesh.assigned[over] != mesh.assigned[under]
    return Duplicates(labels[over], labels[under], labels[over[flipped]], labels[over[other]])


def remove_duplicate_elements(part: Part) -> Labels:
    """Remove what `find_duplicates` finds and return it; what survives keeps its section and takes over the memberships in sets.

    Raises `EngineRefusal` ``pressure_would_flip`` where a flipped one is under a pressure, which would then push the other way.
    """
    found = find_duplicates(part.mesh)
    _refuse_a_turned_pressure(part, found)
    sets = {name: replaced(labels, found.removed, found.survivors) for name, labels in part.element_sets.items()}
    delete_elements(part, found.removed)
    part.element_sets = sets
    return found.removed


def _overlaps(mesh: Mesh) -> tuple[Places, Places]:
    """Return the rows of elements that lie over one with a smaller label, and the row of that one for each."""
    first = first_equal(_round(mesh))
    over = np.flatnonzero(first != np.arange(mesh.element_count))
    return over, first[over]


def _refuse_a_turned_pressure(part: Part, found: Duplicates) -> None:
    for load in part.loads.values():
        if isinstance(load, Pressure) and len(found.flipped):
            turned = found.flipped[within(part.element_sets[load.element_set], found.flipped)[1]]
            if len(turned):
                raise EngineRefusal("pressure_would_flip", load=load.name, element=int(turned[0]), count=len(turned))


def _round(mesh: Mesh) -> Columns:
    """Return columns that are equal for elements of one shape over the same nodes in the same round, wherever it begins and turns."""
    conn: list[Rows] = list(np.ascontiguousarray(mesh.conn.T))
    low, high = np.minimum(conn[0], conn[1]), np.maximum(conn[0], conn[1])
    low2, high2 = np.minimum(conn[2], conn[3]), np.maximum(conn[2], conn[3])
    least, most = np.minimum(low, low2), np.maximum(high, high2)
    inner, inner2 = np.maximum(low, low2), np.minimum(high, high2)
    of_first_pair = np.where(least == conn[0], conn[2], conn[3])
    of_second_pair = np.where(least == conn[2], conn[0], conn[1])
    opposite: Rows = np.where(least == low, of_first_pair, of_second_pair)
    # Only four different nodes have a round to tell apart; three or two have one, and collapsed elements have none.
    opposite[(mesh.sizes < WIDTH) | doubled(mesh.conn)] = -1
    return (
        _two(least, np.minimum(inner, inner2)),
        _two(np.maximum(inner, inner2), most),
        _two(opposite, mesh.sizes),
    )


def _two(one: Rows, other: Rows | Small) -> Places:
    return (one.astype(np.int64) << 32) | (other.astype(np.int64) + 1)


def _direction(mesh: Mesh, rows: Places) -> Flags:
    """Return for the elements of *rows* whether the node after the smallest one is smaller than the node before it."""
    conn, sizes = mesh.conn[rows], mesh.sizes[rows].astype(np.int64)
    place = np.arange(len(rows))
    least = np.argmin(np.where(conn < 0, np.iinfo(np.int32).max, conn), axis=1)
    after, before = conn[place, (least + 1) % sizes], conn[place, (least - 1) % sizes]
    return np.where(sizes == 2, least == 0, after < before)
