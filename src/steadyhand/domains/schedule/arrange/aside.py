"""Decides how a search runs in a child process and what is kept of it when it does not end by itself. It must not search.

The best answer that the child reported is here, not there: a stop, a limit or the loss of the child costs what came after it, no more.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock, SystemClock
from steadyhand.domains.schedule.arrange.attempts import Jobs, quick_attempts
from steadyhand.domains.schedule.arrange.body import arrange_aside
from steadyhand.domains.schedule.arrange.door import demanded, plan, reasons
from steadyhand.domains.schedule.arrange.explain import place_from_json, whys
from steadyhand.domains.schedule.arrange.options import ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.outcome import CHILD_LOST, STOPPED, Answer, Arrangement, Quality, assembled
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.jobs.bodies import name_of
from steadyhand.jobs.here import Limits, Stop, run_here
from steadyhand.jobs.outcomes import Cancelled, Done, Failed, Outcome, TimedOut, demand

LIMITS = Limits(memory_mib=2_048, seconds=3_600.0, output_bytes=256 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Step:
    """How far a search is: slices done of all, and the best answer so far (its cost, how many tasks it places) with the bound."""

    done: int
    total: int
    placed: int
    cost: int
    bound: int


Watch: TypeAlias = Callable[[Step], None]


def plan_here(
    timetable: Timetable,
    options: ArrangeOptions,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
    limits: Limits = LIMITS,
) -> Arrangement:
    """Do `door.plan` with the engine ``optimise`` in a child process; the quick engines answer in this one.

    *stop* is asked many times a second; once true, the best answer so far is the answer.
    """
    if options.engine != "optimise":
        return plan(timetable, options)
    listener = _Listener(demanded(timetable, options), watch)
    outcome = run_here(
        name_of(arrange_aside), listener.arguments(), timetable.snapshot(), limits=limits, progress=listener.hear, stop=stop
    )
    return listener.finish(outcome)


@dataclass(slots=True)
class _Listener:
    """Keeps the last report of a child."""

    jobs: Jobs
    watch: Watch | None
    clock: Clock = field(default_factory=SystemClock)
    began: float = 0.0
    last: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def __post_init__(self) -> None:
        self.began = self.clock.monotonic()

    def arguments(self) -> Mapping[str, Json]:
        return {"options": self.jobs.options.to_json()}

    def hear(self, done: int, total: int, note: str) -> None:
        """Keep a report and tell whoever watches."""
        self.last = {**self.last, **cast("Mapping[str, Json]", json.loads(note))}
        if self.watch is not None:
            placed = len(cast("list[Json]", self.last["placed"]))
            self.watch(Step(done, total, placed, cast("int", self.last["cost"]), cast("int", self.last["bound"])))

    def finish(self, outcome: Outcome) -> Arrangement:
        """Return the arrangement of a run that is over, however it ended; only a mistake in the program is raised."""
        if isinstance(outcome, Failed):
            demand(outcome)
        if isinstance(outcome, Done):
            return assembled(self.jobs, Answer.from_json(outcome.result, self.jobs))
        return assembled(self.jobs, self._kept(outcome))

    def _kept(self, outcome: Outcome) -> Answer:
        note = STOPPED if isinstance(outcome, Cancelled) else CHILD_LOST
        capped = isinstance(outcome, TimedOut)
        if self.last:
            engine = cast("Engine", self.last["engine"])
            entries = [place_from_json(place) for place in cast("list[Json]", self.last["placed"])]
            placements = {placement.state_id: placement for placement in entries}
        else:
            best = self.jobs.best(quick_attempts(self.jobs))
            engine, placements = best.engine, dict(best.placements)
        bound = cast("int", self.last.get("bound", 0))
        quality = Quality(bound, capped, () if capped else (note,), self.clock.monotonic() - self.began)
        return Answer(engine, placements, reasons(self.jobs, placements), quality, whys(self.jobs, placements))
