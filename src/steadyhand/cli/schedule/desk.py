"""Decides which task, course, day and window a timetable command means, and tells what opening the draft came to. It must not change a place."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from functools import cached_property
from typing import TypeVar

from steadyhand.cli.terminal.frame import Frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.canonical import Json
from steadyhand.core.clock import local
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.board.model import Block, Delta, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import Drafting, OpenDraft
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Event, Records, TaskItem, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.term.windows import default_window, next_day

T = TypeVar("T")


class Desk:
    """What the timetable's commands work on: the person's term, what it holds, and their draft."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.app = frame.app
        self.user = self.app.user.id
        self.drafting = Drafting(self.app.store)

    @cached_property
    def records(self) -> Records:
        """All that the current term holds; refused with ``no_term`` when there is none."""
        return self.frame.run(self.drafting.records(self.user))

    @property
    def term(self) -> Term:
        """The current term."""
        return self.records.term

    @property
    def today(self) -> date:
        """Today's date in the term's zone."""
        return local(self.app.store.clock.now(), self.term.zone).date()

    @property
    def next_day(self) -> date:
        """The first day whose slots all lie ahead: today before its first slot begins, else tomorrow."""
        return next_day(self.term, self.app.store.clock)

    # --- the draft ---------------------------------------------------------------------------------------------------

    def look(self) -> OpenDraft:
        """Return the draft, or what opening it would give; nothing is stored."""
        drafting = self.drafting
        draft = self.frame.run(drafting.look(self.user))
        if draft.row.revision:
            return draft
        return self.frame.run(drafting.look(self.user, default_window(self.term, self.next_day)))

    def open(self) -> OpenDraft:
        """Open the draft so that its ids stay, and say what that came to."""
        draft = self.look()
        if not draft.stored:
            self.tell_opening(draft)
            draft = self.frame.run(self.drafting.open(self.user, draft.window))
        return draft

    def edit(self, work: Callable[[Timetable], Reply]) -> tuple[Reply, OpenDraft]:
        """Run one write on the draft; a refusal ends the command, with the tool's own words."""
        draft = self.look()
        reply, after = self.frame.run(self.drafting.edit(self.user, work, window=draft.window))
        if reply.is_error:
            raise ToolRefusal(reply.code, text=reply.text(self.frame.language))
        if not draft.stored and after.stored:
            self.tell_opening(draft)
        return reply, after

    def tell_opening(self, draft: OpenDraft) -> None:
        """Print the window of a draft that was not open yet, and what could not be loaded or carried over."""
        lines: list[str] = []
        if not draft.row.revision:
            lines.append(self.window_text(draft.window, "opened"))
        lines += [one.text(self.frame.language) for one in draft.skipped]
        if draft.lost:
            names = ", ".join(f"[{task.state_id}]{task.name}" for task in draft.lost)
            lines.append(self.frame.say("schedule.lost", tasks=names))
        for line in lines:
            echo(line, err=self.frame.as_json)

    # --- days and times ----------------------------------------------------------------------------------------------

    def date_of(self, window: Window, day: int) -> date:
        """Return the date of a day of *window*."""
        return self.term.date_of(*window.week_of(day))

    def window_text(self, window: Window, message: str = "window.shown") -> str:
        """Say which days a window covers."""
        return self.frame.say(
            f"schedule.{message}",
            first=self.date_of(window, 1).isoformat(),
            last=self.date_of(window, window.total_days).isoformat(),
            days=window.total_days,
        )

    def window_json(self, window: Window) -> Json:
        """Return a window as data."""
        first, last = self.date_of(window, 1), self.date_of(window, window.total_days)
        return {"first": first.isoformat(), "last": last.isoformat(), "days": window.total_days}

    def when(self, window: Window, block: Block) -> str:
        """Say a block to a person: week, weekday, date, slots, clock times."""
        week, day_of_week = window.week_of(block.day)
        slots = self.term.scale_of(week, day_of_week).slots
        return self.frame.say(
            "schedule.when",
            day=block.day,
            week=week,
            weekday=say(self.frame.language, f"export.day.{day_of_week}"),
            date=self.term.date_of(week, day_of_week).isoformat(),
            slots=f"{block.start}-{block.end}" if block.start != block.end else str(block.start),
            begin=slots[block.start - 1][0],
            end=slots[block.end - 1][1],
        )

    def place_text(self, draft: OpenDraft, blocks: Sequence[Block]) -> str:
        """Say where a task is; a task without a place is waiting."""
        return "; ".join(self.when(draft.window, block) for block in blocks) or self.frame.say("schedule.waiting")

    def delta_text(self, draft: OpenDraft, delta: Delta) -> list[str]:
        """Say what a step changed, a line for each task."""
        tasks = draft.timetable.tasks
        return [
            self.frame.say(
                "schedule.moved",
                task=f"[{change.state_id}]{tasks[change.state_id].name}",
                before=self.place_text(draft, change.before.slots),
                after=self.place_text(draft, change.after.slots),
            )
            for change in delta
        ]

    def days(self, text: str, window: Window) -> list[tuple[int, int | None]]:
        """Return the days of *window* that *text* means, each with the first slot that it names: an index, a date, or words."""
        word = text.strip()
        if word.isascii() and word.isdigit() and len(word) <= 4:
            if not 1 <= int(word) <= window.total_days:
                raise ToolRefusal("day_outside_window", day=int(word), days=window.total_days)
            return [(int(word), None)]
        from steadyhand.domains.schedule.time_words.resolve import resolve_time

        language = self.frame.language
        answer = resolve_time(word, window=window, term=self.term, now=self.app.store.clock.now(), language=language)
        if answer.code != "ok":
            shown = [answer.text, *self.dated(window, (span.day for span in answer.candidates))]
            raise ToolRefusal("time_not_certain", words=_short(word), text="\n".join(shown))
        return [(span.day, span.slot_start) for span in answer.candidates]

    def dated(self, window: Window, days: Iterable[int]) -> list[str]:
        """Say the date of each day, once; the tools' own texts carry none."""
        return [
            self.frame.say("schedule.day_is", day=day, date=self.date_of(window, day).isoformat()) for day in dict.fromkeys(days)
        ]

    def day(self, text: str, window: Window) -> tuple[int, int | None]:
        """Return the one day that *text* means, with the first slot when it names one."""
        found = self.days(text, window)
        if len(found) != 1:
            raise ToolRefusal("several_days", words=_short(text), count=len(found))
        return found[0]

    def date(self, text: str, *, end_of_week: bool) -> date:
        """Return the date that *text* means in the term."""
        from steadyhand.domains.schedule.imports.dates import read_date

        found = read_date(text, self.term, end_of_week=end_of_week)
        if found is None:
            raise ToolRefusal("date_unreadable", text=_short(text))
        return found

    # --- tasks and courses -------------------------------------------------------------------------------------------

    def task(self, draft: OpenDraft, text: str) -> Task:
        """Return the task of the draft that an id or a name means."""
        tasks = draft.timetable.tasks
        number = _number(text)
        if number is not None:
            if number not in tasks:
                raise ToolRefusal("task_unknown", name=f"[{number}]")
            return tasks[number]
        named = [(f"[{task.state_id}]", task.name, task) for task in tasks.values()]
        return _named(text, named, "task_unknown")

    def item(self, draft: OpenDraft, text: str) -> "TaskItem | Event":
        """Return the task that an id or a name means, as it is stored: an item of a list, or an event that came with a calendar."""
        items = {item.id: item for item in self.records.items}
        events = {event.id: event for event in self.records.events}
        number = _number(text)
        if number is not None:
            task = self.task(draft, text)
            if task.is_course:
                raise ToolRefusal("is_a_course", name=task.name)
            return items[task.source_id] if task.source == "task_item" else events[task.source_id]
        alone = [event for event in self.records.events if event.kind == "task" and event.item_id is None]
        ids = {(task.source, task.source_id): f"[{task.state_id}]" for task in draft.timetable.tasks.values()}
        named: list[tuple[str, str, TaskItem | Event]] = [
            *((ids.get(("task_item", item.id), ""), item.content, item) for item in items.values()),
            *((ids.get(("event", event.id), ""), event.name, event) for event in alone),
        ]
        return _named(text, named, "task_unknown")

    def course(self, draft: OpenDraft, text: str) -> Event:
        """Return the course that an id or a name means."""
        events = {event.id: event for event in self.records.events}
        if _number(text) is not None:
            task = self.task(draft, text)
            if not task.is_course:
                raise ToolRefusal("is_no_course", name=task.name)
            return events[task.source_id]
        ids = self.course_ids(draft)
        courses = [event for event in events.values() if event.kind == "course"]
        return _named(text, [(f"[{ids.get(event.id, '-')}]", event.name, event) for event in courses], "course_unknown")

    @staticmethod
    def stored_tasks(draft: OpenDraft) -> list[Task]:
        """Return the stored tasks of lists that may be taken up again; what came with a calendar has its own time."""
        table = draft.timetable
        return [
            task
            for task in table.tasks.values()
            if task.place.status == "existing" and task.source == "task_item" and not table.locked(task)
        ]

    @staticmethod
    def course_ids(draft: OpenDraft) -> dict[int, int]:
        """Return the state id of every course that has one, by event."""
        return {task.source_id: task.state_id for task in draft.timetable.tasks.values() if task.is_course}


