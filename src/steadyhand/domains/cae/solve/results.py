"""Decides what an answer of the solver is worth and what is kept of it; it must not run the solver.

An exit code of 0 says little: without supports the solver answers with kilometres and exits 0. So an answer counts only when it ended
well, holds a step, finite displacements of a sane size at every node, and reactions that are equal to the loads.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.export.vtu import write_vtu
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import UNITS
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.solve.ccx import Ended, Solver
from steadyhand.domains.cae.solve.choosing import chosen
from steadyhand.domains.cae.solve.dat import read_dat
from steadyhand.domains.cae.solve.deck import Deck
from steadyhand.domains.cae.solve.frd import Block, Frd, read_frd
from steadyhand.domains.cae.solve.jumps import COARSE, largest_jump
from steadyhand.domains.cae.solve.options import Options, Remark
from steadyhand.domains.cae.solve.promoting import KINDS
from steadyhand.domains.cae.solve.stresses import corner_equivalents, corner_stresses, von_mises

_SCHEMA = 1
_SAME = 0.25
_SIDES, _BEAM_ENDS = ("bottom", "top"), ("start", "end")
_NONE = Block(np.zeros(0, np.int64), np.zeros((0, 3)))
_NO_POINTS = Block(np.zeros(0, np.int64), np.zeros((0, 6)))


@dataclass(frozen=True, slots=True)
class Result:
    """A static answer that passed every check, in the order of the part's nodes and elements; N, mm, MPa.

    * ``displacement`` (N, 3); NaN at free nodes.
    * ``von_mises`` (E, 3): bottom, top, the larger one: each the largest of the element's own corners, no mean with its neighbours'. Bottom
      is the side that the normal points away from; of a BEAM, its two ends.
    * ``stress`` (E, 2, 4, 6): bottom and top at each corner, components xx yy zz xy yz zx; of a BEAM, its ends and four section corners.
    * ``stressed_node``: the label of the node at which the largest of all is; ``stressed_side``: bottom or top, of a BEAM start or end.
    * ``elements``: S4 or S8R, as which QUAD were solved; ``solver_elements``: all kinds that the solver was given.
    * ``reactions``: the force of each support on the part; ``held_nodes`` (k,), labels (0: a middle), and ``held_forces`` (k, 3).
    """

    node_labels: Labels
    element_labels: Labels
    displacement: Floats
    von_mises: Floats
    stress: Floats
    reactions: dict[str, tuple[float, float, float]]
    held_nodes: Labels
    held_forces: Floats
    load_total: tuple[float, float, float]
    reaction_total: tuple[float, float, float]
    unbalanced: float
    remarks: tuple[Remark, ...]
    solver: Solver
    deck_digest: str
    elements: str
    solver_elements: tuple[str, ...]
    stressed_node: int
    stressed_side: str

    def stress_at(self, element: int, corner: int) -> Floats:
        """Return (2, 6) the stresses of bottom and top at a corner (from 0) of the element with that label."""
        row = int(np.searchsorted(self.element_labels, element))
        return self.stress[row, :, corner]

    def to_json(self) -> dict[str, object]:
        """Return the summary: figures and labels of the extremes, never a list of all nodes."""
        sizes = np.linalg.norm(self.displacement, axis=1)
        moved, stressed = int(np.nanargmax(sizes)), int(np.nanargmax(self.von_mises[:, 2]))
        return {
            "schema": _SCHEMA,
            "units": UNITS,
            "solver": {"name": self.solver.name, "version": self.solver.version},
            "deck_sha256": self.deck_digest,
            "nodes": len(self.node_labels),
            "elements": len(self.element_labels),
            "elements_used": self.elements,
            "solver_elements": list(self.solver_elements),
            "displacement": {
                "max": _round(sizes[moved]),
                "node": int(self.node_labels[moved]),
                "vector": _vector(self.displacement[moved]),
            },
            "von_mises": {
                "max": _round(self.von_mises[stressed, 2]),
                "element": int(self.element_labels[stressed]),
                "node": self.stressed_node,
                "side": self.stressed_side,
            },
            "loads": _vector(self.load_total),
            "reactions": _vector(self.reaction_total),
            "unbalanced": _round(self.unbalanced),
            "supports": {name: _vector(force) for name, force in self.reactions.items()},
            "remarks": [{"code": remark.code, **remark.params} for remark in self.remarks],
        }

    def save_vtu(self, path: Path, part: Part) -> None:
        """Write *part* with displacements and von Mises stresses for a viewer; free nodes stay where they are."""
        still = np.nan_to_num(self.displacement)
        write_vtu(path, part, point_data={"displacement": still}, cell_data={"von_mises": self.von_mises[:, 2]})

    def save(self, path: Path) -> None:
        """Write the arrays to *path* (``.npz``, readable without pickle)."""
        np.savez(
            path,
            allow_pickle=False,
            node_labels=self.node_labels,
            element_labels=self.element_labels,
            displacement=self.displacement,
            von_mises=self.von_mises,
            stress=self.stress,
            held_nodes=self.held_nodes,
            held_forces=self.held_forces,
        )


def judge(
    part: Part,
    deck: Deck,
    folder: Path,
    job: str,
    ended: Ended,
    solver: Solver,
    options: Options,
    remarks: list[Remark],
    *,
    reacting: Result | None = None,
) -> Result:
    """Return the result of a run in *folder*, or raise the `EngineRefusal` that says why it is none, with the solver's own words.

    *reacting*: a sound answer whose reactions are taken for this one's, when its displacements are about the same.
    """
    _well_ended(folder, job, ended)
    frd, tables = read_frd(folder / f"{job}.frd"), read_dat(folder / f"{job}.dat")
    placed = _displacements(deck, frd, tables.get("displacements", _NONE), ended)
    largest = _sane(deck, placed, options)
    displacement = np.full((part.mesh.node_count, 3), np.nan)
    displacement[deck.model.rows] = placed[: len(deck.model.rows)]
    if reacting is not None and np.nanmax(np.abs(displacement - reacting.displacement)) < _SAME * largest:
        held_forces, unbalanced = reacting.held_forces, reacting.unbalanced
    else:
        held_forces = _reactions(deck, tables.get("forces", _NONE), ended)
        unbalanced = _balance(deck, held_forces, tables.get("total force", _NONE), options)
    stressed = _stresses(part, deck, frd, tables, ended)
    told = (*remarks, *_coarse(stressed.jump))
    return _result(part, deck, displacement, held_forces, unbalanced, stressed, told, solver, chosen(part, options))


@dataclass(frozen=True, slots=True)
class _Stressed:
    stress: Floats
    von_mises: Floats
    node: int
    side: str
    jump: float


def _stresses(part: Part, deck: Deck, frd: Frd, tables: dict[str, Block], ended: Ended) -> _Stressed:
    stress = corner_stresses(part, deck.model, frd, tables.get("stresses", _NO_POINTS))
    corners = corner_equivalents(part, stress)
    peaks = von_mises(part, deck.model, frd, corners)
    if not np.isfinite(peaks).all():
        raise _refuse("solve_without_stresses", ended)
    row = int(peaks[:, 2].argmax())
    layer = int(peaks[row, :2].argmax())
    is_bar = part.mesh.sizes[row] == Shape.BEAM.value
    corner = layer if is_bar else int(np.nanargmax(corners[row, layer]))
    return _Stressed(
        stress,
        peaks,
        node=int(part.mesh.node_labels[part.mesh.conn[row, corner]]),
        side=(_BEAM_ENDS if is_bar else _SIDES)[layer],
        jump=largest_jump(part, corners, _acted_on(deck, part.mesh.node_count)),
    )


def _acted_on(deck: Deck, count: int) -> Flags:
    """Return (N,) the nodes of the part that are held or have a force of their own."""
    acted = np.union1d(np.flatnonzero(deck.loading.forces.any(axis=1)), deck.held.flat)
    found = np.zeros(count, np.bool_)
    found[deck.model.rows[acted[acted < len(deck.model.rows)]]] = True
    return found


def _coarse(jump: float) -> tuple[Remark, ...]:
    return (Remark("solve_stress_coarse", {"percent": round(100 * jump)}),) if jump > COARSE else ()


def _result(
    part: Part,
    deck: Deck,
    displacement: Floats,
    held_forces: Floats,
    unbalanced: float,
    stressed: _Stressed,
    remarks: tuple[Remark, ...],
    solver: Solver,
    elements: str,
) -> Result:
    labels = np.concatenate([part.mesh.node_labels[deck.model.rows], np.zeros(len(deck.model.ends), np.int64)])
    flat = deck.held.flat
    return Result(
        node_labels=part.mesh.node_labels,
        element_labels=part.mesh.element_labels,
        displacement=displacement,
        von_mises=stressed.von_mises,
        stress=stressed.stress,
        stressed_node=stressed.node,
        stressed_side=stressed.side,
        reactions={name: _triple(held_forces[np.isin(flat, nodes)].sum(axis=0)) for name, nodes in deck.held.supports.items()},
        held_nodes=labels[flat],
        held_forces=held_forces,
        load_total=_triple(deck.loading.total),
        reaction_total=_triple(held_forces.sum(axis=0)),
        unbalanced=unbalanced,
        remarks=remarks,
        solver=solver,
        deck_digest=deck.digest,
        elements=elements,
        solver_elements=tuple(kind.value[0] for place, kind in enumerate(KINDS) if (deck.model.kinds == place).any()),
    )


def _refuse(code: str, ended: Ended, **params: str | int) -> EngineRefusal:
    return EngineRefusal(code, said=" · ".join(ended.lines), **params)


def _well_ended(folder: Path, job: str, ended: Ended) -> None:
    if ended.code != 0 or ended.has_error:
        raise _refuse("solve_failed", ended, exit=ended.code)
    states = folder / f"{job}.sta"
    rows = [line.split() for line in states.read_text("ascii", "replace").splitlines()] if states.is_file() else []
    if not any(row and row[0].isdigit() for row in rows):
        raise _refuse("solve_without_step", ended)


def _displacements(deck: Deck, frd: Frd, table: Block, ended: Ended) -> Floats:
    """Return (n, 3), from the table at the part's own nodes; the expanded ones must be there and finite too."""
    expanded = frd.blocks.get("DISP", _NONE).values
    if len(frd.elements) != len(deck.model.kinds) + len(deck.stubs) or not len(expanded) or not len(table.nodes):
        raise _refuse("solve_without_displacements", ended)
    placed = table.at(np.arange(1, len(deck.model.xyz) + 1))
    if not (np.isfinite(expanded[:, :3]).all() and np.isfinite(placed).all()):
        raise _refuse("solve_not_finite", ended)
    return placed


