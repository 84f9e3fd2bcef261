"""The processor time of a small change of a part, against a bare interpreter that imports numpy, in the same run.

The change is a plate of 60 QUADs, executed through the domain's own doors: one child runs the script, another reads the result back.
Both need numpy, so that twice its import is what no such change can be below.

Run: python bench/cae_small.py [ROUNDS]
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from cae_change import execute, prepared, said
from steadyhand.core.config import Settings
from steadyhand.domains.cae.module import CaeDomain

GRID = {"id": "P", "origin": [0, 0, 0], "u": [60, 0, 0], "v": [0, 100, 0], "divisions": [6, 10]}
PLATE = said("build_part", {"nodes": [], "elements": [], "grids": [GRID], "element_sets": []})
MOST = 5.0
"""Times the import of numpy, for both children together."""


def spent(work: Callable[[], object]) -> float:
    """Return the processor time of the children of *work*."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def change(folder: Path) -> float:
    """Return the processor time of the children of one execution on a part that is not there yet."""
    domain = CaeDomain(Settings(data_dir=folder), pictures=())
    ready = prepared(domain, [PLATE])
    return spent(lambda: execute(domain, ready, "plate"))


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    bare = [sys.executable, "-I", "-c", "import numpy"]
    base: list[float] = []
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        for turn in range(rounds):
            base.append(spent(lambda: subprocess.run(bare, check=True)))
            taken.append(change(Path(root) / str(turn)))
    least, most = statistics.median(base), statistics.median(taken)
    ratio = most / least
    print(f"python -I -c 'import numpy': {least:.3f} s of processor time (median of {rounds})")
    print(f"a plate of 60 elements, both children: {most:.3f} s, {ratio:.1f} times that, goal at most {MOST:.0f}")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
