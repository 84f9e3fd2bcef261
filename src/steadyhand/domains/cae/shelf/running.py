"""Decides how a script or a reading is run in a child and what counts as its receipt; it must not decide what becomes of the version."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import OperatorRepairs, Param, PersonDecides, SteadyhandError
from steadyhand.core.logs import get_logger
from steadyhand.domains.cae.shelf.places import DECK, RECEIPT, read_plain
from steadyhand.gate.contract import Refusal
from steadyhand.jobs.here import Limits, run_aside
from steadyhand.jobs.outcomes import Done, Failed, Killed, Outcome, OutOfMemory, TimedOut, TooMuchOutput, demand

_BODIES: Final = "steadyhand.domains.cae.shelf.bodies"
RUN, READ = f"{_BODIES}:run_script", f"{_BODIES}:read_back"
MOST_RECEIPT_BYTES: Final = 16 * 1024 * 1024
_SIGXCPU: Final = 24
log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a child of a part may use: address space, time by the clock and on the processor, threads."""

    memory_mib: int = 4096
    seconds: float = 600.0
    threads: int = 2

    @property
    def limits(self) -> Limits:
        """The limits as a run takes them."""
        return Limits(self.memory_mib, self.seconds)

    def arguments(self) -> dict[str, Json]:
        """What the child binds itself to; a solver is looked for where the person's own PATH says."""
        held: dict[str, Json] = {"cpu_seconds": self.seconds * self.threads, "threads": self.threads}
        return {**held, "memory_mib": self.memory_mib, "path": os.environ.get("PATH", os.defpath)}


@dataclass(frozen=True, slots=True)
class Script:
    """A script, what it runs on, and in which folder. *decks* are those that it may ask for, by digest."""

    text: str
    model: str
    part: str
    folder: Path
    base: Path | None
    sha256: str
    decks: Mapping[str, Path]
    rehearse: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a run left; *refusal* is None when it passed."""

    content: Mapping[str, Json]
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class Read:
    """What a fresh process read of a version."""

    facts: Mapping[str, Any]
    regions: Mapping[str, str]
    files: Mapping[str, str]
    faults: tuple[str, ...]


async def run_script(script: Script, bounds: Bounds) -> Receipt:
    """Run *script* in a child and return its receipt, the one on disk; whatever went wrong is a refusal with its own code."""
    arguments: dict[str, Json] = {
        **bounds.arguments(),
        "folder": str(script.folder),
        "model": script.model,
        "part": script.part,
        "base": None if script.base is None else str(script.base),
        "sha256": script.sha256,
        "decks": {sha256: str(path) for sha256, path in script.decks.items()},
        "rehearse": script.rehearse,
    }
    outcome = await run_aside(RUN, arguments, script.text.encode(), limits=bounds.limits)
    if isinstance(outcome, Done):
        return receipt_in(script.folder)
    refusal = refusal_of(outcome)
    params = cast("Json", dict(refusal.params))
    return Receipt({"status": "FAIL", "code": refusal.code, "params": params, "phase": "run", "traceback": []}, refusal)


def receipt_in(folder: Path) -> Receipt:
    """Return the receipt that lies in *folder*; one that is missing, or that tells of no end, is a refusal."""
    try:
        content = cast("dict[str, Any]", json.loads(read_plain(folder / RECEIPT, MOST_RECEIPT_BYTES)))
        passed, finished = content["status"] == "PASS", content.get("finished") is True
        code, params = str(content.get("code", "")), cast("dict[str, Param]", content.get("params", {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Receipt({"status": "FAIL"}, Refusal("run_without_receipt"))
    if not passed:
        return Receipt(content, Refusal(code, params))
    if not finished:
        return Receipt(content, Refusal("not_finished"))
    if not (folder / DECK).is_file():
        return Receipt(content, Refusal("run_without_deck"))
    return Receipt(content, None)


def refusal_of(outcome: Outcome) -> Refusal:
    """Return why a run that gave no answer counts as none."""
    match outcome:
        case Failed(code="job_failed", params=params):
            log.error("body_raised", detail=outcome.detail, traceback=outcome.traceback)
            return Refusal("run_broke", {"kind": str(params.get("kind", ""))})
        case Failed(code=code, params=params):
            return Refusal(code, params)
        case TimedOut(seconds=seconds):
            return Refusal("run_timed_out", {"seconds": seconds})
        case OutOfMemory(memory_mib=memory_mib):
            return Refusal("run_out_of_memory", {"memory_mib": memory_mib})
        case TooMuchOutput():
            return Refusal("run_too_much_output")
        case Killed(signal=signal) if signal == _SIGXCPU:
            return Refusal("run_out_of_processor_time")
        case Killed(signal=signal, exit_code=exit_code):
            return Refusal("run_killed", {"signal": signal, "exit_code": exit_code})
        case _:
            return Refusal("run_cancelled")


async def read(folder: Path, bounds: Bounds, *, keep: bool) -> Read:
    """Read the version in *folder* in a fresh process; with *keep* it leaves summary and cache there."""
    arguments: dict[str, Json] = {**bounds.arguments(), "folder": str(folder), "keep": keep}
    found = cast("dict[str, Any]", demand_here(await run_aside(READ, arguments, limits=bounds.limits)))
    return Read(found["facts"], found["regions"], found["files"], tuple(found["faults"]))


def demand_here(outcome: Outcome) -> Json:
    """Return what a child answered; anything else is raised under the code that a run of a part has for it."""
    if isinstance(outcome, Done):
        return outcome.result
    if isinstance(outcome, Failed) and outcome.code != "job_failed":
        return demand(outcome)
    refusal = refusal_of(outcome)
    raise OperatorRepairs(refusal.code, **refusal.params)


def as_error(refusal: Refusal) -> SteadyhandError:
    """Return a refusal of a run as the error that ends an execution."""
    return PersonDecides(refusal.code, **refusal.params)
