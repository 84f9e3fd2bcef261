"""Words name a moment or a rhythm for certain, or none."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.clock import local
from steadyhand.wakeups.words import read_when

ZONE = "Asia/Shanghai"
NOW = datetime(2026, 9, 9, 2, 0, tzinfo=UTC)  # Wednesday, 10:00 there


def shown(words: str) -> str | None:
    found = read_when(words, NOW, ZONE)
    if found is None:
        return None
    return found.cron or f"{local(found.moment, ZONE):%d %H:%M}"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("明天早上8点", "10 08:00"),
        ("明早八点半", "10 08:30"),
        ("今晚9点", "09 21:00"),
        ("后天下午三点一刻", "11 15:15"),
        ("大后天中午12点", "12 12:00"),
        ("周五下午三点", "11 15:00"),
        ("下周三晚上七点", "16 19:00"),
        ("9月20日上午十点二十分", "20 10:20"),
        ("8点", "09 20:00"),
        ("11点", "09 11:00"),
        ("14:30", "09 14:30"),
        ("明天9点", "10 09:00"),
        ("两小时后", "09 12:00"),
        ("半小时后", "09 10:30"),
        ("一个半小时后", None),
        ("一小时半后", "09 11:30"),
        ("十分钟后", "09 10:10"),
        ("3天后", "12 10:00"),
        ("每天早上8点", "0 8 * * *"),
        ("每周五下午三点", "0 15 * * 5"),
        ("每个工作日上午九点半", "30 9 * * 1-5"),
        ("每周日晚上8点", "0 20 * * 0"),
        ("每月1号上午9点", "0 9 1 * *"),
        ("in two hours", "09 12:00"),
        ("in half an hour", "09 10:30"),
        ("in an hour", "09 11:00"),
        ("20 minutes from now", "09 10:20"),
        ("tomorrow at 8am", "10 08:00"),
        ("at 8pm tomorrow", "10 20:00"),
        ("tomorrow morning at 8", "10 08:00"),
        ("tonight at 9", "09 21:00"),
        ("on friday at 3pm", "11 15:00"),
        ("friday at noon", "11 12:00"),
        ("at 11", "09 11:00"),
        ("at 9", "09 21:00"),
        ("12am tomorrow", "10 00:00"),
        ("12pm tomorrow", "10 12:00"),
        ("every friday at 3pm", "0 15 * * 5"),
        ("every weekday at 9am", "0 9 * * 1-5"),
        ("every day at 18:30", "30 18 * * *"),
    ],
)
def test_words_name_a_time(words, meant):
    assert shown(words) == meant


@pytest.mark.parametrize(
    "words",
    ["明天3点", "tomorrow at 3", "next friday at 3pm", "明天", "soon", "明天早上25点", "at 25", "今天早上8点", "下午9点", "in 0 minutes", "",
     "2月30日上午8点", "every day at 4"],
)  # fmt: skip
def test_words_that_name_none_for_certain_have_none(words):
    assert read_when(words, NOW, ZONE) is None


@given(st.text(max_size=40))
def test_any_words_can_be_read(words):
    found = read_when(words, NOW, ZONE)
    assert found is None or found.cron or found.moment > NOW


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_on_the_24_hour_clock_is_the_next_to_come(hour, minute):
    found = read_when(f"at {hour:02}:{minute:02}", NOW, ZONE)
    assert found is not None
    here = local(found.moment, ZONE)
    assert (here.hour, here.minute) == (hour, minute)
    assert 0 < (found.moment - NOW).total_seconds() <= 86_400
