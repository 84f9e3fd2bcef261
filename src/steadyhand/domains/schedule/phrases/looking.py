"""Decides how what stands in the timetable is told to a person: weeks, days, lists, one task, free places, numbers. It must not change anything."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from steadyhand.domains.schedule.phrases.arranging import MOST_ROWS, category_named
from steadyhand.domains.schedule.phrases.dates import Days, Run, block_of
from steadyhand.domains.schedule.phrases.placing import open_places
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.domains.schedule.phrases.tasks import Task, View, find, look
from steadyhand.domains.schedule.phrases.when import Span, When, resolve, told_of
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Steps

MOST_DAYS = 14
MOST_LISTED = 30
MOST_PLACES = 6
WEEK = 5
"""So many whole days of one week are shown as that week."""
STATUSES = ("existing", "suggested", "pending")


def overview(asked: Asked) -> Steps:
    """Tell how things stand in the whole window."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    (outcome,) = yield [Call("get_overview")]
    if not outcome.ok:
        return refused(asked, outcome)
    days = cast("Sequence[Mapping[str, Any]]", outcome.fields["days"])
    used, total = sum(day["used"] for day in days), sum(day["slots"] for day in days)
    counts = {status: sum(task.status == status and not task.course for task in view.tasks) for status in STATUSES}
    courses = sum(task.course for task in view.tasks)
    span = {"first": view.days.day(1), "last": view.days.day(view.days.window.total_days), "days": len(days)}
    lines = [asked.say("schedule.say.overview", **span, **counts, courses=courses, used=used, total=total)]
    pending = [task.ref for task in view.tasks if task.status == "pending"]
    if pending:
        lines.append(asked.say("schedule.say.overview_pending", tasks=_few(asked, pending)))
    drafted = [
        asked.say("schedule.say.task_at", task=t.ref, at=view.days.blocks(t.slots)) for t in view.tasks if t.status == "suggested"
    ]
    if drafted:
        lines.append(asked.say("schedule.say.overview_drafted", tasks=_few(asked, drafted, "semicolon")))
    return Answer("\n".join(lines))


def _few(asked: Asked, texts: Sequence[str], joint: str = "joint") -> str:
    text = asked.say(f"schedule.say.{joint}").join(texts[:MOST_ROWS])
    rest = len(texts) - MOST_ROWS
    return text if rest <= 0 else text + asked.say("schedule.say.and_more", n=rest)


