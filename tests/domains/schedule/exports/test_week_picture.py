"""A week as a picture: the same bytes everywhere, every text escaped and inside its box, PNG drawn with a font that has Chinese or refused."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.language import say
from steadyhand.domains.schedule.exports import picture
from steadyhand.domains.schedule.exports.picture import find_font, write_png
from steadyhand.domains.schedule.exports.sheet import PALETTE, colours_of, width_of, wrapped
from steadyhand.domains.schedule.exports.tables import write_wakeup
from steadyhand.domains.schedule.exports.week_picture import draw_week
from steadyhand.domains.schedule.imports.schools.registry import read_file
from steadyhand.domains.schedule.term.records import (
    DEFAULT_SLOTS,
    CalendarFact,
    Event,
    Particulars,
    Records,
    Row,
    Season,
    Term,
    TimeScale,
)

GOLDEN = Path(__file__).parents[3] / "golden"
TERM = Term(20260907, "2026 秋", "Asia/Shanghai", date(2026, 9, 7), 20)
EVENTS = (
    Event(1, "course", "海洋观测（一）A"),
    Event(2, "course", "Introduction to <Sampling> & Analysis", can_embed=True),
    Event(3, "task", "写报告"),
    Event(4, "task", "复习 第三章"),
    Event(5, "course", "形势与政策讲座系列（需提前签到）"),
)


WHERE = {
    1: Particulars(None, None, "北楼201", "教师甲"),
    2: Particulars(location="East Building"),
    5: Particulars(location="报告厅"),
}


def rows(event, day, first, last, host=None):
    return [Row(event, 4, day, section, host, WHERE.get(event, Particulars())) for section in range(first, last + 1)]


WEEK = Records(
    replace(TERM, seasons=(Season(date(2026, 10, 1), TimeScale("冬季", DEFAULT_SLOTS)),)),
    EVENTS,
    (*rows(1, 1, 1, 2), *rows(2, 2, 1, 4), *rows(3, 2, 2, 3, 2), *rows(4, 4, 5, 6), *rows(5, 5, 12, 12), *rows(1, 7, 1, 2)),
    facts=(CalendarFact(4, 4, "holiday"), CalendarFact(4, 7, "works_as", 4, 4)),
)


@pytest.mark.parametrize(("paper", "language"), [("screen", "zh-CN"), ("a4", "en")])
def test_the_drawing_is_the_golden_one(paper, language):
    assert draw_week(WEEK, 4, language, paper).decode() == (GOLDEN / f"week_{paper}.svg").read_text("utf-8")


def texts_of(svg):
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]  # noqa: S314  # our own


def test_days_of_the_weekend_are_drawn_only_when_something_stands_on_them():
    days = {say("en", f"export.day.{day}") for day in range(1, 8)}
    assert days & set(texts_of(draw_week(WEEK, 4, "en"))) == days - {say("en", "export.day.6")}
    assert days & set(texts_of(draw_week(WEEK, 5, "en"))) == days - {say("en", "export.day.6"), say("en", "export.day.7")}


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=80)


@settings(max_examples=60, deadline=None)
@given(name=NAMES, place=NAMES, section=st.integers(1, 12), length=st.integers(0, 3), kind=st.sampled_from(["course", "task"]))
def test_any_name_gives_sound_xml_with_each_line_inside_its_column(name, place, section, length, kind):
    last = min(12, section + length)
    records = Records(
        TERM,
        (Event(1, kind, name),),
        tuple(Row(1, 1, 3, slot, None, Particulars(location=place)) for slot in range(section, last + 1)),
    )
    root = ET.fromstring(draw_week(records, 1, "zh-CN"))  # noqa: S314  # our own
    width, height = (float(root.get(side)) for side in ("width", "height"))
    for element in root.iter():
        if element.tag.endswith("text") and element.get("text-anchor") is None:
            size = float(element.get("font-size"))
            assert 0 <= float(element.get("y")) <= height
            assert float(element.get("x")) + width_of(element.text or "", size) <= width


@settings(max_examples=100, deadline=None)
@given(text=NAMES, widths=st.lists(st.floats(30, 200), min_size=1, max_size=5))
def test_wrapped_lines_hold_all_or_end_with_dots(text, widths):
    lines = wrapped(text, 13, widths)
    assert len(lines) <= len(widths)
    together = "".join("".join(lines).split())
    assert together == "".join(text.split()) or together.endswith("…")
    assert all(width_of(line, 13) <= width + 13 for line, width in zip(lines, widths, strict=False))


def test_colours_are_apart_while_there_are_enough_and_do_not_depend_on_order():
    names = [f"课程{number}" for number in range(len(PALETTE))]
    assert len(set(colours_of(names).values())) == len(PALETTE)
    assert colours_of(names) == colours_of(reversed(names))
    assert len(colours_of([*names, "多一门"])) == len(PALETTE) + 1


def test_a_font_is_found_by_its_name(tmp_path):
    assert find_font([tmp_path, tmp_path / "none"]) is None
    for name in ("DejaVuSans.ttf", "wqy-microhei.ttc", "NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "NotoSansCJK.txt"):
        (tmp_path / name).write_bytes(b"")
    assert find_font([tmp_path]).name == "NotoSansCJK-Regular.ttc"


def test_without_a_font_a_png_is_refused_with_how_to_get_one(tmp_path, monkeypatch):
    pytest.importorskip("resvg")
    monkeypatch.setattr(picture, "find_font", lambda: None)
    for font in (None, tmp_path / "missing.ttf"):
        with pytest.raises(OperatorRepairs) as refused:
            write_png(WEEK, 4, "zh-CN", font=font)
        assert refused.value.code == "export_no_font"
    (tmp_path / "no.ttf").write_bytes(b"no font")
    with pytest.raises(OperatorRepairs):
        write_png(WEEK, 4, "zh-CN", font=tmp_path / "no.ttf")
    assert "fonts-noto-cjk" in say("en", "error.export_no_font.next")


@pytest.mark.parametrize(("paper", "size"), [("screen", (2560, 1810)), ("a4", (2339, 1654))])
def test_a_png_has_the_size_of_its_paper(paper, size):
    pytest.importorskip("resvg")
    if find_font() is None:
        pytest.skip("no font with Chinese")
    data = write_png(WEEK, 4, "zh-CN", paper)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == size
    assert len(data) > 40_000


def test_a_wakeup_table_is_read_back_as_the_same_courses():
    many = tuple(Row(1, week, 1, slot, None, WHERE[1]) for week in (1, 2, 3, 4, 5, 7, 9, 11) for slot in (1, 2))
    written = write_wakeup(replace(WEEK, rows=(*many, *rows(5, 5, 9, 9))))
    assert written.decode("utf-8-sig").splitlines()[:2] == [
        "课程名称,星期,开始节数,结束节数,老师,地点,周数",
        "海洋观测（一）A,1,1,2,教师甲,北楼201,1-5、7-11单",
    ]
    found = {event.name: {row.cell for row in event.rows} for event in read_file(written, TERM.weeks).fitted(TERM).events}
    assert found["海洋观测（一）A"] == {(row.week, 1, row.section) for row in many}
    assert found["形势与政策讲座系列（需提前签到）"] == {(4, 5, 9)}
