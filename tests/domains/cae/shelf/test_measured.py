"""What is measured of a change of a part goes the way that a change goes: compiled, rehearsed, executed."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[4] / "bench" / "cae_small.py"


def test_the_measure_of_a_small_change_comes_to_a_figure():
    done = subprocess.run([sys.executable, str(BENCH), "1"], capture_output=True, text=True, timeout=300, check=False)
    assert "a plate of 60 elements, both children" in done.stdout, done.stderr
