"""Decides which Chinese words name a day, a time of day or slots; it must not know what day it is."""

import re
from collections.abc import Sequence

from steadyhand.domains.schedule.time_words import tokens as t
from steadyhand.domains.schedule.time_words.tokens import Rule, Token

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_NUMBER = r"(?:[0-9]{1,3}|[零〇一二两三四五六七八九十]{1,3})"
_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAYS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7}
_DASH = r"\s*[-~—–到至]\s*"


def number(text: str) -> int | None:
    """Read 0 … 999 in digits or 0 … 99 in Chinese numerals; anything malformed is None, never a guess."""
    if text.isascii():
        return int(text)
    tens, ten, units = text.partition("十")
    if not ten:
        if len(text) == 2 and text[0] in "零〇":
            return _DIGITS.get(text[1])
        return _DIGITS.get(text) if len(text) == 1 else None
    high = _DIGITS.get(tens) if tens else 1
    low = _DIGITS.get(units) if units else 0
    return None if high in (None, 0) or low is None or (units and low == 0) else high * 10 + low


def _weekday(text: str) -> int:
    return _WEEKDAYS[text] if text in _WEEKDAYS else int(text)


def _numbers(match: re.Match[str], *groups: int) -> list[int] | None:
    read = [number(match.group(group)) for group in groups]
    known = [value for value in read if value is not None]
    return known if len(known) == len(read) else None


def _date(match: re.Match[str]) -> Sequence[Token] | None:
    numbers = _numbers(match, 1, 2)
    return (Token("date", (0, *numbers), match.group()),) if numbers else None


def _month_days(match: re.Match[str]) -> Sequence[Token] | None:
    """Read ``10月8-10日``: a range of days in one month."""
    numbers = _numbers(match, 1, 2, 3)
    if numbers is None:
        return None
    month, first, last = numbers
    return (Token("date", (0, month, first), match.group()), Token("to"), Token("date", (0, month, last), match.group()))


def _counted(kind: t.Kind, times: int = 1) -> t.Builder:
    def build(match: re.Match[str]) -> Sequence[Token] | None:
        numbers = _numbers(match, 1)
        return (Token(kind, (numbers[0] * times,), match.group()),) if numbers else None

    return build


def _span(kind: t.Kind) -> t.Builder:
    """Read one number or two, the second being the last of the run."""

    def build(match: re.Match[str]) -> Sequence[Token] | None:
        numbers = _numbers(match, 1, 2) if match.group(2) else _numbers(match, 1)
        return (Token(kind, (numbers[0], numbers[-1]), match.group()),) if numbers else None

    return build


def _neighbours(match: re.Match[str]) -> Sequence[Token] | None:
    """Read ``第三、四节``: two slots, and only when they are side by side."""
    numbers = _numbers(match, 1, 2)
    return (Token("slots", tuple(numbers), match.group()),) if numbers and numbers[1] == numbers[0] + 1 else None


def _week(prefix: str) -> Token | None:
    if set(prefix) == {"下"}:
        return Token("week_offset", (len(prefix),), prefix)
    known = {"本": 0, "这": 0, "上": -1}
    return Token("week_offset", (known[prefix],), prefix) if prefix in known else None


def _week_day(match: re.Match[str]) -> Sequence[Token] | None:
    """Read a weekday with what says in which week: ``下周三``, ``本周五``, ``下个周三``, ``这个周三``, ``周三``."""
    prefix, day = match.group(1) or "", _weekday(match.group(2))
    if prefix == "下个":
        return (Token("next_weekday", (day,), match.group()),)
    if prefix == "这个":
        return (Token("this_weekday", (day,), match.group()),)
    week = _week(prefix)
    if prefix and week is None:
        return None
    own = Token("weekday", (day,), match.group())
    return (week, own) if week else (own,)


def _week_end(match: re.Match[str]) -> Sequence[Token] | None:
    prefix = match.group(1) or ""
    if prefix == "下个":
        return (Token("next_day_set", t.WEEKEND, match.group()),)
    week = _week("这" if prefix == "这个" else prefix)
    if prefix and week is None:
        return None
    own = Token("day_set", t.WEEKEND, match.group())
    return (week, own) if week else (own,)


def _whole_week(match: re.Match[str]) -> Sequence[Token] | None:
    week = _week(match.group(1).removesuffix("个"))
    return (Token("week_offset", week.values, match.group()),) if week else None


_MINUTES = {"整": 0, "钟": 0, "半": 30, "一刻": 15, "三刻": 45}


