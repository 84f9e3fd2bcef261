"""Decides what a finished arrangement is: what stands where, what does not and why, its cost and how good it is. It must not search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.explain import Why, place_from_json, place_to_json
from steadyhand.domains.schedule.arrange.options import ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.reasons import Unplaced
from steadyhand.domains.schedule.arrange.weights import Objective, present
from steadyhand.domains.schedule.board.model import Delta, Place, PlaceChange

SOLVER_MISSING, STOPPED, CHILD_LOST = "solver_missing", "stopped", "child_lost"


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a searched arrangement is. No arrangement that places as much priority costs less than *bound*.

    *capped*: the clock ended the search. *notes* are codes: ``solver_missing`` (searched without the constraint solver),
    ``stopped`` (on demand), ``child_lost`` (the best answer that was reported before the child was gone).
    *seconds* is what it took; it does not count when two are compared.
    """

    bound: int
    capped: bool = False
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def deterministic(self) -> bool:
        """Whether the same question gives the same answer again."""
        return not self.capped and STOPPED not in self.notes and CHILD_LOST not in self.notes

    def gap(self, total: int) -> float:
        """Return by which share of its cost *total* an arrangement can be too dear at most."""
        return 0.0 if total <= self.bound else round((total - self.bound) / total, 4)

    def to_json(self) -> dict[str, Json]:
        """Return everything as data."""
        return {
            "bound": self.bound,
            "capped": self.capped,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
            "deterministic": self.deterministic,
        }

    @staticmethod
    def from_json(value: Json) -> "Quality":
        """Make a quality of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        notes = tuple(cast("list[str]", entry["notes"]))
        return Quality(cast("int", entry["bound"]), cast("bool", entry["capped"]), notes, cast("float", entry["seconds"]))


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine hands over: places by id, what has none, and what it knows about its own quality."""

    engine: Engine
    placements: Mapping[int, Placement]
    unplaced: tuple[Unplaced, ...]
    quality: Quality | None = None
    whys: tuple[Why, ...] = ()

    def to_json(self) -> Json:
        """Return the answer as data; `from_json` makes the same of it."""
        return {
            "engine": self.engine,
            "placed": [place_to_json(placement) for placement in self.placements.values()],
            "unplaced": [entry.to_json() for entry in self.unplaced],
            "quality": None if self.quality is None else self.quality.to_json(),
            "whys": [why.to_json() for why in self.whys],
        }

    @staticmethod
    def from_json(value: Json, jobs: Jobs) -> "Answer":
        """Make an answer for *jobs* of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        placements = [place_from_json(place) for place in cast("list[Json]", entry["placed"])]
        unplaced = cast("list[Mapping[str, Json]]", entry["unplaced"])
        return Answer(
            cast("Engine", entry["engine"]),
            {placement.state_id: placement for placement in placements},
            tuple(Unplaced.from_json(one, jobs.tasks[cast("int", one["task_id"])].length) for one in unplaced),
            None if entry["quality"] is None else Quality.from_json(entry["quality"]),
            tuple(Why.from_json(why) for why in cast("list[Json]", entry["whys"])),
        )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The outcome: what stands where now, what has no place and why, and what it costs by parts.

    *placements* holds every arranged task that has a place, in the order of time, those that kept theirs included;
    *delta* only what changed. *engine* is the one whose answer it is. *quality* and *whys* are of the engine ``optimise``.
    """

    options: ArrangeOptions
    engine: Engine
    placements: tuple[Placement, ...]
    unplaced: tuple[Unplaced, ...]
    objective: Objective
    delta: Delta
    quality: Quality | None = None
    whys: tuple[Why, ...] = ()

    @property
    def moved(self) -> tuple[int, ...]:
        """The tasks that had a place and have another one now."""
        return tuple(change.state_id for change in self.delta if change.before.slots and change.after.slots)

    @property
    def gap(self) -> float | None:
        """By which share of its cost it can be too dear at most; None where that is not known."""
        return None if self.quality is None else self.quality.gap(self.objective.total)

    def why(self, state_id: int) -> Why | None:
        """Return why a placed task is where it is, where that is known."""
        return next((why for why in self.whys if why.state_id == state_id), None)

    def to_json(self) -> dict[str, Json]:
        """Return the outcome as data, in ids and indexes."""
        entry: dict[str, Json] = {
            "engine": self.engine,
            "placed": [place_to_json(placement) for placement in self.placements],
            "unplaced": [one.to_json() for one in self.unplaced],
            "objective": self.objective.to_json(),
        }
        if self.quality is None:
            return entry
        more = {"gap": self.gap, "moved": list(self.moved), "why": [why.to_json() for why in self.whys]}
        return {**entry, **self.quality.to_json(), **more}


def assembled(jobs: Jobs, answer: Answer) -> Arrangement:
    """Make the arrangement that *answer* comes to."""
    placements = answer.placements
    return Arrangement(
        jobs.options,
        answer.engine,
        tuple(sorted(placements.values(), key=lambda placement: (placement.block, placement.state_id))),
        answer.unplaced,
        jobs.costs.objective(placements),
        _delta(jobs, placements),
        answer.quality,
        answer.whys,
    )


def _delta(jobs: Jobs, placements: Mapping[int, Placement]) -> Delta:
    changes: list[PlaceChange] = []
    for task in jobs.tasks.values():
        placement = placements.get(task.state_id)
        if placement is None:
            after = Place("pending", (), task.place.duration or task.length) if present(task) else task.place
        else:
            after = Place("suggested", (placement.block,), task.place.duration or task.length, placement.embed_host)
        if present(task) and placement and present(task) == placement.block and task.place.embed_host == placement.embed_host:
            continue
        if after != task.place:
            changes.append(PlaceChange(task.state_id, task.place, after))
    return tuple(changes)
