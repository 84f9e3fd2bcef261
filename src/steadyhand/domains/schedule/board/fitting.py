"""Decides whether tasks can stand where they are sent, judged on the final arrangement, and what that changes of whom.

It must not know who may be sent (a write's rules) nor how a refusal is worded.
"""

from collections.abc import Mapping
from typing import NamedTuple

from steadyhand.domains.schedule.board.model import Block, Delta, Place, PlaceChange, Task
from steadyhand.domains.schedule.board.timetable import Timetable, Trial


class Clash(NamedTuple):
    """Why tasks cannot stand: *task* at *block* meets *blocker*, which stands at *at*."""

    task: Task
    block: Block
    blocker: Task
    at: Block


def fit(timetable: Timetable, targets: Mapping[int, Place]) -> Delta | Clash:
    """Send every task of *targets* to its place (whose host follows from the position); the timetable stays as it is.

    The guests of a host that is sent away stay where they are: inside it when it still covers them, else on their own.
    """
    tasks = timetable.tasks
    left = [guest for state_id in targets for guest in timetable.guests_of(state_id) if guest not in targets]
    landed: dict[int, Place] = {}
    clashes: dict[int, Clash] = {}
    with timetable.trial([*targets, *left]) as trial:
        for state_id in _in_order(targets, left, tasks):
            task = tasks[state_id]
            place, blocker = trial.land(task, targets.get(state_id, task.place))
            if blocker is None:
                landed[state_id] = place
            else:
                clash = _clash(task, place, tasks[blocker], trial)
                if state_id not in targets:
                    # a guest that was left behind asked for nothing: the host that came upon it cannot stand
                    clash = Clash(clash.blocker, clash.at, task, clash.block)
                clashes.setdefault(clash.task.state_id, clash)
    for state_id in targets:
        if state_id in clashes:
            return clashes[state_id]
    return tuple(
        PlaceChange(state_id, tasks[state_id].place, place)
        for state_id, place in sorted(landed.items())
        if place != tasks[state_id].place
    )


def _in_order(targets: Mapping[int, Place], left: list[int], tasks: Mapping[int, Task]) -> list[int]:
    # hosts stand before those whom they may take in
    hosts = [state_id for state_id in targets if tasks[state_id].can_embed]
    others = [state_id for state_id in targets if not tasks[state_id].can_embed]
    return [*hosts, *left, *others]


def _clash(task: Task, place: Place, blocker: Task, trial: Trial) -> Clash:
    met = ((block, trial.seat_of(blocker.state_id, block)) for block in place.slots)
    block, at = next((block, at) for block, at in met if at is not None)
    return Clash(task, block, blocker, at)
