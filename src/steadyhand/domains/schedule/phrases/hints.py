"""Decides which examples fit how the timetable stands: what to do first, or next. It must only look."""

from collections.abc import Sequence

from steadyhand.domains.schedule.phrases.tasks import Task, look
from steadyhand.llm.rules.book import Answer, Asked, Looks

MOST_NAME = 20


def hints(asked: Asked) -> Looks[Sequence[str]]:
    """Return examples for a person who asks what can be said, the most useful first."""
    if not asked.part("term"):
        return [asked.say("schedule.say.hint.import"), asked.say("schedule.say.hint.tasks")]
    if "list_tasks" not in asked.tools:
        return []
    view = yield from look(asked)
    if isinstance(view, Answer):
        return []
    own = [task for task in view.tasks if not task.course]
    week = asked.say("schedule.say.hint.week")
    if not own:
        return [week, asked.say("schedule.say.hint.tasks"), asked.say("schedule.say.hint.add")]
    return [*_next(asked, own), week]


def _next(asked: Asked, own: Sequence[Task]) -> list[str]:
    drafted = [task for task in own if task.status == "suggested"]
    pending = [task for task in own if task.status == "pending"]
    found: list[str] = []
    if drafted:
        found += [asked.say("schedule.say.hint.propose"), asked.say("schedule.say.hint.undo")]
    if pending:
        found.append(asked.say("schedule.say.hint.arrange"))
    for task in (*pending, *drafted):
        if len(task.name) <= MOST_NAME:
            found.append(asked.say("schedule.say.hint.put", task=task.ref))
            break
    return found
