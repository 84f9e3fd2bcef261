"""Decides how a person reads the difference that a program makes: by event and task, before and after. It must not decide what is written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.imports.weeks import write_weeks
from steadyhand.domains.schedule.row_forms import term_of
from steadyhand.gate.contract import Observation, View
from steadyhand.store.timetable import Difference

Sign = Literal["+", "-", "~"]
Run = tuple[int, int, int, int]
"""A run of sections: week, day of week, first and last section."""

_SHOWN_FIELDS = {
    "schedule_events": ("name", "kind", "can_embed", "location", "teacher"),
    "task_items": ("content", "duration", "earliest", "deadline", "priority", "position"),
    "task_classes": ("name", "total_slots", "ordered"),
    "terms": ("name", "zone", "first_monday", "weeks", "scale", "is_current"),
}


@dataclass(slots=True)
class _Item:
    """One thing that changes: what it is, its fields and its runs before and after."""

    what: str
    name: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    gone: list[Run] = field(default_factory=list[Run])
    new: list[Run] = field(default_factory=list[Run])
    host: str = ""

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


def present(differences: Sequence[Difference], seen: Observation, language: Language) -> View:
    """Return the difference in words and as data: what is added, removed, moved or changed, with its times before and after."""
    facts = cast("Mapping[str, Any]", seen.facts)
    items = _items(differences, facts)
    writer = _Writer(facts, differences, language)
    counts = {sign: sum(item.sign == sign for item in items) for sign in ("+", "-", "~")}
    head = say(language, "schedule.diff.head", added=counts["+"], removed=counts["-"], changed=counts["~"])
    lines = [line for item in items for line in writer.lines(item)]
    payload: Json = {"counts": cast("Json", counts), "items": [_payload(item) for item in items]}
    return View("\n".join([head, *lines]), payload)


def _items(differences: Sequence[Difference], facts: Mapping[str, Any]) -> list[_Item]:
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
    gone, new, hosts = _cells(differences)
    for event in sorted(set(gone) | set(new)):
        if event not in events:
            row = facts["events"][str(event)]
            events[event] = _Item("schedule_events", row["name"], row, row)
        events[event].gone = runs_of(gone.get(event, set()))
        events[event].new = runs_of(new.get(event, set()))
        events[event].host = _host_name(hosts.get(event), events, facts)
    rank = _rank(others, facts)
    return [*sorted(others, key=rank), *(events[event] for event in sorted(events, key=lambda event: _first(events[event])))]


def _rank(others: Iterable[_Item], facts: Mapping[str, Any]) -> Callable[[_Item], tuple[int, str, int, str]]:
    """Return what orders terms, categories and tasks for a reader: tasks by category and place in it, never by a drawn number."""
    classes = {
        row["id"]: row["name"] for name, row in facts["rows"].items() if name.startswith("task_classes:") and row is not None
    }
    classes |= {(item.after or item.before or {})["id"]: item.name for item in others if item.what == "task_classes"}

    def rank(item: _Item) -> tuple[int, str, int, str]:
        row = cast("Mapping[str, Any]", item.after or item.before)
        category = str(classes.get(row.get("class_id"), "")) if item.what == "task_items" else ""
        return ("terms", "task_classes", "task_items").index(item.what), category, row.get("position", 0), item.name

    return rank


def _first(item: _Item) -> tuple[Run, str]:
    return min([*item.new, *item.gone], default=(0, 0, 0, 0)), item.name


def _host_name(host: int | None, events: Mapping[int, _Item], facts: Mapping[str, Any]) -> str:
    if host is None:
        return ""
    return events[host].name if host in events else str(facts["events"][str(host)]["name"])


def _cells(differences: Iterable[Difference]) -> tuple[dict[int, set[Run]], dict[int, set[Run]], dict[int, int]]:
    gone: dict[int, set[Run]] = {}
    new: dict[int, set[Run]] = {}
    hosts: dict[int, int] = {}
    for diff in differences:
        if diff.table != "schedules":
            continue
        event, week, day_of_week, section = diff.key
        if diff.before is not None:
            gone.setdefault(event, set()).add((week, day_of_week, section, section))
        if diff.after is not None:
            new.setdefault(event, set()).add((week, day_of_week, section, section))
            if diff.after["host_event_id"] is not None:
                hosts[event] = cast("int", diff.after["host_event_id"])
    return gone, new, hosts


def runs_of(cells: Iterable[Run]) -> list[Run]:
    """Join sections that follow one another on the same day."""
    runs: list[Run] = []
    for week, day_of_week, first, last in sorted(cells):
        if runs and runs[-1][:2] == (week, day_of_week) and runs[-1][3] == first - 1:
            runs[-1] = (week, day_of_week, runs[-1][2], last)
        else:
            runs.append((week, day_of_week, first, last))
    return runs


def _payload(item: _Item) -> Json:
    fields: dict[str, Json] = {}
    if item.before is not None and item.after is not None:
        fields = {name: [item.before[name], item.after[name]] for name in item.fields}
    return {
        "sign": item.sign,
        "what": item.what,
        "name": item.name,
        "before": [list(run) for run in item.gone],
        "after": [list(run) for run in item.new],
        "host": item.host,
        "fields": fields,
    }


class _Writer:
    """Words for one difference; a person reads dates and weekdays here, a model never does."""

    def __init__(self, facts: Mapping[str, Any], differences: Sequence[Difference], language: Language) -> None:
        self._language: Language = language
        rows = [diff.after or diff.before for diff in differences if diff.table == "terms"]
        row = facts["term"] or next(iter(rows), None)
        self._term = None if row is None else term_of(row)
        self._days = say(language, "schedule.diff.days").split("|")

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"schedule.diff.{message}", **params)

    def lines(self, item: _Item) -> list[str]:
        """Return an item's line, with its times and changed fields below it."""
        kind = cast("Mapping[str, Any]", item.after or item.before or {}).get("kind", "")
        what = self._say(f"what.{item.what}{'.' + kind if kind else ''}")
        head = f"{item.sign} {self._say('item', name=item.name, what=what)}"
        below = [
            self._say(
                "field",
                label=self._say(f"fields.{name}"),
                before=self._value(item.before, name),
                after=self._value(item.after, name),
            )
            for name in item.fields
        ]
        if item.sign == "+" and item.what in ("task_items", "terms"):
            below += self._facts(item)
        if item.gone and item.new:
            below += [self._say("from", when=when) for when in self._when(item.gone)]
            below += [self._say("to", when=when) for when in self._when(item.new)]
        else:
            below += [self._say("was", when=when) for when in self._when(item.gone)]
            below += [self._say("at", when=when) for when in self._when(item.new)]
        if item.host:
            below.append(self._say("host", name=item.host))
        return [head, *(f"    {line}" for line in below)]

    def _facts(self, item: _Item) -> list[str]:
        shown = (
            ("duration", "earliest", "deadline", "priority")
            if item.what == "task_items"
            else ("first_monday", "weeks", "zone", "scale")
        )
        row = cast("Mapping[str, Any]", item.after)
        given = [(name, row[name]) for name in shown if row[name] is not None]
        return [self._say("fact", label=self._say(f"fields.{name}"), value=self._value(row, name)) for name, _ in given]

    def _value(self, row: Mapping[str, Any] | None, name: str) -> str:
        value: Any = (row or {}).get(name)
        if value is None or value == "":
            return self._say("nothing")
        if isinstance(value, bool):
            return self._say("yes" if value else "no")
        if name == "kind":
            return self._say(f"what.schedule_events.{value}")
        if name == "scale":
            slots = cast("list[list[str]]", value)
            return self._say("scale", count=len(slots), first=slots[0][0], last=slots[-1][1])
        return str(value)

    def _when(self, runs: Sequence[Run]) -> list[str]:
        """Say when: equal times of several weeks together, a single one with its date."""
        weekly: dict[tuple[int, int, int], list[int]] = {}
        for week, day_of_week, first, last in runs:
            weekly.setdefault((day_of_week, first, last), []).append(week)
        return [self._one_time(weeks, *at) for at, weeks in sorted(weekly.items(), key=lambda entry: (min(entry[1]), entry[0]))]

    def _one_time(self, weeks: Sequence[int], day_of_week: int, first: int, last: int) -> str:
        clock = ""
        if self._term is not None and last <= len(self._term.scale):
            clock = self._say("clock", start=self._term.scale.slots[first - 1][0], end=self._term.scale.slots[last - 1][1])
        slots = self._say("slot", slot=first) if first == last else self._say("slots", first=first, last=last)
        day = self._days[day_of_week - 1]
        if len(weeks) == 1:
            date = self._term.date_of(weeks[0], day_of_week).isoformat() if self._term is not None else ""
            return self._say("once", week=weeks[0], day=day, date=date, slots=slots, clock=clock)
        listed = write_weeks(weeks, self._say("odd"), self._say("even"))
        return self._say("weekly", weeks=listed, day=day, slots=slots, clock=clock, count=len(weeks))
