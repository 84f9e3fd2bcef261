"""The review of a timetable change, word for word in both languages: golden files with digests and counts of places blanked."""

import re

import pytest

from command_line.ground import ROOT, Line

GOLDEN = ROOT / "tests" / "golden"


def _blanked(text: str) -> str:
    """Leave out digests and how many places were looked at: they say nothing of the words."""
    return re.sub(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{8}\b|(?<=It touches )\d+|(?<=涉及 )\d+", "…", text)


def _reviewed(line: Line) -> str:
    """Return the review of a draft with a new place, a move, an embedded task and a task that lost its place."""
    line.ok("schedule", "course", "embeddable", "思想道德与法治")
    line.ok("schedule", "place", "体测准备", "2026-11-07", "1")
    line.ok("schedule", "place", "Essay: my home town", "2026-11-08", "5")
    line.ok("schedule", "propose")
    line.approve()
    line.ok("schedule", "reopen", "体测准备")
    line.ok("schedule", "move", "体测准备", "2026-11-08", "1")
    line.ok("schedule", "reopen", "Essay: my home town")
    line.ok("schedule", "unplace", "Essay: my home town")
    line.ok("schedule", "place", "整理实验数据", "2026-11-05", "9")
    line.ok("schedule", "place", "Oral presentation", "2026-11-07", "7")
    return line.ok("schedule", "propose").out


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_review_is_worded_as_in_the_golden_file(seeded: Line, language: str) -> None:
    seeded.language = language
    shown = _blanked(_reviewed(seeded))
    assert shown == (GOLDEN / f"review.{language}.txt").read_text(encoding="utf-8"), shown
