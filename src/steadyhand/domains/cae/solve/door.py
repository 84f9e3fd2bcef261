"""Decides the order of a solve: check, write, run, judge; the doors that the domain calls in a child process. It must not know versions or the gate."""

from dataclasses import dataclass
from pathlib import Path

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.solve import ccx, checks
from steadyhand.domains.cae.solve.deck import Deck, compose
from steadyhand.domains.cae.solve.options import STATIC, Options, Progress, Remark, Stop
from steadyhand.domains.cae.solve.results import Result, judge

_USUAL = Options()


@dataclass(frozen=True, slots=True)
class Written:
    """A deck that was checked and written, not solved."""

    path: Path
    digest: str
    remarks: tuple[Remark, ...]


def check(part: Part, options: Options = _USUAL) -> list[Remark]:
    """Return the remarks on solving *part*; raises `EngineRefusal` with the reason when it cannot be."""
    return checks.check(part, options)


def write(part: Part, folder: Path, *, job: str = STATIC, options: Options = _USUAL) -> Written:
    """Check *part* and write its deck into *folder*, for a rehearsal."""
    remarks = _checked(part, job, options)
    deck = compose(part, options)
    return Written(_put(deck, folder, job), deck.digest, tuple(remarks))


def solve(
    part: Part,
    folder: Path,
    *,
    job: str = STATIC,
    options: Options = _USUAL,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Result:
    """Solve *part* in *folder*, which holds the solver's files afterwards. Raises `EngineRefusal` for anything less than a sound answer."""
    remarks = _checked(part, job, options)
    return solve_unchecked(part, folder, job=job, options=options, remarks=remarks, progress=progress, stop=stop)


def solve_unchecked(
    part: Part,
    folder: Path,
    *,
    job: str = STATIC,
    options: Options = _USUAL,
    remarks: list[Remark] | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Result:
    """Do `solve` without the checks before it; those after it still hold."""
    solver = ccx.find_ccx()
    if solver is None:
        raise EngineRefusal("solve_no_solver")
    deck = compose(part, options)
    _put(deck, folder, job)
    ended = ccx.run(solver, folder, job, options, progress, stop)
    return judge(part, deck, folder, job, ended, solver, options, remarks or [])


def _checked(part: Part, job: str, options: Options) -> list[Remark]:
    if job != STATIC:
        raise EngineRefusal("solve_unknown_job", given=job)
    return checks.check(part, options)


def _put(deck: Deck, folder: Path, job: str) -> Path:
    """Write the deck; what an earlier run left under the same name goes, so that it cannot be taken for this one's answer."""
    for ending in (".frd", ".dat", ".sta", ".cvg", ".12d", ".out"):
        (folder / f"{job}{ending}").unlink(missing_ok=True)
    path = folder / f"{job}.inp"
    path.write_bytes(deck.text.encode("ascii"))
    return path
