"""Arranging: every answer is held against a second, naive reading of the rules."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from domains.schedule.arranging import ALL_RULES, cases, causes, chore, chosen, course, fits, naive_places, rule_of, table
from steadyhand.core.language import LANGUAGES
from steadyhand.domains.schedule.arrange.door import arrange, plan
from steadyhand.domains.schedule.arrange.options import ArrangeArguments, ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.arrange.reasons import Reason
from steadyhand.domains.schedule.arrange.report import Told, arrange_reply
from steadyhand.domains.schedule.arrange.weights import PARTS
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.reply import Refused
from steadyhand.domains.schedule.replies.wording import wording


def done(timetable: Timetable, options: ArrangeOptions) -> tuple[Timetable, Arrangement]:
    after = timetable.copy()
    return after, arrange(after, options)


@settings(max_examples=250, deadline=None)
@given(case=cases(), engine=st.sampled_from(["greedy", "first_fit"]))
def test_every_task_that_moved_stands_where_the_rules_allow_it(case: tuple[Timetable, ArrangeOptions], engine: str) -> None:
    timetable, options = case[0], replace(case[1], engine=engine)
    after, arrangement = done(timetable, options)
    for change in arrangement.delta:
        task = after.tasks[change.state_id]
        if task.place.slots:
            assert task.place in set(naive_places(after, task, options, frozenset())), task


@settings(max_examples=150, deadline=None)
@given(case=cases())
def test_nothing_but_selected_tasks_moves_and_one_write_takes_it_back(case: tuple[Timetable, ArrangeOptions]) -> None:
    timetable, options = case
    before = timetable.snapshot()
    assert plan(timetable, options) == plan(timetable.copy(), options)
    assert timetable.snapshot() == before
    after, arrangement = done(timetable, options)
    for task in timetable.tasks.values():
        if after.tasks[task.state_id] != task:
            assert task.place.status == "pending" or (options.move_suggested and task.place.status == "suggested")
            assert not timetable.locked(task)
            assert chosen(task, options)
    after.revert(arrangement.delta)
    assert after.snapshot() == before


@settings(max_examples=250, deadline=None)
@given(case=cases())
def test_greedy_never_places_less_than_first_fit_or_than_stood_before(case: tuple[Timetable, ArrangeOptions]) -> None:
    timetable, options = case

    def rank(arrangement: Arrangement) -> tuple[int, int]:
        ids = [placement.state_id for placement in arrangement.placements]
        return sum(timetable.tasks[state_id].priority for state_id in ids), len(ids)

    best = plan(timetable, options)
    assert rank(best) >= rank(plan(timetable, replace(options, engine="first_fit")))
    assert rank(best) >= rank(plan(timetable, replace(options, move_suggested=False)))
    assert set(best.objective.parts) == set(PARTS)
    assert best.objective.total == sum(best.objective.parts.values())


@settings(max_examples=300, deadline=None)
@given(case=cases(), engine=st.sampled_from(["greedy", "first_fit"]))
def test_every_reason_is_true(case: tuple[Timetable, ArrangeOptions], engine: str) -> None:
    timetable, options = case[0], replace(case[1], engine=engine)
    after, arrangement = done(timetable, options)
    for entry in arrangement.unplaced:
        task = after.tasks[entry.state_id]
        assert not fits(after, task, options), (entry, "it fits as it is")
        rules = [rule_of(reason, after) for reason in entry.reasons]
        if rules == ["no_free_run"]:
            assert not fits(after, task, options, ALL_RULES)
        elif entry.together:
            assert len(rules) > 1
            assert fits(after, task, options, set(rules))
            assert not any(fits(after, task, options, set(rules) - {rule}) for rule in rules)
            assert not any(fits(after, task, options, {rule}) for rule in ALL_RULES)
        else:
            assert {rule for rule in ALL_RULES if fits(after, task, options, {rule})} == set(rules)


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_the_texts_name_every_task_and_no_date(case: tuple[Timetable, ArrangeOptions]) -> None:
    timetable, options = case
    reply = arrange_reply(timetable, options)
    for language in LANGUAGES:
        text = reply.text(language)
        for change in reply.delta:
            assert f"[{change.state_id}]" in text
        assert not re.search(r"周|星期|\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[Ww]eek", text)
    assert (reply.code == "ok") == bool(reply.delta)


# ---- cases that a person would recognise -----------------------------------------------------------------------------


def test_a_category_is_spread_over_the_window_in_its_order() -> None:
    arrangement = plan(table(*(chore(number) for number in (1, 2, 3)), days=9), ArrangeOptions())
    assert [(placement.state_id, placement.block) for placement in arrangement.placements] == [
        (1, Block(1, 1, 2)),
        (2, Block(4, 1, 2)),
        (3, Block(7, 1, 2)),
    ]


def test_preferred_slots_are_taken_where_they_are_free_and_are_no_rule() -> None:
    options = ArrangeOptions(preferred_slots=(3, 4))
    assert plan(table(chore(1)), options).placements[0].block == Block(1, 3, 4)
    full = [course(day, Block(day, 3, 4)) for day in (2, 3, 4)]
    assert plan(table(*full, chore(5), days=4), replace(options, excluded_days=(1,))).placements[0].block == Block(2, 1, 2)


def test_embedding_is_taken_only_when_nothing_is_free() -> None:
    host = course(1, Block(1, 1, 4), host=True)
    free = plan(table(host, chore(2), days=2), ArrangeOptions()).placements[0]
    assert (free.block.day, free.embed_host) == (2, None)
    guest = plan(table(host, chore(2), chore(3), chore(4), days=1), ArrangeOptions())
    assert [(placement.state_id, placement.block, placement.embed_host) for placement in guest.placements] == [
        (2, Block(1, 1, 2), 1),
        (3, Block(1, 3, 4), 1),
    ]
    assert causes(guest.unplaced[0]) == ["no_free_run"]
    closed = plan(table(host, chore(2), days=1), ArrangeOptions(embed=False))
    assert causes(closed.unplaced[0]) == ["embedding"]


def test_a_locked_course_hosts_nobody() -> None:
    assert causes(plan(table(course(1, Block(1, 1, 4)), chore(2), days=1), ArrangeOptions()).unplaced[0]) == ["no_free_run"]


@pytest.mark.parametrize(
    ("task", "options", "expected"),
    [
        (chore(9, deadline=1), ArrangeOptions(), [Reason("deadline", 1)]),
        (chore(9, deadline=0), ArrangeOptions(), [Reason("window", 0)]),
        (chore(9, earliest=4), ArrangeOptions(), [Reason("window", 4)]),
        (chore(9), ArrangeOptions(excluded_days=(2, 3)), [Reason("excluded_days")]),
        (chore(9), ArrangeOptions(excluded_slots=(2, 3)), [Reason("excluded_slots")]),
        (chore(9), ArrangeOptions(max_per_day=1), [Reason("max_per_day", 1)]),
        (chore(9, 4), ArrangeOptions(excluded_days=(2,), max_per_day=9), []),
        (chore(9, 5), ArrangeOptions(), [Reason("no_free_run", 5)]),
    ],
)
def test_the_rule_that_keeps_a_task_out_is_named(task: Task, options: ArrangeOptions, expected: list[Reason]) -> None:
    arrangement = plan(table(course(1, Block(1, 1, 4)), task), options)
    assert [reason for entry in arrangement.unplaced for reason in entry.reasons] == expected


def test_a_task_waits_for_the_one_before_it_and_is_told_so() -> None:
    arrangement = plan(table(chore(1, 3, deadline=0), chore(2), chore(3)), ArrangeOptions())
    assert [(entry.state_id, entry.reasons) for entry in arrangement.unplaced] == [
        (1, (Reason("window", 0),)),
        (2, (Reason("after", tasks=(1,)),)),
        (3, (Reason("after", tasks=(2,)),)),
    ]
    lifted = plan(table(chore(1, 3, deadline=0), chore(2), chore(3)), ArrangeOptions(ordered=False))
    assert [entry.state_id for entry in lifted.unplaced] == [1]


def test_tasks_that_have_a_place_bind_the_order_too() -> None:
    early = chore(1, place=Place("existing", (Block(3, 1, 4),)))
    late = chore(3, place=Place("suggested", (Block(1, 1, 2),)))
    after_it = plan(table(early, chore(2)), ArrangeOptions()).unplaced[0]
    assert after_it.reasons == (Reason("after", tasks=(1,)),)
    before_it = plan(table(late, chore(2)), ArrangeOptions()).unplaced[0]
    assert before_it.reasons == (Reason("before", tasks=(3,)),)
    same_day = table(course(8, Block(1, 1, 2)), chore(3, place=Place("existing", (Block(1, 3, 3),))), chore(2, 1), days=1)
    assert plan(same_day, ArrangeOptions()).unplaced[0].reasons == (Reason("before", tasks=(3,)),)
    between = plan(table(early, late, chore(2)), ArrangeOptions()).unplaced[0]
    assert (causes(between), between.together) == (["after", "before"], True)


def test_several_rules_that_keep_a_task_out_together_are_told_together() -> None:
    timetable = table(course(1, Block(1, 1, 4)), chore(2, deadline=2))
    entry = plan(timetable, ArrangeOptions(excluded_days=(2,))).unplaced[0]
    assert causes(entry) == ["deadline", "excluded_days"]
    assert not entry.together  # each alone would let it in: day 3, or day 2
    tight = plan(timetable, ArrangeOptions(excluded_days=(2, 3))).unplaced[0]
    assert (causes(tight), tight.together) == (["excluded_days"], False)
    both = plan(table(course(1, Block(1, 1, 4)), chore(2, deadline=1)), ArrangeOptions(excluded_days=(2, 3))).unplaced[0]
    assert (causes(both), both.together) == (["deadline", "excluded_days"], True)
    words = Told(plan(timetable, ArrangeOptions(excluded_days=(2, 3))), dict(timetable.tasks), timetable.window, 1)
    assert "[2]chore2（需2个连续时段）：排除的天：第2天、第3天" in words.in_words(wording("zh-CN"))


def test_moving_suggested_tasks_makes_room_and_is_counted() -> None:
    small = chore(1, 1, category=1, place=Place("suggested", (Block(1, 2, 2),), 1))
    timetable = table(small, chore(2, 3, category=2), days=1)
    assert causes(plan(timetable, ArrangeOptions()).unplaced[0]) == ["no_free_run"]
    moved = plan(timetable, ArrangeOptions(move_suggested=True))
    assert not moved.unplaced
    assert moved.objective.parts["moves"] > 0
    calm = plan(table(small, chore(2, 2, category=2), days=1), ArrangeOptions(move_suggested=True))
    assert [change.state_id for change in calm.delta] == [2]
    assert calm.objective.parts["load"] == 3**2  # one slot and two on a day that held nothing else


def test_hosts_with_guests_and_guests_of_locked_courses_stay_where_they_are() -> None:
    host = chore(1, category=1, can_embed=True, place=Place("suggested", (Block(2, 1, 2),), 2))
    guest = chore(2, 1, category=2, place=Place("existing", (Block(2, 1, 1),), 1, 1))
    fixed = course(3, Block(3, 1, 2))
    inside = chore(4, 1, category=4, place=Place("suggested", (Block(3, 1, 1),), 1, 3))
    timetable = table(host, guest, fixed, inside)
    wish = ArrangeOptions(move_suggested=True, excluded_days=(2, 3))
    assert plan(timetable, wish).delta == ()
    for state_id in (1, 4):
        assert arrange_reply(timetable, replace(wish, task_ids=(state_id,))).code == "wrong_status"


def test_a_suggested_host_stays_where_it_takes_somebody_in() -> None:
    host = chore(1, category=1, can_embed=True, place=Place("suggested", (Block(1, 1, 2),), 2))
    timetable = table(host, chore(2, 2, category=2, priority=5), days=1, slots=2)
    arrangement = plan(timetable, ArrangeOptions(move_suggested=True))
    assert [(placement.state_id, placement.embed_host) for placement in arrangement.placements] == [(1, None), (2, 1)]
    assert [change.state_id for change in arrangement.delta] == [2]


def test_a_host_that_moves_away_takes_nobody_in_where_it_was() -> None:
    host = chore(1, category=1, can_embed=True, place=Place("suggested", (Block(1, 1, 2),), 2))
    timetable = table(host, chore(2, 3, category=2, priority=5), days=1, slots=3)
    after, arrangement = done(timetable, ArrangeOptions(move_suggested=True))
    assert [(placement.state_id, placement.embed_host) for placement in arrangement.placements] == [(2, None)]
    assert after.tasks[1].place == Place("pending", (), 2)


def test_a_selection_leaves_the_others_alone() -> None:
    timetable = table(chore(1), chore(2, category=2), chore(3, category=2))
    assert [p.state_id for p in plan(timetable, ArrangeOptions(categories=("c2",))).placements] == [2, 3]
    assert [p.state_id for p in plan(timetable, ArrangeOptions(task_ids=(3,))).placements] == [3]
    assert arrange_reply(timetable, ArrangeOptions(categories=("none of these",))).code == "none"


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (ArrangeOptions(task_ids=(99,)), "not_found"),
        (ArrangeOptions(task_ids=(1,)), "wrong_status"),
        (ArrangeOptions(excluded_days=(4,)), "out_of_range"),
        (ArrangeOptions(excluded_slots=(0,)), "out_of_range"),
        (ArrangeOptions(preferred_slots=(5,)), "out_of_range"),
        (ArrangeOptions(max_per_day=0), "bad_argument"),
    ],
)
def test_options_that_cannot_be_are_refused_and_change_nothing(options: ArrangeOptions, kind: str) -> None:
    timetable = table(course(1, Block(1, 1, 2)), chore(2))
    before = timetable.snapshot()
    reply = arrange_reply(timetable, options)
    assert (reply.code, reply.delta) == (kind, ())
    assert all(reply.text(language) for language in LANGUAGES)
    with pytest.raises(Refused):
        arrange(timetable, options)
    assert timetable.snapshot() == before


def test_options_survive_json_and_the_tool_refuses_what_it_does_not_know() -> None:
    options = ArrangeOptions("first_fit", ("a",), (3,), 4, (1,), (2, 3), (5,), ordered=False, embed=False, move_suggested=True)
    assert ArrangeOptions.from_json(options.to_json()) == options
    assert ArrangeArguments.model_validate({}).options() == ArrangeOptions()
    arguments = ArrangeArguments.model_validate({"excluded_days": [1], "task_ids": [3]})
    assert arguments.options() == ArrangeOptions(task_ids=(3,), excluded_days=(1,))
    assert arrange_reply(table(chore(3)), arguments.options()).data["placed"] == [
        {"task_id": 3, "day": 2, "slot_start": 1, "slot_end": 2, "host": None}
    ]
    for wrong in ({"date": "2026-10-08"}, {"max_per_day": 2**60}, {"engine": "best"}, {"task_ids": ["3"]}):
        with pytest.raises(ValidationError):
            ArrangeArguments.model_validate(wrong)


def test_what_the_model_and_a_person_read() -> None:
    timetable = table(course(1, Block(1, 1, 4), host=True), chore(2), chore(3, 5), days=2)
    reply = arrange_reply(timetable, ArrangeOptions(excluded_days=(2,)))
    assert reply.text("zh-CN").splitlines() == [
        "编排结果：已预排1个任务，未放置1个任务。",
        "已预排（suggested）1个：",
        "  [2]chore2 → 第1天第1-2节（嵌入，宿主：[1]course1）",
        "未放置1个：",
        "  [3]chore3（需5个连续时段）：没有5个连续的空闲时段",
        "待安排任务剩余：1个。",
    ]
    assert timetable.tasks[2].place == Place("suggested", (Block(1, 1, 2),), 2, 1)
    fresh = table(chore(2), days=9)
    told = Told(plan(fresh, ArrangeOptions()), dict(fresh.tasks), fresh.window, 0)
    assert "第1周 周一（第1天）：" in told.for_person("zh-CN")
    assert "Week 1 Monday (day 1):" in told.for_person("en")
