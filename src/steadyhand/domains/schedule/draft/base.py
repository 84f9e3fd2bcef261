"""Decides what a draft stands on, and how that is kept as data. It must not load a timetable or judge a step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.board.loading import Key
from steadyhand.domains.schedule.board.model import Source
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.term.records import Particulars


@dataclass(frozen=True, slots=True)
class Base:
    """What a draft stands on: the timetable as loaded, the state ids given so far, and which event holds an item's rows.

    *outside* are the events that have rows which the loaded timetable does not show: outside the window, or left out. *known* is
    what is known of the tasks' meetings beside their slots, by (event, week, day of week, section); nothing known is left out.
    """

    term: int
    seen: int
    timetable: Timetable
    ids: Mapping[Key, int]
    events: Mapping[int, int]
    outside: frozenset[int]
    known: Mapping[tuple[int, int, int, int], Particulars] = field(default_factory=dict[tuple[int, int, int, int], Particulars])

    def to_json(self) -> Json:
        return {
            "term": self.term,
            "seen": self.seen,
            "timetable": self.timetable.to_json(),
            "ids": [[source, source_id, state_id] for (source, source_id), state_id in self.ids.items()],
            "events": [[item, event] for item, event in self.events.items()],
            "outside": sorted(self.outside),
            "known": [[*cell, one.begins, one.ends, one.location, one.teacher] for cell, one in sorted(self.known.items())],
        }

    @staticmethod
    def from_json(value: Json) -> "Base":
        entry = cast("Mapping[str, Any]", value)
        return Base(
            entry["term"],
            entry["seen"],
            Timetable.from_json(entry["timetable"]),
            {(cast("Source", source), source_id): state_id for source, source_id, state_id in entry["ids"]},
            {item: event for item, event in entry["events"]},  # noqa: C416  # JSON has pairs, not keys that are numbers
            frozenset(entry["outside"]),
            {
                tuple(one[:4]): Particulars(*one[4:]) for one in entry.get("known", ())
            },  # one that an earlier version stored has none
        )
