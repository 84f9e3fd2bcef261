"""The calendar at the command line: holidays, swapped days, seasons, habits, long tasks in parts, school files, pictures."""

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from command_line.ground import ROOT, TERM_FILE, Line, content, states
from steadyhand.cli.terminal.frame import BAD_INPUT
from steadyhand.core.clock import FakeClock

SCHOOLS = ROOT / "tests" / "cases" / "schools"
FILES = sorted(path for path in SCHOOLS.iterdir() if path.name != "expected.json")


def _on(line: Line, week: int, day_of_week: int) -> set[str]:
    return {cell[0] for cell in content(line.database)["cells"] if cell[1:3] == (week, day_of_week)}


def test_a_holiday_empties_its_days_in_one_act_and_comes_back(seeded: Line) -> None:
    before = content(seeded.database)
    wednesday = _on(seeded, 4, 3)
    assert wednesday
    done = seeded.ok("schedule", "facts", "add", "2026-09-28", "holiday", "--to", "2026-09-30")
    assert "verified by reading back" in done.out
    assert not _on(seeded, 4, 1) | _on(seeded, 4, 2) | _on(seeded, 4, 3)
    assert states(seeded.database)[-1] == (3, "verified")
    listed = seeded.ok("--json", "schedule", "facts", "list").data["facts"]
    assert [one["date"] for one in listed] == ["2026-09-28", "2026-09-29", "2026-09-30"]
    assert "2026-09-30 (week 4 Wed): holiday" in seeded.ok("schedule", "show", "--week", "4").out
    for day in ("2026-09-28", "2026-09-29", "2026-09-30"):
        seeded.ok("schedule", "facts", "remove", day)
    assert content(seeded.database) == before
    assert "Every day goes by its weekday" in seeded.ok("schedule", "facts", "list").out


@pytest.mark.parametrize(("language", "word"), [("en", "as"), ("zh-CN", "按")])
def test_a_swapped_day_has_the_courses_of_the_other(seeded: Line, language: str, word: str) -> None:
    seeded.language = language
    seeded.ok("schedule", "facts", "add", "2026-10-11", word, "2026-10-14")
    assert _on(seeded, 5, 7) == {name for name in _on(seeded, 6, 3) if not name.startswith("学术讲座")}
    told = seeded.ok("schedule", "facts", "list").out
    assert "2026-10-11" in told
    assert "2026-10-14" in told


def test_a_file_that_is_read_again_respects_the_facts(seeded: Line) -> None:
    seeded.ok("schedule", "facts", "add", "2026-09-30", "holiday")
    held = content(seeded.database)
    again = seeded.ok("schedule", "import", TERM_FILE)
    assert "nothing to change" in again.out
    assert content(seeded.database) == held


def test_a_day_on_which_a_task_would_lose_its_place_is_shown_first(seeded: Line) -> None:
    seeded.ok("schedule", "window", "2026-09-07", "2027-01-10")
    seeded.ok("schedule", "place", "Oral", "2026-10-11", "1")
    seeded.ok("schedule", "propose")
    seeded.approve()
    before = content(seeded.database)
    shown = seeded.ok("schedule", "facts", "add", "2026-10-11", "as", "2026-10-14")
    assert "To approve:" in shown.out
    assert content(seeded.database) == before
    seeded.approve()
    assert "Oral presentation" not in _on(seeded, 5, 7)
    pending = seeded.ok("--json", "schedule", "tasks", "list", "--status", "pending").data["tasks"]
    assert "Oral presentation" in {task["name"] for task in pending}


