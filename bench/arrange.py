"""Arranging: greedy beside first-fit on fixed instances, how many tasks each places, what it costs, and the ratio of the times.

Run: python bench/arrange.py
"""

import random
import statistics
import time
from dataclasses import dataclass

from steadyhand.domains.schedule.arrange.door import plan
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.window import Window

INSTANCES = 10
SEGMENTS = (1, 3, 5, 7, 9, 11)


@dataclass(frozen=True)
class Shape:
    """The size of an instance: *load* is the share of the window's slots that courses and tasks want together."""

    name: str
    tasks: int
    days: int
    load: float
    deadlines: bool


SHAPES = (
    Shape("100 tasks, 30 days, 62 %", 100, 30, 0.62, deadlines=True),
    Shape("100 tasks, 120 days, 65 %", 100, 120, 0.65, deadlines=True),
    Shape("500 tasks, 120 days, 71 %", 500, 120, 0.71, deadlines=True),
    Shape("500 tasks, 60 days, over-full", 500, 60, 1.15, deadlines=False),
)


def instance(shape: Shape, seed: int) -> Timetable:
    """Make a timetable of courses on standard segments, some of them hosts, and of ordered categories of ten tasks."""
    rng = random.Random(seed)
    window = Window(1, 1, shape.days)
    durations = [rng.choice((1, 2, 2, 2, 3, 4)) for _ in range(shape.tasks)]
    wanted = max(int(shape.load * shape.days * window.slots) - sum(durations), 0)
    cells = [(day, start) for day in range(1, shape.days + 1) for start in SEGMENTS]
    courses = rng.sample(cells, min(wanted // 2, len(cells)))
    tasks = [
        Task(
            number,
            "event",
            number,
            f"course {number}",
            "course",
            Place("existing", (Block(day, start, start + 1),)),
            is_course=True,
            locked=number % 5 > 0,
            can_embed=number % 5 == 0,
        )
        for number, (day, start) in enumerate(courses, 1)
    ]
    first = len(tasks) + 1
    for number, duration in enumerate(durations):
        category, position = divmod(number, 10)
        deadline = rng.randint(shape.days // 2, shape.days) if shape.deadlines and number % 4 == 0 else None
        earliest = rng.randint(1, shape.days // 4) if number % 7 == 0 else None
        tasks.append(
            Task(
                first + number,
                "task_item",
                first + number,
                f"task {number}",
                f"category {category}",
                Place("pending", (), duration),
                category_id=category,
                position=position,
                earliest=earliest,
                deadline=deadline,
                priority=rng.randint(1, 5),
            )
        )
    return Timetable(window, tasks)


def main() -> None:
    for shape in SHAPES:
        print(f"\n{shape.name}")
        print(
            f"{'seed':>5} {'greedy placed':>14} {'first-fit':>10} {'greedy cost':>12} {'first-fit':>10} {'time ratio':>11} {'seconds':>8}"
        )
        ratios: list[float] = []
        for seed in range(INSTANCES):
            timetable = instance(shape, seed)
            began = time.perf_counter()
            best = plan(timetable, ArrangeOptions())
            middle = time.perf_counter()
            plain = plan(timetable, ArrangeOptions(engine="first_fit"))
            ended = time.perf_counter()
            ratios.append((middle - began) / (ended - middle))
            placed = f"{len(best.placements)}/{shape.tasks}"
            print(
                f"{seed:>5} {placed:>14} {len(plain.placements):>10} {best.objective.total:>12} {plain.objective.total:>10}"
                f" {ratios[-1]:>11.2f} {middle - began:>8.3f}  {best.engine}"
            )
        print(f"median time ratio greedy : first-fit {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
