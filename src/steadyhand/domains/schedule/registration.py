"""The timetable as the house knows it: its draft, its tools and phrases, what a turn is told of the term. It holds no rule of the timetable."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language, say
from steadyhand.domains.registration import Facts, Home, Installed, Registration, UnderReview

if TYPE_CHECKING:
    from steadyhand.domains.schedule.draft.drafting import Drafting
    from steadyhand.domains.schedule.draft.planning import Planning
    from steadyhand.gate.claims import Assertion
    from steadyhand.gate.contract import DomainModule
    from steadyhand.gate.controller import Controller
    from steadyhand.llm.rules.book import PhraseBook
    from steadyhand.tools.base import Tool
    from steadyhand.tools.ports import AnswerReader

NAME = "schedule"


class _Timetable:
    """The timetables of an installation; each part is made when it is first asked for."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._planning: Planning | None = None

    def module(self) -> "DomainModule":
        from steadyhand.domains.schedule.module import ScheduleDomain  # noqa: PLC0415  # see the record's docstring

        return ScheduleDomain(self._home.store)

    def planning(self) -> "Planning":
        """The draft as sessions of agents stand to it: one for all, since it knows what each has read."""
        from steadyhand.domains.schedule.draft.drafting import Drafting  # noqa: PLC0415  # as above
        from steadyhand.domains.schedule.draft.planning import Planning  # noqa: PLC0415  # as above

        if self._planning is None:
            self._planning = Planning(Drafting(self._home.store), self._home.working)
        return self._planning

    def tools(self, controller: "Controller", under_review: UnderReview) -> "Sequence[Tool[Any]]":
        from steadyhand.domains.schedule.tools.proposing import propose_tool  # noqa: PLC0415  # as above
        from steadyhand.domains.schedule.tools.showing import showing_tools  # noqa: PLC0415  # as above
        from steadyhand.domains.schedule.tools.turn_tools import schedule_tools  # noqa: PLC0415  # as above

        planning = self.planning()
        propose = propose_tool(controller, planning.drafting, under_review)
        return (*schedule_tools(planning), *showing_tools(planning), propose)

    def readers(self) -> "Mapping[str, AnswerReader]":
        from steadyhand.domains.schedule.draft.planning import KIND  # noqa: PLC0415  # as above

        return {KIND: self.planning()}

    async def facts(self, user: UserId) -> Mapping[str, Json]:
        return await facts_of(self.planning().drafting, user)


async def facts_of(drafting: "Drafting", user: UserId) -> Mapping[str, Json]:
    """Return the term, the window of the draft that is open, and how much is drafted and pending; None where there is no term."""
    from steadyhand.domains.schedule.draft.planning import window_json  # noqa: PLC0415  # as above

    try:
        draft = await drafting.look(user)
    except ToolRefusal:
        return {"term": None, "window": None}
    term = draft.term
    return {
        "term": {
            "name": term.name,
            "first_monday": term.first_monday.isoformat(),
            "weeks": term.weeks,
            "scale": [[begin, end] for begin, end in term.scale.slots],
            "zone": term.zone,
        },
        "window": window_json(draft.window) if draft.row.revision else None,
        "draft_changes": len(draft.changed),
        "pending": draft.timetable.pending,
    }


def _install(home: Home) -> Installed:
    timetable = _Timetable(home)
    facts: Facts = timetable.facts
    return Installed(timetable.module, timetable.tools, facts, readers=timetable.readers)


def _phrases() -> "Sequence[PhraseBook]":
    from steadyhand.domains.schedule.phrases import schedule_phrases  # noqa: PLC0415  # as above

    return schedule_phrases()


def _assertions() -> "Sequence[Assertion]":
    from steadyhand.domains.schedule.assertions import assertions  # noqa: PLC0415  # as above

    return assertions()


def _prompt(context: Mapping[str, Json], language: Language) -> Sequence[str]:
    """Tell a model how the timetable is worked on, and in which window; who has no term is told nothing of it."""
    if context.get("term") is None:
        return ()
    lines = [say(language, "schedule.prompt.how")]
    window = cast("Mapping[str, Any] | None", context.get("window"))
    if window is not None:
        first, day = window["first_week"], window["first_day_of_week"]
        days, slots = window["total_days"], window["slots"]
        lines.append(say(language, "schedule.prompt.window", week=first, day=day, days=days, slots=slots))
    return lines


SCHEDULE = Registration(
    NAME,
    _install,
    command="steadyhand.cli.schedule.group:schedule",
    phrases=_phrases,
    prompt=_prompt,
    help=lambda language: say(language, "schedule.help"),
    assertions=_assertions,
)
