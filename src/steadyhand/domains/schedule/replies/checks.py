"""Decides which days, slots, lengths and ids a timetable can mean, and how a refused check becomes a reply. It must not write."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from steadyhand.domains.schedule.board.model import Block, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.reply import Refused, Reply

P = ParamSpec("P")


def refusing(key: str) -> Callable[[Callable[P, Reply]], Callable[P, Reply]]:
    """Turn a check that does not pass into a reply that begins with the text *key*."""

    def around(tool: Callable[P, Reply]) -> Callable[P, Reply]:
        @wraps(tool)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Reply:
            try:
                return tool(*args, **kwargs)
            except Refused as refused:
                return refusal(key, refused)

        return guarded

    return around


def refusal(key: str, refused: Refused) -> Reply:
    """Return the reply of a check that did not pass."""
    return Reply(refused.kind, lambda words: words(key, reason=refused.say(words)), data={"reason": refused.reason})


def need_task(timetable: Timetable, state_id: int) -> Task:
    """Return the task, or refuse an id that nobody has."""
    task = timetable.task(state_id)
    if task is None:
        raise Refused("not_found", "unknown_task", id=state_id)
    return task


def need_length(timetable: Timetable, length: int) -> None:
    """Refuse a length that no day can hold."""
    if not 1 <= length <= timetable.window.slots:
        raise Refused("bad_argument", "bad_duration", n=length, last=timetable.window.slots)


def need_order(start: int | None, end: int | None) -> None:
    """Refuse a range that ends before it starts."""
    if start is not None and end is not None and start > end:
        raise Refused("bad_argument", "bad_order", start=start, end=end)


def need_day(timetable: Timetable, day: int) -> None:
    """Refuse a day outside the window."""
    if not 1 <= day <= timetable.window.total_days:
        raise Refused("out_of_range", "day_outside", day=day, days=timetable.window.total_days)


def need_slots(timetable: Timetable, start: int, end: int) -> None:
    """Refuse slots that a day does not have."""
    last = timetable.window.slots
    if start < 1 or end > last:
        raise Refused("out_of_range", "slots_outside", slots=(start, end), last=last)


def need_block(timetable: Timetable, day: int, start: int, length: int, *, stands: Block | None = None) -> Block:
    """Return the block of *length* slots at (day, start), or refuse one outside the window or over; where it *stands* is no move."""
    need_day(timetable, day)
    need_slots(timetable, start, start + length - 1)
    block = Block(day, start, start + length - 1)
    if block != stands:
        need_to_come(timetable, block)
    return block


def need_to_come(timetable: Timetable, block: Block) -> None:
    """Refuse a place whose time has passed."""
    if timetable.is_over(block):
        raise Refused("out_of_range", "over", day=block.day, slots=(block.start, block.end))
