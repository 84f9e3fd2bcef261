"""Decides how a request to put, move, exchange or take off tasks is carried out in the draft; it must not judge whether it is allowed, the tools do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.phrases.commands import command
from steadyhand.domains.schedule.phrases.dates import Days, block_of
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.domains.schedule.phrases.tasks import Task, View, find, look
from steadyhand.domains.schedule.phrases.when import When, resolve, told_of
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Steps

Place = tuple[int, int]
EVERY = 5_000
"""More places than any window has."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A task that is to go somewhere, with what is needed to say so."""

    asked: Asked
    view: View
    task: Task

    @property
    def days(self) -> Days:
        """The days of the window."""
        return self.view.days


def put(asked: Asked) -> Steps:
    """Put a pending task, or move a suggested one, to the first place that fits in the time that is named."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    fixed = immovable(asked, found.task)
    if fixed is not None:
        return fixed
    when = yield from resolve(asked, view.days, found.slots.get("time") or found.slots["words"])
    if isinstance(when, Answer):
        return when
    return (yield from bring(Errand(asked, view, found.task), when))


def immovable(asked: Asked, task: Task) -> Answer | None:
    """Say why a course, or a task that is stored already, stays where it is; None for every other task."""
    if task.course:
        return Answer(asked.say("schedule.say.course_stays", task=task.ref), well=False)
    if task.status == "existing":
        reopen = command("reopen", f"[{task.id}]")
        return Answer(asked.say("schedule.say.stored_stays", task=task.ref, command=reopen), well=False)
    return None


def bring(errand: Errand, when: When) -> Steps:
    """Find a place for the task in *when* and put it there; tell where it stands, or what comes nearest."""
    asked, days, task = errand.asked, errand.days, errand.task
    if _stands_in(task, when, days.window.slots):
        return Answer(asked.say("schedule.say.already", task=task.ref, at=days.blocks(task.slots)))
    place = _said_exactly(task, when)
    if all(days.is_over(span.day, place[1] if place else span.run(days.window.slots)[1]) for span in when.spans):
        told = asked.say("schedule.say.over", task=task.ref, when=told_of(days, when.spans))
        return Answer(told + (yield from nearest(errand, when)), well=False)
    if place is None:
        found = yield from _first_place(errand, when)
        if isinstance(found, Answer):
            return found
        place = found
    (outcome,) = yield [_call(task, place)]
    if outcome.code == "conflict":
        return Answer(taken(asked, errand.view, outcome.fields) + (yield from nearest(errand, when)), well=False)
    if not outcome.ok:
        return refused(asked, outcome, task=task.ref, day=days.day(place[0]), n=task.length)
    at = days.at(*block_of(outcome.fields.get("at") or _block(task, place)))
    host = outcome.fields.get("host")
    key = "schedule.say.embedded" if host is not None else "schedule.say.placed"
    return Answer(asked.say(key, task=task.ref, at=at, host=errand.view.ref(host)) + in_draft(asked))


def taken(asked: Asked, view: View, fields: Mapping[str, Any]) -> str:
    """Say who holds what of the place that a task was to have, as the tool's conflict tells it."""
    at, held = (view.days.at(*block_of(fields[name])) for name in ("at", "blocker_at"))
    return asked.say(
        "schedule.say.taken", task=view.ref(fields["task_id"]), at=at, blocker=view.ref(fields["blocker"]), held=held
    )


def in_draft(asked: Asked) -> str:
    """Say that all this is a draft, and what comes next."""
    return "\n" + asked.say("schedule.say.in_draft")


def _block(task: Task, place: Place) -> Mapping[str, int]:
    return {"day": place[0], "slot_start": place[1], "slot_end": place[1] + task.length - 1}


def _call(task: Task, place: Place) -> Call:
    if task.status == "pending":
        return Call("place", {"task_id": task.id, "day": place[0], "slot_start": place[1]}, acts=True)
    return Call("move", {"task_id": task.id, "new_day": place[0], "new_slot_start": place[1]}, acts=True)


def _stands_in(task: Task, when: When, slots: int) -> bool:
    """Tell whether the task's one block lies within what was said; a single slot says where it is to begin."""
    if len(task.slots) != 1:
        return False
    day, start, end = task.slots[0]
    for span in when.spans:
        first, last = span.run(slots)
        inside = first <= start and end <= last
        if span.day == day and (inside or (first == last == start)):
            return True
    return False


def _said_exactly(task: Task, when: When) -> Place | None:
    """Return the place when the words leave no room: a run as long as the task, or the one slot that it is to begin in."""
    if len(when.spans) != 1:
        return None
    span = when.spans[0]
    if span.start is None or span.end is None:
        return None
    return (span.day, span.start) if span.start == span.end or span.end - span.start + 1 == task.length else None


