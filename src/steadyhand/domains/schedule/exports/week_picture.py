"""Decides how a week of the timetable is drawn, for a screen or a printed page; it must not choose what stands in the week.

A course has the colours of its name, the same in every week; a task is white with a coloured edge, dashed when it lies in a
course. Days of the weekend are drawn when something stands on them. The clock times are those of the week's first day; where
the time scale changes inside the week, a note says from when.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.exports.runs import rows_of
from steadyhand.domains.schedule.exports.sheet import PALETTE, Box, Drawing, colours_of, width_of, wrapped
from steadyhand.domains.schedule.term.records import CalendarFact, Event, Records
from steadyhand.domains.schedule.term.sittings import Sitting, sittings_of

Paper: TypeAlias = Literal["screen", "a4"]
_SIZES: dict[Paper, tuple[float, float, float, str]] = {"screen": (1280, 905, 1, ""), "a4": (1123, 794, 297 / 1123, "mm")}
"""Width and height of the drawing, and how long one of its units is on paper or screen."""
_WORKDAYS = 5
_INK, _GREY, _RULE, _BREAK, _OFF = "#1f2933", "#556270", "#dfe4ea", "#b8c2cd", "#f3f4f6"
_BREAK_MINUTES, _BREAK_GAP = 45, 9.0
_LEADING, _BOLD = 1.32, 1.07
"""The height of a line in its size, and how much wider bold text is."""
_MARGIN, _TOP, _HEAD, _FOOT, _LABEL = 30.0, 62.0, 46.0, 34.0, 74.0


@dataclass(frozen=True, slots=True)
class _Seat:
    """What stands in a run of sections of a day; *inside* tells a guest of a course, *below* is said under its name."""

    day: int
    first: int
    last: int
    event: Event
    inside: bool
    below: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where columns and sections lie."""

    days: tuple[int, ...]
    left: float
    column: float
    tops: tuple[float, ...]
    slot: float

    def box(self, day: int, first: int, last: int) -> Box:
        at = self.days.index(day)
        top = self.tops[first - 1]
        return Box(self.left + at * self.column, top, self.column, self.tops[last - 1] + self.slot - top)

    @property
    def bottom(self) -> float:
        return self.tops[-1] + self.slot


def draw_week(records: Records, week: int, language: Language, paper: Paper = "screen", zoom: float = 1) -> bytes:
    """Return *week* as SVG, *zoom* times as large as usual."""
    seats = _seats(records, week)
    facts = {fact.day_of_week: fact for fact in records.facts if fact.week == week}
    width, height, length, unit = _SIZES[paper]
    drawing = Drawing(width, height, (f"{width * length * zoom:.0f}{unit}", f"{height * length * zoom:.0f}{unit}"))
    plan = _plan(records, week, seats, set(facts), width, height)
    title = _title(records, week, language)
    drawing.title(title)
    drawing.rectangle(Box(0, 0, width, height), "#ffffff")
    drawing.text((_MARGIN, _MARGIN + 18), title, 22, _INK, bold=True)
    _draw_days(drawing, plan, records, week, facts, language)
    _draw_slots(drawing, plan, records, week)
    colours = colours_of(event.name for event in records.events)
    for seat in sorted(seats, key=lambda seat: (seat.inside, seat.day, seat.first)):
        guests = [_seat_box(plan, one) for one in seats if not seat.inside and _is_guest(one, seat)]
        _draw_seat(drawing, _seat_box(plan, seat), seat, colours[seat.event.name], guests)
    _draw_foot(drawing, plan, records, week, language)
    return drawing.to_svg()


def _seats(records: Records, week: int) -> list[_Seat]:
    events = {event.id: event for event in records.events}
    found: list[_Seat] = []
    for event, rows in rows_of(records, frozenset({week})).items():
        inside = any(row.host_event_id is not None for row in rows)
        found += [
            _Seat(one.day_of_week, one.first, one.last, events[event], inside, _below(one, records)) for one in sittings_of(rows)
        ]
    return found


