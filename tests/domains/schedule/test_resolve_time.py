"""What words for a time mean. The tables were read line by line: an answer that is wrongly certain is a failure."""

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.term.records import Term, TimeScale
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.time_words.resolve import Reading, TimeAnswer, resolve_time

TERM = Term(1, "autumn", "Asia/Shanghai", date(2026, 8, 31), 20)
WINDOW = Window(2, 1, 42)  # from Monday 2026-09-07 to Sunday 2026-10-18
NOW = datetime(2026, 9, 9, 2, 0, tzinfo=UTC)  # Wednesday, 10:00 in the term's zone: day 3

HERE = Path(__file__).parent
ZH_WEEKDAYS = "一二三四五六日"
EN_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def read(
    text: str, language: Language = "zh-CN", *, window: Window = WINDOW, term: Term = TERM, now: datetime = NOW
) -> TimeAnswer:
    return resolve_time(text, window=window, term=term, now=now, language=language)


def table(language: Language) -> list[tuple[Language, str, str]]:
    lines = (HERE / f"phrases.{language}.txt").read_text(encoding="utf-8").splitlines()
    return [(language, *line.split(" => ")) for line in lines]  # type: ignore[misc]  # each line has the mark once


def short(reading: Reading) -> str:
    """Write a reading as the tables do: days or runs of days, each with its slots after a colon."""
    runs: list[list[int]] = []
    slots: list[tuple[int | None, int | None]] = []
    for span in reading:
        if runs and runs[-1][1] + 1 == span.day and slots[-1] == (span.slot_start, span.slot_end):
            runs[-1][1] = span.day
        else:
            runs.append([span.day, span.day])
            slots.append((span.slot_start, span.slot_end))
    written = []
    for (first, last), (start, end) in zip(runs, slots, strict=True):
        days = f"{first}" if first == last else f"{first}-{last}"
        written.append(days if start is None else f"{days}:{start}" if start == end else f"{days}:{start}-{end}")
    return " ".join(written)


def shown(answer: TimeAnswer) -> str:
    return f"{answer.code}{' clipped' if answer.clipped else ''} {' | '.join(map(short, answer.readings))}".rstrip()


@pytest.mark.parametrize(("language", "phrase", "expected"), [*table("zh-CN"), *table("en")])
def test_a_phrase_means_what_the_table_says_or_is_refused(language: Language, phrase: str, expected: str) -> None:
    assert shown(read(phrase, language)) == expected


def test_the_tables_hold_at_least_120_different_phrases_each() -> None:
    for language in LANGUAGES:
        assert len({phrase for _, phrase, _ in table(language)}) >= 120


def test_a_refusal_names_what_was_not_understood() -> None:
    assert "“之前”" in read("周五之前").text
    assert '"maybe"' in read("tomorrow maybe", "en").text
    assert "第1天至第42天" in read("12月1日").text
    assert "days 1 to 42" in read("Dec 1", "en").text
    assert "第1-12节" in read("明天第13节").text


def test_several_readings_are_listed_with_numbers() -> None:
    assert read("周三晚上").text.splitlines()[1:] == ["1. 第3天 第9-12节", "2. 第10天 第9-12节"]
    assert read("Wednesday evening", "en").text.splitlines()[1:] == ["1. Day 3, slots 9-12", "2. Day 10, slots 9-12"]


def test_digits_alone_are_read_by_the_language_of_the_person() -> None:
    assert shown(read("10/8", "zh-CN")) == "ok 32"
    assert shown(read("10/8", "en")) == "ambiguous clipped 32"


def test_today_is_the_date_in_the_zone_of_the_term() -> None:
    late = datetime(2026, 9, 9, 17, 0, tzinfo=UTC)  # already the 10th in Shanghai
    assert shown(read("今天", now=late)) == "ok 4"
    assert shown(read("今天", now=late, term=Term(1, "t", "Europe/Lisbon", date(2026, 8, 31), 20))) == "ok 3"


