"""The week grid: 80 columns with Chinese text, marks that need no colour, and golden files in both languages."""

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from command_line.ground import ROOT, Line
from command_line.terminal import at_terminal
from steadyhand.domains.schedule.draft.week_grid import Column, Mark, Seat, draw, wrap

GOLDEN = ROOT / "tests" / "golden"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
NAMES = st.text(alphabet=st.sampled_from("abc XYZ高等数学（上）：—é한"), max_size=30)


@pytest.fixture
def drafted(seeded: Line) -> Line:
    """The examples with an embedded task, a stored one and a drafted one in week 9."""
    seeded.ok("schedule", "course", "embeddable", "思想道德与法治")
    seeded.ok("schedule", "place", "整理实验数据", "2026-11-05", "9")
    seeded.ok("schedule", "place", "体测准备", "2026-11-07", "1")
    seeded.ok("schedule", "propose")
    seeded.approve()
    seeded.ok("schedule", "place", "Essay: my home town", "2026-11-08", "5")
    seeded.ok("schedule", "course", "embeddable", "形势与政策")
    seeded.ok("schedule", "place", "Oral presentation", "2026-11-02", "9")
    return seeded


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_week_is_drawn_as_in_the_golden_file(drafted: Line, language: str) -> None:
    drafted.language = language
    shown = drafted.ok("schedule", "show", "--week", "9").out
    golden = GOLDEN / f"week.{language}.txt"
    assert shown == golden.read_text(encoding="utf-8"), shown
    assert max(cell_len(row) for row in shown.splitlines()) <= 80


def test_the_default_week_is_this_one_inside_the_term_and_else_the_first_with_anything(drafted: Line) -> None:
    assert drafted.ok("--json", "schedule", "show").data["week"] == 1


def test_one_day_is_shown_with_whole_names(drafted: Line) -> None:
    shown = drafted.ok("schedule", "show", "--day", "2026-11-05").out
    assert "t整理实验数据" in shown
    assert "C思想道德与法治（水课）" in shown
    assert [row for row in shown.splitlines() if cell_len(row) > 80] == []


def test_json_gives_the_cells(drafted: Line) -> None:
    data = drafted.ok("--json", "schedule", "show", "--week", "9").data
    thursday, sunday = data["days"][3], data["days"][6]
    assert thursday["date"] == "2026-11-05"
    assert {
        "slots": [9, 10],
        "name": "整理实验数据",
        "mark": "t",
        "place": "",
        "embedded_in": "思想道德与法治（水课）",
        "teacher": "",
        "times": ["19:00", "20:40"],
        "exact": False,
    } in thursday["cells"]
    assert sunday["cells"] == [
        {
            "slots": [5, 6],
            "name": "Essay: my home town",
            "mark": "S",
            "place": "",
            "embedded_in": None,
            "teacher": "",
            "times": ["14:00", "15:40"],
            "exact": False,
        }
    ]
    assert (data["drafted"], data["pending"]) == (2, 11)


def test_at_a_terminal_the_marks_are_coloured_unless_no_color_is_set(drafted: Line) -> None:
    words = ("schedule", "show", "--week", "9")
    code, coloured = at_terminal(drafted.data_dir, *words)
    assert code == 0
    assert "\x1b[33mS Essay:" in coloured
    code, plain = at_terminal(drafted.data_dir, *words, NO_COLOR="1")
    assert code == 0
    assert "\x1b[" not in plain
    assert ESCAPES.sub("", coloured) == plain


def test_piped_output_has_no_colours(drafted: Line) -> None:
    assert "\x1b[" not in drafted.ok("schedule", "show", "--week", "9").out


@settings(max_examples=150, deadline=None)
@given(NAMES, st.integers(1, 12), st.integers(4, 80))
def test_wrapped_text_keeps_to_its_lines_and_cells(text: str, count: int, inner: int) -> None:
    lines = wrap(f"C{text}", count, inner)
    assert len(lines) == count
    assert all(cell_len(line) <= inner for line in lines)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 12), NAMES.filter(bool), st.sampled_from(["C", "T", "S", "t", "s"])),
        max_size=8,
    ),
    st.integers(1, 7),
)
def test_every_line_of_the_grid_is_equally_wide(seats: list[tuple[int, int, str, Mark]], days: int) -> None:
    scale = [(f"{hour:02d}:00", f"{hour:02d}:45") for hour in range(8, 20)]
    column = Column(
        ("周一", "09-07*"),
        date(2026, 9, 7),
        tuple(Seat(min(first, last), max(first, last), name, mark) for first, last, name, mark in seats),
    )
    rows = ESCAPES.sub("", draw([column] * days, scale)).splitlines()
    assert len({cell_len(row) for row in rows}) == 1
    assert cell_len(rows[0]) <= 80


def test_golden_files_are_of_both_languages() -> None:
    assert {path.name for path in Path(GOLDEN).glob("week.*.txt")} == {"week.en.txt", "week.zh-CN.txt"}
