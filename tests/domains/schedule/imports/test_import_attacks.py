"""A megabyte of what a pattern likes least is answered like any other file; were one not linear, these would take hours."""

import contextlib
import json
from datetime import date

import pytest

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports import reader, task_file
from steadyhand.domains.schedule.imports.detecting import kind_of
from steadyhand.domains.schedule.imports.schools.registry import read_file
from steadyhand.domains.schedule.imports.tables import read_slots
from steadyhand.domains.schedule.term.records import Term
from steadyhand.domains.schedule.term.weeks import read_weeks

MUCH = 900_000


def qiangzhi(first="课", when="1-16(周)[01-02]节", head="第一大节", mark="A-1-2"):
    return (
        f"<html><table id='kbtable'><tr><th>节次</th><th>星期一</th></tr><tr><th>{head}</th><td><div id='{mark}' class='kbcontent'>"
        f"{first}<br/>课程<br/><font title='周次(节次)'>{when}</font></div></td></tr></table></html>"
    )


def zhengfang(cell):
    return f"<table id='Table1'><tr><td>节</td><td>星期一</td></tr><tr><td>第1节</td><td>{cell}</td></tr></table>"


def shuwei(step):
    return "<script>var unitCount = 12;" + step * (MUCH // len(step)) + "</script>"


def rows(**said):
    return json.dumps({"kbList": [{"kcmc": "课", "xqj": "1", "jcs": "1-2", "zcd": "1-16周"} | said]})


FILES = {
    "a number of a class": qiangzhi(first="0" * MUCH),
    "a bracket": qiangzhi(when="1-16(周)[" + "1" * MUCH + "节"),
    "a head": qiangzhi(head="1-" * (MUCH // 2)),
    "a head of pairs": qiangzhi(head="第一大节" * (MUCH // 4)),
    "a mark": qiangzhi(mark="-" * MUCH),
    "weeks of a page": qiangzhi(when="1-" * (MUCH // 2)),
    "digits in a cell": zhengfang("周一第" + "1" * MUCH),
    "braces in a cell": zhengfang("{" * MUCH),
    "dashes in a cell": zhengfang("1-" * (MUCH // 2)),
    "blanks of a script": shuwei("new TaskActivity(" + " " * 440 + "x"),
    "words of a script": shuwei("new TaskActivity(" + "a" * 440),
    "brackets of a script": shuwei("new TaskActivity(" + '("' * 220),
    "quotes of a script": shuwei("new TaskActivity('" + "\\'" * 200),
    "teachers of a script": shuwei("actTeachers = ["),
    "names of a script": shuwei('courseNameLessonNo = "\\'),
    "weeks of blanks": rows(zcd="1" + " " * MUCH + "x"),
    "weeks of weeks": rows(zcd="1周" * (MUCH // 3)),
    "sections of blanks": rows(jcs="1" + " " * MUCH + "x"),
    "sections of dashes": rows(jcs="1-" * (MUCH // 2)),
    "day of blanks": rows(xqj="第1" + " " * MUCH + "周"),
    "cells of blanks": "名称,星期,节次,周次\n课,周一,1" + " " * MUCH + "x,1-2",
    "weeks in a cell": "名称,星期,节次,周次\n课,周一,1,1" + " " * MUCH + "x",
    "clocks in a cell": "名称,星期,开始时间,结束时间,周次\n课,周一," + "1" * MUCH + ",9:00,1",
    "heads in brackets": "名称,星期,节次,周次," + "(" * MUCH + "\n课,周一,1,1,x",
}
LISTS = {
    "blanks": ("# a" + " " * 990 + "b\n") * 900,
    "hashes": ("# " + "a #" * 330 + "\n") * 900,
    "brackets": ("- a" + "[" * 990 + "\n") * 900,
    "round brackets": ("- a (" + " " * 980 + "x\n") * 900,
    "limits": ("- a (before" + " " * 900 + "x)\n") * 900,
    "ends": ("- a (" + "前" * 300 + "x)\n") * 900,
    "rules": ("- " * 490 + "x\n") * 900,
}


def calendar(*lines):
    return "\r\n".join(
        ["BEGIN:VEVENT", "UID:a", "SUMMARY:x", "DTSTART:20260907T080000", "DTEND:20260907T094000", *lines, "END:VEVENT"]
    )


CALENDARS = {
    "teachers": "\r\n".join(calendar("DESCRIPTION:" + "\\n" * 1990).replace("UID:a", f"UID:{n}") for n in range(200)),
    "a zone's name": calendar("X:y").replace("DTSTART", "DTSTART;TZID=UTC+1" + "1" * 60_000),
    "a date": calendar("EXDATE:" + "2026-" * 12_000),
    "an offset": "BEGIN:VTIMEZONE\r\nTZID:x\r\nBEGIN:STANDARD\r\nTZOFFSETTO:"
    + "+01" * 20_000
    + "\r\nEND:STANDARD\r\n"
    + calendar(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_courses_that_is_made_to_be_slow_is_read_or_refused(name):
    with contextlib.suppress(ModelCanFix):
        assert read_file(FILES[name].encode(), 16).weeks == 16


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_tasks_that_is_made_to_be_slow_is_read(name):
    term = Term(1, "", "UTC", date(2026, 9, 7), 16)
    found = task_file.read(f"{LISTS[name]}- good\n".encode(), term, "任务", table=False)
    assert "good" in [task.content for category in found.categories for task in category.tasks]


@pytest.mark.parametrize("name", CALENDARS)
def test_a_calendar_that_is_made_to_be_slow_is_read(name):
    assert reader.read(CALENDARS[name].encode(), "Asia/Shanghai").events


@pytest.mark.parametrize("data", [b"\n" * MUCH, b" " * MUCH, b"\n\t" * MUCH + b"BEGIN"])
def test_nothing_but_blanks_is_no_calendar(data):
    assert kind_of(data) == "table"


def test_words_of_a_person_are_read_the_same_way():
    assert read_slots("1" + " " * MUCH + "x") is None
    with pytest.raises(ValueError, match="1"):
        read_weeks("1" + " " * MUCH + "x", 16)
