"""Decides how a person is asked, at a terminal, which slots a meeting takes that fits none. It must not choose for them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from steadyhand.cli.schedule.inputs import quoted
from steadyhand.cli.terminal.frame import Frame
from steadyhand.cli.terminal.printing import ask, echo
from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.events import CalendarEvent, Meeting
from steadyhand.domains.schedule.imports.incoming import Fitted
from steadyhand.domains.schedule.imports.report import Entry, entry, sentence
from steadyhand.domains.schedule.imports.tables import read_slots
from steadyhand.domains.schedule.term.records import MAX_WEEKS, Term, clock_of
from steadyhand.domains.schedule.term.weeks import read_weeks

_ANSWERABLE = ("time_outside_scale", "no_duration")
_DROP = ("d", "drop", "不要", "丢弃")


def settle(
    frame: Frame, events: Sequence[CalendarEvent], term: Term, fit: Callable[[Sequence[CalendarEvent]], Fitted]
) -> tuple[list[Entry], Fitted]:
    """Fit *events*; at a terminal ask about each meeting that fits no slots. Return what the answers add to the report, and the fit.

    An answer of slots is taken, a drop leaves the meeting out, anything empty keeps the question in the report.
    """
    fitted = fit(events)
    if not frame.at_terminal:
        return [], fitted
    told: list[Entry] = []
    settled = list(events)
    for asked in fitted.entries:
        if asked.code not in _ANSWERABLE:
            continue
        answer = _ask(frame, asked, len(term.scale))
        if answer is None:
            continue
        settled = [_settled(event, asked, answer) for event in settled]
        if answer == ():
            about = {name: asked.params.get(name, "") for name in ("name", "begin")}
            told.append(entry("left_by_person", asked.line, **about))
    return told, fit([event for event in settled if event.meetings]) if settled != list(events) else fitted


def _ask(frame: Frame, asked: Entry, slots: int) -> tuple[int, ...] | None:
    """Return (first, last) slot, () for leaving it out, None for keeping the question."""
    echo(sentence(frame.language, asked))
    while True:
        prompt = frame.say("schedule.import.ask", slots=slots)
        word = ask(prompt).strip().lower()
        if not word:
            return None
        if word in _DROP:
            return ()
        found = read_slots(word)
        if found is not None and found[0] <= found[1] <= slots:
            return found
        echo(frame.say("schedule.bad.slots", value=word))


def ask_weeks(frame: Frame) -> str:
    """Ask for the weeks of a table that says none, until the answer is a list of weeks; nothing said means that nothing is read."""
    while True:
        word = ask(frame.say("schedule.import.ask_weeks")).strip()
        if not word:
            raise ModelCanFix("import_weeks_unsaid")
        try:
            read_weeks(word, MAX_WEEKS)
        except ValueError:
            echo(frame.say("schedule.bad.weeks", value=quoted(word)))
        else:
            return word


def _settled(event: CalendarEvent, asked: Entry, answer: tuple[int, ...]) -> CalendarEvent:
    """Return *event* with the meetings that *asked* is about in the slots of *answer*, at their own clock times, or without them."""
    if event.line != asked.line:
        return event
    meetings: list[Meeting] = []
    for meeting in event.meetings:
        if not _is_about(asked, meeting):
            meetings.append(meeting)
        elif answer:
            meetings.append(replace(meeting, slots=answer))
    return replace(event, meetings=tuple(meetings))


def _is_about(asked: Entry, meeting: Meeting) -> bool:
    begin = clock_of(meeting.start.hour * 60 + meeting.start.minute)
    if asked.code == "no_duration":
        return meeting.end <= meeting.start and asked.params["begin"] == begin
    same_day = meeting.end.date() == meeting.start.date()
    end = clock_of(meeting.end.hour * 60 + meeting.end.minute if same_day else 24 * 60)
    return (asked.params["begin"], asked.params["end"]) == (begin, end)
