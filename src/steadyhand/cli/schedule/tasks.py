"""Decides how a person adds, lists, edits and removes tasks: one is a direct act, a list or several are shown first. It must not write itself."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from steadyhand.cli.change.acts import direct, nothing_to_change, proposal_of, shown_first
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.importing import limits_of, refuse_nothing
from steadyhand.cli.schedule.inputs import SLOTS, WORDS, quoted
from steadyhand.cli.schedule.reporting import report_json, report_text
from steadyhand.cli.terminal.files import read_bytes
from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.imports.in_child import read_tasks_here
from steadyhand.domains.schedule.imports.report import sentence
from steadyhand.domains.schedule.imports.task_list import read_task_list
from steadyhand.domains.schedule.rows.writes import RowWrite
from steadyhand.domains.schedule.term.records import Event, TaskItem
from steadyhand.domains.schedule.tools.reads import STATUSES

SUFFIXES = (".md", ".markdown", ".txt", ".csv")
PRIORITY = click.IntRange(1, 5)


@click.group(cls=Group)
def tasks() -> None:
    """Tasks: add, list, edit, remove."""


def _details(frame: Frame, desk: Desk, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a task that the options give."""
    found: dict[str, Any] = {}
    if asked["slots"] is not None:
        if asked["slots"] > len(desk.term.scale):
            raise ToolRefusal("task_too_long", count=asked["slots"], slots=len(desk.term.scale))
        found["duration"] = asked["slots"]
    for name, field, end_of_week in (("before", "deadline", True), ("after", "earliest", False)):
        if asked[name] is not None:
            clear = asked[name].lower() in ("none", frame.say("schedule.none"))
            found[field] = None if clear else desk.date(asked[name], end_of_week=end_of_week)
    if asked["priority"] is not None:
        found["priority"] = asked["priority"]
    return found


def _need_order(earliest: date | None, deadline: date | None) -> None:
    if earliest is not None and deadline is not None and earliest > deadline:
        raise ToolRefusal("dates_crossed", earliest=earliest.isoformat(), deadline=deadline.isoformat())


@tasks.command(cls=Command)
@click.argument("text")
@option("--category", text="category", type=WORDS)
@option("--slots", text="task_slots", type=click.IntRange(1, 48))
@option("--before", text="before", type=WORDS)
@option("--after", text="after", type=WORDS)
@option("--priority", text="priority", type=PRIORITY)
@pass_frame
def add(frame: Frame, text: str, category: str | None, **asked: Any) -> None:
    """Add a task, or the tasks of a file."""
    desk = Desk(frame)
    named = category or frame.say("schedule.tasks.default_category")
    if _is_file(text):
        if any(value is not None for value in asked.values()):
            raise ToolRefusal("options_of_one_task")
        _add_file(frame, desk, Path(text), named)
        return
    if not text.strip() or not text.isprintable():
        raise ToolRefusal("text_is_no_task", reason=frame.say("schedule.bad.text", value=quoted(text)))
    listed = read_task_list(f"- {text.strip()}".encode("utf-8", "replace"), desk.term, named)
    if len(listed.categories) != 1:
        dropped = "; ".join(sentence(frame.language, one) for one in listed.entries if one.verdict == "dropped")
        raise ToolRefusal("text_is_no_task", reason=dropped or quoted(text))
    task = replace(listed.categories[0].tasks[0], **_details(frame, desk, asked))
    _need_order(task.earliest, task.deadline)
    writes = acts.add_tasks(desk.records, [replace(listed.categories[0], tasks=(task,))])
    notes = [sentence(frame.language, one) for one in listed.entries if one.verdict in ("changed", "asked")]
    for note in notes:
        echo(note, err=frame.as_json)
    if not writes:
        nothing_to_change(frame)
        return
    direct(frame, desk.term.id, writes)


def _is_file(text: str) -> bool:
    """Tell whether the words name a file: one that is there, or one that by its ending should be."""
    try:
        there = Path(text).is_file()
    except (OSError, ValueError):
        return False
    return there or (text.lower().endswith(SUFFIXES) and " " not in text)


def _add_file(frame: Frame, desk: Desk, file: Path, category: str) -> None:
    data = read_bytes(file)
    term = desk.term
    listed = read_tasks_here(data, term, category, table=file.suffix.lower() == ".csv", limits=limits_of(frame))
    told, as_data = report_text(frame, listed.entries), {"report": report_json(frame, listed.entries)}
    if not listed.categories:
        refuse_nothing(frame, file, listed.entries)
    writes = acts.add_tasks(desk.records, listed.categories)
    if not writes:
        nothing_to_change(frame, told, as_data)
        return
    shown_first(frame, proposal_of(frame, term.id, writes), told, as_data)


@tasks.command("list", cls=Command)
@option("--status", text="status", type=click.Choice(["existing", "suggested", "pending", "all"]), default="all")
@option("--category", text="category", type=WORDS)
@pass_frame
def list_tasks(frame: Frame, status: str, category: str | None) -> None:
    """List the tasks of the draft; their ids stay until its window is closed."""
    desk = Desk(frame)
    draft = desk.open()
    found = [
        task
        for task in draft.timetable.tasks.values()
        if not task.is_course and status in ("all", task.place.status) and (category is None or task.category == category)
    ]
    frame.show(
        _listed(frame, desk, draft, found), {"tasks": _tasks_json(desk, draft, found), "window": desk.window_json(draft.window)}
    )


