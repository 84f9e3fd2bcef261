"""Whoever decides second is told who was first and when, and nothing is decided twice."""

import pytest

from command_line.ground import TERM_FILE, Line


@pytest.mark.parametrize(("first", "said"), [("deny", "denied"), ("approve", "approved")])
def test_the_second_of_two_decisions_at_the_command_line_is_told_of_the_first(line: Line, first: str, said: str) -> None:
    line.ok("schedule", "import", TERM_FILE)
    (change,) = line.ok("--json", "change", "list").data["changes"]
    digest = change["seal_digest"][:8]
    line("change", first, change["name"], *([digest] if first == "approve" else []))
    before = line.dump()
    late = line("change", "approve", change["name"], digest)
    assert late.code != 0
    assert "C-1" in late.err
    assert said in late.err
    assert "2026-09-01" in late.err
    assert line.dump() == before
    line.language = "zh-CN"
    assert "2026-09-01" in line("change", "approve", change["name"], digest).err
