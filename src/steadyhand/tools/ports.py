"""Decides which doors of a turn a tool may use: to speak, to ask, to start work that goes on. It must not open one itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.delivery import Delivery
from steadyhand.core.ids import JobId, SessionId, UserId
from steadyhand.store.later.jobs import Job


@dataclass(frozen=True, slots=True)
class Sent:
    """The channel has taken the message and named it."""

    message_id: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The message is stored and will be sent; the channel has not answered yet."""


@dataclass(frozen=True, slots=True)
class NotSent:
    """The channel refused the message, by *reason*."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnknownSent:
    """The message went out and no answer came: it may have arrived, so it is not sent again."""


Delivered: TypeAlias = Sent | Queued | NotSent | UnknownSent


class Outbox(Protocol):
    """The one way to the person of this turn's session."""

    async def send(self, text: str, *, source: str, reply_to: str | None = None) -> Delivered:
        """Store *text* as a message owed to the person and wait up to 10 s for the channel.

        *source* says what spoke (``message``, ``proactive_send``, ``reply``). *reply_to* names the stored message that is quoted.
        """
        ...


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that a question offers; *value* is what choosing it means, for code."""

    label: str
    value: Json = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is parked until the person's next message.

    *kind* names who reads the answer (``ask_user`` hands it to the turn). *resume* is what the person had asked for, to be
    taken up again once the answer is in.
    """

    kind: str
    text: str
    options: Sequence[Option] = ()
    data: Mapping[str, Json] | None = None
    resume: str = ""


class AnswerReader(Protocol):
    """Reads the answers to one kind of question."""

    async def read(self, user: UserId, session: SessionId, question: Question, chosen: Json, text: str) -> Json:
        """Return what the answer means, *chosen* being the value of the option that it chose; None when it is no answer."""
        ...


class Questions(Protocol):
    """Where a question to the person is parked."""

    async def park(self, question: Question) -> None:
        """Store *question* as the one that the person's next message answers; an earlier one is replaced."""
        ...


class Jobs(Protocol):
    """Work that goes on by itself, as the agent of this turn may start and see it."""

    @property
    def tools(self) -> Sequence[str] | None:
        """The tools that what is started may have at most; None where only the policy bounds them."""
        ...

    async def start_body(
        self,
        body: str,
        title: str,
        *,
        call: str,
        arguments: Mapping[str, Json],
        delivery: Delivery,
        repeatable: bool,
        seconds: float,
    ) -> Job:
        """Store a job that runs the body at an address; its end goes to this session by *delivery*."""
        ...

    async def start_agent(
        self, title: str, *, call: str, arguments: Mapping[str, Json], delivery: Delivery, seconds: float
    ) -> Job:
        """Store a job that a sub-agent does; its end goes to this session by *delivery*."""
        ...

    async def cancel(self, number: int) -> Job:
        """Cancel a job with all that it has started; return it as it stands then."""
        ...

    async def find(self, number: int) -> Job:
        """Return the job of that number; raises `ToolRefusal` when there is none."""
        ...

    async def list(self) -> Sequence[Job]:
        """Return the last jobs, the newest first."""
        ...

    async def hosted(self) -> bool:
        """Tell whether somebody is there who runs what is started."""
        ...

    async def ended(self, job: JobId) -> Job:
        """Wait until a job has ended, or is left queued with nobody there to run it, and return it; how long is the caller's to bound."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """What a turn may still take: questions to the provider, seconds, tokens."""

    rounds: int
    seconds: float
    tokens: int


class Purse(Protocol):
    """The budget of the turn that a call belongs to."""

    def rest(self) -> Budget:
        """Return what is left of it."""
        ...

    def give(self, tokens: int) -> None:
        """Take *tokens* out of it for somebody else; a negative number gives back what they left over."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """The doors of one turn; None where there is no such door (a turn without a person has nobody to ask).

    *by_rules* tells that no model reads the words of this turn.
    """

    outbox: Outbox | None = None
    questions: Questions | None = None
    jobs: Jobs | None = None
    purse: Purse | None = None
    by_rules: bool = False
