"""Times the operations of a draft in memory, reply text included: medians, and how they grow from 500 to 5,000 tasks.

Run: ``.venv/bin/python bench/draft_operations.py``. Both drafts have 120 days of 12 slots and the same cells taken, so that
only the number of tasks differs. The peer in the same run is a scan of all tasks for the occupants of one day, which is
what an operation without an index does once per call.
"""

import random
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter_ns

from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.reads import find_first_free
from steadyhand.domains.schedule.tools.writes import move, place, unplace

DAYS, SLOTS, ROUNDS, SHARES = 120, 12, 3000, 10
LIMIT_MS, LIMIT_RATIO = 0.2, 1.5


def draft(tasks: int) -> Timetable:
    """60 courses (a tenth of them hosts) and 180 suggested tasks on five segments of every day but the last; the rest waits."""
    entries: list[Task] = []
    segments = [Block(day, start, start + 1) for day in range(1, DAYS) for start in (1, 3, 5, 7, 9)]
    for number in range(60):
        blocks = tuple(sorted(segments[number:415:60]))
        kind = {"is_course": True, "locked": number % 10 != 0, "can_embed": number % 10 == 0}
        entries.append(Task(number + 1, "event", number + 1, f"课程{number}", "课程", Place("existing", blocks), **kind))
    for block in segments[415:]:
        number = len(entries) + 1
        entries.append(Task(number, "task_item", number, f"任务{number}", "学习", Place("suggested", (block,), 2), category_id=1))
    while len(entries) < tasks:
        number = len(entries) + 1
        entries.append(Task(number, "task_item", number, f"任务{number}", "学习", Place("pending", (), 2), category_id=1))
    return Timetable(Window(1, 1, DAYS, SLOTS), entries)


def timed(call: Callable[[], Reply]) -> tuple[float, Reply]:
    started = perf_counter_ns()
    reply = call()
    reply.text("zh-CN")
    return (perf_counter_ns() - started) / 1e6, reply


def measure(timetable: Timetable, chance: random.Random, times: dict[str, list[float]]) -> None:
    """Run a share of the rounds: every operation on its own, then the peer, so that its scan spoils no cache of theirs."""
    suggested = [task.state_id for task in timetable.tasks.values() if task.place.status == "suggested"]
    pending = [task.state_id for task in timetable.tasks.values() if task.place.status == "pending"]
    for _ in range(ROUNDS // SHARES):
        day, start = chance.randrange(1, DAYS + 1), 11
        waiting, placed = chance.choice(pending), chance.choice(suggested)
        for name, call in (
            ("find_first_free", partial(find_first_free, timetable, duration=3)),
            ("place", partial(place, timetable, task_id=waiting, day=day, slot_start=start)),
            ("unplace", partial(unplace, timetable, task_id=waiting)),
            ("move", partial(move, timetable, task_id=placed, new_day=day, new_slot_start=start)),
        ):
            spent, reply = timed(call)
            assert reply.code == "ok", (name, reply.text("en"))
            times[name].append(spent)
        timetable.revert(reply.delta)
    for day in range(1, 1 + ROUNDS // SHARES // 10):
        started = perf_counter_ns()
        found = [task for task in timetable.tasks.values() if any(block.day == day for block in task.place.slots)]
        times["full scan"].append((perf_counter_ns() - started) / 1e6)
        assert found


def main() -> None:
    # shares of both sizes take turns: whatever else the machine does falls on both
    drafts, chance = {size: draft(size) for size in (500, 5000)}, random.Random(7)
    times: dict[int, defaultdict[str, list[float]]] = {size: defaultdict(list) for size in drafts}
    for _ in range(SHARES):
        for size, timetable in drafts.items():
            measure(timetable, chance, times[size])
    small, large = ({name: median(values) for name, values in times[size].items()} for size in drafts)
    print(f"{DAYS} days × {SLOTS} slots, median ms of {ROUNDS} calls, reply text included")
    print(f"{'operation':16} {'500 tasks':>10} {'5,000 tasks':>12} {'ratio':>7} {'of a full scan':>15}")
    for name, value in large.items():
        print(f"{name:16} {small[name]:10.4f} {value:12.4f} {value / small[name]:7.2f} {value / large['full scan']:15.3f}")
    operations = [name for name in large if name != "full scan"]
    slow = [name for name in operations if large[name] > LIMIT_MS]
    grows = large["place"] / small["place"] > LIMIT_RATIO
    print("limits:", "held" if not slow and not grows else f"missed: slow {slow}, place grows {grows}")


if __name__ == "__main__":
    main()
