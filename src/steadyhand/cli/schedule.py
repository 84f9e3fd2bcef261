"""Decides which timetable commands there are; it must import none of them before it runs."""

import click

from steadyhand.cli.frame import Group

LAZY = {
    "import": "steadyhand.cli.schedule_import:import_file",
    "term": "steadyhand.cli.schedule_import:term",
    "show": "steadyhand.cli.schedule_show:show",
    "load": "steadyhand.cli.schedule_load:load",
    "facts": "steadyhand.cli.schedule_facts:facts",
    "scale": "steadyhand.cli.schedule_facts:scale",
    "course": "steadyhand.cli.schedule_courses:course",
    "tasks": "steadyhand.cli.schedule_tasks:tasks",
    "habits": "steadyhand.cli.schedule_habits:habits",
    "window": "steadyhand.cli.schedule_draft:window",
    "arrange": "steadyhand.cli.schedule_arrange:arrange",
    "why": "steadyhand.cli.schedule_why:why",
    "compare": "steadyhand.cli.schedule_compare:compare",
    "place": "steadyhand.cli.schedule_draft:place",
    "move": "steadyhand.cli.schedule_draft:move",
    "swap": "steadyhand.cli.schedule_draft:swap",
    "unplace": "steadyhand.cli.schedule_draft:unplace",
    "reopen": "steadyhand.cli.schedule_draft:reopen",
    "undo": "steadyhand.cli.schedule_draft:undo",
    "redo": "steadyhand.cli.schedule_draft:redo",
    "discard": "steadyhand.cli.schedule_draft:discard",
    "propose": "steadyhand.cli.schedule_arrange:propose",
    "export": "steadyhand.cli.schedule_export:export",
    "resolve": "steadyhand.cli.schedule_draft:resolve",
    "tool": "steadyhand.cli.schedule_draft:tool",
}


@click.group(cls=Group, lazy=LAZY)
def schedule() -> None:
    """The timetable."""
