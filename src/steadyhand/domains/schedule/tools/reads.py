"""Decides what the reference's five read tools report of a timetable. It must report facts only, and change nothing."""

from collections import Counter
from collections.abc import Iterable, Sequence

from steadyhand.domains.schedule.board.model import Block, Status, Task
from steadyhand.domains.schedule.board.occupancy import DayIndex
from steadyhand.domains.schedule.board.places import Opening, first_place
from steadyhand.domains.schedule.board.timetable import DayFacts, Entry, Timetable
from steadyhand.domains.schedule.replies.checks import need_day, need_length, need_order, need_slots, need_task, refusing
from steadyhand.domains.schedule.replies.reply import Refused, Reply, day_data, task_data
from steadyhand.domains.schedule.replies.wording import Wording, in_category

_SEGMENT = 2
STATUSES: tuple[Status, ...] = ("existing", "suggested", "pending")


def get_overview(timetable: Timetable) -> Reply:
    """Report the whole window: totals, every day, every task; courses count as occupancy and are not listed."""
    days = [timetable.facts(day) for day in range(1, timetable.window.total_days + 1)]
    tasks = [task for task in timetable.tasks.values() if not task.is_course]
    courses = len(timetable.tasks) - len(tasks)
    slots = timetable.window.slots

    def text(words: Wording) -> str:
        total, used, free = len(days) * slots, sum(day.used for day in days), sum(day.open for day in days)
        counts = {"used": used, "free": free, "over": total - used - free, "courses": courses, **by_status(tasks)}
        return "\n".join(
            [
                words("overview_window", days=len(days), slots=slots, total=total),
                words("overview_counts_over" if counts["over"] else "overview_counts", **counts),
                "",
                words("overview_days"),
                *(words.load("overview_day", day, tasks=_day_tasks(words, day)) for day in days),
                "",
                words("overview_tasks"),
                *([words.row(task) for task in tasks] or [words("none")]),
            ]
        )

    data = {"days": [day_data(day) for day in days], "tasks": [task_data(task) for task in tasks], "courses": courses}
    return Reply("ok", text, data=data)


def by_status(tasks: Iterable[Task]) -> dict[str, int]:
    """Count tasks by status; every status is there."""
    counts = Counter(task.place.status for task in tasks)
    return {status: counts[status] for status in STATUSES}


def _day_tasks(words: Wording, day: DayFacts) -> str:
    return words.joined(
        words(
            "overview_day_task",
            id=entry.task.state_id,
            name=entry.task.name,
            status=entry.task.place.status,
            slots=words.slots(entry.start, entry.end),
        )
        for entry in day.entries
        if not entry.task.is_course
    )


@refusing("fail_query")
def query_range(timetable: Timetable, *, day: int, slot_start: int | None = None, slot_end: int | None = None) -> Reply:
    """Report who holds the slots of a day: the whole day in runs, or slot by slot when both bounds are given."""
    need_order(slot_start, slot_end)
    need_day(timetable, day)
    facts, cells = timetable.facts(day), timetable.cells(day)
    if slot_start is None or slot_end is None:
        rows = _day_rows(cells, facts)
        return Reply("ok", lambda words: _whole_day(words, facts, rows), data=day_data(facts))
    need_slots(timetable, slot_start, slot_end)
    rows = [(slot, slot, _at_slot(facts, slot)) for slot in range(slot_start, slot_end + 1)]
    return Reply("ok", lambda words: _part_of_day(words, facts, rows), data=day_data(facts))


_Row = tuple[int, int, tuple[Entry, ...]]


def _at_slot(facts: DayFacts, slot: int) -> tuple[Entry, ...]:
    return tuple(entry for entry in facts.entries if entry.start <= slot <= entry.end)


def _day_rows(cells: DayIndex, facts: DayFacts) -> list[_Row]:
    # a run ends where the occupants change; an empty one also at the end of a standard segment
    rows: list[_Row] = []
    for slot in range(1, facts.slots + 1):
        holders = cells.plain[slot], cells.guest[slot]
        joins = slot > 1 and holders == (cells.plain[slot - 1], cells.guest[slot - 1])
        if joins and (holders[0] or slot % _SEGMENT == 0):
            rows[-1] = (rows[-1][0], slot, rows[-1][2])
        else:
            rows.append((slot, slot, _at_slot(facts, slot)))
    return rows


def _holders(words: Wording, entries: Sequence[Entry]) -> str:
    return " ".join(_holder(words, entry) for entry in entries) or words("range_empty")


