"""Importing at the command line: reported, shown first, by UID, and never twice."""

from pathlib import Path

import pytest

from command_line.ground import COURSE_FILE, TERM_FILE, Line, content, states


def test_an_import_is_only_shown_until_it_is_approved(line: Line) -> None:
    shown = line.ok("schedule", "import", TERM_FILE)
    assert content(line.database)["events"] == []
    for words in ("2026年秋季学期", "Monday 2026-09-07", "18 weeks", "Asia/Shanghai", "12 slots a day", "--term-start"):
        assert words in shown.out
    assert "kept (12)" in shown.out
    assert "left out (1)" in shown.out
    assert "steady change approve C-1" in shown.out
    line.approve()
    assert len(content(line.database)["events"]) == 12


def test_a_machine_in_another_zone_reads_the_calendar_in_its_own(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEADYHAND_ZONE", "America/New_York")
    line.ok("schedule", "import", TERM_FILE)
    line.approve()
    assert content(line.database)["terms"] == [(20260907, "2026年秋季学期", "Asia/Shanghai", "2026-09-07", 18, 1)]


def test_the_same_file_again_changes_nothing_and_is_no_failure(seeded: Line) -> None:
    before, changes = content(seeded.database), states(seeded.database)
    again = seeded.ok("schedule", "import", TERM_FILE)
    assert "nothing to change" in again.out
    assert content(seeded.database) == before
    assert states(seeded.database) == changes


def test_a_newer_file_changes_events_by_uid_and_doubles_none(seeded: Line, tmp_path: Path) -> None:
    newer = tmp_path / "newer.ics"
    newer.write_text(
        Path(TERM_FILE).read_text().replace("SUMMARY:线性代数", "SUMMARY:线性代数（荣誉）").replace("教一 203", "教三 101")
    )
    shown = seeded.ok("schedule", "import", str(newer))
    assert "0 new, 2 changed, 10 the same" in shown.out
    assert "name: 线性代数 → 线性代数（荣誉）" in shown.out
    seeded.approve()
    names = [event[0] for event in content(seeded.database)["events"]]
    assert len(names) == 12
    assert "线性代数（荣誉）" in names
    assert "线性代数" not in names


def test_two_proposals_of_one_file_end_in_one_term(line: Line) -> None:
    line.ok("schedule", "import", TERM_FILE)
    line.ok("schedule", "import", TERM_FILE)
    assert states(line.database) == [(1, "withdrawn"), (2, "sealed")]
    line.approve()
    assert len(content(line.database)["terms"]) == 1
    assert len(content(line.database)["events"]) == 12


def test_a_course_that_moves_sets_its_embedded_task_free(seeded: Line, tmp_path: Path) -> None:
    seeded.ok("schedule", "course", "embeddable", "思想道德与法治")
    seeded.ok("schedule", "place", "整理实验数据", "2026-11-05", "9")
    seeded.ok("schedule", "propose")
    seeded.approve()
    seeded.ok("schedule", "tasks", "list")
    assert ("整理实验数据", 9, 4, 9, "思想道德与法治（水课）") in content(seeded.database)["cells"]
    newer = tmp_path / "newer.ics"
    newer.write_text(
        Path(TERM_FILE).read_text().replace("20260910T190000", "20260910T160000").replace("20260910T204000", "20260910T174000")
    )
    shown = seeded.ok("schedule", "import", str(newer))
    assert "- 整理实验数据" in shown.out
    seeded.approve()
    assert not [cell for cell in content(seeded.database)["cells"] if cell[0] == "整理实验数据"]
    pending = seeded.ok("--json", "schedule", "tasks", "list", "--status", "pending").data["tasks"]
    assert "整理实验数据" in [task["name"] for task in pending]


def test_a_table_of_courses_needs_a_term_or_the_day_on_which_it_begins(line: Line) -> None:
    refused = line("schedule", "import", COURSE_FILE)
    assert refused.code == 2
    assert "--term-start" in refused.err
    shown = line.ok("schedule", "import", COURSE_FILE, "--term-start", "2026-09-09", "--weeks", "16", "--name", "Autumn")
    assert "2026-09-09 is no Monday" in shown.out
    line.approve()
    assert content(line.database)["terms"][0][1:5] == ("Autumn", "UTC", "2026-09-07", 16)
    assert len(content(line.database)["events"]) == 3


def test_what_fits_no_slot_is_reported_with_its_reason_and_left_out(line: Line, tmp_path: Path) -> None:
    odd = tmp_path / "odd.ics"
    odd.write_text(
        Path(TERM_FILE).read_text().replace("20261014T190000", "20261014T120000").replace("20261014T203000", "20261014T130000")
    )
    shown = line.ok("schedule", "import", str(odd))
    assert "to be decided (1)" in shown.out
    assert "12:00–13:00 (1 meeting, first on 2026-10-14) fits no slots" in shown.out
    line.approve()
    assert "学术讲座：大模型与教育" not in [event[0] for event in content(line.database)["events"]]


def test_json_holds_the_report_the_term_and_the_change(line: Line) -> None:
    data = line.ok("--json", "schedule", "import", TERM_FILE).data
    assert set(data) == {"term", "report", "events", "change"}
    assert data["term"]["first_monday"] == "2026-09-07"
    assert data["events"] == {"added": 12, "changed": 0, "unchanged": 0}
    assert [entry["code"] for entry in data["report"]["dropped"]] == ["all_day"]
    assert data["change"]["state"] == "sealed"


def test_a_term_can_be_set_without_a_file_and_is_one_step(line: Line) -> None:
    done = line.ok("schedule", "term", "2027-03-01", "--weeks", "17", "--name", "Spring")
    assert "verified" in done.out
    assert "“Spring”: week 1 begins on Monday 2027-03-01; 17 weeks" in line.ok("schedule", "term").out
    assert "nothing to change" in line.ok("schedule", "term", "2027-03-03").out
    line.ok("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--weeks", "17")
    assert line("schedule", "term", "--weeks", "16").code == 2


def test_another_term_becomes_the_current_one_and_the_first_stays_stored(seeded: Line) -> None:
    seeded.ok("schedule", "term", "2027-03-01", "--weeks", "17", "--name", "Spring")
    assert "no courses" in seeded.ok("schedule", "course", "list").out
    seeded.ok("schedule", "term", "2026-09-07")
    assert "线性代数" in seeded.ok("schedule", "course", "list").out
    assert [row[-1] for row in content(seeded.database)["terms"]] == [1, 0]


def test_the_report_is_there_for_a_program_when_nothing_can_be_taken(line: Line, tmp_path: Path) -> None:
    holidays = tmp_path / "holidays.ics"
    day = "BEGIN:VEVENT\nUID:h\nSUMMARY:国庆节 休\nDTSTART;VALUE=DATE:20261001\nEND:VEVENT\n"
    holidays.write_text(f"BEGIN:VCALENDAR\n{day}END:VCALENDAR\n")
    refused = line("--json", "schedule", "import", str(holidays))
    assert [told["code"] for told in refused.data["report"]["dropped"]] == ["all_day"]
    assert refused.data["change"] is None
    assert (refused.code != 0, refused.data["error"]["code"]) == (True, "nothing_taken")
