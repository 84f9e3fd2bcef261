"""Decides how tasks from a list come together in categories, in order; tasks that cannot be must not get in."""

from dataclasses import dataclass, field

from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask, TaskList
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import shown


@dataclass(slots=True)
class _Category:
    tasks: list[IncomingTask] = field(default_factory=list[IncomingTask])
    total_slots: int | None = None
    ordered: bool = True


class Gathering:
    """The categories of one list while it is read; what is refused or kept is added to *told*."""

    def __init__(self, slots_a_day: int, told: list[Entry]) -> None:
        self._slots_a_day, self._told = slots_a_day, told
        self._categories: dict[str, _Category] = {}
        self._seen: set[tuple[str, str]] = set()

    def describe(self, category: str, total_slots: int | None, *, ordered: bool) -> None:
        """Note what the heading of *category* says beside its name."""
        found = self._categories.setdefault(category, _Category())
        found.total_slots = total_slots if total_slots is not None else found.total_slots
        found.ordered = found.ordered and ordered

    def add(self, category: str, task: IncomingTask) -> None:
        """Add *task*, or say why not."""
        name = shown(task.content)
        if task.duration is not None and task.duration > self._slots_a_day:
            self._told.append(entry("row_outside_scale", task.line, name=name, slots=str(task.duration), most=self._slots_a_day))
        elif task.earliest is not None and task.deadline is not None and task.earliest > task.deadline:
            crossed = {"after": task.earliest.isoformat(), "before": task.deadline.isoformat()}
            self._told.append(entry("row_dates_crossed", task.line, name=name, **crossed))
        elif (category, task.content) in self._seen:
            self._told.append(entry("duplicate", task.line, name=name))
        else:
            self._seen.add((category, task.content))
            self._categories.setdefault(category, _Category()).tasks.append(task)
            self._told.append(entry("item_kept", task.line, name=name, category=shown(category)))

    def task_list(self) -> TaskList:
        """Return what came together; a category without tasks is left out."""
        categories = tuple(
            IncomingCategory(name, tuple(one.tasks), one.total_slots, one.ordered)
            for name, one in self._categories.items()
            if one.tasks
        )
        return TaskList(categories, tuple(self._told))
