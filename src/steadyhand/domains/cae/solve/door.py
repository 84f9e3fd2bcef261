"""Decides the order of a solve: check, write, run, judge; the doors that the domain calls in a child process. It must not know versions or the gate."""

from dataclasses import dataclass, replace
from pathlib import Path

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.solve import ccx, checks
from steadyhand.domains.cae.solve.deck import Deck, compose
from steadyhand.domains.cae.solve.ends import askew, stubs
from steadyhand.domains.cae.solve.options import STATIC, Options, Progress, Remark, Stop
from steadyhand.domains.cae.solve.results import Result, judge

_USUAL = Options()
_ENDS = "_ends"
"""Added to the name of the second run that tells the reactions of clamped beam ends."""
_STRICT = 1e-4
"""How far reactions of clamped beam ends may be from the loads before that run: what the solver leaves out may be little."""


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
    deck = _deck(part, options)
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
    """Do `solve` without the checks before it; those after it still hold.

    Where the solver leaves a part of the reactions of clamped beam ends out, a second run with stubs there tells them.
    """
    solver = ccx.find_ccx()
    if solver is None:
        raise EngineRefusal("solve_no_solver")
    deck = _deck(part, options)
    _put(deck, folder, job)
    ended = ccx.run(solver, folder, job, options, progress, stop)
    told = remarks or []
    ends = [] if deck.stubs else stubs(part, deck.model, deck.held)
    strict = replace(options, balance=min(options.balance, _STRICT)) if ends else options
    try:
        return judge(part, deck, folder, job, ended, solver, strict, told)
    except EngineRefusal as refusal:
        failed = refusal.code == "solve_failed"
        if not ends or not (failed or refusal.code == "solve_unbalanced"):
            raise
    knotted = compose(part, options, knotted=True)
    job_again = f"{job}{_ENDS}"
    _put(knotted, folder, job_again)
    again = ccx.run(solver, folder, job_again, options, progress, stop)
    told_again = [*told, Remark("solve_knotted_ends", {"count": len(ends)})]
    whole = judge(part, knotted, folder, job_again, again, solver, options, told_again)
    return whole if failed else judge(part, deck, folder, job, ended, solver, options, told, reacting=whole)


def _deck(part: Part, options: Options) -> Deck:
    """Return the deck that is solved first; the one with stubs where a clamped beam lies askew."""
    deck = compose(part, options)
    return compose(part, options, knotted=True) if askew(stubs(part, deck.model, deck.held)) else deck


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
