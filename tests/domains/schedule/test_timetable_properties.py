"""What holds for every timetable after any calls: cells, links, locks, undo, and the way to rows and back."""

from collections import Counter
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from steadyhand.core.canonical import canonical
from steadyhand.domains.schedule.board.loading import Key, load, rows_of
from steadyhand.domains.schedule.board.model import Block, Place, PlaceChange, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.term.records import Event, Records, Row, TaskClass, TaskItem, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.arguments import TOOLS, run

DAYS, SLOTS = 3, 6
WINDOW = Window(2, 5, DAYS, SLOTS)
IDS = st.integers(1, 13)
ANY_DAY = st.integers(0, DAYS + 1)
ANY_SLOT = st.integers(0, SLOTS + 1)
DAY = st.integers(1, DAYS)
SLOT = st.integers(1, SLOTS)


def blocks_of_length(least: int, most: int) -> st.SearchStrategy[Block]:
    return st.builds(
        lambda day, start, length: Block(day, start, min(start + length - 1, SLOTS)), DAY, SLOT, st.integers(least, most)
    )


SMALL_BLOCKS, LARGE_BLOCKS = blocks_of_length(1, 2), blocks_of_length(3, 5)
KINDS = (
    "host",
    "suggested",
    "open suggested",
    "pending",
    "suggested",
    "fixed",
    "pending",
    "course",
    "open suggested",
    "own",
    "pending",
    "suggested",
)


def entry(state_id: int, kind: str, blocks: tuple[Block, ...]) -> Task:
    name, category = f"任务{state_id}", "学习"
    if kind == "pending":
        return Task(
            state_id,
            "task_item",
            state_id,
            name,
            category,
            Place("pending", (), len(blocks[0])),
            category_id=1,
            position=state_id,
        )
    if kind in {"suggested", "open suggested"}:
        place = Place("suggested", blocks[:1], len(blocks[0]))
        return Task(
            state_id,
            "task_item",
            state_id,
            name,
            category,
            place,
            can_embed=kind != "suggested",
            category_id=1,
            position=state_id,
        )
    course = kind != "own"
    place = Place("existing", blocks)
    return Task(
        state_id,
        "event",
        state_id,
        name,
        "课程" if course else "",
        place,
        is_course=course,
        locked=kind == "fixed",
        can_embed=kind == "host",
    )


@st.composite
def timetables(draw: st.DrawFn) -> Timetable:
    """Entries are taken as long as they do not collide; the index itself is not asked. Locked hosts hold guests too."""
    taken: set[tuple[int, int]] = set()
    tasks: list[Task] = []
    for state_id, kind in enumerate(KINDS, start=1):
        large = kind in {"host", "open suggested"}
        blocks = tuple(sorted(draw(st.lists(LARGE_BLOCKS if large else SMALL_BLOCKS, min_size=1, max_size=2, unique=True))))
        task = entry(state_id, kind, blocks)
        cells = [cell for block in task.place.slots for cell in cells_of(block)]
        if len(set(cells)) == len(cells) and not taken.intersection(cells):
            taken.update(cells)
            tasks.append(task)
    if draw(st.booleans()) and (hosts := [task for task in tasks if task.is_course]):
        host = draw(st.sampled_from(hosts))
        guest = entry(13, "suggested", host.place.slots[:1])
        tasks.append(guest.at(replace(guest.place, embed_host=host.state_id)))
    return Timetable(WINDOW, tasks)


def cells_of(block: Block) -> list[tuple[int, int]]:
    return [(block.day, slot) for slot in range(block.start, block.end + 1)]


def check(timetable: Timetable) -> None:
    """Recompute everything that the index holds from the tasks alone."""
    plain: Counter[tuple[int, int]] = Counter()
    guests: Counter[tuple[int, int]] = Counter()
    for task in timetable.tasks.values():
        layer = plain if task.place.embed_host is None else guests
        layer.update(cell for block in task.place.slots for cell in cells_of(block))
        assert (task.place.status == "pending") == (not task.place.slots)
        if task.place.embed_host is not None:
            host = timetable.tasks[task.place.embed_host]
            assert task.state_id in timetable.guests_of(host.state_id)
            assert host.place.embed_host is None
            for block in task.place.slots:
                assert any(own.day == block.day and own.start <= block.start and block.end <= own.end for own in host.place.slots)
        for guest in timetable.guests_of(task.state_id):
            assert timetable.tasks[guest].place.embed_host == task.state_id
    assert max(plain.values(), default=1) == max(guests.values(), default=1) == 1
    assert timetable.pending == sum(task.place.status == "pending" for task in timetable.tasks.values())
    for day in range(1, DAYS + 1):
        held = timetable.cells(day)
        slots = range(1, SLOTS + 1)
        assert [bool(held.plain[slot]) for slot in slots] == [(day, slot) in plain for slot in slots]
        assert [bool(held.guest[slot]) for slot in slots] == [(day, slot) in guests for slot in slots]
        fresh = Timetable(timetable.window, timetable.tasks.values()).cells(day)
        for name in held.__slots__:
            assert getattr(held, name) == getattr(fresh, name), name


