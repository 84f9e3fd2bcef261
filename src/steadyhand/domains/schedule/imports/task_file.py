"""Decides which reader a file of tasks is for, and how what it gives crosses from one process to another; it must not read it itself."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask, TaskList
from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.imports.tables import read_tasks
from steadyhand.domains.schedule.imports.task_list import read_task_list
from steadyhand.domains.schedule.term.records import Term


def read(data: bytes, term: Term, default_category: str, *, table: bool) -> TaskList:
    """Read a table of tasks, or a list of them in text or Markdown."""
    return (read_tasks if table else read_task_list)(data, term, default_category)


def to_json(listed: TaskList) -> Json:
    """Return what a file of tasks gave as JSON."""
    return {
        "categories": [
            {
                "name": one.name,
                "tasks": [_task_json(task) for task in one.tasks],
                "total_slots": one.total_slots,
                "ordered": one.ordered,
            }
            for one in listed.categories
        ],
        "entries": [told.to_json() for told in listed.entries],
    }


def _task_json(task: IncomingTask) -> Json:
    dates = {name: day.isoformat() if day else None for name, day in (("earliest", task.earliest), ("deadline", task.deadline))}
    return {"content": task.content, "duration": task.duration, "priority": task.priority, "line": task.line, **dates}


def from_json(value: Json) -> TaskList:
    """Return what `to_json` made JSON of."""
    said = cast("Mapping[str, Any]", value)
    categories = [
        IncomingCategory(one["name"], tuple(_task(task) for task in one["tasks"]), one["total_slots"], one["ordered"])
        for one in cast("Sequence[Mapping[str, Any]]", said["categories"])
    ]
    return TaskList(tuple(categories), tuple(Entry.from_json(told) for told in cast("Sequence[Json]", said["entries"])))


def _task(said: Mapping[str, Any]) -> IncomingTask:
    dates: dict[str, Any] = {name: date.fromisoformat(said[name]) if said[name] else None for name in ("earliest", "deadline")}
    return IncomingTask(**{**said, **dates})