def show(asked: Asked) -> Steps:
    """Show the days that words for a time mean, or this week where none is named."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    when: When | Answer = _this_week(view.days)
    if "time" in asked.slots:
        when = yield from resolve(asked, view.days, asked.slots["time"])
    if isinstance(when, Answer):
        return when
    week = view.days.week_days(when.days[0])
    if len(when.days) >= WEEK and set(when.days) <= set(week) and all(span.whole for span in when.spans):
        return (yield from _week(asked, view, week))
    return Answer(_days_text(asked, view, when))


def _this_week(days: Days) -> When:
    return When(tuple(Span(day) for day in days.week_days(days.today or 1)), clipped=False)


def _week(asked: Asked, view: View, week: range) -> Steps:
    """Show a week as its own tool draws it, where there is one."""
    if "show_week" in asked.tools:
        (outcome,) = yield [Call("show_week", {"day": week[0]})]
        if outcome.ok:
            drafted = sum(task.status == "suggested" for task in view.tasks)
            pending = sum(task.status == "pending" for task in view.tasks)
            return Answer(asked.say("schedule.say.week_counts", drafted=drafted, pending=pending))
    return Answer(_days_text(asked, view, When(tuple(Span(day) for day in week), clipped=False)))


def _days_text(asked: Asked, view: View, when: When) -> str:
    shown, lines = when.spans[:MOST_DAYS], list[str]()
    for span in shown:
        run = span.run(view.days.window.slots)
        seats = sorted(_seats(view.tasks, span.day, run), key=lambda seat: seat[:2])
        free = _free(view.tasks, span.day, run)
        head = view.days.day(span.day) if span.whole else view.days.at(span.day, *run)
        lines.append(asked.say("schedule.say.day_head", day=head))
        lines += [asked.say("schedule.say.row", text=_seat_text(asked, view, seat)) for seat in seats]
        lines.append(asked.say("schedule.say.row", text=_free_text(asked, view.days, free, any_seat=bool(seats))))
    if len(when.spans) > MOST_DAYS:
        lines.append(asked.say("schedule.say.more_days", n=len(when.spans) - MOST_DAYS))
    if when.clipped:
        lines.append(asked.say("schedule.say.clipped"))
    return "\n".join(lines)


Seat = tuple[int, int, Task]


def _seats(tasks: Iterable[Task], day: int, run: Run) -> list[Seat]:
    return [
        (start, end, task) for task in tasks for at, start, end in task.slots if at == day and start <= run[1] and end >= run[0]
    ]


def _free(tasks: Iterable[Task], day: int, run: Run) -> list[Run]:
    """Return the runs of slots within *run* that nothing holds."""
    held = {slot for start, end, _ in _seats(tasks, day, run) for slot in range(start, end + 1)}
    runs: list[Run] = []
    for slot in range(run[0], run[1] + 1):
        if slot in held:
            continue
        if runs and runs[-1][1] == slot - 1:
            runs[-1] = (runs[-1][0], slot)
        else:
            runs.append((slot, slot))
    return runs


def _seat_text(asked: Asked, view: View, seat: Seat) -> str:
    start, end, task = seat
    name = task.ref if not task.course else task.ref.partition("]")[2]
    kind = "course" if task.course else "drafted" if task.status == "suggested" else "stored"
    key = f"schedule.say.seat.{kind}" if task.host is None else "schedule.say.seat.inside"
    return asked.say(key, slots=view.days.slots(start, end), task=name, host=view.ref(task.host).partition("]")[2])


def _free_text(asked: Asked, days: Days, free: Sequence[Run], *, any_seat: bool) -> str:
    if not free:
        return asked.say("schedule.say.no_free")
    return asked.say("schedule.say.free" if any_seat else "schedule.say.all_free", runs=days.runs(free))


def is_free(asked: Asked) -> Steps:
    """Say whether a time is free, and what holds it."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    when = yield from resolve(asked, view.days, asked.slots["time"])
    if isinstance(when, Answer):
        return when
    (first, *rest) = yield [Call("query_range", {"day": day}) for day in when.days[:MOST_DAYS]]
    trouble = next((outcome for outcome in (first, *rest) if not outcome.ok), None)
    return refused(asked, trouble) if trouble is not None else Answer(_days_text(asked, view, when))


def list_tasks(asked: Asked) -> Steps:
    """List tasks: all, those of a status, of a category, or those that stand in a time."""
    return (yield from _list(asked, ""))


def list_pending(asked: Asked) -> Steps:
    """List what has no place yet."""
    return (yield from _list(asked, "pending"))


def list_suggested(asked: Asked) -> Steps:
    """List what the draft would place."""
    return (yield from _list(asked, "suggested"))


def list_existing(asked: Asked) -> Steps:
    """List the tasks that are stored with a place."""
    return (yield from _list(asked, "existing"))


def _list(asked: Asked, status: str) -> Steps:
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = [task for task in view.tasks if not task.course and status in ("", task.status)]
    if "name" in asked.slots:
        category = category_named(asked.slots["name"], view.tasks)
        if category is None:
            own = list(dict.fromkeys(task.category for task in view.tasks if task.category and not task.course))
            return Answer(
                asked.say("schedule.say.no_category", name=asked.slots["name"], categories=_few(asked, own)), well=False
            )
        found = [task for task in found if task.category == category]
    if "time" in asked.slots:
        when = yield from resolve(asked, view.days, asked.slots["time"])
        if isinstance(when, Answer):
            return when
        found = [task for task in found if any(_stands(task, span, view.days.window.slots) for span in when.spans)]
    return (yield from _listed(asked, view, found))


def _stands(task: Task, span: Span, slots: int) -> bool:
    first, last = span.run(slots)
    return any(day == span.day and start <= last and end >= first for day, start, end in task.slots)