def _number(text: str) -> int | None:
    word = text.strip().removeprefix("[").removesuffix("]")
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 9 else None


def _short(text: str) -> str:
    from steadyhand.domains.schedule.imports.wording import shown

    return shown(text)


def _named(text: str, named: Sequence[tuple[str, str, T]], unknown: str) -> T:
    """Return what *text* names: the one of that name, else the one whose name contains it."""
    word = text.strip().lower()
    exact = [entry for entry in named if entry[1].lower() == word]
    found = exact or [entry for entry in named if word and word in entry[1].lower()]
    if not found:
        raise ToolRefusal(unknown, name=_short(text))
    if len(found) > 1:
        listed = ", ".join(f"{label}{name}" for label, name, _ in found[:6])
        raise ToolRefusal("name_not_certain", name=_short(text), choices=listed, count=len(found))
    return found[0][2]


def days_between(first: date, last: date) -> int:
    """Return how many days a span has, both ends included."""
    return (last - first) // timedelta(days=1) + 1


def window_from(term: Term, first: date, last: date) -> Window:
    """Return the window from one date of the term to another."""
    week, day_of_week = (first - term.first_monday).days // DAYS_IN_WEEK + 1, first.isoweekday()
    return Window(week, day_of_week, days_between(first, last), len(term.scale))
