"""The form in which a part is kept is a deck that the real solver takes as it is, comments of ours and all."""

import subprocess

import numpy as np

from domains.cae.engine.plates import stiffened
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.engine.properties import BeamSection, Force, Gravity
from steadyhand.domains.cae.engine.shapes import RECT


def test_the_solver_reads_every_keyword_of_ours_without_a_complaint(ccx, tmp_path):
    part = stiffened()
    part.sections["RIB"] = BeamSection("RIB", "STEEL", RECT, (10.0, 20.0), (0.0, 0.5))
    part.loads["WEIGHT"] = Gravity("WEIGHT", (1.0, 2.0, -9810.0))
    part.node_sets["NOBODY"] = np.zeros(0, np.int64)
    part.node_sets["All of it"] = part.mesh.node_labels
    part.loads["ON NOBODY"] = Force("ON NOBODY", "NOBODY", (1.0, 0.0, 0.0))
    part.heading = "A plate\nwith a rib"
    write_deck(part, tmp_path / "part.inp")
    done = subprocess.run([ccx.path, "part"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "*ERROR" not in done.stdout
    assert "*WARNING" not in done.stdout, done.stdout
    assert "Job finished" in done.stdout
