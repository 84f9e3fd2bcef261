"""Reading and writing decks at 176k and 1M elements, beside meshio on the same mesh in the same run; then the cache, and what comes back.

The mesh is the girder of `cae_mesh.py`, as it is and turned in space, so that every coordinate has all its digits, which is the hardest
case: the goals hold for both. Both programs read the deck that ours wrote; each writes its own. Each works in a child process of its own, so that its peak of memory is its own.

Run: python bench/cae_deck.py [176k|1M]     (meshio: the extra "bench")
     python bench/cae_deck.py look           whether pyvista and meshio open what is exported
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np

from cae_mesh import ROUNDS, SIZES, Raw, Stopwatch, girder, part_of, peak
from steadyhand.domains.cae.engine.deck.cache import load_cache, save_cache
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.engine.export.gltf import write_glb
from steadyhand.domains.cae.engine.export.vtu import write_vtu
from steadyhand.domains.cae.engine.mesh import Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, Force, Material, ShellSection, Support

GOALS = {"read": 4.0, "write": 2.0}


def mesh_of(case: str) -> Raw:
    size, _, how = case.partition(",")
    raw = girder(SIZES[size])
    if not how:
        return raw
    along, across = np.array([2.0, 3.0, 6.0]) / 7, np.array([3.0, -6.0, 2.0]) / 7
    raw.xyz = raw.xyz @ np.stack((along, across, np.cross(along, across)))
    return raw


def with_properties(raw: Raw) -> Part:
    part = part_of(raw)
    part.node_sets["END"] = part.mesh.node_labels[:9]  # in one run: meshio reads no more
    part.materials["STEEL"] = Material("STEEL", 210000.0, 0.3, 7.85e-9)
    part.sections["PLATE"] = ShellSection("PLATE", "STEEL", 12.0)
    part.assignments.append(Assignment("PLATE"))
    part.mesh.assigned = np.where(part.mesh.sizes > 2, 0, -1).astype(np.int32)
    part.loads["PULL"] = Force("PULL", "END", (0.0, 0.0, -1e4))
    part.supports["HELD"] = Support("HELD", "END", (1, 2, 3))
    return part


def same(part: Part, other: Part) -> bool:
    arrays = [getattr(part.mesh, item.name).tobytes() == getattr(other.mesh, item.name).tobytes() for item in fields(Mesh)]
    sets = [
        list(ours) == list(theirs) and all(np.array_equal(ours[name], theirs[name]) for name in ours)
        for ours, theirs in ((part.node_sets, other.node_sets), (part.element_sets, other.element_sets))
    ]
    rest = ("materials", "sections", "assignments", "loads", "supports", "type_names", "next_node", "next_element", "heading")
    return all(arrays) and all(sets) and all(getattr(part, name) == getattr(other, name) for name in rest)


def ours(case: str, folder: Path) -> dict[str, object]:
    part, watch, deck = with_properties(mesh_of(case)), Stopwatch(), folder / "ours.inp"
    digest = ""
    for _ in range(ROUNDS[case.partition(",")[0]]):
        watch.take("write", lambda: write_deck(part, deck))
        read: list[Part] = []
        watch.take("read", lambda into=read: into.append(read_deck(deck).part))
    digest = write_deck(part, deck)
    exact = same(part, read[0]) and write_deck(read[0], folder / "again.inp") == digest
    watch.take("cache, save", lambda: save_cache(part, folder / "ours.npz", digest))
    cached: list[Part | None] = []
    watch.take("cache, load", lambda: cached.append(load_cache(folder / "ours.npz", digest)))
    exact = exact and cached[0] is not None and same(part, cached[0])
    return {"seconds": watch.best, "peak": peak(), "exact": exact, "bytes": deck.stat().st_size}


def theirs(case: str, folder: Path) -> dict[str, object]:
    import meshio

    raw, watch = mesh_of(case), Stopwatch()
    mesh = meshio.Mesh(raw.xyz, [("quad", raw.quads), ("triangle", raw.tris), ("line", raw.beams)])
    for _ in range(max(2, ROUNDS[case.partition(",")[0]] - 1)):
        watch.take("write", lambda: meshio.write(folder / "theirs.inp", mesh, file_format="abaqus"))
        watch.take("read", lambda: meshio.read(folder / "ours.inp", file_format="abaqus"))
    return {"seconds": watch.best, "peak": peak(), "bytes": (folder / "theirs.inp").stat().st_size}


def child(engine: str, case: str, folder: Path) -> dict[str, dict[str, float]]:
    done = subprocess.run([sys.executable, __file__, engine, case, folder], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(case: str) -> bool:
    with tempfile.TemporaryDirectory() as name:
        we, they = child("ours", case, Path(name)), child("meshio", case, Path(name))
    print(f"\n{case}: a deck of {we['bytes'] / 1e6:.1f} MB, meshio's {they['bytes'] / 1e6:.1f} MB")
    print(f"{'':<12} {'ours s':>8} {'meshio s':>9} {'ratio':>6} {'goal':>5}")
    met = bool(we["exact"])
    for name, seconds in we["seconds"].items():
        if name not in GOALS:
            print(f"{name:<12} {seconds:>8.3f}")
            continue
        ratio = they["seconds"][name] / seconds
        met = met and ratio >= GOALS[name]
        print(
            f"{name:<12} {seconds:>8.3f} {they['seconds'][name]:>9.3f} {ratio:>6.1f} {GOALS[name]:>5.0f}{'' if ratio >= GOALS[name] else '  MISSED'}"
        )
    print(
        f"round trip to the bit, deck and cache: {'yes' if we['exact'] else 'NO'}; peak: ours {we['peak']:.0f} MiB, meshio {they['peak']:.0f} MiB"
    )
    return met


def look() -> int:
    import meshio
    import pyvista

    part = with_properties(mesh_of("176k"))
    values = np.arange(part.mesh.element_count, dtype=np.float64)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_vtu(folder / "part.vtu", part, point_data={"displacement": part.mesh.xyz}, cell_data={"von_mises": values})
        write_glb(folder / "part.glb", part, displacement=part.mesh.xyz)
        grid, mesh = pyvista.read(folder / "part.vtu"), meshio.read(folder / "part.vtu")
        plotter = pyvista.Plotter(off_screen=True)
        plotter.import_gltf(str(folder / "part.glb"))
        shown = max(plotter.bounds) > 0
        plotter.close()
    exact = np.array_equal(grid.points, part.mesh.xyz) and np.array_equal(mesh.points, part.mesh.xyz)
    exact = exact and np.array_equal(grid.cell_data["von_mises"], values) and grid.n_cells == part.mesh.element_count
    print(f"pyvista and meshio read the .vtu exactly: {'yes' if exact else 'NO'}; VTK shows the .glb: {'yes' if shown else 'NO'}")
    return 0 if exact and shown else 1


def main() -> int:
    if len(sys.argv) == 4:
        print(json.dumps({"ours": ours, "meshio": theirs}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))))
        return 0
    if sys.argv[1:] == ["look"]:
        return look()
    met = [compare(size + how) for size in sys.argv[1:] or SIZES for how in ("", ",turned")]
    print(f"\ngoals: {'met' if all(met) else 'MISSED'}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