def _below(one: Sitting, records: Records) -> tuple[str, ...]:
    """Return place, teacher, and the exact clock times where they are other than the scale's beside the slots."""
    known = one.particulars
    scale = records.term.scale_of(one.week, 1).slots
    own = known.clock is not None and known.clock != (scale[one.first - 1][0], scale[one.last - 1][1])
    return tuple(text for text in ("–".join(known.clock) if own and known.clock else "", known.location, known.teacher) if text)


def _title(records: Records, week: int, language: Language) -> str:
    first, last = records.term.date_of(week, 1), records.term.date_of(week, 7)
    named = {"term": records.term.name, "week": week, "first": first.isoformat(), "last": last.isoformat()}
    return say(language, "export.picture.title", **named)


def _plan(records: Records, week: int, seats: list[_Seat], marked: set[int], width: float, height: float) -> _Plan:
    used = {seat.day for seat in seats} | marked
    days = tuple(day for day in range(1, 8) if day <= _WORKDAYS or day in used)
    slots = records.term.scale_of(week, 1).slots
    gaps = [
        index > 0 and _minutes(start) - _minutes(slots[index - 1][1]) >= _BREAK_MINUTES for index, (start, _) in enumerate(slots)
    ]
    top = _TOP + _HEAD
    slot = (height - top - _FOOT - _MARGIN / 2 - _BREAK_GAP * sum(gaps)) / len(slots)
    tops: list[float] = []
    for index, gap in enumerate(gaps):
        tops.append(top if index == 0 else tops[-1] + slot + (_BREAK_GAP if gap else 0))
    left = _MARGIN + _LABEL
    return _Plan(days, left, (width - left - _MARGIN) / len(days), tuple(tops), slot)


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _draw_days(
    drawing: Drawing, plan: _Plan, records: Records, week: int, facts: dict[int, CalendarFact], language: Language
) -> None:
    for index, day in enumerate(plan.days):
        box = Box(plan.left + index * plan.column, _TOP, plan.column, plan.bottom - _TOP)
        fact = facts.get(day)
        if fact is not None and fact.kind == "holiday":
            drawing.rectangle(Box(box.x, plan.tops[0], box.width, plan.bottom - plan.tops[0]), _OFF)
        centre = box.x + box.width / 2
        drawing.text((centre, _TOP + 16), say(language, f"export.day.{day}"), 14, _INK, bold=True, anchor="middle")
        below = f"{records.term.date_of(week, day):%m-%d}"
        if fact is not None:
            below += " · " + _fact_text(fact, language)
        for line in wrapped(below, 11.5, [box.width - 8]):
            drawing.text((centre, _TOP + 34), line, 11.5, _GREY, anchor="middle")
        if index:
            drawing.line((box.x, _TOP + 4), (box.x, plan.bottom), _RULE)


def _fact_text(fact: CalendarFact, language: Language) -> str:
    if fact.as_day is None:
        return say(language, "export.picture.holiday")
    return say(language, "export.picture.works_as", week=fact.as_day[0], day=say(language, f"export.day.{fact.as_day[1]}"))


def _draw_slots(drawing: Drawing, plan: _Plan, records: Records, week: int) -> None:
    right = plan.left + plan.column * len(plan.days)
    for index, (begin, end) in enumerate(records.term.scale_of(week, 1).slots):
        top = plan.tops[index]
        after_break = index > 0 and top - plan.tops[index - 1] > plan.slot + 1
        drawing.line((_MARGIN, top), (right, top), _BREAK if index == 0 or after_break else _RULE)
        if after_break:
            above = plan.tops[index - 1] + plan.slot
            drawing.line((_MARGIN, above), (right, above), _BREAK)
        middle = top + plan.slot / 2
        drawing.text((_MARGIN + 10, middle + 5), str(index + 1), 14, _INK, bold=True, anchor="middle")
        drawing.text((plan.left - 8, middle - 2), begin, 10.5, _GREY, anchor="end")
        drawing.text((plan.left - 8, middle + 11), end, 10.5, _GREY, anchor="end")
    drawing.line((_MARGIN, plan.bottom), (right, plan.bottom), _BREAK)


