"""Decides which writes of the reference's five write tools are allowed, makes them, and reports what became of it. It must not write anywhere else.

Checks come in one order: bad_argument, not_found, locked, wrong_status, duration_mismatch, out_of_range, conflict. A
refused write leaves the timetable as it was, byte for byte.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from steadyhand.domains.schedule.board.fitting import Clash, fit
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import DayFacts, Timetable
from steadyhand.domains.schedule.replies.checks import need_block, need_task, need_to_come, refusing
from steadyhand.domains.schedule.replies.reply import Refused, Reply, day_data
from steadyhand.domains.schedule.replies.wording import Wording


class Move(Protocol):
    """One move of a batch."""

    @property
    def task_id(self) -> int: ...
    @property
    def new_day(self) -> int: ...
    @property
    def new_slot_start(self) -> int: ...


@refusing("fail_place")
def place(timetable: Timetable, *, task_id: int, day: int, slot_start: int) -> Reply:
    """Put a pending task at a place; wholly inside a host that takes guests it is embedded there."""
    task = need_task(timetable, task_id)
    if task.place.status != "pending":
        raise Refused("wrong_status", "status_place", **_named(task))
    block = need_block(timetable, day, slot_start, task.length)
    delta = fit(timetable, {task_id: Place("suggested", (block,), task.length)})
    if isinstance(delta, Clash):
        return _conflict("fail_place", delta, timetable.facts(delta.block.day))
    timetable.apply(delta)
    host_id = timetable.tasks[task_id].place.embed_host
    host = None if host_id is None else timetable.tasks[host_id]
    facts, pending = timetable.facts(day), timetable.pending

    def text(words: Wording) -> str:
        where = {**_named(task), "day": day, "slots": words.slots(block.start, block.end)}
        first = words("placed", **where) if host is None else words("embedded", **where, host=words.ref(host))
        return "\n".join([first, words.occupancy(facts), words("left_pending", n=pending)])

    data = {"task_id": task_id, "at": _block_data(block), "host": host_id, "pending": pending, "load": day_data(facts)}
    return Reply("ok", text, delta, data)


@refusing("fail_move")
def move(timetable: Timetable, *, task_id: int, new_day: int, new_slot_start: int) -> Reply:
    """Move a suggested task; the same place again is a success that changes nothing."""
    task = need_task(timetable, task_id)
    _need_suggested(timetable, task, "move")
    _need_one_block(task, "move")
    before = task.place.slots[0]
    after = need_block(timetable, new_day, new_slot_start, len(before), stands=before)
    delta = fit(timetable, {task_id: _moved_to(task, after)})
    if isinstance(delta, Clash):
        return _conflict("fail_move", delta, timetable.facts(delta.block.day))
    timetable.apply(delta)
    days = _facts(timetable, dict.fromkeys((before.day, new_day)))

    def text(words: Wording) -> str:
        from_slots, slots = words.slots(before.start, before.end), words.slots(after.start, after.end)
        first = words("moved", **_named(task), from_day=before.day, from_slots=from_slots, day=new_day, slots=slots)
        return _with_days(words, [first], days)

    data = {"task_id": task_id, "from": _block_data(before), "at": _block_data(after), "load": [day_data(day) for day in days]}
    return Reply("ok", text, delta, data)


@refusing("fail_swap")
def swap(timetable: Timetable, *, task_a: int, task_b: int) -> Reply:
    """Exchange the places of two suggested tasks of one length; embedding goes with the place."""
    if task_a == task_b:
        raise Refused("bad_argument", "bad_same", id=task_a)
    both = need_task(timetable, task_a), need_task(timetable, task_b)
    for task in both:
        _need_unlocked(timetable, task, "swap")
    for task in both:
        _need_status(task, "swap")
        _need_one_block(task, "swap")
    first, second = both
    if first.length != second.length:
        other = {"other_id": second.state_id, "other_name": second.name, "other_n": second.length}
        raise Refused("duration_mismatch", "swap_lengths", **_named(first), n=first.length, **other)
    at_first, at_second = first.place.slots[0], second.place.slots[0]
    need_to_come(timetable, at_first)
    need_to_come(timetable, at_second)
    delta = fit(timetable, {task_a: _moved_to(first, at_second), task_b: _moved_to(second, at_first)})
    if isinstance(delta, Clash):
        return _conflict("fail_swap", delta, timetable.facts(delta.block.day))
    timetable.apply(delta)
    days = _facts(timetable, sorted({at_first.day, at_second.day}))

    def text(words: Wording) -> str:
        rows = [
            words("swapped_row", **_named(task), before=words.at(before), after=words.at(after))
            for task, before, after in ((first, at_first, at_second), (second, at_second, at_first))
        ]
        return _with_days(words, [words("swapped"), *rows], days)

    data = {"task_a": task_a, "task_b": task_b, "load": [day_data(day) for day in days]}
    return Reply("ok", text, delta, data)


def batch_move(timetable: Timetable, *, moves: Sequence[Move]) -> Reply:
    """Move several suggested tasks, judged on the final arrangement; all of them or none."""
    try:
        targets = _batch_targets(timetable, moves)
    except Refused as refused:
        return batch_refusal(refused)
    delta = fit(timetable, {task.state_id: _moved_to(task, block) for task, block in targets})
    if isinstance(delta, Clash):
        return _batch_conflict(delta)
    timetable.apply(delta)
    days = _facts(timetable, sorted({block.day for _, block in targets}))

    def text(words: Wording) -> str:
        rows = [words("batch_row", **_named(task), after=words.at(block)) for task, block in targets]
        return _with_days(words, [words("batch_moved", n=len(rows)), *rows], days)

    data = {"tasks": [task.state_id for task, _ in targets], "load": [day_data(day) for day in days]}
    return Reply("ok", text, delta, data)


def batch_refusal(refused: Refused) -> Reply:
    """Return the reply of a batch that did not pass a check."""

    def text(words: Wording) -> str:
        return "\n".join([words("fail_batch_move"), words("fail_batch_reason", reason=refused.say(words))])

    return Reply(refused.kind, text, data={"reason": refused.reason})


@refusing("fail_unplace")
def unplace(timetable: Timetable, *, task_id: int) -> Reply:
    """Take a suggested task from its place; it is pending again and needs as many slots as before."""
    task = need_task(timetable, task_id)
    _need_suggested(timetable, task, "unplace")
    delta = fit(timetable, {task_id: Place("pending", (), task.place.duration or task.length)})
    if isinstance(delta, Clash):
        return _conflict("fail_unplace", delta, timetable.facts(delta.block.day))
    timetable.apply(delta)
    blocks = task.place.slots
    days = _facts(timetable, sorted({block.day for block in blocks}))
    pending = timetable.pending

    def text(words: Wording) -> str:
        where = words("joint").join(words.at(block) for block in blocks)
        first = words("unplaced", **_named(task), where=where)
        return "\n".join([_with_days(words, [first], days), words("left_pending", n=pending)])

    data = {"task_id": task_id, "pending": pending, "load": [day_data(day) for day in days]}
    return Reply("ok", text, delta, data)


def _batch_targets(timetable: Timetable, moves: Sequence[Move]) -> list[tuple[Task, Block]]:
    if not moves:
        raise Refused("bad_argument", "bad_no_moves")
    seen: set[int] = set()
    for entry in moves:
        if entry.task_id in seen:
            raise Refused("bad_argument", "bad_repeat", id=entry.task_id)
        seen.add(entry.task_id)
    tasks = [need_task(timetable, entry.task_id) for entry in moves]
    for task in tasks:
        _need_unlocked(timetable, task, "move")
    for task in tasks:
        _need_status(task, "move")
        _need_one_block(task, "move")
    return [
        (task, need_block(timetable, entry.new_day, entry.new_slot_start, task.length, stands=task.place.slots[0]))
        for task, entry in zip(tasks, moves, strict=True)
    ]


def _need_suggested(timetable: Timetable, task: Task, write: str) -> None:
    _need_unlocked(timetable, task, write)
    _need_status(task, write)


def _need_unlocked(timetable: Timetable, task: Task, write: str) -> None:
    if task.locked:
        raise Refused("locked", f"locked_{write}", **_named(task))
    if timetable.locked(task):
        host = timetable.tasks[task.place.embed_host or 0]
        raise Refused("locked", f"locked_guest_{write}", **_named(task), host=host)


def _need_status(task: Task, write: str) -> None:
    if task.place.status != "suggested":
        raise Refused("wrong_status", f"{task.place.status}_{write}", **_named(task))


def _need_one_block(task: Task, write: str) -> None:
    # one block cannot stand for several: their gaps and days would be lost
    if len(task.place.slots) > 1:
        raise Refused("wrong_status", f"blocks_{write}", **_named(task), n=len(task.place.slots))


def _moved_to(task: Task, block: Block) -> Place:
    return Place("suggested", (block,), task.place.duration)


def _named(task: Task) -> dict[str, str | int]:
    return {"id": task.state_id, "name": task.name}


def _block_data(block: Block) -> Mapping[str, int]:
    return {"day": block.day, "slot_start": block.start, "slot_end": block.end}


def _facts(timetable: Timetable, days: Iterable[int]) -> list[DayFacts]:
    return [timetable.facts(day) for day in days]


def _with_days(words: Wording, lines: list[str], days: list[DayFacts]) -> str:
    return "\n".join([*lines, *(words.occupancy(day) for day in days)])


def _conflict_data(clash: Clash) -> Mapping[str, int | str | Mapping[str, int]]:
    return {
        "reason": "taken",
        "task_id": clash.task.state_id,
        "at": _block_data(clash.block),
        "blocker": clash.blocker.state_id,
        "blocker_at": _block_data(clash.at),
    }


def _conflict(key: str, clash: Clash, facts: DayFacts) -> Reply:
    def text(words: Wording) -> str:
        reason = words("taken", at=words.at(clash.block), **_named(clash.blocker))
        return "\n".join([words(key, reason=reason), words.occupancy_and_free(facts)])

    return Reply("conflict", text, data=_conflict_data(clash))


def _batch_conflict(clash: Clash) -> Reply:
    def text(words: Wording) -> str:
        blocker = words("day_seat", **_named(clash.blocker), span=words.span(clash.at.start, clash.at.end))
        line = words("fail_batch_conflict", **_named(clash.task), after=words.at(clash.block), blocker=blocker)
        return "\n".join([words("fail_batch_move"), line])

    return Reply("conflict", text, data=_conflict_data(clash))
