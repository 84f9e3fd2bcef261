"""Measures the first `./steady` of a fresh clone against a bare venv and pip install of the same packages, caches warm.

The gate is 60 seconds; the ratio says what our own steps add. Needs the package registry (or its cache).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GATE_SECONDS = 60
WITHOUT_UV = os.environ | {"PATH": os.pathsep.join(p for p in os.get_exec_path() if not Path(p, "uv").exists())}


def seconds(*command: str | Path, cwd: Path) -> float:
    """Run *command* and return how long it took."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=WITHOUT_UV, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def bare(clone: Path) -> float:
    """Install the same packages by hand."""
    python = clone / "bare" / "bin" / "python"
    made = seconds("python3", "-m", "venv", "bare", cwd=clone)
    pins = ("-c", "requirements/constraints.txt")
    return made + seconds(python, "-m", "pip", "install", "-q", *pins, "-e", ".[postgres]", cwd=clone)


def main() -> int:
    """Print the figures; return 1 when the gate is missed."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache"))
        warming = bare(clone)  # fills the caches where they are cold; not counted
        shutil.rmtree(clone / "bare")
        by_hand = bare(clone)
        first = seconds(clone / "steady", "--help", cwd=clone)
        second = seconds(clone / "steady", "--help", cwd=clone)
    print(f"caches filled in {warming:.1f} s")
    print(f"first ./steady --help {first:.1f} s (gate {GATE_SECONDS}), by hand {by_hand:.1f} s, ratio {first / by_hand:.2f}")
    print(f"second ./steady --help {second:.2f} s")
    return 0 if first <= GATE_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