def _listed(asked: Asked, view: View, found: Sequence[Task]) -> Steps:
    """List tasks in the order of their numbers; the list becomes the session's last one, so that its rows can be named."""
    if not found:
        return Answer(asked.say("schedule.say.none_such"))
    shown = list(found[:MOST_LISTED])
    yield [Call("query_target_tasks", {"task_ids": [task.id for task in shown]})]
    lines = [asked.say("schedule.say.listed", n=len(found))]
    for place, task in enumerate(shown, 1):
        lines.append(asked.say("schedule.say.numbered", n=place, text=_task_text(asked, view, task)))
    if len(found) > MOST_LISTED:
        lines.append(asked.say("schedule.say.more", n=len(found) - MOST_LISTED))
    return Answer("\n".join(lines))


def _task_text(asked: Asked, view: View, task: Task) -> str:
    if task.status == "pending":
        return asked.say("schedule.say.task_pending", task=task.ref, category=task.category, n=task.length)
    key = "schedule.say.task_drafted" if task.status == "suggested" else "schedule.say.task_stored"
    return asked.say(key, task=task.ref, category=task.category, at=view.days.blocks(task.slots))


def info(asked: Asked) -> Steps:
    """Tell all that is known of one task."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    task = found.task
    (outcome,) = yield [Call("get_task_info", {"task_id": task.id})]
    if not outcome.ok:
        return refused(asked, outcome, task=task.ref)
    if task.course:
        return Answer(asked.say("schedule.say.course_at", task=task.ref, at=_few_blocks(view.days, task)))
    lines = [_task_text(asked, view, task)]
    if task.host is not None:
        lines.append(asked.say("schedule.say.inside", host=view.ref(task.host)))
    for name in ("earliest", "deadline"):
        day = outcome.fields.get(name)
        if isinstance(day, int) and 1 <= day <= view.days.window.total_days and (name, day) != ("earliest", 1):
            lines.append(asked.say(f"schedule.say.{name}", day=view.days.day(day)))
    return Answer("\n".join(lines))


def _few_blocks(days: Days, task: Task) -> str:
    text = days.blocks(task.slots[:MOST_PLACES])
    rest = len(task.slots) - MOST_PLACES
    return text if rest <= 0 else text + days.asked.say("schedule.say.and_more", n=rest)


def fits(asked: Asked) -> Steps:
    """Say whether a task would fit in a time, without putting it there."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    when = yield from resolve(asked, view.days, found.slots["time"])
    if isinstance(when, Answer):
        return when
    task = found.task
    places = yield from open_places(asked, when, task.length, view.days.window.slots)
    if isinstance(places, Answer):
        return places
    told = {"task": task.ref, "n": task.length, "when": told_of(view.days, when.spans)}
    if not places:
        return Answer(asked.say("schedule.say.fits_not", **told))
    return Answer(asked.say("schedule.say.fits", **told, places=_places_text(view.days, places, task.length)))


def _places_text(days: Days, places: Sequence[tuple[int, int]], length: int) -> str:
    texts = [days.at(day, start, start + length - 1) for day, start in places[:MOST_PLACES]]
    return days.asked.say("schedule.say.joint").join(texts)


