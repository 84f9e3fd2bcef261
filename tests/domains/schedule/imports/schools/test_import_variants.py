"""The forms in which other versions of a school's system write the same thing give the same lessons."""

import json

import pytest

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.schools.registry import read_file
from steadyhand.domains.schedule.term.weeks import write_weeks

PLACE = {
    "classDay": 2,
    "classSessions": 3,
    "continuingSession": 2,
    "classWeek": "110110",
    "teachingBuildingName": "理楼",
    "classroomName": "A1",
}
URP = {"courseName": "编译", "attendClassTeacher": "甲师*", "timeAndPlaceList": [PLACE]}


def of_json(value):
    return json.dumps(value, ensure_ascii=False)


def qiangzhi(inner):
    head = "".join(f"<th>星期{day}</th>" for day in "一二三四五六日")
    cells = f"<td></td><td></td><td><div class='kbcontent'>{inner}</div></td>"
    return f"<html><table id='kbtable'><tr><th></th>{head}</tr><tr><th>第一大节</th>{cells}</tr></table></html>"


def bracketed(when):
    return qiangzhi(
        f"数据结构<br/><font title='老师'>甲师</font><br/><font title='周次(节次)'>{when}</font><br/><font title='教室'>A1</font>"
    )


VARIANTS = {
    "marks in brackets": (bracketed("1-15(周)(单)[03-04节]"), [("数据结构", 3, 3, 4, "1-15 odd", "A1", "甲师")]),
    "weeks in brackets": (bracketed("1-4,6(周)[03-04节]"), [("数据结构", 3, 3, 4, "1-4,6", "A1", "甲师")]),
    "strokes": (
        qiangzhi("数据结构(机械15)|老师|甲师|周次(节次)|1-16(周)[01-02节]|教室|A1"),
        [("数据结构(机械15)", 3, 1, 2, "1-16", "A1", "甲师")],
    ),
    "week nought": (
        of_json({"kbList": [{"kcmc": "物理", "xqj": "4", "jcs": "3-4", "zcd": "0-15周", "xm": "甲师", "cdmc": "A1"}]}),
        [("物理", 4, 3, 4, "0-15", "A1", "甲师")],
    ),
    "rows of the new 正方": (
        of_json(
            {"kbxx": [{"kcmc": "高数", "jsxm": "甲师", "jasmc": "A1", "kcxq": 1, "ksjc": 1, "jsjc": 2, "zcd": "1-3周(单),6-8周"}]}
        ),
        [("高数", 1, 1, 2, "1,3,6-8", "A1", "甲师")],
    ),
    "an object for a list": (of_json({"xkxx": {"K1": URP}}), [("编译", 2, 3, 4, "1-2,4-5", "理楼A1", "甲师")]),
    "rows by their key": (
        of_json(
            [
                [
                    {
                        "kcm": "编译",
                        "jsm": "甲师",
                        "jxlm": "理楼",
                        "jasm": "B2",
                        "cxjc": "3",
                        "id": {"skxq": "5", "skzc": "10101", "skjc": "7"},
                    }
                ]
            ]
        ),
        [("编译", 5, 7, 9, "1-5 odd", "理楼B2", "甲师")],
    ),
    "a script's value": (
        f"<html><script>var kbxx_json = {of_json({'dateList': [{'selectCourseList': [URP]}]})};</script></html>",
        [("编译", 2, 3, 4, "1-2,4-5", "理楼A1", "甲师")],
    ),
    "weeks as words": (
        of_json(
            {
                "activities": [
                    {
                        "courseName": "高数",
                        "teacherNames": ["甲师"],
                        "room": "A1",
                        "weekday": 1,
                        "weekIndexes": "1-16双",
                        "startUnit": 1,
                        "endUnit": 2,
                    }
                ]
            }
        ),
        [("高数", 1, 1, 2, "2-16 even", "A1", "甲师")],
    ),
    "times in one text": (
        of_json(
            {"rows": [{"KCMC": "系统", "RKJS": "乙师", "PKSJDD": "[1-8单周]星期一[3-4节]理楼A201;[10,12周]星期五[7节]实验室"}]}
        ),
        [("系统", 1, 3, 4, "1-7 odd", "理楼A201", "乙师"), ("系统", 5, 7, 7, "10,12", "实验室", "乙师")],
    ),
    "old columns": (
        "课程名称,星期,开始节数,结束节数,老师,地点,开始周,结束周,单双周(0全1单2双)\n矩阵,5,2,4,甲师,B1,1,16,0\n安全,4,2,4,乙师,B2,1,16,1\n",
        [("矩阵", 5, 2, 4, "1-16", "B1", "甲师"), ("安全", 4, 2, 4, "1-15 odd", "B2", "乙师")],
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_gives_its_lessons(name):
    text, lessons = VARIANTS[name]
    found = read_file(text.encode(), 16)
    assert [
        (one.name, one.day, one.first, one.last, write_weeks(one.weeks), one.location, one.teacher) for one in found.lessons
    ] == lessons
    assert found.entries == ()


def test_clock_times_of_a_table_are_kept_as_they_are():
    found = read_file("课程名,星期几,开始时间,结束时间,周次\n高数,星期一,8:05,09:40,1-16\n".encode())
    assert [(one.day, one.clock, len(one.weeks)) for one in found.lessons] == [(1, (485, 580), 16)]


def test_what_a_packed_text_says_otherwise_is_said_time_by_time():
    found = read_file(
        of_json([{"KCM": "系统", "PKSJDD": "[1-8周]星期一[3-4节]A;待定;[x]星期二[1节]"}, {"KCM": "论文", "PKSJDD": ""}]).encode(),
        16,
    )
    assert [one.day for one in found.lessons] == [1]
    assert [told.code for told in found.entries] == ["row_value", "row_value", "lesson_untimed"]


@pytest.mark.parametrize(
    "table",
    [
        "名称,星期,节次\n课,周一,1-2\n",
        "名称,星期,节次,周次\n课,周一,1-2,\n",
        "名称,星期,节次,上课时段\n课,周一,1-2,1-16\n",
    ],
)
def test_weeks_that_a_table_does_not_say_are_never_all_weeks(table):
    with pytest.raises(ModelCanFix, match="import_weeks_unsaid"):
        read_file(table.encode(), 16)
    assert [write_weeks(one.weeks) for one in read_file(table.encode(), 16, "3-5").lessons] == ["3-5"]


def test_a_row_that_says_no_weeks_among_others_is_asked_about_alone():
    found = read_file("名称,星期,节次,周次\n课,周一,1-2,1-3\n别的,周二,1-2,\n".encode(), 16)
    assert [one.name for one in found.lessons] == ["课"]
    assert [(told.code, told.verdict, told.line) for told in found.entries] == [("weeks_unsaid", "asked", 3)]
