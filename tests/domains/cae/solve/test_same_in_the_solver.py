"""What is read and written again means the same to the solver: it is run on the deck as it came and on what the program writes."""

import math
import subprocess

import numpy as np
import pytest

from steadyhand.domains.cae.engine import affine, moving
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.solve.dat import read_dat
from steadyhand.domains.cae.solve.door import solve
from steadyhand.domains.cae.solve.options import Options

STRIP = """*Heading
a strip of two shells
*Node, nset=ALL
1, 0., 0., 0.
2, 10., 0., 0.
3, 20., 0., 0.
4, 0., 10., 0.
5, 10., 10., 0.
6, 20., 10., 0.
*Element, Type=S4, Elset=Shell_part-1
1, 1, 2, 5, 4
2, 2, 3, 6, 5
*Nset, Nset=Fix
1, 4
*Nset, Nset=Tip
3, 6
*Material, Name=S235
*Density
7.8E-09
*Elastic
210000, 0.3
*Shell section, Elset=Shell_part-1, Material=S235
1
"""
WANTED = "*Node print, nset=ALL, global=yes\nU\n*End step\n"
STEP = "*Step\n*Static\n"
HELD, PUSHED = "*Boundary\nFix, 1, 6, 0\n", "*Cload\nTip, 3, -5\n"
RESETS = "*Boundary, op=New\n*Dload, op=New\n*Cload, op=New\n"
BRICKS = """*NODE, NSET=ALL
1, 0,0,0
2, 1,0,0
3, 1,1,0
4, 0,1,0
5, 0,0,1
6, 1,0,1
7, 1,1,1
8, 0,1,1
9, 0,0,2
10, 1,0,2
11, 1,1,2
12, 0,1,2
*ELEMENT, TYPE=C3D8, ELSET=BODY
 1, 1, 2, 3, 4, 5, 6, 7, 8,
 2, 5, 6, 7, 8, 9, 10, 11, 12,
*ELSET, ELSET=ALL_EL, GENERATE
 1, 2
*MATERIAL, NAME=M
*ELASTIC
 210000., 0.3
*SOLID SECTION, ELSET=ALL_EL, MATERIAL=M
*NSET, NSET=LOW, GENERATE
1, 4, 1
"""
BEAMS = """*NODE, NSET=ALL
1, 0., 0., 0.
2, 0.0333333333333333333, 0., 7.105427357601002e-4
3, 100., 0., 0.
*ELEMENT, TYPE=B31, ELSET=E
1, 1, 2
2, 2, 3
*MATERIAL, NAME=M
*ELASTIC
210000.0, 0.3
*DENSITY
7.85e-9
*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT
3.3333333333333335, 4.
0., 1., 0.
"""
PLANE = STRIP.replace("Type=S4", "Type=CPS4").replace("*Shell section", "*Solid section")
EIGHT = """*NODE, NSET=ALL
1, 0., 0.
2, 10., 0.
3, 20., 0.
11, 0., 10.
13, 20., 10.
21, 0., 20.
22, 10., 20.
23, 20., 20.
31, 30., 0.
33, 40., 0.
43, 40., 10.
52, 30., 20.
53, 40., 20.
*ELEMENT, TYPE=S8R, ELSET=S
1, 1, 3, 23, 21, 2, 13, 22, 11,
2, 3, 33, 53, 23, 31, 43, 52, 13,
*ELSET, ELSET=BOTH
1, 2,
*MATERIAL, NAME=M
*USER MATERIAL, CONSTANTS=1
7.
*ELASTIC
210000., 0.3
*SHELL SECTION, ELSET=BOTH, MATERIAL=M
2.
*NSET, NSET=LEFT
1, 11, 21
"""
TURNED = "*Transform, nset=Tip\n0.8, 0.6, 0., -0.6, 0.8, 0.\n"
DECKS = {
    "a step that begins with empty resets": STRIP + STEP + RESETS + "** Name: Fixed-1\n" + HELD + "** Name: F-1\n" + PUSHED + WANTED,
    "resets with rows": STRIP + "*Boundary\n5, 3, 3\n" + STEP + "*Boundary, op=New\nFix, 1, 6\n*Cload, op=New\nTip, 3, -5\n" + WANTED,
    "a reset behind its own kind": STRIP + STEP + HELD + RESETS + PUSHED + WANTED,
    "supports of the model that the step takes away": STRIP + "*Boundary\n6, 3, 3\n" + STEP + "*Boundary, op=New\n" + HELD + PUSHED + WANTED,
    "a second step that resets": STRIP + HELD + STEP + PUSHED + WANTED + STEP + "*Cload, op=New\nTip, 2, 3.\n" + WANTED,
    "a push of its own behind a support": STRIP + HELD + "*Boundary\nTip, 3, 3, 0.25\n" + STEP + PUSHED + WANTED,
    "a support behind a push of its own": STRIP + "*Boundary\n1, 3, 3, 0.25\n*Boundary\nFix, 1, 6\n" + STEP + PUSHED + WANTED,
    "a turned system before its supports": STRIP + TURNED + HELD + "*Boundary\nTip, 1, 1\n" + STEP + "*Cload\n2, 2, 50.\n" + WANTED,
    "a turned system between supports": STRIP + HELD + TURNED + "*Boundary\n3, 1, 1\n" + STEP + "*Cload\n5, 2, 50.\n" + WANTED,
    "an equation behind a support": STRIP + HELD + "*Equation\n2\n3, 3, 1., 6, 3, -1.\n" + STEP + "*Cload\n3, 3, -5\n" + WANTED,
    "loads of all kinds": STRIP + HELD + STEP + "*Dload\nShell_part-1, P, 0.012345678901234567\nShell_part-1, GRAV, 9810., 0.6, 0., -0.8\n" + WANTED,
    "a load with its own course": "*Amplitude, name=A\n0., 0., 1., 0.5\n" + STRIP + HELD + STEP + PUSHED + "*Cload, amplitude=A\n3, 2, 7.\n" + WANTED,
    "solids with commas at the ends": BRICKS + "*BOUNDARY\nLOW, 1, 3\n" + STEP + "*CLOAD\n9, 1, 10.\n" + WANTED,
    "plane elements": PLANE + "*Boundary\nFix, 1, 2\n" + STEP + "*Cload\nTip, 1, 5.\n" + WANTED,
    "beams with long numbers": BEAMS + "*BOUNDARY\n1, 1, 6\n" + STEP + "*CLOAD\n3, 3, -0.12345678901234567\n" + WANTED,
    "second order, and a material of two kinds": EIGHT + "*BOUNDARY\nLEFT, 1, 6\n" + STEP + "*CLOAD\n53, 3, -2.\n" + WANTED,
    "names in quotes": STRIP.replace("Nset=Fix", 'Nset="LEFT EDGE"') + '*Boundary\n"LEFT EDGE", 1, 6\n' + STEP + PUSHED + WANTED,
    "lines before the first keyword": "> a log\n" + STRIP + HELD + STEP + PUSHED + WANTED,
}  # fmt: skip


