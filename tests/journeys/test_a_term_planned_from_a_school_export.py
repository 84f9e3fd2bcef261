"""From what a school's system exports to a printed week: facts, tasks, a search, the days before and after, one decision."""

import json
from pathlib import Path

import pytest

from command_line.ground import ROOT, TASK_FILE, content, in_child, states
from command_line.terminal import Terminal, at_terminal

pytestmark = pytest.mark.usefixtures("september")

SCHOOL_FILE = str(ROOT / "tests" / "cases" / "schools" / "zhengfang.json")
WORDS = {
    "en": {
        "question": "Approve?",
        "yes": "y",
        "verified": "verified by reading back",
        "kind": "Zhengfang",
        "holiday": "holiday",
        "proven": "proven: no arrangement that places as much costs less",
        "before": "Stored:",
        "after": "With the draft:",
    },
    "zh-CN": {
        "question": "批准吗？",
        "yes": "是",
        "verified": "验证完成",
        "kind": "正方",
        "holiday": "放假",
        "proven": "已证明",
        "before": "已保存：",
        "after": "加上草稿：",
    },
}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_school_file_becomes_an_arranged_and_printed_term(data_dir: Path, tmp_path: Path, language: str) -> None:
    words = WORDS[language]

    def say(*typed: str, asked: bool = False) -> str:
        answer = words["yes"] if asked else None
        code, shown = at_terminal(data_dir, "--lang", language, *typed, answer=answer, question=words["question"])
        assert code == 0, shown
        assert not asked or words["verified"] in shown
        return shown

    assert words["kind"] in say("schedule", "import", SCHOOL_FILE, "--term-start", "2026-09-07", "--weeks", "18", asked=True)
    assert words["verified"] in say("schedule", "facts", "add", "2026-10-01", "holiday", "--to", "2026-10-07")
    assert words["verified"] in say("schedule", "facts", "add", "2026-10-10", "as", "2026-10-07")
    assert words["holiday"] in say("schedule", "facts", "list")
    say("schedule", "tasks", "add", TASK_FILE, asked=True)
    say("schedule", "window", "2026-09-07", "2027-01-10")
    database, before = data_dir / "steadyhand.db", content(data_dir / "steadyhand.db")
    assert not [cell for cell in before["cells"] if cell[1:3] in ((4, 4), (5, 1), (5, 3))]
    assert words["proven"] in say("schedule", "arrange", "--effort", "2", "--explain")
    shown = say("schedule", "show", "--diff")
    assert words["before"] in shown
    assert words["after"] in shown
    assert content(database) == before
    say("schedule", "propose", asked=True)
    picture = tmp_path / "week.svg"
    say("schedule", "export", str(picture), "--week", "1", "--size", "a4")
    assert "<svg" in picture.read_text("utf-8")[:200]
    after = content(database)
    assert len(after["events"]) == len(before["events"]) + 15
    assert {state for _, state in states(database)} == {"verified"}
    assert set(before["cells"]) <= set(after["cells"])


def test_ctrl_c_ends_a_search_and_keeps_the_best_that_was_found(data_dir: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.md"
    many.write_text("# Many\n\n" + "".join(f"- Task {number} ({number % 3 + 1} slots)\n" for number in range(250)))
    at_terminal(
        data_dir, "--lang", "en", "schedule", "import", SCHOOL_FILE, "--term-start", "2026-09-07", answer="y", question="Approve?"
    )
    at_terminal(data_dir, "--lang", "en", "schedule", "tasks", "add", str(many), answer="y", question="Approve?")
    in_child(data_dir, "--lang", "en", "schedule", "window", "2026-09-07")
    terminal = Terminal(data_dir, "--lang", "en", "schedule", "arrange", "--effort", "2000")
    terminal.expect("Searching: ")
    terminal.expect("Ctrl-C keeps the best")
    terminal.interrupt()
    assert terminal.end() == 0
    assert "Stopped on demand: this is the best arrangement found until then." in terminal.shown
    listed = json.loads(in_child(data_dir, "--json", "schedule", "tasks", "list", "--status", "suggested").stdout)
    assert len(listed["tasks"]) == 250
