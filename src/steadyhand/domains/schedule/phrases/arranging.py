"""Decides how arranging, undoing, redoing and offering the draft are asked for, and how their outcomes are told; it must not judge an arrangement."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import has
from steadyhand.domains.schedule.phrases.dates import Days, block_of
from steadyhand.domains.schedule.phrases.placing import in_draft
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.domains.schedule.phrases.tasks import EXACT, Task, View, find, look, matches
from steadyhand.domains.schedule.phrases.when import When, resolve
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Outcome, Steps

MOST_DAYS, MOST_ROWS = 7, 12
MOST_STEPS = 10


def arrange(asked: Asked) -> Steps:
    """Arrange what is pending, within what the words limit it to; tell what got a place and why the rest did not."""
    return (yield from _arrange(asked, {}))


def rearrange(asked: Asked) -> Steps:
    """Arrange what is pending, and let what has a suggested place move too."""
    return (yield from _arrange(asked, {"move_suggested": True}))


def _arrange(asked: Asked, options: dict[str, Json]) -> Steps:
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    load = asked.slots.get("count") or asked.slots.get("length")
    if load is not None:
        options["max_per_day"] = int(load)
    for slot, limit in _LIMITS.items():
        if slot in asked.slots:
            trouble = yield from limit(asked, view, options)
            if trouble is not None:
                return trouble
    if not _anything(view.tasks, options):
        return Answer(asked.say("schedule.say.nothing_pending"))
    (outcome,) = yield [Call("arrange", options, acts=True)]
    if not outcome.ok:
        return refused(asked, outcome)
    return Answer(arranged(asked, view, outcome.fields))


def _anything(tasks: Sequence[Task], options: Mapping[str, Json]) -> bool:
    moving = bool(options.get("move_suggested"))
    return any(task.status == "pending" or (moving and task.status == "suggested") for task in tasks if not task.course)


def _within(asked: Asked, view: View, options: dict[str, Json]) -> Looks[Answer | None]:
    """Limit the arranging to the days, and the slots on them, that words for a time mean."""
    when = yield from resolve(asked, view.days, asked.slots["time"])
    if isinstance(when, Answer):
        return when
    outside = _slots_outside(when, view.days)
    if outside is None:
        return Answer(asked.say("schedule.say.arrange_days", time=asked.slots["time"]), well=False)
    options["excluded_days"] = [day for day in range(1, view.days.window.total_days + 1) if day not in when.days]
    if outside:
        options["excluded_slots"] = outside
    return None


def _slots_outside(when: When, days: Days) -> list[int] | None:
    """Return the slots that a time leaves out on all of its days; None when its days differ."""
    runs = {span.run(days.window.slots) for span in when.spans}
    if len(runs) != 1:
        return None
    start, end = runs.pop()
    return [slot for slot in range(1, days.window.slots + 1) if not start <= slot <= end]


def _named(asked: Asked, view: View, options: dict[str, Json]) -> Looks[Answer | None]:
    """Limit the arranging to what a name means: a category where one is called so, else a task."""
    category = category_named(asked.slots["name"], view.tasks)
    if category is not None:
        options["categories"] = [category]
        return None
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    task = found.task
    if task.course or task.status == "existing":
        return Answer(asked.say("schedule.say.already_there", task=task.ref), well=False)
    if task.status == "suggested":
        return Answer(asked.say("schedule.say.has_place", task=task.ref), well=False)
    options["task_ids"] = [task.id]
    return None


def category_named(name: str, tasks: Sequence[Task]) -> str | None:
    """Return the one category that is called *name*, wholly or in part, unless a task is called so exactly."""
    level, _ = matches(name, tasks)
    own = dict.fromkeys(task.category for task in tasks if not task.course and task.category)
    plain = name.casefold().strip()
    exact = [category for category in own if category.casefold() == plain]
    if exact and level < EXACT:
        return exact[0]
    part = [category for category in own if len(plain) > 1 and plain in category.casefold()]
    return part[0] if len(part) == 1 and not level else None


_WEEKDAYS = {"weekend": (6, 7), "周末": (6, 7), "weekday": (1, 2, 3, 4, 5), "工作日": (1, 2, 3, 4, 5)}


def _without(asked: Asked, view: View, options: dict[str, Json]) -> Looks[Answer | None]:
    """Leave out weekends or working days of every week, or a part of every day."""
    words = asked.slots["avoid"].lower()
    weekdays = _WEEKDAYS.get(words.removesuffix("s"))
    if weekdays is not None:
        every = range(1, view.days.window.total_days + 1)
        options["excluded_days"] = [day for day in every if view.days.weekday_of(day) in weekdays]
        return None
    run = yield from part_of_day(asked, words)
    if isinstance(run, Answer):
        return run
    options["excluded_slots"] = list(run)
    return None


def _liked(asked: Asked, view: View, options: dict[str, Json]) -> Looks[Answer | None]:
    """Prefer a part of every day."""
    del view
    run = yield from part_of_day(asked, asked.slots["prefer"])
    if isinstance(run, Answer):
        return run
    options["preferred_slots"] = list(run)
    return None


_LIMITS: Mapping[str, Callable[[Asked, View, dict[str, Json]], Looks[Answer | None]]] = {
    "name": _named,
    "time": _within,
    "avoid": _without,
    "prefer": _liked,
}


def part_of_day(asked: Asked, words: str) -> Looks[range | Answer]:
    """Return the slots of a part of the day, by asking for that part of the window's first day."""
    text = asked.say("schedule.say.first_day", part=words.removesuffix("s") if asked.language == "en" else words)
    (outcome,) = yield [Call("resolve_time", {"text": text})]
    readings = cast("Sequence[Sequence[Mapping[str, Any]]]", outcome.fields.get("readings") or ())
    if outcome.code != "ok" or len(readings) != 1 or len(readings[0]) != 1 or readings[0][0]["slot_start"] is None:
        return Answer(asked.say("schedule.say.no_part", words=words), well=False)
    return range(readings[0][0]["slot_start"], readings[0][0]["slot_end"] + 1)


