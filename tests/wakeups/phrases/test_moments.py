"""Words name a moment or a rhythm for certain, or several that are named, or none; never one that was guessed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.clock import local
from steadyhand.wakeups.moments import Unsure, When, Wrong, read_when, spoken
from steadyhand.wakeups.times import read_cron, read_every, read_moment
from wakeups.phrases.ground import NOW, ZONE


def shown(words: str, now: datetime = NOW, zone: str = ZONE) -> str:
    match read_when(words, now, zone):
        case None:
            return "-"
        case Wrong(why):
            return f"!{why}"
        case Unsure(ways):
            return f"? {' | '.join(ways)}"
        case When(moment=None) as when:
            return when.cron or when.every
        case When(send_at, moment):
            assert moment is not None
            assert read_moment(send_at, zone, now).at == moment
            return f"{local(moment, zone):%a %m-%d %H:%M}"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("明天早上8点", "Thu 09-10 08:00"),
        ("明早八点半", "Thu 09-10 08:30"),
        ("今晚9点", "Wed 09-09 21:00"),
        ("今晚12点", "Thu 09-10 00:00"),
        ("明天零点", "Thu 09-10 00:00"),
        ("后天下午三点一刻", "Fri 09-11 15:15"),
        ("大后天中午12点", "Sat 09-12 12:00"),
        ("周五下午三点", "Fri 09-11 15:00"),
        ("这周五下午三点", "Fri 09-11 15:00"),
        ("下周三晚上七点", "Wed 09-16 19:00"),
        ("下个星期天上午10点", "Sun 09-20 10:00"),
        ("下下周一上午10点", "Mon 09-21 10:00"),
        ("周三早上8点", "Wed 09-16 08:00"),
        ("9月20日上午十点二十分", "Sun 09-20 10:20"),
        ("9月11日周五上午10点", "Fri 09-11 10:00"),
        ("十月一日早上八点", "Thu 10-01 08:00"),
        ("3月5日上午8点", "Fri 03-05 08:00"),
        ("20号上午8点", "Sun 09-20 08:00"),
        ("5号上午8点", "Mon 10-05 08:00"),
        ("2026-09-11 15:00", "Fri 09-11 15:00"),
        ("8点", "Wed 09-09 20:00"),
        ("11点", "Wed 09-09 11:00"),
        ("14:30", "Wed 09-09 14:30"),
        ("明天9点", "Thu 09-10 09:00"),
        ("明天12点", "Thu 09-10 12:00"),
        ("今天3点", "Wed 09-09 15:00"),
        ("今天8点", "Wed 09-09 20:00"),
        ("两小时后", "Wed 09-09 12:00"),
        ("再过两个小时", "Wed 09-09 12:00"),
        ("半小时后", "Wed 09-09 10:30"),
        ("一个半小时后", "Wed 09-09 11:30"),
        ("1小时30分钟后", "Wed 09-09 11:30"),
        ("1.5小时后", "Wed 09-09 11:30"),
        ("3天后", "Sat 09-12 10:00"),
        ("两周后", "Wed 09-23 10:00"),
        ("每天早上8点", "0 8 * * *"),
        ("每天晚上12点", "0 0 * * *"),
        ("每周五下午三点", "0 15 * * 5"),
        ("每周一三五早上8点", "0 8 * * 1,3,5"),
        ("每周一和周三早上8点", "0 8 * * 1,3"),
        ("每周一到周五早上7点半", "30 7 * * 1,2,3,4,5"),
        ("每个工作日上午九点半", "30 9 * * 1-5"),
        ("每个周末上午十点", "0 10 * * 6,0"),
        ("每周日晚上8点", "0 20 * * 0"),
        ("每月1号上午9点", "0 9 1 * *"),
        ("每隔30分钟", "30m"),
        ("每两小时", "120m"),
        ("in two hours", "Wed 09-09 12:00"),
        ("in half an hour", "Wed 09-09 10:30"),
        ("in an hour and a half", "Wed 09-09 11:30"),
        ("20 minutes from now", "Wed 09-09 10:20"),
        ("in 2 days", "Fri 09-11 10:00"),
        ("tomorrow at 8", "Thu 09-10 08:00"),
        ("at 8pm tomorrow", "Thu 09-10 20:00"),
        ("tomorrow morning at 8", "Thu 09-10 08:00"),
        ("at 8 tomorrow morning", "Thu 09-10 08:00"),
        ("tonight at 9", "Wed 09-09 21:00"),
        ("tonight at midnight", "Thu 09-10 00:00"),
        ("midnight", "Thu 09-10 00:00"),
        ("Fri 9:00", "Fri 09-11 09:00"),
        ("friday at noon", "Fri 09-11 12:00"),
        ("next tuesday at 3pm", "Tue 09-15 15:00"),
        ("on the 20th of September at 8:30 pm", "Sun 09-20 20:30"),
        ("September 20, 2026 at 8am", "Sun 09-20 08:00"),
        ("the 20th at 8am", "Sun 09-20 08:00"),
        ("Monday 2026-09-14 12:00", "Mon 09-14 12:00"),
        ("quarter to nine tomorrow", "Thu 09-10 08:45"),
        ("12am tomorrow", "Thu 09-10 00:00"),
        ("12pm tomorrow", "Thu 09-10 12:00"),
        ("at 11", "Wed 09-09 11:00"),
        ("at 9", "Wed 09-09 21:00"),
        ("every friday at 3pm", "0 15 * * 5"),
        ("every morning at 7", "0 7 * * *"),
        ("on weekdays at 9am", "0 9 * * 1-5"),
        ("every monday, wednesday and friday at 9am", "0 9 * * 1,3,5"),
        ("on the 1st of every month at 9am", "0 9 1 * *"),
        ("daily at 18:30", "30 18 * * *"),
        ("every 30 minutes", "30m"),
        ("hourly", "60m"),
    ],
)
def test_words_that_are_certain_name_one_time(words: str, meant: str) -> None:
    assert shown(words) == meant


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        ("明天3点", "? 明天 03:00 | 明天 15:00"),
        ("每天3点", "? 每天 03:00 | 每天 15:00"),
        ("下周三晚上", "? 下周三晚上 19:00 | 下周三晚上 20:00 | 下周三晚上 21:00"),
        ("今天上午", "? "),
        ("周三下午三点", "? 2026-09-09 下午三点 | 2026-09-16 下午三点"),
        ("tomorrow at 3", "? tomorrow 03:00 | tomorrow 15:00"),
        ("next friday at 3pm", "? 2026-09-11 at 3pm | 2026-09-18 at 3pm"),
        ("next friday at 3", "? 2026-09-11 03:00 | 2026-09-11 15:00 | 2026-09-18 03:00 | 2026-09-18 15:00"),
        ("tonight", "? tonight 19:00 | tonight 20:00 | tonight 21:00"),
        ("every morning", "? every morning 08:00 | every morning 09:00 | every morning 10:00"),
    ],
)
def test_words_that_can_mean_several_times_are_said_in_each_way(words: str, ways: str) -> None:
    assert shown(words) == ways


@pytest.mark.parametrize(
    ("words", "why"),
    [
        *((words, "vague") for words in ("待会儿", "晚点", "下周", "周末", "有空的时候", "一个月后", "soon", "later", "in a few minutes", "next week")),
        *((words, "past") for words in ("今天早上8点", "9月8日上午8点", "2020-01-01 08:00", "today at 8am", "这周一上午8点")),
        *((words, "none") for words in ("25点", "明天早上14点", "下午9点", "2月30日上午8点", "31号上午8点", "9月12日周五上午10点")),
        *((words, "none") for words in ("明天凌晨12点", "8点70分", "at 25", "at 13pm", "midnight tomorrow", "the 31st at 8am")),
        *((words, "none") for words in ("on the 31st of February at 8am", "Friday, September 12 at 9am", "tomorrow morning at 3pm")),
        *((words, "far") for words in ("9999天后", "2099年1月1日早上8点", "in 9999 days")),
        *((words, "not_each_month") for words in ("每月31号上午9点", "every month on the 30th at 9am")),
    ],
)  # fmt: skip
def test_words_for_a_time_that_there_is_not_say_why(words: str, why: str) -> None:
    assert shown(words) == f"!{why}"


@pytest.mark.parametrize(
    "words",
    ["", "作业", "明天早上8点一", "两天半后", "半天", "0分钟后", "in 0 minutes", "8 tomorrow", "when I am back", "明天 8am", "3号提醒", "昨天8点", "yesterday at 8"],
)  # fmt: skip
def test_other_words_are_no_time(words: str) -> None:
    assert shown(words) == "-"


def test_long_before_the_morning_tomorrow_can_be_today() -> None:
    late = datetime(2026, 9, 8, 17, 30, tzinfo=UTC)  # half past one at night on the ninth
    assert shown("明天早上8点", late) == "? 2026-09-09 早上8点 | 2026-09-10 早上8点"
    assert shown("tomorrow at 8am", late) == "? 2026-09-09 at 8am | 2026-09-10 at 8am"
    assert shown("后天早上8点", late) == "Fri 09-11 08:00"


def test_clocks_that_are_changed_leave_a_time_out_or_show_the_first_of_two() -> None:
    before = datetime(2026, 3, 7, 12, 0, tzinfo=UTC)
    assert shown("tomorrow at 2:30 am", before, "America/New_York") == "!gap"
    assert shown("in 1 day", before, "America/New_York") == "Sun 03-08 07:00"
    autumn = datetime(2026, 10, 31, 12, 0, tzinfo=UTC)
    first = read_when("tomorrow at 1:30 am", autumn, "America/New_York")
    assert isinstance(first, When)
    assert first.moment == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


TEXTS = st.text(max_size=30) | st.lists(
    st.sampled_from(["明天", "下周", "周五", "早上", "8点", "半", "3号", "每天", "两", "小时", "后", "9月", "30日", "12:30", " ", "today ", "next ", "friday ", "at ", "8",
                     "pm", " in ", "two ", "hours ", "every ", "day ", "morning ", "the 31st "]), max_size=5).map("".join)  # fmt: skip


@given(TEXTS, st.integers(0, 730 * 86_400), st.sampled_from([ZONE, "America/New_York", "UTC"]))
@settings(max_examples=300, deadline=None)
def test_any_words_are_read_and_what_they_name_is_ahead_and_can_be_booked(words: str, seconds: int, zone: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    read = read_when(words, now, zone)
    if isinstance(read, Unsure):
        assert all(isinstance(read_when(way, now, zone), When) for way in read.ways)
    if not isinstance(read, When):
        return
    if read.moment is not None:
        assert read.moment > now
        assert read.moment == read_moment(read.send_at, zone, read.moment - timedelta(days=1)).at
    elif read.cron:
        assert read_cron(read.cron, zone, now).after(now) > now
    else:
        assert read_every(read.every, zone).seconds >= 60


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_on_the_24_hour_clock_is_the_next_to_come(hour: int, minute: int) -> None:
    read = read_when(f"at {hour:02}:{minute:02}", NOW, ZONE)
    assert isinstance(read, When)
    assert read.moment is not None
    here = local(read.moment, ZONE)
    assert (here.hour, here.minute) == (hour, minute)
    assert timedelta() < read.moment - NOW <= timedelta(days=1)


def test_words_are_a_time_or_not_whatever_the_hour() -> None:
    assert spoken("明天早上8点") is not None
    assert spoken("x" * 1_000) is None