class Calls(RuleBasedStateMachine):
    """Any calls in any order, valid or not."""

    timetable: Timetable

    @initialize(timetable=timetables())
    def start(self, timetable: Timetable) -> None:
        self.timetable = timetable
        self.unmovable = {
            task.state_id: task for task in timetable.tasks.values() if task.locked or task.place.status == "existing"
        }
        self.done: list[tuple[bytes, tuple[PlaceChange, ...]]] = []

    def call(self, name: str, arguments: dict[str, Any]) -> Reply:
        before = self.timetable.snapshot()
        reply = run(self.timetable, name, arguments)
        assert reply.text("zh-CN")
        assert reply.text("en")
        canonical(reply.data)
        if reply.is_error or TOOLS[name].effect == "read":
            assert reply.delta == ()
            assert self.timetable.snapshot() == before
        else:
            after = self.timetable.snapshot()
            self.timetable.revert(reply.delta)
            assert self.timetable.snapshot() == before
            self.timetable.apply(reply.delta)
            assert self.timetable.snapshot() == after
            self.done.append((before, reply.delta))
        return reply

    def known(self, number: int) -> int:
        """Read a drawn number as the id of a task that is there; 13 stays, known or not."""
        ids = list(self.timetable.tasks)
        return number if number == 13 or not ids else ids[number % len(ids)]

    @rule(number=IDS, day=DAY, slot=SLOT)
    def place(self, number: int, day: int, slot: int) -> None:
        self.call("place", {"task_id": self.known(number), "day": day, "slot_start": slot})

    @rule(number=IDS, day=DAY, slot=SLOT)
    def move(self, number: int, day: int, slot: int) -> None:
        self.call("move", {"task_id": self.known(number), "new_day": day, "new_slot_start": slot})

    @rule(number=IDS, day=ANY_DAY, slot=ANY_SLOT)
    def write_anywhere(self, number: int, day: int, slot: int) -> None:
        self.call("place", {"task_id": number, "day": day, "slot_start": slot})
        self.call("move", {"task_id": number, "new_day": day, "new_slot_start": slot})

    @rule(a=IDS, b=IDS)
    def swap(self, a: int, b: int) -> None:
        self.call("swap", {"task_a": self.known(a), "task_b": self.known(b)})

    def suggested(self) -> list[int]:
        return [state_id for state_id, task in self.timetable.tasks.items() if task.place.status == "suggested"]

    @rule(chosen=st.permutations(range(12)))
    def swap_suggested(self, chosen: list[int]) -> None:
        ids = self.suggested()
        for a, b in pairwise([ids[number] for number in chosen if number < len(ids)]):
            self.call("swap", {"task_a": a, "task_b": b})

    @rule(number=IDS, day=DAY, slot=SLOT)
    def move_a_host(self, number: int, day: int, slot: int) -> None:
        hosts = [state_id for state_id in self.suggested() if self.timetable.guests_of(state_id)]
        if hosts:
            self.call("move", {"task_id": hosts[number % len(hosts)], "new_day": day, "new_slot_start": slot})

    @rule(moves=st.lists(st.tuples(IDS, DAY, SLOT), max_size=3))
    def batch(self, moves: list[tuple[int, int, int]]) -> None:
        self.call("batch_move", {"moves": [{"task_id": self.known(a), "new_day": b, "new_slot_start": c} for a, b, c in moves]})

    @rule(
        chosen=st.permutations(range(12)), count=st.integers(1, 4), places=st.lists(st.tuples(DAY, SLOT), min_size=4, max_size=4)
    )
    def batch_of_suggested(self, chosen: list[int], count: int, places: list[tuple[int, int]]) -> None:
        ids = self.suggested()
        moved = [ids[number] for number in chosen if number < len(ids)][:count]
        moves = [{"task_id": a, "new_day": b, "new_slot_start": c} for a, (b, c) in zip(moved, places, strict=False)]
        self.call("batch_move", {"moves": moves})

    @rule(number=IDS)
    def unplace(self, number: int) -> None:
        self.call("unplace", {"task_id": self.known(number)})

    @rule(day=ANY_DAY, start=st.none() | ANY_SLOT, end=st.none() | ANY_SLOT, duration=ANY_SLOT, task_id=IDS)
    def read(self, day: int, start: int | None, end: int | None, duration: int, task_id: int) -> None:
        self.call("get_overview", {})
        self.call("query_range", {"day": day, "slot_start": start, "slot_end": end})
        self.call("list_tasks", {})
        self.call("get_task_info", {"task_id": task_id})
        self.call("query_available_slots", {"span": duration, "day_from": day, "after_slot": start, "before_slot": end})
        self.call("query_target_tasks", {"day_to": day})
        self.call("evaluate", {"day_from": start, "day_to": end})

    @rule(duration=st.integers(1, SLOTS))
    def first_free_is_the_first_that_place_accepts(self, duration: int) -> None:
        reply = self.call("find_first_free", {"duration": duration})
        expected = first_by_trying(self.timetable, duration)
        found = None if reply.code == "none" else (reply.data["day"], reply.data["slot_start"], reply.data["host"])
        assert found == expected

    @rule()
    def undo_everything(self) -> None:
        while self.done:
            before, delta = self.done.pop()
            self.timetable.revert(delta)
            assert self.timetable.snapshot() == before

    @invariant()
    def the_index_is_what_the_tasks_say(self) -> None:
        check(self.timetable)

    @invariant()
    def what_is_fixed_or_existing_stays(self) -> None:
        for state_id, task in self.unmovable.items():
            now = self.timetable.tasks[state_id]
            assert (now.place.slots, now.place.status, now.locked) == (task.place.slots, task.place.status, task.locked)