def arranged(asked: Asked, view: View, fields: Mapping[str, Any]) -> str:
    """Tell an arrangement by day, then what has no place and why, then that it is a draft."""
    placed = cast("Sequence[Mapping[str, Any]]", fields["placed"])
    unplaced = cast("Sequence[Mapping[str, Any]]", fields["unplaced"])
    lines = [asked.say("schedule.say.arranged", placed=len(placed), unplaced=len(unplaced))]
    lines += [asked.say("schedule.say.row", text=_place_text(asked, view, place)) for place in placed[:MOST_ROWS]]
    if len(placed) > MOST_ROWS:
        lines.append(asked.say("schedule.say.more", n=len(placed) - MOST_ROWS))
    lines += [asked.say("schedule.say.row", text=why_not(asked, view, entry)) for entry in unplaced[:MOST_ROWS]]
    if len(unplaced) > MOST_ROWS:
        lines.append(asked.say("schedule.say.more", n=len(unplaced) - MOST_ROWS))
    return "\n".join(lines) + (in_draft(asked) if placed else "")


def _place_text(asked: Asked, view: View, place: Mapping[str, Any]) -> str:
    host = place["host"]
    key = "schedule.say.task_at" if host is None else "schedule.say.task_at_inside"
    return asked.say(key, task=view.ref(place["task_id"]), at=view.days.at(*block_of(place)), host=view.ref(host))


def why_not(asked: Asked, view: View, entry: Mapping[str, Any]) -> str:
    """Say why a task has no place."""
    length = next((task.length for task in view.tasks if task.id == entry["task_id"]), 0)
    reasons = [_reason(asked, view, reason, length) for reason in entry["reasons"]]
    joint = asked.say("schedule.say.and_also" if entry["together"] else "schedule.say.or_rather")
    return asked.say("schedule.say.why_not", task=view.ref(entry["task_id"]), n=length, reasons=joint.join(reasons))


def _reason(asked: Asked, view: View, reason: Mapping[str, Any], length: int) -> str:
    days, rule, number = view.days, reason["rule"], reason["number"]
    message = f"schedule.say.reason.{rule}"
    inside = 1 <= number <= days.window.total_days
    day = days.day(number) if inside else ""
    if rule == "window":
        message = f"schedule.say.reason.{'window_after' if number > days.window.total_days else 'window_before'}"
    elif rule in ("earliest", "deadline") and not inside:
        message = f"schedule.say.reason.window_{'after' if number > 1 else 'before'}"
    if not has(asked.language, message):
        return rule
    tasks = asked.say("schedule.say.joint").join(view.ref(task) for task in reason["tasks"])
    return asked.say(message, n=length if rule == "no_free_run" else number, day=day, tasks=tasks)


def why(asked: Asked) -> Steps:
    """Say why a task has no place, or that it has one, without changing the draft."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    task = found.task
    if task.status != "pending":
        return Answer(asked.say("schedule.say.stands", task=task.ref, at=view.days.blocks(task.slots)))
    (outcome,) = yield [Call("why_pending", {"task_id": task.id})]
    if not outcome.ok:
        return refused(asked, outcome, task=task.ref)
    entry = cast("Mapping[str, Any] | None", outcome.fields.get("unplaced"))
    if entry is not None:
        return Answer(why_not(asked, view, entry))
    at = view.days.at(*block_of(outcome.fields["place"]))
    return Answer(asked.say("schedule.say.would_fit", task=task.ref, at=at))


def undo(asked: Asked) -> Steps:
    """Take the last steps of the draft back."""
    return (yield from _steps(asked, "undo"))


def redo(asked: Asked) -> Steps:
    """Make the steps again that were taken back."""
    return (yield from _steps(asked, "redo"))


def _steps(asked: Asked, tool: str) -> Steps:
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    wanted = int(asked.slots.get("count", "1"))
    if wanted > MOST_STEPS:
        return Answer(asked.say("schedule.say.too_many_steps", n=MOST_STEPS), well=False)
    lines: list[str] = []
    for _ in range(wanted):
        (outcome,) = yield [Call(tool, acts=True)]
        if not outcome.ok:
            return Answer("\n".join([*lines, refused(asked, outcome).text]), well=bool(lines))
        lines.append(asked.say(f"schedule.say.{tool}", steps=_changes(asked, view, outcome)))
    return Answer("\n".join(lines))


def _changes(asked: Asked, view: View, outcome: Outcome) -> str:
    days = view.days
    changes = cast("Sequence[Mapping[str, Any]]", outcome.fields.get("changes") or ())
    rows = [
        asked.say(
            "schedule.say.step",
            task=view.ref(change["id"]),
            before=days.blocks(change["before"]["slots"]) or asked.say("schedule.say.no_place"),
            after=days.blocks(change["after"]["slots"]) or asked.say("schedule.say.no_place"),
        )
        for change in changes[:MOST_ROWS]
    ]
    if len(changes) > MOST_ROWS:
        rows.append(asked.say("schedule.say.more", n=len(changes) - MOST_ROWS).strip())
    return asked.say("schedule.say.semicolon").join(rows)


def propose(asked: Asked) -> Steps:
    """Offer the draft for review; the review itself is shown by the tool."""
    (outcome,) = yield [Call("propose", acts=True)]
    if not outcome.ok:
        return refused(asked, outcome)
    return Answer(asked.say("schedule.say.proposed"))