@pytest.mark.parametrize(
    "words",
    [
        ("facts", "add", "2026-10-01", "maybe"),
        ("facts", "add", "2026-10-01", "as"),
        ("facts", "add", "2026-10-01", "holiday", "2026-10-02"),
        ("facts", "add", "2026-10-01", "as", "2026-10-02", "--to", "2026-10-03"),
        ("facts", "add", "2026-10-01", "as", "2026-10-01"),
        ("facts", "add", "2026-10-05", "holiday", "--to", "2026-10-01"),
        ("facts", "add", "2028-10-05", "holiday"),
        ("facts", "remove", "2026-10-01"),
        ("scale", "season", "2026-10-08", "08:00-08:45"),
        ("scale", "season", "2026-10-08", "25:00-26:00"),
        ("scale", "season", "2030-10-08", ",".join(f"{hour:02d}:00-{hour:02d}:30" for hour in range(8, 20))),
        ("scale", "remove", "2026-10-08"),
        ("habits", "add", "often", "--name", "Running"),
        ("habits", "add", "3 times a week, 20 slots", "--name", "Running"),
        ("habits", "add", "daily, weeks 3-40", "--name", "Running"),
        ("habits", "add", "daily"),
        ("tasks", "split", "Essay", "--parts", "3"),
        ("tasks", "split", "学术讲座", "--parts", "1"),
        ("tasks", "split", "Essay"),
    ],
)
def test_what_cannot_be_is_one_clear_error_and_nothing_changes(seeded: Line, words: tuple[str, ...]) -> None:
    before = seeded.dump()
    refused = seeded("schedule", *words)
    assert refused.code == BAD_INPUT, refused
    assert "Nothing was changed" in refused.err or "nothing was changed" in refused.err
    assert seeded.dump() == before


def test_a_season_changes_the_clock_times_from_its_day_on(seeded: Line) -> None:
    times = ",".join(f"{hour:02d}:15-{hour:02d}:55" for hour in range(8, 20))
    seeded.ok("schedule", "scale", "season", "2026-10-08", times, "--name", "Winter")
    assert "From 2026-10-08 on “Winter”: 08:15-08:55," in seeded.ok("schedule", "scale", "show").out
    assert " 1 08:00" in seeded.ok("schedule", "show", "--week", "1").out
    assert " 1 08:15" in seeded.ok("schedule", "show", "--week", "8").out
    seeded.ok("schedule", "window", "2026-09-07")
    assert (
        "08:15-09:55"
        in seeded.ok("schedule", "place", "Oral", "2026-10-24", "1").out + seeded.ok("schedule", "tasks", "list").out
    )
    seeded.ok("schedule", "scale", "remove", "2026-10-08")
    assert seeded.ok("--json", "schedule", "scale", "show").data["seasons"] == []


@pytest.mark.parametrize(
    ("language", "words", "command"),
    [
        ("en", "3 times a week, 2 slots, evenings", "steady schedule arrange --category Running --prefer-slots 9-12"),
        ("zh-CN", "每周3次，每次2节，晚上", "steady schedule arrange --category Running --prefer-slots 9-12"),
    ],
)
def test_a_habit_becomes_tasks_of_its_weeks_that_are_shown_first(seeded: Line, language: str, words: str, command: str) -> None:
    seeded.language = language
    shown = seeded.ok("schedule", "habits", "add", words, "--name", "Running")
    assert command in shown.out
    seeded.approve()
    mine = [item for item in content(seeded.database)["items"] if item[0] == "Running"]
    assert len(mine) == 3 * 18
    assert {item[3] for item in mine} == {2}
    assert seeded.ok("--json", "schedule", "habits", "add", words, "--name", "Running").data["change"] is None
    seeded.ok("schedule", "window", "2026-09-07")
    done = seeded.ok("--json", *command.split()[1:]).data
    assert done["unplaced"] == []
    assert sum(place["slot_start"] >= 9 for place in done["placed"]) > len(mine) / 2


def test_a_habit_begins_in_the_next_whole_week(seeded: Line, still_clock: FakeClock) -> None:
    still_clock.at = datetime(2026, 12, 29, 4, 0, tzinfo=UTC)
    shown = seeded.ok("schedule", "habits", "add", "daily, 1 slot", "--name", "Words")
    assert "weeks 18" in shown.out
    assert "7 tasks" in shown.out


def test_a_long_task_is_split_into_parts_that_keep_their_place_in_the_order(seeded: Line) -> None:
    owner = next(item[0] for item in content(seeded.database)["items"] if item[1] == "编码与测试")
    done = seeded.ok("schedule", "tasks", "split", "编码与测试", "--parts", "1-2")
    assert "verified by reading back" in done.out
    items = sorted((item for item in content(seeded.database)["items"] if item[0] == owner), key=lambda item: item[2])
    assert [item[1] for item in items[2:4]] == ["编码与测试 (1/2)", "编码与测试 (2/2)"]
    assert [item[3] for item in items[2:4]] == [2, 2]
    assert [item[2] for item in items] == list(range(len(items)))
    assert "nothing to change" in seeded.ok("schedule", "tasks", "split", "编码与测试 (1/2)", "--parts", "1-2").out