def _first_place(errand: Errand, when: When) -> Looks[Place | Answer]:
    """Return the first place in *when* that is free, or that takes the task in; else say that there is none, and what there is."""
    asked, days, task = errand.asked, errand.days, errand.task
    if all(last - first + 1 < task.length for first, last in (span.run(days.window.slots) for span in when.spans)):
        told = asked.say("schedule.say.too_long", task=task.ref, n=task.length, when=told_of(days, when.spans))
        return Answer(told + asked.say("schedule.say.nothing_changed"), well=False)
    places = yield from open_places(asked, when, task.length, days.window.slots)
    if isinstance(places, Answer):
        return places
    if places:
        return places[0]
    told = asked.say("schedule.say.no_room", task=task.ref, n=task.length, when=told_of(days, when.spans))
    return Answer(told + (yield from nearest(errand, when)), well=False)


def open_places(asked: Asked, when: When, length: int, slots: int) -> Looks[list[Place] | Answer]:
    """Return where a run of *length* can begin in *when*: free places by time, then those inside courses that take tasks."""
    groups: dict[tuple[int | None, int | None], list[int]] = {}
    for span in when.spans:
        groups.setdefault((span.start, span.end), []).append(span.day)
    outcomes = yield [_query(length, run, days, slots) for run, days in groups.items()]
    trouble = next((outcome for outcome in outcomes if not outcome.ok), None)
    if trouble is not None:
        return refused(asked, trouble, n=length)
    places = [place for outcome in outcomes for place in cast("Sequence[Mapping[str, Any]]", outcome.fields.get("places") or ())]
    places.sort(key=lambda place: (place["host"] is not None, place["day"], place["slot_start"]))
    return [(place["day"], place["slot_start"]) for place in places]


def _query(length: int, run: tuple[int | None, int | None], days: Sequence[int], slots: int) -> Call:
    asked: dict[str, Json] = {"span": length, "days": sorted(set(days))}
    if run[0] is not None and run[0] > 1:
        asked["after_slot"] = run[0] - 1
    if run[1] is not None and run[1] < slots:
        asked["before_slot"] = run[1] + 1
    return Call("query_available_slots", asked)


def nearest(errand: Errand, when: When) -> Looks[str]:
    """Say which place to come lies nearest to the one that was named: by days first, then by slots."""
    asked, days, task = errand.asked, errand.days, errand.task
    (outcome,) = yield [Call("query_available_slots", {"span": task.length, "limit": EVERY})]
    runs = cast("Sequence[Mapping[str, Any]]", outcome.fields.get("places") or ()) if outcome.ok else ()
    places = [(run["day"], start) for run in runs for start in range(run["slot_start"], run["last_start"] + 1)]
    own = {(day, start) for day, start, _ in task.slots}
    places = [place for place in places if place not in own]
    if not places:
        return asked.say("schedule.say.nowhere", n=task.length)
    wanted = [(span.day, span.run(days.window.slots)[0]) for span in when.spans]

    def away(place: Place) -> tuple[int, int, Place]:
        day, slot = min((abs(place[0] - day), abs(place[1] - slot)) for day, slot in wanted)
        return day, slot, place

    day, start = min(places, key=away)
    return asked.say("schedule.say.instead", at=days.at(day, start, start + task.length - 1))


def unplace(asked: Asked) -> Steps:
    """Take a suggested task off the draft's timetable."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name")
    if isinstance(found, Answer):
        return found
    task = found.task
    if task.status == "pending":
        return Answer(asked.say("schedule.say.not_placed", task=task.ref))
    fixed = immovable(asked, task)
    if fixed is not None:
        return fixed
    (outcome,) = yield [Call("unplace", {"task_id": task.id}, acts=True)]
    if not outcome.ok:
        return refused(asked, outcome, task=task.ref)
    return Answer(asked.say("schedule.say.unplaced", task=task.ref) + in_draft(asked))


def swap(asked: Asked) -> Steps:
    """Exchange the places of two suggested tasks."""
    view = yield from look(asked)
    if isinstance(view, Answer):
        return view
    found = yield from find(asked, view, "name", "name2")
    if isinstance(found, Answer):
        return found
    first, second = found.named
    for task in found.named:
        fixed = immovable(asked, task)
        if fixed is not None:
            return fixed
        if task.status == "pending":
            return Answer(asked.say("schedule.say.swap_pending", task=task.ref), well=False)
    if first.id == second.id:
        return Answer(asked.say("schedule.say.swap_same", task=first.ref), well=False)
    (outcome,) = yield [Call("swap", {"task_a": first.id, "task_b": second.id}, acts=True)]
    if not outcome.ok:
        lengths = {"other": second.ref, "n": first.length, "m": second.length}
        return refused(asked, outcome, task=first.ref, **lengths)
    first_at, second_at = view.days.blocks(second.slots), view.days.blocks(first.slots)
    told = asked.say("schedule.say.swapped", first=first.ref, first_at=first_at, second=second.ref, second_at=second_at)
    return Answer(told + in_draft(asked))
