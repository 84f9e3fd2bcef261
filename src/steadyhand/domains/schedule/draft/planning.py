"""Decides in which window an agent's session reads and writes the draft, and asks the person before its first write. It must not guess one.

A window moves on with the days: what a session has confirmed is, later, the part of it from today on, and that is said. The day indexes of
a draft that holds changes stay, and the present bounds it. What a session has read is remembered here, so that a write by an index that means something else by now is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.loading import Key
from steadyhand.domains.schedule.draft.drafting import Drafting, OpenDraft
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.term.windows import days_to_come, default_window, next_day, whole_term
from steadyhand.domains.schedule.time_words.resolve import resolve_time
from steadyhand.memory.working import Working
from steadyhand.tools.base import ToolContext
from steadyhand.tools.ports import Option, Question
from steadyhand.tools.result import ToolResult, error_result

KIND = "schedule.window"
MOST_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a session has read: the window that its day indexes count in, and the tasks that its state ids name."""

    window: Window
    ids: Mapping[Key, int]


class Planning:
    """The draft as the sessions of agents stand to it."""

    def __init__(self, drafting: Drafting, working: Working) -> None:
        self.drafting = drafting
        self._working = working
        self._seen: dict[tuple[UserId, SessionId], _Seen] = {}

    async def look(self, context: ToolContext) -> OpenDraft:
        """Return the draft as this session reads it, and note that it has."""
        draft = await self._draft(context)
        if len(self._seen) >= MOST_SESSIONS:
            self._seen.clear()
        self._seen[context.user, context.session] = _Seen(draft.window, draft.base.ids)
        return draft

    async def _draft(self, context: ToolContext) -> OpenDraft:
        draft = await self.drafting.look(context.user)
        now, term = context.clock.now(), draft.term
        window = draft.window if draft.row.revision else await self._confirmed(context, term)
        ahead = None if window is None else days_to_come(window, term, now)
        if draft.row.revision and (draft.changed or (ahead and (draft.row.head or draft.redo))):
            return draft  # its steps count in its own days
        return await self.drafting.look(context.user, ahead or default_window(term, next_day(term, context.clock)))

    async def _confirmed(self, context: ToolContext, term: Term) -> Window | None:
        held = (await self._working.held(context.user, context.session)).get(KIND)
        window = None if held is None else window_of(held)
        return window if window is not None and _lies_in(window, term) else None

    async def moved_on(self, context: ToolContext, draft: OpenDraft) -> str:
        """Say that days of the window which this session has confirmed are over, once for each time that some are; else nothing."""
        confirmed = await self._confirmed(context, draft.term)
        ahead = None if confirmed is None else days_to_come(confirmed, draft.term, context.clock.now())
        if ahead is None or ahead == confirmed:
            return ""
        await self._working.hold(context.user, context.session, KIND, window_json(ahead), keep=True)
        first, last = (_date(draft.term.date_of(*ahead.week_of(day)), context.language) for day in (1, ahead.total_days))
        return say(context.language, "schedule.planning.moved_on", first=first, last=last, days=ahead.total_days)

    async def may_write(self, context: ToolContext) -> OpenDraft | ToolResult:
        """Return the draft that this session may write to, or the result of a call that may not: the person is asked first."""
        draft = await self._draft(context)
        term, now = draft.term, context.clock.now()
        open_days = days_to_come(draft.window, term, now)
        if open_days is None:
            reason = "draft_over" if draft.changed else "term_over"
            return error_result(
                say(context.language, f"schedule.planning.{reason}"), code="out_of_range", data={"reason": reason}
            )
        confirmed = await self._confirmed(context, term)
        if confirmed is None or days_to_come(confirmed, term, now) != open_days:
            return await self._ask(context, draft)
        seen = self._seen.get((context.user, context.session))
        ids = draft.base.ids
        if seen is None or seen.window != draft.window or any(ids.get(key) != number for key, number in seen.ids.items()):
            return error_result(say(context.language, "schedule.planning.look_again"), code="look_again")
        return draft

    async def _ask(self, context: ToolContext, draft: OpenDraft) -> ToolResult:
        if context.ports.questions is None:
            return error_result(say(context.language, "schedule.planning.nobody_to_ask"), code="window_unconfirmed")
        options = _options(draft, context.clock, context.language)
        lines = [f"{number}. {option.label}" for number, option in enumerate(options, 1)]
        text = "\n".join([say(context.language, "schedule.planning.question"), *lines])
        data = {"language": context.language, "yes_is_first": True}
        await context.ports.questions.park(Question(KIND, text, options, data, context.said))
        told = say(context.language, "schedule.planning.asked")
        return ToolResult(told, text, code="window_asked", ends_turn=True)

    async def read(self, user: UserId, session: SessionId, question: Question, chosen: Json, text: str) -> Json:
        """Read an answer to the question for the window: one of its options, or days in words. See `session.questions.AnswerReader`."""
        try:
            draft = await self.drafting.look(user)
        except ToolRefusal:  # the term is gone meanwhile
            return None
        language = cast("Language", (question.data or {}).get("language", "en"))
        window = window_of(chosen) if chosen is not None else _in_words(text, draft.term, self.drafting.clock, language)
        if window is None or not _lies_in(window, draft.term):
            return None
        now = self.drafting.clock.now()
        window = days_to_come(window, draft.term, now)  # what was offered on another day may be over in part by now
        if window is None:
            return None
        same = draft.row.revision and window == days_to_come(draft.window, draft.term, now)
        try:
            await self.drafting.open(user, draft.window if same else window)
        except ToolRefusal:  # the open draft holds changes: its window stays, and the question too
            return None
        await self._working.hold(user, session, KIND, window_json(window), keep=True)
        return window_json(window)