def test_a_task_that_has_a_place_is_not_split(seeded: Line) -> None:
    seeded.ok("schedule", "window", "2026-09-07")
    seeded.ok("schedule", "place", "Essay", "2026-09-12", "1")
    assert seeded("schedule", "tasks", "split", "Essay", "--parts", "1").code == BAD_INPUT
    seeded.ok("schedule", "propose")
    seeded.approve()
    assert "has a place already" in seeded("schedule", "tasks", "split", "Essay", "--parts", "1").err


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_schools_and_apps_export_is_read_reported_and_stored_once(line: Line, file: Path) -> None:
    shown = line.ok("schedule", "import", str(file), "--term-start", "2026-09-07", "--weeks", "20")
    assert "kept (" in shown.out
    assert ("The file is " in shown.out) == (file.suffix != ".csv")
    line.approve()
    held = content(line.database)
    assert held["cells"]
    again = line.ok("schedule", "import", str(file))
    assert "nothing to change" in again.out
    assert content(line.database) == held


def test_a_page_that_nobody_knows_is_refused(seeded: Line, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><body><p>Hello</p></body></html>")
    before = seeded.dump()
    refused = seeded("schedule", "import", str(page))
    assert refused.code == BAD_INPUT
    assert "not recognised" in refused.err
    assert seeded.dump() == before


@pytest.mark.parametrize(("size", "unit"), [("screen", ""), ("a4", "mm")])
def test_a_week_is_written_as_svg_for_screen_and_print(seeded: Line, tmp_path: Path, size: str, unit: str) -> None:
    file = tmp_path / "week.svg"
    told = seeded.ok("--json", "schedule", "export", str(file), "--week", "2", "--size", size).data
    assert (told["format"], told["week"]) == ("svg", 2)
    root = ET.fromstring(file.read_text("utf-8"))  # noqa: S314  # the program itself wrote it
    assert root.attrib["width"].endswith(unit)
    assert "高等数学" in file.read_text("utf-8")


def test_the_week_of_a_picture_is_this_one_when_none_is_named(seeded: Line, still_clock: FakeClock, tmp_path: Path) -> None:
    still_clock.at = datetime(2026, 11, 4, 4, 0, tzinfo=UTC)
    assert "week 9" in seeded.ok("schedule", "export", str(tmp_path / "week.svg")).out


def test_a_week_is_written_as_png(seeded: Line, tmp_path: Path) -> None:
    pytest.importorskip("resvg")
    from steadyhand.domains.schedule.exports.picture import find_font

    if find_font() is None:
        pytest.skip("no font with Chinese")
    file = tmp_path / "week.png"
    seeded.ok("schedule", "export", str(file), "--week", "2")
    assert file.read_bytes().startswith(b"\x89PNG")


def test_the_courses_are_written_as_wakeup_takes_them_and_read_back_alike(seeded: Line, tmp_path: Path) -> None:
    file = tmp_path / "wakeup.csv"
    seeded.ok("schedule", "export", str(file), "--format", "wakeup")
    assert file.read_text("utf-8-sig").splitlines()[0] == "课程名称,星期,开始节数,结束节数,老师,地点,周数"
    assert "11 new" in seeded.ok("schedule", "import", str(file), "--term-start", "2027-09-06", "--weeks", "18").out


def test_one_week_is_written_as_a_table(seeded: Line, tmp_path: Path) -> None:
    file = tmp_path / "week.csv"
    seeded.ok("schedule", "export", str(file), "--week", "3")
    assert {row.split(",")[0] for row in file.read_text("utf-8-sig").splitlines()[1:]} == {"3"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.svg", ("--weeks", "1-3")),
        ("a.svg", ("--week", "40")),
        ("a.svg", ("--courses",)),
        ("a.svg", ("--font", "x.ttf")),
        ("a.csv", ("--size", "a4")),
        ("a.ics", ("--week", "1", "--weeks", "1-2")),
        ("a.csv", ("--format", "wakeup", "--week", "1")),
        ("a.csv", ("--courses", "--week", "1")),
        ("a.txt", ()),
    ],
)
def test_an_export_that_makes_no_sense_writes_no_file(seeded: Line, tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    refused = seeded("schedule", "export", str(tmp_path / name), *words)
    assert refused.code == BAD_INPUT, refused
    assert list(tmp_path.glob("a.*")) == []
