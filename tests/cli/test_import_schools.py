"""What schools and apps export, imported at the command line: known by content, into a term, once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from command_line.ground import Line, content

CASES = Path(__file__).parents[1] / "cases" / "schools"


def test_a_shared_timetable_brings_its_term_along(line: Line, tmp_path: Path) -> None:
    renamed = tmp_path / "whatever.txt"
    renamed.write_bytes((CASES / "term.wakeup_schedule").read_bytes())
    shown = line.ok("schedule", "import", str(renamed))
    for words in ("a shared timetable of the WakeUp app", "秋季课表", "18 weeks", "10 slots a day"):
        assert words in shown.out
    line.approve()
    assert [term[3:5] for term in content(line.database)["terms"]] == [("2026-09-07", 18)]
    assert "nothing to change" in line.ok("schedule", "import", str(renamed)).out


@pytest.mark.parametrize(
    "name", ["zhengfang.json", "zhengfang_gbk.html", "qiangzhi.html", "urp.json", "wisedu.json", "shuwei.html", "wakeup.csv"]
)
def test_an_export_without_a_date_asks_for_the_start_and_then_arrives(line: Line, name: str) -> None:
    asked = line("schedule", "import", str(CASES / name))
    assert asked.code != 0
    assert "--term-start" in asked.err
    line.ok("schedule", "import", str(CASES / name), "--term-start", "2026-09-07")
    line.approve()
    assert content(line.database)["events"]
    assert "nothing to change" in line.ok("schedule", "import", str(CASES / name)).out


def test_a_page_that_is_no_timetable_is_refused(line: Line, tmp_path: Path) -> None:
    page = tmp_path / "login.html"
    page.write_text("<html><body>login</body></html>")
    refused = line("schedule", "import", str(page), "--term-start", "2026-09-07")
    assert refused.code != 0
    assert "not recognised" in refused.err


def test_a_table_that_says_no_weeks_is_asked_for_them_at_the_terminal(
    seeded: Line, tmp_path: Path, answering: Callable[..., list[str]]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("名称,星期,节次\n烘焙课,周六,9-10\n", encoding="utf-8")
    refused = seeded("schedule", "import", str(table))
    assert refused.code != 0
    assert "--in-weeks" in refused.err
    asked = answering("spring", "3-5", "n")
    seeded("schedule", "import", str(table))
    assert len([one for one in asked if "in which weeks" in one]) == 2, "what is no list of weeks is asked again"
    answering("3-5", "y")
    shown = seeded.ok("schedule", "import", str(table))
    assert "3-5" in shown.out
    listed = seeded.ok("--json", "schedule", "show", "--week", "3").out
    assert "烘焙课" in listed
    assert "烘焙课" not in seeded.ok("--json", "schedule", "show", "--week", "6").out


def test_who_names_no_weeks_imports_nothing(seeded: Line, tmp_path: Path, answering: Callable[..., list[str]]) -> None:
    table = tmp_path / "table.csv"
    table.write_text("名称,星期,节次\n烘焙课,周六,9-10\n", encoding="utf-8")
    before = seeded.dump()
    answering("")
    assert seeded("schedule", "import", str(table)).code != 0
    assert seeded.dump() == before
