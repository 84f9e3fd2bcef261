"""Decides why each task is where it is: what its place costs against the best other one that is open. It must not move anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.columns import Spot
from steadyhand.domains.schedule.arrange.seating import Seating, seated
from steadyhand.domains.schedule.board.model import Block


@dataclass(frozen=True, slots=True)
class Why:
    """The cost of a task's place by parts, and of the best *other* place that is open while all others stay; None: there is none."""

    state_id: int
    parts: Mapping[str, int]
    other: Placement | None = None
    other_parts: Mapping[str, int] | None = None

    @property
    def cost(self) -> int:
        """What its place costs."""
        return sum(self.parts.values())

    @property
    def other_cost(self) -> int:
        """What the best other place would cost."""
        return sum((self.other_parts or {}).values())

    def to_json(self) -> Json:
        """Return the comparison as data."""
        other: Json = None
        if self.other is not None:
            other = {**place_to_json(self.other), "parts": dict(self.other_parts or {})}
        return {"task_id": self.state_id, "parts": dict(self.parts), "other": other}

    @staticmethod
    def from_json(value: Json) -> "Why":
        """Make a comparison of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        state_id, parts = cast("int", entry["task_id"]), cast("Mapping[str, int]", entry["parts"])
        other = cast("Mapping[str, Json] | None", entry["other"])
        if other is None:
            return Why(state_id, parts)
        return Why(state_id, parts, place_from_json(other), cast("Mapping[str, int]", other["parts"]))


def place_to_json(placement: Placement) -> dict[str, Json]:
    """Return a placement as data, in ids and indexes."""
    return {
        "task_id": placement.state_id,
        "day": placement.block.day,
        "slot_start": placement.block.start,
        "slot_end": placement.block.end,
        "host": placement.embed_host,
    }


def place_from_json(value: Json) -> Placement:
    """Make a placement of what `place_to_json` returned."""
    entry = cast("Mapping[str, int]", value)
    block = Block(entry["day"], entry["slot_start"], entry["slot_end"])
    return Placement(entry["task_id"], block, cast("int | None", entry["host"]))


def whys(jobs: Jobs, placements: Mapping[int, Placement]) -> tuple[Why, ...]:
    """Return the comparison for every placed task, by id."""
    problem = jobs.problem()
    seating = seated(problem, placements)
    loads = list(jobs.costs.base)
    for placement in placements.values():
        loads[placement.block.day] += len(placement.block)
    found: list[Why] = []
    for state_id, placement in sorted(placements.items()):
        task, block = jobs.tasks[state_id], placement.block
        parts = jobs.costs.of_place(task, placement, loads[block.day] - len(block))
        other = None if seating is None else _other(seating, state_id)
        if other is None:
            found.append(Why(state_id, parts))
            continue
        there = problem.placement(state_id, other)
        load = loads[other.day] - (len(block) if other.day == block.day else 0)
        found.append(Why(state_id, parts, there, jobs.costs.of_place(task, there, load)))
    return tuple(found)


def _other(seating: Seating, state_id: int) -> Spot | None:
    """Return the cheapest open place of a task but the one that it has."""
    own = seating.take(state_id)
    found = seating.cheapest(state_id, but=own)
    seating.put(state_id, own)
    return None if found is None else found[1]
