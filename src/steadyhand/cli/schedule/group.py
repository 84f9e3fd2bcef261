"""Decides which timetable commands there are; it must import none of them before it runs."""

import click

from steadyhand.cli.terminal.frame import Group

LAZY = {
    "import": "steadyhand.cli.schedule.importing:import_file",
    "term": "steadyhand.cli.schedule.importing:term",
    "show": "steadyhand.cli.schedule.show:show",
    "load": "steadyhand.cli.schedule.load:load",
    "facts": "steadyhand.cli.schedule.facts:facts",
    "scale": "steadyhand.cli.schedule.facts:scale",
    "course": "steadyhand.cli.schedule.courses:course",
    "tasks": "steadyhand.cli.schedule.tasks:tasks",
    "habits": "steadyhand.cli.schedule.habits:habits",
    "window": "steadyhand.cli.schedule.draft:window",
    "arrange": "steadyhand.cli.schedule.arrange:arrange",
    "why": "steadyhand.cli.schedule.why:why",
    "compare": "steadyhand.cli.schedule.compare:compare",
    "place": "steadyhand.cli.schedule.draft:place",
    "move": "steadyhand.cli.schedule.draft:move",
    "swap": "steadyhand.cli.schedule.draft:swap",
    "unplace": "steadyhand.cli.schedule.draft:unplace",
    "reopen": "steadyhand.cli.schedule.draft:reopen",
    "undo": "steadyhand.cli.schedule.draft:undo",
    "redo": "steadyhand.cli.schedule.draft:redo",
    "discard": "steadyhand.cli.schedule.draft:discard",
    "propose": "steadyhand.cli.schedule.arrange:propose",
    "export": "steadyhand.cli.schedule.export:export",
    "resolve": "steadyhand.cli.schedule.draft:resolve",
    "tool": "steadyhand.cli.schedule.draft:tool",
}


@click.group(cls=Group, lazy=LAZY)
def schedule() -> None:
    """The timetable."""
