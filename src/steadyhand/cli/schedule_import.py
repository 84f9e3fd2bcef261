"""Decides how a file of courses is read, reported and put up for review. It must not write: what it offers goes to the gate."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import click

from steadyhand.cli.acts import direct, nothing_to_change, proposal_of, shown_first
from steadyhand.cli.asking import settle
from steadyhand.cli.desk import Desk
from steadyhand.cli.files import read_bytes
from steadyhand.cli.frame import Command, Frame, option, pass_frame
from steadyhand.cli.inputs import DATE, SCALE, WORDS, ZONE
from steadyhand.cli.reporting import report_json, report_text
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ModelCanFix, ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule import acts
from steadyhand.domains.schedule.calendar_facts import apply_facts, taken_by_weekday
from steadyhand.domains.schedule.imports.calendar import read_calendar_here
from steadyhand.domains.schedule.imports.detecting import kind_of, name_of_calendar, zone_of
from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.fit import TOLERANCE, Kinds, fit
from steadyhand.domains.schedule.imports.incoming import Fitted, Match, match
from steadyhand.domains.schedule.imports.schools.registry import detect, is_foreign
from steadyhand.domains.schedule.imports.tables import read_courses
from steadyhand.domains.schedule.records import DAYS_IN_WEEK, MAX_WEEKS, Records, Term
from steadyhand.domains.schedule.row_writes import RowWrite
from steadyhand.domains.schedule.terms import DEFAULT_WEEKS, Suggestion, Wish, changed_term, is_another, need_room, new_term
from steadyhand.jobs.here import Limits

T = TypeVar("T")


def term_options(function: Callable[..., T]) -> Callable[..., T]:
    """Declare the options that say what a term is."""
    declared = (
        option("--weeks", text="weeks_of_term", type=click.IntRange(1, MAX_WEEKS)),
        option("--zone", text="zone", type=ZONE),
        option("--slots", text="scale", type=SCALE),
        option("--name", text="term_name", type=WORDS),
    )
    for declare in reversed(declared):
        function = declare(function)
    return function


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--term-start", "start", text="term_start", type=DATE)
@term_options
@option("--kind", "kinds", text="kinds", type=click.Choice(["by_weeks", "course", "task"]), default="by_weeks")
@option("--tolerance", text="tolerance", type=click.IntRange(0, 120), default=TOLERANCE)
@pass_frame
def import_file(frame: Frame, file: Path, kinds: Kinds, tolerance: int, **asked: Any) -> None:
    """Read a calendar or a table of courses and put it up for review."""
    reading = _Reading(frame, read_bytes(file), Wish(**asked), kinds, tolerance)
    taken = reading.calendar() if kind_of(reading.data) == "calendar" else reading.table()
    records = reading.stored(taken.term)
    need_room(records, taken.term)
    applied = apply_facts(records, taken.fitted.events)
    paired = match(records, applied.events)
    entries = (*taken.fitted.entries, *applied.entries)
    data: dict[str, Json] = {"term": _term_json(taken.term), "report": report_json(frame, entries)}
    data["events"] = {"added": len(paired.added), "changed": len(paired.changed), "unchanged": len(paired.unchanged)}
    told = "\n\n".join(part for part in (taken.assumed, report_text(frame, entries), _paired(frame, paired)) if part)
    if not taken.fitted.events:
        frame.show(told, data) if not frame.as_json else None
        raise ToolRefusal("nothing_taken", file=click.format_filename(file.name))
    if not (paired.added or paired.changed or applied.facts) and taken.term == reading.current_term:
        nothing_to_change(frame, told, data)
        return
    writes = [*acts.put_term(taken.term, reading.current_term), *acts.import_events(records, paired)]
    writes += acts.held_writes(records, applied)
    shown_first(frame, proposal_of(frame, taken.term.id, writes), told, data)


@click.command(cls=Command)
@click.argument("start", type=DATE, required=False)
@term_options
@pass_frame
def term(frame: Frame, **asked: Any) -> None:
    """Show the current term, or set one."""
    reading = _Reading(frame, b"", Wish(**asked), "by_weeks", TOLERANCE)
    current = reading.current_term
    if reading.wish == Wish():
        shown = Desk(frame).term
        frame.show(_term_text(frame, "term.current", shown), _term_json(shown))
        return
    wanted = reading.term_of(Suggestion(None, DEFAULT_WEEKS, frame.app.user.zone))
    need_room(reading.stored(wanted), wanted)
    if wanted == current:
        nothing_to_change(frame)
        return
    writes: list[RowWrite] = acts.put_term(wanted, current)
    direct(frame, wanted.id, writes)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a file gives in a term; *assumed* says what was assumed where nobody said anything."""

    term: Term
    fitted: Fitted
    assumed: str


