"""Decides by the plainest means: tasks as they are listed, each at the first legal place. It is what the other engines must not lose to."""

from collections.abc import Sequence

from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.rules import Bounds, Rules, days_of, starts_on
from steadyhand.domains.schedule.board.model import Block, Task
from steadyhand.domains.schedule.board.occupancy import first_slot


def first_fit(board: Board, rules: Rules) -> None:
    """Put each job on *board*, by id but in the order of its category, at the first free place, else the first inside a host."""
    for task in in_listed_order(list(board.jobs.values())):
        bounds = rules.bounds(task, board)
        found = first_place(task, board, bounds)
        if found is not None:
            board.put(task, found)


def in_listed_order(tasks: Sequence[Task]) -> list[Task]:
    """Return tasks by id, those of one category changing places among themselves so that they stand by position."""
    listed = sorted(tasks, key=lambda task: task.state_id)
    members: dict[int | None, list[Task]] = {}
    for task in listed:
        if task.position is not None:
            members.setdefault(task.category_id, []).append(task)
    queues = {category: iter(sorted(group, key=lambda task: task.position or 0)) for category, group in members.items()}
    return [task if task.position is None else next(queues[task.category_id]) for task in listed]


def first_place(task: Task, board: Board, bounds: Bounds) -> Placement | None:
    """Return the first legal place: free slots of every day come before those inside a host."""
    embedded: Placement | None = None
    for day in days_of(bounds, board):
        starts = starts_on(board, day, task.length, bounds)
        if starts is None:
            continue
        if starts.free:
            return _at(task, day, first_slot(starts.free), None)
        if embedded is None:
            host, mask = starts.hosts[0]
            embedded = _at(task, day, first_slot(mask), host)
    return embedded


def _at(task: Task, day: int, start: int, host: int | None) -> Placement:
    return Placement(task.state_id, Block(day, start, start + task.length - 1), host)
