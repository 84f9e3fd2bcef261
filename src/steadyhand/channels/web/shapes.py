"""Decides the shapes that the web channel takes and gives; they are its OpenAPI schema. It must not hold behaviour."""

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from steadyhand.session.conversation import MOST_CHARACTERS

SessionName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._\-]{0,63}$", description="the session's id")]
Behind = Annotated[int, Query(ge=0, le=2**31 - 1, description="the number of the last message that is known already")]
Limit = Annotated[int, Query(ge=1, le=500)]


class Shape(BaseModel):
    """What is written here and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Sending(Shape):
    """A person's message. The same *id* twice in a session is one message. A decision is a message too: ``/approve C-42``.

    *quotes* is the id of the message that it answers; *behind* the number (``seq``) of the last message that stood there when the
    person began to write: what came after that is not what a yes is about.
    """

    id: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:\-]+$")
    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    quotes: str | None = Field(default=None, max_length=128)
    behind: int | None = Field(default=None, ge=0, le=2**31 - 1)


class Taken(Shape):
    """The message is stored. It is not *new* when it was stored before, or was a wish to stop that was followed at once."""

    accepted: Literal[True] = True
    new: bool


class SessionItem(Shape):
    """A session; *said* is how many entries its history has."""

    id: str
    channel: str
    name: str
    said: int
    created_at: str
    used_at: str


class Sessions(Shape):
    """The person's sessions, the last used first."""

    sessions: list[SessionItem]


class HistoryItem(Shape):
    """One entry of what was said, as a person saw it. *state* is the fate of a message to them."""

    id: str
    seq: int
    role: Literal["person", "steadyhand"]
    source: str
    text: str
    at: str
    change: int | None = None
    state: str = ""


class History(Shape):
    """The last entries, oldest first. A stream that begins behind *last_seq* misses nothing."""

    items: list[HistoryItem]
    last_seq: int


class Stopping(Shape):
    """Whether a turn ran that is asked to stop now."""

    stopped: bool


class Health(Shape):
    """All is well."""

    ok: Literal[True] = True
