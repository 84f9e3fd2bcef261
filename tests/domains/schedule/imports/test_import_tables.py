"""Tables of courses and of tasks are read row by row: a bad row names its line, the good ones are kept."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports import plain_text, tables
from steadyhand.domains.schedule.imports.tables import read_slots, read_table, read_tasks
from steadyhand.domains.schedule.term.records import Term

TERM = Term(1, "秋", "Asia/Shanghai", date(2026, 9, 7), 16)
COURSES = "名称,星期,节次,周次,地点,教师,可嵌入\n高等数学,周一,1-2,1-16,教一,王老师,否\n思政,4,第9-10节,1-15单,报告厅,,是\n高等数学,三,3-4,2-16双,教二,王老师,\n"


def courses(text, encoding="utf-8", **given):
    return read_table(text.encode(encoding), TERM.weeks, "1-16").fitted(TERM, **given)


def tasks(text):
    return read_tasks(text.encode(), TERM, "任务")


def told(found, *verdicts):
    return [(entry.line, entry.code) for entry in found.entries if entry.verdict in verdicts]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_encoding_and_delimiter_gives_the_same_courses(encoding, delimiter):
    found = courses(COURSES.replace(",", delimiter), encoding)
    maths, politics = found.events
    assert (maths.name, maths.can_embed, maths.rule) == ("高等数学", False, "")
    assert {row.particulars.teacher for row in maths.rows} == {"王老师"}
    assert {(row.day_of_week, row.particulars.location) for row in maths.rows} == {(1, "教一"), (3, "教二")}
    assert len(maths.rows) == 16 * 2 + 8 * 2
    assert (politics.name, politics.rule, politics.can_embed) == ("思政", "1-15 odd", True)
    assert told(found, "dropped", "asked") == []


def test_english_headers_in_any_order_are_understood():
    found = courses('Slots,Name,Weeks,Day,Nonsense\n"1,2",Maths,"1-5,7-11 odd",Monday,x\n3,Sport,,wed,\n')
    assert [(event.name, len(event.rows)) for event in found.events] == [("Maths", 16), ("Sport", 16)]
    assert [entry.params.get("column", entry.code) for entry in found.entries if entry.verdict == "changed"] == [
        "times_of_scale",
        "Nonsense",
    ]


def test_bad_rows_name_their_line_and_cost_no_good_one():
    found = courses(
        "name,day,slots,weeks,embeddable\n"
        "good,1,1-2,1-3,no\n"
        ",1,1-2,1-3,no\n"
        "a,8,1-2,1-3,no\n"
        "b,1,2-1,1-3,no\n"
        "c,1,1-13,1-3,no\n"
        "d,1,1-2,x,no\n"
        "e,1,1-2,17-18,no\n"
        "f,1,1-2,1-3,perhaps\n"
        '"unclosed,1,1-2,1-3,no\n'
        "\n"
        "also good,2,5,15-18,yes\n"
    )
    assert [event.name for event in found.events] == ["good", "also good"]
    assert told(found, "dropped") == [
        (3, "name_missing"),
        (4, "row_value"),
        (5, "row_value"),
        (6, "row_outside_scale"),
        (7, "row_value"),
        (8, "row_outside_term"),
        (9, "row_value"),
        (10, "row_unreadable"),
    ]
    assert told(found, "changed") == [(0, "times_of_scale"), (12, "cut_to_term")]


def test_courses_that_meet_in_one_place_are_asked_about():
    found = courses("name,day,slots\na,1,1-2\nb,1,2-3\n", taken={(1, 1, 1): "旧"})
    assert [entry.params["other"] for entry in found.entries if entry.code == "overlap"] == ["旧", "a"]


def test_the_same_table_gives_the_same_identities_and_an_own_one_is_kept():
    first, second = courses(COURSES), courses(COURSES.replace("周一", "周五"))
    assert [event.uid for event in first.events] == [event.uid for event in second.events]
    assert courses("uid,name,day,slots\nx@y,a,1,1\n").events[0].uid == "x@y"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "import_empty"),
        ("\n\n", "import_empty"),
        ("name,day\na,1\n", "import_columns_missing"),
        ('"a\nb', "import_columns_missing"),
    ],
)
def test_a_file_that_is_no_such_table_is_one_clear_error(text, code):
    with pytest.raises(ModelCanFix, match=code):
        courses(text)


def test_files_beyond_the_limits_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 2)
    with pytest.raises(ModelCanFix, match="import_too_many_rows"):
        courses("name,day,slots\n" + "a,1,1\n" * 3)
    monkeypatch.setattr(plain_text, "MAX_TEXT_BYTES", 10)
    with pytest.raises(ModelCanFix, match="import_too_large"):
        courses("name,day,slots\n")


@pytest.mark.parametrize(
    "beginning", [b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"%PDF-1.7\n", b"SQLite format 3\0", b"\xff\xd8\xff\xe0"]
)
def test_a_picture_an_archive_and_a_document_are_no_table(beginning):
    with pytest.raises(ModelCanFix, match="import_not_text"):
        read_table(beginning + bytes(range(256)) * 4)


def test_bytes_that_are_no_text_in_any_encoding_are_no_table():
    with pytest.raises(ModelCanFix, match="import_not_text"):
        read_table(bytes(range(256)) * 40)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=8))
def test_no_row_at_all_costs_the_good_one(rows):
    lines = [" ".join(row.splitlines()) for row in rows]
    found = courses("name,day,slots,uid\n" + "".join(f"{line}\n" for line in lines) + "good,7,12,the good one\n", "utf-8")
    assert "the good one" in [event.uid for event in found.events]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("1-2", (1, 2)),
        ("第3-4节", (3, 4)),
        ("5", (5, 5)),
        ("1,2,3", (1, 3)),
        ("9、10节", (9, 10)),
        ("1,3", None),
        ("0", None),
        ("a", None),
    ],
)
def test_sections_as_people_write_them(text, slots):
    assert read_slots(text) == slots


def test_tasks_keep_their_categories_their_order_and_their_details():
    found = tasks(
        "类别,任务,时长,截止,最早,优先级\n概率论,第一章,2,2026-12-20,,5\n英语,作文,2节,12月1日,10/8,\n概率论,第二章,,第8周周五,第3周,\n,杂事,,,,1\n"
    )
    assert [(one.name, [task.content for task in one.tasks]) for one in found.categories] == [
        ("概率论", ["第一章", "第二章"]),
        ("英语", ["作文"]),
        ("任务", ["杂事"]),
    ]
    first, second = found.categories[0].tasks
    assert (first.duration, first.deadline, first.priority) == (2, date(2026, 12, 20), 5)
    assert (second.duration, second.earliest, second.deadline, second.priority) == (
        None,
        date(2026, 9, 21),
        date(2026, 10, 30),
        3,
    )
    essay = found.categories[1].tasks[0]
    assert (essay.duration, essay.earliest, essay.deadline) == (2, date(2026, 10, 8), date(2026, 12, 1))


def test_bad_task_rows_name_their_line_and_cost_no_good_one():
    found = tasks(
        "task,slots,before,after,priority\n"
        "a,0,,,\n"
        "b,13,,,\n"
        "c,,someday,,\n"
        "d,,2026-10-01,2026-10-02,\n"
        "e,,,,6\n"
        ",,,,1\n"
        "f,,08-15,,\n"
        "good,1,2026-10-01,2026-10-01,5\n"
        "good,1,,,\n"
    )
    assert [task.content for task in found.categories[0].tasks] == ["good"]
    assert told(found, "dropped") == [
        (2, "row_value"),
        (3, "row_outside_scale"),
        (4, "row_value"),
        (5, "row_dates_crossed"),
        (6, "row_value"),
        (7, "name_missing"),
        (8, "row_value"),
        (10, "duplicate"),
    ]