def first_by_trying(timetable: Timetable, duration: int) -> tuple[int, int, int | None] | None:
    found: list[tuple[bool, int, int, int | None]] = []
    probe = Task(99, "task_item", 99, "probe", "", Place("pending", (), duration))
    for day in range(1, DAYS + 1):
        for start in range(1, SLOTS - duration + 2):
            trial = Timetable(timetable.window, [*timetable.tasks.values(), probe])
            if run(trial, "place", {"task_id": 99, "day": day, "slot_start": start}).code == "ok":
                host = trial.tasks[99].place.embed_host
                found.append((host is not None, day, start, host))
    return min(found, key=lambda place: place[:3])[1:] if found else None


Calls.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestAnyCalls = Calls.TestCase


@settings(max_examples=80, deadline=None)
@given(st.permutations(range(1, 7)), st.lists(st.sampled_from([1, 2]), min_size=6, max_size=6))
def test_any_exchange_of_equal_places_is_one_legal_batch(order: list[int], hosts: list[int]) -> None:
    # six tasks, some of them embedded, trade places in any way: the links stay with the places
    tasks = [Task(20, "event", 20, "宿主", "课程", Place("existing", (Block(1, 1, 6),)), is_course=True, can_embed=True)]
    blocks = {number: Block(1 if hosts[number - 1] == 1 else 2, number, number) for number in range(1, 7)}
    for number, block in blocks.items():
        place = Place("suggested", (block,), 1, 20 if block.day == 1 else None)
        tasks.append(Task(number, "task_item", number, f"任务{number}", "学习", place))
    timetable = Timetable(WINDOW, tasks)
    targets = dict(zip(range(1, 7), order, strict=True))
    moves = [{"task_id": a, "new_day": blocks[b].day, "new_slot_start": blocks[b].start} for a, b in targets.items()]
    assert run(timetable, "batch_move", {"moves": moves}).code == "ok"
    for number, other in targets.items():
        place = timetable.tasks[number].place
        assert (place.slots, place.embed_host) == ((blocks[other],), 20 if blocks[other].day == 1 else None)
    check(timetable)


# ---- rows and back ----

TERM = Term(1, "term", "UTC", date(2026, 9, 7), 6)
STUDY = TaskClass(1, "学习", total_slots=7)
DIRTY_ROW = st.builds(
    Row, st.integers(1, 9), st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, SLOTS + 2), st.none() | st.integers(1, 9)
)
EVENTS = (
    Event(1, "course", "课一", can_embed=True),
    Event(2, "course", "课二"),
    Event(3, "task", "会", can_embed=True),
    Event(4, "task", "事"),
    Event(5, "task", "项一", item_id=11),
    Event(6, "task", "项二", item_id=12),
)
ITEMS = tuple(TaskItem(10 + number, 1, f"项{number}", number) for number in range(1, 6))


def records(rows: list[Row]) -> Records:
    return Records(TERM, EVENTS, tuple(rows), (STUDY,), ITEMS)