def _sane(deck: Deck, placed: Floats, options: Options) -> float:
    """Return the largest displacement; refuse one that is out of all proportion to the part."""
    size = float(np.linalg.norm(np.ptp(deck.model.xyz[: len(deck.model.rows)], axis=0)))
    largest = float(np.linalg.norm(placed, axis=1).max())
    if not largest < size * options.sane_factor:
        raise EngineRefusal("solve_insane", largest=f"{largest:.6g}", size=f"{size:.6g}")
    return largest


def _reactions(deck: Deck, table: Block, ended: Ended) -> Floats:
    """Return (k, 3) the force of the support at each held node: the solver's nodal force less the load that acts there itself."""
    flat = deck.held.flat
    if not len(flat):
        return np.zeros((0, 3))
    if not len(table.nodes):
        raise _refuse("solve_without_reactions", ended)
    forces = table.at(flat + 1)
    if not np.isfinite(forces).all():
        raise _refuse("solve_without_reactions", ended)
    return forces - deck.loading.nodal[flat]


def _balance(deck: Deck, held_forces: Floats, printed: Block, options: Options) -> float:
    """Return how far reactions and loads are from balance, as a share of all loads; refuse what is too far."""
    nodal = deck.loading.nodal
    scale = float(np.linalg.norm(nodal, axis=1).sum())
    given = held_forces.sum(axis=0)
    if len(printed.values):  # the solver's own sum, less what acts on held nodes themselves
        given = printed.values[0] - nodal[deck.held.flat].sum(axis=0)
    apart = float(np.linalg.norm(given + deck.loading.total))
    share = apart / scale if scale else apart
    if not share <= options.balance:
        loads, reactions = (", ".join(f"{value:.6g}" for value in total.tolist()) for total in (deck.loading.total, given))
        raise EngineRefusal("solve_unbalanced", loads=loads, reactions=reactions)
    return share


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _vector(values: "Floats | tuple[float, float, float]") -> list[float]:
    return [_round(float(value)) for value in values]


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
