"""Complaint 36: calendar changes were not reviewable. Here every kind of timetable change shows before and after per event, then asks once.

What the review shows is what the stored difference says, and one answer decides all of it: nothing before, everything after.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line.ground import TASK_FILE, TERM_FILE, content, in_here, states
from command_line.terminal import at_terminal

QUESTION = "Approve?"


def _say(folder: Path, *words: str) -> str:
    answer = in_here(folder, "--lang", "en", *words)
    assert answer.code == 0, answer
    return answer.out


def _approved(folder: Path, *words: str) -> None:
    shown = _say(folder, *words)
    _say(folder, *shown.strip().splitlines()[-1].partition("steady ")[2].split())


@pytest.fixture
def folder(data_dir: Path, september: None) -> Path:
    """The examples, with two stored tasks of one's own."""
    _approved(data_dir, "schedule", "import", TERM_FILE)
    _approved(data_dir, "schedule", "tasks", "add", TASK_FILE)
    _say(data_dir, "schedule", "window", "2026-09-07")
    _say(data_dir, "schedule", "place", "Oral presentation", "2026-09-12", "1")
    _say(data_dir, "schedule", "place", "Essay", "2026-09-13", "1")
    _approved(data_dir, "schedule", "propose")
    return data_dir


def _a_draft_that_moves_places_and_frees(folder: Path, _: Path) -> tuple[str, ...]:
    for words in (("reopen", "Oral"), ("move", "Oral", "2026-09-19", "3"), ("reopen", "Essay"), ("unplace", "Essay")):
        _say(folder, "schedule", *words)
    _say(folder, "schedule", "place", "体测准备", "2026-09-20", "5")
    return "schedule", "propose"


def _a_newer_calendar(_: Path, tmp_path: Path) -> tuple[str, ...]:
    file = tmp_path / "newer.ics"
    text = Path(TERM_FILE).read_text().replace("SUMMARY:线性代数", "SUMMARY:线性代数（荣誉）")
    file.write_text(text.replace("20261014T190000", "20261015T140000").replace("20261014T203000", "20261015T153000"))
    return "schedule", "import", str(file)


def _several_courses_go(_: Path, __: Path) -> tuple[str, ...]:
    return "schedule", "course", "remove", "线性代数", "形势与政策"


def _a_list_of_tasks(_: Path, tmp_path: Path) -> tuple[str, ...]:
    file = tmp_path / "more.md"
    file.write_text("## English\n- Grammar (2 slots, by 2026-12-01)\n\n## New\n- First\n- Second\n")
    return "schedule", "tasks", "add", str(file)


def _an_undo(_: Path, __: Path) -> tuple[str, ...]:
    return "change", "undo", "C-3"


KINDS: dict[str, tuple[Callable[[Path, Path], tuple[str, ...]], tuple[str, ...]]] = {
    "draft": (
        _a_draft_that_moves_places_and_frees,
        (
            "~ Oral presentation (placed task)\n    from week 1 Sat (2026-09-12) slots 1-2 08:00-09:40\n    to   week 2 Sat (2026-09-19) slots 3-4",
            "- Essay: my home town (placed task)\n    no longer week 1 Sun (2026-09-13) slots 1-2",
            "+ 体测准备 (placed task)\n    at week 2 Sun (2026-09-20) slot 5 14:00-14:45",
        ),
    ),
    "calendar": (
        _a_newer_calendar,
        (
            "~ 线性代数（荣誉） (course)\n    name: 线性代数 → 线性代数（荣誉）",
            "~ 学术讲座：大模型与教育 (placed task)\n    from week 6 Wed (2026-10-14) slots 9-10 19:00-20:30 · 图书馆 学术厅\n    to   week 6 Thu (2026-10-15) slots 5-6 14:00-15:30 · 图书馆 学术厅",
        ),
    ),
    "courses": (
        _several_courses_go,
        ("- 线性代数 (course)\n    no longer weeks 1-4,6-16 Tue slots 1-2", "- 形势与政策 (course)"),
    ),
    "tasks": (
        _a_list_of_tasks,
        ("+ Grammar (task)\n    category: English\n    slots: 2\n    deadline: 2026-12-01", "+ First (task)", "+ Second (task)"),
    ),
    "undo": (
        _an_undo,
        ("- Oral presentation (placed task)\n    no longer week 1 Sat (2026-09-12)", "- Essay: my home town (placed task)"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["y", "n"])
def test_every_event_is_shown_before_and_after_and_one_answer_decides_all(
    folder: Path, tmp_path: Path, kind: str, answer: str
) -> None:
    prepare, expected = KINDS[kind]
    words = prepare(folder, tmp_path)
    before = content(folder / "steadyhand.db")
    known = len(states(folder / "steadyhand.db"))
    _, shown = at_terminal(folder, "--lang", "en", *words, answer=answer, question=QUESTION, NO_COLOR="1")
    for part in expected:
        assert part in shown, shown
    assert shown.index(expected[-1]) < shown.index(QUESTION)
    assert shown.count(QUESTION) == 1
    new = states(folder / "steadyhand.db")[known:]
    assert [state for _, state in new] == ["verified" if answer == "y" else "rejected"]
    assert (content(folder / "steadyhand.db") == before) == (answer == "n")
    assert _signs(_difference(folder, new[0][0])) == _signs_shown(shown)


def _difference(folder: Path, number: int) -> dict[str, Any]:
    return json.loads(_say(folder, "--json", "change", "show", f"C-{number}"))["view"]


def _signs(view: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["sign"], item["name"]) for item in view["items"]]


def _signs_shown(shown: str) -> list[tuple[str, str]]:
    """Return sign and name of every event that the review listed."""
    return re.findall(r"^([+~-]) (.+) \((?:term|category|task|course|placed task)\)$", shown, re.MULTILINE)