def _listed(frame: Frame, desk: Desk, draft: OpenDraft, found: Sequence[Task]) -> str:
    items = {item.id: item for item in desk.records.items}
    lines: list[str] = []
    for status in STATUSES:
        mine = [task for task in found if task.place.status == status]
        if mine:
            lines.append(frame.say(f"schedule.tasks.{status}", count=len(mine)))
        for task in mine:
            item = items.get(task.source_id) if task.source == "task_item" else None
            where = (
                desk.place_text(draft, task.place.slots)
                if task.place.slots
                else frame.say("schedule.tasks.needs", count=task.length)
            )
            named = {"id": task.state_id, "name": task.name, "category": task.category or frame.say("schedule.none")}
            lines.append(frame.say("schedule.tasks.row", **named, facts="; ".join([where, *_item_facts(frame, item)])))
    return "\n".join(lines) or frame.say("schedule.tasks.no_tasks")


def _tasks_json(desk: Desk, draft: OpenDraft, found: Sequence[Task]) -> Json:
    return [
        {
            "id": task.state_id,
            "name": task.name,
            "category": task.category,
            "status": task.place.status,
            "needs": task.length,
            "places": [
                {"date": desk.date_of(draft.window, at.day).isoformat(), "day": at.day, "slots": [at.start, at.end]}
                for at in task.place.slots
            ],
        }
        for task in found
    ]


def _item_facts(frame: Frame, item: TaskItem | None) -> list[str]:
    if item is None:
        return []
    dated = (("earliest", item.earliest), ("deadline", item.deadline))
    return [frame.say(f"schedule.tasks.{name}", date=value.isoformat()) for name, value in dated if value is not None]


@tasks.command(cls=Command)
@click.argument("task", type=WORDS)
@option("--name", "name", text="new_name", type=WORDS)
@option("--category", text="category", type=WORDS)
@option("--slots", text="task_slots", type=click.IntRange(1, 48))
@option("--before", text="before", type=WORDS)
@option("--after", text="after", type=WORDS)
@option("--priority", text="priority", type=PRIORITY)
@pass_frame
def edit(frame: Frame, task: str, name: str | None, category: str | None, **asked: Any) -> None:
    """Change a task."""
    if name is None and category is None and all(value is None for value in asked.values()):
        raise ToolRefusal("nothing_said")
    desk = Desk(frame)
    found = desk.item(desk.look(), task)
    details = _details(frame, desk, asked)
    if isinstance(found, Event):
        if details or category:
            raise ToolRefusal("event_has_no_details", name=found.name)
        writes = acts.edit_course(desk.records, replace(found, name=name or found.name), None)
    else:
        changed = replace(found, content=name or found.content, **details)
        _need_order(changed.earliest, changed.deadline)
        writes = acts.edit_task(desk.records, changed, category)
    direct(frame, desk.term.id, writes)


@tasks.command(cls=Command)
@click.argument("task", type=WORDS)
@option("--parts", text="parts", type=SLOTS, required=True, metavar="LEAST-MOST")
@pass_frame
def split(frame: Frame, task: str, parts: tuple[int, int]) -> None:
    """Cut a pending task into parts."""
    desk = Desk(frame)
    draft = desk.look()
    found = desk.item(draft, task)
    if isinstance(found, Event):
        raise ToolRefusal("event_has_no_details", name=found.name)
    loaded = {one.source_id: one for one in draft.timetable.tasks.values() if one.source == "task_item"}
    placed = any(event.item_id == found.id for event in desk.records.events)
    if placed or loaded[found.id].place.slots:
        raise ToolRefusal("split_has_place", name=found.content)
    writes = acts.split_task(desk.records, replace(found, duration=loaded[found.id].length), parts, frame.language)
    if writes:
        direct(frame, desk.term.id, writes)
    else:
        nothing_to_change(frame)


@tasks.command(cls=Command)
@click.argument("wanted", nargs=-1, required=True, type=WORDS, metavar="TASK...")
@pass_frame
def remove(frame: Frame, wanted: tuple[str, ...]) -> None:
    """Remove tasks with their places; several are shown first."""
    desk = Desk(frame)
    draft = desk.look()
    found = list(dict.fromkeys(desk.item(draft, one) for one in wanted))
    writes = _removals(desk, found)
    if len(found) == 1:
        direct(frame, desk.term.id, writes)
    else:
        shown_first(frame, proposal_of(frame, desk.term.id, writes))


def _removals(desk: Desk, found: Sequence[TaskItem | Event]) -> list[RowWrite]:
    items = [one.id for one in found if isinstance(one, TaskItem)]
    events = [one.id for one in found if isinstance(one, Event)]
    writes = acts.remove_tasks(desk.records, items, events)
    return list({write.region: write for write in writes}.values())