def seen(timetable: Timetable) -> dict[Key, tuple[str, tuple[Block, ...], Key | None]]:
    """What must survive: cells, names and links, by stored identity."""
    keys: dict[int, Key] = {task.state_id: (task.source, task.source_id) for task in timetable.tasks.values()}
    return {
        keys[task.state_id]: (task.name, task.place.slots, None if task.place.embed_host is None else keys[task.place.embed_host])
        for task in timetable.tasks.values()
    }


def commit(before: Records, loaded: Timetable, timetable: Timetable) -> Records:
    """Write what changed, and only rows of the window of tasks that changed."""
    events, rows = list(before.events), list(before.rows)
    event_of: dict[Key, int] = {("event", event.id): event.id for event in events}
    event_of |= {("task_item", event.item_id): event.id for event in events if event.item_id is not None}
    for task in timetable.tasks.values():
        if task.place == loaded.tasks[task.state_id].place:
            continue
        key: Key = (task.source, task.source_id)
        if key not in event_of:
            event_of[key] = max(event.id for event in events) + 1
            events.append(Event(event_of[key], "task", task.name, item_id=task.source_id))
        event_id = event_of[key]
        rows = [row for row in rows if row.event_id != event_id or WINDOW.day_of(row.week, row.day_of_week) is None]
        host = None if task.place.embed_host is None else timetable.tasks[task.place.embed_host]
        host_event = None if host is None else event_of[host.source, host.source_id]
        rows += [Row(event_id, *at, host_event) for at in rows_of(task.place, WINDOW)]
    return replace(
        before,
        events=tuple(events),
        rows=tuple(sorted(rows, key=lambda row: (row.event_id, row.week, row.day_of_week, row.section))),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(DIRTY_ROW, max_size=60))
def test_whatever_the_rows_are_they_load_into_a_consistent_timetable(rows: list[Row]) -> None:
    loaded = load(records(rows), WINDOW)
    check(Timetable(WINDOW, loaded.tasks))
    assert load(records(rows), WINDOW, loaded.ids) == loaded


@st.composite
def clean_rows(draw: st.DrawFn) -> list[Row]:
    """Rows without a collision: events with a block here and there, a guest in the first course, rows in other weeks."""
    taken: set[tuple[int, int]] = set()
    rows: list[Row] = []
    for event in EVENTS:
        wanted = draw(st.lists(blocks_of_length(1, 4), max_size=1 if event.item_id else 2, unique=True))
        cells = {cell for block in wanted for cell in cells_of(block)}
        if not taken & cells:
            taken |= cells
            rows += [Row(event.id, *WINDOW.week_of(day), slot) for day, slot in cells]
        rows += [Row(event.id, 1, event.id, draw(SLOT))] * draw(st.booleans())
    hosting = [row for row in rows if row.event_id == 1 and WINDOW.day_of(row.week, row.day_of_week)]
    if hosting and draw(st.booleans()):
        rows = [row for row in rows if row.event_id != 4]
        rows.append(replace(draw(st.sampled_from(hosting)), event_id=4, host_event_id=1))
    return sorted(rows, key=_key)


def _key(row: Row) -> tuple[int, int, int, int]:
    return row.event_id, row.week, row.day_of_week, row.section


@settings(max_examples=250, deadline=None)
@given(clean_rows(), st.lists(st.tuples(st.integers(0, 99), DAY, SLOT, st.booleans()), max_size=15))
def test_load_then_calls_then_rows_then_load_is_the_identity(rows: list[Row], calls: list[tuple[int, int, int, bool]]) -> None:
    first = load(records(rows), WINDOW)
    assert first.skipped == ()
    timetable = Timetable(WINDOW, first.tasks)
    ids = list(timetable.tasks)
    for number, day, slot, away in calls if ids else ():
        task_id = ids[number % len(ids)]
        if away:
            run(timetable, "unplace", {"task_id": task_id})
        run(timetable, "place", {"task_id": task_id, "day": day, "slot_start": slot})
        run(timetable, "move", {"task_id": task_id, "new_day": day, "new_slot_start": slot})
    stored = commit(records(rows), Timetable(WINDOW, first.tasks), timetable)
    second = load(stored, WINDOW, first.ids)
    again = Timetable(WINDOW, second.tasks)
    assert second.skipped == ()
    assert second.ids == first.ids
    assert seen(again) == seen(timetable)
    assert [task.state_id for task in second.tasks] == [task.state_id for task in first.tasks]
    outside = [row for row in rows if WINDOW.day_of(row.week, row.day_of_week) is None]
    assert outside == [row for row in stored.rows if WINDOW.day_of(row.week, row.day_of_week) is None]
    assert commit(stored, again, again) == stored
