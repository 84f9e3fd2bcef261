"""Mesh repair, refinement and audit at 176k and 1M elements, beside gmsh on the same mesh in the same run.

The mesh is a box girder like a ship's: decks, longitudinals and bulkheads as separate plates whose seams coincide, with TRI patches,
BEAM stiffeners and some elements twice. Each engine works in a child process of its own, so that its peak of memory is its own.
Both work in one thread: seconds of the processor are compared, which others on the machine disturb less than those of the clock.

Run: python bench/cae_mesh.py [176k|1M]     (gmsh: the extra "bench")
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.audit import audit
from steadyhand.domains.cae.engine.duplicates import remove_duplicate_elements
from steadyhand.domains.cae.engine.free_nodes import remove_free_nodes
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.mesh import USUAL_TYPE, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.refining import refine
from steadyhand.domains.cae.engine.shapes import Shape

SIZES = {"176k": 72, "1M": 174}
ROUNDS = {"176k": 5, "1M": 3}
GOALS = {"merge": 1.0, "duplicates": 8.0, "refine": 4.0}
MOST_MIB = 2048
TOLERANCE = 1e-3
EDGE = 100.0
TRI_EVERY = 50
TWICE_EVERY = 40
STIFFENERS = 8


@dataclass
class Raw:
    """Plain arrays: coordinates, and rows of them per shape."""

    xyz: np.ndarray
    quads: np.ndarray
    tris: np.ndarray
    beams: np.ndarray


def plate(origin: tuple[float, ...], u: tuple[int, int], v: tuple[int, int], first: int) -> tuple[np.ndarray, np.ndarray]:
    """A grid from *origin* along two axes (axis, divisions); its nodes begin with row *first*."""
    (u_axis, nu), (v_axis, nv) = u, v
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(nu + 1), np.arange(nv + 1), indexing="ij"))
    xyz = np.tile(np.array(origin, float), (len(i), 1))
    xyz[:, u_axis] += EDGE * i
    xyz[:, v_axis] += EDGE * j
    rows = first + np.arange(len(i)).reshape(nu + 1, nv + 1)
    return xyz, np.stack((rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]), axis=-1).reshape(-1, 4)


def girder(m: int) -> Raw:
    """Three decks, three longitudinals, nine bulkheads: 4m elements long, m wide and m high, none joined to another."""
    nx, half, size = 4 * m, m // 2 * EDGE, m * EDGE
    plans = [((0.0, 0.0, z), (0, nx), (1, m)) for z in (0.0, half, size)]
    plans += [((0.0, y, 0.0), (0, nx), (2, m)) for y in (0.0, half, size)]
    plans += [((EDGE * nx / 8 * frame, 0.0, 0.0), (1, m), (2, m)) for frame in range(9)]
    xyz: list[np.ndarray] = []
    quads: list[np.ndarray] = []
    first = 0
    for plan in plans:
        points, cells = plate(*plan, first)
        xyz.append(points)
        quads.append(cells)
        first += len(points)
    beams = [cells[:m][:, (0, 3)] for cells in quads]  # along the first row of every plate
    every = max(1, 4 * m // STIFFENERS)
    beams += [cells[start : start + m][:, (0, 3)] for cells in quads[:3] for start in range(0, len(cells), every * m)]
    cells = np.concatenate(quads)
    cut = np.arange(len(cells)) % TRI_EVERY == 0
    tris = np.concatenate((cells[cut][:, (0, 1, 2)], cells[cut][:, (0, 2, 3)]))
    whole = cells[~cut]
    twice = whole[::TWICE_EVERY][:, (2, 1, 0, 3)]  # the other way round
    return Raw(np.concatenate(xyz), np.concatenate((whole, twice)), tris, np.unique(np.concatenate(beams), axis=0))


def part_of(raw: Raw) -> Part:
    part = Part()
    parts = ((raw.quads, Shape.QUAD), (raw.tris, Shape.TRI), (raw.beams, Shape.BEAM))
    count = sum(len(rows) for rows, _ in parts)
    conn = np.full((count, 4), -1, np.int32)
    sizes, types = np.empty(count, np.int8), np.empty(count, np.int32)
    begin = 0
    for rows, shape in parts:
        block = slice(begin, begin + len(rows))
        conn[block, : shape.value], sizes[block], types[block] = rows, shape.value, USUAL_TYPE[shape]
        begin += len(rows)
    part.mesh = Mesh(
        xyz=raw.xyz,
        node_labels=part.take_node_labels(len(raw.xyz)),
        conn=conn,
        sizes=sizes,
        element_labels=part.take_element_labels(count),
        types=types,
        assigned=np.full(count, -1, np.int32),
    )
    part.element_sets["QUADS"] = part.mesh.element_labels[sizes == 4]
    part.node_sets["END"] = part.mesh.node_labels[raw.xyz[:, 0] == 0]
    return part


class Stopwatch:
    """The best of several rounds, per name, in seconds of the processor."""

    def __init__(self) -> None:
        self.best: dict[str, float] = {}

    def take(self, name: str, act: Callable[[], object]) -> None:
        begun = time.process_time()
        act()
        spent = time.process_time() - begun
        self.best[name] = min(spent, self.best.get(name, spent))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ours(size: str) -> dict[str, object]:
    raw, watch, counts = girder(SIZES[size]), Stopwatch(), {}
    before = 0.0
    for _ in range(ROUNDS[size]):
        part = part_of(raw)
        counts["begun"] = (part.mesh.node_count, part.mesh.element_count)
        watch.take("audit", lambda part=part: audit(part, tolerance=TOLERANCE))
        watch.take("merge", lambda part=part: merge_nodes(part, TOLERANCE))
        counts["merge"] = (part.mesh.node_count, part.mesh.element_count)
        watch.take("duplicates", lambda part=part: remove_duplicate_elements(part))
        counts["duplicates"] = (part.mesh.node_count, part.mesh.element_count)
        watch.take("free nodes", lambda part=part: remove_free_nodes(part))
        watch.take("audit, merged", lambda part=part: audit(part, tolerance=TOLERANCE))
        before = before or peak()
        watch.take("refine", lambda part=part: refine(part))
        counts["refine"] = (part.mesh.node_count, part.mesh.element_count)
        assert part.faults() == []
    return {"seconds": watch.best, "counts": counts, "before": before, "peak": peak()}


def theirs(size: str) -> dict[str, object]:
    import gmsh

    raw, watch, counts = girder(SIZES[size]), Stopwatch(), {}
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Verbosity", 1)
    gmsh.option.setNumber("General.NumThreads", 1)
    length = float(np.linalg.norm(raw.xyz.max(axis=0) - raw.xyz.min(axis=0)))
    gmsh.option.setNumber("Geometry.Tolerance", TOLERANCE / length)  # it is taken as a share of the model's size

    def count() -> tuple[int, int]:
        nodes = len(gmsh.model.mesh.getNodes()[0])
        return nodes, sum(len(tags) for tags in gmsh.model.mesh.getElements()[1])

    for _ in range(max(2, ROUNDS[size] - 1)):
        gmsh.clear()
        line, surface = gmsh.model.addDiscreteEntity(1), gmsh.model.addDiscreteEntity(2)
        gmsh.model.mesh.addNodes(2, surface, np.arange(1, len(raw.xyz) + 1), raw.xyz.ravel())
        ends = np.cumsum([len(raw.quads), len(raw.tris), len(raw.beams)])
        tags = np.split(np.arange(1, ends[-1] + 1), ends[:-1])
        rows = [(cells + 1).ravel() for cells in (raw.quads, raw.tris, raw.beams)]
        gmsh.model.mesh.addElements(2, surface, [3, 2], tags[:2], rows[:2])
        gmsh.model.mesh.addElements(1, line, [1], tags[2:], rows[2:])
        watch.take("merge", gmsh.model.mesh.removeDuplicateNodes)
        counts["merge"] = count()
        watch.take("duplicates", gmsh.model.mesh.removeDuplicateElements)
        counts["duplicates"] = count()
        watch.take("refine", gmsh.model.mesh.refine)
        counts["refine"] = count()
    gmsh.finalize()
    return {"seconds": watch.best, "counts": counts, "peak": peak()}


def child(engine: str, size: str) -> dict[str, dict[str, float]]:
    done = subprocess.run([sys.executable, __file__, engine, size], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(size: str) -> bool:
    we, they = child("ours", size), child("gmsh", size)
    nodes, elements = we["counts"]["begun"]
    print(f"\n{size}: {nodes:,} nodes, {elements:,} elements")
    print(f"{'':<15} {'ours s':>8} {'gmsh s':>8} {'ratio':>6} {'goal':>5}   nodes and elements after, ours | gmsh")
    met = True
    for name, seconds in we["seconds"].items():
        if name not in they["seconds"]:
            print(f"{name:<15} {seconds:>8.3f}")
            continue
        ratio, goal = they["seconds"][name] / seconds, GOALS[name]
        equal = we["counts"][name] == they["counts"][name]
        met = met and ratio >= goal and equal
        print(
            f"{name:<15} {seconds:>8.3f} {they['seconds'][name]:>8.3f} {ratio:>6.1f} {goal:>5.0f}   {we['counts'][name]} | "
            f"{they['counts'][name]} {'equal' if equal else 'DIFFERENT'}{'' if ratio >= goal else ', MISSED'}"
        )
    most = f", goal at most {MOST_MIB}" if size == "1M" else ""
    print(f"peak: ours {we['peak']:.0f} MiB (before refining {we['before']:.0f}), gmsh {they['peak']:.0f} MiB{most}")
    return met and we["peak"] <= MOST_MIB


def main() -> int:
    if len(sys.argv) == 3:
        print(json.dumps({"ours": ours, "gmsh": theirs}[sys.argv[1]](sys.argv[2])))
        return 0
    sizes = sys.argv[1:] or list(SIZES)
    met = [compare(size) for size in sizes]
    print(f"\ngoals: {'met' if all(met) else 'MISSED'}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
