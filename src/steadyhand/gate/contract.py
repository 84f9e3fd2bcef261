"""Decides what a domain must offer to the gate and what passes between them; it must not hold a domain's rule or do I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from steadyhand.core.canonical import Json
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.core.language import Language
from steadyhand.core.wire import ToolSpec

Footprint: TypeAlias = Mapping[str, str]
"""Region key → digest of what the region holds; a region that holds nothing has a digest too."""

Params: TypeAlias = Mapping[str, "str | int | float | bool"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a change is about. Targets are per person unless *shared*, when all persons meet on one."""

    domain: str
    name: str
    owner: UserId
    shared: bool = False

    @property
    def key(self) -> str:
        """The identity under which at most one change may be on its way."""
        return f"{self.domain}:{self.name}" if self.shared else f"{self.owner}:{self.domain}:{self.name}"


@dataclass(frozen=True, slots=True)
class Observation:
    """Facts read from the target, and the footprint of the regions that were read."""

    facts: Json
    footprint: Footprint


@dataclass(frozen=True, slots=True)
class Given:
    """Operations that are known from the start: a file, a command, an undo, a direct act."""

    operations: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class DraftCopy:
    """A draft as it stood when it was offered: a frozen copy, so that later writes do not reach it."""

    draft: str
    revision: int
    content: Json


@dataclass(frozen=True, slots=True)
class CollectedCall:
    """A tool call that was checked for name, place and JSON, stored, and neither compiled nor run."""

    index: int
    round: int
    name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls that a provider gave for a confirmed spec, all of them, in order."""

    calls: tuple[CollectedCall, ...]


Source: TypeAlias = Given | DraftCopy | Calls


@dataclass(frozen=True, slots=True)
class Operations:
    """Normalised operations, as JSON; from here on nothing asks where they came from.

    *scope* says what is to be observed for them, where they come without one: those of an undo may need other rows than the change.
    """

    items: tuple[Json, ...]
    scope: Json = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be done: a stable *code*, the catalogue's ``refusal.<code>`` says it."""

    code: str
    params: Params = field(default_factory=dict[str, "str | int | float | bool"])
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """The exact text that will run, and what it needs and promises.

    *footprint* holds the regions that it reads or writes as they were seen; *writes* names those that it changes.
    *evidence* is what a read-back must show. *steps* is how many effects it has, for an itemised account.
    """

    text: str
    media: Literal["application/json", "text/x-python"]
    footprint: Footprint
    writes: tuple[str, ...]
    evidence: Json
    compiler: str
    engine: str
    steps: int


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What came of running the program on a copy. *artifacts* go to the dossier under their names."""

    ok: bool
    evidence: Json = None
    refusal: Refusal | None = None
    artifacts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class View:
    """What a person is shown of a program: text in their language, and the same as data for a page."""

    text: str
    payload: Json


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission of one sealed program; *token* proves that this process may still act for it.

    *rehearsed* is the evidence of the rehearsal that was sealed with the program, None where there was none.
    """

    id: str
    change: ChangeId
    number: int
    user: UserId
    target: Target
    program_digest: str
    seal_digest: str
    token: str
    rehearsed: Json = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the target reported after it ran everything."""

    footprint_after: Footprint
    result: Json = None
    artifacts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One effect on a target without transactions, as the durable step log has it."""

    index: int
    name: str
    state: Literal["begun", "ended"]
    detail: Json = None


@dataclass(frozen=True, slots=True)
class Applied:
    """The target's own record shows the whole effect."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class NotApplied:
    """Proven: nothing was written. *stale* when because the footprint differed; *cause* is what the run said, where it said it."""

    reason: str = "not_started"
    stale: bool = False
    cause: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Partly:
    """Known in part: *done* names the effects that took place, *undone* those that did not."""

    done: tuple[str, ...]
    undone: tuple[str, ...]
    reason: str = "interrupted"


@dataclass(frozen=True, slots=True)
class Unclear:
    """It may have begun and cannot be told; *check* is what a person can look at."""

    reason: str
    check: str = ""


Outcome: TypeAlias = Applied | NotApplied | Partly | Unclear


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the read-back proves: matched, differs (with the differences), or cannot be told (None)."""

    matched: bool | None
    differences: tuple[str, ...] = ()
    evidence: Json = None


