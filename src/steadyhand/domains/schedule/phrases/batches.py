"""Decides how several tasks are moved by one sentence: two to one time, a day to another, some days on; it must not judge a write, the tools do."""

from collections.abc import Mapping, Sequence
from typing import Any

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.phrases.placing import Errand, bring, immovable, in_draft, taken
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.domains.schedule.phrases.tasks import Task, View, find, look
from steadyhand.domains.schedule.phrases.when import When, resolve, told_of, understood
from steadyhand.llm.rules.book import Answer, Asked, Call, Steps


def put_both(asked: Asked) -> Steps:
    """Bring two tasks to one time, one after the other; what does not fit is said."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name", "name2")
    if isinstance(found, Answer):
        return found
    named = tuple(dict.fromkeys(found.named))
    for task in named:
        fixed = immovable(asked, task)
        if fixed is not None:
            return fixed
    when = yield from resolve(asked, view.days, found.slots["time"])
    if isinstance(when, Answer):
        return when
    texts: list[str] = []
    for task in named:
        answer = yield from bring(Errand(asked, view, task), when)
        texts.append(answer.text)
        if not answer.well:
            return Answer("\n".join(texts), well=False)
    note = in_draft(asked)
    return Answer("\n".join(text.removesuffix(note) for text in texts) + note)


def move_day(asked: Asked) -> Steps:
    """Move all drafted tasks of one day to another, each keeping its slots."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    words = (asked.slots["time"], asked.slots["time2"])
    outcomes = yield [Call("resolve_time", {"text": one}) for one in words]
    times: list[When] = []
    for one, outcome in zip(words, outcomes, strict=True):
        when = yield from understood(asked, view.days, one, outcome)
        if isinstance(when, Answer):
            return when
        times.append(when)
    if any(len(when.spans) != 1 or not when.spans[0].whole for when in times):
        return Answer(asked.say("schedule.say.move_one_day"), well=False)
    return (yield from _shift_days(asked, view, times[0], times[1].days[0] - times[0].days[0]))


def later(asked: Asked) -> Steps:
    """Move a task some days on."""
    return (yield from _shift_one(asked, 1))


def earlier(asked: Asked) -> Steps:
    """Move a task some days back."""
    return (yield from _shift_one(asked, -1))


def day_later(asked: Asked) -> Steps:
    """Move the drafted tasks of some days by some days on."""
    return (yield from _shift_named_days(asked, 1))


def day_earlier(asked: Asked) -> Steps:
    """Move the drafted tasks of some days by some days back."""
    return (yield from _shift_named_days(asked, -1))


def _shift_one(asked: Asked, sign: int) -> Steps:
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    task = found.task
    fixed = immovable(asked, task)
    if fixed is not None:
        return fixed
    if task.status == "pending":
        return Answer(asked.say("schedule.say.not_placed", task=task.ref), well=False)
    return (yield from _shift(asked, view, [task], sign * int(asked.slots["count"])))


def _shift_named_days(asked: Asked, sign: int) -> Steps:
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    when = yield from resolve(asked, view.days, asked.slots["time"])
    if isinstance(when, Answer):
        return when
    if not all(span.whole for span in when.spans):
        return Answer(asked.say("schedule.say.move_one_day"), well=False)
    return (yield from _shift_days(asked, view, when, sign * int(asked.slots["count"])))


def _shift_days(asked: Asked, view: View, when: When, by: int) -> Steps:
    """Move what is drafted on the days of *when*, as the tool that selects tasks tells it."""
    (outcome,) = yield [Call("query_target_tasks", {"status": "suggested", "day_from": when.days[0], "day_to": when.days[-1]})]
    if not outcome.ok:
        return refused(asked, outcome)
    there = {value["task_id"] for value in outcome.fields.get("tasks", ())}
    tasks = [task for task in view.tasks if task.id in there and any(day in when.days for day, _, _ in task.slots)]
    if not tasks:
        return Answer(asked.say("schedule.say.none_to_move", when=told_of(view.days, when.spans)), well=False)
    return (yield from _shift(asked, view, tasks, by))


def _shift(asked: Asked, view: View, tasks: Sequence[Task], by: int) -> Steps:
    """Move *tasks* by days, all of them or none, each keeping its slots."""
    total = view.days.window.total_days
    for task in tasks:
        if len(task.slots) != 1:
            return Answer(asked.say("schedule.say.several_blocks", task=task.ref), well=False)
        if not 1 <= task.slots[0][0] + by <= total:
            span = {"first": view.days.day(1), "last": view.days.day(total)}
            return Answer(asked.say("schedule.say.shift_outside", task=task.ref, n=abs(by), **span), well=False)
    moves: list[Mapping[str, Json]] = [
        {"task_id": task.id, "new_day": task.slots[0][0] + by, "new_slot_start": task.slots[0][1]} for task in tasks
    ]
    (outcome,) = yield [Call("batch_move", {"moves": moves}, acts=True)]
    if outcome.code == "conflict":
        return _clash(asked, view, outcome.fields)
    if not outcome.ok:
        return refused(asked, outcome, task=tasks[0].ref)
    rows = [
        asked.say(
            "schedule.say.task_at", task=task.ref, at=view.days.at(task.slots[0][0] + by, task.slots[0][1], task.slots[0][2])
        )
        for task in tasks
    ]
    return Answer(asked.say("schedule.say.batch", rows=asked.say("schedule.say.semicolon").join(rows)) + in_draft(asked))


def _clash(asked: Asked, view: View, fields: Mapping[str, Any]) -> Answer:
    return Answer(taken(asked, view, fields).strip() + asked.say("schedule.say.nothing_changed"), well=False)
