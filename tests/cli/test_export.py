"""Exports: whole or not at all, never over a file without being told, and read again without a difference."""

import stat
from pathlib import Path

from command_line.ground import Line, content


def test_a_calendar_is_read_again_without_a_difference(seeded: Line, tmp_path: Path) -> None:
    seeded.ok("schedule", "course", "add", "Chess", "--day", "6", "--slots", "1-2", "--embeddable")
    seeded.ok("schedule", "place", "体测准备", "2026-09-12", "1")
    seeded.ok("schedule", "propose")
    seeded.approve()
    file = tmp_path / "plan.ics"
    told = seeded.ok("schedule", "export", str(file))
    assert f"Wrote {file}: 14 events" in told.out
    assert b"BEGIN:VTIMEZONE" in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    before = content(seeded.database)
    assert "nothing to change" in seeded.ok("schedule", "import", str(file)).out
    assert content(seeded.database) == before


def test_a_table_of_courses_is_read_again_without_a_difference(seeded: Line, tmp_path: Path) -> None:
    file = tmp_path / "courses.csv"
    seeded.ok("schedule", "export", str(file), "--courses")
    assert "nothing to change" in seeded.ok("schedule", "import", str(file)).out


def test_drafted_places_are_not_exported(seeded: Line, tmp_path: Path) -> None:
    seeded.ok("schedule", "place", "体测准备", "2026-09-12", "1")
    seeded.ok("schedule", "export", str(tmp_path / "plan.csv"))
    assert "体测准备" not in (tmp_path / "plan.csv").read_text(encoding="utf-8-sig")


def test_weeks_can_be_chosen(seeded: Line, tmp_path: Path) -> None:
    seeded.ok("schedule", "export", str(tmp_path / "plan.csv"), "--weeks", "5")
    rows = (tmp_path / "plan.csv").read_text(encoding="utf-8-sig").splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {"5"}


def test_a_file_that_is_there_is_kept_unless_force_is_said(seeded: Line, tmp_path: Path) -> None:
    file = tmp_path / "plan.ics"
    file.write_text("mine")
    refused = seeded("schedule", "export", str(file))
    assert refused.code == 2
    assert file.read_text() == "mine"
    seeded.ok("schedule", "export", str(file), "--force")
    assert file.read_text().startswith("BEGIN:VCALENDAR")
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".steady")] == []


def test_a_link_that_leads_nowhere_is_a_file_that_is_there(seeded: Line, tmp_path: Path) -> None:
    link = tmp_path / "plan.ics"
    link.symlink_to(tmp_path / "elsewhere.ics")
    assert seeded("schedule", "export", str(link)).code == 2
    assert not (tmp_path / "elsewhere.ics").exists()