class StepLog(Protocol):
    """The durable log of a target without transactions: an entry is on disk before its effect begins."""

    async def begin(self, name: str, detail: Json = None) -> int:
        """Store that the effect *name* begins; return its index."""
        ...

    async def end(self, index: int, detail: Json = None) -> None:
        """Store that the effect *index* has ended."""
        ...

    async def entries(self) -> Sequence[StepRecord]:
        """Return what is stored, ascending."""
        ...


class DomainModule(Protocol):
    """What every domain has. *rollback* is told on the review: a transaction, an atomic switch, or none."""

    @property
    def name(self) -> str: ...

    @property
    def rollback(self) -> Literal["transaction", "switch", "none"]: ...

    async def observe(self, target: Target, scope: Json) -> Observation:
        """Read facts and the footprint of *scope*; writes nothing. Raises `SteadyhandError` when the target is not there."""
        ...

    def operations(self, source: Source, seen: Observation, request: str) -> Operations | Refusal:
        """Normalise *source* and check it against what *request* allows."""
        ...

    def compile(self, operations: Operations, target: Target, seen: Observation) -> Program | Refusal:
        """Turn operations into a program: pure, the same bytes on any machine."""
        ...

    def present(self, program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> View:
        """Return the difference that a person reads before deciding."""
        ...

    async def execute(self, program: Program, submission: Submission, log: StepLog) -> Receipt:
        """Run the program once. Raises `StaleTarget` when the footprint differs and nothing was written."""
        ...

    async def outcome(self, program: Program, submission: Submission, log: StepLog) -> Outcome:
        """Say from the target's own record what became of a submission whose process is gone or whose run failed."""
        ...

    async def read_back(self, target: Target, program: Program) -> Observation:
        """Read what the program should have changed, without looking at what was expected."""
        ...

    def verify(self, program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Verdict:
        """Compare the read-back with the expected evidence; *receipt* is None when a recheck has none."""
        ...


@dataclass(frozen=True, slots=True)
class Route:
    """The tools of a confirmed spec, in order; no other tool can be called for it."""

    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """What a provider is asked: the messages, and for the collecting stage the tools that remain."""

    system: str
    content: str
    tools: tuple[ToolSpec, ...] = ()


@runtime_checkable
class Collecting(Protocol):
    """A domain whose operations a model supplies after a spec was confirmed."""

    def brief(
        self,
        request: str,
        seen: Observation,
        stage: Literal["spec", "calls"],
        spec: str,
        remaining: tuple[str, ...],
        language: Language,
    ) -> Brief:
        """Return what to ask; at stage ``spec`` it carries no tools, at ``calls`` just the *remaining* ones."""
        ...

    def route(self, spec: str, seen: Observation) -> Route | Refusal:
        """Read the route from the spec; a spec without one is a refusal."""
        ...


@runtime_checkable
class Rehearsing(Protocol):
    """A domain that can run its program on a copy."""

    async def rehearse(self, program: Program, change: ChangeId, target: Target) -> Rehearsal:
        """Run *program* on a copy of *target*; the target itself stays as it is."""
        ...

    async def discard_rehearsal(self, change: ChangeId) -> None:
        """Remove what a rehearsal of *change* may have left behind; no error when there is nothing."""
        ...


@runtime_checkable
class Undoable(Protocol):
    """A domain that can state the operations which take a change back; undo is a new change."""

    def inverse(self, program: Program, receipt: Receipt, now: Observation) -> Operations | Refusal:
        """Return operations that restore what the program replaced, or why that is no longer possible."""
        ...


@runtime_checkable
class Permitting(Protocol):
    """A domain with rules of its own about what may run; it applies them in ``operations``, and is asked again at submission."""

    def refuses(self, program: Program) -> Refusal | None:
        """Say why *program* may no longer run; None when it may."""
        ...
