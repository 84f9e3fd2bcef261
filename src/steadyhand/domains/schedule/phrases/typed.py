"""Decides which command a person is given for what no tool of a turn does, filled in as far as their words go; it must not run one.

Adding, importing, exporting and removing are a person's own acts: they are typed, not asked of an agent.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from steadyhand.domains.schedule.phrases.commands import command
from steadyhand.domains.schedule.phrases.tasks import View, find, look
from steadyhand.domains.schedule.phrases.when import resolve
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Plan, Steps
from steadyhand.llm.rules.riders import rider
from steadyhand.llm.rules.said import is_quoted


def told(asked: Asked, message: str, *commands: str) -> Answer:
    """Name the commands to type; saying so changed nothing."""
    lines = [asked.say(f"schedule.say.typed.{message}"), *(asked.say("schedule.say.typed.line", command=one) for one in commands)]
    return Answer("\n".join(lines))


def fixed(message: str, *commands: Sequence[str]) -> Plan:
    """Return the plan that names commands which nothing of the words goes into."""

    def plan(asked: Asked) -> Steps:
        yield from ()
        return told(asked, message, *(command(*words) for words in commands))

    return plan


def named(message: str, words: Callable[[Asked], Sequence[Sequence[str]]]) -> Plan:
    """Return the plan that names commands made of the words."""

    def plan(asked: Asked) -> Steps:
        yield from ()
        return swallowing(asked) or told(asked, message, *(command(*one) for one in words(asked)))

    return plan


def of_task(message: str, words: Callable[[Asked], Sequence[Sequence[str]]]) -> Plan:
    """Return the plan that names commands about a task that there is; words that are the name of none are not understood."""

    def plan(asked: Asked) -> Steps:
        one = yield from _existing(asked)
        if isinstance(one, Answer):
            return one
        return swallowing(one) or told(one, message, *(command(*each) for each in words(one)))

    return plan


def _existing(asked: Asked) -> Looks[Asked | Answer]:
    """Return the request by the reading whose name is that of a task."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    return found if isinstance(found, Answer) else replace(asked, readings=(found.slots,))


def swallowing(asked: Asked) -> Answer | None:
    """Refuse a new name that would swallow a limit, a correction or a second request."""
    names = [asked.slots[slot] for slot in ("name", "name2") if slot in asked.slots]
    found = (rider(name, asked.language, again="count" in asked.slots) for name in names if not is_quoted(asked.text, name))
    words = next(filter(None, found), "")
    return Answer(asked.say("rules.rider", words=words), well=False) if words else None


def add_task(asked: Asked) -> Steps:
    """Name the command that adds a task, with its length and deadline where they were said."""
    refused = swallowing(asked)
    if refused is not None:
        return refused
    words = ["tasks", "add", asked.slots["name"]]
    if "length" in asked.slots:
        words += ["--slots", asked.slots["length"]]
    if "time" in asked.slots:
        dates = yield from _dates(asked, "time")
        if isinstance(dates, Answer):
            return dates
        words += ["--before", dates[-1]]
    return told(asked, "task_add", command(*words))


def due(asked: Asked) -> Steps:
    """Name the command that sets a task's deadline."""
    one = yield from _existing(asked)
    if isinstance(one, Answer):
        return one
    asked = one
    dates = yield from _dates(asked, "time")
    if isinstance(dates, Answer):
        return dates
    return told(asked, "task_edit", command("tasks", "edit", asked.slots["name"], "--before", dates[-1]))


def holiday(asked: Asked) -> Steps:
    """Name the command that makes days free of courses."""
    dates = yield from _dates(asked, "time")
    if isinstance(dates, Answer):
        return dates
    until = ["--to", dates[-1]] if len(dates) > 1 else []
    return told(asked, "holiday", command("facts", "add", dates[0], "holiday", *until))


def works_as(asked: Asked) -> Steps:
    """Name the command that lets a day have the courses of another."""
    dates = yield from _dates(asked, "time")
    if isinstance(dates, Answer):
        return dates
    others = yield from _dates(asked, "time2")
    if isinstance(others, Answer):
        return others
    return told(asked, "holiday", command("facts", "add", dates[0], "as", others[0]))


def choose_window(asked: Asked) -> Steps:
    """Name the command that chooses the planning window."""
    dates = yield from _dates(asked, "time")
    if isinstance(dates, Answer):
        return dates
    return told(asked, "window", command("window", dates[0], dates[-1]))


def _dates(asked: Asked, slot: str) -> Looks[list[str] | Answer]:
    """Return the dates that the words in *slot* mean, as a command reads them."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    when = yield from resolve(asked, view.days, asked.slots[slot])
    return when if isinstance(when, Answer) else [view.days.date_of(day).isoformat() for day in when.days]


def list_facts(asked: Asked) -> Steps:
    """List holidays and swapped days by their tool where there is one, else name the command."""
    if "list_term_facts" not in asked.tools:
        return told(asked, "facts", command("facts", "list"))
    (outcome,) = yield [Call("list_term_facts")]
    return Answer(outcome.text, well=outcome.ok)


def list_courses(asked: Asked) -> Steps:
    """List the courses that the timetable has."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    return Answer(_courses(asked, view))


def _courses(asked: Asked, view: View) -> str:
    courses = [task for task in view.tasks if task.course]
    if not courses:
        return asked.say("schedule.say.no_courses")
    rows = [asked.say("schedule.say.course_times", course=task.ref, n=len(task.slots)) for task in courses]
    return "\n".join([asked.say("schedule.say.courses", n=len(courses)), *rows])