class _Reading:
    """One file under reading, with what is stored and what the person said of the term."""

    def __init__(self, frame: Frame, data: bytes, wish: Wish, kinds: Kinds, tolerance: int) -> None:
        self.frame, self.data, self.wish = frame, data, wish
        self._kinds: Kinds = kinds
        self._tolerance = tolerance
        self._current = _current(frame)

    @property
    def current_term(self) -> Term | None:
        return self._current.term if self._current is not None else None

    def term_of(self, suggestion: Suggestion) -> Term:
        """Return the term to import into: the current one as the person wants it, a stored one taken up again, or a new one."""
        if self._current is not None and not is_another(self._current.term, self.wish):
            return changed_term(self._current.term, self.wish)
        made = new_term(self.wish, suggestion)
        named = replace(made, name=made.name or self.frame.say("schedule.term.unnamed", date=made.first_monday.isoformat()))
        before = self._stored_records(named.id)
        return named if before is None else changed_term(before.term, self.wish)

    def _stored_records(self, term: int) -> Records | None:
        app = self.frame.app
        return self.frame.run(app.drafting.records_of(app.user.id, term))

    def stored(self, term: Term) -> Records:
        """Return what the term holds already."""
        return replace(self._stored_records(term.id) or Records(term), term=term)

    def calendar(self) -> _Taken:
        """Read an iCalendar file in a child process, then fit it into the term."""
        if self._current is not None and not is_another(self._current.term, self.wish):
            term = self.term_of(Suggestion(None, 0, ""))
            found = self._read(term.zone, _span(term))
        else:
            zone = self.wish.zone or zone_of(self.data) or self.frame.app.user.zone
            found = self._read(zone, None)
            term = self.term_of(Suggestion(found.first_monday, found.weeks, zone, name_of_calendar(self.data)))
            if (term.first_monday, term.weeks, term.zone) != (found.first_monday, found.weeks, zone):
                found = self._read(term.zone, _span(term))
        stored = self.stored(term)
        settled, fitted = settle(self.frame, found.events, term, lambda events: self._fit(events, term, stored))
        return _Taken(term, Fitted(fitted.events, (*found.entries, *fitted.entries, *settled)), self._assumed(term))

    def _fit(self, events: Iterable[Any], term: Term, stored: Records) -> Fitted:
        offered = tuple(events)
        taken = taken_by_weekday(stored, frozenset(event.uid for event in offered))
        return fit(offered, term, tolerance=self._tolerance, kinds=self._kinds, taken=taken)

    def _read(self, zone: str, span: tuple[date, date] | None) -> CalendarFile:
        settings = self.frame.app.settings
        limits = Limits(memory_mib=settings.job_memory_mib, seconds=settings.job_seconds)
        with _Progress(self.frame) as progress:
            return read_calendar_here(self.data, zone, span, limits=limits, progress=progress.tell)

    def table(self) -> _Taken:
        """Read a table of courses, or what a school's system or an app exported; few of these suggest a term."""
        zone = self.frame.app.user.zone
        reader = detect(self.data)
        if reader is None and is_foreign(self.data):
            raise ModelCanFix("import_kind_unknown")
        read = partial(read_courses, self.data) if reader is None else reader.read
        term = self.term_of(Suggestion(None, DEFAULT_WEEKS, zone) if reader is None else reader.suggestion(zone))
        offered = frozenset(event.uid for event in read(term).events)
        language = self.frame.language
        said = say(language, "school.read", kind=say(language, f"school.kind.{reader.kind}")) if reader else ""
        assumed = "\n".join(part for part in (said, self._assumed(term)) if part)
        return _Taken(term, read(term, taken_by_weekday(self.stored(term), offered)), assumed)

    def _assumed(self, term: Term) -> str:
        """Say what the term is when it is not the one that is stored; it becomes part of the change."""
        if term == self.current_term:
            return ""
        lines = [_term_text(self.frame, "term.assumed", term)]
        if self.wish.start is not None and self.wish.start != term.first_monday:
            start = self.wish.start.isoformat()
            lines.append(self.frame.say("schedule.term.monday", date=start, monday=term.first_monday.isoformat()))
        return "\n".join([*lines, self.frame.say("schedule.term.otherwise")])


def _current(frame: Frame) -> Records | None:
    try:
        return Desk(frame).records
    except ToolRefusal:
        return None


def _span(term: Term) -> tuple[date, date]:
    return term.first_monday, term.date_of(term.weeks, DAYS_IN_WEEK)


def _paired(frame: Frame, paired: Match) -> str:
    counts = {"added": len(paired.added), "changed": len(paired.changed), "unchanged": len(paired.unchanged)}
    return frame.say("schedule.import.paired", **counts, missing=len(paired.missing))


def _term_text(frame: Frame, message: str, term: Term) -> str:
    return frame.say(
        f"schedule.{message}",
        name=term.name,
        first=term.first_monday.isoformat(),
        last=term.date_of(term.weeks, DAYS_IN_WEEK).isoformat(),
        weeks=term.weeks,
        zone=term.zone,
        slots=len(term.scale),
        begin=term.scale.slots[0][0],
        end=term.scale.slots[-1][1],
    )


def _term_json(term: Term) -> Mapping[str, Json]:
    return {
        "name": term.name,
        "first_monday": term.first_monday.isoformat(),
        "weeks": term.weeks,
        "zone": term.zone,
        "slots": [list(slot) for slot in term.scale.slots],
    }


class _Progress:
    """One line on standard error that tells how far the reading is, at a terminal only, and is wiped at the end."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._on = sys.stderr.isatty() and not frame.as_json
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def tell(self, done: int, total: int, note: str) -> None:
        del note
        if self._on:
            text = self._frame.say("schedule.import.progress", percent=100 * done // max(total, 1))
            self._width = max(self._width, 2 * len(text))
            click.echo(f"\r{text}", nl=False, err=True)

    def __exit__(self, *_: object) -> None:
        if self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)
