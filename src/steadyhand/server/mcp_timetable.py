"""Decides how the term, a week and the draft's difference are told to MCP clients, as text and as data. It must not change anything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.model import Block
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.planning import window_json
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, CalendarFact, Event, Records, Row, Term, TimeScale
from steadyhand.domains.schedule.term.sittings import Sitting, sittings_of
from steadyhand.domains.schedule.term.window import Window

Told: TypeAlias = tuple[str, Json]
"""A text, and the same as data."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One meeting of one event."""

    sitting: Sitting
    event: Event
    host: str


class Teller:
    """Tells of one person's timetable in their language."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"server.mcp.{message}", **params)

    def term(self, records: Records, draft: OpenDraft) -> Told:
        """Tell of the term: its weeks, its slots, its days that go by another rule, and the planning window."""
        term = records.term
        last = term.date_of(term.weeks, DAYS_IN_WEEK).isoformat()
        lines = [
            self._say(
                "term.head", name=term.name, first=term.first_monday.isoformat(), last=last, weeks=term.weeks, zone=term.zone
            )
        ]
        lines += [
            self._say("term.slot", n=number, begin=begin, end=end) for number, (begin, end) in enumerate(term.scale.slots, 1)
        ]
        lines += [
            self._say("term.season", date=one.begins.isoformat(), name=one.scale.name, slots=_written(one.scale))
            for one in term.seasons
        ]
        lines += [f"{self._day(term, fact.day)}: {self._fact(term, fact)}" for fact in records.facts]
        lines.append(self._window(draft))
        data: Json = {
            "name": term.name,
            "zone": term.zone,
            "first_monday": term.first_monday.isoformat(),
            "weeks": term.weeks,
            "slots": [[begin, end] for begin, end in term.scale.slots],
            "seasons": [
                {
                    "begins": one.begins.isoformat(),
                    "name": one.scale.name,
                    "slots": [[begin, end] for begin, end in one.scale.slots],
                }
                for one in term.seasons
            ],
            "facts": [_fact_data(term, fact) for fact in records.facts],
            "window": window_json(draft.window) if draft.row.revision else None,
        }
        return "\n".join(lines), data

    def week(self, records: Records, draft: OpenDraft, week: int) -> Told:
        """Tell what is stored for a week of the term, with the day indexes of the planning window."""
        term = records.term
        facts = {fact.day: fact for fact in records.facts}
        lines = [
            self._say(
                "week.head",
                name=term.name,
                week=week,
                weeks=term.weeks,
                first=term.date_of(week, 1).isoformat(),
                last=term.date_of(week, DAYS_IN_WEEK).isoformat(),
            )
        ]
        days: list[Json] = []
        for day_of_week in range(1, DAYS_IN_WEEK + 1):
            day, fact = (week, day_of_week), facts.get((week, day_of_week))
            entries, index = _entries(records, day), draft.window.day_of(*day) if draft.row.revision else None
            head = self._day(term, day) if index is None else self._say("week.indexed", day=self._day(term, day), index=index)
            lines.append(head if fact is None else f"{head}: {self._fact(term, fact)}")
            lines += [self._entry(term, one) for one in entries] or [self._say("week.free")]
            days.append(
                {
                    "date": term.date_of(*day).isoformat(),
                    "day_of_week": day_of_week,
                    "day": index,
                    "fact": None if fact is None else _fact_data(term, fact),
                    "entries": [_entry_data(term, one) for one in entries],
                }
            )
        if draft.changed:
            lines.append(self._say("week.drafted", count=len(draft.changed)))
        return "\n".join(lines), {"term": term.name, "week": week, "days": days, "drafted": len(draft.changed)}

    def draft(self, draft: OpenDraft) -> Told:
        """Tell what the draft would change, and what it leaves without a place."""
        tasks = draft.timetable.tasks
        lines = [self._window(draft), self._say("draft.head", count=len(draft.changed), pending=draft.timetable.pending)]
        lines += [
            self._say(
                "draft.row",
                task=f"[{one.state_id}]{tasks[one.state_id].name}",
                before=self._places(draft, one.before.slots),
                after=self._places(draft, one.after.slots),
            )
            for one in draft.changed
        ]
        data: Json = {
            "open": bool(draft.row.revision),
            "revision": draft.row.revision,
            "window": window_json(draft.window),
            "pending": draft.timetable.pending,
            "changed": [
                {
                    "task_id": one.state_id,
                    "name": tasks[one.state_id].name,
                    "before": _places_data(draft, one.before.slots),
                    "after": _places_data(draft, one.after.slots),
                }
                for one in draft.changed
            ],
        }
        return "\n".join(lines), data

    def _window(self, draft: OpenDraft) -> str:
        if not draft.row.revision:
            return self._say("draft.closed")
        first, last = (_date(draft.term, draft.window, day) for day in (1, draft.window.total_days))
        return self._say("draft.window", first=first, last=last, days=draft.window.total_days)

    def _places(self, draft: OpenDraft, blocks: Iterable[Block]) -> str:
        return "; ".join(self._place(draft, block) for block in blocks) or self._say("draft.waiting")

    def _place(self, draft: OpenDraft, block: Block) -> str:
        day = draft.window.week_of(block.day)
        begin, end = _times(draft.term, day, block.start, block.end)
        slots = _run(block.start, block.end)
        return self._say("draft.at", index=block.day, day=self._day(draft.term, day), slots=slots, begin=begin, end=end)

    def _entry(self, term: Term, one: _Entry) -> str:
        begin, end = one.sitting.clock_in(term)
        known = one.sitting.particulars
        parts = [say(self._language, f"export.kind.{one.event.kind}")]
        parts += [text for text in (known.location, known.teacher) if text]
        if one.host:
            parts.append(self._say("week.inside", host=one.host))
        about = ", ".join(parts)
        slots = _run(one.sitting.first, one.sitting.last)
        return self._say("week.row", slots=slots, begin=begin, end=end, name=one.event.name, about=about)

    def _day(self, term: Term, day: tuple[int, int]) -> str:
        weekday = say(self._language, f"export.day.{day[1]}")
        return self._say("week.day", weekday=weekday, date=term.date_of(*day).isoformat(), week=day[0])

    def _fact(self, term: Term, fact: CalendarFact) -> str:
        return self._say("week.holiday") if fact.as_day is None else self._say("week.works_as", day=self._day(term, fact.as_day))


def _entries(records: Records, day: tuple[int, int]) -> list[_Entry]:
    events = {event.id: event for event in records.events}
    rows: dict[tuple[int, int | None], list[Row]] = {}
    for row in records.rows:
        if (row.week, row.day_of_week) == day:
            rows.setdefault((row.event_id, row.host_event_id), []).append(row)
    found = [
        _Entry(sitting, events[event], "" if host is None else events[host].name)
        for (event, host), held in rows.items()
        for sitting in sittings_of(held)
    ]
    return sorted(found, key=lambda one: (one.sitting.first, bool(one.host), one.sitting.last, one.event.id))


def _entry_data(term: Term, one: _Entry) -> Mapping[str, Json]:
    begin, end = one.sitting.clock_in(term)
    known = one.sitting.particulars
    return {
        "slots": [one.sitting.first, one.sitting.last],
        "begin": begin,
        "end": end,
        "name": one.event.name,
        "kind": one.event.kind,
        "location": known.location,
        "teacher": known.teacher,
        "exact_times": known.clock is not None,
        "embedded_in": one.host or None,
    }


def _fact_data(term: Term, fact: CalendarFact) -> Mapping[str, Json]:
    other = None if fact.as_day is None else term.date_of(*fact.as_day).isoformat()
    return {"date": term.date_of(*fact.day).isoformat(), "kind": fact.kind, "as": other}


def _places_data(draft: OpenDraft, blocks: Sequence[Block]) -> list[Json]:
    return [
        {"date": _date(draft.term, draft.window, block.day), "day": block.day, "slots": [block.start, block.end]}
        for block in blocks
    ]


def _date(term: Term, window: Window, day: int) -> str:
    return term.date_of(*window.week_of(day)).isoformat()


def _times(term: Term, day: tuple[int, int], first: int, last: int) -> tuple[str, str]:
    slots = term.scale_of(*day).slots
    return slots[first - 1][0], slots[last - 1][1]


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _written(scale: TimeScale) -> str:
    return ", ".join(f"{begin}-{end}" for begin, end in scale.slots)
