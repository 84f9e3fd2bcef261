"""Decides why a task has no place; it must not name a rule unless the task would fit the finished arrangement without it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.board import Board
from steadyhand.domains.schedule.arrange.rules import Rule, Rules, fits
from steadyhand.domains.schedule.board.model import Task

Cause: TypeAlias = "Rule | Literal['window', 'no_free_run']"


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that keeps a task out. *number* is its limit or the day it names; *tasks* are those that it waits for.

    ``window``: its earliest day or its deadline lies outside the window. ``no_free_run``: no run is long enough, whatever is lifted.
    """

    cause: Cause
    number: int = 0
    tasks: tuple[int, ...] = ()

    def to_json(self) -> Json:
        """Return the reason as data."""
        return {"rule": self.cause, "number": self.number, "tasks": list(self.tasks)}

    @staticmethod
    def from_json(value: Json) -> "Reason":
        """Make a reason of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        tasks = tuple(cast("list[int]", entry["tasks"]))
        return Reason(cast("Cause", entry["rule"]), cast("int", entry["number"]), tasks)


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A task without a place. Each of *reasons* alone keeps it out; with *together* it takes all of them lifted to let it in.

    *proven*: no arrangement that places all the others places it too. False: the search for one ended without an answer; None:
    there was no such search, the reasons hold for the finished arrangement.
    """

    state_id: int
    length: int
    reasons: tuple[Reason, ...]
    together: bool = False
    proven: bool | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the task and its reasons as data."""
        entry: dict[str, Json] = {
            "task_id": self.state_id,
            "together": self.together,
            "reasons": [reason.to_json() for reason in self.reasons],
        }
        return entry if self.proven is None else {**entry, "proven": self.proven}

    @staticmethod
    def from_json(value: Json, length: int) -> "Unplaced":
        """Make an entry of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        return Unplaced(
            cast("int", entry["task_id"]),
            length,
            tuple(Reason.from_json(reason) for reason in cast("list[Json]", entry["reasons"])),
            cast("bool", entry["together"]),
            cast("bool | None", entry.get("proven")),
        )


def explain(task: Task, board: Board, rules: Rules) -> Unplaced:
    """Return why *task* has no place on *board*, by lifting the rules one at a time, then as few as will do."""
    binding = rules.binding(task)
    alone: tuple[Rule, ...] = tuple(rule for rule in binding if fits(task, board, rules, frozenset({rule})))
    if alone:
        return _unplaced(task, board, rules, alone)
    if not fits(task, board, rules, frozenset(binding)):
        return Unplaced(task.state_id, task.length, (Reason("no_free_run", task.length),))
    needed: set[Rule] = set(binding)
    for rule in binding:
        if fits(task, board, rules, frozenset(needed - {rule})):
            needed.discard(rule)
    together: tuple[Rule, ...] = tuple(rule for rule in binding if rule in needed)
    return _unplaced(task, board, rules, together, together=True)


def _unplaced(task: Task, board: Board, rules: Rules, causes: tuple[Rule, ...], *, together: bool = False) -> Unplaced:
    return Unplaced(task.state_id, task.length, tuple(reason_of(rule, task, board, rules) for rule in causes), together)


def reason_of(rule: Rule, task: Task, board: Board, rules: Rules) -> Reason:
    """Return the reason that *rule* is on a finished board, with its limit or the tasks that it names."""
    if rule == "earliest":
        day = task.earliest or 0
        return Reason("window" if day > board.days else rule, day)
    if rule == "deadline":
        day = task.deadline or 0
        return Reason("window" if day < 1 else rule, day)
    if rule == "max_per_day":
        return Reason(rule, rules.options.max_per_day or 0)
    if rule == "after":
        return Reason(rule, tasks=_first_to_wait_for(task, board, rules))
    if rule == "before":
        first = min(rules.seated_after(task, board), key=lambda other: other.start)
        return Reason(rule, tasks=(first.state_id,))
    return Reason(rule)


def _first_to_wait_for(task: Task, board: Board, rules: Rules) -> tuple[int, ...]:
    """Return the nearest earlier task without a place, else the placed one that ends last."""
    waiting = rules.waiting_before(task, board)
    if waiting:
        return (max(waiting, key=lambda state_id: (board.jobs[state_id].position or 0, -state_id)),)
    return (max(rules.seated_before(task, board), key=lambda other: other.end).state_id,)
