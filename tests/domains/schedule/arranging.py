"""Timetables drawn at random, and a second, naive reading of the rules against which every answer is held."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st

from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.reasons import Reason, Unplaced
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.window import Window

ORDER = {"after", "before"}
ALL_RULES = {"earliest", "deadline", *ORDER, "max_per_day", "excluded_days", "excluded_slots", "embedding"}


def course(state_id: int, *blocks: Block, host: bool = False) -> Task:
    place = Place("existing", blocks)
    return Task(state_id, "event", state_id, f"course{state_id}", "课程", place, is_course=True, locked=not host, can_embed=host)


def chore(state_id: int, length: int = 2, *, position: int | None = None, category: int | None = 1, **more: object) -> Task:
    """A pending task; without a position of its own it stands by its id."""
    place = position if position is not None else state_id
    task = Task(
        state_id,
        "task_item",
        state_id,
        f"chore{state_id}",
        f"c{category}",
        Place("pending", (), length),
        category_id=category,
        position=place,
    )
    return replace(task, **more)  # type: ignore[arg-type]  # fields of Task


def table(*tasks: Task, days: int = 3, slots: int = 4) -> Timetable:
    return Timetable(Window(1, 1, days, slots), tasks)


def causes(entry: Unplaced) -> list[str]:
    return [reason.cause for reason in entry.reasons]


# ---- the naive reading -----------------------------------------------------------------------------------------------


def naive_places(timetable: Timetable, task: Task, options: ArrangeOptions, lifted: frozenset[str]) -> Iterator[Place]:
    """Try every place of the window and yield the legal ones; *timetable* holds the finished arrangement."""
    others = [other for other in timetable.tasks.values() if other.state_id != task.state_id]
    plain: set[tuple[int, int]] = set()
    guests: set[tuple[int, int]] = set()
    for other in others:
        cells = guests if other.place.embed_host is not None else plain
        cells.update((block.day, slot) for block in other.place.slots for slot in range(block.start, block.end + 1))
    hosts = [other for other in others if other.can_embed and not other.locked and other.place.embed_host is None]
    for day in range(1, timetable.window.total_days + 1):
        for start in range(1, timetable.window.slots - task.length + 2):
            block = Block(day, start, start + task.length - 1)
            cells = {(day, slot) for slot in range(block.start, block.end + 1)}
            if not naive_allows(timetable, task, block, options, lifted):
                continue
            if not cells & plain:
                yield Place("suggested", (block,), task.length)
            elif options.embed or "embedding" in lifted:
                for host in hosts:
                    inside = any(own.day == day and own.start <= block.start and block.end <= own.end for own in host.place.slots)
                    if inside and not cells & guests:
                        yield Place("suggested", (block,), task.length, host.state_id)


def naive_allows(timetable: Timetable, task: Task, block: Block, options: ArrangeOptions, lifted: frozenset[str]) -> bool:
    per_day = sum(
        len(own)
        for other in timetable.tasks.values()
        if other.state_id != task.state_id and other.place.status == "suggested"
        for own in other.place.slots
        if own.day == block.day
    )
    broken = {
        "earliest": task.earliest is not None and block.day < task.earliest,
        "deadline": task.deadline is not None and block.day > task.deadline,
        "max_per_day": options.max_per_day is not None and per_day + len(block) > options.max_per_day,
        "excluded_days": block.day in options.excluded_days,
        "excluded_slots": any(block.start <= slot <= block.end for slot in options.excluded_slots),
        **naive_order(timetable, task, block, options),
    }
    return not any(value for rule, value in broken.items() if rule not in lifted)


def naive_order(timetable: Timetable, task: Task, block: Block, options: ArrangeOptions) -> dict[str, bool]:
    if not options.ordered or not task.ordered:
        return {}
    after = before = False
    for other in timetable.tasks.values():
        if (
            other.state_id == task.state_id
            or other.category_id != task.category_id
            or other.position is None
            or task.position is None
        ):
            continue
        if other.position < task.position:
            after |= any(own.day > block.day or (own.day == block.day and own.end >= block.start) for own in other.place.slots)
            after |= other.place.status == "pending" and chosen(other, options)
        if other.position > task.position:
            before |= any(own.day < block.day or (own.day == block.day and own.start <= block.end) for own in other.place.slots)
    return {"after": after, "before": before}


def chosen(task: Task, options: ArrangeOptions) -> bool:
    by_category = options.categories is None or task.category in options.categories
    return by_category and (options.task_ids is None or task.state_id in options.task_ids)


def fits(timetable: Timetable, task: Task, options: ArrangeOptions, lifted: set[str] | frozenset[str] = frozenset()) -> bool:
    return any(naive_places(timetable, task, options, frozenset(lifted)))


def rule_of(reason: Reason, timetable: Timetable) -> str:
    if reason.cause != "window":
        return reason.cause
    return "earliest" if reason.number > timetable.window.total_days else "deadline"


# ---- random timetables -----------------------------------------------------------------------------------------------


@st.composite
def timetables(draw: st.DrawFn) -> Timetable:
    window = Window(draw(st.integers(1, 5)), draw(st.integers(1, 7)), draw(st.integers(1, 6)), draw(st.integers(2, 8)))
    tasks: list[Task] = []
    taken: set[tuple[int, int]] = set()

    def block() -> Block | None:
        day, start = draw(st.integers(1, window.total_days)), draw(st.integers(1, window.slots))
        end = min(start + draw(st.integers(0, 3)), window.slots)
        cells = {(day, slot) for slot in range(start, end + 1)}
        if cells & taken:
            return None
        taken.update(cells)
        return Block(day, start, end)

    for _ in range(draw(st.integers(0, 8))):
        found = block()
        if found:
            tasks.append(course(len(tasks) + 1, found, host=draw(st.booleans())))
    loose = [draw(st.booleans()) for _ in range(4)]
    for _ in range(draw(st.integers(0, 4))):
        found = block()
        if found:
            category = draw(st.integers(0, 3))
            place = Place(draw(st.sampled_from(["existing", "suggested"])), (found,), len(found))
            position = draw(st.integers(0, 9))
            opens = draw(st.booleans())
            tasks.append(
                chore(len(tasks) + 1, position=position, category=category, place=place, ordered=loose[category], can_embed=opens)
            )
    for host in [task for task in tasks if task.can_embed]:
        if draw(st.integers(0, 3)) == 0:
            own = host.place.slots[0]
            guest = Block(own.day, own.start, own.start)
            status = draw(st.sampled_from(["existing", "suggested"]))
            tasks.append(chore(len(tasks) + 1, position=draw(st.integers(0, 9)), place=Place(status, (guest,), 1, host.state_id)))
    day = st.one_of(st.none(), st.integers(-1, window.total_days + 2))
    for _ in range(draw(st.integers(0, 9))):
        category = draw(st.integers(0, 3))
        tasks.append(
            chore(
                len(tasks) + 1,
                draw(st.integers(1, 4)),
                position=draw(st.integers(0, 9)),
                category=category,
                ordered=loose[category],
                earliest=draw(day),
                deadline=draw(day),
                priority=draw(st.integers(1, 5)),
            )
        )
    return Timetable(window, tasks)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Timetable, ArrangeOptions]:
    timetable = draw(timetables())
    days = st.lists(st.integers(1, timetable.window.total_days), max_size=2, unique=True).map(tuple)
    slots = st.lists(st.integers(1, timetable.window.slots), max_size=3, unique=True).map(tuple)
    waiting = [task.state_id for task in timetable.tasks.values() if task.place.status == "pending"]
    chosen_ids = st.lists(st.sampled_from(waiting), unique=True).map(tuple) if waiting else st.just(())
    options = ArrangeOptions(
        categories=draw(st.one_of(st.none(), st.none(), st.lists(st.sampled_from(["c0", "c1", "c2"]), unique=True).map(tuple))),
        task_ids=draw(st.one_of(st.none(), st.none(), chosen_ids)),
        max_per_day=draw(st.one_of(st.none(), st.integers(1, 5))),
        excluded_days=draw(days),
        excluded_slots=draw(slots),
        preferred_slots=draw(slots),
        ordered=draw(st.sampled_from([True, True, False])),
        embed=draw(st.booleans()),
        move_suggested=draw(st.booleans()),
    )
    return timetable, options