def test_parts_of_the_day_follow_the_clock_times_of_the_scale() -> None:
    scale = TimeScale("short", (("09:00", "10:00"), ("12:10", "13:00"), ("13:30", "14:30"), ("18:30", "19:30")))
    term = Term(1, "t", "Asia/Shanghai", date(2026, 8, 31), 20, scale)
    window = Window(2, 1, 42, 4)
    answers = {part: shown(read(f"明天{part}", term=term, window=window)) for part in ("上午", "中午", "下午", "晚上", "凌晨")}
    assert answers == {"上午": "ok 4:1", "中午": "ok 4:2-3", "下午": "ok 4:2-3", "晚上": "ok 4:4", "凌晨": "no_slot"}
    assert shown(read("明天15:00", term=term, window=window)) == "ok 4:4"
    assert shown(read("明天第5节", term=term, window=window)) == "not_understood"


def test_what_the_model_reads_holds_no_date_and_no_weekday_outside_quotes() -> None:
    for language, phrase, _ in [*table("zh-CN"), *table("en")]:
        plain = re.sub(r"“[^”]*”|\"[^\"]*\"", "", read(phrase, language).text)
        assert not re.search(r"周|星期|月|日|\d{4}|[A-Z][a-z]+day\b|Oct|Sep|week", plain), (phrase, plain)


PIECES = (
    *(
        piece
        for language in LANGUAGES
        for _, phrase, _ in table(language)
        for piece in re.findall(r"[a-z]+|[0-9]+|.", phrase, re.IGNORECASE)
    ),
)
windows = st.builds(Window, st.integers(1, 20), st.integers(1, 7), st.integers(1, 140), st.integers(1, 12))
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001  # the strategy adds the zone
junk = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from([phrase for language in LANGUAGES for _, phrase, _ in table(language)]), max_size=3).map("".join),
)


@settings(max_examples=400, deadline=None)
@given(text=junk, window=windows, now=moments, language=st.sampled_from(LANGUAGES))
def test_any_text_gets_an_answer_inside_the_window_and_the_same_one_again(
    text: str, window: Window, now: datetime, language: Language
) -> None:
    answer = read(text, language, window=window, now=now)
    assert answer == read(text, language, window=window, now=now)
    assert answer.text
    assert bool(answer.readings) == (answer.code in ("ok", "ambiguous"))
    assert len(answer.readings) == 1 or answer.code != "ok"
    for span in answer.candidates:
        assert 1 <= span.day <= window.total_days
        if span.slot_start is not None and span.slot_end is not None:
            assert 1 <= span.slot_start <= span.slot_end <= window.slots


@settings(max_examples=200, deadline=None)
@given(now=moments, window=windows, weekday=st.integers(1, 7), weeks=st.integers(1, 3))
def test_a_weekday_of_a_named_week_is_that_day_or_outside(now: datetime, window: Window, weekday: int, weeks: int) -> None:
    today = (now + timedelta(hours=8)).date()
    wanted = today - timedelta(days=today.isoweekday()) + timedelta(days=7 * weeks + weekday)
    first = TERM.first_monday + timedelta(days=7 * (window.first_week - 1) + window.first_day_of_week - 1)
    index = (wanted - first).days + 1
    inside = 1 <= index <= window.total_days and TERM.week_of(wanted) is not None
    expected = f"ok {index}" if inside else "outside_window"
    assert shown(read(f"{'下' * weeks}周{ZH_WEEKDAYS[weekday - 1]}", window=window, now=now)) == expected
    if weeks == 1:
        assert shown(read(f"{EN_WEEKDAYS[weekday - 1]} next week", "en", window=window, now=now)) == expected


@settings(max_examples=200, deadline=None)
@given(day=st.integers(-3, 45), slots=st.tuples(st.integers(0, 13), st.integers(0, 13)))
def test_a_written_date_with_slots_is_exact(day: int, slots: tuple[int, int]) -> None:
    wanted = date(2026, 9, 6) + timedelta(days=day)
    start, end = slots
    if not 1 <= start <= end <= 12:
        expected = "not_understood"
    elif not 1 <= day <= 42:
        expected = "outside_window"
    else:
        expected = f"ok {day}:{start}-{end}" if start < end else f"ok {day}:{start}"
    assert shown(read(f"{wanted.month}月{wanted.day}日第{start}-{end}节")) == expected
    assert shown(read(f"{wanted:%b} {wanted.day} slots {start}-{end}", "en")) == expected
    assert shown(read(f"{wanted.isoformat()} slots {start} to {end}", "en")) == expected
