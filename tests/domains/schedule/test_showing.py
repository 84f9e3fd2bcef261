"""A week is shown to the person as it stands with the draft; the model learns that it was shown, and no date."""

import re

import pytest
from rich.cells import cell_len

from schedule_ground.desk import ME, Desk, run
from steadyhand.core.ids import SessionId
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.acts.calendar_facts import holiday
from steadyhand.domains.schedule.acts.fact_acts import put_fact
from steadyhand.domains.schedule.draft.planning import Planning
from steadyhand.domains.schedule.draft.week_view import WeekView
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.showing import showing_tools
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.store.people import people
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner
from tools.walking import faults

HERE = SessionId("here")
DATE = re.compile(r"\d{2}-\d{2}|\d月\d|Mon|周一")


def shown(desk: Desk, day: int | None = None, language: Language = "en") -> ToolResult:
    desk.store.write_now(lambda tx: people.ensure_session(tx, ME, HERE, "terminal"))
    planning = Planning(desk.drafting, Working(desk.store, Tiers()))
    runner = Runner(Registry(showing_tools(planning)), ToolPolicy())
    arguments = "{}" if day is None else f'{{"day": {day}}}'
    return run(runner.run(ToolContext(ME, HERE, desk.clock, language), ToolCall("call_1", "show_week", arguments)))


def test_the_tool_is_declared_like_every_other(desk: Desk) -> None:
    assert faults(showing_tools(Planning(desk.drafting, Working(desk.store, Tiers())))) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_model_reads_that_it_was_shown_and_no_date(desk: Desk, language: Language) -> None:
    result = shown(desk, 9, language)
    assert not result.is_error
    assert "13" in result.for_llm
    assert DATE.search(result.for_llm) is None
    assert DATE.search(result.for_user) is not None


def test_the_person_sees_the_draft_laid_over_what_is_stored(desk: Desk) -> None:
    run(desk.drafting.open(ME, Window(1, 1, 28)))
    desk.wrote("place", task_id=desk.id_of("写作"), day=3, slot_start=5)
    text = shown(desk, 1).for_user
    assert "S写作" in text
    assert "C高等数" in text
    assert "Draft: 1 place" in text
    assert "S写作" not in shown(desk, 8).for_user


def test_the_grid_lines_up_in_a_font_of_equal_widths(desk: Desk) -> None:
    grid = [line for line in shown(desk, 1).for_user.splitlines() if line.endswith(("|", "+"))]
    assert len(grid) > 12
    assert len({cell_len(line) for line in grid}) == 1


def test_its_data_draws_the_same_again_in_any_width_and_with_colours(desk: Desk) -> None:
    result = shown(desk, 1)
    view = WeekView.from_json(result.data["view"])
    assert (view.week, view.text()) == (1, result.for_user)
    assert max(cell_len(line) for line in view.text(100).splitlines()) > 80
    assert "<C高等数" in view.text(paint=lambda text, mark: f"<{text}>" if mark == "C" else text)


def test_without_a_day_it_is_the_week_of_today(desk: Desk) -> None:
    assert "week 1 of 4" in shown(desk).for_user
    desk.clock.at = desk.clock.at.replace(day=22)
    assert "week 3 of 4" in shown(desk).for_user


def test_a_day_outside_the_window_is_refused_in_the_timetables_own_words(desk: Desk) -> None:
    result = shown(desk, 99)
    assert (result.is_error, result.code, result.for_user) == (True, "out_of_range", "")
    assert "99" in result.for_llm


def test_a_week_outside_the_window_is_shown_and_told_as_such(desk: Desk) -> None:
    run(desk.drafting.open(ME, Window(3, 1, 7)))
    result = shown(desk)
    assert "week 1 of 4" in result.for_user
    assert "outside the planning window" in result.for_llm


def test_a_holiday_of_the_week_is_told_below_it(desk: Desk) -> None:
    desk.done(put_fact(desk.records(), holiday((2, 1))).writes)
    assert "2026-09-14 (week 2 Mon): holiday, no courses" in shown(desk, 8).for_user
