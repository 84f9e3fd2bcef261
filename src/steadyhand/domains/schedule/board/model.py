"""Decides what a timetable in memory is made of: blocks, tasks, places and changes of place. It must not judge a write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from steadyhand.core.canonical import Json

Status: TypeAlias = Literal["existing", "suggested", "pending"]
Source: TypeAlias = Literal["event", "task_item"]
DEFAULT_DURATION = 2


@dataclass(frozen=True, slots=True, order=True)
class Block:
    """A run of slots on one day, both ends included; all three count from 1."""

    day: int
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Place:
    """What a write can change of a task: its status, its blocks, the length it needs, and the task that hosts it."""

    status: Status
    slots: tuple[Block, ...] = ()
    duration: int | None = None
    embed_host: int | None = None

    def to_json(self) -> Json:
        return {
            "status": self.status,
            "slots": [[b.day, b.start, b.end] for b in self.slots],
            "duration": self.duration,
            "embed_host": self.embed_host,
        }

    @staticmethod
    def from_json(value: Json) -> "Place":
        entry = cast("Mapping[str, object]", value)
        slots = cast("list[list[int]]", entry["slots"])
        return Place(
            cast("Status", entry["status"]),
            tuple(Block(*slot) for slot in slots),
            cast("int | None", entry["duration"]),
            cast("int | None", entry["embed_host"]),
        )


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the timetable, course or task; *state_id* is the only identity that a model or a tool text shows.

    *place* is where it is; *locked* and *can_embed* follow from its event. *earliest* and *deadline* are day indexes
    (may lie outside the window), *position* is its place in the order of its category, *ordered* whether that order binds.
    """

    state_id: int
    source: Source
    source_id: int
    name: str
    category: str
    place: Place
    is_course: bool = False
    locked: bool = False
    can_embed: bool = False
    category_id: int | None = None
    position: int | None = None
    ordered: bool = True
    earliest: int | None = None
    deadline: int | None = None
    priority: int = 3

    @property
    def length(self) -> int:
        """How many slots it takes where it is, or needs while it is pending."""
        if self.place.slots:
            return sum(len(block) for block in self.place.slots)
        return self.place.duration or DEFAULT_DURATION

    def at(self, place: Place) -> "Task":
        """Return this task at another place."""
        return Task(
            self.state_id,
            self.source,
            self.source_id,
            self.name,
            self.category,
            place,
            self.is_course,
            self.locked,
            self.can_embed,
            self.category_id,
            self.position,
            self.ordered,
            self.earliest,
            self.deadline,
            self.priority,
        )

    def to_json(self) -> Json:
        return {
            "state_id": self.state_id,
            "source": self.source,
            "source_id": self.source_id,
            "name": self.name,
            "category": self.category,
            "place": self.place.to_json(),
            "is_course": self.is_course,
            "locked": self.locked,
            "can_embed": self.can_embed,
            "category_id": self.category_id,
            "position": self.position,
            "ordered": self.ordered,
            "earliest": self.earliest,
            "deadline": self.deadline,
            "priority": self.priority,
        }

    @staticmethod
    def from_json(value: Json) -> "Task":
        entry = dict(cast("Mapping[str, Json]", value))
        place = Place.from_json(entry.pop("place"))
        return Task(place=place, **cast("dict[str, Any]", entry))


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """One task's place before and after a write."""

    state_id: int
    before: Place
    after: Place

    def to_json(self) -> Json:
        return {"id": self.state_id, "before": self.before.to_json(), "after": self.after.to_json()}

    @staticmethod
    def from_json(value: Json) -> "PlaceChange":
        entry = cast("Mapping[str, Json]", value)
        return PlaceChange(cast("int", entry["id"]), Place.from_json(entry["before"]), Place.from_json(entry["after"]))


Delta: TypeAlias = tuple[PlaceChange, ...]
"""All that one successful write changed; applied backwards it is undo."""
