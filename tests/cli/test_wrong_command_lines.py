"""Wrong input as a kind: one clear error in the person's language, exit code 2, and not one byte of the database changed."""

import re
from pathlib import Path

import pytest

from command_line.ground import TERM_FILE, Line

EMPTY = "@empty"
WRONG: tuple[tuple[str, ...], ...] = (
    ("schedule", "fly"),
    ("schedule", "import"),
    ("schedule", "import", "no-such-file.ics"),
    ("schedule", "import", "@folder"),
    ("schedule", "import", "@empty"),
    ("schedule", "import", "@noise"),
    ("schedule", "import", "@no-columns"),
    ("schedule", "import", "@no-events"),
    ("schedule", "import", TERM_FILE, "--weeks", "0"),
    ("schedule", "import", TERM_FILE, "--weeks", "many"),
    ("schedule", "import", TERM_FILE, "--weeks", "3"),
    ("schedule", "import", TERM_FILE, "--zone", "Mars/Base"),
    ("schedule", "import", TERM_FILE, "--term-start", "07.09.2026"),
    ("schedule", "import", TERM_FILE, "--term-start", "2026-02-30"),
    ("schedule", "import", TERM_FILE, "--term-start", "1999-09-06"),
    ("schedule", "import", TERM_FILE, "--slots", "08:00"),
    ("schedule", "import", TERM_FILE, "--slots", "09:00-08:00"),
    ("schedule", "import", TERM_FILE, "--kind", "party"),
    ("schedule", "import", TERM_FILE, "--tolerance", "-1"),
    ("schedule", "import", TERM_FILE, "--name", " "),
    ("schedule", "import", TERM_FILE, "another.ics"),
    ("schedule", "term", "soon"),
    ("schedule", "term", "--weeks", "2"),
    ("schedule", "show", "--week", "0"),
    ("schedule", "show", "--week", "19"),
    ("schedule", "show", "--day", "someday"),
    ("schedule", "show", "--day", "999"),
    ("schedule", "show", "--month", "3"),
    ("schedule", "course", "add", "Chess"),
    ("schedule", "course", "add", "Chess", "--day", "8", "--slots", "1-2"),
    ("schedule", "course", "add", "Chess", "--day", "someday", "--slots", "1-2"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "2-1"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "12-13"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--weeks", "17-30"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--weeks", "often"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--odd", "--even"),
    ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--weeks", "2", "--odd"),
    ("schedule", "course", "add", "   ", "--day", "6", "--slots", "1-2"),
    ("schedule", "course", "add", "a\nb", "--day", "6", "--slots", "1-2"),
    ("schedule", "course", "add", "x" * 200, "--day", "6", "--slots", "1-2"),
    ("schedule", "course", "add", "Chess", "--day", "1", "--slots", "1-2"),
    ("schedule", "course", "edit", "线性代数"),
    ("schedule", "course", "edit", "线性代数", "--day", "mon"),
    ("schedule", "course", "edit", "高等数学", "--weeks", "1-8"),
    ("schedule", "course", "edit", "No such course", "--name", "X"),
    ("schedule", "course", "embeddable", "大学"),
    ("schedule", "course", "remove"),
    ("schedule", "course", "remove", "9999"),
    ("schedule", "course", "remove", "学术讲座"),
    ("schedule", "tasks", "add"),
    ("schedule", "tasks", "add", "no-such-list.md"),
    ("schedule", "tasks", "add", "   "),
    ("schedule", "tasks", "add", "[x] done already"),
    ("schedule", "tasks", "add", "Essay", "--slots", "13"),
    ("schedule", "tasks", "add", "Essay", "--slots", "two"),
    ("schedule", "tasks", "add", "Essay", "--priority", "6"),
    ("schedule", "tasks", "add", "Essay", "--before", "someday"),
    ("schedule", "tasks", "add", "Essay", "--before", "2026-09-08", "--after", "2026-09-10"),
    ("schedule", "tasks", "add", "@empty.md"),
    ("schedule", "tasks", "list", "--status", "lost"),
    ("schedule", "tasks", "edit", "课程设计报告"),
    ("schedule", "tasks", "edit", "课程设计报告", "--slots", "99"),
    ("schedule", "tasks", "edit", "高等数学", "--name", "X"),
    ("schedule", "tasks", "edit", "学术讲座", "--slots", "3"),
    ("schedule", "tasks", "remove", "9999"),
    ("schedule", "tasks", "remove", "9999", "8888"),
    ("schedule", "place", "9999", "3", "1"),
    ("schedule", "place", "课程设计报告", "999", "1"),
    ("schedule", "place", "课程设计报告", "3"),
    ("schedule", "place", "课程设计报告", "3", "12"),
    ("schedule", "place", "课程设计报告", "1", "1"),
    ("schedule", "place", "课程设计报告", "2020-01-01", "1"),
    ("schedule", "place", "课程设计报告", "someday", "1"),
    ("schedule", "place", "课程设计报告", "week 3", "1"),
    ("schedule", "move", "课程设计报告", "3", "1"),
    ("schedule", "move", "线性代数", "3", "1"),
    ("schedule", "swap", "课程设计报告", "课程设计报告"),
    ("schedule", "swap", "课程设计报告", "选题与需求说明"),
    ("schedule", "unplace", "课程设计报告"),
    ("schedule", "reopen", "线性代数"),
    ("schedule", "reopen", "课程设计报告"),
    ("schedule", "undo"),
    ("schedule", "redo"),
    ("schedule", "propose"),
    ("schedule", "window", "2026-12-01", "2026-10-01"),
    ("schedule", "window", "2020-01-01"),
    ("schedule", "arrange", "--category", "No such category"),
    ("schedule", "arrange", "--max-per-day", "0"),
    ("schedule", "arrange", "--exclude-slots", "12-14"),
    ("schedule", "arrange", "--exclude-day", "someday"),
    ("schedule", "arrange", "--engine", "magic"),
    ("schedule", "export", "plan.pdf"),
    ("schedule", "export", "@there.ics"),
    ("schedule", "export", "no-such-folder/plan.ics"),
    ("schedule", "export", "@new.ics", "--weeks", "19"),
    ("schedule", "export", "@new.ics", "--weeks", "all of them"),
    ("schedule", "export", "@new.ics", "--courses"),
    ("schedule", "resolve", "someday"),
    ("schedule", "tool", "place", "{}"),
    ("schedule", "tool", "query_range", "{"),
    ("schedule", "tool", "query_range", '{"day": 999}'),
    ("schedule", "tool", "query_range", '{"date": "2026-09-07"}'),
)  # fmt: skip  # one command a line


def _files(folder: Path) -> dict[str, str]:
    """Make the files that the lines name with an @; return how each is called there."""
    made = {
        "empty": b"",
        "noise": bytes(range(256)) * 40,
        "no-columns": b"a,b,c\n1,2,3\n",
        "no-events": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
        "empty.md": b"\n",
        "there.ics": b"mine",
    }
    for name, data in made.items():
        (folder / name).write_bytes(data)
    (folder / "folder").mkdir()
    return {f"@{name}": str(folder / name) for name in (*made, "folder", "new.ics")}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_wrong_command_line_is_one_clear_error_and_changes_nothing(
    seeded: Line, tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = _files(tmp_path)
    seeded.language = language
    before, wrong = seeded.dump(), []
    assert len(WRONG) >= 40
    for words in WRONG:
        answer = seeded(*(files.get(word, word) for word in words))
        clear = bool(answer.err.strip()) and "Traceback" not in answer.err and "unexpected" not in answer.err
        chinese = re.search(r"[\u4e00-\u9fff]", answer.err.splitlines()[0]) if answer.err else None
        if answer.code != 2 or not clear or (language == "zh-CN" and chinese is None):
            wrong.append((words, answer))
        if seeded.dump() != before:
            wrong.append((words, "the database has changed", answer))
            before = seeded.dump()
    assert not wrong, "\n".join(map(str, wrong))
    assert (tmp_path / "there.ics").read_bytes() == b"mine"
    assert not (tmp_path / "new.ics").exists()


def test_with_json_the_error_is_one_document_with_a_code(seeded: Line) -> None:
    for words in (("schedule", "place", "9999", "3", "1"), ("schedule", "import", "no-such-file.ics"), ("schedule", "fly")):
        answer = seeded("--json", *words)
        assert answer.code == 2
        assert set(answer.data["error"]) == {"code", "summary", "detail", "next"}
        assert not answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("schedule", "show"),
        ("schedule", "propose"),
        ("schedule", "tasks", "list"),
        ("schedule", "tasks", "add", "Essay"),
        ("schedule", "course", "list"),
        ("schedule", "arrange"),
        ("schedule", "undo"),
        ("schedule", "window"),
        ("schedule", "export", "plan.ics"),
        ("schedule", "term"),
    ],
)
def test_without_a_term_each_command_says_how_to_get_one(line: Line, words: tuple[str, ...]) -> None:
    answer = line(*words)
    assert answer.code == 2
    assert "schedule import" in answer.err
