"""Decides which windows a term gives, and from which of its slots on a window lies ahead; the clock's moment is handed in. It must not know tasks."""

from dataclasses import replace
from datetime import date, datetime, timedelta

from steadyhand.core.clock import Clock, local
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Term
from steadyhand.domains.schedule.term.window import Present, Window


def whole_term(term: Term) -> Window:
    """Return the window that covers every day of the term."""
    return Window(1, 1, term.weeks * DAYS_IN_WEEK, len(term.scale))


def default_window(term: Term, today: date) -> Window:
    """Return the window that a draft gets when nobody names one: the whole term, or from *today* to its end when it lies inside."""
    place = term.week_of(today)
    if place is None:
        return whole_term(term)
    week, day_of_week = place
    return Window(week, day_of_week, (term.weeks - week + 1) * DAYS_IN_WEEK - day_of_week + 1, len(term.scale))


def within(window: Window, term: Term) -> Window:
    """Return what a window is in a term that has other weeks or slots now; one that lies beyond its end becomes the whole term."""
    days = (term.weeks - window.first_week + 1) * DAYS_IN_WEEK - window.first_day_of_week + 1
    if days < 1:
        return whole_term(term)
    return replace(window, total_days=min(window.total_days, days), slots=len(term.scale))


def next_day(term: Term, clock: Clock) -> date:
    """Return the first day whose slots all lie ahead: today before its first slot begins, else tomorrow."""
    now = local(clock.now(), term.zone)
    begins = term.scale_on(now.date()).slots[0][0]
    return now.date() if now.strftime("%H:%M") <= begins else now.date() + timedelta(days=1)


def present_in(window: Window, term: Term, now: datetime) -> Present:
    """Return the first slot of *window* that has not begun at *now*; the slot before day 1 is none, so all may lie ahead."""
    here = local(now, term.zone)
    day = (here.date() - term.date_of(*window.week_of(1))).days + 1
    if day < 1:
        return Present()
    if day > window.total_days:
        return Present(window.total_days + 1)
    begun = sum(begins < here.strftime("%H:%M") for begins, _ in term.scale_on(here.date()).slots[: window.slots])
    return Present(day, begun + 1) if begun < window.slots else Present(day + 1)


def days_to_come(window: Window, term: Term, now: datetime) -> Window | None:
    """Return the part of *window* from today on; None where all of it is over."""
    gone = min(present_in(window, term, now).day, window.total_days + 1) - 1
    if gone == window.total_days:
        return None
    week, day_of_week = window.week_of(gone + 1)
    return Window(week, day_of_week, window.total_days - gone, window.slots)
