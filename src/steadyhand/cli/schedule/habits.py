"""Decides how a habit in words becomes tasks that are put up for review. It must not choose days, and it must not write itself."""

from dataclasses import replace

import click

from steadyhand.cli.change.acts import nothing_to_change, proposal_of, shown_first
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import WORDS
from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.arrange.habits import Habit, HabitTasks, habit_tasks, read_habit
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask
from steadyhand.domains.schedule.term.weeks import write_weeks


@click.group(cls=Group)
def habits() -> None:
    """Habits: what is to be done so many times a week."""


@habits.command(cls=Command)
@click.argument("text", type=WORDS)
@option("--name", text="habit_name", type=WORDS, required=True)
@option("--category", text="habit_category", type=WORDS)
@option("--priority", text="priority", type=click.IntRange(1, 5), default=3)
@pass_frame
def add(frame: Frame, text: str, name: str, category: str | None, priority: int) -> None:
    """Make the tasks of a habit in words, for every week from now on."""
    desk = Desk(frame)
    found = read_habit(text)
    if found is None:
        raise ToolRefusal("habit_unclear", text=text)
    if found.slots > len(desk.term.scale):
        raise ToolRefusal("task_too_long", count=found.slots, slots=len(desk.term.scale))
    habit = _from_now(desk, found)
    tasks = habit_tasks(habit, name, desk.term, 0, frame.language, priority=priority)
    owner = category or name
    incoming = IncomingCategory(owner, tuple(_incoming(tasks)), ordered=False)
    writes = acts.add_tasks(desk.records, [incoming])
    told = "\n".join([_told(frame, habit, name, len(tasks.items)), _how(frame, owner, tasks)])
    data: dict[str, Json] = {"tasks": len(tasks.items), "category": owner, "preferred_slots": list(tasks.preferred_slots)}
    if not writes:
        nothing_to_change(frame, told, data)
        return
    shown_first(frame, proposal_of(frame, desk.term.id, writes), told, data)


def _from_now(desk: Desk, habit: Habit) -> Habit:
    """Return the habit in weeks of the term: from the next whole week on, where nothing else was said."""
    today = desk.term.week_of(desk.today)
    coming = 1 if today is None else today[0] + (today[1] > 1)
    first = habit.first or min(coming, desk.term.weeks)
    last = habit.last or desk.term.weeks
    if last > desk.term.weeks:
        raise ToolRefusal("weeks_outside", weeks=f"{first}-{last}", count=desk.term.weeks)
    return replace(habit, first=first, last=last)


def _incoming(tasks: HabitTasks) -> list[IncomingTask]:
    return [IncomingTask(item.content, item.duration, item.earliest, item.deadline, item.priority) for item in tasks.items]


def _told(frame: Frame, habit: Habit, name: str, count: int) -> str:
    weeks = write_weeks(range(habit.first or 1, (habit.last or 0) + 1))
    part = frame.say(f"schedule.habits.{habit.part_of_day or 'any_time'}")
    return frame.say("schedule.habits.read", name=name, times=habit.times, slots=habit.slots, part=part, weeks=weeks, count=count)


def _how(frame: Frame, category: str, tasks: HabitTasks) -> str:
    """Say the command that arranges the habit at the time of day that it likes, which no task holds by itself."""
    import shlex

    words = ["steady", "schedule", "arrange", "--category", category]
    if tasks.preferred_slots:
        words += ["--prefer-slots", f"{tasks.preferred_slots[0]}-{tasks.preferred_slots[-1]}"]
    return frame.say("schedule.habits.arrange", command=shlex.join(words))
