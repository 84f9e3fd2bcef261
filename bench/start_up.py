"""Measures how long commands take from nothing to their last line, against a bare interpreter in the same run.

Guides: `steady --help` at most 0.4 s, `steady schedule show` at most 0.8 s; the ratios to `python -c pass` are what carries over
to another machine.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7
GUIDES = {"--help": 0.4, "schedule show": 0.8}


def seconds(environment: dict[str, str], *command: str) -> float:
    """Return the median time of a command over the rounds; the first run warms the caches and is not counted."""
    times: list[float] = []
    for _ in range(ROUNDS + 1):
        begun = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


def main() -> int:
    """Print the figures; return 1 when a guide is missed."""
    steady = (sys.executable, "-P", "-m", "steadyhand")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "STEADYHAND_DATA_DIR": str(Path(folder) / "data"),
            "LC_ALL": "C.UTF-8",
            "STEADYHAND_LANGUAGE": "en",
        }
        _fill(environment, steady)
        bare = seconds(environment, sys.executable, "-c", "pass")
        print(f"python -c pass: {bare:.3f} s (median of {ROUNDS})")
        missed = 0
        for words, guide in GUIDES.items():
            taken = seconds(environment, *steady, *words.split())
            missed += taken > guide
            print(f"steady {words}: {taken:.3f} s (guide {guide} s), {taken / bare:.1f} times the bare interpreter")
    return 1 if missed else 0


def _fill(environment: dict[str, str], steady: tuple[str, ...]) -> None:
    """Store the example term, so that there is a week to show."""
    command = (*steady, "schedule", "import", str(ROOT / "examples" / "term.ics"))
    shown = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    approve = shown.strip().splitlines()[-1].partition("steady ")[2].split()
    subprocess.run([*steady, *approve], env=environment, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
