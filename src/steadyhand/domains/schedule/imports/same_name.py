"""Decides which events of a calendar are one course: those of one name. It must not join what our own export keeps apart.

Many programs write a course as one event per lesson, or as one per weekly time. Its meetings keep their times, their
rooms and their teachers, so that things of one name stay apart where they differ.
"""

from dataclasses import replace

from steadyhand.domains.schedule.imports.events import CalendarEvent, CalendarFile, together
from steadyhand.domains.schedule.imports.lessons import made_uid
from steadyhand.domains.schedule.imports.report import entry
from steadyhand.domains.schedule.imports.wording import shown


def by_name(found: CalendarFile) -> CalendarFile:
    """Return *found* with the events of each name as one, at the place of the first; one of several has an identity by its name."""
    groups: dict[tuple[bool, str], list[CalendarEvent]] = {}
    for event in found.events:
        groups.setdefault((bool(event.kind), event.uid if event.kind else event.name), []).append(event)
    events = tuple(_one(group) for group in groups.values())
    told = [entry("events_joined", g[0].line, name=shown(g[0].name), count=len(g)) for g in groups.values() if len(g) > 1]
    return replace(found, events=events, entries=(*found.entries, *told))


def _one(group: list[CalendarEvent]) -> CalendarEvent:
    one = together(group)
    return replace(one, uid=made_uid(one.name)) if len(group) > 1 else one
