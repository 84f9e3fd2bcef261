"""Decides what the three further read tools report: places by condition, tasks by condition, and the numbers of an arrangement.

It must report facts and numbers only: no judgement, no suggestion, no change.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, pstdev

from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.board.occupancy import span_mask
from steadyhand.domains.schedule.board.places import Opening, free_runs, host_runs
from steadyhand.domains.schedule.board.timetable import DayFacts, Timetable
from steadyhand.domains.schedule.replies.checks import need_day, need_length, need_order, need_slots, need_task, refusing
from steadyhand.domains.schedule.replies.reply import Refused, Reply, day_data, task_data
from steadyhand.domains.schedule.replies.wording import Wording, in_category
from steadyhand.domains.schedule.tools.reads import STATUSES, by_status

DEFAULT_LIMIT = 12


@refusing("fail_query")
def query_available_slots(
    timetable: Timetable,
    *,
    span: int = 2,
    day_from: int | None = None,
    day_to: int | None = None,
    days: Sequence[int] | None = None,
    after_slot: int | None = None,
    before_slot: int | None = None,
    embed: bool = True,
    limit: int = DEFAULT_LIMIT,
) -> Reply:
    """List the runs in which *span* slots can stand: free runs of all days first, then those inside hosts."""
    need_length(timetable, span)
    need_order(day_from, day_to)
    _need_limit(limit)
    wanted = _days(timetable, day_from, day_to, days)
    mask = _within(timetable, after_slot, before_slot)
    found = [opening for day in wanted for opening in free_runs(timetable, day, mask) if len(opening.block) >= span]
    if embed:
        found += [opening for day in wanted for opening in host_runs(timetable, day, mask) if len(opening.block) >= span]
    if not found:
        return Reply("none", lambda words: words("free_none", n=span), data={"duration": span})
    shown = [
        (opening, None if opening.host is None else timetable.tasks[opening.host], timetable.facts(opening.block.day))
        for opening in found[:limit]
    ]

    def text(words: Wording) -> str:
        rows = [_opening_row(words, *row, span) for row in shown]
        return "\n".join([words("slots_found", n=len(found), shown=len(rows)), *rows])

    places = [
        {"day": b.day, "slot_start": b.start, "slot_end": b.end, "last_start": b.end - span + 1, "host": host, "used": facts.used}
        for (b, host), _, facts in shown
    ]
    return Reply("ok", text, data={"span": span, "count": len(found), "places": places})


def _need_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise Refused("bad_argument", "bad_limit", n=limit)


def _days(timetable: Timetable, first: int | None, last: int | None, chosen: Sequence[int] | None = None) -> list[int]:
    for day in (first, last, *(chosen or ())):
        if day is not None:
            need_day(timetable, day)
    span = range(first or 1, (last or timetable.window.total_days) + 1)
    return [day for day in span if chosen is None or day in chosen]


def _within(timetable: Timetable, after_slot: int | None, before_slot: int | None) -> int:
    for slot in (after_slot, before_slot):
        if slot is not None:
            need_slots(timetable, slot, slot)
    first = 1 if after_slot is None else after_slot + 1
    last = timetable.window.slots if before_slot is None else before_slot - 1
    return span_mask(first, last) if first <= last else 0


def _opening_row(words: Wording, opening: Opening, host: Task | None, facts: DayFacts, span: int) -> str:
    first, last = opening.block.start, opening.block.end - span + 1
    return words(
        "slots_row",
        at=words.at(opening.block),
        starts=str(first) if first == last else words("slots_starts", first=first, last=last),
        kind=words("slots_pure") if host is None else words("slots_embed", host=words.ref(host)),
        used=facts.used,
        slots=facts.slots,
    )


@refusing("fail_query")
def query_target_tasks(
    timetable: Timetable,
    *,
    status: str = "all",
    category: str | None = None,
    task_ids: Sequence[int] | None = None,
    day_from: int | None = None,
    day_to: int | None = None,
    limit: int | None = None,
) -> Reply:
    """List tasks (no courses) by conditions; with a day range, those that hold slots in it."""
    if status not in {*STATUSES, "all"}:
        raise Refused("bad_argument", "bad_value", argument="status")
    need_order(day_from, day_to)
    _need_limit(limit)
    asked = timetable.tasks.values() if task_ids is None else [need_task(timetable, task) for task in dict.fromkeys(task_ids)]
    days = set(_days(timetable, day_from, day_to))
    ranged = day_from is not None or day_to is not None
    found = [
        task
        for task in asked
        if not task.is_course
        and status in {"all", task.place.status}
        and in_category(task, category)
        and (not ranged or any(block.day in days for block in task.place.slots))
    ]
    shown = found[:limit]

    def text(words: Wording) -> str:
        if not shown:
            return words("targets_none")
        return "\n".join([words("targets", n=len(found), shown=len(shown)), "", *(words.row(task) for task in shown)])

    return Reply("ok", text, data={"count": len(found), "tasks": [task_data(task) for task in shown]})


@refusing("fail_query")
def evaluate(
    timetable: Timetable, *, category: str | None = None, day_from: int | None = None, day_to: int | None = None
) -> Reply:
    """Report the numbers of an arrangement: counts, load by day, spread of task slots, order within a category."""
    need_order(day_from, day_to)
    days = [timetable.facts(day) for day in _days(timetable, day_from, day_to)]
    tasks = [task for task in timetable.tasks.values() if not task.is_course and in_category(task, category)]
    longest = {day.day: timetable.cells(day.day).longest_free for day in days}
    cells = _task_cells(tasks, days)
    orders = [(ordered, _out_of_order(ordered)) for ordered in _by_category(tasks)]
    need = sum(task.length for task in tasks if task.place.status == "pending")

    def text(words: Wording) -> str:
        spread = _spread(cells)
        scope = category or words("evaluate_all")
        return "\n".join(
            [
                words("evaluate_scope", category=scope, first=days[0].day, last=days[-1].day),
                words("evaluate_counts", need=need, **by_status(tasks)),
                words("evaluate_spread", **spread),
                "",
                words("evaluate_load"),
                *(words.load("evaluate_day", day, longest=longest[day.day]) for day in days),
                *(["", words("evaluate_order")] if orders else []),
                *(_order_row(words, ordered, wrong) for ordered, wrong in orders),
            ]
        )

    data = {
        "days": [day_data(day) for day in days],
        "task_cells": cells,
        "counts": by_status(tasks),
        "need": need,
        "out_of_order": [[earlier.state_id, later.state_id] for _, wrong in orders for earlier, later in wrong],
    }
    return Reply("ok", text, data=data)


def _task_cells(tasks: Iterable[Task], days: list[DayFacts]) -> list[int]:
    cells = {day.day: 0 for day in days}
    for task in tasks:
        for block in task.place.slots:
            if block.day in cells:
                cells[block.day] += len(block)
    return list(cells.values())


def _spread(cells: list[int]) -> dict[str, object]:
    return {
        "cells": sum(cells),
        "days": sum(count > 0 for count in cells),
        "low": min(cells),
        "high": max(cells),
        "mean": f"{fmean(cells):.2f}",
        "deviation": f"{pstdev(cells):.2f}",
    }


def _by_category(tasks: Iterable[Task]) -> list[list[Task]]:
    groups: dict[int | str, list[Task]] = {}
    for task in tasks:
        if task.position is not None:
            groups.setdefault(task.category if task.category_id is None else task.category_id, []).append(task)
    return [sorted(group, key=lambda task: (task.position or 0, task.state_id)) for group in groups.values()]


def _out_of_order(ordered: list[Task]) -> list[tuple[Task, Task]]:
    # pairs (stands earlier, comes first in the category) of neighbours among the placed
    placed = [task for task in ordered if task.place.slots]
    return [(later, first) for first, later in pairwise(placed) if later.place.slots[0] < first.place.slots[-1]]


def _order_row(words: Wording, ordered: list[Task], wrong: list[tuple[Task, Task]]) -> str:
    tasks = words("joint").join(
        words("evaluate_placed", task=words.ref(task), where=words.where(task.place.slots))
        if task.place.slots
        else words("evaluate_waiting", task=words.ref(task))
        for task in ordered
    )
    pairs = words("joint").join(words("evaluate_pair", earlier=words.ref(a), later=words.ref(b)) for a, b in wrong)
    shown = words("evaluate_pairs", pairs=pairs) if pairs else ""
    return words("evaluate_category", category=words.category(ordered[0]), tasks=tasks, n=len(wrong), pairs=shown)
