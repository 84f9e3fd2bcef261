"""The whole way with the examples, at a terminal and with pipes, in Chinese and in English: at most seven commands, whatever day it is."""

import os
import stat
from pathlib import Path

import pytest

from command_line.ground import TASK_FILE, TERM_FILE, content, in_child, states
from command_line.terminal import Terminal, at_terminal

pytestmark = pytest.mark.usefixtures("september")

MAX_COMMANDS = 7
WORDS = {
    "en": {
        "question": "Approve?",
        "yes": "y",
        "verified": "verified by reading back",
        "placed": "15 tasks suggested, 0 tasks without",
    },
    "zh-CN": {"question": "批准吗？", "yes": "是", "verified": "验证完成", "placed": "已预排15个任务，未放置0个任务"},
}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_at_a_terminal_seven_commands_lead_from_a_file_to_a_verified_week(data_dir: Path, tmp_path: Path, language: str) -> None:
    words, commands = WORDS[language], 0

    def say(*typed: str, asked: bool = False) -> str:
        nonlocal commands
        commands += 1
        answer = words["yes"] if asked else None
        code, shown = at_terminal(data_dir, "--lang", language, *typed, answer=answer, question=words["question"])
        assert code == 0, shown
        assert not asked or words["verified"] in shown
        return shown

    plan = tmp_path / "plan.ics"
    say("schedule", "import", TERM_FILE, asked=True)
    say("schedule", "tasks", "add", TASK_FILE, asked=True)
    say("schedule", "window", "2026-09-07", "2027-01-10")
    assert words["placed"] in say("schedule", "arrange")
    say("schedule", "propose", asked=True)
    say("schedule", "export", str(plan))
    assert commands <= MAX_COMMANDS
    assert plan.read_bytes().count(b"BEGIN:VEVENT") >= 27
    assert stat.S_IMODE(plan.stat().st_mode) == 0o644
    held = content(data_dir / "steadyhand.db")
    assert len(held["events"]) == 12 + 15
    assert states(data_dir / "steadyhand.db") == [(1, "verified"), (2, "verified"), (3, "verified")]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_with_pipes_each_change_waits_and_is_approved_by_its_digest(data_dir: Path, language: str) -> None:
    def say(*typed: str) -> str:
        done = in_child(data_dir, "--lang", language, *typed)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    shown = say("schedule", "import", TERM_FILE)
    approve = shown.strip().splitlines()[-1].partition("steady ")[2].split()
    assert approve[:2] == ["change", "approve"]
    assert WORDS[language]["verified"] in say(*approve)
    shown = say("schedule", "tasks", "add", TASK_FILE)
    say(*shown.strip().splitlines()[-1].partition("steady ")[2].split())
    assert len(content(data_dir / "steadyhand.db")["items"]) == 15


def test_a_no_ends_the_change_and_anything_else_leaves_it_waiting(data_dir: Path) -> None:
    for answer, state, told in (
        ("maybe", "sealed", "It waits and nothing was changed"),
        ("n", "rejected", "rejected, nothing was changed"),
    ):
        _, shown = at_terminal(data_dir, "--lang", "en", "schedule", "import", TERM_FILE, answer=answer, question="Approve?")
        assert told in shown
        assert states(data_dir / "steadyhand.db")[-1][1] == state
        assert content(data_dir / "steadyhand.db")["events"] == []


def test_ctrl_c_at_the_question_leaves_the_change_waiting(data_dir: Path) -> None:
    terminal = Terminal(data_dir, "--lang", "en", "schedule", "import", TERM_FILE)
    terminal.expect("Approve?")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "It waits and nothing was changed. To approve: steady change approve C-1" in terminal.shown
    assert states(data_dir / "steadyhand.db") == [(1, "sealed")]


def test_a_long_file_shows_its_progress_and_ctrl_c_while_reading_leaves_nothing(data_dir: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow.ics"
    event = "BEGIN:VEVENT\r\nUID:{0}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:E{0}\r\nDTSTART:20260907T080000\r\nDTEND:20260907T084500\r\nRRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=400\r\nEND:VEVENT\r\n"
    slow.write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + "".join(event.format(number) for number in range(9000)) + "END:VCALENDAR\r\n"
    )
    terminal = Terminal(data_dir, "--lang", "en", "schedule", "import", str(slow))
    terminal.expect("Reading the file:")
    terminal.interrupt()
    assert terminal.end() == 130
    assert states(data_dir / "steadyhand.db") == []


@pytest.mark.parametrize(("answer", "cells"), [("11-12", [(6, 3, 11), (6, 3, 12)]), ("d", []), ("", []), ("99", None)])
def test_at_a_terminal_a_time_that_fits_no_slot_is_asked_about(
    data_dir: Path, tmp_path: Path, answer: str, cells: list[tuple[int, int, int]] | None
) -> None:
    odd = tmp_path / "odd.ics"
    odd.write_text(
        Path(TERM_FILE).read_text().replace("20261014T190000", "20261014T120000").replace("20261014T203000", "20261014T130000")
    )
    terminal = Terminal(data_dir, "--lang", "en", "schedule", "import", str(odd))
    terminal.expect("nothing keeps the question:")
    terminal.type(answer)
    if cells is None:
        terminal.expect_again("nothing keeps the question:", 2)  # what is typed before a question stands there counts for nothing
        terminal.type("")
        cells = []
    terminal.expect("Approve?")
    terminal.type("y")
    assert terminal.end() == 0
    assert ("to be decided" in terminal.shown) == (answer not in ("11-12", "d"))
    held = content(data_dir / "steadyhand.db")["cells"]
    assert [cell[1:4] for cell in held if cell[0].startswith("学术讲座")] == cells


def test_re_import_undo_and_carrying_on_double_and_lose_nothing(data_dir: Path) -> None:
    database = data_dir / "steadyhand.db"

    def yes(*typed: str) -> str:
        code, shown = at_terminal(data_dir, "--lang", "en", *typed, answer="y", question="Approve?")
        assert code == 0, shown
        return shown

    yes("schedule", "import", TERM_FILE)
    yes("schedule", "tasks", "add", TASK_FILE)
    imported = content(database)
    assert "nothing to change" in in_child(data_dir, "--lang", "en", "schedule", "import", TERM_FILE).stdout
    assert "nothing to change" in in_child(data_dir, "--lang", "en", "schedule", "tasks", "add", TASK_FILE).stdout
    assert content(database) == imported
    in_child(data_dir, "--lang", "en", "schedule", "window", "2026-09-07")
    in_child(data_dir, "--lang", "en", "schedule", "arrange")
    yes("schedule", "propose")
    arranged = content(database)
    assert len(arranged["events"]) == len(imported["events"]) + 15
    yes("change", "undo", "C-3")
    assert content(database) == imported
    yes("change", "undo", "C-4")
    assert content(database) == arranged


def test_an_export_never_leaves_half_a_file(data_dir: Path, tmp_path: Path) -> None:
    in_child(data_dir, "schedule", "term", "2026-09-07")
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o500)
    done = in_child(data_dir, "--lang", "en", "schedule", "export", str(folder / "plan.ics"))
    folder.chmod(0o700)
    if os.geteuid() != 0:  # the owner of the machine may write anywhere
        assert done.returncode == 2
        assert "cannot be written" in done.stderr
    assert [one.name for one in folder.iterdir() if one.name.startswith(".steady")] == []
