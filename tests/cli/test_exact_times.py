"""What a file says of a meeting is what is stored, shown and given back, to the minute and the room; an edit touches what it names."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from command_line.ground import Line, content

ODD = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:a
SUMMARY:Insurance
LOCATION:A1
DTSTART;TZID=Asia/Shanghai:20260907T154500
DTEND;TZID=Asia/Shanghai:20260907T172000
RRULE:FREQ=WEEKLY;COUNT=4
END:VEVENT
BEGIN:VEVENT
UID:b
SUMMARY:Insurance
LOCATION:B2
DTSTART;TZID=Asia/Shanghai:20260908T085000
DTEND;TZID=Asia/Shanghai:20260908T102500
RRULE:FREQ=WEEKLY;COUNT=4
END:VEVENT
END:VCALENDAR
"""
BY_SECTIONS = "name,day,slots,weeks,place\nLogic,Mon,3-4,1-2,A1\nLogic,Mon,3-4,3-4,B2\n"


@pytest.fixture
def odd(line: Line, tmp_path: Path) -> Line:
    """A folder with a course at two weekly times that are off the scale, in two rooms."""
    file = tmp_path / "odd.ics"
    file.write_text(ODD)
    line.ok("schedule", "import", str(file), "--zone", "Asia/Shanghai", "--term-start", "2026-09-07", "--weeks", "4")
    line.approve()
    return line


def exported(line: Line, folder: Path, name: str) -> Any:
    line.ok("schedule", "export", str(folder / name), "--force")
    return (folder / name).read_text(encoding="utf-8-sig")


def placements(line: Line, folder: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(exported(line, folder, "out.csv"))))[1:]


def test_an_export_gives_the_minutes_and_the_rooms_of_the_file_back(odd: Line, tmp_path: Path) -> None:
    written = exported(odd, tmp_path, "out.ics").replace("\r\n ", "")
    for said in ("20260907T154500", "20260907T172000", "20260908T085000", "20260908T102500", "LOCATION:A1", "LOCATION:B2"):
        assert said in written
    assert "A1、B2" not in written
    rows = placements(odd, tmp_path)
    assert {(row[2], row[4], row[5], row[9]) for row in rows} == {
        ("Mon", "15:45", "17:20", "A1"),
        ("Tue", "08:50", "10:25", "B2"),
    }
    seats = odd.ok("--json", "schedule", "show", "--week", "1").data["days"]
    assert [(day["cells"][0]["times"], day["cells"][0]["exact"], day["cells"][0]["place"]) for day in seats[:2]] == [
        (["15:45", "17:20"], True, "A1"),
        (["08:50", "10:25"], True, "B2"),
    ]
    shown = odd.ok("schedule", "show", "--week", "1").out
    assert "15:45–17:20" in shown
    assert "A1" in shown


def test_one_of_several_weekly_times_is_edited_and_the_others_stay(odd: Line, tmp_path: Path) -> None:
    before = content(odd.database)
    refused = odd("schedule", "course", "edit", "Insurance", "--day", "5", "--slots", "5-6")
    assert refused.code != 0
    assert "--which 1" in refused.err
    assert "15:45–17:20" in refused.err
    assert "08:50–10:25" in refused.err
    assert content(odd.database) == before
    moved = odd.ok("schedule", "course", "edit", "Insurance", "--day", "5", "--slots", "5-6", "--which", "1")
    assert "its clock times are now those of the time scale" in moved.out
    rows = placements(odd, tmp_path)
    assert {(row[2], row[4], row[5], row[9]) for row in rows} == {
        ("Fri", "14:00", "15:40", "A1"),
        ("Tue", "08:50", "10:25", "B2"),
    }
    assert len(rows) == 8


def test_place_and_teacher_are_those_of_all_meetings_or_of_the_one_that_is_named(odd: Line, tmp_path: Path) -> None:
    odd.ok("schedule", "course", "edit", "Insurance", "--location", "C3", "--which", "2")
    assert {(row[2], row[4], row[9]) for row in placements(odd, tmp_path)} == {("Mon", "15:45", "A1"), ("Tue", "08:50", "C3")}
    odd.ok("schedule", "course", "edit", "Insurance", "--place", "D4", "--teacher", "Ms Li")
    assert {(row[2], row[4], *row[9:11]) for row in placements(odd, tmp_path)} == {
        ("Mon", "15:45", "D4", "Ms Li"),
        ("Tue", "08:50", "D4", "Ms Li"),
    }


def test_a_table_without_times_gets_none_and_says_so(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "sections.csv"
    file.write_text(BY_SECTIONS)
    told = line.ok("--json", "schedule", "import", str(file), "--term-start", "2026-09-07", "--weeks", "4").data
    assert "times_of_scale" in str(told["report"])
    line.approve()
    known = {(week, begins, place) for _, week, _, _, begins, _, place, _ in content(line.database)["particulars"]}
    assert known == {(1, None, "A1"), (2, None, "A1"), (3, None, "B2"), (4, None, "B2")}
    listed = line.ok("--json", "schedule", "course", "list").data["courses"][0]["times"]
    assert [(one["weeks"], one["place"], one["exact"]) for one in listed] == [([1, 2], "A1", False), ([3, 4], "B2", False)]
