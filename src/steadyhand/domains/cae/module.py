"""Decides how the gate sees parts: it hands each question to the room that answers it. It must not hold a rule of one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock, SystemClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.core.language import Language, choose
from steadyhand.domains.cae import compiling
from steadyhand.domains.cae.catalogue import brief, route
from steadyhand.domains.cae.shelf import executing, undoing
from steadyhand.domains.cae.shelf.drawing import Form
from steadyhand.domains.cae.shelf.executing import Workshop
from steadyhand.domains.cae.shelf.looking import observed
from steadyhand.domains.cae.shelf.places import PartFolder, part_name
from steadyhand.domains.cae.shelf.records import at
from steadyhand.domains.cae.shelf.running import Bounds
from steadyhand.gate.contract import (
    Brief,
    Observation,
    Operations,
    Outcome,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Route,
    Source,
    StepLog,
    Submission,
    Target,
    Verdict,
    View,
)

NAME = "cae"


def target(user: UserId, name: str) -> Target:
    """Return the target that a change of the part ``<model>/<part>`` is about."""
    return Target(NAME, str(part_name(name)), user)


class CaeDomain:
    """Parts as a domain; see `gate.contract`: `DomainModule`, `Collecting`, `Rehearsing`, `Undoable`."""

    name = NAME
    rollback: Literal["transaction", "switch", "none"] = "switch"

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        language: Language | None = None,
        pictures: tuple[Form, ...] = ("svg",),
    ) -> None:
        self._root = settings.data_dir / NAME
        bounds = Bounds(settings.cae_memory_mib, settings.cae_seconds)
        words = language or settings.language or choose(None)
        self._shop = Workshop(bounds, clock or SystemClock(), compiling.verify, words, pictures)

    def folder(self, target: Target) -> PartFolder:
        """Return where a target lies. Raises `ToolRefusal` ``part_name_bad``."""
        return PartFolder(self._root, target.owner, part_name(target.name))

    # ---- looking -----------------------------------------------------------------------------------------------------

    async def observe(self, target: Target, scope: Json) -> Observation:
        folder = self.folder(target)
        return observed(folder, at(folder), str(cast("Mapping[str, Any]", scope)["module"]))

    async def read_back(self, target: Target, program: Program) -> Observation:
        return await executing.read_back(self._shop, self.folder(target), program)

    # ---- words and calls ---------------------------------------------------------------------------------------------

    def brief(
        self,
        request: str,
        seen: Observation,
        stage: Literal["spec", "calls"],
        spec: str,
        remaining: tuple[str, ...],
        language: Language,
    ) -> Brief:
        return brief(request, seen, stage, spec, remaining, language)

    def route(self, spec: str, seen: Observation) -> Route | Refusal:
        return route(spec, seen)

    def operations(self, source: Source, seen: Observation, request: str) -> Operations | Refusal:
        return compiling.operations(source, seen, request)

    def compile(self, operations: Operations, target: Target, seen: Observation) -> Program | Refusal:
        return compiling.compile(operations, target, seen)

    def present(self, program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> View:
        return compiling.present(program, seen, rehearsal, language)

    def verify(self, program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Verdict:
        return compiling.verify(program, before, receipt, after)

    # ---- running -----------------------------------------------------------------------------------------------------

    async def rehearse(self, program: Program, change: ChangeId, target: Target) -> Rehearsal:
        return await executing.rehearse(self._shop, self.folder(target), program, change)

    async def discard_rehearsal(self, change: ChangeId) -> None:
        executing.discard_rehearsal(self._root, change)

    async def execute(self, program: Program, submission: Submission, log: StepLog) -> Receipt:
        del log
        return await executing.execute(self._shop, self.folder(submission.target), program, submission)

    async def outcome(self, program: Program, submission: Submission, log: StepLog) -> Outcome:
        del program, log
        return await executing.outcome(self.folder(submission.target), submission)

    def inverse(self, program: Program, receipt: Receipt, now: Observation) -> Operations | Refusal:
        return undoing.inverse(program, receipt, now)


def root_of(settings: Settings) -> Path:
    """Return the folder of all parts of an installation."""
    return settings.data_dir / NAME
