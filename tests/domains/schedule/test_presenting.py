"""What a person reads before deciding: every change by name, with its times before and after, the same as text and as data."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from schedule_ground.desk import ME, SZ, TERM, Desk, course, run, tasks
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts.weekly_edits import Edit, edited
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put
from steadyhand.domains.schedule.term.records import Event, Row, TimeScale
from steadyhand.gate.contract import View

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
T = TERM.id


def shown(desk: Desk, writes: list[RowWrite], language: Language = "en", term: int = T) -> View:
    row = desk.open(writes, term=term)
    view = desk.controller.view(row, language)
    assert view is not None, row.reason
    return view


def lines(desk: Desk, writes: list[RowWrite], language: Language = "en", term: int = T) -> list[str]:
    return shown(desk, writes, language, term).text.splitlines()[1:]


def placed(desk: Desk, content: str, number: int, *cells: tuple[int, int, int], host: int | None = None) -> list[RowWrite]:
    event = Event(number, "task", content, item_id=desk.item(content).id)
    rows = [put("schedules", schedule_row(Row(number, *at, host), T)) for at in cells]
    return [put("schedule_events", event_row(event, T)), *rows]


def everything(desk: Desk) -> list[RowWrite]:
    """Return a change that holds every kind of difference."""
    desk.done([*placed(desk, "复习", 801, (1, 2, 3), (1, 2, 4), host=SZ), *placed(desk, "写作", 802, (1, 3, 1))])
    records = desk.records()
    details = IncomingTask("阅读", 3, date(2026, 9, 8), date(2026, 9, 20), 5)
    writes = acts.put_term(replace(TERM, name="2026 秋季", scale=TimeScale("own", TERM.scale.slots[:11])), None)
    writes += acts.add_tasks(records, [IncomingCategory("课外", (details, IncomingTask("背诵")), total_slots=6)])
    writes += acts.edit_task(records, replace(desk.item("讨论"), deadline=date(2026, 9, 18)), None)
    math = desk.event("高等数学")
    cells = edited(records, math, Edit(location="A101", teacher="李"))
    writes += acts.edit_course(records, replace(math, can_embed=True), cells)
    writes += acts.remove_tasks(records, [desk.item("写作").id])
    writes += course(900, "体育", 5, (1, 2), weeks=(1, 3), location="操场", teacher="王", can_embed=True)
    writes += [gone("schedules", 801, 1, 2, 3), gone("schedules", 801, 1, 2, 4)]
    writes += [put("schedules", schedule_row(Row(801, 2, 2, section, SZ), T)) for section in (5, 6)]
    return writes


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_difference_is_worded_as_in_the_golden_file(desk: Desk, language: Language) -> None:
    text = shown(desk, everything(desk), language).text + "\n"
    assert text == (GOLDEN / f"diff.{language}.txt").read_text(encoding="utf-8")


def test_the_data_says_the_same_as_the_text(desk: Desk) -> None:
    view = shown(desk, everything(desk))
    payload: Any = view.payload
    assert payload["counts"] == {
        sign: sum(line.startswith(f"{sign} ") for line in view.text.splitlines()[1:]) for sign in ("+", "-", "~")
    }
    moved = next(item for item in payload["items"] if item["name"] == "复习")
    assert moved == {
        "sign": "~",
        "what": "schedule_events",
        "name": "复习",
        "before": [[1, 2, 3, 4, None, None, "", ""]],
        "after": [[2, 2, 5, 6, None, None, "", ""]],
        "over": [],
        "left": "",
        "host": "思政",
        "fields": {},
    }
    new = next(item for item in payload["items"] if item["name"] == "课外")
    assert new["fields"] == {"total_slots": [None, 6]}
    for item in payload["items"]:
        assert item["name"] in view.text


def test_what_is_written_is_shown_before_and_after_for_each_event_and_then_asked_once(desk: Desk) -> None:
    """A reviewable transaction: several moves, each with its times before and after, one decision for all."""
    desk.done([*placed(desk, "复习", 801, (1, 4, 1)), *placed(desk, "写作", 802, (1, 5, 1))])
    writes = [gone("schedules", 801, 1, 4, 1), put("schedules", schedule_row(Row(801, 1, 5, 1), T))]
    writes += [gone("schedules", 802, 1, 5, 1), put("schedules", schedule_row(Row(802, 1, 4, 1), T))]
    before = desk.dump()
    row = desk.open(writes)
    view = desk.controller.view(row, "en")
    assert view is not None
    assert view.text.splitlines()[1:] == [
        "~ 写作 (placed task)",
        "    from week 1 Fri (2026-09-11) slot 1 08:00-08:45",
        "    to   week 1 Thu (2026-09-10) slot 1 08:00-08:45",
        "~ 复习 (placed task)",
        "    from week 1 Thu (2026-09-10) slot 1 08:00-08:45",
        "    to   week 1 Fri (2026-09-11) slot 1 08:00-08:45",
    ]
    assert desk.dump() == before
    desk.approve(row)
    assert (desk.cells_of("复习"), desk.cells_of("写作")) == ({(1, 5, 1)}, {(1, 4, 1)})


# ---- the right words ---------------------------------------------------------------------------------------------------


def test_times_in_a_new_term_are_said_by_its_own_calendar_and_clock(desk: Desk) -> None:
    spring = replace(
        TERM, id=20270301, name="2027 春", first_monday=date(2027, 3, 1), scale=TimeScale("own", (("07:30", "08:15"),))
    )
    event = event_row(Event(950, "course", "物理"), spring.id)
    section = schedule_row(Row(950, 2, 1, 1), spring.id)
    told = lines(desk, [*acts.put_term(spring, TERM), put("schedule_events", event), put("schedules", section)], term=spring.id)
    assert told[-2:] == ["+ 物理 (course)", "    at week 2 Mon (2027-03-08) slot 1 07:30-08:15"]
    assert "~ 2026 秋 (term)" in told
    assert "    current term: yes → no" in told


def test_times_before_and_after_a_change_of_the_clock_are_each_said_by_their_own(desk: Desk) -> None:
    desk.done(placed(desk, "复习", 801, (1, 3, 1)))
    later = (("09:00", "09:45"), *TERM.scale.slots[2:])
    writes = acts.put_term(replace(TERM, scale=TimeScale("own", later)), None)
    writes += [gone("schedules", 801, 1, 3, 1), put("schedules", schedule_row(Row(801, 1, 4, 1), T))]
    told = lines(desk, writes)
    assert told[-2:] == [
        "    from week 1 Wed (2026-09-09) slot 1 08:00-08:45",
        "    to   week 1 Thu (2026-09-10) slot 1 09:00-09:45",
    ]


def test_a_task_that_changes_its_category_is_shown_to(desk: Desk) -> None:
    told = lines(desk, acts.edit_task(desk.records(), desk.item("讨论"), "课外"))
    assert told == ["+ 课外 (category)", "~ 讨论 (task)", "    category: 学习 → 课外", "    position: 2 → 0"]


def test_a_new_task_is_shown_with_its_category(desk: Desk) -> None:
    assert "    category: 学习" in lines(desk, acts.add_tasks(desk.records(), tasks("阅读")))


def test_a_guest_that_leaves_its_host_is_told_so(desk: Desk) -> None:
    desk.done(placed(desk, "复习", 801, (1, 2, 3), host=SZ))
    alone = put("schedules", schedule_row(Row(801, 1, 2, 3), T))
    assert lines(desk, [gone("schedules", SZ, 1, 2, 3), alone]) == [
        "~ 复习 (placed task)",
        "    from week 1 Tue (2026-09-08) slot 3 10:00-10:45",
        "    no longer embedded in 思政",
        "    to   week 1 Tue (2026-09-08) slot 3 10:00-10:45",
        "~ 思政 (course)",
        "    no longer week 1 Tue (2026-09-08) slot 3 10:00-10:45",
    ]


def test_every_host_of_a_guest_is_named(desk: Desk) -> None:
    desk.done(course(900, "阅览", 4, (1, 2), can_embed=True))
    writes = placed(desk, "复习", 801, (1, 2, 3), host=SZ)
    writes.append(put("schedules", schedule_row(Row(801, 1, 4, 1, 900), T)))
    assert lines(desk, writes)[-1] == "    embedded in 思政, 阅览"


def test_equal_times_of_many_weeks_are_one_line_and_odd_ones_are_called_so(desk: Desk) -> None:
    assert lines(desk, course(900, "体育", 5, (1, 2))) == [
        "+ 体育 (course)",
        "    at weeks 1-3 Fri slots 1-2 08:00-09:40, 3 times",
    ]
    event = put("schedule_events", event_row(Event(901, "course", "英语"), T))
    odd = [put("schedules", schedule_row(Row(901, week, 5, 3), T)) for week in (1, 3, 5, 7)]
    told = lines(desk, [*acts.put_term(replace(TERM, weeks=8), None), event, *odd])
    assert told[-1] == "    at weeks 1-7 odd Fri slot 3 10:00-10:45, 4 times"


def test_a_week_rule_that_alone_changes_is_shown(desk: Desk) -> None:
    told = lines(desk, acts.edit_course(desk.records(), replace(desk.event("高等数学"), rule="1-16"), None))
    assert told == ["~ 高等数学 (course)", "    week rule: 1-3 → 1-16"]


def test_the_same_change_is_shown_the_same_whatever_numbers_were_drawn(desk: Desk) -> None:
    writes = [shown(desk, acts.add_tasks(desk.records(), tasks("乙", "甲", "丙", category="课外"))).text for _ in range(4)]
    assert len(set(writes)) == 1
    assert [line[2] for line in writes[0].splitlines() if line.endswith("(task)")] == ["乙", "甲", "丙"]


def test_the_view_of_a_change_that_is_done_still_says_what_it_did(desk: Desk) -> None:
    row = desk.open(acts.remove_events(desk.records(), [SZ]))
    before = desk.controller.view(row, "zh-CN")
    done = desk.approve(row)
    assert desk.controller.view(run(desk.controller.current(ME, done.number)), "zh-CN") == before


def test_a_place_after_the_deadline_or_before_the_earliest_day_is_said(desk: Desk) -> None:
    item = replace(desk.item("复习"), earliest=TERM.date_of(2, 1), deadline=TERM.date_of(2, 5))
    desk.done(acts.edit_task(desk.records(), item, None))
    early = lines(desk, placed(desk, "复习", 801, (1, 2, 7)))
    late = lines(desk, placed(desk, "复习", 801, (3, 2, 7)))
    inside = lines(desk, placed(desk, "复习", 801, (2, 5, 7)))
    assert early[-1].strip() == f"! before its earliest day {TERM.date_of(2, 1).isoformat()}"
    assert late[-1].strip() == f"! after its deadline {TERM.date_of(2, 5).isoformat()}"
    assert not any(line.strip().startswith("!") for line in inside)