def window_json(window: Window) -> Mapping[str, Json]:
    """Return a window as data."""
    return {
        "first_week": window.first_week,
        "first_day_of_week": window.first_day_of_week,
        "total_days": window.total_days,
        "slots": window.slots,
    }


def window_of(value: Json) -> Window:
    """Read what `window_json` wrote."""
    entry = cast("Mapping[str, int]", value)
    return Window(entry["first_week"], entry["first_day_of_week"], entry["total_days"], entry["slots"])


def _lies_in(window: Window, term: Term) -> bool:
    days = (term.weeks - window.first_week + 1) * DAYS_IN_WEEK - window.first_day_of_week + 1
    return window.first_week >= 1 and window.total_days <= days and window.slots == len(term.scale)


def _options(draft: OpenDraft, clock: Clock, language: Language) -> list[Option]:
    """Return the windows to choose from, the likeliest first; a draft that holds changes keeps its own."""
    term = draft.term
    as_it_is = days_to_come(draft.window, term, clock.now())
    if draft.row.revision and draft.changed and as_it_is is not None:
        return [_option(term, as_it_is, "as_it_is", language)]
    start = next_day(term, clock)
    found: list[tuple[str, Window | None]] = [("as_it_is", as_it_is)] if draft.row.revision else []
    found.append(("rest_of_term", default_window(term, start)))
    monday = start + timedelta(days=DAYS_IN_WEEK + 1 - start.isoweekday())
    found += [
        ("this_week", _between(term, start, monday - timedelta(days=1))),
        ("next_week", _between(term, monday, monday + timedelta(days=DAYS_IN_WEEK - 1))),
    ]
    distinct = {window: name for name, window in reversed(found) if window is not None}
    return [_option(term, window, name, language) for name, window in found if window is not None and distinct[window] == name]


def _between(term: Term, first: date, last: date) -> Window | None:
    place = term.week_of(first)
    if place is None:
        return None
    end = term.date_of(term.weeks, DAYS_IN_WEEK)
    return Window(*place, (min(last, end) - first).days + 1, len(term.scale))


def _option(term: Term, window: Window, name: str, language: Language) -> Option:
    first, last = (term.date_of(*window.week_of(day)) for day in (1, window.total_days))
    label = say(
        language,
        f"schedule.planning.{name}",
        first=_date(first, language),
        last=_date(last, language),
        days=window.total_days,
    )
    return Option(label, window_json(window))


def _date(day: date, language: Language) -> str:
    return f"{day.isoformat()} {say(language, f'export.day.{day.isoweekday()}')}"


def _in_words(text: str, term: Term, clock: Clock, language: Language) -> Window | None:
    """Read days in words as a window from the first to the last of them; None when they are not certain."""
    answer = resolve_time(text, window=whole_term(term), term=term, now=clock.now(), language=language)
    if answer.code != "ok":
        return None
    days = [span.day for span in answer.candidates]
    week, day_of_week = whole_term(term).week_of(min(days))
    return Window(week, day_of_week, max(days) - min(days) + 1, len(term.scale))