def free_places(asked: Asked) -> Steps:
    """Say where so many slots are free: in a time, or first of all in the window."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    length = int(asked.slots.get("length", "2"))
    if length > view.days.window.slots:
        return Answer(asked.say("schedule.say.refused.bad_duration", n=length, task="", day=""), well=False)
    when = yield from _time_or_rest(asked, view.days)
    if when is None:
        return (yield from _first_free(asked, view, length))
    if isinstance(when, Answer):
        return when
    if len(when.spans) == 1 and when.spans[0].whole:
        return (yield from _free_on(asked, view, length, when.spans[0].day))
    places = yield from open_places(asked, when, length, view.days.window.slots)
    if isinstance(places, Answer):
        return places
    told = {"n": length, "when": told_of(view.days, when.spans)}
    if not places:
        return Answer(asked.say("schedule.say.places_none", **told))
    return Answer(asked.say("schedule.say.places", **told, places=_places_text(view.days, places, length)))


def _time_or_rest(asked: Asked, days: Days) -> Looks[When | Answer | None]:
    """Return the time that was said, else the days from today on; None when those are the whole window."""
    if "time" in asked.slots:
        return (yield from resolve(asked, days, asked.slots["time"]))
    today = days.today or 1
    return None if today == 1 else When(tuple(Span(day) for day in range(today, days.window.total_days + 1)), clipped=False)


def _first_free(asked: Asked, view: View, length: int) -> Steps:
    (outcome,) = yield [Call("find_first_free", {"duration": length})]
    return Answer(_first_free_text(asked, view, length, outcome.fields)) if outcome.ok else refused(asked, outcome, n=length)


def _free_on(asked: Asked, view: View, length: int, day: int) -> Steps:
    (outcome,) = yield [Call("find_free", {"duration": length, "day": day})]
    return Answer(_first_free_text(asked, view, length, outcome.fields)) if outcome.ok else refused(asked, outcome, n=length)


def _first_free_text(asked: Asked, view: View, length: int, fields: Mapping[str, Any]) -> str:
    if "slot_start" not in fields:
        return asked.say("schedule.say.first_free_none", n=length)
    key = "schedule.say.first_free" if fields["host"] is None else "schedule.say.first_free_inside"
    return asked.say(key, n=length, at=view.days.at(*block_of(fields)), host=view.ref(fields["host"]))


def numbers(asked: Asked) -> Steps:
    """Tell the numbers of the arrangement: counts, the fullest and the emptiest days, what stands out of order."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    (outcome,) = yield [Call("evaluate")]
    if not outcome.ok:
        return refused(asked, outcome)
    days = [day for day in cast("Sequence[Mapping[str, Any]]", outcome.fields["days"]) if day["day"] >= (view.days.today or 1)]
    counts, need = outcome.fields["counts"], outcome.fields["need"]
    lines = [asked.say("schedule.say.numbers", **{status: counts[status] for status in STATUSES}, need=need)]
    for key, ordered in (
        ("fullest", sorted(days, key=lambda d: (-d["used"], d["day"]))),
        ("emptiest", sorted(days, key=lambda d: (d["used"], d["day"]))),
    ):
        few = [asked.say("schedule.say.load", day=view.days.day(d["day"]), used=d["used"], slots=d["slots"]) for d in ordered[:3]]
        lines.append(asked.say(f"schedule.say.{key}", days=asked.say("schedule.say.joint").join(few)))
    wrong = cast("Sequence[Sequence[int]]", outcome.fields["out_of_order"])
    pairs = [asked.say("schedule.say.pair", first=view.ref(one), second=view.ref(other)) for one, other in wrong]
    if pairs:
        lines.append(asked.say("schedule.say.out_of_order", pairs=_few(asked, pairs)))
    return Answer("\n".join(lines))


def what_time(asked: Asked) -> Steps:
    """Say which days and slots some words for a time mean."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    when = yield from resolve(asked, view.days, asked.slots["time"])
    if isinstance(when, Answer):
        return when
    return Answer(asked.say("schedule.say.means", words=asked.slots["time"], when=told_of(view.days, when.spans)))


def window(asked: Asked) -> Looks[Answer]:
    """Say which days are planned."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    days = view.days
    span = {"first": days.day(1), "last": days.day(days.window.total_days), "days": days.window.total_days}
    return Answer(asked.say("schedule.say.window", **span, command="steady schedule window"))


def today(asked: Asked) -> Steps:
    """Say what day it is, and which week of the term."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    date, weeks = view.days.now, asked.part("term")["weeks"]
    if date is None:
        return Answer(asked.say("schedule.say.refused_unsaid"), well=False)
    week = (date - view.days.first_monday).days // DAYS_IN_WEEK + 1
    key = "schedule.say.today" if 1 <= week <= weeks else "schedule.say.today_outside"
    return Answer(asked.say(key, day=view.days.date(date), week=week, weeks=weeks))
