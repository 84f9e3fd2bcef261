"""Decides how a person reads the difference that a program makes: by event and task, before and after. It must not decide what is written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.rows.forms import section_of, term_of
from steadyhand.domains.schedule.term.records import Row, Term
from steadyhand.domains.schedule.term.sittings import Sitting, Weekly, clock_at, sittings_of, weekly_of
from steadyhand.domains.schedule.term.weeks import write_weeks
from steadyhand.gate.contract import Observation, View
from steadyhand.store.timetable.timetable import Difference

Sign = Literal["+", "-", "~"]

_SHOWN_FIELDS = {
    "schedule_events": ("name", "kind", "can_embed", "rule"),
    "task_items": ("class_id", "content", "duration", "earliest", "deadline", "priority", "position"),
    "task_classes": ("name", "total_slots", "ordered"),
    "terms": ("name", "zone", "first_monday", "weeks", "scale", "seasons", "is_current"),
    "calendar_facts": ("kind", "as_week", "as_day_of_week", "held"),
}

_NEW_FACTS: Mapping[str, tuple[str, ...]] = {
    "schedule_events": ("can_embed",),
    "task_items": ("class_id", "duration", "earliest", "deadline", "priority"),
    "task_classes": ("total_slots", "ordered"),
    "terms": ("first_monday", "weeks", "zone", "scale", "seasons"),
    "calendar_facts": ("as_week", "as_day_of_week"),
}
_NOTHING: tuple[Json, ...] = (None, "", [])
_USUAL = {"can_embed": False, "ordered": True}
"""What goes without saying of something new."""


@dataclass(slots=True)
class _Item:
    """One thing that changes: what it is, its fields and its meetings before and after."""

    what: str
    name: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    gone: list[Row] = field(default_factory=list[Row])
    new: list[Row] = field(default_factory=list[Row])
    left: str = ""
    host: str = ""
    earliest: str = ""
    deadline: str = ""
    over: list[Row] = field(default_factory=list[Row])

    @property
    def sign(self) -> Sign:
        if self.before is None and self.after is not None:
            return "+"
        return "-" if self.after is None and self.before is not None else "~"

    @property
    def fields(self) -> tuple[str, ...]:
        if self.before is None or self.after is None:
            return ()
        return tuple(name for name in _SHOWN_FIELDS.get(self.what, ()) if self.before[name] != self.after[name])

    @property
    def facts(self) -> tuple[str, ...]:
        """The columns that are worth saying of something new."""
        if self.before is not None or self.after is None:
            return ()
        row = self.after
        return tuple(name for name in _NEW_FACTS[self.what] if row[name] not in _NOTHING and row[name] != _USUAL.get(name))


def present(
    differences: Sequence[Difference],
    term: int,
    seen: Observation,
    language: Language,
    over: Iterable[tuple[int, int, int, int]] = (),
) -> View:
    """Return the difference in words and as data: what is added, removed, moved or changed, with its times before and after.

    *over* are the cells (event, week, day of week, section) that come to tasks and have passed: each is marked.
    """
    facts = cast("Mapping[str, Any]", seen.facts)
    items = _items(differences, facts, over)
    writer = _Writer(_Terms(differences, term, facts), _classes(differences, facts), language)
    counts = {sign: sum(item.sign == sign for item in items) for sign in ("+", "-", "~")}
    head = say(language, "schedule.diff.head", added=counts["+"], removed=counts["-"], changed=counts["~"])
    lines = [line for item in items for line in writer.lines(item)]
    payload: Json = {"counts": cast("Json", counts), "items": [_payload(item) for item in items]}
    return View("\n".join([head, *lines]), payload)


def _items(differences: Sequence[Difference], facts: Mapping[str, Any], over: Iterable[tuple[int, int, int, int]]) -> list[_Item]:
    events: dict[int, _Item] = {}
    others: list[_Item] = []
    for diff in differences:
        if diff.table == "schedules":
            continue
        row = cast("Mapping[str, Any]", diff.after or diff.before)
        item = _Item(diff.table, str(row.get("name") or row.get("content")), diff.before, diff.after)
        if diff.table == "schedule_events":
            events[int(row["id"])] = item
        else:
            others.append(item)
    gone, new, left, hosts = _cells(differences)
    tasks = {**facts["items"], **{str(diff.key[0]): diff.after for diff in differences if diff.table == "task_items"}}
    for event in sorted(set(gone) | set(new)):
        if event not in events:
            row = facts["events"][str(event)]
            events[event] = _Item("schedule_events", row["name"], row, row)
        events[event].gone = gone.get(event, [])
        events[event].new = new.get(event, [])
        if left.get(event) != hosts.get(event):
            events[event].left = _host_names(left.get(event, ()), events, facts)
        events[event].host = _host_names(hosts.get(event, ()), events, facts)
        _bounds(events[event], tasks)
        gone_by = {cell[1:] for cell in over if cell[0] == event}
        events[event].over = [row for row in new.get(event, []) if (row.week, row.day_of_week, row.section) in gone_by]
    rank = _rank(_classes(differences, facts))
    return [*sorted(others, key=rank), *(events[event] for event in sorted(events, key=lambda event: _first(events[event])))]


def _bounds(item: _Item, tasks: Mapping[str, Any]) -> None:
    """Give the place of a task the days that the task itself asks for."""
    row = cast("Mapping[str, Any]", item.after or item.before)
    task = cast("Mapping[str, Any]", tasks.get(str(row["item_id"])) or {})
    item.earliest, item.deadline = task.get("earliest") or "", task.get("deadline") or ""


def _classes(differences: Iterable[Difference], facts: Mapping[str, Any]) -> dict[int, str]:
    """Return the names of the categories that tasks are or were in."""
    written = [diff.after or diff.before for diff in differences if diff.table == "task_classes"]
    rows = cast("list[dict[str, Any]]", [*facts["classes"].values(), *written])
    return {row["id"]: row["name"] for row in rows}


def _rank(classes: Mapping[int, str]) -> Callable[[_Item], tuple[int, str, int, str]]:
    """Return what orders terms, categories and tasks for a reader: tasks by category and place in it, never by a drawn number."""

    def rank(item: _Item) -> tuple[int, str, int, str]:
        row = cast("Mapping[str, Any]", item.after or item.before)
        category = classes.get(row["class_id"], "") if item.what == "task_items" else ""
        place = row["week"] * 10 + row["day_of_week"] if item.what == "calendar_facts" else row.get("position", 0)
        return ("terms", "calendar_facts", "task_classes", "task_items").index(item.what), category, place, item.name

    return rank


def _first(item: _Item) -> tuple[tuple[int, int, int], str]:
    rows = [(row.week, row.day_of_week, row.section) for row in (*item.new, *item.gone)]
    return min(rows, default=(0, 0, 0)), item.name


def _host_names(hosts: Iterable[int], events: Mapping[int, _Item], facts: Mapping[str, Any]) -> str:
    names = {events[host].name if host in events else str(facts["events"][str(host)]["name"]) for host in hosts}
    return ", ".join(sorted(names))


_Rows = dict[int, list[Row]]
_Hosts = dict[int, set[int]]


def _cells(differences: Iterable[Difference]) -> tuple[_Rows, _Rows, _Hosts, _Hosts]:
    """Return by event the rows that go and come, and the hosts that they lay and will lie in."""
    gone: _Rows = {}
    new: _Rows = {}
    left: _Hosts = {}
    hosts: _Hosts = {}
    for diff in differences:
        if diff.table != "schedules":
            continue
        event = diff.key[0]
        for row, rows, embedded in ((diff.before, gone, left), (diff.after, new, hosts)):
            if row is not None:
                rows.setdefault(event, []).append(section_of(row))
                if row["host_event_id"] is not None:
                    embedded.setdefault(event, set()).add(cast("int", row["host_event_id"]))
    return gone, new, left, hosts


def _payload(item: _Item) -> Json:
    fields: dict[str, Json] = {}
    if item.before is not None and item.after is not None:
        fields = {name: [item.before[name], item.after[name]] for name in item.fields}
    elif item.after is not None:
        fields = {name: [None, item.after[name]] for name in item.facts}
    return {
        "sign": item.sign,
        "what": item.what,
        "name": item.name,
        "before": [_sitting_json(one) for one in sittings_of(item.gone)],
        "after": [_sitting_json(one) for one in sittings_of(item.new)],
        "over": [_sitting_json(one) for one in sittings_of(item.over)],
        "left": item.left,
        "host": item.host,
        "fields": fields,
    }


def _sitting_json(one: Sitting) -> Json:
    known = one.particulars
    place = (known.begins, known.ends, known.location, known.teacher)
    return [one.week, one.day_of_week, one.first, one.last, *place]


class _Terms:
    """The term as it is and as it will be, so that times before and after are said by the right calendar and clock."""

    def __init__(self, differences: Sequence[Difference], term: int, facts: Mapping[str, Any]) -> None:
        changed = next((diff for diff in differences if diff.table == "terms" and diff.key == (term,)), None)
        now = facts["term"]
        self.after = _term(now if changed is None else changed.after or now)
        self.before = _term(now) or self.after


def _term(row: Mapping[str, Any] | None) -> Term | None:
    return None if row is None else term_of(row)


class _Writer:
    """Words for one difference; a person reads dates and weekdays here, a model never does."""

    def __init__(self, terms: _Terms, classes: Mapping[int, str], language: Language) -> None:
        self._language: Language = language
        self._terms = terms
        self._classes = classes
        self._days = say(language, "schedule.diff.days").split("|")

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"schedule.diff.{message}", **params)

    def lines(self, item: _Item) -> list[str]:
        """Return an item's line, with its times and changed fields below it."""
        kind = cast("Mapping[str, Any]", item.after or item.before or {}).get("kind", "")
        what = self._say(f"what.{item.what}{'.' + kind if kind else ''}")
        name = self._day(item) if item.what == "calendar_facts" else item.name
        head = f"{item.sign} {self._say('item', name=name, what=what)}"
        below = [
            self._say(
                "field",
                label=self._say(f"fields.{name}"),
                before=self._value(item.before, name),
                after=self._value(item.after, name),
            )
            for name in item.fields
        ]
        below += self._facts(item)
        both = item.gone and item.new
        below += [self._say("from" if both else "was", when=when) for when in self._when(item.gone, self._terms.before)]
        below += [self._say("left", name=item.left)] if item.left and item.new else []
        below += [self._say("to" if both else "at", when=when) for when in self._when(item.new, self._terms.after)]
        below += [self._say("by_scale")] if _loses_times(item) else []
        below += [self._say("host", name=item.host)] if item.host else []
        below += self._outside(item)
        return [head, *(f"    {line}" for line in below)]

    def _outside(self, item: _Item) -> list[str]:
        """Say when a task is put where it is over, before its earliest day or after its deadline: a fact that a person must not miss."""
        term = self._terms.after
        days = sorted(term.date_of(row.week, row.day_of_week).isoformat() for row in item.new) if term else []
        late = [self._say("late", deadline=item.deadline)] if days and item.deadline and days[-1] > item.deadline else []
        early = [self._say("early", earliest=item.earliest)] if days and item.earliest and days[0] < item.earliest else []
        over = [self._say("over", when=when) for when in self._when(item.over, term)]
        return over + early + late

    def _facts(self, item: _Item) -> list[str]:
        row = cast("Mapping[str, Any]", item.after)
        return [self._say("fact", label=self._say(f"fields.{name}"), value=self._value(row, name)) for name in item.facts]

    def _value(self, row: Mapping[str, Any] | None, name: str) -> str:
        value: Any = (row or {}).get(name)
        if value is None or value in ("", []):
            return self._say("nothing")
        if isinstance(value, bool):
            return self._say("yes" if value else "no")
        if name == "class_id":
            return self._classes.get(value, "")
        if name == "kind":
            table = "schedule_events" if value in ("course", "task") else "calendar_facts"
            return self._say(f"what.{table}.{value}")
        if name == "as_day_of_week":
            return self._days[int(value) - 1]
        if name == "held":
            return self._say("held", count=len(cast("list[Any]", value)))
        if name == "seasons":
            return self._say("and").join(
                self._say("season", begins=begins, name=label, count=len(slots), first=slots[0][0], last=slots[-1][1])
                for begins, label, slots in cast("list[tuple[str, str, list[list[str]]]]", value)
            )
        if name == "scale":
            slots = cast("list[list[str]]", value)
            return self._say("scale", count=len(slots), first=slots[0][0], last=slots[-1][1])
        return str(value)

    def _day(self, item: _Item) -> str:
        """Say which day a calendar fact is about."""
        row = cast("Mapping[str, Any]", item.after or item.before)
        term = self._terms.after
        date = term.date_of(row["week"], row["day_of_week"]).isoformat() if term is not None else ""
        day = self._days[int(row["day_of_week"]) - 1]
        return self._say("date", date=date, day=day, week=row["week"])

    def _when(self, rows: Sequence[Row], term: Term | None) -> list[str]:
        """Say when: equal times of several weeks together, a single one with its date."""
        listed = sorted(weekly_of(rows), key=lambda one: (one.weeks[0], one.rank()))
        return [self._one_time(term, one) for one in listed]

    def _one_time(self, term: Term | None, one: Weekly) -> str:
        known = one.particulars
        clock = self._clock(term, one)
        clock += "".join(self._say("beside", text=text) for text in (known.location, known.teacher) if text)
        slots = self._say("slot", slot=one.first) if one.first == one.last else self._say("slots", first=one.first, last=one.last)
        day = self._days[one.day_of_week - 1]
        if len(one.weeks) == 1:
            date = term.date_of(one.weeks[0], one.day_of_week).isoformat() if term is not None else ""
            return self._say("once", week=one.weeks[0], day=day, date=date, slots=slots, clock=clock)
        listed = write_weeks(one.weeks, self._say("odd"), self._say("even"))
        return self._say("weekly", weeks=listed, day=day, slots=slots, clock=clock, count=len(one.weeks))

    def _clock(self, term: Term | None, one: Weekly) -> str:
        """Say the clock times; a series that lies in several seasons has those of each."""
        if term is None or one.last > len(term.scale):
            return ""
        slots = (one.first, one.last)
        times = dict.fromkeys(clock_at(term, week, one.day_of_week, slots, one.particulars) for week in one.weeks)
        return self._say("or").join(self._say("clock", start=start, end=end) for start, end in times)


def _loses_times(item: _Item) -> bool:
    """Tell whether a meeting that had clock times of its own now goes by the term's scale."""
    timed = any(row.particulars.clock is not None for row in item.gone)
    return timed and any(row.particulars.clock is None for row in item.new)
