"""Decides how a file of courses is read, reported and put up for review. It must not write: what it offers goes to the gate."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar, cast

import click

from steadyhand.cli.change.acts import direct, nothing_to_change, proposal_of, shown_first
from steadyhand.cli.schedule.asking import ask_weeks, settle
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import DATE, SCALE, WORDS, ZONE
from steadyhand.cli.schedule.reporting import report_json, report_text
from steadyhand.cli.terminal.files import read_bytes
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.cli.terminal.printing import overwrite
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ModelCanFix, ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts.calendar_facts import apply_facts, taken_by_weekday
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.fit import TOLERANCE, Kinds, fit
from steadyhand.domains.schedule.imports.in_child import read_courses_here
from steadyhand.domains.schedule.imports.incoming import Fitted, Match, match
from steadyhand.domains.schedule.imports.lesson_file import TABLE, LessonFile
from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.rows.writes import RowWrite
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, MAX_WEEKS, Records, Term
from steadyhand.domains.schedule.term.terms import DEFAULT_WEEKS, Suggestion, Wish, changed_term, is_another, need_room, new_term
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
@option("--in-weeks", "unsaid", text="in_weeks", type=WORDS)
@pass_frame
def import_file(frame: Frame, file: Path, kinds: Kinds, tolerance: int, unsaid: str | None, **asked: Any) -> None:
    """Read a calendar or a table of courses and put it up for review."""
    reading = _Reading(frame, read_bytes(file), Wish(**asked), kinds, tolerance, unsaid or "")
    try:
        taken = reading.taken()
    except _Nothing as nothing:
        refuse_nothing(frame, file, nothing.entries)
    records = reading.stored(taken.term)
    need_room(records, taken.term)
    applied = apply_facts(records, taken.fitted.events)
    paired = match(records, applied.events)
    entries = (*taken.fitted.entries, *applied.entries)
    data: dict[str, Json] = {"term": _term_json(taken.term), "report": report_json(frame, entries)}
    data["events"] = {"added": len(paired.added), "changed": len(paired.changed), "unchanged": len(paired.unchanged)}
    told = "\n\n".join(part for part in (taken.assumed, report_text(frame, entries), _paired(frame, paired)) if part)
    if not taken.fitted.events:
        refuse_nothing(frame, file, entries, told, data)
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


class _Nothing(Exception):
    """A file holds nothing that a term could begin with; *entries* say why."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__()
        self.entries = entries


class _Reading:
    """One file under reading, with what is stored and what the person said of the term."""

    def __init__(self, frame: Frame, data: bytes, wish: Wish, kinds: Kinds, tolerance: int, unsaid: str = "") -> None:
        self.frame, self.data, self.wish, self._unsaid = frame, data, wish, unsaid
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
        return self.frame.run(Drafting(app.store).records_of(app.user.id, term))

    def stored(self, term: Term) -> Records:
        """Return what the term holds already."""
        return replace(self._stored_records(term.id) or Records(term), term=term)

    def taken(self) -> _Taken:
        """Read the file in a child process, for the term that is known or else for the one that it suggests, and fit it into that."""
        zone = self.wish.zone or self.frame.app.user.zone
        current = self._current is not None and not is_another(self._current.term, self.wish)
        known = self.term_of(Suggestion(None, 0, "")) if current else None
        found = self._read(known.zone if known else zone, known)
        term = known or self._suggested(found, zone)
        if isinstance(found, CalendarFile):
            if known is None and (term.first_monday, term.weeks, term.zone) != (found.first_monday, found.weeks, found.zone):
                found = cast("CalendarFile", self._read(term.zone, term))
            return self._events(found, term)
        if term.weeks != found.weeks:
            found = cast("LessonFile", self._read(term.zone, term))
        return self._lessons(found, term)

    def _suggested(self, found: CalendarFile | LessonFile, zone: str) -> Term:
        if isinstance(found, LessonFile):
            return self.term_of(found.suggestion(zone))
        if found.first_monday is None and self.wish.start is None:
            raise _Nothing(found.entries)
        return self.term_of(Suggestion(found.first_monday, found.weeks, found.zone, found.name))

    def _events(self, found: CalendarFile, term: Term) -> _Taken:
        stored = self.stored(term)
        settled, fitted = settle(self.frame, found.events, term, lambda events: self._fit(events, term, stored))
        return _Taken(term, Fitted(fitted.events, (*found.entries, *fitted.entries, *settled)), self._assumed(term))

    def _lessons(self, found: LessonFile, term: Term) -> _Taken:
        offered = frozenset(event.uid for event in found.fitted(term).events)
        language = self.frame.language
        said = say(language, "school.read", kind=say(language, f"school.kind.{found.kind}")) if found.kind != TABLE else ""
        assumed = "\n".join(part for part in (said, self._assumed(term)) if part)
        return _Taken(term, found.fitted(term, taken_by_weekday(self.stored(term), offered)), assumed)

    def _fit(self, events: Iterable[Any], term: Term, stored: Records) -> Fitted:
        offered = tuple(events)
        taken = taken_by_weekday(stored, frozenset(event.uid for event in offered))
        return fit(offered, term, tolerance=self._tolerance, kinds=self._kinds, taken=taken)

    def _read(self, zone: str, term: Term | None) -> CalendarFile | LessonFile:
        """Read the file; a table that says no weeks is asked about at a terminal, once."""
        try:
            return self._read_once(zone, term)
        except ModelCanFix as unsaid:
            if unsaid.code != "import_weeks_unsaid" or not self.frame.at_terminal:
                raise
            self._unsaid = ask_weeks(self.frame)
            return self._read_once(zone, term)

    def _read_once(self, zone: str, term: Term | None) -> CalendarFile | LessonFile:
        own_zone = term is None and self.wish.zone is None
        with _Progress(self.frame) as progress:
            return read_courses_here(
                self.data,
                zone,
                term,
                own_zone=own_zone,
                unsaid=self._unsaid,
                limits=limits_of(self.frame),
                progress=progress.tell,
            )

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


def limits_of(frame: Frame) -> Limits:
    """Return what the reading of a foreign file may use."""
    return Limits(memory_mib=frame.app.settings.job_memory_mib, seconds=frame.app.settings.job_seconds)


def refuse_nothing(
    frame: Frame, file: Path, entries: Sequence[Entry], told: str = "", data: Mapping[str, Json] | None = None
) -> NoReturn:
    """Show why nothing of *file* was taken, then refuse; in JSON the report and the error are one document."""
    frame.beside = {**(data or {"report": report_json(frame, entries)}), "change": None}
    if not frame.as_json:
        frame.show(told or report_text(frame, entries), frame.beside)
    raise ToolRefusal("nothing_taken", file=click.format_filename(file.name))


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
            overwrite(text)

    def __exit__(self, *_: object) -> None:
        if self._width:
            overwrite(" " * self._width, wipe=True)
