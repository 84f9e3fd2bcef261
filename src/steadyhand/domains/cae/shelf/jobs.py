"""Decides what a job of a script leaves beside its results, solved or rehearsed; it must not decide what a sound answer is.

Imported in children alone: it loads numpy.
"""

import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.solve.ccx import find_ccx
from steadyhand.domains.cae.solve.door import solve, write
from steadyhand.domains.cae.solve.options import Options, Remark

ARRAYS: Final = "results.npz"
PICTURE_DATA: Final = "results.vtu"
_MIB: Final = 1024 * 1024


def rehearse_job(part: Part, folder: Path, name: str, elements: str) -> Mapping[str, Any]:
    """Check and write the deck, and solve nothing; without a solver the job is refused here, before anybody approves it."""
    if find_ccx() is None:
        raise EngineRefusal("solve_no_solver")
    written = write(part, folder, options=_options(elements))
    return {**_head(name, elements, "checked"), "deck_sha256": written.digest, "warnings": _told(written.remarks)}


def run_job(part: Part, folder: Path, name: str, elements: str) -> Mapping[str, Any]:
    """Solve, and keep the arrays and a file that other programs show."""
    result = solve(part, folder, options=_options(elements))
    result.save(folder / ARRAYS)
    told = result.to_json()
    result.save_vtu(folder / PICTURE_DATA, part)
    return {**_head(name, elements, "solved"), **told, "warnings": told["remarks"]}


def _options(elements: str) -> Options:
    """Return how to solve, within the memory that this process may take: the solver inherits its limit."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return Options(elements=elements, memory_mib=0 if allowed == resource.RLIM_INFINITY else allowed // _MIB)


def _head(name: str, elements: str, status: str) -> dict[str, Any]:
    return {"name": name, "elements_as": elements, "status": status}


def _told(remarks: tuple[Remark, ...]) -> list[dict[str, Any]]:
    return [{"code": remark.code, **remark.params} for remark in remarks]
