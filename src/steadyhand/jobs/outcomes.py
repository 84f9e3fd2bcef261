"""Decides how a run in a child can end; it must not decide what the caller does about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.errors import Bug, ModelCanFix, OperatorRepairs, Param, PersonDecides, SteadyhandError

FAMILIES: tuple[type[SteadyhandError], ...] = (ModelCanFix, PersonDecides, OperatorRepairs, Bug)
"""The branches of the error tree, so that a body's failure comes back as the kind that it was."""

OUT_OF_MEMORY_EXIT = 77
"""The exit code of a child that has no memory left even for saying so."""


@dataclass(frozen=True, slots=True)
class Done:
    """The body returned *result*. *said* is the end of what it printed, for the journal (in every outcome)."""

    result: Json
    said: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The body raised. *detail* and *traceback* are for the journal; *family* is the branch of the error tree."""

    code: str
    detail: str
    traceback: str = ""
    params: Mapping[str, Param] = field(default_factory=dict[str, Param])
    family: str = "Bug"
    said: str = ""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The body was ended because it took longer than *seconds*."""

    seconds: float
    said: str = ""


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The body asked for more memory than *memory_mib*."""

    memory_mib: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class TooMuchOutput:
    """The body was ended because it wrote more than *output_bytes*."""

    output_bytes: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was ended because the caller asked for it."""

    said: str = ""


@dataclass(frozen=True, slots=True)
class Killed:
    """The child vanished without an answer: by *signal* (0 when there was none) or with *exit_code*."""

    signal: int
    exit_code: int
    said: str = ""


Outcome: TypeAlias = Done | Failed | TimedOut | OutOfMemory | TooMuchOutput | Cancelled | Killed


def demand(outcome: Outcome) -> Json:
    """Return the result of a run that is done; every other outcome is raised as the error that fits it."""
    match outcome:
        case Done(result=result):
            return result
        case Failed(code=code, params=params, family=family):
            kinds = {kind.__name__: kind for kind in FAMILIES}
            raise kinds.get(family, Bug)(code, **params)
        case TimedOut(seconds=seconds):
            raise OperatorRepairs("job_timed_out", seconds=seconds)
        case OutOfMemory(memory_mib=memory_mib):
            raise OperatorRepairs("job_out_of_memory", memory_mib=memory_mib)
        case TooMuchOutput(output_bytes=output_bytes):
            raise OperatorRepairs("job_too_much_output", output_bytes=output_bytes)
        case Cancelled():
            raise PersonDecides("job_cancelled")
        case Killed(signal=signal, exit_code=exit_code):
            raise OperatorRepairs("job_killed", signal=signal, exit_code=exit_code)