def _clock(match: re.Match[str]) -> Sequence[Token] | None:
    hour, rest = number(match.group(1)), match.group(2) or "整"
    minute = _MINUTES[rest] if rest in _MINUTES else number(rest.removesuffix("分"))
    if hour is None or minute is None:
        return None
    return (t.clock(hour, minute, t.UNSAID, match.group()),)


def _clock_pair(match: re.Match[str]) -> Sequence[Token] | None:
    """Read ``3-5点``: two hours that share their word."""
    numbers = _numbers(match, 1, 2)
    if numbers is None:
        return None
    first, last = (t.clock(hour, 0, t.UNSAID, match.group()) for hour in numbers)
    return (first, Token("to"), last)


def _fused(days: int, part: int) -> t.Builder:
    return lambda match: (Token("offset", (days,), match.group()), Token("part", (part,), match.group()))


_BEFORE_WEEK = r"(下{1,3}个?|上个?|本|这个?)"
_TABLE: tuple[tuple[str, t.Builder], ...] = (
    (r"([0-9]{4})\s*年\s*([0-9]{1,2})\s*月\s*([0-9]{1,2})\s*[日号]?(?![0-9])", t.iso_date),
    (r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])", t.iso_date),
    (rf"({_NUMBER})\s*月\s*({_NUMBER})\s*[日号]?{_DASH}({_NUMBER})\s*[日号]", _month_days),
    (rf"({_NUMBER})\s*月\s*({_NUMBER})\s*[日号]", _date),
    (r"([0-9]{1,2})月([0-9]{1,2})(?![0-9节点天周月日号])", _date),
    (r"([0-9]{1,2})/([0-9]{1,2})(?![0-9/])", _date),
    (rf"({_NUMBER})\s*[天日](?:之后|以后|后)", _counted("offset")),
    (rf"({_NUMBER})\s*(?:个?星期|周|个?礼拜)(?:之后|以后|后)", _counted("offset", 7)),
    (rf"({_NUMBER})\s*[日号]", _counted("month_day")),
    (rf"第\s*({_NUMBER})\s*(?:周|个?星期)", _counted("week_number")),
    (rf"第\s*({_NUMBER})(?:{_DASH}({_NUMBER}))?\s*天", _span("day_index")),
    (rf"第?\s*({_NUMBER})\s*[、,]\s*第?({_NUMBER})\s*节课?", _neighbours),
    (rf"第?\s*({_NUMBER})\s*节?{_DASH}第?({_NUMBER})\s*节课?", _span("slots")),
    (rf"第\s*({_NUMBER})()\s*节课?", _span("slots")),  # without 第, "3节" may be how long
    (rf"{_BEFORE_WEEK}?{_WEEK}([一二三四五六日天1-6])", _week_day),
    (rf"{_BEFORE_WEEK}?周末", _week_end),
    (rf"{_BEFORE_WEEK}{_WEEK}", _whole_week),
    (r"工作日", t.one("day_set", *t.WORKING_DAYS)),
    (r"今晚", _fused(0, t.EVENING)),
    (r"今早", _fused(0, t.MORNING)),
    (r"明晚", _fused(1, t.EVENING)),
    (r"明早", _fused(1, t.MORNING)),
    (r"大后[天日]", t.one("offset", 3)),
    (r"后[天日]", t.one("offset", 2)),
    (r"明[天日]", t.one("offset", 1)),
    (r"今[天日]", t.one("offset", 0)),
    (r"昨[天日]", t.one("offset", -1)),
    (r"大前[天日]", t.one("offset", -3)),
    (r"前[天日]", t.one("offset", -2)),
    (r"一?整天|全天", t.one("all_day")),
    (r"凌晨", t.one("part", t.DAWN)),
    (r"早上|早晨|上午", t.one("part", t.MORNING)),
    (r"中午", t.one("part", t.NOON)),
    (r"下午", t.one("part", t.AFTERNOON)),
    (r"晚上|晚间", t.one("part", t.EVENING)),
    (rf"({_NUMBER}){_DASH}({_NUMBER})\s*[点时](?![整钟半一二三四五六七八九十零0-9])", _clock_pair),
    (rf"({_NUMBER})\s*[点时]\s*(整|钟|半|一刻|三刻|{_NUMBER}分?)?", _clock),
    (r"(?<![0-9])([0-9]{1,2}):([0-9]{2})(?![0-9:])", t.digital),
    (r"每天|每日", t.one("each")),
    (r"到|至|[-~—–]", t.one("to")),
    (r"以及|[和与及、]", t.one("and")),
    (r",", t.one("comma")),
    (r"\s+|的|在|[那当]天|[。.!()]", t.one("filler")),
)
RULES: tuple[Rule, ...] = tuple((re.compile(pattern), build) for pattern, build in _TABLE)
