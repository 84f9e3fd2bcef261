"""A task list gives categories, tasks in order and the details that are certain; what is not stays in the name and is told."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports import task_list
from steadyhand.domains.schedule.imports.dates import read_date, read_day
from steadyhand.domains.schedule.imports.task_list import read_task_list
from steadyhand.domains.schedule.term.records import Term

TERM = Term(1, "秋", "Asia/Shanghai", date(2026, 9, 7), 18)


def read(text):
    return read_task_list(text.encode(), TERM, "任务")


def only(text):
    (category,) = read(text).categories
    (task,) = category.tasks
    return task


def names(found):
    return [(category.name, [task.content for task in category.tasks]) for category in found.categories]


def codes(found, *verdicts):
    return [(entry.line, entry.code) for entry in found.entries if entry.verdict in verdicts]


def test_headings_are_categories_and_the_order_is_kept():
    found = read(
        "- 先做\n# 学期\n## 概率论\n1. 第一章\n2. 第二章\n\n英语：\n* essay\n+ talk\n【其他】\n• 杂事\n## 概率论\n3、第三章\n"
    )
    assert names(found) == [
        ("任务", ["先做"]),
        ("概率论", ["第一章", "第二章", "第三章"]),
        ("英语", ["essay", "talk"]),
        ("其他", ["杂事"]),
    ]
    assert all(category.ordered for category in found.categories)


@pytest.mark.parametrize("text", ["写报告\n读书\n", "写报告\r\n\r\n读书", "\ufeff写报告\n读书"])
def test_a_plain_text_has_one_task_per_line(text):
    assert names(read(text)) == [("任务", ["写报告", "读书"])]


@pytest.mark.parametrize(
    ("line", "duration", "earliest", "deadline", "priority"),
    [
        ("- a (2节, before 2026-12-20, 优先)", 2, None, date(2026, 12, 20), 4),
        ("- a（3节，12月20日前，高优先级）", 3, None, date(2026, 12, 20), 5),
        ("- a (2 slots, after 2026-10-01, priority 5)", 2, date(2026, 10, 1), None, 5),
        ("- a（两节课）", 2, None, None, 3),
        ("- a (1 slot; by Dec 13; low priority)", 1, None, date(2026, 12, 13), 1),
        ("- a (due 13 December 2026)", None, None, date(2026, 12, 13), 3),
        ("- a（10月8日起、1月5日之前完成）", None, date(2026, 10, 8), date(2027, 1, 5), 3),
        ("- a (第8周前)", None, None, date(2026, 11, 1), 3),
        ("- a (after week 8)", None, date(2026, 10, 26), None, 3),
        ("- a (第8周周五前)", None, None, date(2026, 10, 30), 3),
        ("- a（截止：2026/12/20）", None, None, date(2026, 12, 20), 3),
        ("- a（优先级：低）", None, None, None, 1),
        ("- a (2节) (优先级 4)", 2, None, None, 4),
        ("- (2节) a", 2, None, None, 3),
    ],
)
def test_details_in_brackets_are_understood_in_both_languages(line, duration, earliest, deadline, priority):
    task = only(line)
    assert (task.content, task.duration, task.earliest, task.deadline, task.priority) == (
        "a",
        duration,
        earliest,
        deadline,
        priority,
    )


def test_what_is_not_understood_stays_in_the_name_and_is_told():
    found = read("- 复习（随机变量，2节，图书馆）\n- 写诗 (maybe)\n")
    assert names(found) == [("任务", ["复习（随机变量，图书馆）", "写诗（maybe）"])]
    assert found.categories[0].tasks[0].duration == 2
    assert codes(found, "changed") == [(1, "detail_unknown"), (1, "detail_unknown"), (2, "detail_unknown")]


def test_a_date_that_is_none_of_this_term_is_asked_about():
    found = read("- a (before 8-15)\n- b (before 2026-02-30)\n- c (第30周前)\n")
    assert [task.deadline for task in found.categories[0].tasks] == [None] * 3
    assert codes(found, "asked") == [(1, "date_unresolved"), (2, "date_unresolved"), (3, "date_unresolved")]


def test_ticked_items_are_left_out_and_told():
    found = read("- [x] 已做（2节）\n- [ ] 未做\n- [X] done\n")
    assert names(found) == [("任务", ["未做"])]
    assert codes(found, "dropped") == [(1, "item_done"), (3, "item_done")]


def test_a_heading_can_give_the_total_and_lift_the_order():
    (category,) = read("## 概率论（20节，不分先后）\n- 第一章\n").categories
    assert (category.name, category.total_slots, category.ordered) == ("概率论", 20, False)


def test_text_between_items_is_not_taken_for_tasks():
    found = read(
        "# A\nAn introduction.\n- **bold** `code` [link](http://example.com)\n> quoted\n```\n- not a task\n```\n---\n| a | b |\n"
    )
    assert names(found) == [("A", ["bold code link"])]
    assert codes(found, "dropped") == [(n, "text_ignored") for n in (2, 4, 6, 9)]


def test_tasks_that_cannot_be_are_left_out_and_told():
    found = read("- a (13 slots)\n- b (after 12-20, before 12-10)\n- c\n- c\n- (2节)\n")
    assert names(found) == [("任务", ["c"])]
    assert codes(found, "dropped") == [
        (1, "row_outside_scale"),
        (2, "row_dates_crossed"),
        (4, "duplicate"),
        (5, "name_missing"),
    ]


def test_numbers_and_marks_inside_a_task_are_no_bullets():
    assert names(read("1.5 hours of reading\n3D 打印\n2026 年计划\n")) == [
        ("任务", ["1.5 hours of reading", "3D 打印", "2026 年计划"])
    ]


def test_an_empty_or_endless_list_is_one_clear_error(monkeypatch):
    with pytest.raises(ModelCanFix, match="import_empty"):
        read(" \n\n")
    monkeypatch.setattr(task_list, "MAX_LINES", 2)
    with pytest.raises(ModelCanFix, match="import_too_many_rows"):
        read("a\nb\nc\n")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("-*#1.()（）[]x 节,，、before2026 前:：`>|\t课", max_size=40), max_size=8))
def test_no_line_at_all_costs_the_good_one(mess):
    found = read(
        "".join(f"{line}\n" for line in mess) + "\n```\n```\n- 最后一件好事\n".replace("```\n", "", sum(map(_fences, mess)) % 2)
    )
    assert "最后一件好事" in [task.content for category in found.categories for task in category.tasks]


def _fences(line):
    return line.lstrip().startswith("```")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-20", date(2026, 12, 20)),
        ("2026年12月20日", date(2026, 12, 20)),
        ("12月20号", date(2026, 12, 20)),
        ("1-5", date(2027, 1, 5)),
        ("Jan 5th", date(2027, 1, 5)),
        ("5 jan", date(2027, 1, 5)),
        ("week 2 Tue", date(2026, 9, 15)),
        ("2025-01-01", date(2025, 1, 1)),
        ("20/12", None),
        ("tomorrow", None),
        ("第3周周九", None),
        ("", None),
    ],
)
def test_dates_are_certain_or_none(text, expected):
    assert read_date(text, TERM, end_of_week=True) == expected


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1", 1),
        ("周一", 1),
        ("星期天", 7),
        ("礼拜日", 7),
        ("三", 3),
        ("Mon", 1),
        ("thurs", 4),
        ("SUNDAY", 7),
        ("t", None),
        ("8", None),
        ("周", None),
    ],
)
def test_weekdays_are_certain_or_none(text, day):
    assert read_day(text) == day
