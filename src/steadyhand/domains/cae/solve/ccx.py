"""Decides how CalculiX is found, run and ended; it must not judge its answer."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.solve.options import Options, Progress, Stop

_TICK_SECONDS = 0.1
_VERSION = re.compile(r"Version\s+([\w.]+)")
_STAGES = (b"Determining the structure", b"number of equations", b"Factoring the system", b"stress calculation", b"Job finished")
_STAGE_NAMES = ("structure", "equations", "factoring", "stresses", "finished")
_LAST_BYTES = 8_192
_LAST_LINES = 6
_PART_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Solver:
    """The solver's program and version."""

    path: str
    version: str
    name: str = "CalculiX"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: exit code, and the lines that it ended with (its errors first of all)."""

    code: int
    lines: tuple[str, ...]
    has_error: bool


def find_ccx() -> Solver | None:
    """Return the `ccx` that the PATH names, with its version, or None."""
    path = shutil.which("ccx")
    if path is None:
        return None
    try:
        told = subprocess.run([path, "-v"], capture_output=True, timeout=20, check=False, cwd="/", env=_environment(1))  # noqa: S603  # a path that the PATH names
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(told.stdout.decode("utf-8", "replace"))
    return Solver(path, found.group(1) if found else "") if found else None


def run(
    solver: Solver, folder: Path, job: str, options: Options, progress: Progress | None = None, stop: Stop | None = None
) -> Ended:
    """Run the solver on ``job.inp`` in *folder* and return how it ended. Raises `EngineRefusal` ``solve_stopped`` or ``solve_too_long``.

    The solver dies with the calling process and lives under its memory limit.
    """
    spoken = folder / f"{job}.out"
    by_line = shutil.which("stdbuf")  # without it the solver's stages are heard only at the end
    command = [*([by_line, "-oL"] if by_line else []), solver.path, job]
    with spoken.open("wb") as out:
        child = subprocess.Popen(  # noqa: S603  # the program that find_ccx named
            [sys.executable, "-I", str(Path(__file__).with_name("launch.py")), str(os.getpid()), *command],
            cwd=folder,
            env=_environment(options.threads),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        code = _wait(child, spoken, options, progress, stop)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    return _ended(code, spoken)


def _wait(child: "subprocess.Popen[bytes]", spoken: Path, options: Options, progress: Progress | None, stop: Stop | None) -> int:
    stage, read = 0, 0
    for _tick in range(max(1, round(options.seconds / _TICK_SECONDS))):
        try:
            return child.wait(_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        if stop is not None and stop():
            raise EngineRefusal("solve_stopped")
        with spoken.open("rb") as out:
            out.seek(read)
            text = out.read(_PART_BYTES)
        while stage < len(_STAGES) and _STAGES[stage] in text:
            stage += 1
            if progress is not None:
                progress(stage, len(_STAGES), _STAGE_NAMES[stage - 1])
        read += text.rfind(b"\n") + 1
    raise EngineRefusal("solve_too_long", seconds=options.seconds)


def _ended(code: int, spoken: Path) -> Ended:
    size = spoken.stat().st_size
    has_error = False
    kept: list[str] = []
    with spoken.open(encoding="utf-8", errors="replace") as out:
        follow = 0
        for line in out:
            if "*ERROR" in line:
                has_error, follow = True, 3
            if follow > 0 and line.strip() and len(kept) < _LAST_LINES:
                kept.append(line.strip())
                follow -= 1
    if not kept:
        with spoken.open("rb") as out:
            out.seek(max(0, size - _LAST_BYTES))
            kept = [line.strip() for line in out.read().decode("utf-8", "replace").splitlines() if line.strip(" _")][
                -_LAST_LINES:
            ]
    return Ended(code, tuple(kept), has_error)


def _environment(threads: int) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C",
        "OMP_NUM_THREADS": str(max(1, threads)),
        "GFORTRAN_UNBUFFERED_PRECONNECTED": "y",
    }
