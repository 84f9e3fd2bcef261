"""Decides how an agent shows a person a week of the timetable, with the draft laid over it. It must not tell the agent a date."""

from datetime import date
from typing import Any

from steadyhand.core.clock import Clock, local
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.planning import Planning
from steadyhand.domains.schedule.draft.week_view import days_of, week_view
from steadyhand.domains.schedule.replies.checks import need_day, refusal
from steadyhand.domains.schedule.replies.reply import Refused
from steadyhand.domains.schedule.term.records import Term
from steadyhand.domains.schedule.tools.arguments import Index
from steadyhand.domains.schedule.tools.turn_tools import result_of
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult


class ShowWeek(Arguments):
    """The day whose week is shown; the current week without one."""

    day: Index | None = None


def showing_tools(planning: Planning) -> tuple[Tool[Any], ...]:
    """Return the tools that show the timetable to a person."""
    return (_show_week(planning),)


def _show_week(planning: Planning) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ShowWeek) -> ToolResult:
        draft = await planning.look(context)
        day, language = arguments.day, context.language
        if day is not None:
            try:
                need_day(draft.timetable, day)
            except Refused as refused:
                return result_of(refusal("fail_query", refused), language)
        records = await planning.drafting.records(context.user)
        week = None if day is None else draft.window.week_of(day)[0]
        view = week_view(records, draft, week, today=_today(draft.term, context.clock), language=language)
        told = say(language, "schedule.week.shown", days=_days(draft, view.week, language))
        return ToolResult(told, view.text(), data={"view": view.to_json()})

    return Tool("show_week", "read", ShowWeek, body)


def _today(term: Term, clock: Clock) -> date:
    return local(clock.now(), term.zone).date()


def _days(draft: OpenDraft, week: int, language: Language) -> str:
    """Say which days of the window a week has, by their indexes; a week outside of it has none."""
    found = [day for one in days_of(week) if (day := draft.window.day_of(*one)) is not None]
    if not found:
        return say(language, "schedule.week.no_days")
    return say(language, "schedule.week.days", first=found[0], last=found[-1])