def _holder(words: Wording, entry: Entry) -> str:
    task = entry.task
    if entry.guest:
        return words("range_guest", id=task.state_id, name=task.name)
    if task.locked:
        return words("range_fixed", id=task.state_id, name=task.name)
    return words("range_open", id=task.state_id, name=task.name) if task.can_embed else words.ref(task)


def _rows(words: Wording, rows: Iterable[_Row]) -> list[str]:
    return [words("range_row", slots=words.slots(start, end), content=_holders(words, held)) for start, end, held in rows]


def _whole_day(words: Wording, facts: DayFacts, rows: list[_Row]) -> str:
    runs = words.joined(words("range_run", slots=words.slots(start, end), n=end - start + 1) for start, end in facts.free)
    hosts = words.joined(
        _host_item(words, facts, entry)
        for entry in facts.entries
        if not entry.guest and (entry.task.locked or entry.task.can_embed)
    )
    return "\n".join(
        [
            words("range_day", day=facts.day),
            "",
            *_rows(words, rows),
            "",
            words("range_free", runs=runs),
            words("range_hosts", items=hosts),
        ]
    )


def _host_item(words: Wording, facts: DayFacts, entry: Entry) -> str:
    task = {"slots": words.slots(entry.start, entry.end), "id": entry.task.state_id, "name": entry.task.name}
    if entry.task.locked:
        return words("range_host_fixed", **task)
    guests = [other for other in facts.entries if other.guest and entry.start <= other.start <= entry.end]
    if not guests:
        return words("range_host_open", **task)
    shown = words.joined(words("day_seat", id=g.task.state_id, name=g.task.name, span=words.span(g.start, g.end)) for g in guests)
    return words("range_host_taken", **task, guests=shown)


def _part_of_day(words: Wording, facts: DayFacts, rows: list[_Row]) -> str:
    empty = [slot for slot, _, held in rows if not held]
    free = sum(any(start <= slot <= end for start, end in facts.free) for slot in empty)
    over, used = len(empty) - free, len(rows) - len(empty)
    key = "range_over" if over else "range_all_free" if not used else "range_mixed" if free else "range_all_taken"
    return "\n".join(
        [
            words("range_slots", day=facts.day, slots=words.slots(rows[0][0], rows[-1][1])),
            "",
            *_rows(words, rows),
            "",
            words(key, n=len(rows), free=free, used=used, over=over),
        ]
    )


@refusing("fail_query")
def find_first_free(timetable: Timetable, *, duration: int, day: int | None = None) -> Reply:
    """Report the first place for *duration* slots, free ones of all days before embeddable ones, and that day in detail."""
    need_length(timetable, duration)
    if day is not None:
        need_day(timetable, day)
    days = range(1, timetable.window.total_days + 1) if day is None else (day,)
    found = first_place(timetable, duration, days)
    if found is None:
        return Reply("none", lambda words: words("free_none", n=duration), data={"duration": duration})
    facts = timetable.facts(found.block.day)
    host = None if found.host is None else timetable.tasks[found.host]
    data = {
        "day": found.block.day,
        "slot_start": found.block.start,
        "slot_end": found.block.end,
        "host": found.host,
        "load": day_data(facts),
    }
    return Reply("ok", lambda words: _first_free(words, found, host, facts, duration), data=data)


def _first_free(words: Wording, found: Opening, host: Task | None, facts: DayFacts, duration: int) -> str:
    slots = words.slots(found.block.start, found.block.end)
    if host is None:
        first = words("free_found", day=facts.day, slots=slots)
    else:
        first = words("free_host", day=facts.day, slots=slots, host=words.ref(host))
    tasks = [
        words(
            "free_task",
            id=entry.task.state_id,
            name=entry.task.name,
            status=entry.task.place.status,
            category=words.category(entry.task),
            slots=words.slots(entry.start, entry.end),
        )
        for entry in facts.entries
        if not entry.task.is_course
    ]
    runs = [words("free_run", slots=words.slots(start, end), n=end - start + 1) for start, end in facts.free]
    empty = [words("free_empty")]
    return "\n".join(
        [
            first,
            words("free_need", n=duration),
            words.load("free_load", facts),
            words("free_tasks"),
            *(tasks or empty),
            words("free_runs"),
            *(runs or empty),
        ]
    )


find_free = find_first_free


