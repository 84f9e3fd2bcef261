"""Decides where a task of a given length could stand now: free runs, and slots of hosts that take guests. Nothing stands where it is over.

It must not choose for quality.
"""

from collections.abc import Iterable
from typing import NamedTuple

from steadyhand.domains.schedule.board.model import Block
from steadyhand.domains.schedule.board.occupancy import first_slot, runs_of, starts_of
from steadyhand.domains.schedule.board.timetable import Timetable


class Opening(NamedTuple):
    """A run of slots in which a task can stand, free or inside a *host*; *block* is the whole run."""

    block: Block
    host: int | None


def first_place(timetable: Timetable, length: int, days: Iterable[int]) -> Opening | None:
    """Return the first place for *length* slots: free ones of every day come first, then those inside a host."""
    in_order = tuple(days)
    for day in in_order:
        cells = timetable.cells(day)
        if cells.longest_free >= length:
            start = first_slot(starts_of(cells.free & timetable.open_mask(day), length))
            if start:
                return Opening(Block(day, start, start + length - 1), None)
    for day in in_order:
        cells = timetable.cells(day)
        if cells.longest_open >= length:
            for seat in cells.open:
                start = first_slot(starts_of(cells.open_slots(seat) & timetable.open_mask(day), length))
                if start:
                    return Opening(Block(day, start, start + length - 1), seat.state_id)
    return None


def free_runs(timetable: Timetable, day: int, mask: int) -> list[Opening]:
    """Return the free runs of *day* within the slots of *mask*."""
    return [
        Opening(Block(day, start, end), None)
        for start, end in runs_of(timetable.cells(day).free & timetable.open_mask(day) & mask)
    ]


def host_runs(timetable: Timetable, day: int, mask: int) -> list[Opening]:
    """Return the runs of *day* within the slots of *mask* in which a host takes a guest."""
    cells = timetable.cells(day)
    mask &= timetable.open_mask(day)
    return [
        Opening(Block(day, start, end), seat.state_id)
        for seat in cells.open
        for start, end in runs_of(cells.open_slots(seat) & mask)
    ]
