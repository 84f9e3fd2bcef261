"""What schools and apps export, imported at the command line: known by content, into a term, once."""

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