@refusing("fail_query")
def list_tasks(timetable: Timetable, *, category: str | None = None, status: str = "all") -> Reply:
    """List the tasks of a category and status; an unknown category has none."""
    if status not in {*STATUSES, "all"}:
        raise Refused("bad_argument", "bad_value", argument="status")
    shown = [
        (task, _host(timetable, task))
        for task in timetable.tasks.values()
        if status in {"all", task.place.status} and in_category(task, category)
    ]
    data = {"status": status, "tasks": [task_data(task) for task, _ in shown]}
    if status == "all":
        return Reply("ok", lambda words: _all_tasks(words, shown), data=data)
    return Reply("ok", lambda words: _tasks_of(words, status, shown), data=data)


_Listed = tuple[Task, Task | None]


def _host(timetable: Timetable, task: Task) -> Task | None:
    return None if task.place.embed_host is None else timetable.tasks[task.place.embed_host]


def _placed_row(words: Wording, key: str, listed: _Listed) -> str:
    task, host = listed
    flags = [words.category(task)]
    if task.locked:
        flags.append(words("flag_fixed"))
    if task.can_embed:
        flags.append(words("flag_host"))
    if host is not None:
        flags.append(words("flag_guest", host=words.ref(host)))
    return words(
        key, id=task.state_id, name=task.name, flags=words("flag_joint").join(flags), where=words.where(task.place.slots)
    )


def _tasks_of(words: Wording, status: str, shown: Sequence[_Listed]) -> str:
    if not shown:
        return words(f"list_{status}_none")
    lines = [words(f"list_{status}", n=len(shown)), ""]
    for task, host in shown:
        if status == "pending":
            row = {"id": task.state_id, "name": task.name, "n": task.length, "category": words.category(task)}
            lines.append(words("list_pending_row", **row))
        else:
            lines.append(_placed_row(words, "list_single_row", (task, host)))
    return "\n".join(lines)


def _all_tasks(words: Wording, shown: Sequence[_Listed]) -> str:
    counts = by_status(task for task, _ in shown)
    key = "list_counts_suggested" if counts["suggested"] else "list_counts"
    lines = [words(key, n=len(shown), **counts)]
    for status in STATUSES:
        group = [listed for listed in shown if listed[0].place.status == status]
        if group:
            lines += ["", words(f"list_{status}_group")]
        for task, host in group:
            if status == "pending":
                row = {"id": task.state_id, "name": task.name, "category": words.category(task), "n": task.length}
                lines.append(words("list_waiting_row", **row))
            else:
                lines.append(_placed_row(words, "list_placed_row", (task, host)))
    return "\n".join(lines)


@refusing("fail_query")
def get_task_info(timetable: Timetable, *, task_id: int) -> Reply:
    """Report one task in detail."""
    task = need_task(timetable, task_id)
    host, fixed = _host(timetable, task), timetable.locked(task)
    guests = [timetable.tasks[guest] for guest in timetable.guests_of(task_id)]
    last_day = timetable.window.total_days
    dates = {"earliest": task.earliest, "deadline": task.deadline}
    data = {**task_data(task), **dates, "locked": fixed, "guests": [guest.state_id for guest in guests]}
    return Reply("ok", lambda words: _info(words, task, host, guests, fixed=fixed, last_day=last_day), data=data)


def _info(words: Wording, task: Task, host: Task | None, guests: list[Task], *, fixed: bool, last_day: int) -> str:
    status = words(f"info_{task.place.status}")
    source = words("info_source_course" if task.is_course else "info_source_task")
    lines = [
        words.ref(task),
        words("info_state", category=words.category(task), status=words("info_fixed", status=status) if fixed else status),
        words("info_source", source=source),
    ]
    takes_guests = task.can_embed and not task.locked
    if takes_guests:
        lines.append(words("info_host"))
    if host is not None:
        lines.append(words("info_embedded", host=words.ref(host)))
    lines += _dates(words, task, last_day)
    if task.place.slots:
        lines.append(words("info_slots"))
        lines += [_info_slot(words, block) for block in task.place.slots]
    else:
        lines.append(words("info_need", n=task.length))
    if takes_guests or guests:
        lines.append(words("info_guests", guests=words.joined(words.ref(guest) for guest in guests)))
    return "\n".join(lines)


def _info_slot(words: Wording, block: Block) -> str:
    return words("info_slot", day=block.day, slots=words.slots(block.start, block.end))


def _dates(words: Wording, task: Task, last_day: int) -> list[str]:
    lines: list[str] = []
    if task.earliest is not None and task.earliest > 1:
        lines.append(words("info_earliest", day=task.earliest) if task.earliest <= last_day else words("info_earliest_later"))
    if task.deadline is not None and task.deadline <= last_day:
        lines.append(words("info_deadline", day=task.deadline) if task.deadline >= 1 else words("info_deadline_past"))
    return lines
