"""Before its first write a session has the window confirmed; what it has not looked at it does not write to."""

from datetime import date, timedelta

import pytest
from sqlalchemy import delete

from schedule_ground.desk import ME, TERM, Desk, run
from steadyhand.core.ids import SessionId
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.planning import KIND, Planning, window_json, window_of
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.turn_tools import schedule_tools
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.store.people import people
from steadyhand.store.timetable import timetable
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.ports import Ports, Question
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner

HERE, THERE = SessionId("here"), SessionId("there")
WEEK_2 = Window(2, 1, 7, len(TERM.scale))


class Asked:
    """Where a question is parked."""

    def __init__(self) -> None:
        self.question: Question | None = None

    async def park(self, question: Question) -> None:
        self.question = question


class Table:
    """A session's way to the draft."""

    def __init__(self, desk: Desk, planning: Planning | None = None) -> None:
        self.desk = desk
        self.working = Working(desk.store, Tiers())
        self.planning = planning or Planning(desk.drafting, self.working)
        self.asked = Asked()
        desk.store.write_now(lambda tx: [people.ensure_session(tx, ME, one, "terminal") for one in (HERE, THERE)])

    def context(self, session: SessionId = HERE, *, nobody: bool = False, language: str = "en", said: str = "") -> ToolContext:
        ports = Ports() if nobody else Ports(questions=self.asked)
        return ToolContext(ME, session, self.desk.clock, language, said=said, ports=ports)

    def look(self, **more) -> OpenDraft:
        return run(self.planning.look(self.context(**more)))

    def write(self, **more) -> OpenDraft | ToolResult:
        return run(self.planning.may_write(self.context(**more)))

    def answer(self, text: str, option: int | None = None, session: SessionId = HERE):
        question = self.asked.question
        chosen = None if option is None else question.options[option].value
        return run(self.planning.read(ME, session, question, chosen, text))

    def confirmed(self, window: Window = WEEK_2, session: SessionId = HERE) -> "Table":
        self.write(session=session)
        assert run(self.planning.read(ME, session, self.asked.question, window_json(window), "")) == window_json(window)
        return self


@pytest.fixture
def table(desk):
    return Table(desk)


def span(window: Window) -> tuple[date, date]:
    return TERM.date_of(*window.week_of(1)), TERM.date_of(*window.week_of(window.total_days))


def test_the_first_write_of_a_session_asks_and_ends_the_turn(table):
    result = table.write(said="put it on Wednesday")
    assert isinstance(result, ToolResult)
    assert (result.code, result.ends_turn, result.is_error) == ("window_asked", True, False)
    question = table.asked.question
    assert (question.kind, question.resume, question.data["yes_is_first"]) == (KIND, "put it on Wednesday", True)
    assert result.for_user.splitlines()[1].startswith("1. from 2026-09-08 ")
    assert table.desk.draft().row.revision == 0


def test_the_windows_to_choose_from_are_days_that_are_still_ahead(table):
    table.write()
    spans = [span(window_of(option.value)) for option in table.asked.question.options]
    assert spans == [
        (date(2026, 9, 8), date(2026, 10, 4)),
        (date(2026, 9, 8), date(2026, 9, 13)),
        (date(2026, 9, 14), date(2026, 9, 20)),
    ]


def test_no_window_is_offered_twice(table, clock):
    clock.advance(timedelta(days=23))
    table.write()
    spans = [span(window_of(option.value)) for option in table.asked.question.options]
    assert len(spans) == len(set(spans))
    assert all(last <= date(2026, 10, 4) for _, last in spans)


def test_before_the_term_the_whole_of_it_is_the_likeliest(table, clock):
    clock.advance(timedelta(days=-30))
    table.write()
    assert span(window_of(table.asked.question.options[0].value)) == (date(2026, 9, 7), date(2026, 10, 4))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("next week", date(2026, 9, 14), date(2026, 9, 20)),
        ("下周", date(2026, 9, 14), date(2026, 9, 20)),
        ("9月15日到9月18日", date(2026, 9, 15), date(2026, 9, 18)),
        ("this Wednesday", date(2026, 9, 9), date(2026, 9, 9)),
    ],
)
def test_an_answer_may_name_the_days(table, text, first, last):
    table.write()
    assert span(window_of(table.answer(text))) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "what do I have on Wednesday?",
        "no",
        "hello",
        "next Wednesday",
        "下周三有什么安排吗？",
        "put [3] on Friday",
        "next year",
        "10",
    ],
)
def test_what_is_no_answer_confirms_nothing(table, text):
    table.write()
    assert table.answer(text) is None
    assert table.desk.draft().row.revision == 0
    assert isinstance(table.write(), ToolResult)


def test_once_confirmed_a_session_that_has_looked_may_write(table):
    table.confirmed()
    table.look()
    draft = table.write()
    assert isinstance(draft, OpenDraft)
    assert draft.window == WEEK_2


def test_a_session_that_has_not_looked_must_look_first(table):
    table.confirmed()
    assert table.write().code == "look_again"
    table.look()
    assert isinstance(table.write(), OpenDraft)


def test_another_session_is_asked_too_and_the_window_as_it_is_comes_first(table):
    table.confirmed()
    table.look(session=THERE)
    result = table.write(session=THERE)
    assert result.code == "window_asked"
    assert window_of(table.asked.question.options[0].value) == WEEK_2


def test_when_another_session_moves_the_window_this_one_is_asked_again(table):
    table.confirmed()
    table.look()
    table.confirmed(Window(3, 1, 7, len(TERM.scale)), session=THERE)
    assert table.write().code == "window_asked"
    assert table.answer("", option=0) is not None
    assert table.write().code == "look_again", "its day numbers were those of another window"


def test_a_draft_with_changes_keeps_its_window(table):
    table.confirmed()
    table.look()
    table.desk.wrote("place", task_id=table.desk.id_of("复习"), day=3, slot_start=1)
    table.write(session=THERE)
    assert len(table.asked.question.options) == 1
    assert table.answer("this week", session=THERE) is None
    assert table.desk.draft().window == WEEK_2


def test_where_nobody_can_be_asked_nothing_is_written(table):
    result = table.write(nobody=True)
    assert (result.is_error, result.code, result.ends_turn) == (True, "window_unconfirmed", False)
    assert table.asked.question is None


def test_a_term_that_is_gone_answers_nothing(table):
    table.write()

    def clear(tx):
        for one in reversed(timetable.TABLES.values()):
            tx.execute(delete(one).where(one.c.user_id == ME))

    table.desk.store.write_now(clear)
    assert table.answer("", option=0) is None


def test_the_confirmation_outlives_the_process_and_the_look_does_not(table):
    table.confirmed()
    table.look()
    again = Table(table.desk)
    assert again.write().code == "look_again"


def test_a_write_tool_asks_before_it_touches_the_draft(table):
    runner = Runner(Registry(schedule_tools(table.planning)), ToolPolicy())
    writes = [tool.name for tool in runner.registry if tool.effect == "draft"]
    for name in ("undo", "redo", "arrange"):
        result = run(runner.run(table.context(), ToolCall("c", name, "{}")))
        assert result.code == "window_asked", (name, result)
    assert {"undo", "redo", "arrange"} < set(writes)
    assert table.desk.draft().row.revision == 0