def _is_guest(one: _Seat, host: _Seat) -> bool:
    return one.inside and one.day == host.day and host.first <= one.first <= host.last


def _seat_box(plan: _Plan, seat: _Seat) -> Box:
    """Return where a seat is drawn: a guest in the right half of its host, so that both can be read."""
    box = plan.box(seat.day, seat.first, seat.last)
    inner = Box(box.x + 3, box.y + 2.5, box.width - 6, box.height - 5)
    if not seat.inside:
        return inner
    return Box(inner.x + inner.width * 0.5, inner.y + 4, inner.width * 0.5 - 4, inner.height - 8)


def _draw_seat(drawing: Drawing, box: Box, seat: _Seat, colours: tuple[str, str], guests: list[Box]) -> None:
    light, dark = colours
    if seat.event.kind == "course":
        drawing.rectangle(box, light, radius=5)
        drawing.rectangle(Box(box.x, box.y, 4, box.height), dark, radius=2)
    else:
        drawing.rectangle(box, "#ffffff", stroke=dark, radius=5, dashed=seat.inside)
    _write(drawing, Box(box.x + 9, box.y + 4, box.width - 14, box.height - 8), seat, dark, guests)


def _write(drawing: Drawing, room: Box, seat: _Seat, ink: str, guests: list[Box]) -> None:
    """Write name, place and teacher into *room*, as many lines as there is height for, beside the guests that lie in it."""
    size, small = (13.0, 11.0) if room.height >= 30 else (11.5, 10.0)
    count = max(1, int((room.height - min(len(seat.below), 2) * small * _LEADING) // (size * _LEADING)))
    y = room.y + size
    widths = [_width_at(room, y + (index + 1) * size * _LEADING - size, guests) / _BOLD for index in range(count)]
    for line in wrapped(seat.event.name, size, widths):
        drawing.text((room.x, y), line, size, ink, bold=True)
        y += size * _LEADING
    for text in seat.below:
        for line in wrapped(text, small, [_width_at(room, y + 4, guests)] * (2 if room.height > 90 else 1)):
            if y - size + small <= room.y + room.height:
                drawing.text((room.x, y), line, small, _GREY)
                y += small * _LEADING


def _width_at(room: Box, y: float, guests: list[Box]) -> float:
    """Return how wide a line that ends at *y* may be."""
    beside = [guest.x - room.x - 6 for guest in guests if guest.y < y + 2 and y - 14 < guest.y + guest.height]
    return min([room.width, *beside])


def _draw_foot(drawing: Drawing, plan: _Plan, records: Records, week: int, language: Language) -> None:
    """Say what the shapes mean, and from when the clock times are others."""
    x, y = plan.left, plan.bottom + 24
    light, dark = PALETTE[0]
    for key, fill, edge, dashed in (
        ("course", light, "", False),
        ("task", "#ffffff", dark, False),
        ("guest", "#ffffff", dark, True),
    ):
        drawing.rectangle(Box(x, y - 11, 20, 14), fill, stroke=edge, radius=3, dashed=dashed)
        if key == "course":
            drawing.rectangle(Box(x, y - 11, 4, 14), dark, radius=2)
        text = say(language, f"export.picture.{key}")
        drawing.text((x + 27, y), text, 11.5, _GREY)
        x += 27 + width_of(text, 11.5) + 26
    later = [
        season for season in records.term.seasons if records.term.week_of(season.begins) in {(week, day) for day in range(2, 8)}
    ]
    right = plan.left + plan.column * len(plan.days)
    for season in later[:1]:
        begin, end = season.scale.slots[0][0], season.scale.slots[-1][1]
        note = say(language, "export.picture.season", date=f"{season.begins:%m-%d}", name=season.scale.name, begin=begin, end=end)
        drawing.text((right, y), note, 11.5, _GREY, anchor="end")