def _moved(ccx, folder, name):
    """Return the displacements of each step at all nodes, and the solver's exit code."""
    done = subprocess.run([ccx.path, name], cwd=folder, capture_output=True, check=False, timeout=120)
    return done.returncode, read_dat(folder / f"{name}.dat")["displacements"]


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_gives_the_same_answer_before_and_after(ccx, tmp_path, name):
    (tmp_path / "came.inp").write_text(DECKS[name])
    write_deck(read_deck(tmp_path / "came.inp").part, tmp_path / "goes.inp")
    before, after = (_moved(ccx, tmp_path, deck) for deck in ("came", "goes"))
    assert before[0] == after[0] == 0
    assert before[1].nodes.tolist() == after[1].nodes.tolist()
    size = float(np.abs(before[1].values).max())
    assert 1e-9 < size < 100.0
    assert after[1].values == pytest.approx(before[1].values, rel=1e-4, abs=2e-5 * size)


def test_resets_that_take_nothing_away_do_not_keep_a_part_from_being_solved(ccx, tmp_path):
    (tmp_path / "came.inp").write_text(DECKS["a step that begins with empty resets"])
    found = read_deck(tmp_path / "came.inp")
    assert list(found.part.supports) == ["Fixed-1"]
    assert ("resets_dropped", 2) in [(note.code, note.count) for note in found.report.notes]
    moved = solve(found.part, tmp_path, options=Options(elements="S4")).displacement
    assert float(np.abs(moved).max()) == pytest.approx(0.132, rel=0.02)


def test_what_was_turned_forth_and_back_is_read_by_the_solver_as_it_is_here(ccx, tmp_path):
    (tmp_path / "came.inp").write_text(DECKS["a step that begins with empty resets"])
    part = read_deck(tmp_path / "came.inp").part
    for direction, degrees in (((0, 0, 1), 90.0), ((1, 0, 0), 37.0), ((1, 0, 0), -37.0), ((0, 0, 1), -90.0)):
        moving.move(part, part.mesh.element_labels, affine.rotation((0, 0, 0), direction, degrees))
    assert part.mesh.xyz.tolist() == read_deck(tmp_path / "came.inp").part.mesh.xyz.tolist()
    moving.move(part, part.mesh.element_labels, affine.rotation((3, 2, 1), (1, 2, 3), 41.3))
    write_deck(part, tmp_path / "goes.inp")
    text = (tmp_path / "goes.inp").read_text()
    told = [item.strip() for line in text.splitlines() if line[0].isdigit() for item in line.split(",")]
    assert max(map(len, told)) <= 20
    assert read_deck(tmp_path / "goes.inp").part.mesh.xyz.tolist() == part.mesh.xyz.tolist()
    code, found = _moved(ccx, tmp_path, "goes")
    assert code == 0
    assert math.isfinite(float(np.abs(found.values).max()))
